//! One call of a plugin: its turn, its store, its limits, and its end.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::sync::SemaphorePermit;
use tokio::time::{Instant, timeout_at};
use wasmtime::Trap;
use wasmtime_wasi::I32Exit;

use super::ask::Patience;
use super::failure::{Cause, CpuLimit, Failure, Refused};
use super::instance::Instance;
use super::kept::Kept;
use super::meter::Meter;
use super::plugin::Plugin;
use super::text;
use super::ticker::Hold;
use tuffet_request::Traced;

/// How long the check of a plugin that is loaded waits for its turn.
const LOAD_PATIENCE: Duration = Duration::from_secs(10);

/// A call that has begun. The fields are dropped in this order: the instance is given back before its turn.
pub(super) struct Call<'a> {
    instance: Box<Instance>,
    limit: TimeLimit,
    plugin: &'a Plugin,
    _ticking: Hold<'a>,
    _turn: [SemaphorePermit<'a>; 2],
}

/// Bounds the time of a call. Kept apart from the instance, which the work of the call borrows.
pub(super) struct TimeLimit {
    until: Until,
    meter: Arc<Meter>,
}

/// When a call ends at the latest.
#[derive(Clone, Copy)]
struct Until {
    end: Instant,
    limit: Duration,
    /// Whose time is over then.
    whose: Whose,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    Call,
    Chain,
    /// A check that waits for its turn while the configuration is loaded.
    Load,
}

impl Until {
    fn new(plugin: &Plugin, chain: Option<Patience>) -> Until {
        let limit = plugin.limits.wall;
        let own = Until { end: Instant::now() + limit, limit, whose: Whose::Call };
        match chain {
            Some(chain) if chain.until() < own.end => {
                Until { end: chain.until(), limit: chain.limit(), whose: Whose::Chain }
            }
            _ => own,
        }
    }

    fn never_begun(&self) -> Failure {
        let failure = self.over("no instance was free");
        if self.whose == Whose::Chain { failure } else { Failure { cause: Cause::Busy, ..failure } }
    }

    fn over(&self, what: &str) -> Failure {
        let limit = self.limit;
        match self.whose {
            Whose::Call => Failure::new(Cause::Time, format!("{what} within {limit:?} (limits.wall)")),
            Whose::Load => Failure::new(Cause::Time, format!("{what} within {limit:?}")),
            Whose::Chain => {
                let detail = format!("{what} before the chains had taken {limit:?} (policy.time-limit)");
                Failure::new(Cause::Chain, detail)
            }
        }
    }
}

/// `None` when the time was over.
type Ended<T> = Option<wasmtime::Result<T>>;

