//! The handle of a running server.

use crate::admission::Requests;
use crate::builder::Service;
use crate::replacer::{ReplaceError, Replacer};
use crate::server::{Assembly, Drains, MAX_DRAIN, RunningServer, StartError, TransferLog, Unfinished};
use crate::watch::{self, Totals, Watch};
use serde::Serialize;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::sync::watch::{Receiver, Sender, channel};
use tokio::time::sleep_until;

/// A running server. Dropping it ends the server and its transfers at once; [`Handle::drain`] lets them finish.
#[must_use = "the server ends when its handle is dropped"]
pub struct Handle {
    addresses: Vec<(String, SocketAddr)>,
    pub(crate) watch: Watch,
    replacer: Replacer,
    requests: Requests,
    /// The time limit of draining, once it was asked for.
    drain: Sender<Option<Duration>>,
    /// The end of the server.
    ended: Receiver<Option<ServerEnd>>,
    /// At once, and not only when the task that watches them runs.
    _workers: DrainOnDrop,
}

/// How long after its limit a drain may return: commits that have begun get the first half second of it.
const DRAIN_MARGIN: Duration = Duration::from_millis(750);

/// The longest part of the limit of a drain in which sinks are aborted and observers get the last ends.
const LONGEST_REST: Duration = Duration::from_secs(2);

/// How long sinks and observers have after a thread of the server has failed.
const FAILURE_LIMIT: Duration = Duration::from_secs(5);

/// How a server ended.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServerEnd {
    /// How long it took, since it was asked for or a thread failed.
    pub took: Duration,
    /// All counters at the end.
    pub totals: Totals,
    /// The failure of a thread that moves blocks, if that ended the server.
    pub failure: Option<String>,
    /// Ends of requests that an observer had not taken. They do not arrive any more.
    pub unobserved_ends: usize,
    /// Sinks that were neither committed nor aborted. They are dropped, unless one blocks its thread.
    pub open_sinks: usize,
    /// Requests and uploads that a hook or a root had not answered when the transfers had ended. Their futures are dropped.
    pub unanswered_calls: usize,
}

/// The live view of a server at one moment, for pages and monitors: it serialises to the object that the page of live
/// views explains (`docs/watch.md`).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Snapshot(watch::Snapshot);

impl Handle {
    pub(crate) fn start(assembly: Assembly) -> Result<Handle, StartError> {
        let names = assembly.settings.listeners.iter().map(|listener| listener.name.clone());
        let addresses = names.zip(assembly.listeners.iter().map(|bound| bound.address)).collect();
        let (generation, watch) = (assembly.generation.clone(), assembly.watch.clone());
        let replacer = assembly.replacer();
        let running = assembly.start(None, TransferLog)?;
        generation.get().files.roots.sweep_in_background(|_| true);
        watch.serving();
        let requests = running.requests();
        let workers = || DrainOnDrop(running.drains());
        let (of_handle, of_task) = (workers(), workers());
        let (drain, asked) = channel(None);
        let (tell, ended) = channel(None);
        tokio::spawn(run(running, of_task, watch.clone(), asked, tell));
        Ok(Handle { addresses, watch, replacer, requests, drain, ended, _workers: of_handle })
    }

    /// The name and the bound address of each listener, in the order of addition.
    pub fn addresses(&self) -> &[(String, SocketAddr)] {
        &self.addresses
    }

    /// The counters, the active transfers, the last ended ones, and the last ten minutes.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot(self.watch.snapshot(0))
    }

    /// All counters, histograms and gauges.
    pub fn totals(&self) -> Totals {
        self.watch.totals()
    }

    /// What takes requests by other protocols: they are decided by the same policy, count against the same limits, and are
    /// counted, logged and observed as requests by TFTP.
    pub fn requests(&self) -> Requests {
        self.requests.clone()
    }

    /// Replaces what the server serves, all or nothing; see [`Replacer::replace`].
    ///
    /// # Errors
    /// As there.
    pub async fn replace(&self, service: Service) -> Result<u64, ReplaceError> {
        self.replacer.replace(service).await
    }

    /// What replaces the service, for tasks that do not have the handle.
    pub fn replacer(&self) -> Replacer {
        self.replacer.clone()
    }

    /// Stops taking requests and waits for running transfers; then ends the rest, each with an ERROR. The last fifth of
    /// `limit`, at most 2 s of it, is for what follows: sinks are aborted, and observers get the last ends. Returns when
    /// the server has ended: 0.75 s after `limit` at the latest, whatever hangs, and [`ServerEnd`] says what was not
    /// finished. A second call may shorten the limit.
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
            unobserved_ends: 0,
            open_sinks: 0,
            unanswered_calls: 0,
        })
    }
}

/// Runs the server until its threads have ended, and then ends the rest. `asked`: the time limit of draining; its sender is
/// dropped with the handle. `workers` is an argument because a runtime may end before it polls this for the first time.
async fn run(
    mut running: RunningServer,
    workers: DrainOnDrop,
    watch: Watch,
    mut asked: Receiver<Option<Duration>>,
    tell: Sender<Option<ServerEnd>>,
) {
    let (mut ending, mut failure, mut has_handle) = (None, None, true);
    let mut until: Option<Instant> = None;
    while running.is_running() {
        let (limit, of_transfers) = tokio::select! {
            asks = asked.changed(), if has_handle => {
                has_handle = asks.is_ok();
                let limit = (*asked.borrow_and_update()).filter(|_| has_handle).unwrap_or_default();
                (limit, limit - (limit / 5).min(LONGEST_REST))
            }
            stop = running.stopped() => match stop {
                Ok(()) => continue,
                Err(error) => {
                    tracing::error!(target: "tuffet::server::running", %error, "a worker failed");
                    failure.get_or_insert(error.to_string());
                    (FAILURE_LIMIT, Duration::ZERO)
                }
            },
            () = sleep_until(until.unwrap_or_else(Instant::now).into()), if until.is_some() => {
                failure.get_or_insert("a bug: a worker did not end".into());
                break;
            }
        };
        ending.get_or_insert_with(Instant::now);
        let end = Instant::now() + limit.min(MAX_DRAIN) + DRAIN_MARGIN;
        until = Some(until.map_or(end, |until| until.min(end)));
        watch.draining();
        running.drain(of_transfers);
    }
    drop(workers);
    let end = running.end_by(until.unwrap_or_else(|| Instant::now() + FAILURE_LIMIT)).await;
    let Unfinished { unobserved_ends, open_sinks, unanswered_calls } = end;
    if unobserved_ends + open_sinks + unanswered_calls > 0 {
        tracing::warn!(
            target: "tuffet::server::running",
            unobserved_ends, open_sinks, unanswered_calls, "the server has ended before everything was finished"
        );
    }
    let took = ending.map_or(Duration::ZERO, |since| since.elapsed());
    let totals = watch.totals();
    tell.send_replace(Some(ServerEnd {
        took,
        totals,
        failure,
        unobserved_ends,
        open_sinks,
        unanswered_calls,
    }));
}

/// Ends the workers, which are threads, with the handle or with the task that watches them.
struct DrainOnDrop(Drains);

impl Drop for DrainOnDrop {
    fn drop(&mut self) {
        self.0.drain(Duration::ZERO, false);
    }
}
