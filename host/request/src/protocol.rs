//! The protocol of a request.

use serde::{Deserialize, Serialize};

/// The protocol of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Protocol {
    /// TFTP (RFC 1350).
    #[default]
    Tftp,
    /// HTTP (RFC 9110), with or without TLS.
    Http,
}

impl Protocol {
    /// All protocols.
    pub const ALL: [Protocol; 2] = [Protocol::Tftp, Protocol::Http];

    /// Returns the name in metrics, logs and for plugins.
    pub fn as_str(self) -> &'static str {
        match self {
            Protocol::Tftp => "tftp",
            Protocol::Http => "http",
        }
    }

    /// Returns the name, unless it is that of TFTP: most servers have no other requests, and lines and records of those have no
    /// protocol.
    #[doc(hidden)]
    pub fn unless_tftp(self) -> Option<&'static str> {
        (self != Protocol::Tftp).then(|| self.as_str())
    }
}
