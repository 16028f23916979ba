//! Builds a server: listeners, threads, and the service that they carry.

mod check;
mod error;
mod folder;
mod listener;
mod parts;
mod policy;
mod service;

pub use error::BuildError;
pub use folder::{Folder, OpenFolder};
pub use listener::Listener;
pub(crate) use parts::Parts;
pub use service::Service;

use crate::neighbours::Neighbours;
use crate::status::{RemainingPrivileges, StateSource};
use crate::vlans::Vlans;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tuffet_engine::worker::BoundSockets;
use tuffet_policy::PluginRecords;
#[cfg(doc)]
use tuffet_policy::Resolve;
use tuffet_request::settings::{Capacity, Retransmit, Settings, Start};
use tuffet_store::Disks;

/// Builds a [`Server`](crate::Server): its listeners and threads, which stay as long as it runs, and its [`Service`], which
/// can be replaced. Everything has a default except a listener and content: a root, or a [`Resolve`] hook.
#[must_use = "it serves once it is bound and started"]
pub struct Builder {
    pub(crate) settings: Settings,
    pub(crate) parts: Parts,
    /// The bound sockets of each listener, if the program has them.
    pub(crate) sockets: Vec<BoundSockets>,
    pub(crate) disks: Disks,
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
            parts: Parts::default(),
            sockets: Vec::new(),
            disks: Disks::default(),
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

    /// What the server serves at first, all at once: call it before the methods that set a part of it.
    pub fn service(mut self, service: Service) -> Builder {
        (self.settings.service, self.parts) = (service.settings, service.parts);
        self
    }

    /// How many transfers, requests and events there is room for.
    pub fn capacity(mut self, capacity: Capacity) -> Builder {
        self.settings.capacity = capacity;
        self
    }

    /// When the server retransmits an unanswered packet. A [`Profile`](tuffet_request::settings::Profile) may have other times for some
    /// clients.
    pub fn retransmit(mut self, times: Retransmit) -> Builder {
        self.settings.transfer.retransmit = times;
        self
    }

    /// The block number that follows 65535: 0 or 1. Default: 0.
    pub fn rollover(mut self, rollover: u16) -> Builder {
        self.settings.transfer.rollover = rollover;
        self
    }

    /// Whether IPv4 packets forbid routers to fragment them; see [`FixedTransfer::dont_fragment`](tuffet_request::settings::FixedTransfer). Default: no. Needs Linux.
    pub fn dont_fragment(mut self, dont_fragment: bool) -> Builder {
        self.settings.transfer.dont_fragment = dont_fragment;
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

    /// What listeners do without an interface or an address that they are bound to. Default: [`bind`](Builder::bind) fails.
    pub fn start(mut self, start: Start) -> Builder {
        self.settings.start = start;
        self
    }
}
