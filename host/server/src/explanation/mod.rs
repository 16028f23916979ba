//! The question and the output of `tuffet explain`. docs/explain.md has the fields.

mod text;

use crate::status::Reason;
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, SocketAddr};
pub use text::text;
use tuffet_request::{LeaseFact, MacAddress, Protocol};

/// A request to explain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// The requested name.
    pub name: String,
    /// Its bytes if they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<Vec<u8>>,
    /// The address and port that it comes from.
    pub client: SocketAddr,
    /// The MAC address of the client, in place of the neighbour table.
    pub mac: Option<[u8; 6]>,
    /// The name of a listener; `None`: the first one.
    pub listener: Option<String>,
    /// Whether this is a write request.
    pub write: bool,
    /// Whether the transfer is netascii.
    pub netascii: bool,
    /// The options, as names and values.
    pub options: Vec<(String, String)>,
    /// The destination address.
    #[serde(default)]
    pub local_address: Option<IpAddr>,
    /// The interface that it arrives on; `None`: that of the listener.
    #[serde(default)]
    pub interface: Option<String>,
}

impl Question {
    /// Encodes the request.
    pub fn packet(&self) -> Vec<u8> {
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

    /// Returns the given MAC address.
    pub fn mac(&self) -> Option<MacAddress> {
        self.mac.map(MacAddress)
    }
}

/// The outcome of a request, with reasons.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// The request as policy sees it.
    pub request: ExplainedRequest,
    /// The user with the permissions that apply.
    pub user: String,
    /// The generation of the running server; `None` without one.
    pub generation: Option<u64>,
    /// Why the running server is not ready, which other clients notice, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// The limits on admission, for this client.
    pub limits: Vec<Limit>,
    /// The last requests of this client that the running server remembers, newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_requests: Vec<LastRequest>,
    /// The plugins of the chains, in order.
    pub policy: Vec<Call>,
    /// The verdict if every plugin of `authorize` abstains: `allow` or `deny`.
    pub default: String,
    /// The candidates for the file.
    pub candidates: Vec<Candidate>,
    /// The negotiated options, if it is granted.
    pub options: Option<Options>,
    /// How it would be answered.
    pub outcome: ExplainedOutcome,
}

/// The request as policy sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExplainedRequest {
    /// The name of the listener.
    pub listener: String,
    /// Address and port of the client.
    pub client: String,
    /// `read` or `write`.
    pub operation: String,
    /// The protocol.
    #[serde(default)]
    pub protocol: Protocol,
    /// The transfer mode.
    pub mode: String,
    /// The requested name.
    pub requested: String,
    /// The normalised path.
    pub path: String,
    /// The bytes of the name in hexadecimal digits if they are not UTF-8.
    #[serde(default)]
    pub raw_name: Option<String>,
    /// Why the name is not safe: it is refused unless a plugin names a file for it. `path` is that file's then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsafe_name: Option<String>,
    /// The root that stores it, if the client spelled it differently.
    #[serde(default)]
    pub stored_in: Option<String>,
    /// The last folder of the client, if it was searched.
    #[serde(default)]
    pub shim_folder: Option<String>,
    /// The prefix of roots that the name began with.
    #[serde(default)]
    pub prefix: Option<String>,
    /// The guessed kind of client.
    pub class: String,
    /// The local address, if known.
    #[serde(default)]
    pub local_address: Option<String>,
    /// The interface that it arrives on.
    #[serde(default)]
    pub interface: Option<String>,
    /// The VLAN of the interface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vlan: Option<u16>,
    /// The lease of the client's address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease: Option<Lease>,
    /// The known MAC addresses, the most trustworthy first.
    pub macs: Vec<Mac>,
    /// The requested options, as names and values.
    pub options: Vec<(String, String)>,
}

/// A MAC address of the client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mac {
    /// The address.
    pub address: String,
    /// Its source.
    pub source: String,
}

/// The lease of a client's address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// The MAC address.
    pub mac: Option<String>,
    /// The host name.
    pub hostname: Option<String>,
    /// The client identifier.
    pub client_id: Option<String>,
    /// Seconds since 1970.
    pub expires: Option<u64>,
    /// The vendor class.
    pub vendor_class: Option<String>,
    /// The architecture of the client (RFC 4578).
    pub architecture: Option<u16>,
    /// The UUID of the machine.
    pub uuid: Option<String>,
    /// Milliseconds since the file was read, or last seen unchanged.
    pub age_ms: u64,
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
pub struct Limit {
    /// The configuration key of the limit.
    pub limit: String,
    /// The limit; `None`: unlimited.
    pub most: Option<u64>,
    /// Of a rate, how many requests it admits at once after a pause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst: Option<u64>,
    /// The current use: of `burst` for a rate, else of `most`; `None` without a running server.
    pub taken: Option<u64>,
    /// Whether the request would be dropped.
    pub reached: bool,
    /// The requests of this client that were dropped at it lately, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<DroppedRequests>,
}

/// Requests of a client that were dropped at a limit, until a minute ago at the earliest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DroppedRequests {
    /// Their number, at least.
    pub requests: u64,
    /// The seconds since the last one.
    pub seconds_ago: u64,
}

