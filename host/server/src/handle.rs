//! The handle of a running server.

use crate::admission::{Ask, Decided, decide};
use crate::builder::Builder;
use crate::neighbours::Neighbours;
use crate::replacer::{ReplaceError, Replacer};
use crate::server::{Assembly, RunningServer, StartError, TransferLog};
use crate::watch::{Snapshot, Totals, Watch};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::runtime;

/// A running server. Dropping it ends the server and its transfers at once; [`Handle::drain`] lets them finish.
pub struct Handle {
    /// `None` once it drains.
    running: Option<RunningServer>,
    addresses: Vec<(String, SocketAddr)>,
    watch: Watch,
    replacer: Replacer,
    neighbours: Neighbours,
    runtime: runtime::Handle,
}

/// How a server ended.
#[derive(Debug, Clone)]
pub struct Drained {
    /// How long it took.
    pub took: Duration,
    /// All counters at the end.
    pub totals: Totals,
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
        Ok(Handle {
            running: Some(running),
            addresses,
            watch,
            replacer,
            neighbours,
            runtime: runtime::Handle::current(),
        })
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
        let neighbour = self.neighbours.find_on_any_interface(ask.client.ip());
        decide(&generation, neighbour, ask).await
    }

    /// Replaces roots, hooks and settings, all or nothing; see [`Replacer::replace`].
    ///
    /// # Errors
    /// As there.
    pub async fn replace(&self, builder: Builder) -> Result<u64, ReplaceError> {
        self.replacer.replace(builder).await
    }

    /// Stops taking requests and waits for running transfers, at most for `limit`; then ends the rest, each with an ERROR.
    pub async fn drain(mut self, limit: Duration) -> Drained {
        let began = Instant::now();
        if let Some(running) = self.running.take() {
            self.watch.draining();
            finish(running, limit).await;
        }
        Drained { took: began.elapsed(), totals: self.watch.totals() }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            self.watch.draining();
            running.drain(Duration::ZERO);
            self.runtime.spawn(finish(running, Duration::ZERO));
        }
    }
}

/// Drains the workers, and ends everything else after them.
async fn finish(mut running: RunningServer, limit: Duration) {
    running.drain(limit);
    while running.is_running() {
        if let Err(error) = running.stopped().await {
            tracing::error!(target: "tuffet::server::running", %error, "a worker failed");
            running.drain(Duration::ZERO);
        }
    }
    running.end().await;
}
