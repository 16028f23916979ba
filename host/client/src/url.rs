//! TFTP URLs: `tftp://host[:port]/file[;mode=netascii]` (RFC 3617).

use std::fmt;
use std::str::FromStr;
use tuffet_core::Mode;

const DEFAULT_PORT: u16 = 69;

/// A TFTP URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    /// A name or an address; IPv6 without brackets.
    pub host: String,
    /// The UDP port, 69 by default.
    pub port: u16,
    /// The requested name: everything after the slash that follows the host, percent-decoded.
    pub file: String,
    /// From `;mode=`; octet by default.
    pub mode: Mode,
}

impl Url {
    /// Creates a URL from its parts, in the mode octet. Nothing in them is percent-encoded.
    pub fn new(host: impl Into<String>, port: u16, file: impl Into<String>) -> Url {
        Url { host: host.into(), port, file: file.into(), mode: Mode::Octet }
    }

    /// Returns the last part of the file's name: the default name of a download.
    pub fn file_name(&self) -> &str {
        self.file.rsplit(['/', '\\']).next().unwrap_or_default()
    }
}

/// The reason why a text is not a TFTP URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}; write tftp://HOST[:PORT]/FILE, such as tftp://127.0.0.1:6969/hello.txt")]
pub struct UrlError(String);

impl FromStr for Url {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        let wrong = |what: &str| UrlError(what.to_owned());
        let rest = text.strip_prefix("tftp://").ok_or_else(|| wrong("it does not begin with tftp://"))?;
        let (authority, file) = rest.split_once('/').ok_or_else(|| wrong("no file is named"))?;
        let (host, port) = match authority.strip_prefix('[') {
            Some(rest) => {
                let (host, port) = rest.split_once(']').ok_or_else(|| wrong("the bracket is not closed"))?;
                (host, port.strip_prefix(':'))
            }
            None => authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port))),
        };
        if host.is_empty() {
            return Err(wrong("no host is named"));
        }
        let port = match port {
            None => DEFAULT_PORT,
            Some(port) => port
                .parse()
                .ok()
                .filter(|port| *port > 0)
                .ok_or_else(|| UrlError(format!("`{port}` is not a port from 1 to 65535")))?,
        };
        let (file, mode) = match file.rsplit_once(";mode=") {
            None => (file, Mode::Octet),
            Some((file, "octet")) => (file, Mode::Octet),
            Some((file, "netascii")) => (file, Mode::Netascii),
            Some((_, mode)) => return Err(UrlError(format!("`{mode}` is neither octet nor netascii"))),
        };
        let file = decode(file).ok_or_else(|| wrong("its percent-encoding is broken"))?;
        if file.is_empty() || file.contains('\0') {
            return Err(wrong("no file is named"));
        }
        Ok(Url { host: host.to_owned(), port, file, mode })
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "tftp://[{}]:{}/{}", self.host, self.port, self.file)
        } else {
            write!(f, "tftp://{}:{}/{}", self.host, self.port, self.file)
        }
    }
}

impl TryFrom<&str> for Url {
    type Error = UrlError;

    fn try_from(text: &str) -> Result<Self, UrlError> {
        text.parse()
    }
}

impl TryFrom<&String> for Url {
    type Error = UrlError;

    fn try_from(text: &String) -> Result<Self, UrlError> {
        text.parse()
    }
}

impl TryFrom<String> for Url {
    type Error = UrlError;

    fn try_from(text: String) -> Result<Self, UrlError> {
        text.parse()
    }
}

impl From<&Url> for Url {
    fn from(url: &Url) -> Url {
        url.clone()
    }
}

fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = std::str::from_utf8(after.get(..2)?).ok()?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &after[2..];
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> (String, u16, String, Mode) {
        let Url { host, port, file, mode } = text.parse().unwrap();
        (host, port, file, mode)
    }

    #[test]
    fn what_is_a_url() {
        assert_eq!(url("tftp://boot/a/b.img"), ("boot".into(), 69, "a/b.img".into(), Mode::Octet));
        assert_eq!(
            url("tftp://[::1]:6969/x;mode=netascii"),
            ("::1".into(), 6969, "x".into(), Mode::Netascii)
        );
        assert_eq!(url("tftp://h:1//abs%20%2e").2, "/abs .");
        assert_eq!(url("tftp://h/a;b;mode=octet").2, "a;b");
    }

    #[test]
    fn what_is_not() {
        for text in [
            "http://h/f",
            "h/f",
            "tftp://h",
            "tftp:///f",
            "tftp://h/",
            "tftp://h:0/f",
            "tftp://h:65536/f",
            "tftp://h:x/f",
            "tftp://[::1/f",
            "tftp://h/f;mode=mail",
            "tftp://h/%2",
            "tftp://h/%zz",
            "tftp://h/%ff",
            "tftp://h/a%00b",
            "tftp://h/%+1",
        ] {
            let error = text.parse::<Url>().unwrap_err().to_string();
            assert!(error.contains("tftp://127.0.0.1:6969/hello.txt"), "{text}: {error}");
        }
    }
}
