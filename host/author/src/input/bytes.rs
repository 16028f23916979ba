//! Contents in a case: text, or `hex: 00ff` for binary.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};

/// The bytes of a file, a value or a body.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged, expecting = "write a text, or `hex: 00ff` for bytes that are none")]
pub(crate) enum Bytes {
    Text(String),
    Hex(Hex),
}

/// Bytes as hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Hex {
    #[serde(deserialize_with = "digits")]
    hex: String,
}

impl Default for Bytes {
    fn default() -> Self {
        Bytes::Text(String::new())
    }
}

impl Bytes {
    pub fn of(bytes: &[u8]) -> Bytes {
        match std::str::from_utf8(bytes) {
            // Control characters would not survive every editor.
            Ok(text) if !text.contains(|c: char| c.is_control() && !"\n\t".contains(c)) => {
                Bytes::Text(text.into())
            }
            _ => {
                let mut hex = String::with_capacity(bytes.len() * 2);
                for byte in bytes {
                    let _ = write!(hex, "{byte:02x}"); // to a string: cannot fail
                }
                Bytes::Hex(Hex { hex })
            }
        }
    }

    pub fn bytes(&self) -> Vec<u8> {
        match self {
            Bytes::Text(text) => text.clone().into_bytes(),
            Bytes::Hex(Hex { hex }) => {
                let pairs = hex.as_bytes().chunks(2);
                let digit = |digit: u8| (digit as char).to_digit(16).unwrap_or(0) as u8;
                pairs.map(|pair| pair.iter().fold(0, |byte, next| byte << 4 | digit(*next))).collect()
            }
        }
    }
}

fn digits<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let hex = String::deserialize(deserializer)?;
    if hex.len() % 2 == 0 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        Ok(hex)
    } else {
        Err(de::Error::custom("hex has two hexadecimal digits for each byte, between quotes"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_what_is_none() {
        for (bytes, json) in
            [(&b"a\n"[..], r#""a\n""#), (&[0, 0xff], r#"{"hex":"00ff"}"#), (b"a\r\n", r#"{"hex":"610d0a"}"#)]
        {
            assert_eq!(serde_json::to_string(&Bytes::of(bytes)).unwrap(), json);
            assert_eq!(serde_json::from_str::<Bytes>(json).unwrap().bytes(), bytes);
        }
        for bad in [r#"{"hex":"0"}"#, r#"{"hex":"0g"}"#, r#"{"hex":"00","more":1}"#, "1"] {
            assert!(serde_json::from_str::<Bytes>(bad).is_err(), "{bad}");
        }
    }
}
