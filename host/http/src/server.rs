//! The server: accepts connections within its limits, and drains them.

use crate::connection::Connection;
use crate::files::Files;
use crate::limits::HttpLimits;
use crate::slots::{Limit, Slots};
use crate::tap::Tap;
use crate::tls::Certificates;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

/// The pause after a failure to accept: the pending connection stays in the queue, and would fail again at once.
const PAUSE: Duration = Duration::from_secs(1);

/// The shortest time between two log lines about such failures.
const QUIET: Duration = Duration::from_secs(60);

/// The shortest time between two log lines about limits of connections.
const CROWD_QUIET: Duration = Duration::from_secs(10);

/// Serves files by HTTP and HTTPS, in the tokio runtime that called it. Dropping it closes all listeners and connections
/// at once; [`HttpServer::drain`] lets answers finish.
#[derive(Debug)]
pub struct HttpServer {
    limits: HttpLimits,
    slots: Slots,
    tap: Option<Arc<dyn Tap>>,
    drain: watch::Sender<bool>,
    listeners: JoinSet<()>,
}

impl HttpServer {
    /// Creates a server without listeners.
    pub fn new(limits: HttpLimits) -> HttpServer {
        let slots = Slots::new(limits.connections, limits.per_client);
        HttpServer { limits, slots, tap: None, drain: watch::Sender::new(false), listeners: JoinSet::new() }
    }

    /// Copies the bytes of all connections of the listeners that follow to a tap.
    pub fn tap(&mut self, tap: Arc<dyn Tap>) {
        self.tap = Some(tap);
    }

    /// Serves these files by HTTP.
    pub fn http(&mut self, socket: TcpListener, files: Files) {
        self.listen(socket, files, None);
    }

    /// Serves these files by HTTPS.
    pub fn https(&mut self, socket: TcpListener, files: Files, certificates: &Certificates) {
        self.listen(socket, files, Some(certificates.clone()));
    }

    /// The number of connections.
    pub fn connections(&self) -> usize {
        self.slots.taken()
    }

    /// Closes the listeners and idle connections, lets answers finish, and cuts those that last longer than the limit. It
    /// waits up to a second for the first request of a connection. Begins at once; the future returns the number of answers
    /// that were cut.
    pub fn drain(mut self, limit: Duration) -> impl Future<Output = usize> + Send {
        self.drain.send_replace(true);
        async move {
            let finished = async { while self.listeners.join_next().await.is_some() {} };
            match timeout(limit, finished).await {
                Ok(()) => 0,
                Err(_) => self.slots.taken(),
            }
        }
    }

    fn listen(&mut self, socket: TcpListener, files: Files, certificates: Option<Certificates>) {
        let acceptor = Acceptor {
            files,
            certificates,
            limits: self.limits.clone(),
            slots: self.slots.clone(),
            tap: self.tap.clone(),
            drain: self.drain.subscribe(),
        };
        self.listeners.spawn(acceptor.run(socket));
    }
}

/// Accepts the connections of one listener.
struct Acceptor {
    files: Files,
    certificates: Option<Certificates>,
    limits: HttpLimits,
    slots: Slots,
    tap: Option<Arc<dyn Tap>>,
    drain: watch::Receiver<bool>,
}

impl Acceptor {
    async fn run(mut self, socket: TcpListener) {
        let mut tasks = JoinSet::new();
        let mut logged: Option<Instant> = None;
        let mut crowd = Crowd::default();
        loop {
            // Before it is accepted, so that a drain that begins meanwhile does not refuse its request.
            let files = self.files.of_accepted();
            let accepted = tokio::select! {
                biased;
                _ = self.drain.wait_for(|drain| *drain) => break,
                accepted = socket.accept() => accepted,
            };
            match accepted {
                Ok((stream, mut client)) => {
                    // Policy knows a client by the same address whatever the socket.
                    client.set_ip(client.ip().to_canonical());
                    let taken = self.slots.take(self.limits.client(client.ip()));
                    if let Some(limit) = taken.reached {
                        crowd.note(client, limit, taken.slot.is_some());
                    }
                    if let Some(slot) = taken.slot {
                        let connection = Connection {
                            files,
                            limits: self.limits.clone(),
                            client,
                            slot: Arc::new(slot),
                            tap: self.tap.clone(),
                            drain: self.drain.clone(),
                        };
                        let tls = self.certificates.as_ref().map(Certificates::config);
                        tasks.spawn(connection.serve(stream, tls));
                    }
                }
                // The client has gone already.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(error) => {
                    if logged.is_none_or(|logged| logged.elapsed() >= QUIET) {
                        logged = Some(Instant::now());
                        tracing::warn!(
                            target: "tuffet::http",
                            %error,
                            "the HTTP server cannot accept connections and retries each second; if too many files are \
                             open, raise the limit (`LimitNOFILE=`, `ulimit -n`)"
                        );
                    }
                    sleep(PAUSE).await;
                }
            }
            while tasks.try_join_next().is_some() {}
        }
        drop(socket);
        while tasks.join_next().await.is_some() {}
    }
}

/// What the limits of connections have cost since the last log line. A flood of connections costs a line now and then,
/// which names the limit and a client.
#[derive(Default)]
struct Crowd {
    logged: Option<Instant>,
    made_room: u64,
    closed: u64,
}

impl Crowd {
    /// Counts a new connection at a limit: another one made room for it, or it was closed.
    fn note(&mut self, client: SocketAddr, limit: Limit, has_room: bool) {
        match has_room {
            true => self.made_room += 1,
            false => self.closed += 1,
        }
        if self.logged.is_some_and(|logged| logged.elapsed() < CROWD_QUIET) {
            return;
        }
        self.logged = Some(Instant::now());
        let limit = match limit {
            Limit::All => "http.connections",
            Limit::PerClient => "http.connections-per-client",
        };
        tracing::warn!(
            target: "tuffet::http",
            limit,
            %client,
            made_room = std::mem::take(&mut self.made_room),
            closed = std::mem::take(&mut self.closed),
            "the connections of HTTP are at a limit: a new one closes another, or is closed if none can make room; \
             `client` opened the latest"
        );
    }
}
