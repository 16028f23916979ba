//! The MAC addresses of on-link clients, as the kernel's neighbour table (ARP, NDP) has them.

use futures_util::future::BoxFuture;
use parking_lot::RwLock;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use tuffet_request::MacAddress;

/// MAC addresses by the index of an interface and an address.
pub type NeighbourTable = HashMap<(u32, IpAddr), MacAddress>;

/// A current view of the neighbour table. Cheap to clone; clones share it. Empty by default; see
/// `netlink::follow_neighbours` (feature `netlink`).
#[derive(Clone, Default)]
pub struct Neighbours {
    table: Arc<RwLock<NeighbourTable>>,
    kernel: Option<Arc<dyn AskKernel>>,
}

/// Asks the kernel for one neighbour. The table may be a moment behind.
pub trait AskKernel: Send + Sync {
    /// Returns the MAC address of an on-link client behind the interface with this index.
    fn ask(&self, client: IpAddr, interface: u32) -> BoxFuture<'_, Option<MacAddress>>;
}

impl Neighbours {
    /// Creates a view of this table, which its owner keeps current.
    #[cfg(any(feature = "netlink", test))]
    pub(crate) fn new(table: Arc<RwLock<NeighbourTable>>, kernel: Option<Arc<dyn AskKernel>>) -> Neighbours {
        Neighbours { table, kernel }
    }

    /// Returns the MAC address of an on-link client behind `interface`; may ask the kernel.
    pub(crate) async fn find(&self, client: IpAddr, interface: u32) -> Option<MacAddress> {
        match (self.cached(client, interface), &self.kernel) {
            (None, Some(kernel)) if is_on_link(client, interface) => kernel.ask(client, interface).await,
            (known, _) => known,
        }
    }

    /// As [`Neighbours::find`], without asking the kernel.
    pub(crate) fn cached(&self, client: IpAddr, interface: u32) -> Option<MacAddress> {
        if !is_on_link(client, interface) {
            return None;
        }
        self.table.read().get(&(interface, client)).copied()
    }

    /// Returns the MAC address of an on-link client, on any interface.
    #[doc(hidden)]
    pub fn find_on_any_interface(&self, client: IpAddr) -> Option<MacAddress> {
        let known = self.table.read();
        known.iter().find(|((_, ip), _)| *ip == client).map(|(_, address)| *address)
    }
}

/// Whether the client may be in the table.
fn is_on_link(client: IpAddr, interface: u32) -> bool {
    !client.is_loopback() && interface != 0
}
