//! An instance of a plugin: its store, its hooks, and the state that is reset between calls.

use std::sync::Arc;

use wasmtime::component::Instance as Component;
use wasmtime::{Store, UpdateDeadline};

use super::bindings::exports::tuffet::policy::{accept_upload, authorize, resolve};
use super::code::Code;
use super::failure::{CpuLimit, Refused};
use super::log::CallLog;
use super::meter::Meter;
use super::sandbox::{Caller, Sandbox, Subject};
use super::wit_events as observe;
use tuffet_request::Traced;

/// Bytes that a guest may hand over in one answer or one log line, beside content.
const MAX_TRANSFER: u64 = 256 << 10;

/// An instance. New ones are empty: what costs time, and may fail, is done by [`Instance::ready`] within the
/// limits of the first call.
pub(super) struct Instance {
    pub store: Store<Sandbox>,
    meter: Arc<Meter>,
    component: Option<Component>,
    authorize: Option<authorize::Guest>,
    resolve: Option<resolve::Guest>,
    accept_upload: Option<accept_upload::Guest>,
    observe: Option<observe::Guest>,
    /// Calls of hooks that it has begun.
    pub calls: u32,
}

impl Instance {
    /// A store with its limits, and nothing in it. Boxed: it is large and goes from hand to hand.
    pub fn new(code: &Code) -> Box<Instance> {
        let limits = code.limits;
        let log = CallLog::new(Caller::new(&code.name));
        let mut store = Store::new(
            &code.runtime.shared().engine,
            Sandbox::new(limits.memory, Arc::clone(&code.access), log),
        );
        store.limiter(|sandbox| &mut sandbox.memory);
        let transfer = limits.content.saturating_add(MAX_TRANSFER);
        store.set_hostcall_fuel(usize::try_from(transfer).unwrap_or(usize::MAX));

        // At every tick: end the guest when its CPU time is used up, else let others of this thread run.
        let meter = Meter::new();
        let its = Arc::clone(&meter);
        store.epoch_deadline_callback(move |store| {
            let limit = store.data().cpu;
            if its.cpu() > limit.time {
                return Err(limit.into());
            }
            its.yields();
            Ok(UpdateDeadline::Yield(1))
        });
        Box::new(Instance {
            store,
            meter,
            component: None,
            authorize: None,
            resolve: None,
            accept_upload: None,
            observe: None,
            calls: 0,
        })
    }

    /// Starts the limits of a call afresh. `muted`: what `configure` logs was shown before.
    pub fn begin(
        &mut self,
        subject: Subject<'_>,
        traced: Option<Traced>,
        cpu: CpuLimit,
        muted: bool,
    ) -> Arc<Meter> {
        self.meter.reset();
        self.store.set_epoch_deadline(1);
        self.store.data_mut().begin(subject, traced, cpu, muted);
        Arc::clone(&self.meter)
    }

    /// Instantiates and configures the component, unless that is done.
    pub async fn ready(&mut self, code: &Code) -> wasmtime::Result<()> {
        if self.component.is_none() {
            // Boxed: reused instances, which need none of it, would carry a kilobyte through each call.
            Box::pin(self.prepare(code)).await?;
        }
        Ok(())
    }

    async fn prepare(&mut self, code: &Code) -> wasmtime::Result<()> {
        let store = &mut self.store;
        let component = code.component.instantiate_async(&mut *store).await?;
        let lifecycle = code.lifecycle.load(&mut *store, &component)?;
        if let Err(problems) = lifecycle.call_configure(&mut *store, &code.settings).await? {
            return Err(Refused(problems).into());
        }
        store.data_mut().configured();
        self.component = Some(component);
        Ok(())
    }
}

/// For each hook, what it is called by and the store to call it with; looked up once for each instance.
macro_rules! hooks {
    ($($hook:ident),+) => {
        impl Instance {
            $(pub fn $hook(
                &mut self,
                indices: &$hook::GuestIndices,
            ) -> wasmtime::Result<(&$hook::Guest, &mut Store<Sandbox>)> {
                let Instance { store, component, $hook, .. } = self;
                Ok((found($hook, component, |component| indices.load(&mut *store, component))?, store))
            })+
        }
    };
}
hooks!(authorize, resolve, accept_upload, observe);

fn found<'a, Guest>(
    guest: &'a mut Option<Guest>,
    component: &Option<Component>,
    load: impl FnOnce(&Component) -> wasmtime::Result<Guest>,
) -> wasmtime::Result<&'a Guest> {
    match guest {
        Some(guest) => Ok(guest),
        None => match component {
            Some(component) => Ok(guest.insert(load(component)?)),
            None => Err(wasmtime::Error::msg("the instance was not made ready")),
        },
    }
}
