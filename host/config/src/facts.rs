//! The section `facts`: facts about clients beyond their requests. A reload may change it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tuffet_request::settings::LeaseFile;

use super::resolver::Resolver;

/// The limit of lease files. Each has a thread.
const MAX_FILES: usize = 16;

/// Further facts about clients, for [plugins that request them](plugins-reference.md#leases).
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Facts {
    /// The lease files of DHCP servers, older parts first: if several name an address, the last one counts. At most
    /// 16.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub leases: Vec<LeaseFile>,
}

impl Resolver<'_> {
    pub(crate) fn lease_files(&mut self, facts: Facts) -> Vec<LeaseFile> {
        if facts.leases.len() > MAX_FILES {
            self.wrong("/facts/leases", format!("there are more than {MAX_FILES}: name fewer"));
        }
        let file = |file: LeaseFile| LeaseFile { path: self.absolute(&file.path), ..file };
        facts.leases.into_iter().map(file).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formats_of_the_reader_and_no_other() {
        let facts: Facts =
            serde_yaml::from_str("{ leases: [{ file: a, format: kea }, { file: b, format: dnsmasq }] }")
                .unwrap();
        assert_eq!(facts.leases.len(), 2);
        for wrong in
            ["{ leases: [{ file: a }] }", "{ leases: [{ file: a, format: windows }] }", "{ lease: [] }"]
        {
            assert!(serde_yaml::from_str::<Facts>(wrong).is_err(), "{wrong}");
        }
    }
}
