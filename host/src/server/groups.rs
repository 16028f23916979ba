//! The sockets and the thread of multicast groups.

use super::ServeError;
use std::sync::Arc;
use tuffet_config::Config;
use tuffet_core::Settings;
use tuffet_engine::limits::Limiter;
use tuffet_engine::worker::{GroupCounts, GroupSettings, Groups, ListenerSpec, Sockets, open_group_sockets};

/// Opens the sockets of groups, if there are to be any.
pub(super) fn open(config: &Config, listeners: &[ListenerSpec]) -> Result<Option<Sockets>, ServeError> {
    let Some(multicast) = &config.multicast else { return Ok(None) };
    let enabled = |number: usize| multicast.listeners.get(number).copied().unwrap_or(false);
    open_group_sockets(listeners, enabled, multicast.ttl)
        .map(Some)
        .map_err(|(number, error)| ServeError::open(&config.listeners[number], error))
}

/// Creates the thread's state.
pub(super) fn make(
    config: &Config,
    number: usize,
    sockets: Option<Sockets>,
    transfer: &Arc<Settings>,
    limiter: &Arc<Limiter>,
    counts: Arc<GroupCounts>,
) -> Result<Option<Groups>, ServeError> {
    let (Some(multicast), Some(sockets)) = (&config.multicast, sockets) else { return Ok(None) };
    let settings = GroupSettings {
        addresses: multicast.addresses.clone(),
        ports: multicast.ports.clone(),
        groups: multicast.groups,
        members: multicast.members,
        transfer: transfer.clone(),
        limiter: limiter.clone(),
    };
    Groups::new(number, settings, sockets, counts)
        .map(Some)
        .map_err(|error| ServeError::System("the thread of multicast groups cannot start", error))
}
