//! The admin listener: health, metrics and the live view by HTTP. It is read-only and never blocks the data path: all
//! content comes from [`tuffet_server::watch`].

mod access;
mod connections;
mod liveness;
mod page;
mod routes;

pub use access::Access;
pub use liveness::WorkerLiveness;
pub use routes::AdminState;

use crate::accept::AcceptFailures;
use crate::peer::Peer;
use crate::stall::StallGuard;
use axum::Router;
use connections::{ConnectionSlot, Connections};
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::fs;
use std::io;
use std::net::{SocketAddr, TcpListener as BlockingTcp};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener as BlockingUnix;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::task::JoinSet;
use tuffet_config::AdminAddress;

/// Concurrent connections. A new one beyond that closes another ([`connections`]).
const MAX_CONNECTIONS: usize = 64;
/// The most connections waiting to be accepted: without room in this queue, a client retries after a second.
const BACKLOG: i32 = 1024;
/// The time limit of the head of a request, and of an idle connection.
const HEAD_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a client may read nothing of an answer.
const STALL_TIMEOUT: Duration = Duration::from_secs(10);
/// The limits of the head of a request in bytes and headers.
const MAX_HEAD: usize = 16 << 10;
const MAX_HEADERS: usize = 64;

/// A bound socket that does not block.
pub enum Listener {
    /// At a TCP address.
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

    /// Uses an inherited, non-blocking socket at this path.
    pub fn inherit(socket: BlockingUnix, path: &Path, token: bool) -> Option<Listener> {
        let is_world_writable = fs::metadata(path).is_ok_and(|about| about.permissions().mode() & 0o002 != 0);
        if is_world_writable && !token {
            tracing::warn!(
                target: "tuffet::admin",
                socket = %path.display(),
                "every user of this machine may read the admin listener through its inherited \
                 socket; set `SocketMode=0660`, `SocketUser=` and `SocketGroup=` in the socket unit, or set \
                 `admin.token`"
            );
        }
        Some(Listener::unix(socket, path))
    }

    /// Uses an inherited, non-blocking socket.
    pub fn inherit_tcp(socket: BlockingTcp) -> Option<Listener> {
        Some(Listener::Tcp(socket))
    }

    /// Returns a duplicate of the socket.
    ///
    /// # Errors
    /// The process has no descriptors left.
    pub fn duplicate(&self) -> io::Result<OwnedFd> {
        match self {
            Listener::Tcp(socket) => socket.as_fd().try_clone_to_owned(),
            Listener::Unix(socket, _) => socket.as_fd().try_clone_to_owned(),
        }
    }

    /// Returns the address, with the actual port for port 0.
    pub fn address(&self) -> io::Result<AdminAddress> {
        Ok(match self {
            Listener::Tcp(socket) => AdminAddress::Tcp(socket.local_addr()?),
            Listener::Unix(_, path) => AdminAddress::Unix(path.clone()),
        })
    }

    /// Answers requests until the future is dropped, which closes all connections.
    pub async fn run(self, state: AdminState) {
        let socket = match self.to_async() {
            Ok(socket) => socket,
            Err(error) => {
                tracing::error!(target: "tuffet::admin", %error, "the admin listener failed");
                return;
            }
        };
        let router = routes::router(state);
        let connections = Connections::new(MAX_CONNECTIONS);
        let mut tasks = JoinSet::new();
        let mut failures = AcceptFailures::default();
        loop {
            match socket.accept().await {
                Ok((stream, peer)) => {
                    let (router, slot) = (router.clone(), Arc::new(connections.take(peer)));
                    tasks.spawn(async move {
                        let served = async {
                            match stream {
                                Stream::Tcp(stream) => serve(stream, router, slot.clone()).await,
                                Stream::Unix(stream) => serve(stream, router, slot.clone()).await,
                            }
                        };
                        tokio::select! {
                            () = served => {}
                            () = slot.needed() => tracing::debug!(
                                target: "tuffet::admin",
                                "a connection to the admin listener was closed to make room for another one"
                            ),
                        }
                    });
                }
                Err(error) => {
                    failures.pause("the admin listener", &error).await;
                }
            }
            while tasks.try_join_next().is_some() {}
        }
    }

    fn to_async(&self) -> io::Result<AsyncListener> {
        Ok(match self {
            Listener::Tcp(socket) => AsyncListener::Tcp(TcpListener::from_std(socket.try_clone()?)?),
            Listener::Unix(socket, _) => AsyncListener::Unix(UnixListener::from_std(socket.try_clone()?)?),
        })
    }
}

enum AsyncListener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl AsyncListener {
    async fn accept(&self) -> io::Result<(Stream, Peer)> {
        Ok(match self {
            AsyncListener::Tcp(socket) => {
                let (stream, peer) = socket.accept().await?;
                // Events are small and should not wait for each other.
                let _ = stream.set_nodelay(true);
                (Stream::Tcp(stream), Peer::of(peer.ip()))
            }
            AsyncListener::Unix(socket) => {
                let (stream, _) = socket.accept().await?;
                let user = stream.peer_cred().ok().map(|its| its.uid());
                (Stream::Unix(stream), Peer::User(user))
            }
        })
    }
}

async fn serve(
    stream: impl AsyncRead + AsyncWrite + AsFd + Unpin + Send + 'static,
    router: Router,
    slot: Arc<ConnectionSlot>,
) {
    let io = TokioIo::new(StallGuard::new(stream, STALL_TIMEOUT));
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: Request<Incoming>| {
        slot.mark_used();
        request.extensions_mut().insert(slot.clone());
        router.call(request)
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(MAX_HEAD)
        .max_headers(MAX_HEADERS)
        .serve_connection(io, service)
        .await;
    if let Err(error) = served {
        tracing::debug!(target: "tuffet::admin", %error, "a connection to the admin listener failed");
    }
}
