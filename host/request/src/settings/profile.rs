//! Negotiation and retransmission settings for some clients.

use super::{Ceilings, Retransmit};
use crate::{ClientClass, Network};
use std::net::IpAddr;

/// Settings for some clients, instead of those for all transfers and those of their listener. For each value, the first
/// profile with the client and the value counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    /// Its name in metrics, views and explanations; unique. Needed with a total rate.
    pub name: Option<String>,
    /// The networks of its clients; empty for all.
    pub clients: Vec<Network>,
    /// The classes of its clients; empty for all.
    pub classes: Vec<ClientClass>,
    /// Their negotiation settings.
    pub ceilings: Ceilings,
    /// When the server retransmits to them.
    pub retransmit: Option<Retransmit>,
    /// The most bytes of file data per second, for all transfers of these clients together. At least 1024; 2³² and more
    /// are no limit. Clients with one join no multicast group.
    pub total_rate: Option<u64>,
}

impl Profile {
    /// Returns whether the profile applies to this client.
    pub fn fits(&self, client: IpAddr, class: ClientClass) -> bool {
        (self.clients.is_empty() || self.clients.iter().any(|network| network.contains(client)))
            && (self.classes.is_empty() || self.classes.contains(&class))
    }

    /// Returns the built-in profiles: what classes of clients are known to need. They come after the configured ones and
    /// only lower other settings.
    pub fn built_in() -> Vec<Profile> {
        // U-Boot's virtio driver has 32 receive buffers, and receives nothing more once they have overflowed. Two windows
        // may be in flight at once: one that the client reported as incomplete, and its retransmission. Or one that a
        // client did not read for some seconds, and what was sent again meanwhile: at most a window and eight blocks.
        // Source: U-Boot 2023.01, drivers/virtio/virtio_net.h (VIRTIO_NET_NUM_RX_BUFS), and `make test SUITE=firmware`.
        let u_boot = Profile {
            classes: vec![ClientClass::U_BOOT],
            ceilings: Ceilings { max_windowsize: Some(12), ..Ceilings::default() },
            ..Profile::default()
        };
        vec![u_boot]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_profiles_are_for_known_classes() {
        let u_boot = ClientClass::U_BOOT;
        for profile in Profile::built_in() {
            assert!(!profile.classes.is_empty(), "for whom?");
        }
        let windows = |class| {
            let mut fitting =
                Profile::built_in().into_iter().filter(|its| its.fits([192, 0, 2, 1].into(), class));
            fitting.find_map(|its| its.ceilings.max_windowsize)
        };
        assert_eq!((windows(u_boot), windows(ClientClass::UNKNOWN)), (Some(12), None));
    }

    #[test]
    fn a_profile_is_for_the_clients_of_its_networks_and_classes() {
        let profile = |clients: &[&str], classes: &[&str]| Profile {
            clients: clients.iter().map(|network| network.parse().unwrap()).collect(),
            classes: classes.iter().map(|class| class.parse().unwrap()).collect(),
            ..Profile::default()
        };
        let (grub, pxe) = ("grub".parse().unwrap(), "pxe".parse().unwrap());
        let (inside, outside) = ([10, 1, 1, 1].into(), [192, 0, 2, 1].into());
        let both = profile(&["10.0.0.0/8"], &["grub"]);
        assert!(both.fits(inside, grub) && !both.fits(inside, pxe) && !both.fits(outside, grub));
        assert!(profile(&[], &["grub"]).fits(outside, grub) && profile(&[], &[]).fits(outside, pxe));
        assert!(profile(&["10.0.0.0/8", "192.0.2.0/24"], &[]).fits(outside, pxe));
    }
}
