//! The handle of a running server.

use crate::admission::{Ask, Decided, decide};
use crate::builder::Builder;
use crate::neighbours::Neighbours;
use crate::replacer::{ReplaceError, Replacer};
use crate::server::{Assembly, RunningServer, StartError, TransferLog, drain};
use crate::watch::{Snapshot, Totals, Watch};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tuffet_engine::worker::Mailbox;

/// A running server. Dropping it ends the server and its transfers at once; [`Handle::drain`] lets them finish.
#[must_use = "the server ends when its handle is dropped"]
pub struct Handle {
    addresses: Vec<(String, SocketAddr)>,
    watch: Watch,
    replacer: Replacer,
    neighbours: Neighbours,
    /// The time limit of draining, once it was asked for.
    drain: watch::Sender<Option<Duration>>,
    /// The end of the server.
    ended: watch::Receiver<Option<ServerEnd>>,
    /// At once, and not only when the task that watches them runs.
    _workers: DrainOnDrop,
}

/// How a server ended.
#[derive(Debug, Clone)]
pub struct ServerEnd {
    /// How long it took, since it was asked for or a thread failed.
    pub took: Duration,
    /// All counters at the end.
    pub totals: Totals,
    /// The failure of a thread that moves blocks, if that ended the server.
    pub failure: Option<String>,
}

impl Handle {
    pub(crate) fn start(assembly: Assembly) -> Result<Handle, StartError> {
        let names = assembly.settings.listeners.iter().map(|listener| listener.name.clone());
        let addresses = names.zip(assembly.listeners.iter().map(|bound| bound.address)).collect();
        let (generation, watch) = (assembly.generation.clone(), assembly.watch.clone());
        let (replacer, neighbours) = (assembly.replacer(), assembly.neighbours.clone());
        let running = assembly.start(None, TransferLog)?;
        generation.get().files.roots.sweep_in_background(|_| true);
        watch.serving();
        let workers = || DrainOnDrop(running.mailboxes().to_vec());
        let (of_handle, of_task) = (workers(), workers());
        let (drain, asked) = watch::channel(None);
        let (tell, ended) = watch::channel(None);
        tokio::spawn(run(running, of_task, watch.clone(), asked, tell));
        Ok(Handle { addresses, watch, replacer, neighbours, drain, ended, _workers: of_handle })
    }

    /// The name and the bound address of each listener, in the order of addition.
    pub fn addresses(&self) -> &[(String, SocketAddr)] {
        &self.addresses
    }

    /// The counters, the active transfers, the last ended ones, and the last ten minutes.
    pub fn snapshot(&self) -> Snapshot {
        self.watch.snapshot(0)
    }

    /// All counters, histograms and gauges.
    pub fn totals(&self) -> Totals {
        self.watch.totals()
    }

    /// The state of the server for views and exporters.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// Decides a question of another protocol: the policy is asked as for a TFTP read request, and the content opened.
    /// Limits and observers are not involved: the program counts and reports what it sends.
    pub async fn decide(&self, ask: Ask<'_>) -> Decided {
        let generation = self.replacer.0.generation.get();
        let neighbour = self.neighbours.find_on_any_interface(ask.client.ip().to_canonical());
        decide(&generation, neighbour, ask).await
    }

    /// Replaces roots, hooks and settings, all or nothing; see [`Replacer::replace`].
    ///
    /// # Errors
    /// As there.
    pub async fn replace(&self, builder: Builder) -> Result<u64, ReplaceError> {
        self.replacer.replace(builder).await
    }

    /// What replaces roots, hooks and settings, for tasks that do not have the handle.
    pub fn replacer(&self) -> Replacer {
        self.replacer.clone()
    }

    /// Stops taking requests and waits for running transfers, at most for `limit`; then ends the rest, each with an
    /// ERROR. Returns when the server has ended. A second call may shorten the limit.
    pub async fn drain(&self, limit: Duration) -> ServerEnd {
        self.drain.send_replace(Some(limit));
        self.ended().await
    }

    /// Waits for the end of the server: after [`Handle::drain`], or because the system failed one of its threads.
    pub async fn ended(&self) -> ServerEnd {
        let mut ended = self.ended.clone();
        let told = ended.wait_for(Option::is_some).await;
        told.ok().and_then(|told| told.clone()).unwrap_or_else(|| ServerEnd {
            took: Duration::ZERO,
            totals: self.watch.totals(),
            failure: Some("the runtime of the server has ended".into()),
        })
    }
}

/// Runs the server until its threads have ended, and then ends the rest. `asked`: the time limit of draining; its sender is
/// dropped with the handle. `workers` is an argument because a runtime may end before it polls this for the first time.
async fn run(
    mut running: RunningServer,
    workers: DrainOnDrop,
    watch: Watch,
    mut asked: watch::Receiver<Option<Duration>>,
    tell: watch::Sender<Option<ServerEnd>>,
) {
    let (mut ending, mut failure, mut has_handle) = (None, None, true);
    while running.is_running() {
        let limit = tokio::select! {
            asks = asked.changed(), if has_handle => {
                has_handle = asks.is_ok();
                (*asked.borrow_and_update()).filter(|_| has_handle).unwrap_or_default()
            }
            stop = running.stopped() => match stop {
                Ok(()) => continue,
                Err(error) => {
                    tracing::error!(target: "tuffet::server::running", %error, "a worker failed");
                    failure.get_or_insert(error.to_string());
                    Duration::ZERO
                }
            },
        };
        ending.get_or_insert_with(Instant::now);
        watch.draining();
        running.drain(limit);
    }
    drop(workers);
    running.end().await;
    let took = ending.map_or(Duration::ZERO, |since| since.elapsed());
    tell.send_replace(Some(ServerEnd { took, totals: watch.totals(), failure }));
}

/// Ends the workers, which are threads, with the handle or with the task that watches them.
struct DrainOnDrop(Vec<Arc<Mailbox>>);

impl Drop for DrainOnDrop {
    fn drop(&mut self) {
        drain(&self.0, Duration::ZERO, false);
    }
}
