//! The command line of Tuffet.

pub mod cli;
mod client;
