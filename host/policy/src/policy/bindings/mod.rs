//! The types that wasmtime generates from `sdk/wit`, for each version of the interface.
//!
//! What stands above [`super::hooks`] speaks the newest version alone, which can express all that the older ones can.

pub(super) mod v0_1;
pub(super) mod v0_2;

use std::fmt;

/// A version of the package `tuffet:policy`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    V0_1,
    V0_2,
}

impl Version {
    /// Newest first.
    pub const ALL: [Version; 2] = [Version::V0_2, Version::V0_1];

    /// The versions that this server provides, for error messages.
    pub const PROVIDED: &str = "0.1.0 and 0.2.0";

    pub fn as_str(self) -> &'static str {
        match self {
            Version::V0_1 => "0.1.0",
            Version::V0_2 => "0.2.0",
        }
    }

    /// The name under which a component exports or imports one of its interfaces.
    pub fn interface(self, name: &str) -> String {
        format!("tuffet:policy/{name}@{self}")
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
