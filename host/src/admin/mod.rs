//! The admin listener: health, metrics and the live view by HTTP. Read-only, and never in the way of the
//! data path: all that it shows comes from [`crate::watch`].

mod access;
mod page;
mod pulse;
mod routes;
mod stall;

pub(crate) use access::Access;
pub(crate) use pulse::Pulse;
pub(crate) use routes::Shown;

use crate::accept::Trouble;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use stall::Stalling;
use std::io;
use std::net::{SocketAddr, TcpListener as BlockingListener};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Connections at once; further ones wait in the kernel.
const CONNECTIONS: usize = 64;
/// How long the head of a request may take, and how long a connection may be idle.
const HEAD: Duration = Duration::from_secs(5);
/// How long who reads an answer may read nothing.
const STALL: Duration = Duration::from_secs(10);
/// Bytes of the head of a request, and how many headers it has.
const MAX_HEAD: usize = 16 << 10;
const MAX_HEADERS: usize = 64;

/// The socket, bound.
pub(crate) struct Listener {
    socket: BlockingListener,
    address: SocketAddr,
}

impl Listener {
    /// Binds it.
    ///
    /// # Errors
    /// The address is in use, or not one of this host.
    pub(crate) fn bind(address: SocketAddr) -> io::Result<Listener> {
        let socket = BlockingListener::bind(address)?;
        socket.set_nonblocking(true)?;
        let address = socket.local_addr()?;
        Ok(Listener { socket, address })
    }

    /// One that was bound before this process began, and does not block.
    ///
    /// # Errors
    /// It has no address.
    pub(crate) fn inherit(socket: BlockingListener) -> io::Result<Listener> {
        let address = socket.local_addr()?;
        Ok(Listener { socket, address })
    }

    /// Where it is, the port that was taken for port 0 included.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until it is dropped, which ends all connections.
    pub(crate) async fn run(self, shown: Shown) {
        let socket = match TcpListener::from_std(self.socket) {
            Ok(socket) => socket,
            Err(error) => {
                tracing::error!(%error, "the admin listener cannot be waited on");
                return;
            }
        };
        let router = routes::router(shown);
        let places = Arc::new(Semaphore::new(CONNECTIONS));
        let mut connections = JoinSet::new();
        let mut trouble = Trouble::default();
        loop {
            // Never closed.
            let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
            match socket.accept().await {
                Ok((stream, _)) => {
                    let router = router.clone();
                    connections.spawn(async move {
                        serve(stream, router).await;
                        drop(place);
                    });
                }
                Err(error) => {
                    trouble.pause("the admin listener", &error).await;
                }
            }
            while connections.try_join_next().is_some() {}
        }
    }
}

async fn serve(stream: TcpStream, router: Router) {
    // Events are small and should not wait for each other.
    let _ = stream.set_nodelay(true);
    let io = TokioIo::new(Stalling::new(stream, STALL));
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(MAX_HEAD)
        .max_headers(MAX_HEADERS)
        .serve_connection(io, TowerToHyperService::new(router))
        .await;
    if let Err(error) = served {
        tracing::debug!(%error, "a connection to the admin listener broke off");
    }
}
