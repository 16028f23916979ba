//! Opens the roots and the sockets of a server.

use crate::builder::{BuildError, Builder};
use crate::content::{OpenRoots, SourceOpener};
use crate::handle::Handle;
use crate::interfaces::{Addresses, Interfaces, would_wait_for};
use crate::server::{Assembly, Resources, StartError};
use std::io;
use std::panic::catch_unwind;
use std::time::Duration;
use tuffet_engine::worker::{
    BoundSockets, ListenerSpec, Missing, SocketUse, Sockets, open_all, open_group_sockets, sockets_of,
    tid_ports,
};
use tuffet_request::TidPorts;
use tuffet_request::settings::{self, Settings, Start};

/// The TID ports of a listener in a simulation: no attacker guesses them, and each is a descriptor.
#[cfg(feature = "simulation")]
const VIRTUAL_TIDS: u16 = 4;

/// A server with open roots and bound sockets, before its first thread. Requests wait in the sockets.
#[must_use = "it answers once it is started"]
pub struct Server {
    pub(crate) builder: Builder,
    pub(crate) roots: OpenRoots,
    pub(crate) listeners: Vec<ListenerSpec>,
    sockets: Vec<Sockets>,
    group_sockets: Option<Sockets>,
    interfaces: Interfaces,
    addresses: Addresses,
}

impl Builder {
    /// Opens the folders and binds the sockets. Starts no thread, so a program may drop privileges afterwards.
    ///
    /// # Errors
    /// A contradiction in what was asked for, or a folder or a socket that cannot be opened.
    pub fn bind(mut self) -> Result<Server, BuildError> {
        self.check(true)?;
        let roots = self.parts.open(&self.disks)?;
        let settings = &self.settings;
        let mut listeners = specs(settings, own_descriptors());
        let is_inherited = |its: &BoundSockets| !its.handed_over && !its.sockets.is_empty();
        let inherited: Vec<bool> = self.sockets.iter().map(is_inherited).collect();
        let failed = |(number, error): (usize, _)| {
            let name = settings.listeners.get(number).map(|its| its.name.clone()).unwrap_or_default();
            BuildError::Listener { number, name, error }
        };
        let sockets =
            open_all(&mut listeners, std::mem::take(&mut self.sockets), settings.workers).map_err(failed)?;
        let group_sockets = match &settings.multicast {
            Some(multicast) => {
                let enabled = |number| has_groups(settings, number);
                Some(open_group_sockets(&listeners, enabled, multicast.ttl).map_err(failed)?)
            }
            None => None,
        };
        let interfaces = Interfaces::of(&settings.listeners, &listeners);
        let inherited = |number| inherited.get(number).copied().unwrap_or_default();
        let addresses = Addresses::of(&settings.listeners, &listeners, inherited);
        Ok(Server { builder: self, roots, listeners, sockets, group_sockets, interfaces, addresses })
    }
}

/// Returns the UDP sockets that a server with these settings would open now, if it may have this many descriptors (`None`
/// for any number). Opens nothing.
pub fn needed_sockets(settings: &Settings, descriptors: Option<u64>) -> SocketUse {
    let specs = specs(settings, descriptors).into_iter().zip(&settings.listeners).enumerate();
    let needed = specs.map(|(number, (mut spec, listener))| {
        spec.missing = would_wait_for(listener);
        // As opening it would find out.
        spec.free_bind |= spec.missing == Some(Missing::Address);
        spec.lacks_ipv6 = spec.ipv4_too && !tuffet_udp::has_ipv6();
        sockets_of(&spec, settings.workers, has_groups(settings, number))
    });
    needed.sum()
}

fn has_groups(settings: &Settings, listener: usize) -> bool {
    let groups = settings.multicast.as_ref().and_then(|its| its.listeners.get(listener));
    groups.copied().unwrap_or_default()
}

fn own_descriptors() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current
}

fn specs(settings: &Settings, descriptors: Option<u64>) -> Vec<ListenerSpec> {
    let families = |listener: &settings::Listener| 1 + usize::from(listener.ipv4_too);
    let families = settings.listeners.iter().map(families).sum();
    let spec = |listener: &settings::Listener| ListenerSpec {
        ipv4_too: listener.ipv4_too,
        may_wait: settings.start == Start::Available,
        interface: listener.interface.clone(),
        free_bind: listener.free_bind,
        dont_fragment: settings.transfer.dont_fragment,
        single_port: listener.single_port,
        tid_ports: tid_ports(listener.tid_ports, families, settings.workers, descriptors),
        tid_range: match listener.tid_ports {
            Some(TidPorts::Range(range)) => Some(range),
            Some(TidPorts::Count(_)) | None => None,
        },
        ..ListenerSpec::at(listener.address)
    };
    settings.listeners.iter().map(spec).collect()
}

impl Server {
    /// A server without sockets, for a simulation.
    #[cfg(feature = "simulation")]
    pub(crate) fn without_sockets(mut builder: Builder) -> Result<Server, BuildError> {
        builder.check(true)?;
        let roots = builder.parts.open(&builder.disks)?;
        let spec = |spec: ListenerSpec| ListenerSpec { tid_ports: spec.tid_ports.min(VIRTUAL_TIDS), ..spec };
        let listeners = specs(&builder.settings, own_descriptors()).into_iter().map(spec).collect();
        let (interfaces, addresses) = (Interfaces::default(), Addresses::default());
        let (sockets, group_sockets) = (Vec::new(), None);
        Ok(Server { builder, roots, listeners, sockets, group_sockets, interfaces, addresses })
    }

    /// Begins to build a server.
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(crate) fn into_assembly(self) -> Assembly {
        let Server { builder, roots, listeners, sockets, group_sockets, interfaces, addresses } = self;
        let Builder {
            settings, parts, disks, records, states, neighbours, vlans, changes, privileges, ..
        } = builder;
        let sources = SourceOpener::new(settings.service.limits.read_ahead);
        let policy = parts.into_policy(&records, &sources, settings.bounds().ipv6_prefix);
        let resources = Resources {
            roots,
            sources,
            disks,
            others: states,
            listeners,
            sockets,
            group_sockets,
            interfaces,
            addresses,
            changes,
            neighbours,
            vlans,
        };
        Assembly::new(settings, resources, policy, records, privileges)
    }

    /// Starts the workers: requests are answered from here on. Must be called within a tokio runtime, which then runs
    /// hooks and roots, and needs its timer ([`enable_time`](tokio::runtime::Builder::enable_time)).
    ///
    /// # Errors
    /// The runtime is missing or has no timer; the system has no thread or no descriptor for a worker.
    pub fn start(self) -> Result<Handle, StartError> {
        require_runtime()?;
        Handle::start(self.into_assembly())
    }
}

/// tokio has no question for the timer of a runtime: its absence is a panic.
fn require_runtime() -> Result<(), StartError> {
    if let Err(error) = tokio::runtime::Handle::try_current() {
        return Err(StartError::new("the server needs a tokio runtime", io::Error::other(error)));
    }
    let timer = catch_unwind(|| drop(tokio::time::sleep(Duration::ZERO)));
    timer.map_err(|_| {
        let why = "the runtime has no timer: build it with `enable_time` or `enable_all`";
        StartError::new("the server needs a tokio runtime with a timer", io::Error::other(why))
    })
}
