//! Writes the fields of a line in the text format; no value can pass for another field or line.
//!
//! Clients choose paths, plugins choose messages. Ambiguous values are quoted; quotes, backslashes, control characters
//! and invisible ones (such as U+202E, which reverses the direction of text) are escaped as in Rust's string literals.

use std::error::Error;
use std::fmt::{self, Debug, Write};
use tracing::field::{Field, Visit};
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::Writer;
use tuffet_observe::list::is_list;
use tuffet_policy::PluginFields;

/// Writes the message, then `name=value` for each field.
pub(super) struct TextFields;

impl<'writer> FormatFields<'writer> for TextFields {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'writer>, fields: R) -> fmt::Result {
        let mut text = LineVisitor { writer, value: String::new(), first: true, result: Ok(()) };
        fields.record(&mut text);
        text.result
    }
}

struct LineVisitor<'writer> {
    writer: Writer<'writer>,
    /// Scratch space for the current value.
    value: String,
    first: bool,
    result: fmt::Result,
}

impl LineVisitor<'_> {
    fn write(&mut self, field: &Field, text: &str, quoted: bool) -> fmt::Result {
        if !std::mem::replace(&mut self.first, false) {
            self.writer.write_char(' ')?;
        }
        if field.name() == "message" {
            return write_text(&mut self.writer, text, is_plain(text) && !text.contains('='));
        }
        if self.writer.has_ansi_escapes() {
            write!(self.writer, "\x1b[3m{}\x1b[0m\x1b[2m=\x1b[0m", field.name())?;
        } else {
            write!(self.writer, "{}=", field.name())?;
        }
        // Lists quote their elements.
        write_text(&mut self.writer, text, !quoted && (is_single_word(text) || is_list(field.name())))
    }

    /// Writes a plugin's field. Its name needs no quotes.
    fn write_plugin_field(&mut self, name: &str, value: &str) -> fmt::Result {
        write!(self.writer, " {name}=")?;
        write_text(&mut self.writer, value, false)
    }

    fn add(&mut self, field: &Field, text: &str, quoted: bool) {
        // The crate `log` adds the origin of the line.
        if self.result.is_ok() && !field.name().starts_with("log.") {
            self.result = self.write(field, text, quoted);
        }
    }
}

impl Visit for LineVisitor<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, value, true);
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        match PluginFields::of(value) {
            Some(fields) => fields.iter().for_each(|(name, value)| {
                if self.result.is_ok() {
                    self.result = self.write_plugin_field(name, value);
                }
            }),
            None => self.record_debug(field, &format_args!("{value}")),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let mut text = std::mem::take(&mut self.value);
        text.clear();
        if write!(text, "{value:?}").is_err() {
            self.result = Err(fmt::Error);
        }
        self.add(field, &text, false);
        self.value = text;
    }
}

fn write_text(writer: &mut Writer<'_>, text: &str, bare: bool) -> fmt::Result {
    if bare { writer.write_str(text) } else { write!(writer, "{text:?}") }
}

/// Returns whether nothing needs an escape.
fn is_plain(text: &str) -> bool {
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
fn is_single_word(text: &str) -> bool {
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
