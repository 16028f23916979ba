//! Parses the lease files of DHCP servers: the client of each leased address, and the server's notes about it.
//!
//! The server reads lease files for all plugins (`facts.leases`), and the plugin mac-map reads them through its grant
//! `files`. This crate reads no files; it parses their content.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod dnsmasq;
mod index;
mod isc;
mod kea;
mod lease;
mod mac;
mod octets;

use serde::{Deserialize, Serialize};

pub use index::Index;
pub use lease::Lease;
pub use mac::Mac;

/// The DHCP server that wrote a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Format {
    /// dnsmasq: `EXPIRES MAC ADDRESS NAME CLIENT-ID` on each line.
    Dnsmasq,
    /// The memfile backend of Kea: CSV with a header; changes are appended.
    Kea,
    /// `dhcpd.leases` of ISC dhcpd: a block for each change.
    Isc,
}
