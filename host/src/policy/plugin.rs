//! A loaded plugin, and one call of it.

use std::future::Future;
use std::sync::Arc;

use tokio::sync::Semaphore;
use wasmtime::component::{Instance, InstancePre};
use wasmtime::{Store, Trap, UpdateDeadline};
use wasmtime_wasi::I32Exit;

use super::bindings::exports::tuffet::policy::{authorize, lifecycle, resolve};
use super::bindings::tuffet::policy::types;
use super::engine::PolicyRuntime;
use super::failure::{Cause, CpuLimit, Failure, Refused};
use super::log::CallLog;
use super::meter::Meter;
use super::sandbox::{Caller, Sandbox};
use super::spec::{CallLimits, Grants, OnError};
use super::text;

/// Bytes that a guest may hand over in one answer or one log line, beside content.
const MAX_TRANSFER: u64 = 256 << 10;

/// Calls of one plugin that run at once.
pub(super) const MAX_CALLS: usize = 32;

pub(super) struct Plugin {
    pub name: Arc<str>,
    pub on_error: OnError,
    pub grants: Grants,
    pub limits: CallLimits,
    /// Calls of this plugin that run at once. Fewer than the runtime has instances, so that one plugin
    /// that is stuck in all of its calls leaves room for the others.
    pub(super) calls: Semaphore,
    pub(super) runtime: PolicyRuntime,
    pub(super) settings: String,
    pub(super) component: InstancePre<Sandbox>,
    pub(super) lifecycle: lifecycle::GuestIndices,
    pub(super) authorize: Option<authorize::GuestIndices>,
    pub(super) resolve: Option<resolve::GuestIndices>,
}

impl Plugin {
    /// Configures an instance and looks its hooks up, to see that this works.
    pub async fn check(&self) -> Result<(), Failure> {
        let mut store = self.store(String::new());
        let check = async |store: &mut Store<Sandbox>| {
            let instance = self.instance(store).await?;
            if let Some(hook) = &self.authorize {
                hook.load(&mut *store, &instance)?;
            }
            if let Some(hook) = &self.resolve {
                hook.load(&mut *store, &instance)?;
            }
            Ok(())
        };
        let meter = self.arm(&mut store);
        let ended = self.bounded(&meter, check(&mut store)).await;
        self.end(&store, ended)
    }

    /// Asks the hook `authorize`.
    pub async fn authorize(&self, request: &types::Request) -> Result<authorize::Verdict, Failure> {
        let Some(hook) = &self.authorize else { return Ok(authorize::Verdict::Abstain) };
        let mut store = self.store(request.id.clone());
        let meter = self.arm(&mut store);
        let call = async {
            let instance = self.instance(&mut store).await?;
            hook.load(&mut store, &instance)?.call_authorize(&mut store, request).await
        };
        let ended = self.bounded(&meter, call).await;
        self.end(&store, ended)
    }

    /// Asks the hook `resolve`.
    pub async fn resolve(&self, request: &types::Request) -> Result<resolve::Resolution, Failure> {
        let Some(hook) = &self.resolve else { return Ok(resolve::Resolution::Abstain) };
        let mut store = self.store(request.id.clone());
        let meter = self.arm(&mut store);
        let call = async {
            let instance = self.instance(&mut store).await?;
            hook.load(&mut store, &instance)?.call_resolve(&mut store, request).await
        };
        let ended = self.bounded(&meter, call).await;
        self.end(&store, ended)
    }

    /// An empty store, with the limits that the store itself keeps. `request` is empty at load.
    fn store(&self, request: String) -> Store<Sandbox> {
        let mut log = CallLog::new(Caller { plugin: Arc::clone(&self.name), request: request.clone() });
        log.muted = !request.is_empty();
        let sandbox = Sandbox::new(self.limits.memory, log);
        let mut store = Store::new(&self.runtime.shared().engine, sandbox);
        store.limiter(|sandbox| &mut sandbox.memory);
        let transfer = self.limits.content.saturating_add(MAX_TRANSFER);
        store.set_hostcall_fuel(usize::try_from(transfer).unwrap_or(usize::MAX));
        store
    }

    /// Interrupts the guest at every tick: to yield, and to end it when its CPU time is used up.
    fn arm(&self, store: &mut Store<Sandbox>) -> Arc<Meter> {
        let meter = Meter::new();
        let its = Arc::clone(&meter);
        let limit = self.limits.cpu;
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(move |_| {
            if its.spent() > limit { Err(CpuLimit(limit).into()) } else { Ok(UpdateDeadline::Yield(1)) }
        });
        meter
    }

    /// A fresh, configured instance.
    async fn instance(&self, store: &mut Store<Sandbox>) -> wasmtime::Result<Instance> {
        let instance = self.component.instantiate_async(&mut *store).await?;
        let lifecycle = self.lifecycle.load(&mut *store, &instance)?;
        if let Err(problems) = lifecycle.call_configure(&mut *store, &self.settings).await? {
            return Err(Refused(problems).into());
        }
        store.data_mut().log.muted = false;
        Ok(instance)
    }

    /// Runs a call within its time, waiting for one of the instances that may run at once included.
    async fn bounded<T>(&self, meter: &Meter, call: impl Future<Output = wasmtime::Result<T>>) -> Ended<T> {
        let shared = self.runtime.shared();
        let call = async {
            let (Ok(_its), Ok(_shared)) = (self.calls.acquire().await, shared.calls.acquire().await) else {
                unreachable!("the semaphores are never closed");
            };
            let _hold = shared.ticker.hold();
            meter.run(call).await
        };
        tokio::time::timeout(self.limits.wall, call).await.ok()
    }

    /// Tells what a call came to.
    fn end<T>(&self, store: &Store<Sandbox>, ended: Ended<T>) -> Result<T, Failure> {
        let sandbox = store.data();
        sandbox.log.finish();
        let error = match ended {
            Some(Ok(answer)) => return Ok(answer),
            Some(Err(error)) => error,
            None => {
                let detail = format!("it gave no answer within {:?}", self.limits.wall);
                return Err(Failure::new(Cause::Time, detail));
            }
        };
        if let Some(Refused(problems)) = error.downcast_ref() {
            let detail = "it refused its settings".to_string();
            return Err(Failure { cause: Cause::Settings, detail, problems: problems.clone() });
        }
        if let Some(limit) = error.downcast_ref::<CpuLimit>() {
            return Err(Failure::new(Cause::Time, limit.to_string()));
        }
        if sandbox.memory.refused {
            let detail = format!("it wanted more than {} bytes of memory", self.limits.memory);
            return Err(Failure::new(Cause::Memory, detail));
        }
        let root = error.root_cause().to_string();
        if root.contains("fuel allocated for hostcalls") {
            let detail = "it handed over more than it may in one answer or log line";
            return Err(Failure::new(Cause::BadAnswer, detail));
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
        Err(Failure::new(Cause::Trap, detail))
    }
}

/// `None` when the time was over.
type Ended<T> = Option<wasmtime::Result<T>>;
