//! A lease file of a DHCP server.

use crate::LeaseFormat;
use std::path::PathBuf;

/// A lease file of a DHCP server.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LeaseFile {
    /// An absolute path. The file may be missing.
    pub path: PathBuf,
    /// The server that writes it.
    pub format: LeaseFormat,
}
