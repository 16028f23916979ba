//! The origin as a whole, with a server that misbehaves.

mod answers;
mod cached;
mod contents;
mod google;
mod killed;
mod server;
mod uploads;
mod world;
