//! Writes the fields of a line in the text format; no value can pass for another field or line.
//!
//! Clients choose paths, plugins choose messages. Ambiguous values are quoted and escaped.

use std::error::Error;
use std::fmt::{self, Debug, Write};
use tracing::field::{Field, Visit};
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::Writer;
use tuffet_observe::list::is_list;
use tuffet_observe::word::{is_plain, is_single_word, quoted_unless};
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
            return quoted_unless(is_plain(text) && !text.contains('='), text, &mut self.writer);
        }
        if self.writer.has_ansi_escapes() {
            write!(self.writer, "\x1b[3m{}\x1b[0m\x1b[2m=\x1b[0m", field.name())?;
        } else {
            write!(self.writer, "{}=", field.name())?;
        }
        // Lists quote their elements.
        let bare = !quoted && (is_single_word(text) || is_list(field.name()));
        quoted_unless(bare, text, &mut self.writer)
    }

    /// Writes a plugin's field. Its name needs no quotes.
    fn write_plugin_field(&mut self, name: &str, value: &str) -> fmt::Result {
        write!(self.writer, " {name}=")?;
        quoted_unless(false, value, &mut self.writer)
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
