//! The section `facts`: facts about clients beyond their requests. A reload may change it.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tuffet_request::LeaseFormat;
use tuffet_request::settings::LeaseFile;

use super::address::path_schema;
use super::resolver::Resolver;

/// The limit of lease files. Each has a thread.
const MAX_FILES: usize = 16;

/// Further facts about clients, for [plugins that request them](plugins.md#leases).
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct WrittenFacts {
    /// The lease files of DHCP servers, older parts first: if several name an address, the last one counts. At most
    /// 16.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub leases: Vec<WrittenLeaseFile>,
}

/// A lease file. The server looks at it once a second, and requests never wait for it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct WrittenLeaseFile {
    /// The path, such as `/var/lib/misc/dnsmasq.leases`. It may be missing, and has at most 256 MiB.
    #[schemars(schema_with = "path_schema")]
    pub file: PathBuf,
    /// The DHCP server that writes it.
    pub format: WrittenFormat,
}

/// The DHCP server that writes a lease file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum WrittenFormat {
    /// dnsmasq.
    Dnsmasq,
    /// Kea: the CSV file of its memfile backend, for IPv4 or IPv6.
    Kea,
    /// ISC dhcpd: `dhcpd.leases`, for IPv4.
    Isc,
}

impl Resolver<'_> {
    pub(crate) fn lease_files(&mut self, facts: WrittenFacts) -> Vec<LeaseFile> {
        if facts.leases.len() > MAX_FILES {
            self.wrong("/facts/leases", format!("there are more than {MAX_FILES}: name fewer"));
        }
        let file = |written: WrittenLeaseFile| LeaseFile {
            path: self.absolute(&written.file),
            format: match written.format {
                WrittenFormat::Dnsmasq => LeaseFormat::Dnsmasq,
                WrittenFormat::Kea => LeaseFormat::Kea,
                WrittenFormat::Isc => LeaseFormat::Isc,
            },
        };
        facts.leases.into_iter().map(file).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formats_of_the_reader_and_no_other() {
        let facts: WrittenFacts =
            serde_yaml::from_str("{ leases: [{ file: a, format: kea }, { file: b, format: dnsmasq }] }")
                .unwrap();
        assert_eq!(facts.leases.len(), 2);
        for wrong in
            ["{ leases: [{ file: a }] }", "{ leases: [{ file: a, format: windows }] }", "{ lease: [] }"]
        {
            assert!(serde_yaml::from_str::<WrittenFacts>(wrong).is_err(), "{wrong}");
        }
    }
}
