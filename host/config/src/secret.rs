//! Secrets, which must not be shown.

use std::fmt;

/// A value that may be a secret; it is never shown.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Secret(String);

impl Secret {
    /// Wraps a value so that it is not shown.
    pub fn new(value: impl Into<String>) -> Secret {
        Secret(value.into())
    }

    /// Returns whether it is valid as the value of an HTTP header.
    pub fn is_header(&self) -> bool {
        http::HeaderValue::from_str(&self.0).is_ok()
    }

    /// Whether it can be the content of a credentials file of NATS.
    #[cfg(feature = "nats")]
    pub fn is_nats(&self) -> bool {
        async_nats::ConnectOptions::new().credentials(&self.0).is_ok()
    }

    /// A server without NATS refuses the whole sink; only the client can tell what is a credentials file.
    #[cfg(not(feature = "nats"))]
    pub fn is_nats(&self) -> bool {
        true
    }

    /// The value, for where it is used.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(hidden)")
    }
}
