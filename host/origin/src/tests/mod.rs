//! The origin as a whole, with a server that misbehaves.

mod answers;
mod cached;
mod contents;
mod full;
mod google;
mod killed;
mod replaced;
mod server;
mod shares;
mod sizes;
mod uploads;
mod weak;
mod world;
