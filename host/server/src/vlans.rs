//! The VLANs of VLAN devices by interface index, for policies that want the VLAN of a request.

use parking_lot::RwLock;
use std::collections::HashMap;
use std::sync::Arc;

/// A current view of the VLAN devices. Cheap to clone; clones share it. Empty by default; see
/// `netlink::follow_vlans` (feature `netlink`).
#[derive(Debug, Clone, Default)]
pub struct Vlans(pub(crate) Arc<RwLock<HashMap<u32, u16>>>);

impl Vlans {
    /// Returns the VLAN of an interface, if it is a VLAN device.
    #[doc(hidden)]
    pub fn of(&self, interface: u32) -> Option<u16> {
        self.0.read().get(&interface).copied()
    }
}
