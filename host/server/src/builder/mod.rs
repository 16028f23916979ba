//! Builds a server: listeners, roots, hooks, limits.

mod check;
mod error;
mod folder;
mod listener;
mod policy;
mod ranges;

pub use error::BuildError;
pub use folder::{Folder, OpenFolder};
pub use listener::Listener;

use crate::content::{Root, SourceOpener};
use crate::generation::Generation;
use crate::hooks::{AcceptUpload, Authorize, Observe, Resolve};
use crate::neighbours::Neighbours;
use crate::status::{RemainingPrivileges, StateSource};
use crate::vlans::Vlans;
pub(crate) use policy::ProgramHooks;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tuffet_engine::worker::BoundSockets;
use tuffet_policy::{DefaultVerdict, PluginRecords, Policy};
use tuffet_request::RootSpec;
use tuffet_request::settings::{LeaseFile, Limits, Netboot, Profile, Settings, Start, Transfer};
use tuffet_store::{Disks, Roots, Uploads};

/// Builds a [`Server`](crate::Server). Everything has a default except a listener and content: a root, or a [`Resolve`] hook.
#[must_use = "it serves once it is bound and started"]
pub struct Builder {
    pub(crate) settings: Settings,
    /// The bound sockets of each listener, if the program has them.
    pub(crate) sockets: Vec<BoundSockets>,
    pub(crate) roots: Vec<RootSpec>,
    pub(crate) supplied: Vec<(String, Arc<dyn Root>)>,
    /// Roots that are open already.
    pub(crate) opened: Option<(Roots, Disks)>,
    pub(crate) hooks: ProgramHooks,
    pub(crate) policy: Option<Policy>,
    pub(crate) records: PluginRecords,
    pub(crate) states: Vec<Arc<dyn StateSource>>,
    pub(crate) neighbours: Neighbours,
    pub(crate) vlans: Vlans,
    pub(crate) changes: Arc<Notify>,
    pub(crate) privileges: RemainingPrivileges,
}

impl Default for Builder {
    fn default() -> Builder {
        Builder {
            settings: Settings { workers: 1, ..Settings::default() },
            sockets: Vec::new(),
            roots: Vec::new(),
            supplied: Vec::new(),
            opened: None,
            hooks: ProgramHooks::default(),
            policy: None,
            records: PluginRecords::default(),
            states: Vec::new(),
            neighbours: Neighbours::default(),
            vlans: Vlans::default(),
            changes: Arc::default(),
            privileges: RemainingPrivileges::default(),
        }
    }
}

impl Builder {
    /// Adds a listener.
    pub fn listener(mut self, listener: Listener) -> Builder {
        let (settings, sockets) = listener.into_parts();
        self.settings.listeners.push(settings);
        self.sockets.push(BoundSockets { sockets, handed_over: false });
        self
    }

    /// Adds a folder. The roots are searched in the order in which they are added.
    pub fn folder(mut self, folder: Folder) -> Builder {
        self.roots.push(folder.into_spec());
        self
    }

    /// Adds a root that the program implements, for reading.
    pub fn root(self, name: &str, root: impl Root) -> Builder {
        self.supply(name, None, root)
    }

    /// Adds a root that the program implements and that takes uploads ([`Root::create`]) of at most `max_upload` bytes.
    pub fn writable_root(self, name: &str, max_upload: u64, root: impl Root) -> Builder {
        self.supply(name, Some(max_upload), root)
    }

    fn supply(mut self, name: &str, max_upload: Option<u64>, root: impl Root) -> Builder {
        let spec = RootSpec {
            elsewhere: Some(name.into()),
            writable: max_upload.is_some(),
            overwrite: true,
            max_upload: max_upload.unwrap_or_default(),
            ..RootSpec::read_only(name, "")
        };
        self.roots.push(spec);
        self.supplied.push((name.to_owned(), Arc::new(root)));
        self
    }

    /// Appends a hook to the chain `authorize`; the name is for logs and metrics.
    pub fn authorize(mut self, name: &str, hook: impl Authorize) -> Builder {
        self.hooks.authorize.push((name.to_owned(), Arc::new(hook)));
        self
    }

    /// Appends a hook to the chain `resolve`.
    pub fn resolve(mut self, name: &str, hook: impl Resolve) -> Builder {
        self.hooks.resolve.push((name.to_owned(), Arc::new(hook)));
        self
    }

    /// Appends a hook to the chain `accept-upload`.
    pub fn accept_upload(mut self, name: &str, hook: impl AcceptUpload) -> Builder {
        self.hooks.accept_upload.push((name.to_owned(), Arc::new(hook)));
        self
    }

    /// Adds an observer.
    pub fn observe(mut self, name: &str, hook: impl Observe) -> Builder {
        self.hooks.observe.push((name.to_owned(), Arc::new(hook)));
        self
    }

    /// Puts a loaded policy, such as that of WebAssembly plugins, in front of the hooks of the program. `records` are
    /// those of its runtime.
    pub fn policy(mut self, policy: Policy, records: PluginRecords) -> Builder {
        (self.policy, self.records) = (Some(policy), records);
        self
    }

