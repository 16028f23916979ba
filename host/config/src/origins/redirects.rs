//! The hosts that a web server may redirect to.

use std::fmt;
use std::str::FromStr;

use url::{Host, Url};

/// A host, and its port unless that is the default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedirectHost {
    host: Host,
    port: Option<u16>,
}

impl RedirectHost {
    /// Returns whether a URL names this host and port.
    pub fn is(&self, url: &Url) -> bool {
        let same_port = match self.port {
            Some(port) => url.port_or_known_default() == Some(port),
            None => url.port().is_none(),
        };
        same_port && url.host().is_some_and(|host| host.to_owned() == self.host)
    }
}

impl FromStr for RedirectHost {
    type Err = String;

    /// Reads `HOST` or `HOST:PORT`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |why: &str| format!("`{text}` is not a host: {why}; write HOST or HOST:PORT");
        let url = Url::parse(&format!("https://{text}/")).map_err(|error| wrong(&error.to_string()))?;
        let host = url.host().ok_or_else(|| wrong("it names none"))?.to_owned();
        let its = RedirectHost { host, port: url.port() };
        // Refuse anything beyond a host and a port.
        let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        match bare && url.username().is_empty() && url.password().is_none() && !text.ends_with('/') {
            true => Ok(its),
            false => Err(wrong("it has more than a host and a port")),
        }
    }
}

impl fmt::Display for RedirectHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            Some(port) => write!(f, "{}:{port}", self.host),
            None => self.host.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_named_with_or_without_a_port() {
        for (text, shown) in [
            ("cdn.example.com", "cdn.example.com"),
            ("CDN.example.com:8443", "cdn.example.com:8443"),
            ("192.0.2.1", "192.0.2.1"),
            ("[2001:db8::1]:81", "[2001:db8::1]:81"),
        ] {
            assert_eq!(text.parse::<RedirectHost>().map(|host| host.to_string()).as_deref(), Ok(shown));
        }
        for text in ["", "https://cdn", "cdn/", "cdn/path", "me@cdn", "cdn:port", "cdn?x", "a b", "cdn:99999"]
        {
            assert!(text.parse::<RedirectHost>().is_err(), "{text}");
        }
    }
}
