//! Negotiation and retransmission settings for some clients.

use super::range::{MIN_RATE, OutOfRange, optional};
use super::{Ceilings, Retransmit, RetransmitRules};
#[cfg(feature = "schema")]
use crate::units::ByteCount;
use crate::units::plain;
use crate::{ClientClass, Network};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// Negotiation settings for some clients, instead of those of `transfer` and their listener. For each key, the first
/// profile with the client and the key counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(transform = by_topic))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Profile {
    /// The name in metrics, views and `tuffet explain`; needed with `total-rate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "String", extend("format" = "name", "pattern" = "^[A-Za-z0-9_.:\\[\\]-]{1,64}$"))
    )]
    pub name: Option<String>,
    /// The networks of the clients: `10.0.0.0/8`, `2001:db8::/32`, `192.0.2.7`. Default: all clients.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1), extend("uniqueItems" = true)))]
    pub clients: Vec<Network>,
    /// The classes of the clients, such as `u-boot`: a guess from the shape of their requests. Default: all clients.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1), extend("uniqueItems" = true)))]
    pub classes: Vec<ClientClass>,
    /// Their negotiation settings.
    #[serde(flatten)]
    pub ceilings: Ceilings,
    /// The most bytes of file data per second, for all transfers of these clients together: such as the line of a branch
    /// office. Clients get equal shares, which their transfers divide, however many they are; what one does not need is
    /// for the others. `rate` holds beside it. Clients with a total rate join no multicast group.
    #[serde(skip_serializing_if = "Option::is_none", with = "plain")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "ByteCount", extend("x-minimum" = "1KiB", "x-maximum" = "4GB"))
    )]
    pub total_rate: Option<u64>,
    /// When the server retransmits to these clients. Counts as one key; missing times come from `transfer.retransmit`.
    /// `floor`, `initial`, `cap` and `give-up` must ascend.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "RetransmitRules"))]
    pub retransmit: Option<RetransmitRules>,
}

#[cfg(feature = "schema")]
fn by_topic(schema: &mut schemars::Schema) {
    crate::key_order::place(schema, "options", "total-rate");
}

impl Profile {
    /// `before`: the profiles before it.
    pub(super) fn check(
        &self,
        of: &str,
        before: &[Profile],
        transfer: &Retransmit,
    ) -> Result<(), OutOfRange> {
        self.ceilings.check(&format!("{of}.ceilings"))?;
        if let Some(rules) = &self.retransmit {
            rules.over(transfer).check(&format!("{of}.retransmit"))?;
        }
        optional(&format!("{of}.total_rate"), self.total_rate, MIN_RATE..=u64::MAX)?;
        let is_named = match &self.name {
            None => self.total_rate.is_none(),
            name => before.iter().all(|other| other.name != *name),
        };
        OutOfRange::unless(is_named, &format!("{of}.name"), "a name of its own")
    }

    /// Returns whether the profile applies to this client.
    #[doc(hidden)]
    pub fn fits(&self, client: IpAddr, class: ClientClass) -> bool {
        (self.clients.is_empty() || self.clients.iter().any(|network| network.contains(client)))
            && (self.classes.is_empty() || self.classes.contains(&class))
    }

    /// Returns the built-in profiles: what classes of clients are known to need. They come after the configured ones and
    /// only lower other settings.
    #[doc(hidden)]
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