/// How an earlier request of the client ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastRequest {
    /// The seconds since its end.
    pub seconds_ago: u64,
    /// `read` or `write`.
    pub operation: String,
    /// The normalised path.
    pub path: String,
    /// The word in the log.
    pub outcome: String,
    /// The reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The usual meaning of its pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// A plugin in a chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The hook that was called.
    pub hook: String,
    /// The name of the plugin.
    pub plugin: String,
    /// Whether its mode is `monitor`.
    pub monitored: bool,
    /// `not-asked` if the chain ended before.
    pub verdict: String,
    /// The reason, if there is more to say.
    pub detail: Option<String>,
    /// The cause and details of a failed call; the verdict is then that of `on-error`.
    pub failure: Option<String>,
    /// The label that it gave the request.
    #[serde(default)]
    pub label: Option<String>,
    /// Whether the decision cache answered.
    pub remembered: bool,
    /// Its log lines.
    #[serde(default)]
    pub log: Vec<String>,
    /// How long it took, in microseconds.
    pub took_us: Option<u64>,
}

/// What a file or folder is that no request leads to.
pub(crate) const STORED_AS_LATIN_1: &str = "is there, but its name is not UTF-8, so no client can request it; rename it (`convmv -f latin1 -t utf8`)";

/// What a root does about a name in another case.
pub(crate) const SERVED_IN_ANY_CASE: &str = "; `case: insensitive` of the root serves it";

/// A candidate for the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// The name of the root.
    pub root: String,
    /// The normalised path.
    pub path: String,
    /// The plugin that named it; `None` if the roots are searched.
    pub by: Option<String>,
    /// `good`, an error in words, or `not asked`.
    pub answer: String,
    /// The folder of `roots[].links` that contains the file, if a link leads there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_folder: Option<String>,
    /// The first missing folder of the path.
    pub missing_folder: Option<String>,
    /// A path that differs only in case.
    pub other_case: Option<String>,
    /// A path that is stored in Latin-1, with escapes; no request leads there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latin_1: Option<String>,
    /// A path that differs in a few letters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<String>,
    /// The folders in front of the path without which the file is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without_prefix: Option<String>,
    /// How long it took, in microseconds.
    pub took_us: Option<u64>,
}

/// When the server retransmits, as times with their units.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retransmission {
    /// The shortest time.
    pub floor: String,
    /// The time before anything is measured.
    pub initial: String,
    /// The longest time.
    pub cap: String,
    /// When the server gives up the transfer.
    pub give_up: String,
    /// The shortest time, which `floor` and `initial` respect, if the request gets a window of one block and its class is
    /// not known to bear duplicates.
    pub lockstep_floor: Option<String>,
    /// The source of these times.
    pub by: String,
}

/// The options as they would be negotiated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// The negotiated block size in bytes.
    pub blksize: u16,
    /// The negotiated window in blocks.
    pub windowsize: u16,
    /// The acknowledged timeout in seconds.
    pub timeout: Option<u8>,
    /// The acknowledged size.
    pub tsize: Option<u64>,
    /// The largest block size that a request would get.
    pub most_blksize: u16,
    /// The largest window that a request would get.
    pub most_windowsize: u16,
    /// Whether the listener answers from its own port.
    pub single_port: bool,
    /// Blocks of a window sent within a millisecond.
    pub burst: Option<u16>,
    /// The most bytes of file data per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<u32>,
    /// The source of the rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_by: Option<String>,
    /// The most bytes of file data per second of all transfers that share them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_rate: Option<u32>,
    /// The profile whose clients share them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_rate_of: Option<String>,
    /// The source of the bound on the block size.
    #[serde(default)]
    pub blksize_by: String,
    /// The source of the bound on the window.
    #[serde(default)]
    pub windowsize_by: String,
    /// When the server retransmits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retransmit: Option<Retransmission>,
    /// The MTU of the route to the client, if it bounds the block size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route_mtu: Option<u32>,
    /// Whether the kernel knows no route for that bound.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_route: bool,
    /// Requested options that the server does not acknowledge.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
    /// Whether the client would join a multicast group with a free place; `None` if it does not request one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multicast: Option<bool>,
    /// Granted options that no RFC defines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<(String, u64)>,
}

/// How the request would be answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExplainedOutcome {
    /// `granted`, `refused` or `dropped`.
    pub decision: String,
    /// How it would end; `None` if it is granted.
    pub outcome: Option<String>,
    /// The code of the ERROR.
    pub code: Option<u16>,
    /// The text of the ERROR.
    pub message: Option<String>,
    /// The reason, if there is more to say.
    pub detail: Option<String>,
    /// `ROOT:PATH` of the file, or `content`.
    pub resolved: Option<String>,
    /// Bytes in the file.
    pub size: Option<u64>,
    /// The plugin that decided; `None` if the configuration did.
    pub verdict_by: Option<String>,
}

impl ExplainedOutcome {
    /// Returns whether the request is granted.
    pub fn is_granted(&self) -> bool {
        self.decision == "granted"
    }
}
