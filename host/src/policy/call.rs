//! One call of a plugin: its turn, its store, its limits, and how it ended.

use std::future::Future;
use std::sync::Arc;

use tokio::sync::SemaphorePermit;
use tokio::time::{Instant, timeout_at};
use wasmtime::{Store, Trap, UpdateDeadline};
use wasmtime_wasi::I32Exit;

use super::failure::{Cause, CpuLimit, Failure, Refused};
use super::log::CallLog;
use super::meter::Meter;
use super::plugin::Plugin;
use super::sandbox::{Caller, Sandbox};
use super::spec::CallLimits;
use super::text;
use super::ticker::Hold;

/// Bytes that a guest may hand over in one answer or one log line, beside content.
const MAX_TRANSFER: u64 = 256 << 10;

/// A call that has begun. The fields are dropped in this order: the instance is given back before its turn.
pub(super) struct Call<'a> {
    pub store: Store<Sandbox>,
    pub limit: TimeLimit,
    limits: CallLimits,
    _ticking: Hold<'a>,
    _turn: [SemaphorePermit<'a>; 2],
}

/// Bounds the time of a call. Kept apart from the store, which the work of the call borrows.
pub(super) struct TimeLimit {
    deadline: Instant,
    meter: Arc<Meter>,
}

/// `None` when the time was over.
type Ended<T> = Option<wasmtime::Result<T>>;

impl<'a> Call<'a> {
    /// Waits for its turn and makes an empty store. `request` is empty while the configuration is loaded.
    ///
    /// # Errors
    /// No instance was free in time.
    pub async fn begin(plugin: &'a Plugin, request: String) -> Result<Call<'a>, Failure> {
        let limits = plugin.limits;
        let deadline = Instant::now() + limits.wall;
        let shared = plugin.runtime.shared();
        let turn = async {
            match (plugin.calls.acquire().await, shared.calls.acquire().await) {
                (Ok(of_plugin), Ok(of_all)) => [of_plugin, of_all],
                _ => unreachable!("the semaphores are never closed"),
            }
        };
        let turn = timeout_at(deadline, turn).await.map_err(|_| {
            Failure::new(Cause::Time, format!("no instance was free within {:?}", limits.wall))
        })?;

        let mut log = CallLog::new(Caller { plugin: Arc::clone(&plugin.name), request: request.clone() });
        log.muted = !request.is_empty();
        let mut store = Store::new(&shared.engine, Sandbox::new(limits.memory, log));
        store.limiter(|sandbox| &mut sandbox.memory);
        let transfer = limits.content.saturating_add(MAX_TRANSFER);
        store.set_hostcall_fuel(usize::try_from(transfer).unwrap_or(usize::MAX));

        // At every tick: end the guest when its CPU time is used up, else let others of this thread run.
        let meter = Meter::new();
        let its = Arc::clone(&meter);
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(move |_| {
            if its.spent() > limits.cpu {
                return Err(CpuLimit(limits.cpu).into());
            }
            Ok(UpdateDeadline::Yield(1))
        });
        let limit = TimeLimit { deadline, meter };
        Ok(Call { store, limit, limits, _ticking: shared.ticker.hold(), _turn: turn })
    }

    /// Tells what the call came to.
    pub fn end<T>(self, ended: Ended<T>) -> Result<T, Failure> {
        self.store.data().log.finish();
        match ended {
            Some(Ok(answer)) => Ok(answer),
            Some(Err(error)) => Err(self.explain(&error)),
            None => {
                let detail = format!("it gave no answer within {:?}", self.limits.wall);
                Err(Failure::new(Cause::Time, detail))
            }
        }
    }

    fn explain(&self, error: &wasmtime::Error) -> Failure {
        let sandbox = self.store.data();
        if let Some(Refused(problems)) = error.downcast_ref() {
            let detail = "it refused its settings".to_string();
            return Failure { cause: Cause::Settings, detail, problems: problems.clone() };
        }
        if let Some(limit) = error.downcast_ref::<CpuLimit>() {
            return Failure::new(Cause::Time, limit.to_string());
        }
        if sandbox.memory.refused {
            let detail = format!("it wanted more than {} bytes of memory", self.limits.memory);
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

impl TimeLimit {
    /// Runs the work of a call until its time is over.
    pub async fn run<T>(&self, work: impl Future<Output = wasmtime::Result<T>>) -> Ended<T> {
        timeout_at(self.deadline, self.meter.run(work)).await.ok()
    }
}
