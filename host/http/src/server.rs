//! The server: accepts connections within its limits, and drains them.

use crate::connection::Connection;
use crate::files::Files;
use crate::limits::HttpLimits;
use crate::slots::{Connections, Limit, LimitCounts, ListenerNumber, Slots};
use crate::tap::Tap;
use crate::tls::Certificates;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};

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

    /// The connections, to be counted.
    pub fn connections(&self) -> Connections {
        self.slots.connections()
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
                Err(_) => self.connections().count().open(),
            }
        }
    }

    fn listen(&mut self, socket: TcpListener, files: Files, certificates: Option<Certificates>) {
        let acceptor = Acceptor {
            listener: self.slots.listener(files.listener()),
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
    listener: ListenerNumber,
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
        let mut crowd = Crowd::of(self.files.listener());
        loop {
            // Before it is accepted, so that a drain that begins meanwhile does not refuse its request.
            let files = self.files.of_accepted();
            let accepted = tokio::select! {
                biased;
                _ = self.drain.wait_for(|drain| *drain) => break,
                () = crowd.due() => {
                    crowd.log(Instant::now());
                    continue;
                }
                accepted = socket.accept() => accepted,
            };
            match accepted {
                Ok((stream, mut client)) => {
                    // Policy knows a client by the same address whatever the socket.
                    client.set_ip(client.ip().to_canonical());
                    let taken = self.slots.take(self.listener, self.limits.client(client.ip()));
                    if let Some(limit) = taken.reached {
                        crowd.note(client, limit, taken.slot.is_some(), Instant::now());
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
        crowd.log(Instant::now());
        while tasks.join_next().await.is_some() {}
    }
}

/// What the limits of connections have cost since the last log line. A flood of connections costs a line now and then,
/// which names the limit and a client; the last one follows when the flood is over.
struct Crowd {
    listener: Arc<str>,
    logged: Option<Instant>,
    unlogged: LimitCounts,
    /// The latest connection at a limit.
    latest: Option<(SocketAddr, Limit)>,
}

impl Crowd {
    fn of(listener: &Arc<str>) -> Crowd {
        let listener = Arc::clone(listener);
        Crowd { listener, logged: None, unlogged: LimitCounts::default(), latest: None }
    }

    /// Counts a new connection at a limit: another one made room for it, or it was closed. The first one has a line at once.
    fn note(&mut self, client: SocketAddr, limit: Limit, has_room: bool, now: Instant) {
        self.unlogged.count(has_room);
        self.latest = Some((client, limit));
        if self.logged.is_none_or(|logged| now >= logged + CROWD_QUIET) {
            self.log(now);
        }
    }

    /// Waits until the next line is due; for ever, if there is nothing to log.
    async fn due(&self) {
        match (self.logged, &self.latest) {
            (Some(logged), Some(_)) => sleep_until(logged + CROWD_QUIET).await,
            _ => std::future::pending().await,
        }
    }

    /// Logs what has not been logged, if there is something.
    fn log(&mut self, now: Instant) {
        let Some((client, limit)) = self.latest.take() else { return };
        let LimitCounts { gave_way, refused } = std::mem::take(&mut self.unlogged);
        self.logged = Some(now);
        tracing::warn!(
            target: "tuffet::http",
            limit = limit.key(),
            listener = &*self.listener,
            %client,
            gave_way,
            refused,
            "the connections of HTTP are at a limit: a new one closes another, or is closed if none can make room; \
             `client` opened the latest"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crowd() -> Crowd {
        Crowd::of(&"web".into())
    }

    fn note(crowd: &mut Crowd, has_room: bool) {
        crowd.note(([192, 0, 2, 7], 4711).into(), Limit::All, has_room, Instant::now());
    }

    #[tokio::test(start_paused = true)]
    async fn what_a_flood_has_cost_is_logged_when_it_is_over() {
        let (mut crowd, begin) = (crowd(), Instant::now());
        note(&mut crowd, true);
        assert_eq!((crowd.logged, crowd.latest), (Some(begin), None), "the first one at once");
        for has_room in [true, true, false] {
            note(&mut crowd, has_room);
        }
        assert_eq!(crowd.unlogged, LimitCounts { gave_way: 2, refused: 1 });
        // No further connection comes.
        crowd.due().await;
        assert_eq!(begin.elapsed().as_secs(), CROWD_QUIET.as_secs());
        crowd.log(Instant::now());
        assert_eq!((crowd.unlogged, crowd.latest), (LimitCounts::default(), None));
        // Nothing is left to log, however long it waits.
        assert!(timeout(100 * CROWD_QUIET, crowd.due()).await.is_err());
        note(&mut crowd, false);
        assert_eq!(crowd.latest, None, "one after a pause has a line at once");
    }

    #[tokio::test(start_paused = true)]
    async fn a_flood_that_goes_on_has_a_line_in_ten_seconds() {
        let (mut crowd, mut lines) = (crowd(), 0);
        let begin = Instant::now();
        while begin.elapsed() < 10 * CROWD_QUIET {
            note(&mut crowd, false);
            lines += u32::from(crowd.latest.is_none());
            sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(lines, 10);
    }
}
