//! The data path of the server: workers that move blocks, and the limits that they keep to.
//!
//! A worker never opens a file, runs a plugin or waits for a lock. What it needs comes by its mailbox from whoever
//! decides; this crate does not know who that is.

pub mod limits;
pub mod worker;
