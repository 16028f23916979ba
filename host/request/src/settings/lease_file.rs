//! A lease file of a DHCP server.

use crate::LeaseFormat;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A lease file of a DHCP server. The server looks at it once a second, and requests never wait for it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LeaseFile {
    /// The path, such as `/var/lib/misc/dnsmasq.leases`. It may be missing, and has at most 256 MiB.
    #[serde(rename = "file")]
    #[cfg_attr(feature = "schema", schemars(with = "String", length(min = 1), extend("format" = "path")))]
    pub path: PathBuf,
    /// The DHCP server that writes it.
    pub format: LeaseFormat,
}
