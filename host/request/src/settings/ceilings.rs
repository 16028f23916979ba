//! Ceilings of option negotiation: for all transfers, those of a listener, or those of a profile.

use super::range::{MIN_RATE, OutOfRange, number, optional};
#[cfg(feature = "schema")]
use crate::units::ByteCount;
use crate::units::plain;
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::ops::RangeInclusive;
use tuffet_core::OptionName;

/// The windows that may be granted.
pub(super) const WINDOWS: RangeInclusive<u16> = 1..=32767;

/// The negotiation settings of a listener or a profile. Other settings apply where a field is `None`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", default)]
pub struct Ceilings {
    /// The largest granted block size, in bytes, or `auto`; instead of `transfer.max-blksize`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "MaxBlksize"))]
    pub max_blksize: Option<MaxBlksize>,
    /// The largest granted window, in blocks; instead of `transfer.max-windowsize`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "u16", range(min = 1, max = 32767)))]
    pub max_windowsize: Option<u16>,
    /// The number of blocks of a window that the server sends to one client per millisecond, for clients that
    /// lose faster bursts. Default: the whole window at once; the server then paces a transfer by itself if
    /// it keeps losing blocks at the same place of its windows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "u16", range(min = 1, max = 32767)))]
    pub burst: Option<u16>,
    /// The most bytes of file data per second, for each transfer; instead of `transfer.rate`.
    #[serde(skip_serializing_if = "Option::is_none", with = "plain")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "ByteCount", extend("x-minimum" = "1KiB", "x-maximum" = "4GB"))
    )]
    pub rate: Option<u64>,
    /// Which options the server acknowledges; missing options are as in `transfer.options`, and in a profile first as at the
    /// listener.
    pub options: OptionRules,
}

impl Ceilings {
    /// Returns the settings with missing keys taken from `others`.
    #[doc(hidden)]
    pub fn or(self, others: Ceilings) -> Ceilings {
        Ceilings {
            max_blksize: self.max_blksize.or(others.max_blksize),
            max_windowsize: self.max_windowsize.or(others.max_windowsize),
            burst: self.burst.or(others.burst),
            rate: self.rate.or(others.rate),
            options: self.options.or(others.options),
        }
    }
}

impl Ceilings {
    pub(super) fn check(&self, of: &str) -> Result<(), OutOfRange> {
        self.max_blksize.map_or(Ok(()), |most| most.check(of))?;
        optional(&format!("{of}.max_windowsize"), self.max_windowsize, WINDOWS)?;
        optional(&format!("{of}.burst"), self.burst, 1..=u16::MAX)?;
        optional(&format!("{of}.rate"), self.rate, MIN_RATE..=u64::MAX)
    }
}

/// The largest granted block size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaxBlksize {
    /// The largest block that fits into one packet on the route to the client.
    Auto,
    /// This many bytes, 8 to 65464.
    Bytes(u16),
}

impl MaxBlksize {
    pub(super) fn check(self, of: &str) -> Result<(), OutOfRange> {
        match self {
            MaxBlksize::Auto => Ok(()),
            MaxBlksize::Bytes(bytes) => number(&format!("{of}.max_blksize"), bytes, 8..=65464),
        }
    }

    /// Parses `auto`, for a key that also takes a number.
    ///
    /// # Errors
    /// What is wrong with the text, and the remedy.
    #[doc(hidden)]
    pub fn parse(text: &str) -> Result<MaxBlksize, String> {
        match (text, text.parse::<u16>()) {
            ("auto", _) => Ok(MaxBlksize::Auto),
            (_, Ok(number)) => Err(format!("`{text}` in quotes is text; write the number {number}, or auto")),
            _ => Err(format!("`{text}` is not a block size; give a number from 8 to 65464, or auto")),
        }
    }
}

impl<'de> Deserialize<'de> for MaxBlksize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Bytes(u16),
            Word(String),
        }
        match Either::deserialize(deserializer)? {
            Either::Bytes(bytes) => Ok(MaxBlksize::Bytes(bytes)),
            Either::Word(word) => MaxBlksize::parse(&word).map_err(de::Error::custom),
        }
    }
}

impl Serialize for MaxBlksize {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            MaxBlksize::Auto => serializer.serialize_str("auto"),
            MaxBlksize::Bytes(bytes) => serializer.serialize_u16(*bytes),
        }
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for MaxBlksize {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "MaxBlksize".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["integer", "string"],
            "format": "max-blksize",
            "minimum": 8,
            "maximum": 65464,
            "pattern": "^auto$"
        })
    }
}

/// Whether the server acknowledges an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum OptionRule {
    /// It acknowledges the option, within the other bounds.
    Acknowledge,
    /// It leaves the option out of its answer, as if it did not know it.
    Refuse,
}

/// Which options are acknowledged. The server leaves a refused option out of its answer, as if it did not know it
/// (RFC 2347); the client then goes on without it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct OptionRules {
    /// The block size (RFC 2348).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "OptionRule"))]
    pub blksize: Option<OptionRule>,
    /// The size of the file (RFC 2349).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "OptionRule"))]
    pub tsize: Option<OptionRule>,
    /// The retransmission time-out in seconds (RFC 2349).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "OptionRule"))]
    pub timeout: Option<OptionRule>,
    /// The window (RFC 7440).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "OptionRule"))]
    pub windowsize: Option<OptionRule>,
    /// The block number that follows 65535 (tftp-hpa). Refused by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "OptionRule"))]
    pub rollover: Option<OptionRule>,
    /// The block size, rounded down to a power of two (tftp-hpa). Refused by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "OptionRule"))]
    pub blksize2: Option<OptionRule>,
    /// The retransmission time-out in microseconds (tftp-hpa). Refused by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "OptionRule"))]
    pub utimeout: Option<OptionRule>,
    /// Windows of a size that each ACK chooses (Windows Deployment Services). Refused by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "OptionRule"))]
    pub msftwindow: Option<OptionRule>,
}

impl OptionRules {
    /// Returns the rules with missing ones taken from `others`.
    #[doc(hidden)]
    pub fn or(self, others: OptionRules) -> OptionRules {
        OptionRules {
            blksize: self.blksize.or(others.blksize),
            tsize: self.tsize.or(others.tsize),
            timeout: self.timeout.or(others.timeout),
            windowsize: self.windowsize.or(others.windowsize),
            rollover: self.rollover.or(others.rollover),
            blksize2: self.blksize2.or(others.blksize2),
            utimeout: self.utimeout.or(others.utimeout),
            msftwindow: self.msftwindow.or(others.msftwindow),
        }
    }

    /// Returns the rule for an option.
    #[doc(hidden)]
    pub fn of(&self, option: OptionName) -> Option<OptionRule> {
        match option {
            OptionName::Blksize => self.blksize,
            OptionName::Timeout => self.timeout,
            OptionName::Tsize => self.tsize,
            OptionName::Windowsize => self.windowsize,
            OptionName::Rollover => self.rollover,
            OptionName::Blksize2 => self.blksize2,
            OptionName::Utimeout => self.utimeout,
            OptionName::Msftwindow => self.msftwindow,
        }
    }
}
