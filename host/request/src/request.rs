//! A request, shared by admission, policy, store and outcome.

use crate::calls::Calls;
use crate::trail::Trail;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::class::ClientClass;
use crate::mac_address::MacAddress;
use crate::names::{self, NameError};
use crate::protocol::Protocol;
pub use tuffet_core::{Acknowledged, ErrorCode, Mode, Operation, OptionName};
pub use tuffet_leases::{Format as LeaseFormat, Lease, Mac};

/// Identifies a request in log lines and to plugins; unique for the life of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RequestId(pub u64);

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The source of a MAC address, most trustworthy first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MacSource {
    /// The kernel's neighbour table (ARP, NDP).
    NeighbourTable,
    /// The lease file of a DHCP server.
    LeaseFile,
    /// The requested file name, such as `01-02-00-5e-10-00-01` or `SEP02005E100001.cnf.xml`.
    RequestedName,
}

impl MacSource {
    /// Returns the name for plugins and logs.
    pub fn as_str(self) -> &'static str {
        match self {
            MacSource::NeighbourTable => "neighbour-table",
            MacSource::LeaseFile => "lease-file",
            MacSource::RequestedName => "requested-name",
        }
    }
}

/// A MAC address and its source: a hint, never a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MacFact {
    /// The address.
    pub address: MacAddress,
    /// Its source.
    pub source: MacSource,
}

/// The entry of a lease file for the client's address: hints, never credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseFact {
    /// The lease.
    pub lease: Lease,
    /// The time since the file was read, or last seen unchanged.
    pub age: Duration,
}

impl LeaseFact {
    /// The MAC address of the machine, if it has six octets.
    pub fn mac(&self) -> Option<MacAddress> {
        self.lease.mac.map(|mac| MacAddress(mac.octets()))
    }
}

/// The certificate of a client, which an authority that the operator trusts has signed, and whose key the client has shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    /// The SHA-256 digest of the certificate, in hexadecimal digits.
    pub sha256: String,
    /// The DNS names in it (`subjectAltName`, RFC 5280 section 4.2.1.6), in lower case.
    pub names: Vec<String>,
}

/// The length of a refused name in logs, in characters.
const SHOWN: usize = 200;

/// A parsed and normalised request.
#[derive(Debug, Clone)]
pub struct Request {
    /// Its ID in logs.
    pub id: RequestId,
    /// The name of the listener that received it.
    pub listener: Arc<str>,
    /// How it arrived.
    pub protocol: Protocol,
    /// Read or write.
    pub operation: Operation,
    /// Octet or netascii.
    pub mode: Mode,
    /// The name as sent (Latin-1 if it is not UTF-8), for logs; never used as a path.
    pub requested: String,
    /// The bytes of the name in hexadecimal digits if they are not UTF-8.
    pub raw_name: Option<Box<str>>,
    /// Why the name is refused, unless a `resolve` hook names a file for it; `path` is a [stand-in](crate::names::stand_in)
    /// then.
    pub unsafe_name: Option<NameError>,
    /// The prefix of roots (`also-at`) that was removed from the name: only these roots are searched.
    #[doc(hidden)]
    pub prefix: Option<Arc<str>>,
    /// The last folder of the client, if shim's files were searched there. If one was found, `path` is in this folder.
    #[doc(hidden)]
    pub shim_folder: Option<Arc<str>>,
    /// The root that stores `path`, if the client spelled it differently: only this root is searched.
    #[doc(hidden)]
    pub stored_in: Option<Arc<str>>,
    /// Whether the root of `path` finds files regardless of case (`case: insensitive`): rules about names then hold for
    /// every spelling, since a name that is not stored yet will be found by each of them.
    pub any_case: bool,
    /// The normalised path below the virtual root: no leading slash, no `.` or `..`. Hooks may use it as a path even if
    /// the name is not safe; `\u{fffd}` stands for what is not.
    pub path: String,
    /// The peer; an IPv4-mapped IPv6 address is given as IPv4.
    pub client: SocketAddr,
    /// The destination address; for a broadcast, the address of the interface. `None` if it is unknown, or no plugin
    /// needs it.
    pub local_address: Option<IpAddr>,
    /// The name of the receiving network interface. `None` if it is unknown, or no plugin needs it.
    pub interface: Option<Arc<str>>,
    /// The VLAN of that interface. `None` if it has none, or no plugin needs it.
    pub vlan: Option<u16>,
    /// The lease of the client's address, if known.
    pub lease: Option<Box<LeaseFact>>,
    /// The client's possible MAC addresses, most trustworthy first.
    pub macs: Vec<MacFact>,
    /// The certificate of the client, if it has shown one.
    pub certificate: Option<Arc<Certificate>>,
    /// The guessed kind of client: a hint.
    pub class: ClientClass,
    /// The options as sent, names in lower case.
    pub options: Vec<(String, String)>,
    /// When it arrived.
    pub received_at: SystemTime,
    /// The plugin calls so far.
    #[doc(hidden)]
    pub calls: Calls,
    /// Collects the steps while traces are exported.
    #[doc(hidden)]
    pub trail: Option<Arc<Trail>>,
}

