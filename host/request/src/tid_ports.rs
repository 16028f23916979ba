//! The configured TID ports of a listener.

#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// The limit of TID ports of a listener, over all workers.
pub const MAX_TID_PORTS: u16 = 16_384;

/// The TID ports of a listener, over all workers; as written `512`, or `30000-30063`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TidPorts {
    /// This many ports, chosen by the kernel; at least 1.
    Count(u16),
    /// These ports.
    Range(PortRange),
}

impl<'de> Deserialize<'de> for TidPorts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Count(u16),
            Range(String),
        }
        let ports = match Either::deserialize(deserializer)? {
            Either::Count(count) => TidPorts::Count(count),
            Either::Range(text) => TidPorts::Range(text.parse().map_err(de::Error::custom)?),
        };
        Ok(ports)
    }
}

impl Serialize for TidPorts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            TidPorts::Count(count) => serializer.serialize_u16(count),
            TidPorts::Range(range) => serializer.collect_str(&range),
        }
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for TidPorts {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "TidPorts".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["integer", "string"],
            "format": "tid-ports",
            "minimum": 1,
            "maximum": MAX_TID_PORTS,
            "pattern": "^[0-9]+ ?- ?[0-9]+$"
        })
    }
}

/// Consecutive ports from 1 up: at least one, at most [`MAX_TID_PORTS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortRange {
    first: u16,
    last: u16,
}

impl PortRange {
    /// Returns the ports in ascending order.
    #[doc(hidden)]
    pub fn ports(self) -> RangeInclusive<u16> {
        self.first..=self.last
    }

    /// Returns the number of ports.
    #[doc(hidden)]
    pub fn count(self) -> u16 {
        self.last - self.first + 1
    }

    /// Returns whether the port is one of them.
    #[doc(hidden)]
    pub fn contains(self, port: u16) -> bool {
        self.ports().contains(&port)
    }

    /// Returns whether the ranges have a port in common.
    #[doc(hidden)]
    pub fn overlaps(self, other: PortRange) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

impl FromStr for PortRange {
    type Err = String;

    /// Parses `FIRST-LAST`. The error names the problem and the remedy.
    fn from_str(text: &str) -> Result<PortRange, String> {
        let Some((first, last)) = text.split_once('-') else {
            return Err(match text.trim().parse::<u16>() {
                Ok(number) => format!(
                    "`{text}` in quotes is text; write the number {number}, or a range such as 30000-30063"
                ),
                Err(_) => format!("`{text}` is not a number of ports, nor a range such as 30000-30063"),
            });
        };
        let port = |text: &str| match text.trim().parse::<u32>() {
            Ok(port @ 1..=65_535) => Ok(port as u16),
            Ok(port) => Err(format!("port {port} is out of range; a port is 1 to 65535")),
            Err(_) => Err(format!("`{}` is not a port; write a range such as 30000-30063", text.trim())),
        };
        let (first, last) = (port(first)?, port(last)?);
        if first > last {
            return Err(format!("`{text}` runs backwards; write {last}-{first}"));
        }
        if last - first >= MAX_TID_PORTS {
            let count = u32::from(last - first) + 1;
            return Err(format!("`{text}` has {count} ports; give a range of at most {MAX_TID_PORTS}"));
        }
        Ok(PortRange { first, last })
    }
}

impl fmt::Display for PortRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.first, self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_its_ends() {
        let range: PortRange = "30000-30010".parse().unwrap();
        assert_eq!((range.count(), range.to_string().as_str()), (11, "30000-30010"));
        assert!(range.contains(30_000) && range.contains(30_010) && !range.contains(30_011));
        assert_eq!("7 - 7".parse::<PortRange>().unwrap().count(), 1);
        assert_eq!("1-16384".parse::<PortRange>().unwrap().count(), MAX_TID_PORTS);
        for (other, overlaps) in
            [("30010-30020", true), ("29990-30000", true), ("30003-30004", true), ("30011-30020", false)]
        {
            assert_eq!(range.overlaps(other.parse().unwrap()), overlaps, "{other}");
            assert_eq!(other.parse::<PortRange>().unwrap().overlaps(range), overlaps, "{other}");
        }
    }

    #[test]
    fn each_bad_range_gets_its_own_advice() {
        for (text, advice) in [
            ("30010-30000", "write 30000-30010"),
            ("0-10", "port 0 is out of range"),
            ("30000-70000", "port 70000 is out of range"),
            ("1-16385", "has 16385 ports"),
            ("512", "write the number 512"),
            ("many", "is not a number of ports"),
            ("a-b", "`a` is not a port"),
            ("30000-", "`` is not a port"),
            ("-5", "`` is not a port"),
        ] {
            let error = text.parse::<PortRange>().unwrap_err();
            assert!(error.contains(advice), "{text}: {error}");
        }
    }
}
