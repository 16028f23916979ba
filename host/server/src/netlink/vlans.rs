//! The VLANs of the kernel's VLAN devices by interface index, for plugins that want the VLAN of a request.

use crate::vlans::Vlans;
use futures_util::StreamExt;
use netlink_packet_core::NetlinkPayload;
use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::link::{InfoData, InfoVlan, LinkAttribute, LinkInfo, LinkMessage};
use rtnetlink::{Handle, MulticastGroup, new_multicast_connection};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// The interval of checks whether anybody has a view of the VLANs.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// Reads the interfaces and follows them in the background, on the present tokio runtime.
///
/// # Errors
/// There is no route netlink socket.
pub async fn follow_vlans() -> io::Result<Vlans> {
    let (connection, handle, mut events) = new_multicast_connection(&[MulticastGroup::Link])?;
    tokio::spawn(connection);
    let vlans = Vlans::default();
    vlans.read_all(&handle).await;
    let following = Arc::downgrade(&vlans.0);
    tokio::spawn(async move {
        loop {
            let event = match timeout(CHECK_INTERVAL, events.next()).await {
                Ok(Some((event, _))) => Some(event),
                Ok(None) => break,
                Err(_) => None,
            };
            let Some(vlans) = following.upgrade().map(Vlans) else { return };
            match event.map(|event| event.payload) {
                Some(NetlinkPayload::InnerMessage(RouteNetlinkMessage::NewLink(link))) => vlans.note(&link),
                Some(NetlinkPayload::InnerMessage(RouteNetlinkMessage::DelLink(link))) => {
                    vlans.forget(link.header.index);
                }
                // Events were lost: start over.
                Some(NetlinkPayload::Overrun(_)) => vlans.read_all(&handle).await,
                _ => {}
            }
        }
        if let Some(known) = following.upgrade() {
            known.write().clear();
            tracing::error!(
                target: "tuffet::vlans",
                "the network interfaces cannot be followed any more; policy learns of no VLAN until the server is \
                 restarted"
            );
        }
    });
    Ok(vlans)
}

impl Vlans {
    async fn read_all(&self, handle: &Handle) {
        let mut links = std::pin::pin!(handle.link().get().execute());
        let found = Vlans::default();
        while let Some(link) = links.next().await {
            match link {
                Ok(link) => found.note(&link),
                Err(error) => {
                    tracing::warn!(
                        target: "tuffet::vlans",
                        %error, "the network interfaces cannot be read; policy learns of no VLAN"
                    );
                    return;
                }
            }
        }
        // Without those that are gone.
        *self.0.write() = std::mem::take(&mut found.0.write());
    }

    fn note(&self, link: &LinkMessage) {
        let mut known = self.0.write();
        match vlan(link) {
            Some(id) => known.insert(link.header.index, id),
            None => known.remove(&link.header.index),
        };
    }

    fn forget(&self, interface: u32) {
        self.0.write().remove(&interface);
    }
}

fn vlan(link: &LinkMessage) -> Option<u16> {
    let infos = link.attributes.iter().filter_map(|attribute| match attribute {
        LinkAttribute::LinkInfo(infos) => Some(infos),
        _ => None,
    });
    infos.flatten().find_map(|info| match info {
        LinkInfo::Data(InfoData::Vlan(data)) => data.iter().find_map(|of_vlan| match of_vlan {
            InfoVlan::Id(id) => Some(*id),
            _ => None,
        }),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use netlink_packet_core::Parseable;

    /// An attribute as in rtnetlink(7), padded.
    fn attribute(kind: u16, content: &[u8]) -> Vec<u8> {
        let length = (content.len() + 4) as u16;
        let mut bytes = [&length.to_ne_bytes()[..], &kind.to_ne_bytes(), content].concat();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    /// The kernel's message about an interface of this kind (`IFLA_LINKINFO`), with 7 as the first attribute of its
    /// data.
    fn link(index: i32, kind: &[u8]) -> LinkMessage {
        let data = attribute(1, &7_u16.to_ne_bytes());
        let info = [attribute(1, kind), attribute(2, &data)].concat();
        let head = [&[0_u8; 4][..], &index.to_ne_bytes(), &[0; 8]].concat();
        let message = [head, attribute(3, b"tagged\0"), attribute(18, &info)].concat();
        LinkMessage::parse(&message).unwrap()
    }

    #[test]
    fn the_number_of_a_vlan_and_of_no_other_device() {
        let vlans = Vlans::default();
        vlans.note(&link(5, b"vlan\0"));
        vlans.note(&link(6, b"dummy\0"));
        assert_eq!((vlans.of(5), vlans.of(6), vlans.of(0)), (Some(7), None, None));
        vlans.note(&LinkMessage::default());
        vlans.forget(5);
        assert_eq!(vlans.of(5), None);
    }

    #[tokio::test]
    async fn the_kernel_is_asked() {
        let vlans = follow_vlans().await.unwrap();
        assert_eq!(vlans.of(1), None, "the loopback interface is none");
    }
}