impl Request {
    /// Returns a request for tests: a read in mode octet, by 192.0.2.1 port 2000 at the listener `lan`, of an unknown
    /// class and without options, at the beginning of 1970.
    pub fn sample(name: &str) -> Request {
        Request {
            id: RequestId(1),
            listener: "lan".into(),
            protocol: Protocol::Tftp,
            operation: Operation::Read,
            mode: Mode::Octet,
            requested: name.into(),
            raw_name: None,
            unsafe_name: None,
            prefix: None,
            shim_folder: None,
            stored_in: None,
            any_case: false,
            path: name.into(),
            client: SocketAddr::from(([192, 0, 2, 1], 2000)),
            local_address: None,
            interface: None,
            vlan: None,
            lease: None,
            macs: Vec::new(),
            certificate: None,
            class: ClientClass::UNKNOWN,
            options: Vec::new(),
            received_at: SystemTime::UNIX_EPOCH,
            calls: Calls::default(),
            trail: None,
        }
    }

    /// Names the file of a request whose name is not safe, or the name itself in printable form, in place of the
    /// stand-in: for the log and observers. `file` is the path of the file that a hook named and that is served.
    #[doc(hidden)]
    pub fn show_unsafe_name(&mut self, file: Option<&str>) {
        if self.unsafe_name.take().is_some() {
            let shown = || self.requested.escape_default().take(SHOWN).collect();
            self.path = file.map_or_else(shown, str::to_owned);
        }
    }

    /// Returns the name as sent, if it is not safe and `path` is another name: that of the file that a hook named, or
    /// without the tail of an old ROM.
    #[doc(hidden)]
    pub fn repaired_from(&self) -> Option<&str> {
        let is_shown = || self.requested.escape_default().take(SHOWN).eq(self.path.chars());
        let is_unsafe = || names::normalise(self.requested.as_bytes()).is_err();
        Some(&*self.requested).filter(|_| is_unsafe() && !is_shown())
    }

    /// Returns whether the request is only explained, not served: it must have no side effects.
    pub fn is_rehearsal(&self) -> bool {
        self.trail.as_ref().is_some_and(|trail| trail.rehearsal)
    }
}

/// A refusal: the ERROR for the client, and the reason for the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    /// The code of the ERROR packet.
    pub code: ErrorCode,
    /// Sent to the client.
    pub message: String,
    /// Logged, never sent.
    pub reason: String,
}

impl Denial {
    /// A denial with this ERROR: `message` is sent to the client, `reason` is logged.
    pub fn new(code: ErrorCode, message: impl Into<String>, reason: impl Into<String>) -> Denial {
        Denial { code, message: message.into(), reason: reason.into() }
    }
}
