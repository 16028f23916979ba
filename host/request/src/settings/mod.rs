//! The settings of a server, as a configuration or an embedder gives them.

mod ceilings;
mod lease_file;
mod limits;
mod listener;
mod multicast;
mod netboot;
mod profile;
mod retransmit;
mod start;
mod transfer;

use crate::Bounds;
pub use crate::setting_names::{SettingName, SettingNames, TimeLimit};
pub use ceilings::{Ceilings, MaxBlksize, OptionRule, OptionRules};
pub use lease_file::LeaseFile;
pub use limits::{Limits, PerClient};
pub use listener::Listener;
pub use multicast::Multicast;
pub use netboot::Netboot;
pub use profile::Profile;
pub use retransmit::Retransmit;
pub use start::Start;
use std::time::Duration;
pub use transfer::Transfer;

/// All settings of a server apart from its roots and its policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The listeners; the names differ.
    pub listeners: Vec<Listener>,
    /// Whether the listeners wait for interfaces and addresses that are missing at the start.
    pub start: Start,
    /// The number of threads that move blocks, 1 to 1024.
    pub workers: usize,
    /// How long a worker polls for the next datagram before it sleeps: 0 to 1 ms.
    pub busy_poll: Duration,
    /// Option negotiation, retransmission, and bounds on slow transfers.
    pub transfer: Transfer,
    /// The negotiation settings for some clients.
    pub profiles: Vec<Profile>,
    /// The help for boot chains.
    pub netboot: Netboot,
    /// The groups of clients that read one file from one stream; `None` for none.
    pub multicast: Option<Multicast>,
    /// The lease files of DHCP servers; if several contain an address, the last one wins.
    pub lease_files: Vec<LeaseFile>,
    /// The limits.
    pub limits: Limits,
    /// How messages name settings.
    pub names: SettingNames,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            listeners: Vec::new(),
            start: Start::All,
            // As many as this process has processor cores.
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            busy_poll: Duration::from_micros(50),
            transfer: Transfer::default(),
            profiles: Vec::new(),
            netboot: Netboot::default(),
            multicast: None,
            lease_files: Vec::new(),
            limits: Limits::default(),
            names: SettingNames::default(),
        }
    }
}

impl Settings {
    /// Returns the limits that can change while the server runs.
    pub fn bounds(&self) -> Bounds {
        Bounds { names: self.names, ..self.limits.bounds(&self.transfer) }
    }
}
