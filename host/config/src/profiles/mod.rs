//! The section `profiles`: negotiation and retransmission settings for some clients.

mod retransmit;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use tuffet_request::settings::{Ceilings, Profile, Retransmit};
use tuffet_request::units::{ByteCount, plain};
use tuffet_request::{ClientClass, Network};

use super::address::name_schema;
use super::key_order::place;
use super::resolver::Resolver;
use super::suggest::{closest, unknown};

pub use retransmit::RetransmitRules;

/// Negotiation settings for some clients, instead of those of `transfer` and their listener. For each key, the first
/// profile with the client and the key counts.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
#[schemars(transform = by_topic)]
pub(crate) struct WrittenProfile {
    /// The name in metrics, views and `tuffet explain`; needed with `total-rate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "name_schema")]
    pub name: Option<String>,
    /// The networks of the clients: `10.0.0.0/8`, `2001:db8::/32`, `192.0.2.7`. Default: all clients.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1), schema_with = "networks_schema")]
    pub clients: Vec<String>,
    /// The classes of the clients, such as `u-boot`: a guess from the shape of their requests. Default: all clients.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1), extend("uniqueItems" = true))]
    pub classes: Vec<String>,
    /// Their negotiation settings.
    #[serde(flatten)]
    pub ceilings: Ceilings,
    /// The most bytes of file data per second, for all transfers of these clients together: such as the line of a branch
    /// office. Clients get equal shares, which their transfers divide, however many they are; what one does not need is
    /// for the others. `rate` holds beside it. Clients with a total rate join no multicast group.
    #[serde(skip_serializing_if = "Option::is_none", with = "plain")]
    #[schemars(with = "ByteCount", extend("x-minimum" = "1KiB", "x-maximum" = "4GB"))]
    pub total_rate: Option<u64>,
    /// When the server retransmits to these clients. Counts as one key; missing times come from `transfer.retransmit`.
    /// `floor`, `initial`, `cap` and `give-up` must ascend.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "RetransmitRules")]
    pub retransmit: Option<RetransmitRules>,
}

fn by_topic(schema: &mut Schema) {
    place(schema, "options", "total-rate");
}

fn resolve(written: WrittenProfile, transfer: &Retransmit, mut wrong: impl FnMut(String, String)) -> Profile {
    let WrittenProfile { name, clients, classes, ceilings, total_rate, retransmit } = written;
    if total_rate.is_some() && name.is_none() {
        let advice =
            "a profile with `total-rate` needs a `name`, by which metrics and views show what it uses";
        wrong("total-rate".into(), advice.into());
    }
    let clients = clients.iter().enumerate().filter_map(|(index, text)| match text.parse::<Network>() {
        Ok(network) => Some(network),
        Err(complaint) => {
            wrong(format!("clients/{index}"), complaint);
            None
        }
    });
    let clients = clients.collect();
    let classes = classes.iter().enumerate().filter_map(|(index, name)| {
        let class = name.parse().ok();
        if class.is_none() {
            let known: Vec<&str> = ClientClass::all().map(ClientClass::as_str).collect();
            let like = closest(name, known.iter().copied());
            wrong(format!("classes/{index}"), unknown("class", name, like, known.iter().copied()));
        }
        class
    });
    let classes = classes.collect();
    Profile {
        name,
        clients,
        classes,
        ceilings,
        retransmit: retransmit.map(|rules| rules.over(transfer)),
        total_rate,
    }
}

impl Resolver<'_> {
    pub(crate) fn profiles(&mut self, written: Vec<WrittenProfile>, transfer: &Retransmit) -> Vec<Profile> {
        let mut profiles: Vec<Profile> = Vec::new();
        for (number, written) in written.into_iter().enumerate() {
            let mut problems = Vec::new();
            let written_rules = written.retransmit;
            if let Some(name) = &written.name
                && profiles.iter().any(|other| other.name.as_ref() == Some(name))
            {
                problems.push(("name".to_owned(), format!("two profiles are named `{name}`; rename one")));
            }
            profiles.push(resolve(written, transfer, |place, complaint| problems.push((place, complaint))));
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
