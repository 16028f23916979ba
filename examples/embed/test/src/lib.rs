//! A client that is to be tested: here a wrapper around the plain one. Its tests are in `tests/client.rs`.

use std::net::SocketAddr;
use tuffet_testing::{Client, ClientError};

/// Fetches a file, and tries twice.
///
/// # Errors
/// The second failure.
pub fn fetch(server: SocketAddr, name: &str) -> Result<Vec<u8>, ClientError> {
    let client = Client::new(server).blksize(1024);
    client.get(name).or_else(|_| client.get(name))
}
