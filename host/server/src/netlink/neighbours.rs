//! The kernel's neighbour table (ARP, NDP), with the MAC addresses of on-link clients.
//!
//! The table is read once and then follows the kernel's events. A missing client costs one query for its address: its
//! ARP exchange may be a moment old. A request never reads the whole table.

use crate::neighbours::{AskKernel, NeighbourTable, Neighbours};
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use netlink_packet_core::{NLM_F_REQUEST, NetlinkMessage, NetlinkPayload};
use netlink_packet_route::neighbour::{
    NeighbourAddress, NeighbourAttribute, NeighbourMessage, NeighbourState,
};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use parking_lot::RwLock;
use rtnetlink::{Handle, MulticastGroup, new_multicast_connection};
use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use tuffet_request::MacAddress;

/// Reads the neighbour table and follows it in the background, on the present tokio runtime.
///
/// # Errors
/// There is no route netlink socket.
pub async fn follow_neighbours() -> io::Result<Neighbours> {
    let (connection, handle, mut events) = new_multicast_connection(&[MulticastGroup::Neigh])?;
    tokio::spawn(connection);
    let followed = Arc::new(FollowedTable { table: Arc::default(), handle });
    followed.read_all().await;
    // The socket is closed with the last view, and the events end with the socket.
    let following = Arc::downgrade(&followed);
    tokio::spawn(async move {
        while let Some((event, _)) = events.next().await {
            let Some(followed) = following.upgrade() else { return };
            match event.payload {
                NetlinkPayload::InnerMessage(message) => followed.note(message),
                // Events were lost: start over.
                NetlinkPayload::Overrun(_) => followed.read_all().await,
                _ => {}
            }
        }
        if let Some(followed) = following.upgrade() {
            // Old addresses would be wrong ones in time.
            followed.table.write().clear();
            tracing::error!(
                target: "tuffet::neighbours",
                "the kernel's neighbour table cannot be followed any more; MAC addresses come from requested names \
                 alone until the server is restarted"
            );
        }
    });
    Ok(Neighbours::new(Arc::clone(&followed.table), Some(followed)))
}

/// The table, and the socket for reading it.
struct FollowedTable {
    table: Arc<RwLock<NeighbourTable>>,
    handle: Handle,
}

impl AskKernel for FollowedTable {
    fn ask(&self, client: IpAddr, interface: u32) -> BoxFuture<'_, Option<MacAddress>> {
        Box::pin(FollowedTable::ask(self, client, interface))
    }
}

impl FollowedTable {
    async fn ask(&self, client: IpAddr, interface: u32) -> Option<MacAddress> {
        let mut handle = self.handle.clone();
        let mut question = NeighbourMessage::default();
        question.header.ifindex = interface;
        let (family, destination) = match client {
            IpAddr::V4(ip) => (AddressFamily::Inet, NeighbourAddress::Inet(ip)),
            IpAddr::V6(ip) => (AddressFamily::Inet6, NeighbourAddress::Inet6(ip)),
        };
        question.header.family = family;
        question.attributes.push(NeighbourAttribute::Destination(destination));
        let mut request = NetlinkMessage::from(RouteNetlinkMessage::GetNeighbour(question));
        request.header.flags = NLM_F_REQUEST;
        let answer = handle.request(request).ok()?.next().await?;
        let NetlinkPayload::InnerMessage(RouteNetlinkMessage::NewNeighbour(message)) = answer.payload else {
            return None;
        };
        let address = usable(&message).then(|| link_address(&message)).flatten();
        self.note(RouteNetlinkMessage::NewNeighbour(message));
        address
    }

    /// Replaces the view by the kernel's table, so that the view has no stale entries.
    async fn read_all(&self) {
        let mut entries = std::pin::pin!(self.handle.neighbours().get().execute());
        let mut table = HashMap::new();
        while let Some(entry) = entries.next().await {
            match entry {
                Ok(message) => note(&mut table, RouteNetlinkMessage::NewNeighbour(message)),
                Err(error) => {
                    tracing::warn!(
                        target: "tuffet::neighbours",
                        %error, "the kernel's neighbour table cannot be read; MAC addresses come from requested names alone"
                    );
                    return;
                }
            }
        }
        *self.table.write() = table;
    }

    fn note(&self, message: RouteNetlinkMessage) {
        note(&mut self.table.write(), message);
    }
}

/// Applies an event to the table.
fn note(table: &mut NeighbourTable, message: RouteNetlinkMessage) {
    let (message, gone) = match message {
        RouteNetlinkMessage::NewNeighbour(message) => {
            let gone = !usable(&message);
            (message, gone)
        }
        RouteNetlinkMessage::DelNeighbour(message) => (message, true),
        _ => return,
    };
    let Some(ip) = destination(&message) else { return };
    let key = (message.header.ifindex, ip);
    match link_address(&message).filter(|_| !gone) {
        Some(address) => table.insert(key, address),
        None => table.remove(&key),
    };
}

fn usable(message: &NeighbourMessage) -> bool {
    use NeighbourState::{Delay, Permanent, Probe, Reachable, Stale};
    matches!(message.header.state, Reachable | Stale | Delay | Probe | Permanent)
}

fn destination(message: &NeighbourMessage) -> Option<IpAddr> {
    message.attributes.iter().find_map(|attribute| match attribute {
        NeighbourAttribute::Destination(NeighbourAddress::Inet(ip)) => Some(IpAddr::V4(*ip)),
        NeighbourAttribute::Destination(NeighbourAddress::Inet6(ip)) => Some(IpAddr::V6(*ip)),
        _ => None,
    })
}

fn link_address(message: &NeighbourMessage) -> Option<MacAddress> {
    message.attributes.iter().find_map(|attribute| match attribute {
        NeighbourAttribute::LinkLayerAddress(bytes) => Some(MacAddress(bytes.as_slice().try_into().ok()?)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An entry is gone, and the event about it was lost.
    #[tokio::test]
    async fn what_the_kernel_no_longer_has_is_forgotten() {
        let (connection, handle, _) = rtnetlink::new_connection().unwrap();
        tokio::spawn(connection);
        let followed = FollowedTable { table: Arc::default(), handle };
        let neighbours = Neighbours::new(Arc::clone(&followed.table), None);
        let gone: IpAddr = "192.0.2.77".parse().unwrap();
        let mut message = NeighbourMessage::default();
        (message.header.ifindex, message.header.state) = (9_999, NeighbourState::Reachable);
        message
            .attributes
            .push(NeighbourAttribute::Destination(NeighbourAddress::Inet("192.0.2.77".parse().unwrap())));
        message.attributes.push(NeighbourAttribute::LinkLayerAddress(vec![2, 0, 0, 0, 0, 1]));
        followed.note(RouteNetlinkMessage::NewNeighbour(message));
        assert!(neighbours.cached(gone, 9_999).is_some());
        followed.read_all().await;
        assert_eq!(neighbours.cached(gone, 9_999), None);
    }
}
