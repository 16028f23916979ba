//! The thread of multicast groups.

use super::StartError;
use std::sync::Arc;
use tuffet_config::Config;
use tuffet_core::Settings;
use tuffet_engine::limits::Limiter;
use tuffet_engine::worker::{GroupCounts, GroupSettings, Groups, Sockets};

/// Creates the thread's state.
pub(super) fn make(
    config: &Config,
    number: usize,
    sockets: Option<Sockets>,
    transfer: &Arc<Settings>,
    limiter: &Arc<Limiter>,
    counts: Arc<GroupCounts>,
) -> Result<Option<Groups>, StartError> {
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
        .map_err(|error| StartError::new("the thread of multicast groups cannot start", error))
}
