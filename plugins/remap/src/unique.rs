//! A folder for each client, as with dnsmasq's `tftp-unique-root`.

use serde::Deserialize;
use tuffet_sdk::{Request, code, files};

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
                // The requested name could be anybody's.
                let known = request.client.macs.as_ref().and_then(|macs| macs.network.first());
                let Some(mac) = known else { return Ok(None) };
                mac.address.to_ascii_lowercase().replace(':', "-")
            }
        };
        let folder = format!("{prefix}{name}");
        match files::stat(root, &folder) {
            // Not there, or a file.
            Ok(_) => Ok(None),
            // A folder, or what the server may not look at: the client has nothing else.
            Err(error) if error.is(code::NOT_A_FILE) || error.is(code::BAD_PATH) => {
                Ok(Some(format!("{folder}/")))
            }
            Err(error) => Err(error.message),
        }
    }
}
