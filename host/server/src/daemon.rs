//! What the daemon sets and reads besides, and programs with plugins as it does: the library `tuffet` does not export it.

use crate::bind::Server;
use crate::builder::{BuildError, Builder, Service};
use crate::content::SourceOpener;
use crate::generation::Generation;
use crate::handle::Handle;
use crate::server::Assembly;
use crate::status::{RemainingPrivileges, StateSource};
use crate::watch::Watch;
use std::sync::Arc;
use tokio::sync::Notify;
use tuffet_engine::worker::{BoundSockets, ListenerSpec};
use tuffet_policy::{PluginRecords, Policy};
use tuffet_request::settings::{ServiceSettings, Settings};
use tuffet_store::{Disks, Roots, Uploads};

/// More of a service, and of a builder that has one.
pub trait ServiceParts {
    /// Serves these roots, which are open already on the disks of the server ([`BuilderParts::disks`]), instead of folders
    /// and roots of the program.
    fn open_roots(self, roots: Roots) -> Self;

    /// Puts a loaded policy, such as that of WebAssembly plugins, in front of the hooks of the program. Its runtime has the
    /// records of the server ([`BuilderParts::records`]).
    fn policy(self, policy: Policy) -> Self;

    /// Replaces all settings that can change while a server runs: call it before the methods that set single ones.
    fn service_settings(self, settings: ServiceSettings) -> Self;
}

impl ServiceParts for Service {
    fn open_roots(mut self, roots: Roots) -> Service {
        self.parts.opened = Some(roots);
        self
    }

    fn policy(mut self, policy: Policy) -> Service {
        self.parts.policy = Some(policy);
        self
    }

    fn service_settings(mut self, settings: ServiceSettings) -> Service {
        self.settings = settings;
        self
    }
}

impl ServiceParts for Builder {
    fn open_roots(mut self, roots: Roots) -> Builder {
        self.parts.opened = Some(roots);
        self
    }

    fn policy(mut self, policy: Policy) -> Builder {
        self.parts.policy = Some(policy);
        self
    }

    fn service_settings(mut self, settings: ServiceSettings) -> Builder {
        self.settings.service = settings;
        self
    }
}

/// More of a builder.
pub trait BuilderParts: Sized {
    /// Replaces all settings, and the listeners with them: call it before the methods that set single ones. `sockets`: the
    /// bound sockets of each listener, if the program has them.
    fn settings(self, settings: Settings, sockets: Vec<BoundSockets>) -> Self;

    /// The disks that open roots are on ([`ServiceParts::open_roots`]), and that the roots of replacements will be on.
    fn disks(self, disks: Disks) -> Self;

    /// The records of the runtime that loads policies for this server ([`ServiceParts::policy`]): the counters of their
    /// plugins.
    fn records(self, records: PluginRecords) -> Self;

    /// Something beside the server whose state its status contains.
    fn state(self, state: Arc<dyn StateSource>) -> Self;

    /// Notified of changes of interfaces and addresses, so that listeners that wait for one notice at once instead of within
    /// a second; see the module `netlink`.
    fn network_changes(self, changes: Arc<Notify>) -> Self;

    /// The user and privileges of the process, for the status.
    fn privileges(self, privileges: RemainingPrivileges) -> Self;

    /// Puts everything together that decides requests, without sockets: to explain requests where no server runs.
    ///
    /// # Errors
    /// As [`Builder::bind`], except for listeners.
    fn unbound(self) -> Result<Arc<Generation>, BuildError>;
}

impl BuilderParts for Builder {
    fn settings(mut self, settings: Settings, sockets: Vec<BoundSockets>) -> Builder {
        (self.settings, self.sockets) = (settings, sockets);
        self
    }

    fn disks(mut self, disks: Disks) -> Builder {
        self.disks = disks;
        self
    }

    fn records(mut self, records: PluginRecords) -> Builder {
        self.records = records;
        self
    }

    fn state(mut self, state: Arc<dyn StateSource>) -> Builder {
        self.states.push(state);
        self
    }

    fn network_changes(mut self, changes: Arc<Notify>) -> Builder {
        self.changes = changes;
        self
    }

    fn privileges(mut self, privileges: RemainingPrivileges) -> Builder {
        self.privileges = privileges;
        self
    }

    fn unbound(mut self) -> Result<Arc<Generation>, BuildError> {
        self.check(false)?;
        let roots = self.parts.open(&self.disks)?;
        let Builder { settings, parts, records, .. } = self;
        let bounds = settings.bounds();
        let sources = SourceOpener::new(settings.service.limits.read_ahead);
        let policy = parts.into_policy(&records, &sources, bounds.ipv6_prefix);
        let uploads = Uploads::new(&bounds);
        Ok(Arc::new(Generation::first(&settings, roots, sources, policy, uploads)))
    }
}

/// More of a bound server.
pub trait ServerParts {
    /// The bound listeners, in the order of addition.
    fn listeners(&self) -> &[ListenerSpec];

    /// The open roots.
    fn roots(&self) -> &Roots;

    /// Sets what needs no socket and no folder after these are open: hooks, the policy, facts, states.
    fn configure(self, set: impl FnOnce(Builder) -> Builder) -> Server;

    /// Puts everything together except workers, so that exporters can be attached.
    fn assemble(self) -> Assembly;
}

impl ServerParts for Server {
    fn listeners(&self) -> &[ListenerSpec] {
        &self.listeners
    }

    fn roots(&self) -> &Roots {
        &self.roots.roots
    }

    fn configure(mut self, set: impl FnOnce(Builder) -> Builder) -> Server {
        self.builder = set(self.builder);
        self
    }

    fn assemble(self) -> Assembly {
        self.into_assembly()
    }
}

impl Watch {
    /// The state of a running server.
    pub fn of(handle: &Handle) -> &Watch {
        &handle.watch
    }
}
