//! An instance of a plugin: its store, its hooks, and the state that is reset between calls.

use std::fmt;
use std::sync::Arc;

use wasmtime::component::Instance as Component;
use wasmtime::{Store, UpdateDeadline};

use super::bindings::{accept_upload, authorize, lifecycle, render, render_parts, resolve};
use super::call_log::CallLog;
use super::code::Code;
use super::cpu_limit::CpuLimit;
use super::meter::Meter;
use super::observe;
use super::sandbox::Sandbox;
use super::subject::{Caller, Subject};
use tuffet_request::{ClientKey, Traced};

/// The maximum number of bytes in one answer or log line, in addition to content.
const MAX_TRANSFER: u64 = 256 << 10;

/// An instance of a component. A new one is empty: the slow and fallible steps run in [`Instance::ready`], within the
/// limits of the first call.
pub(super) struct Instance {
    pub store: Store<Sandbox>,
    meter: Arc<Meter>,
    component: Option<Component>,
    authorize: Option<authorize::Guest>,
    resolve: Option<resolve::Guest>,
    render: Option<render::Guest>,
    render_parts: Option<render_parts::Guest>,
    accept_upload: Option<accept_upload::Guest>,
    observe: Option<observe::Guest>,
    /// The number of started calls of hooks.
    pub calls: u32,
}

impl Instance {
    /// Creates an empty store with its limits. Boxed, because it is large and moved often.
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

        // At each tick: ends the guest if its CPU time is used up; otherwise lets other guests of this thread run,
        // and long computations of other clients.
        let meter = Meter::new();
        let (callback_meter, slices) = (Arc::clone(&meter), Arc::clone(&code.runtime.shared().slices));
        store.epoch_deadline_callback(move |store| {
            let limit = store.data().cpu;
            if callback_meter.cpu() > limit.time {
                return Err(limit.into());
            }
            Ok(match callback_meter.yields(&slices) {
                None => UpdateDeadline::Yield(1),
                Some(turn) => UpdateDeadline::YieldCustom(1, Box::pin(turn)),
            })
        });
        Box::new(Instance {
            store,
            meter,
            component: None,
            authorize: None,
            resolve: None,
            render: None,
            render_parts: None,
            accept_upload: None,
            observe: None,
            calls: 0,
        })
    }

    /// Resets the limits for a call for this client. `muted`: whether the log lines of `configure` were written
    /// before.
    pub fn begin(
        &mut self,
        subject: Subject<'_>,
        traced: Option<Traced>,
        client: ClientKey,
        cpu: CpuLimit,
        muted: bool,
    ) -> Arc<Meter> {
        self.meter.reset(client);
        self.store.set_epoch_deadline(1);
        self.store.data_mut().begin(subject, traced, cpu, muted);
        Arc::clone(&self.meter)
    }

    /// Instantiates and configures the component, unless this was done before.
    pub async fn ready(&mut self, code: &Code) -> wasmtime::Result<()> {
        if self.component.is_none() {
            // Boxed, because reused instances never run this, and would carry a kilobyte through each call.
            Box::pin(self.prepare(code)).await?;
        }
        Ok(())
    }

    async fn prepare(&mut self, code: &Code) -> wasmtime::Result<()> {
        let store = &mut self.store;
        let component = code.component.instantiate_async(&mut *store).await?;
        let lifecycle = code.lifecycle.load(&mut *store, &component)?;
        if let Err(problems) = lifecycle.call_configure(&mut *store, &code.settings).await? {
            return Err(SettingsRefused(problems).into());
        }
        store.data_mut().configured();
        self.component = Some(component);
        Ok(())
    }
}

/// Defines a function for each hook that returns its export and the store. The export is looked up once per instance.
macro_rules! hooks {
    ($($hook:ident),+) => {
        impl Instance {
            $(pub fn $hook(
                &mut self,
                indices: &$hook::GuestIndices,
            ) -> wasmtime::Result<(&$hook::Guest, &mut Store<Sandbox>)> {
                let Instance { store, component, $hook, .. } = self;
                Ok((loaded_hook($hook, component, |component| indices.load(&mut *store, component))?, store))
            })+
        }
    };
}
hooks!(authorize, resolve, render, render_parts, accept_upload, observe);

fn loaded_hook<'a, Guest>(
    guest: &'a mut Option<Guest>,
    component: &Option<Component>,
    load: impl FnOnce(&Component) -> wasmtime::Result<Guest>,
) -> wasmtime::Result<&'a Guest> {
    match guest {
        Some(guest) => Ok(guest),
        None => match component {
            Some(component) => Ok(guest.insert(load(component)?)),
            None => Err(wasmtime::Error::msg("the instance is not ready")),
        },
    }
}

/// The error of a plugin that refuses its settings: the problems that `configure` returned.
#[derive(Debug)]
pub(super) struct SettingsRefused(pub Vec<lifecycle::Problem>);

impl fmt::Display for SettingsRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it refused its settings")
    }
}

impl std::error::Error for SettingsRefused {}
