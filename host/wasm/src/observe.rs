//! The hook `observe`, written by hand: its events borrow their text ([`wit_events`](super::wit_events)).

use wasmtime::component::{ComponentExportIndex, Func, Instance, InstancePre};
use wasmtime::{AsContextMut, Store};

use super::bindings::interface;
use super::sandbox::Sandbox;
use super::wit_events::Event;

/// The export of the hook in a component.
pub(super) struct GuestIndices(ComponentExportIndex);

/// The hook of an instance.
pub(super) struct Guest(Func);

impl GuestIndices {
    pub fn new(of: &InstancePre<Sandbox>) -> wasmtime::Result<GuestIndices> {
        let component = of.component();
        let missing = || wasmtime::Error::msg("there is no hook observe");
        let exported = component.get_export_index(None, interface("observe")).ok_or_else(missing)?;
        component.get_export_index(Some(&exported), "observe").map(GuestIndices).ok_or_else(missing)
    }

    pub fn load(&self, store: &mut Store<Sandbox>, instance: &Instance) -> wasmtime::Result<Guest> {
        let func = instance.get_func(store.as_context_mut(), self.0);
        let func = func.ok_or_else(|| wasmtime::Error::msg("the hook observe is no function"))?;
        // Compares the types once here, so that an invalid component fails at load.
        func.typed::<(&[Event<'_>],), ()>(&*store)?;
        Ok(Guest(func))
    }
}

impl Guest {
    pub async fn call_observe(
        &self,
        store: &mut Store<Sandbox>,
        events: &[Event<'_>],
    ) -> wasmtime::Result<()> {
        // The type has the lifetime of these events and cannot be stored. The comparison takes a few microseconds per
        // batch.
        self.0.typed::<(&[Event<'_>],), ()>(&*store)?.call_async(store, (events,)).await
    }
}
