//! The explanation of a request: what `tuffet explain` asks, and what it prints. docs/explain.md has the fields.

mod text;

use serde::{Deserialize, Serialize};
use std::net::{IpAddr, SocketAddr};
pub(crate) use text::text;
use tuffet_request::{LeaseFact, MacAddress};

/// A request that nobody sends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Question {
    /// The requested name.
    pub(crate) name: String,
    /// Its bytes if they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) raw: Option<Vec<u8>>,
    pub(crate) client: SocketAddr,
    /// As the neighbour table would have it.
    pub(crate) mac: Option<[u8; 6]>,
    /// The name of a listener; the first one otherwise.
    pub(crate) listener: Option<String>,
    pub(crate) write: bool,
    pub(crate) netascii: bool,
    /// Names and values.
    pub(crate) options: Vec<(String, String)>,
    /// The address that it is sent to.
    #[serde(default)]
    pub(crate) local_address: Option<IpAddr>,
    /// The interface that it arrives on; that of the listener otherwise.
    #[serde(default)]
    pub(crate) interface: Option<String>,
}

impl Question {
    /// The packet that a client would send.
    pub(crate) fn packet(&self) -> Vec<u8> {
        let mut packet = vec![0, if self.write { 2 } else { 1 }];
        let mode = if self.netascii { "netascii" } else { "octet" };
        let options = self.options.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()]);
        packet.extend_from_slice(self.raw.as_deref().unwrap_or(self.name.as_bytes()));
        packet.push(0);
        for text in [mode].into_iter().chain(options) {
            packet.extend_from_slice(text.as_bytes());
            packet.push(0);
        }
        packet
    }

    /// The given MAC address.
    pub(crate) fn mac(&self) -> Option<MacAddress> {
        self.mac.map(MacAddress)
    }
}

/// What would become of a request, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Explanation {
    pub(crate) request: Asked,
    /// The user whose permissions decide.
    pub(crate) user: String,
    /// The generation of the running server; `None` without one.
    pub(crate) generation: Option<u64>,
    pub(crate) limits: Vec<Limit>,
    pub(crate) policy: Vec<Call>,
    /// What holds if every plugin of `authorize` abstains: `allow` or `deny`.
    pub(crate) default: String,
    pub(crate) candidates: Vec<Candidate>,
    /// If it is granted.
    pub(crate) options: Option<Options>,
    pub(crate) outcome: Outcome,
}

/// The request as policy sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Asked {
    pub(crate) listener: String,
    pub(crate) client: String,
    pub(crate) operation: String,
    pub(crate) mode: String,
    pub(crate) requested: String,
    /// Normalised.
    pub(crate) path: String,
    /// The bytes of the name in hexadecimal digits if they are not UTF-8.
    #[serde(default)]
    pub(crate) raw_name: Option<String>,
    /// The root that stores it, if the client spelled it differently.
    #[serde(default)]
    pub(crate) stored_in: Option<String>,
    /// The last folder of the client, if its files were sought there.
    #[serde(default)]
    pub(crate) shim_folder: Option<String>,
    /// The prefix of roots that the name began with.
    #[serde(default)]
    pub(crate) prefix: Option<String>,
    pub(crate) class: String,
    /// Where it arrives, as far as that is given.
    #[serde(default)]
    pub(crate) local_address: Option<String>,
    #[serde(default)]
    pub(crate) interface: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) vlan: Option<u16>,
    /// What a lease file says of the client's address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) lease: Option<Lease>,
    pub(crate) macs: Vec<Mac>,
    pub(crate) options: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mac {
    pub(crate) address: String,
    pub(crate) source: String,
}

/// The lease of a client's address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lease {
    pub(crate) mac: Option<String>,
    pub(crate) hostname: Option<String>,
    pub(crate) client_id: Option<String>,
    /// Seconds since 1970.
    pub(crate) expires: Option<u64>,
    pub(crate) vendor_class: Option<String>,
    pub(crate) architecture: Option<u16>,
    pub(crate) uuid: Option<String>,
    /// Milliseconds since the file was read, or last seen unchanged.
    pub(crate) age_ms: u64,
}

