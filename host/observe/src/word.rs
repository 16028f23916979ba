//! Texts in lines for people: bare if they read as one value, otherwise quoted, with quotes, backslashes, control
//! characters and invisible ones (such as U+202E, which reverses the direction of text) escaped as in Rust's string
//! literals.

use std::fmt::{self, Write};

/// Writes the text as it is if it may be `bare`, otherwise quoted.
///
/// # Errors
/// Those of the output.
pub fn quoted_unless(bare: bool, text: &str, into: &mut dyn Write) -> fmt::Result {
    if bare { into.write_str(text) } else { write!(into, "{text:?}") }
}

/// Returns whether nothing needs an escape.
pub fn is_plain(text: &str) -> bool {
    struct Length(usize);
    impl Write for Length {
        fn write_str(&mut self, part: &str) -> fmt::Result {
            self.0 += part.len();
            Ok(())
        }
    }
    let mut escaped = Length(0);
    write!(escaped, "{text:?}").is_ok() && escaped.0 == text.len() + 2
}

/// Returns whether the text reads as one value.
pub fn is_single_word(text: &str) -> bool {
    !text.is_empty() && !text.contains([' ', '=']) && is_plain(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unambiguous_values_are_bare() {
        for word in ["small", "a/b-c.d:1", "10.0.0.9:7", "[::1]:69", "größe", "它", "0.5"] {
            assert!(is_single_word(word), "{word}");
        }
        for text in ["", "x outcome=served", "a b", "a=b", "\"a", "a\\b", "a\tb", "a\u{a0}b", "a\u{3000}b"] {
            assert!(!is_single_word(text), "{text:?}");
        }
        assert!(is_plain("the server's listener: 3 workers"));
    }

    #[test]
    fn invisible_characters_are_escaped() {
        let control = (0..0xA0).filter_map(char::from_u32).filter(|char| char.is_control());
        let format = [
            '\u{ad}',
            '\u{61c}',
            '\u{200b}',
            '\u{200e}',
            '\u{200f}',
            '\u{2028}',
            '\u{2029}',
            '\u{202a}',
            '\u{202e}',
            '\u{2060}',
            '\u{2066}',
            '\u{2067}',
            '\u{2068}',
            '\u{2069}',
            '\u{206a}',
            '\u{feff}',
            '\u{fff9}',
            '\u{e0001}',
        ];
        for char in control.chain(format) {
            let text = format!("a{char}b");
            assert!(!is_plain(&text), "{char:?}");
            assert!(!format!("{text:?}").contains(char), "{char:?}");
        }
    }
}
