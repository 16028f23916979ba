//! Opens the roots and the sockets of a server.

use super::{BuildError, Builder};
use crate::content::{SourceOpener, SuppliedOrigin, SuppliedRoots};
use crate::handle::Handle;
use crate::interfaces::Interfaces;
use crate::server::{Assembly, Resources, StartError};
use std::sync::Arc;
use tuffet_engine::worker::{ListenerSpec, Sockets, open_all, open_group_sockets, tid_ports};
use tuffet_request::settings::{MaxBlksize, Settings};
use tuffet_request::{RootSpec, TidPorts};
use tuffet_store::{Disks, Origin, Origins, Roots};

/// A server with open roots and bound sockets, before its first thread. Requests wait in the sockets.
pub struct Server {
    builder: Builder,
    roots: OpenRoots,
    disks: Disks,
    listeners: Vec<ListenerSpec>,
    sockets: Vec<Sockets>,
    group_sockets: Option<Sockets>,
    interfaces: Interfaces,
}

/// The roots of a server.
#[derive(Clone)]
pub(crate) struct OpenRoots {
    pub(crate) roots: Roots,
    pub(crate) supplied: SuppliedRoots,
}

impl Builder {
    /// Opens the folders and binds the sockets. Starts no thread, so a program may drop privileges afterwards.
    ///
    /// # Errors
    /// A contradiction in what was asked for, or a folder or a socket that cannot be opened.
    pub fn bind(mut self) -> Result<Server, BuildError> {
        self.check(true)?;
        let (roots, disks) = self.open(&Disks::default())?;
        let settings = &self.settings;
        let descriptors = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        let mut listeners: Vec<ListenerSpec> = settings
            .listeners
            .iter()
            .map(|listener| ListenerSpec {
                interface: listener.interface.clone(),
                free_bind: listener.free_bind,
                single_port: listener.single_port,
                tid_ports: tid_ports(
                    listener.tid_ports,
                    settings.listeners.len(),
                    settings.workers,
                    descriptors,
                ),
                tid_range: match listener.tid_ports {
                    Some(TidPorts::Range(range)) => Some(range),
                    Some(TidPorts::Count(_)) | None => None,
                },
                ..ListenerSpec::at(listener.address)
            })
            .collect();
        let failed = |(number, error): (usize, _)| {
            let name = settings.listeners.get(number).map(|its| its.name.clone()).unwrap_or_default();
            BuildError::Listener { number, name, error }
        };
        let sockets =
            open_all(&mut listeners, std::mem::take(&mut self.sockets), settings.workers).map_err(failed)?;
        let group_sockets = match &settings.multicast {
            Some(multicast) => {
                let enabled = |number: usize| multicast.listeners.get(number).copied().unwrap_or(false);
                Some(open_group_sockets(&listeners, enabled, multicast.ttl).map_err(failed)?)
            }
            None => None,
        };
        let interfaces = Interfaces::of(&settings.listeners);
        Ok(Server { builder: self, roots, disks, listeners, sockets, group_sockets, interfaces })
    }

    /// Opens the roots.
    pub(crate) fn open(&mut self, disks: &Disks) -> Result<(OpenRoots, Disks), BuildError> {
        let supplied = std::mem::take(&mut self.supplied);
        let supplied = supplied.into_iter().map(|(name, root)| (name.as_str().into(), root));
        let supplied = SuppliedRoots(Arc::new(supplied.collect()));
        if let Some((roots, disks)) = self.opened.take() {
            return Ok((OpenRoots { roots, supplied }, disks));
        }
        let origin = |name: &Arc<str>| (name.to_string(), Arc::new(SuppliedOrigin) as Arc<dyn Origin>);
        let origins: Origins = supplied.0.keys().map(origin).collect();
        let roots = Roots::open_without(&self.roots, disks, &[], None, &origins)?;
        Ok((OpenRoots { roots, supplied }, disks.clone()))
    }

