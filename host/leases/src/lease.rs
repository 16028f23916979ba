//! A valid lease of an address.

use crate::Mac;
use crate::octets;

/// The longest accepted text of a client, in bytes.
const MAX_TEXT_BYTES: usize = 255;
/// The prefixes of vendor classes of boot firmware.
const BOOT_CLASSES: [&str; 2] = ["PXEClient:Arch:", "HTTPClient:Arch:"];

/// The lease of an address, from a lease file. All fields derive from data of the client: hints, never credentials.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lease {
    /// The MAC address of the machine, if it has six octets.
    pub mac: Option<Mac>,
    /// The host name, without a dot at its end.
    pub hostname: Option<String>,
    /// The client identifier (option 61), or the DUID of DHCPv6: hexadecimal octets with colons.
    pub client_id: Option<String>,
    /// When the lease ends, in seconds since 1970; `None` if never.
    pub expires: Option<u64>,
    /// The vendor class (option 60).
    pub vendor_class: Option<String>,
    /// The system architecture (option 93).
    pub architecture: Option<u16>,
    /// The UUID of the machine (option 97), octets in the order of the packet: `00112233-4455-6677-8899-aabbccddeeff`.
    pub uuid: Option<String>,
}

impl Lease {
    /// Adds what follows from the other fields. Firmware names its architecture in its vendor class, and PXE firmware
    /// repeats its UUID as its client identifier.
    pub(crate) fn complete(mut self) -> Lease {
        self.architecture = self.architecture.or_else(|| {
            let class = self.vendor_class.as_deref()?;
            let rest = BOOT_CLASSES.iter().find_map(|begin| class.strip_prefix(begin))?;
            rest.split(':').next()?.parse().ok()
        });
        self.uuid = self.uuid.or_else(|| uuid(&octets::of_colons(self.client_id.as_deref()?)?));
        self
    }
}

/// A text of a client: a single line of a bounded length, or nothing.
pub(crate) fn text(text: &str) -> Option<String> {
    let is_plain = !text.is_empty() && text.len() <= MAX_TEXT_BYTES && !text.chars().any(char::is_control);
    is_plain.then(|| text.to_owned())
}

/// A host name.
pub(crate) fn hostname(name: &str) -> Option<String> {
    text(name.strip_suffix('.').unwrap_or(name))
}

/// A client identifier.
pub(crate) fn client_id(octets: &[u8]) -> Option<String> {
    (!octets.is_empty() && octets.len() <= MAX_TEXT_BYTES).then(|| octets::colons(octets))
}

/// The content of option 97: a type, which is 0, and 16 octets (RFC 4578 section 2.3).
pub(crate) fn uuid(octets: &[u8]) -> Option<String> {
    let [0, uuid @ ..] = octets else { return None };
    let digits = |octets: &[u8]| octets.iter().map(|octet| format!("{octet:02x}")).collect::<String>();
    (uuid.len() == 16).then(|| {
        let parts = [&uuid[..4], &uuid[4..6], &uuid[6..8], &uuid[8..10], &uuid[10..]];
        parts.map(digits).join("-")
    })
}
