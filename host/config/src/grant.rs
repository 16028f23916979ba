//! The grants of plugins in the configuration: a word, or a word and a name.

use std::borrow::Cow;
use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::address::check_name;
use super::suggest::{closest, list};

/// A grant of a plugin.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Grant {
    /// The last requests of the client.
    ClientHistory,
    /// The client's known MAC addresses.
    ClientMac,
    /// The time; without it, the clock stands still.
    Clock,
    /// Random numbers; without it, they are always the same.
    Random,
    /// Keys and values that persist between calls.
    Kv,
    /// The keys in the namespace with this name, which plugins share.
    SharedKv(String),
    /// Reading the files of the root with this name.
    Files(String),
    /// Writing to the sink with this name.
    Sinks(String),
    /// HTTP requests to this host.
    Http(HttpHost),
    /// The plugin's own counters and gauges.
    Metrics,
    /// Reading an upload before it becomes visible.
    Upload,
}

/// A host that a plugin may send HTTP requests to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HttpHost {
    /// A name or an IP address (IPv6 in brackets), in lower case.
    pub name: String,
    /// The port; `None` is 80 for http and 443 for https.
    pub port: Option<u16>,
}

/// A kind of grant, as a plugin's manifest requests it. The operator chooses the root or sink.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GrantKind {
    /// See [`Grant::ClientHistory`].
    ClientHistory,
    /// See [`Grant::ClientMac`].
    ClientMac,
    /// See [`Grant::Clock`].
    Clock,
    /// See [`Grant::Files`].
    Files,
    /// See [`Grant::Http`].
    Http,
    /// See [`Grant::Kv`] and [`Grant::SharedKv`].
    Kv,
    /// See [`Grant::Metrics`].
    Metrics,
    /// See [`Grant::Random`].
    Random,
    /// See [`Grant::Sinks`].
    Sinks,
    /// See [`Grant::Upload`].
    Upload,
}

impl GrantKind {
    /// All kinds.
    pub const ALL: [GrantKind; 10] = [
        GrantKind::ClientHistory,
        GrantKind::ClientMac,
        GrantKind::Clock,
        GrantKind::Files,
        GrantKind::Http,
        GrantKind::Kv,
        GrantKind::Metrics,
        GrantKind::Random,
        GrantKind::Sinks,
        GrantKind::Upload,
    ];

    /// Returns the word in manifests and in the configuration.
    pub fn word(self) -> &'static str {
        match self {
            GrantKind::ClientHistory => "client-history",
            GrantKind::ClientMac => "client-mac",
            GrantKind::Clock => "clock",
            GrantKind::Files => "files",
            GrantKind::Http => "http",
            GrantKind::Kv => "kv",
            GrantKind::Metrics => "metrics",
            GrantKind::Random => "random",
            GrantKind::Sinks => "sinks",
            GrantKind::Upload => "upload",
        }
    }

    /// Returns its form in the configuration.
    fn form(self) -> &'static str {
        match self {
            GrantKind::Files => "files/ROOT",
            GrantKind::Http => "http/HOST:PORT",
            GrantKind::Sinks => "sinks/NAME",
            plain => plain.word(),
        }
    }
}

impl Grant {
    /// Returns its kind.
    pub fn kind(&self) -> GrantKind {
        match self {
            Grant::ClientHistory => GrantKind::ClientHistory,
            Grant::ClientMac => GrantKind::ClientMac,
            Grant::Clock => GrantKind::Clock,
            Grant::Metrics => GrantKind::Metrics,
            Grant::Random => GrantKind::Random,
            Grant::Kv | Grant::SharedKv(_) => GrantKind::Kv,
            Grant::Files(_) => GrantKind::Files,
            Grant::Sinks(_) => GrantKind::Sinks,
            Grant::Http(_) => GrantKind::Http,
            Grant::Upload => GrantKind::Upload,
        }
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Grant::Files(name) | Grant::Sinks(name) | Grant::SharedKv(name) => {
                write!(f, "{}/{name}", self.kind().word())
            }
            Grant::Http(host) => write!(f, "http/{host}"),
            plain => f.write_str(plain.kind().word()),
        }
    }
}

