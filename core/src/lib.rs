//! TFTP as a sans-IO state machine.
//!
//! No sockets, no clock, no files, no randomness: datagrams and time go in, outputs come out.
#![forbid(unsafe_code)]

mod types;

pub use types::{ErrorCode, Mode, Operation};
