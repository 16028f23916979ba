//! Labels that plugins attach to requests.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The maximum length in bytes.
const MAX_LENGTH: usize = 32;

/// A label: 1 to 32 letters of ASCII, digits, `.`, `_` and `-`, so that it is one word in log lines and metrics.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(Arc<str>);

/// A text is no label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotALabel;

impl Label {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Label {
    type Err = NotALabel;

    fn from_str(text: &str) -> Result<Label, NotALabel> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        if (1..=MAX_LENGTH).contains(&text.len()) && text.bytes().all(is_plain) {
            return Ok(Label(text.into()));
        }
        Err(NotALabel)
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for NotALabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a label has 1 to {MAX_LENGTH} letters of ASCII, digits, `.`, `_` and `-`")
    }
}

impl std::error::Error for NotALabel {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_one_short_word() {
        for text in ["canary", "denied-by-inventory", "v1.2_3", &"x".repeat(32)] {
            assert_eq!(text.parse::<Label>().map(|label| label.to_string()).as_deref(), Ok(text));
        }
        for text in ["", "two words", "a=b", "größe", "a\n", &"x".repeat(33)] {
            assert_eq!(text.parse::<Label>(), Err(NotALabel), "{text:?}");
        }
    }
}
