//! The thread of multicast groups.

use super::StartError;
use std::sync::Arc;
use tuffet_core::Settings as TransferSettings;
use tuffet_engine::limits::Limiter;
use tuffet_engine::worker::{GroupCounts, GroupSettings, Groups, Sockets};
use tuffet_request::settings::Settings;

/// Creates the thread's state.
pub(super) fn make(
    settings: &Settings,
    number: usize,
    sockets: Option<Sockets>,
    transfer: &Arc<TransferSettings>,
    limiter: &Arc<Limiter>,
    counts: Arc<GroupCounts>,
) -> Result<Option<Groups>, StartError> {
    let (Some(multicast), Some(sockets)) = (&settings.multicast, sockets) else { return Ok(None) };
    let of_groups = GroupSettings {
        addresses: multicast.addresses.clone(),
        ports: multicast.ports.clone(),
        groups: multicast.groups,
        members: multicast.members,
        transfer: transfer.clone(),
        limiter: limiter.clone(),
    };
    Groups::new(number, of_groups, sockets, counts)
        .map(Some)
        .map_err(|error| StartError::new("the thread of multicast groups cannot start", error))
}