impl fmt::Display for HttpHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            Some(port) => write!(f, "{}:{port}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

impl FromStr for HttpHost {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`http/{text}` names no host; write `http/HOST` or `http/HOST:PORT`, such as \
                 `http/inventory.example.org:8080`, without a scheme or a path"
            )
        };
        let (name, port) = match text.rsplit_once(':') {
            // The last colon of an address in brackets does not begin a port.
            Some((name, port)) if !port.ends_with(']') => {
                let port: u16 = port.parse().map_err(|_| wrong())?;
                (name, Some(port).filter(|port| *port != 0).map(Some).ok_or_else(wrong)?)
            }
            _ => (text, None),
        };
        let bracketed = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        let good = match bracketed {
            Some(address) => address.parse::<Ipv6Addr>().is_ok(),
            None => {
                !name.is_empty()
                    && name.len() <= 253
                    && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
            }
        };
        if !good {
            return Err(wrong());
        }
        Ok(HttpHost { name: name.to_ascii_lowercase(), port })
    }
}

impl FromStr for Grant {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (word, name) = text.split_once('/').map_or((text, None), |(word, name)| (word, Some(name)));
        let named = |grant: fn(String) -> Grant, what: &str, name: Option<&str>| match name {
            None => Err(format!("the grant `{word}` needs the name of a {what}; write `{word}/NAME`")),
            Some(name) => check_name(name).map(|()| grant(name.to_owned())),
        };
        let grant = match word {
            "client-history" => Grant::ClientHistory,
            "client-mac" => Grant::ClientMac,
            "clock" => Grant::Clock,
            "random" => Grant::Random,
            "kv" if name.is_some() => return named(Grant::SharedKv, "namespace", name),
            "kv" => Grant::Kv,
            "metrics" => Grant::Metrics,
            "upload" => Grant::Upload,
            "files" => return named(Grant::Files, "root", name),
            "sinks" => return named(Grant::Sinks, "sink", name),
            "http" => return name.unwrap_or_default().parse().map(Grant::Http),
            _ => {
                let kinds = GrantKind::ALL;
                let known = list(kinds.iter().map(|kind| kind.form()), "and");
                return Err(match closest(word, kinds.iter().map(|kind| kind.word())) {
                    Some(like) => format!("unknown grant `{text}`; did you mean `{like}`? there are {known}"),
                    None => format!("unknown grant `{text}`; there are {known}"),
                });
            }
        };
        match name {
            None => Ok(grant),
            Some(_) => Err(format!("the grant `{word}` takes no name; write `{word}` alone")),
        }
    }
}

impl<'de> Deserialize<'de> for Grant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl Serialize for Grant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for Grant {
    fn schema_name() -> Cow<'static, str> {
        "Grant".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "format": "grant",
            "pattern": "^(client-history|client-mac|clock|random|kv|kv/.+|files/.+|sinks/.+|http/.+|metrics|upload)$"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grants_are_displayed_as_written() {
        for text in [
            "client-history",
            "client-mac",
            "clock",
            "random",
            "kv",
            "kv/leases",
            "metrics",
            "upload",
            "files/boot",
            "sinks/audit",
            "http/a.example",
            "http/[::1]:80",
        ] {
            assert_eq!(text.parse::<Grant>().map(|grant| grant.to_string()).as_deref(), Ok(text));
        }
    }

    #[test]
    fn an_invalid_grant_is_refused_with_the_remedy() {
        let refused = |text: &str| text.parse::<Grant>().err().unwrap_or_default();
        assert!(refused("files").contains("write `files/NAME`"));
        assert!(refused("clock/x").contains("write `clock` alone"));
        assert!(!refused("kv/").is_empty() && !refused("kv/a/b").is_empty());
        assert!(refused("sink/x").contains("did you mean `sinks`?"), "{}", refused("sink/x"));
        assert!(refused("everything").contains("there are"), "{}", refused("everything"));
        for bad in
            ["http", "http/", "http/a:x", "http/a:0", "http/https://a", "http/a/b", "http/[a]", "http/::1"]
        {
            assert!(refused(bad).contains("write `http/HOST`"), "{bad}");
        }
        assert!(!refused("files/").is_empty() && !refused("files/a/b").is_empty());
    }
}
