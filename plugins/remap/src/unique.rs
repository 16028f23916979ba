//! A folder for each client, as with dnsmasq's `tftp-unique-root`.

use serde::Deserialize;
use tuffet_sdk::files::{self, Error};
use tuffet_sdk::{MacSource, Request};

/// What the folder of a client is named after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Unique {
    /// Its address.
    Ip,
    /// Its MAC address, as `02-00-5e-10-00-01`.
    Mac,
}

impl Unique {
    /// The folder of a client, if it exists below `prefix`.
    ///
    /// # Errors
    /// It is not known whether it exists.
    pub fn folder(self, request: &Request, root: &str, prefix: &str) -> Result<Option<String>, String> {
        let name = match self {
            Unique::Ip => request.client.address.clone(),
            Unique::Mac => {
                let macs = &request.client.macs;
                // The requested name could be anybody's.
                let known = macs.iter().find(|mac| mac.source != MacSource::RequestedName);
                let Some(mac) = known else { return Ok(None) };
                mac.address.to_ascii_lowercase().replace(':', "-")
            }
        };
        let folder = format!("{prefix}{name}");
        match files::stat(root, &folder) {
            // Not there, or a file.
            Ok(_) => Ok(None),
            // A folder has no size.
            Err(Error::Denied(_)) => Ok(Some(format!("{folder}/"))),
            Err(Error::Invalid(why) | Error::Unavailable(why)) => Err(why),
            Err(Error::TooLarge(_)) => Ok(None),
        }
    }
}