impl From<&LeaseFact> for Lease {
    fn from(fact: &LeaseFact) -> Lease {
        let lease = fact.lease.clone();
        Lease {
            mac: fact.mac().map(|mac| mac.to_string()),
            hostname: lease.hostname,
            client_id: lease.client_id,
            expires: lease.expires,
            vendor_class: lease.vendor_class,
            architecture: lease.architecture,
            uuid: lease.uuid,
            age_ms: u64::try_from(fact.age.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

/// A limit on admission, for this client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Limit {
    pub(crate) limit: String,
    /// `None`: there is none.
    pub(crate) most: Option<u64>,
    /// `None` for a rate, and without a running server.
    pub(crate) taken: Option<u64>,
    /// Whether the request would be dropped.
    pub(crate) reached: bool,
}

/// A plugin in a chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Call {
    pub(crate) hook: String,
    pub(crate) plugin: String,
    /// `mode: monitor`: without effect.
    pub(crate) monitored: bool,
    /// `not-asked` if the chain ended before.
    pub(crate) verdict: String,
    pub(crate) detail: Option<String>,
    /// Its cause and details, if the call failed; the verdict is then what `on-error` stands for.
    pub(crate) failure: Option<String>,
    /// Whether the decision cache answered.
    pub(crate) remembered: bool,
    /// The lines that it logged.
    #[serde(default)]
    pub(crate) log: Vec<String>,
    pub(crate) took_us: Option<u64>,
}

/// A place where the file is looked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Candidate {
    pub(crate) root: String,
    pub(crate) path: String,
    /// The plugin that named it; `None` if the roots are searched.
    pub(crate) by: Option<String>,
    /// `good`, an error in words, or `not asked`.
    pub(crate) answer: String,
    /// The first missing folder on the way.
    pub(crate) missing_folder: Option<String>,
    /// What is there with the same letters in another case.
    pub(crate) other_case: Option<String>,
    pub(crate) took_us: Option<u64>,
}

/// When the server retransmits, as times with their units.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Retransmission {
    pub(crate) floor: String,
    pub(crate) initial: String,
    pub(crate) cap: String,
    pub(crate) give_up: String,
    /// What set these times.
    pub(crate) by: String,
}

/// The options as they would be negotiated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Options {
    pub(crate) blksize: u16,
    pub(crate) windowsize: u16,
    /// Only if they are acknowledged.
    pub(crate) timeout: Option<u8>,
    pub(crate) tsize: Option<u64>,
    /// What a request that asks for more would get.
    pub(crate) most_blksize: u16,
    pub(crate) most_windowsize: u16,
    pub(crate) single_port: bool,
    /// Blocks of a window that go out within a millisecond.
    pub(crate) burst: Option<u16>,
    /// The most bytes of file data in a second, and what sets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rate: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rate_by: Option<String>,
    /// What bounds the block size and the window.
    #[serde(default)]
    pub(crate) blksize_by: String,
    #[serde(default)]
    pub(crate) windowsize_by: String,
    /// When the server retransmits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) retransmit: Option<Retransmission>,
    /// The MTU of the route to the client, if it bounds the block size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) route_mtu: Option<u32>,
    /// Whether it would, and the kernel knows no route.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) no_route: bool,
    /// Requested options that the server does not acknowledge.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) refused: Vec<String>,
    /// Whether the client would join a multicast group that has a place, if it asks for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) multicast: Option<bool>,
    /// Granted options that no RFC has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) others: Vec<(String, u64)>,
}

/// How the request would be answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// `granted`, `refused` or `dropped`.
    pub(crate) decision: String,
    /// How it would end; `None` if it is granted.
    pub(crate) outcome: Option<String>,
    /// Of the ERROR.
    pub(crate) code: Option<u16>,
    pub(crate) message: Option<String>,
    pub(crate) detail: Option<String>,
    pub(crate) resolved: Option<String>,
    /// Bytes in the file.
    pub(crate) size: Option<u64>,
    pub(crate) verdict_by: Option<String>,
}

impl Outcome {
    pub(crate) fn is_granted(&self) -> bool {
        self.decision == "granted"
    }
}
