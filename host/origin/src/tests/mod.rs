//! The origin as a whole, with a server that misbehaves.

mod answers;
mod cached;
mod contents;
mod killed;
mod server;
mod uploads;
mod world;
