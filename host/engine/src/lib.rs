//! The data path of the server: workers that move blocks, and the limits that they enforce.
//!
//! A worker never opens a file, runs a plugin or waits for a lock. Decisions and files come by its mailbox
//! from the control side, which this crate does not know.

pub mod limits;
pub mod worker;
