//! The settings that can be replaced while a server runs.

use super::{LeaseFile, Limits, ListenerRules, Netboot, Profile, Transfer};

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
    ///
    /// [`Listener::rules`]: super::Listener::rules
    pub listeners: Vec<(String, ListenerRules)>,
}
