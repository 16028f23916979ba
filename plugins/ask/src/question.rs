//! What the service is asked. Facts that are not known are left out.

use std::collections::BTreeMap;

use serde::Serialize;
use tuffet_sdk::{Lease, Mac, Mode, Operation, Request};

/// The version of questions and answers. Later ones may add keys to questions.
const VERSION: u8 = 1;

/// A question, as JSON.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Question<'a> {
    version: u8,
    hook: &'static str,
    /// The key of a rendering; the rest is about a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a str>,
    #[serde(flatten)]
    request: Option<RequestFacts<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct RequestFacts<'a> {
    id: &'a str,
    listener: &'a str,
    operation: &'static str,
    mode: &'static str,
    path: &'a str,
    requested: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    case: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw_name: Option<&'a str>,
    options: BTreeMap<&'a str, &'a str>,
    client: ClientFacts<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arrival: Option<ArrivalFacts<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct ClientFacts<'a> {
    address: &'a str,
    port: u16,
    class: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    macs: Option<MacFacts<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lease: Option<LeaseFacts<'a>>,
}

/// What the network says, apart from what the client claims: the one may decide, the other may choose.
#[derive(Serialize)]
struct MacFacts<'a> {
    network: Vec<MacFact<'a>>,
    claimed: Vec<MacFact<'a>>,
}

#[derive(Serialize)]
struct MacFact<'a> {
    address: &'a str,
    source: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct LeaseFacts<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    mac: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uuid: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hostname: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vendor_class: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    architecture: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<u64>,
    age: u64,
}

#[derive(Serialize)]
struct ArrivalFacts<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interface: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vlan: Option<u16>,
}

impl<'a> Question<'a> {
    /// About a request, in the hook of this name.
    pub fn of(hook: &'static str, request: &'a Request) -> Question<'a> {
        let macs = |list: &'a [Mac]| {
            list.iter().map(|mac| MacFact { address: &mac.address, source: &mac.source }).collect()
        };
        let client = &request.client;
        let client = ClientFacts {
            address: &client.address,
            port: client.port,
            class: &client.class,
            macs: client
                .macs
                .as_ref()
                .map(|its| MacFacts { network: macs(&its.network), claimed: macs(&its.claimed) }),
            lease: client.lease.as_ref().map(lease),
        };
        let arrival = request.arrival.as_ref().map(|arrival| ArrivalFacts {
            address: arrival.address.as_deref(),
            interface: arrival.interface_name.as_deref(),
            vlan: arrival.vlan,
        });
        let options = request.options.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let request = RequestFacts {
            id: &request.id,
            listener: &request.listener,
            operation: if request.operation == Operation::Write { "write" } else { "read" },
            mode: if request.mode == Mode::Netascii { "netascii" } else { "octet" },
            path: &request.path,
            requested: &request.requested,
            case: request.attribute("case"),
            raw_name: request.attribute("raw-name"),
            options,
            client,
            arrival,
        };
        Question { version: VERSION, hook, key: None, request: Some(request) }
    }

    /// About the content with this key.
    pub fn of_key(key: &'a str) -> Question<'a> {
        Question { version: VERSION, hook: "render", key: Some(key), request: None }
    }
}

fn lease(lease: &Lease) -> LeaseFacts<'_> {
    LeaseFacts {
        mac: lease.mac.as_deref(),
        client_id: lease.client_id.as_deref(),
        uuid: lease.uuid.as_deref(),
        hostname: lease.hostname.as_deref(),
        vendor_class: lease.vendor_class.as_deref(),
        architecture: lease.architecture,
        expires: lease.expires,
        age: lease.age,
    }
}
