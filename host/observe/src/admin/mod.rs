//! The admin listener: health, metrics and the live view by HTTP. Read-only, and never in the way of the data
//! path: all content comes from [`tuffet::watch`].

mod access;
mod page;
mod places;
mod pulse;
mod routes;
mod stall;

pub use access::Access;
pub use pulse::Pulse;
pub use routes::AdminState;

use crate::accept::Trouble;
use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use places::{Peer, Place, Places};
use stall::Stalling;
use std::fs;
use std::io;
use std::net::{SocketAddr, TcpListener as BlockingTcp};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener as BlockingUnix;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::task::JoinSet;
use tuffet_config::AdminAddress;

/// Concurrent connections. A further one is accepted all the same, and another is closed for it ([`places`]).
const CONNECTIONS: usize = 64;
/// Connections in the kernel's queue until they are accepted: without room there, a client retries after a
/// second.
const BACKLOG: i32 = 1024;
/// How long the head of a request may take, and how long a connection may be idle.
const HEAD: Duration = Duration::from_secs(5);
/// How long a client may read nothing of an answer.
const STALL: Duration = Duration::from_secs(10);
/// The limits of the head of a request in bytes and headers.
const MAX_HEAD: usize = 16 << 10;
const MAX_HEADERS: usize = 64;

/// A bound socket that does not block.
pub enum Listener {
    /// For any host that reaches it.
    Tcp(BlockingTcp),
    /// In the file system, at this path.
    Unix(BlockingUnix, PathBuf),
}

impl Listener {
    /// Binds the address.
    ///
    /// # Errors
    /// The address is in use, or not one of this host.
    pub fn bind_tcp(address: SocketAddr) -> io::Result<Listener> {
        let socket = BlockingTcp::bind(address)?;
        rustix::net::listen(&socket, BACKLOG)?;
        socket.set_nonblocking(true)?;
        Ok(Listener::Tcp(socket))
    }

    /// Uses a socket that was bound at this path and does not block.
    pub fn unix(socket: BlockingUnix, path: &Path) -> Listener {
        Listener::Unix(socket, path.to_owned())
    }

    /// One at this path that was bound before this process began, and does not block.
    pub fn inherit(socket: BlockingUnix, path: &Path, token: bool) -> Option<Listener> {
        let everyones = fs::metadata(path).is_ok_and(|about| about.permissions().mode() & 0o002 != 0);
        if everyones && !token {
            tracing::warn!(
                target: "tuffet::admin",
                socket = %path.display(),
                "every user of this machine may read the admin listener: its inherited socket is open to \
                 all; set `SocketMode=0660`, `SocketUser=` and `SocketGroup=` in the socket unit, or set \
                 `admin.token`"
            );
        }
        Some(Listener::unix(socket, path))
    }

    /// One that was bound before this process began, and does not block.
    pub fn inherit_tcp(socket: BlockingTcp) -> Option<Listener> {
        Some(Listener::Tcp(socket))
    }

    /// Returns the address, with the actual port for port 0.
    pub fn address(&self) -> io::Result<AdminAddress> {
        Ok(match self {
            Listener::Tcp(socket) => AdminAddress::Tcp(socket.local_addr()?),
            Listener::Unix(_, path) => AdminAddress::Unix(path.clone()),
        })
    }

    /// Answers requests until it is dropped, which closes all connections.
    pub async fn run(self, state: AdminState) {
        let socket = match self.waited_on() {
            Ok(socket) => socket,
            Err(error) => {
                tracing::error!(target: "tuffet::admin", %error, "the admin listener failed");
                return;
            }
        };
        let router = routes::router(state);
        let places = Places::new(CONNECTIONS);
        let mut connections = JoinSet::new();
        let mut trouble = Trouble::default();
        loop {
            match socket.accept().await {
                Ok((stream, peer)) => {
                    let (router, place) = (router.clone(), Arc::new(places.take(peer)));
                    connections.spawn(async move {
                        let served = async {
                            match stream {
                                Stream::Tcp(stream) => serve(stream, router, place.clone()).await,
                                Stream::Unix(stream) => serve(stream, router, place.clone()).await,
                            }
                        };
                        tokio::select! {
                            () = served => {}
                            () = place.needed() => tracing::debug!(
                                target: "tuffet::admin",
                                "an idle connection to the admin listener was closed to make room for a new one"
                            ),
                        }
                    });
                }
                Err(error) => {
                    trouble.pause("the admin listener", &error).await;
                }
            }
            while connections.try_join_next().is_some() {}
        }
    }

    fn waited_on(&self) -> io::Result<Waiting> {
        Ok(match self {
            Listener::Tcp(socket) => Waiting::Tcp(TcpListener::from_std(socket.try_clone()?)?),
            Listener::Unix(socket, _) => Waiting::Unix(UnixListener::from_std(socket.try_clone()?)?),
        })
    }
}

enum Waiting {
    Tcp(TcpListener),
    Unix(UnixListener),
}

enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Waiting {
    async fn accept(&self) -> io::Result<(Stream, Peer)> {
        Ok(match self {
            Waiting::Tcp(socket) => {
                let (stream, peer) = socket.accept().await?;
                // Events are small and should not wait for each other.
                let _ = stream.set_nodelay(true);
                (Stream::Tcp(stream), Peer::of(peer.ip()))
            }
            Waiting::Unix(socket) => {
                let (stream, _) = socket.accept().await?;
                let user = stream.peer_cred().ok().map(|its| its.uid());
                (Stream::Unix(stream), Peer::User(user))
            }
        })
    }
}

async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    router: Router,
    place: Arc<Place>,
) {
    let io = TokioIo::new(Stalling::new(stream, STALL));
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: Request<Incoming>| {
        place.is_used();
        request.extensions_mut().insert(place.clone());
        router.call(request)
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(MAX_HEAD)
        .max_headers(MAX_HEADERS)
        .serve_connection(io, service)
        .await;
    if let Err(error) = served {
        tracing::debug!(target: "tuffet::admin", %error, "a connection to the admin listener failed");
    }
}
