//! TFTP as a sans-IO state machine: RFC 1350, 2090, 2347, 2348, 2349 and 7440, both roles, both directions.
//!
//! The crate has no sockets, no clock, no files and no randomness. Datagrams and time go in through the
//! `handle_*` methods of a [`Transfer`]; actions come out of [`Transfer::poll`]. Outputs name blocks, not
//! bytes: file data never passes through, so that a server can send it straight from its source.
//!
//! ```
//! use tuffet_core::{Limits, Output, Packet, Settings, Time, Transfer};
//!
//! let now = Time::from_micros(0);
//! let Ok(Packet::Request(request)) = Packet::parse(b"\0\x01boot.img\0octet\0") else { return };
//! let mut transfer = Transfer::server(now, request.operation, Settings::default());
//! // … a policy decides, a file of 700 bytes is opened …
//! transfer.handle_grant(now, &request.options.requested(), &Limits::default(), Some(700));
//! let Output::Send(blocks) = transfer.poll(now) else { return };
//! assert_eq!((blocks.first, transfer.range(blocks.first, 700)), (1, (0, 512)));
//! ```
#![forbid(unsafe_code)]
// Whatever runs for a packet writes to no terminal: who reads it may be slow, or have left.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro))]

mod acknowledged;
mod allowance;
mod block;
mod bottleneck;
mod control;
mod duplicates;
mod limits;
mod manner;
pub mod multicast;
pub mod netascii;
mod options;
mod pacer;
mod packed_options;
mod packet;
mod peer_metrics;
mod receiver;
mod rtt;
mod sender;
mod stream_rate;
#[cfg(test)]
mod tests;
mod text;
mod time;
mod total_rate;
mod transfer;
mod types;

pub use acknowledged::{Acknowledged, OptionName};
pub use block::{DEFAULT_BLKSIZE, MAX_BLKSIZE, MIN_BLKSIZE, Rollover};
pub use control::Control;
pub use duplicates::Duplicates;
pub use limits::Limits;
pub use manner::{KnownManner, Manner};
pub use options::{MSFTWINDOW_REQUESTED, OptionSet, Options};
pub use packed_options::PackedOptions;
pub use packet::{
    DATA_HEADER, MAX_CONTROL, MAX_ERROR_TEXT, Malformed, Packet, RequestPacket, data_header, encode_error,
};
pub use peer_metrics::PeerMetrics;
pub use rtt::{RaisedFloor, Timing};
pub use sender::Blocks;
pub use stream_rate::StreamRate;
pub use time::Time;
pub use total_rate::TotalRate;
pub use transfer::{Finish, Output, Settings, Stats, Transfer, UNKNOWN_SIZE};
pub use types::{ErrorCode, Mode, Operation};