    /// Returns the first contradiction. `listens`: whether it needs a listener.
    pub(crate) fn check(&self, listens: bool) -> Result<(), BuildError> {
        let wrong = |why: String| Err(BuildError::Usage(why));
        let Settings { listeners, workers, transfer, limits, .. } = &self.settings;
        if listens && listeners.is_empty() {
            return wrong("the server has no listener: add one with `listener`".into());
        }
        if self.roots.is_empty()
            && self.opened.is_none()
            && self.hooks.resolve.is_empty()
            && self.policy.is_none()
        {
            return wrong(
                "the server has no content: add a `folder`, a `root`, or a hook with `resolve`".into(),
            );
        }
        if let Some(name) = repeated(listeners.iter().map(|its| its.name.as_str())) {
            return wrong(format!(
                "two listeners have the name `{name}`: give one another with `Listener::name`"
            ));
        }
        if let Some(name) = repeated(self.roots.iter().map(|root: &RootSpec| root.name.as_str())) {
            return wrong(format!("two roots have the name `{name}`: give one another"));
        }
        for listener in listeners {
            let known = |name: &&String| !self.roots.iter().any(|root| root.name == **name);
            let missing = listener.roots.iter().flatten().find(known).filter(|_| self.opened.is_none());
            if let Some(name) = missing {
                let its = &listener.name;
                return wrong(format!(
                    "listener `{its}` serves the root `{name}`, which does not exist: add it"
                ));
            }
        }
        let times = transfer.retransmit;
        let bounds = [
            ("workers", (1..=1024).contains(workers), "1 to 1024"),
            ("transfer.max_windowsize", (1..=32767).contains(&transfer.max_windowsize), "1 to 32767 blocks"),
            (
                "transfer.max_blksize",
                !matches!(transfer.max_blksize, MaxBlksize::Bytes(bytes) if !(8..=65464).contains(&bytes)),
                "8 to 65464 bytes",
            ),
            ("transfer.rollover", transfer.rollover <= 1, "0 or 1"),
            (
                "transfer.rate",
                transfer.rate.is_none_or(|rate| rate >= 1024),
                "at least 1024 bytes per second",
            ),
            (
                "transfer.retransmit",
                !times.floor.is_zero()
                    && times.floor <= times.initial
                    && times.initial <= times.cap
                    && times.cap <= times.give_up,
                "times that ascend: floor, initial, cap, give_up",
            ),
            ("limits.transfers", limits.transfers > 0, "at least 1"),
            ("limits.pending", limits.pending > 0, "at least 1"),
            ("limits.events", limits.events > 0, "at least 1"),
            ("limits.uploads_per_name", limits.uploads_per_name > 0, "at least 1"),
            ("limits.errors_per_second", limits.errors_per_second > 0, "at least 1"),
        ];
        match bounds.into_iter().find(|(_, good, _)| !good) {
            Some((what, _, range)) => wrong(format!("`{what}` is out of range: give it {range}")),
            None => Ok(()),
        }
    }
}

fn repeated<'a>(names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.array_windows().find(|[one, other]| one == other).map(|[name, _]| *name)
}

impl Server {
    /// Begins to build a server.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Sets what needs no socket and no folder after these are open: hooks, the policy, facts, states.
    #[must_use]
    pub fn configure(self, set: impl FnOnce(Builder) -> Builder) -> Server {
        Server { builder: set(self.builder), ..self }
    }

    /// The bound listeners, in the order of addition.
    pub fn listeners(&self) -> &[ListenerSpec] {
        &self.listeners
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.builder.settings
    }

    /// The open roots.
    pub fn roots(&self) -> &Roots {
        &self.roots.roots
    }

    /// Puts everything together except workers, so that exporters can be attached.
    pub fn assemble(self) -> Assembly {
        let Server { builder, roots, disks, listeners, sockets, group_sockets, interfaces } = self;
        let Builder { settings, hooks, policy, records, states, neighbours, vlans, privileges, .. } = builder;
        let sources = SourceOpener::new();
        let policy = hooks.policy(policy, &records, &sources, settings.bounds().ipv6_prefix);
        let resources = Resources {
            roots,
            sources,
            disks,
            others: states,
            listeners,
            sockets,
            group_sockets,
            interfaces,
            neighbours,
            vlans,
        };
        Assembly::new(settings, resources, policy, records, privileges)
    }

    /// Starts the workers: requests are answered from here on. Must be called within a tokio runtime, which then runs
    /// hooks and roots.
    ///
    /// # Errors
    /// The system has no thread or no descriptor for a worker.
    pub fn start(self) -> Result<Handle, StartError> {
        Handle::start(self.assemble())
    }
}
