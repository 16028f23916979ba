//! The data path of the server: workers that move blocks, and the limits that they enforce.
//!
//! A worker never opens a file, runs a plugin or waits for a lock. The control side, which is not part of
//! this crate, sends decisions and files to the worker's mailbox.

pub mod limits;
pub mod worker;