    /// What happens to a request on which every hook of `authorize` abstains. Default: it is allowed, or what the policy
    /// says.
    pub fn default_verdict(mut self, default: DefaultVerdict) -> Builder {
        self.hooks.default = Some(default);
        self
    }

    /// The time limit of each call of a hook of the program. Default: 5 s.
    pub fn time_limit(mut self, limit: Duration) -> Builder {
        self.hooks.time_limit = limit;
        self
    }

    /// Bounds on concurrent transfers, requests, uploads and memory.
    pub fn limits(mut self, limits: Limits) -> Builder {
        self.settings.limits = limits;
        self
    }

    /// Option negotiation, retransmission, and bounds on slow transfers.
    pub fn transfer(mut self, transfer: Transfer) -> Builder {
        self.settings.transfer = transfer;
        self
    }

    /// Adds negotiation settings for some clients. For each value, the first profile with the client and the value counts.
    pub fn profile(mut self, profile: Profile) -> Builder {
        self.settings.profiles.push(profile);
        self
    }

    /// Help for boot chains. Default: none.
    pub fn netboot(mut self, netboot: Netboot) -> Builder {
        self.settings.netboot = netboot;
        self
    }

    /// Follows a lease file of a DHCP server, for [`Request::lease`](crate::Request).
    pub fn lease_file(mut self, file: LeaseFile) -> Builder {
        self.settings.lease_files.push(file);
        self
    }

    /// The number of threads that move blocks, 1 to 1024. Default: 1, which fills a network of 10 Gbit/s.
    pub fn workers(mut self, workers: usize) -> Builder {
        self.settings.workers = workers;
        self
    }

    /// How long a worker polls for the next datagram before it sleeps: 0 to 1 ms. Default: 50 µs.
    pub fn busy_poll(mut self, busy_poll: Duration) -> Builder {
        self.settings.busy_poll = busy_poll;
        self
    }

    /// Where the MAC addresses of on-link clients and the VLANs of interfaces come from. Default: nowhere; see
    /// `netlink` (feature `netlink`).
    pub fn facts(mut self, neighbours: Neighbours, vlans: Vlans) -> Builder {
        (self.neighbours, self.vlans) = (neighbours, vlans);
        self
    }

    /// Notified of changes of interfaces and addresses, so that listeners that wait for one notice at once instead of within
    /// a second; see `netlink` (feature `netlink`).
    pub fn network_changes(mut self, changes: Arc<Notify>) -> Builder {
        self.changes = changes;
        self
    }

    /// What listeners do without an interface or an address that they are bound to. Default: [`bind`](Builder::bind) fails.
    pub fn start(mut self, start: Start) -> Builder {
        self.settings.start = start;
        self
    }

    /// Something beside the server whose state its status contains.
    pub fn state(mut self, state: Arc<dyn StateSource>) -> Builder {
        self.states.push(state);
        self
    }

    /// Replaces all settings, and the listeners with them: call it before the methods that set single ones. `sockets`: the
    /// bound sockets of each listener, if the program has them.
    pub fn settings(mut self, settings: Settings, sockets: Vec<BoundSockets>) -> Builder {
        (self.settings, self.sockets) = (settings, sockets);
        self
    }

    /// Serves these roots, which are open already, instead of folders and roots of the program.
    pub fn open_roots(mut self, roots: Roots, disks: Disks) -> Builder {
        self.opened = Some((roots, disks));
        self
    }

    /// Takes what belongs to sockets and threads from the settings of a running server.
    pub(crate) fn on_sockets_of(mut self, before: &Settings) -> Builder {
        let Settings { listeners, workers, busy_poll, multicast, .. } = before;
        if self.settings.listeners.is_empty() {
            self.settings.listeners.clone_from(listeners);
        }
        self.settings.workers = *workers;
        (self.settings.busy_poll, self.settings.multicast) = (*busy_poll, multicast.clone());
        self
    }

    /// Puts everything together that decides requests, without sockets: to explain requests where no server runs.
    ///
    /// # Errors
    /// As [`Builder::bind`], except for listeners.
    pub fn unbound(mut self) -> Result<Arc<Generation>, BuildError> {
        self.check(false)?;
        let (roots, _) = self.open(&Disks::default())?;
        let settings = self.settings.clone();
        let (sources, uploads) =
            (SourceOpener::new(settings.limits.read_ahead), Uploads::new(&settings.bounds()));
        let records = self.records.clone();
        let policy = self.into_policy(&records, &sources);
        Ok(Arc::new(Generation::first(&settings, roots, sources, policy, uploads)))
    }

    pub(crate) fn built(&self) -> &Settings {
        &self.settings
    }

    /// Returns the loaded policy with the hooks of the program.
    pub(crate) fn into_policy(self, records: &PluginRecords, sources: &SourceOpener) -> Policy {
        self.hooks.policy(self.policy, records, sources, self.settings.bounds().ipv6_prefix)
    }

    /// The user and privileges of the process, for the status.
    pub fn privileges(mut self, privileges: RemainingPrivileges) -> Builder {
        self.privileges = privileges;
        self
    }
}