impl<'a> Call<'a> {
    /// Waits for its turn and takes an instance: one that was kept, or a new one that is yet to be made
    /// [ready](Instance::ready). Ends when the chain has no more time. `request` is empty while the
    /// configuration is loaded.
    ///
    /// # Errors
    /// No instance was free in time.
    pub async fn begin(
        plugin: &'a Plugin,
        request: &str,
        traced: Option<Traced>,
        chain: Option<Patience>,
    ) -> Result<Call<'a>, Failure> {
        let mut until = Until::new(plugin, chain);
        let turn = match free_turn(plugin) {
            Some(turn) => turn,
            None if !request.is_empty() => wait_for_turn(plugin, &until).await?,
            None => {
                // No client waits while a configuration is loaded; a storm of requests must not refuse it.
                let end = Instant::now() + LOAD_PATIENCE;
                let patient = Until { end, limit: LOAD_PATIENCE, whose: Whose::Load };
                let turn = wait_for_turn(plugin, &patient).await?;
                until = Until::new(plugin, chain);
                turn
            }
        };
        // Those before it in the chain may have left it nothing.
        if Instant::now() >= until.end {
            return Err(until.never_begun());
        }
        let shared = plugin.runtime.shared();
        let ticking = shared.ticker.hold();
        let mut instance = match plugin.kept.as_ref().and_then(Kept::take) {
            Some(instance) => instance,
            None => Instance::new(plugin),
        };
        let meter = instance.begin(request, traced);
        let limit = TimeLimit { until, meter };
        Ok(Call { instance, limit, plugin, _ticking: ticking, _turn: turn })
    }

    /// The instance to work with, and the limit to work within.
    pub fn parts(&mut self) -> (&mut Instance, &TimeLimit) {
        (&mut self.instance, &self.limit)
    }

    /// Tells what the call came to.
    pub fn end<T>(self, ended: Ended<T>) -> Result<T, Failure> {
        let sandbox = self.instance.store.data();
        sandbox.log.finish();
        if let Some(stage) = &sandbox.access.stage {
            stage.spent(sandbox.memory.used(), self.limit.meter.total());
        }
        match ended {
            Some(Ok(answer)) => {
                if let Some(kept) = &self.plugin.kept {
                    kept.put(self.instance);
                }
                Ok(answer)
            }
            Some(Err(error)) => Err(self.explain(&error)),
            None => Err(self.limit.until.over("it gave no answer")),
        }
    }

    fn explain(&self, error: &wasmtime::Error) -> Failure {
        let sandbox = self.instance.store.data();
        if let Some(Refused(problems)) = error.downcast_ref() {
            let detail = "it refused its settings".to_string();
            return Failure { cause: Cause::Settings, detail, problems: problems.clone() };
        }
        if let Some(limit) = error.downcast_ref::<CpuLimit>() {
            return Failure::new(Cause::Time, limit.to_string());
        }
        if sandbox.memory.refused {
            let most = self.plugin.limits.memory;
            let detail = format!("it wanted more than {most} bytes of memory (limits.memory)");
            return Failure::new(Cause::Memory, detail);
        }
        let root = error.root_cause().to_string();
        // wasmtime has no type for this one; see `Store::set_hostcall_fuel`.
        if root.contains("fuel allocated for hostcalls") {
            let detail = "it handed over more than it may in one answer or log line";
            return Failure::new(Cause::BadAnswer, detail);
        }
        let mut detail = match (error.downcast_ref::<Trap>(), error.downcast_ref::<I32Exit>()) {
            (Some(trap), _) => trap.to_string(),
            (None, Some(exit)) => format!("it ended itself with exit code {}", exit.0),
            (None, None) => text::reason(&root),
        };
        let last_words = sandbox.last_words();
        if !last_words.is_empty() {
            detail = format!("{detail}: {last_words}");
        }
        Failure::new(Cause::Trap, detail)
    }
}

/// A turn, if one is free. What one of the two gave is given back where the other has nothing: who waits
/// for its plugin must not hold the turn of another.
fn free_turn(plugin: &Plugin) -> Option<[SemaphorePermit<'_>; 2]> {
    let of_plugin = plugin.calls.try_acquire().ok()?;
    let of_all = plugin.runtime.shared().calls.try_acquire().ok()?;
    Some([of_plugin, of_all])
}

async fn wait_for_turn<'a>(plugin: &'a Plugin, until: &Until) -> Result<[SemaphorePermit<'a>; 2], Failure> {
    let _waiting = Waiting::join(plugin)?;
    let turn = async {
        match (plugin.calls.acquire().await, plugin.runtime.shared().calls.acquire().await) {
            (Ok(of_plugin), Ok(of_all)) => [of_plugin, of_all],
            _ => unreachable!("the semaphores are never closed"),
        }
    };
    timeout_at(until.end, turn).await.map_err(|_| until.never_begun())
}

/// A place in the queue of a plugin.
struct Waiting<'a>(&'a AtomicU32);

impl<'a> Waiting<'a> {
    fn join(plugin: &'a Plugin) -> Result<Waiting<'a>, Failure> {
        let most = plugin.limits.queue;
        if plugin.waiting.fetch_add(1, Ordering::Relaxed) >= most {
            plugin.waiting.fetch_sub(1, Ordering::Relaxed);
            let detail = format!("{most} calls wait for an instance already (limits.queue)");
            return Err(Failure::new(Cause::Busy, detail));
        }
        Ok(Waiting(&plugin.waiting))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl TimeLimit {
    /// Runs the work of a call until its time is over.
    pub async fn run<T>(&self, work: impl Future<Output = wasmtime::Result<T>>) -> Ended<T> {
        timeout_at(self.until.end, self.meter.run(work)).await.ok()
    }
}
