//! Sizes and times in human notation: `64MiB`, `250ms`.

#[cfg(feature = "schema")]
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use bytesize::ByteSize;
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Bytes in a MiB.
pub const MIB: u64 = 1 << 20;
/// Bytes in a GiB.
pub const GIB: u64 = 1 << 30;

/// A number of bytes: `512`, `64KiB` (1024 each), `1GB` (1000 each).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteCount(pub u64);

/// A time: `250ms`, `4s`, `1m 30s`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimeSpan(pub Duration);

impl FromStr for ByteCount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.parse::<ByteSize>();
        parsed.map(|size| Self(size.as_u64())).map_err(|_| {
            let expected = "a size in bytes, such as 512, 64KiB or 1GB";
            rate(text).map_or(expected.into(), |bytes| {
                format!("{expected}: write {bytes}, which is per second for a rate")
            })
        })
    }
}

/// Returns the bytes per second of a rate, as a size: `5MB/s`, `40Mbit/s`.
fn rate(text: &str) -> Option<String> {
    let (text, bits) = if let Some(unit) = ["/s", "ps", "/sec"].iter().find_map(|end| text.strip_suffix(end))
    {
        (unit, unit.strip_suffix("bit").or_else(|| unit.strip_suffix('b')))
    } else {
        (text, Some(text.strip_suffix("bit")?))
    };
    let Some(bits) = bits else {
        return text.parse::<ByteSize>().ok().map(|_| text.to_owned());
    };
    let bits = format!("{}B", bits.to_uppercase()).parse::<ByteSize>().ok()?.as_u64();
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB"), (1, "")];
    let bytes = bits / 8;
    units.iter().find(|(unit, _)| bytes % unit == 0).map(|(unit, name)| format!("{}{name}", bytes / unit))
}

impl FromStr for TimeSpan {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = humantime::parse_duration(text);
        parsed.map(Self).map_err(|_| "a time with its unit, such as 250ms, 4s or 1m 30s".into())
    }
}

impl fmt::Display for ByteCount {
    /// Uses the largest unit that divides the number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
        match units.iter().find(|(bits, _)| self.0 >> bits != 0 && self.0.trailing_zeros() >= *bits) {
            Some((bits, unit)) => write!(f, "{}{unit}", self.0 >> bits),
            None => write!(f, "{}", self.0),
        }
    }
}

impl fmt::Display for TimeSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        humantime::format_duration(self.0).fmt(f)
    }
}

impl<'de> Deserialize<'de> for ByteCount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Number(u64),
            Text(String),
        }
        match Form::deserialize(deserializer)? {
            Form::Number(bytes) => Ok(Self(bytes)),
            Form::Text(text) => {
                text.parse().map_err(|expected| de::Error::custom(format!("expected {expected}")))
            }
        }
    }
}

impl<'de> Deserialize<'de> for TimeSpan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|expected| de::Error::custom(format!("expected {expected}")))
    }
}

impl Serialize for ByteCount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Serialize for TimeSpan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Serde functions for keys that are written as a [`ByteCount`] or [`TimeSpan`] and used as plain numbers and
/// durations: `#[serde(with = "plain")]`, beside the schema of the written type.
pub mod plain {
    use super::{ByteCount, TimeSpan};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::time::Duration;

    /// A value with a special notation.
    pub trait Plain: Copy {
        /// The type of the notation.
        type Notation: for<'de> Deserialize<'de> + Serialize;
        /// Returns the value of a notation.
        fn read(notation: Self::Notation) -> Self;
        /// Returns the notation of a value.
        fn show(self) -> Self::Notation;
    }

    /// Reads a value in its notation.
    ///
    /// # Errors
    /// It is no such notation.
    pub fn deserialize<'de, T: Plain, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
        T::Notation::deserialize(deserializer).map(T::read)
    }

    /// Writes a value in its notation.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<T: Plain, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        value.show().serialize(serializer)
    }

    impl Plain for Duration {
        type Notation = TimeSpan;

        fn read(notation: TimeSpan) -> Self {
            notation.0
        }

        fn show(self) -> TimeSpan {
            TimeSpan(self)
        }
    }

    impl Plain for u64 {
        type Notation = ByteCount;

        fn read(notation: ByteCount) -> Self {
            notation.0
        }

        fn show(self) -> ByteCount {
            ByteCount(self)
        }
    }

    impl Plain for usize {
        type Notation = ByteCount;

        fn read(notation: ByteCount) -> Self {
            usize::try_from(notation.0).unwrap_or(usize::MAX)
        }

        fn show(self) -> ByteCount {
            ByteCount(self as u64)
        }
    }

    impl<T: Plain> Plain for Option<T> {
        type Notation = Option<T::Notation>;

        fn read(notation: Self::Notation) -> Self {
            notation.map(T::read)
        }

        fn show(self) -> Self::Notation {
            self.map(T::show)
        }
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for ByteCount {
    fn schema_name() -> Cow<'static, str> {
        "ByteCount".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["string", "integer"],
            "format": "byte-count",
            "pattern": "^\\+?([0-9]+\\.?[0-9]*|\\.[0-9]+)\\s*([kKmMgGtTpPeE][iI]?)?[bB]?$",
            "minimum": 0,
        })
    }
}

/// The pattern of a time, for editors.
#[cfg(feature = "schema")]
const TIME: &str = "^\\s*(0|[0-9].*[A-Za-z])\\s*$";

#[cfg(feature = "schema")]
impl JsonSchema for TimeSpan {
    fn schema_name() -> Cow<'static, str> {
        "TimeSpan".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "format": "time-span",
            "pattern": TIME,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_shown() {
        for (text, bytes) in [
            ("512", 512),
            ("64KiB", 65536),
            ("64 KiB", 65536),
            ("1GB", 1_000_000_000),
            ("1.5MiB", 1_572_864),
            ("256M", 256_000_000),
            ("1g", 1_000_000_000),
        ] {
            assert_eq!(text.parse(), Ok(ByteCount(bytes)), "{text}");
        }
        for text in ["", "big", "-1", "12 bananas", "GiB"] {
            assert!(text.parse::<ByteCount>().is_err(), "{text}");
        }
        for (bytes, text) in [(0, "0"), (1000, "1000"), (1 << 30, "1GiB"), (1536, "1536"), (3 << 20, "3MiB")]
        {
            assert_eq!(ByteCount(bytes).to_string(), text);
        }
    }

    #[test]
    fn times_are_read_and_shown() {
        for (text, millis) in [("20ms", 20), ("4s", 4000), ("1m 30s", 90_000)] {
            assert_eq!(text.parse(), Ok(TimeSpan(Duration::from_millis(millis))), "{text}");
            assert_eq!(TimeSpan(Duration::from_millis(millis)).to_string(), text);
        }
        for text in ["", "4", "-4s", "soon", "4 parsecs"] {
            assert!(text.parse::<TimeSpan>().is_err(), "{text}");
        }
    }
}
