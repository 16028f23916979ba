//! The source of snapshots of all servers that publish their transfers on NATS.

use super::source::Update;
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};
use tuffet_config::NatsServers;
use tuffet_daemon::source::nats_login;
use tuffet_observe::fleet::FleetWatcher;
use tuffet_server::watch::Snapshot;

/// The time limit for the first event of a server.
const FIRST: Duration = Duration::from_secs(4);
/// The pause before the next connection.
const PAUSE: Duration = Duration::from_secs(1);

/// The NATS servers and the subject of the events.
pub(super) struct NatsSource {
    pub(super) url: String,
    servers: NatsServers,
    subject: String,
}

impl NatsSource {
    /// # Errors
    /// The message for the command line.
    pub(super) fn of(url: &str, subject: &str, auth: Option<&Path>) -> Result<NatsSource, String> {
        let host = url.strip_prefix("nats://").or_else(|| url.strip_prefix("tls://"));
        if !host.is_some_and(|host| !host.is_empty() && !host.contains(['/', '@', ' '])) {
            return Err(format!("--nats {url}: give nats://HOST:PORT or tls://HOST:PORT"));
        }
        if subject.is_empty() || subject.contains(['*', '>', ' ']) {
            return Err(format!("--subject {subject}: give words with dots between them, such as tuffet"));
        }
        let login = nats_login(auth).map_err(|error| format!("--nats-auth: {error}"))?;
        let servers = NatsServers { urls: vec![url.to_owned()], login };
        Ok(NatsSource { url: url.to_owned(), servers, subject: subject.to_owned() })
    }

    /// Returns the first snapshot with a server.
    pub(super) fn first(&self) -> io::Result<Snapshot> {
        runtime()?.block_on(async {
            let mut watcher = self.open().await?;
            let end = Instant::now() + FIRST;
            loop {
                let snapshot = watcher.next().await.map_err(io::Error::other)?;
                if !watcher.is_empty() {
                    return Ok(snapshot);
                }
                if Instant::now() > end {
                    return Err(io::Error::other(format!(
                        "no server publishes below `{}` there; add `events: {{ nats: … }}` to its configuration",
                        self.subject
                    )));
                }
            }
        })
    }

    /// Passes all updates to `tell` until it returns false.
    pub(super) fn follow(&self, mut tell: impl FnMut(Update) -> bool) {
        loop {
            let error = match runtime() {
                Ok(runtime) => runtime.block_on(async {
                    let mut watcher = match self.open().await {
                        Ok(watcher) => watcher,
                        Err(error) => return Some(error),
                    };
                    loop {
                        match watcher.next().await {
                            Ok(_) if watcher.is_empty() => {}
                            Ok(snapshot) => {
                                if !tell(Update::Snapshot(Box::new(snapshot))) {
                                    return None;
                                }
                            }
                            Err(error) => return Some(io::Error::other(error)),
                        }
                    }
                }),
                Err(error) => Some(error),
            };
            let Some(error) = error else { return };
            if !tell(Update::Lost(error.to_string())) {
                return;
            }
            thread::sleep(PAUSE);
        }
    }

    async fn open(&self) -> io::Result<FleetWatcher> {
        FleetWatcher::open(&self.servers, &self.subject).await.map_err(io::Error::other)
    }
}

fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}
