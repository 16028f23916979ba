//! The section `profiles`: negotiation and retransmission settings for some clients.

mod retransmit;

use std::net::IpAddr;
use std::sync::OnceLock;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use tuffet_request::{ClientClass, Network};

use super::ceilings::{Ceilings, MaxBlksize, OptionRules};
use super::resolver::Resolver;
use super::suggest::{closest, unknown};
use super::transfer::Retransmit;
use super::units::{ByteCount, plain};

pub use retransmit::RetransmitRules;

/// The built-in profiles.
const SHIPPED: &str = include_str!("shipped.yaml");

/// Negotiation settings for some clients, instead of those of `transfer` and their listener. For each key, the first
/// profile with the client and the key counts.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct WrittenProfile {
    /// The networks of the clients: `10.0.0.0/8`, `2001:db8::/32`, `192.0.2.7`. Default: all clients.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1), schema_with = "networks_schema")]
    pub clients: Vec<String>,
    /// The classes of the clients, such as `u-boot`: a guess from the shape of their requests. Default: all clients.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1), extend("uniqueItems" = true))]
    pub classes: Vec<String>,
    /// The largest granted block size, in bytes, or `auto`, as in `transfer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "MaxBlksize")]
    pub max_blksize: Option<MaxBlksize>,
    /// The largest granted window, in blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u16", range(min = 1, max = 32767))]
    pub max_windowsize: Option<u16>,
    /// The number of blocks of a window that the server sends per millisecond, as at a listener.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u16", range(min = 1, max = 32767))]
    pub burst: Option<u16>,
    /// The most bytes of file data per second, for each transfer of these clients, as in `transfer`.
    #[serde(skip_serializing_if = "Option::is_none", with = "plain")]
    #[schemars(with = "ByteCount", extend("x-minimum" = "1KiB", "x-maximum" = "4GB"))]
    pub rate: Option<u64>,
    /// Which options the server acknowledges.
    pub options: OptionRules,
    /// When the server retransmits to these clients. Counts as one key; missing times come from `transfer.retransmit`.
    /// Together they must ascend: `floor`, `initial`, `cap`, `give-up`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "RetransmitRules")]
    pub retransmit: Option<RetransmitRules>,
}

/// A checked profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// The networks of its clients; empty for all.
    pub clients: Vec<Network>,
    /// The classes of its clients; empty for all.
    pub classes: Vec<ClientClass>,
    /// Their negotiation settings.
    pub ceilings: Ceilings,
    /// When the server retransmits to them.
    pub retransmit: Option<RetransmitRules>,
}

impl Profile {
    /// Returns whether the profile applies to this client.
    pub fn fits(&self, client: IpAddr, class: ClientClass) -> bool {
        (self.clients.is_empty() || self.clients.iter().any(|network| network.contains(client)))
            && (self.classes.is_empty() || self.classes.contains(&class))
    }

    /// Returns the built-in profiles. They only lower other settings.
    pub fn shipped() -> &'static [Profile] {
        static PROFILES: OnceLock<Vec<Profile>> = OnceLock::new();
        PROFILES.get_or_init(|| {
            let written: Vec<WrittenProfile> = serde_yaml::from_str(SHIPPED).unwrap_or_default();
            written.into_iter().map(|written| resolve(written, |_, _| {})).collect()
        })
    }
}

fn resolve(written: WrittenProfile, mut wrong: impl FnMut(String, String)) -> Profile {
    let WrittenProfile { clients, classes, max_blksize, max_windowsize, burst, rate, options, retransmit } =
        written;
    let clients = clients.iter().enumerate().filter_map(|(index, text)| match text.parse::<Network>() {
        Ok(network) => Some(network),
        Err(complaint) => {
            wrong(format!("clients/{index}"), complaint);
            None
        }
    });
    let clients = clients.collect();
    let classes = classes.iter().enumerate().filter_map(|(index, name)| {
        let class = ClientClass::named(name);
        if class.is_none() {
            let mut known: Vec<&str> = ClientClass::all().map(ClientClass::as_str).collect();
            known.sort_unstable();
            known.dedup();
            let like = closest(name, known.iter().copied());
            wrong(format!("classes/{index}"), unknown("class", name, like, known.iter().copied()));
        }
        class
    });
    let classes = classes.collect();
    Profile {
        clients,
        classes,
        ceilings: Ceilings { max_blksize, max_windowsize, burst, rate, options },
        retransmit,
    }
}

impl Resolver<'_> {
    pub(crate) fn profiles(&mut self, written: Vec<WrittenProfile>, transfer: &Retransmit) -> Vec<Profile> {
        let mut profiles = Vec::new();
        for (number, written) in written.into_iter().enumerate() {
            let mut problems = Vec::new();
            let written_rules = written.retransmit;
            profiles.push(resolve(written, |place, complaint| problems.push((place, complaint))));
            for (place, complaint) in problems {
                self.wrong(format!("/profiles/{number}/{place}"), complaint);
            }
            if let Some(rules) = written_rules {
                self.retransmit_of_profile(&format!("/profiles/{number}/retransmit"), &rules, transfer);
            }
        }
        profiles
    }
}

fn networks_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "minItems": 1, "uniqueItems": true, "items": { "type": "string" } })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reading the file reports no problems, so this test does.
    #[test]
    fn the_shipped_profiles_are_good_and_name_their_sources() {
        let written: Vec<WrittenProfile> = serde_yaml::from_str(SHIPPED).unwrap();
        assert_eq!(written.len(), SHIPPED.matches("# Source: ").count(), "each has a source");
        for profile in written.clone() {
            assert!(!profile.classes.is_empty(), "for whom?");
            resolve(profile, |place, complaint| panic!("{place}: {complaint}"));
        }
        assert_eq!(Profile::shipped().len(), written.len());
        let u_boot = ClientClass::named("u-boot").unwrap();
        let windows = |class| {
            let mut fitting = Profile::shipped().iter().filter(|its| its.fits([192, 0, 2, 1].into(), class));
            fitting.find_map(|its| its.ceilings.max_windowsize)
        };
        assert_eq!((windows(u_boot), windows(ClientClass::UNKNOWN)), (Some(12), None));
    }

    #[test]
    fn a_profile_is_for_the_clients_of_its_networks_and_classes() {
        let profile = |clients: &str, classes: &str| {
            let yaml = format!("{{ clients: {clients}, classes: {classes} }}");
            resolve(serde_yaml::from_str(&yaml).unwrap(), |place, complaint| panic!("{place}: {complaint}"))
        };
        let (grub, pxe) = (ClientClass::named("grub").unwrap(), ClientClass::named("pxe").unwrap());
        let (inside, outside) = ([10, 1, 1, 1].into(), [192, 0, 2, 1].into());
        let both = profile("[10.0.0.0/8]", "[grub]");
        assert!(both.fits(inside, grub) && !both.fits(inside, pxe) && !both.fits(outside, grub));
        assert!(profile("[]", "[grub]").fits(outside, grub) && profile("[]", "[]").fits(outside, pxe));
        assert!(profile("[10.0.0.0/8, 192.0.2.0/24]", "[]").fits(outside, pxe));
    }
}
