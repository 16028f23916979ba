//! The data path of the server: workers that move blocks, and the limits that they enforce.
//!
//! A worker never opens a file, runs a plugin or waits for a lock. The control side, which is not part of
//! this crate, sends decisions and files to the worker's mailbox.
// Whatever runs for a packet writes to no terminal: who reads it may be slow, or have left.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro))]

pub mod limits;
pub mod worker;
