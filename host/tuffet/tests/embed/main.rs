//! The server as a library: two of them in one process, hooks and roots of the program, their failures, replacement and
//! the end.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

mod contents;
mod ends;
mod examples;
mod functions;
mod life;
mod names;
mod network;
mod other_protocols;
mod panics;
mod pieces;
mod sinks;
mod statics;
mod uploads;
mod verdicts;
mod versions;
mod words;

use std::net::SocketAddr;
use std::time::Duration;
use tuffet::{Builder, Handle, Listener, Server};
use tuffet_testing::{Client, ClientError};

/// Any free port of the loopback interface.
fn listener() -> Listener {
    Listener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).name("test")
}

fn builder() -> Builder {
    Server::builder().listener(listener())
}

/// Starts a server; returns its address, too.
fn start(builder: Builder) -> (Handle, SocketAddr) {
    let handle = builder.bind().unwrap().start().unwrap();
    let address = handle.addresses()[0].1;
    (handle, address)
}

/// Runs a client, which blocks, off the runtime.
async fn off<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.unwrap()
}

/// Reads a file without options.
fn get(server: SocketAddr, name: &str) -> Result<Vec<u8>, ClientError> {
    Client::new(server).get(name)
}

/// Writes a file without options.
fn put(server: SocketAddr, name: &str, content: &[u8]) -> Result<(), ClientError> {
    Client::new(server).put(name, content)
}

/// Whether a read request gets any answer within 600 ms.
fn is_answered(server: SocketAddr, name: &str) -> bool {
    Client::new(server).patience(Duration::from_millis(600)).is_answered(name).unwrap()
}

fn refused(code: u16, message: &str) -> ClientError {
    ClientError::Refused { code, message: message.into() }
}
