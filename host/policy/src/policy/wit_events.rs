//! The hook `observe`, written by hand: as in `sdk/wit`, but with events that borrow their text. The types of
//! `bindgen!` own it, and copying it for each observer costs as much as the call. Events have the same form in all
//! versions of the interface.

use wasmtime::component::{ComponentExportIndex, ComponentType, Func, Instance, InstancePre, Lower};
use wasmtime::{AsContextMut, Store};

use super::bindings::Version;
use super::sandbox::Sandbox;

/// The export of the hook in a component.
pub(super) struct GuestIndices(ComponentExportIndex);

/// The hook of an instance.
pub(super) struct Guest(Func);

impl GuestIndices {
    pub fn new(of: &InstancePre<Sandbox>, version: Version) -> wasmtime::Result<GuestIndices> {
        let component = of.component();
        let missing = || wasmtime::Error::msg("there is no hook observe");
        let interface = component.get_export_index(None, version.interface("observe")).ok_or_else(missing)?;
        component.get_export_index(Some(&interface), "observe").map(GuestIndices).ok_or_else(missing)
    }

    pub fn load(&self, store: &mut Store<Sandbox>, instance: &Instance) -> wasmtime::Result<Guest> {
        let func = instance.get_func(store.as_context_mut(), self.0);
        let func = func.ok_or_else(|| wasmtime::Error::msg("the hook observe is no function"))?;
        // The types are compared once here, so that a wrong component fails when it is loaded.
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
        // The type has the lifetime of these events, so it cannot be stored. The comparison takes a few
        // microseconds per batch.
        self.0.typed::<(&[Event<'_>],), ()>(&*store)?.call_async(store, (events,)).await
    }
}

#[derive(ComponentType, Lower)]
#[component(record)]
pub(super) struct Event<'a> {
    #[component(name = "unix-ms")]
    pub unix_ms: u64,
    pub what: Happening<'a>,
}

#[derive(ComponentType, Lower)]
#[component(variant)]
pub(super) enum Happening<'a> {
    #[component(name = "started")]
    Started(Start<'a>),
    #[component(name = "progressed")]
    Progressed(Progress<'a>),
    #[component(name = "finished")]
    Finished(Summary<'a>),
}

#[derive(ComponentType, Lower)]
#[component(record)]
pub(super) struct Start<'a> {
    pub request: Request<'a>,
    pub resolved: Option<&'a str>,
    #[component(name = "verdict-by")]
    pub verdict_by: Option<&'a str>,
    pub size: Option<u64>,
    #[component(name = "decision-us")]
    pub decision_us: u64,
}

#[derive(ComponentType, Lower)]
#[component(record)]
pub(super) struct Progress<'a> {
    pub id: &'a str,
    pub bytes: u64,
    pub size: Option<u64>,
}

#[derive(ComponentType, Lower)]
#[component(record)]
pub(super) struct Summary<'a> {
    pub request: Request<'a>,
    pub outcome: Outcome,
    pub detail: Option<&'a str>,
    pub decision: Decision,
    #[component(name = "verdict-by")]
    pub verdict_by: Option<&'a str>,
    #[component(name = "plugin-calls")]
    pub plugin_calls: u32,
    pub resolved: Option<&'a str>,
    pub size: Option<u64>,
    pub blksize: u16,
    pub windowsize: u16,
    #[component(name = "timeout-option")]
    pub timeout_option: Option<u8>,
    pub tsize: Option<u64>,
    pub bytes: u64,
    pub blocks: u64,
    pub retransmissions: u64,
    pub duplicates: u64,
    pub timeouts: u64,
    #[component(name = "rtt-us")]
    pub rtt_us: Option<u64>,
    #[component(name = "decision-us")]
    pub decision_us: Option<u64>,
    #[component(name = "first-block-us")]
    pub first_block_us: Option<u64>,
    #[component(name = "duration-us")]
    pub duration_us: u64,
    pub attributes: &'a [(&'a str, &'a str)],
}

#[derive(ComponentType, Lower)]
#[component(record)]
pub(super) struct Request<'a> {
    pub id: &'a str,
    pub listener: &'a str,
    pub operation: Operation,
    pub mode: Mode,
    pub requested: &'a str,
    pub path: &'a str,
    pub client: Client<'a>,
    pub options: &'a [(&'a str, &'a str)],
    pub attributes: &'a [(&'a str, &'a str)],
}

#[derive(ComponentType, Lower)]
#[component(record)]
pub(super) struct Client<'a> {
    pub address: &'a str,
    pub port: u16,
    pub macs: &'a [Mac<'a>],
    pub class: &'a str,
}

#[derive(ComponentType, Lower)]
#[component(record)]
pub(super) struct Mac<'a> {
    pub address: &'a str,
    pub source: MacSource,
}

/// Declares an enumeration of the interface.
macro_rules! words {
    ($name:ident: $($word:ident = $text:literal),+) => {
        #[derive(Clone, Copy, ComponentType, Lower)]
        #[component(enum)]
        #[repr(u8)]
        #[allow(dead_code, reason = "the interface has words that the host does not use")]
        pub(super) enum $name {
            $(#[component(name = $text)] $word),+
        }
    };
}
words!(Operation: Read = "read", Write = "write");
words!(Mode: Octet = "octet", Netascii = "netascii");
words!(
    MacSource: NeighbourTable = "neighbour-table",
    LeaseFile = "lease-file",
    RequestedName = "requested-name"
);
words!(Decision: Granted = "granted", Refused = "refused", Dropped = "dropped", Undecided = "undecided");
words!(
    Outcome: Served = "served",
    Stored = "stored",
    Probed = "probed",
    Aborted = "aborted",
    Denied = "denied",
    NotFound = "not-found",
    TimedOut = "timed-out",
    Failed = "failed"
);
