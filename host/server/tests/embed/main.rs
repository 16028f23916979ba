//! The server as a library: two of them in one process, hooks and roots of the program, their failures, replacement and
//! the end.

mod client;
mod contents;
mod life;
mod statics;
mod uploads;
mod verdicts;

use std::net::SocketAddr;
use tuffet::{Builder, Handle, Listener, Server};

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
