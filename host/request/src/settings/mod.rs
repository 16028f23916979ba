//! The settings of a server, as a configuration or an embedder gives them.

mod capacity;
mod ceilings;
mod lease_file;
mod limits;
mod listener;
mod multicast;
mod netboot;
mod policy;
mod profile;
mod range;
mod retransmit;
mod transfer;

use crate::Bounds;
pub use crate::setting_names::{SettingName, SettingNames, TimeLimit};
pub use capacity::Capacity;
pub use ceilings::{Ceilings, MaxBlksize, OptionRule, OptionRules};
pub use lease_file::LeaseFile;
pub use limits::{Limits, PerClient};
pub use listener::{Listener, ListenerRules, OtherListener};
pub use multicast::Multicast;
pub use netboot::Netboot;
pub use policy::{BreakerLimits, DefaultVerdict, Fact, OnError};
pub use profile::Profile;
pub use range::OutOfRange;
use range::number;
pub use retransmit::{Retransmit, RetransmitRules};
use serde::{Deserialize, Serialize};
use std::time::Duration;
pub use transfer::{FixedTransfer, Transfer};

/// The largest number of workers.
pub const MAX_WORKERS: usize = 1024;

const MAX_BUSY_POLL: Duration = Duration::from_millis(1);

/// All settings of a server apart from its roots and its policy. Sockets, threads and tables are made by those above
/// `service`, which stay as long as the server runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The listeners; the names differ.
    pub listeners: Vec<Listener>,
    /// The listeners of other protocols.
    pub other_listeners: Vec<OtherListener>,
    /// Whether the listeners wait for interfaces and addresses that are missing at the start.
    pub start: Start,
    /// The number of threads that move blocks, 1 to 1024.
    pub workers: usize,
    /// How long a worker polls for the next datagram before it sleeps: 0 to 1 ms.
    pub busy_poll: Duration,
    /// How many transfers, requests and events there is room for.
    pub capacity: Capacity,
    /// Fragments, rollover, and retransmission.
    pub transfer: FixedTransfer,
    /// The groups of clients that read one file from one stream; `None` for none.
    pub multicast: Option<Multicast>,
    /// How messages name settings.
    pub names: SettingNames,
    /// What can be replaced while the server runs.
    pub service: ServiceSettings,
}

/// The settings that can be replaced while a server runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServiceSettings {
    /// Option negotiation, and bounds on slow transfers.
    pub transfer: Transfer,
    /// The negotiation settings for some clients.
    pub profiles: Vec<Profile>,
    /// The help for boot chains.
    pub netboot: Netboot,
    /// The lease files of DHCP servers; if several contain an address, the last one wins.
    pub lease_files: Vec<LeaseFile>,
    /// Bounds on clients, uploads and memory.
    pub limits: Limits,
    /// What listeners serve, and how they negotiate, by name, instead of their own rules ([`Listener::rules`]).
    pub listeners: Vec<(String, ListenerRules)>,
}

/// What must be there at the start: interfaces, addresses, and folders of roots.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// Nothing: the server waits for what is missing, and serves the rest.
    #[default]
    Available,
    /// Everything.
    All,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            listeners: Vec::new(),
            other_listeners: Vec::new(),
            start: Start::All,
            // As many as this process has processor cores.
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            busy_poll: Duration::from_micros(50),
            capacity: Capacity::default(),
            transfer: FixedTransfer::default(),
            multicast: None,
            names: SettingNames::default(),
            service: ServiceSettings::default(),
        }
    }
}

impl Settings {
    /// Returns the limits that workers enforce.
    pub fn bounds(&self) -> Bounds {
        Bounds { names: self.names, ..self.service.limits.bounds(&self.capacity, &self.service.transfer) }
    }

    /// Returns the first setting that is out of its range.
    ///
    /// # Errors
    /// The setting, and its range.
    pub fn check(&self) -> Result<(), OutOfRange> {
        number("workers", self.workers, 1..=MAX_WORKERS)?;
        OutOfRange::unless(self.busy_poll <= MAX_BUSY_POLL, "busy_poll", "0 to 1 ms")?;
        self.transfer.check()?;
        self.capacity.check("capacity")?;
        self.service.transfer.check("transfer")?;
        for (n, (_, rules)) in self.rules().enumerate() {
            rules.ceilings.check(&format!("listeners[{n}].ceilings"))?;
        }
        for (n, profile) in self.service.profiles.iter().enumerate() {
            profile.check(
                &format!("profiles[{n}]"),
                &self.service.profiles[..n],
                &self.transfer.retransmit,
            )?;
        }
        self.service.limits.check("limits")
    }

    /// The names of all listeners, each with what it serves and how it negotiates; those of other protocols come last.
    pub fn rules(&self) -> impl Iterator<Item = (&str, &ListenerRules)> {
        let own = self.listeners.iter().map(|its| (its.name.as_str(), &its.rules));
        let others = self.other_listeners.iter().map(|its| (its.name.as_str(), &its.rules));
        own.chain(others).map(|(name, own)| {
            let named = self.service.listeners.iter().find(|(its, _)| its == name);
            (name, named.map_or(own, |(_, rules)| rules))
        })
    }

    /// Returns what can replace the settings of a running server, with the rules of all listeners.
    pub fn into_service(self) -> ServiceSettings {
        let rules: Vec<_> = self.rules().map(|(name, rules)| (name.to_owned(), rules.clone())).collect();
        ServiceSettings { listeners: rules, ..self.service }
    }
}
