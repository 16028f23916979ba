//! Lines in JSON. Lines of plugins have the plugin's fields beside the server's. In lines of the server, lists are
//! arrays.
//!
//! The formatter of `tracing-subscriber` writes all other fields: they are known at build time.

use serde_json::{Map, Value};
use std::error::Error;
use std::fmt::{self, Debug};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::{Format, Json, Writer};
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;
use tuffet_observe::list::{is_list, with_arrays};
use tuffet_policy::PluginFields;

/// The target of lines that plugins write.
const PLUGIN_TARGET: &str = "tuffet::plugin";

/// Writes an object for each line.
pub(super) struct JsonLines(Format<Json>);

impl JsonLines {
    pub(super) fn new() -> JsonLines {
        JsonLines(Format::default().json().flatten_event(true))
    }
}

impl<S, N> FormatEvent<S, N> for JsonLines
where
    S: Subscriber + for<'lookup> LookupSpan<'lookup>,
    N: for<'writer> FormatFields<'writer> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let about = event.metadata();
        if about.target() != PLUGIN_TARGET {
            // Only fields of the server become arrays; those of plugins stay text.
            if !about.fields().iter().any(|field| is_list(field.name())) {
                return self.0.format_event(context, writer, event);
            }
            let mut line = String::new();
            self.0.format_event(context, Writer::new(&mut line), event)?;
            return writer.write_str(with_arrays(&line).as_deref().unwrap_or(&line));
        }
        let mut time = String::new();
        SystemTime.format_time(&mut Writer::new(&mut time))?;
        let mut fields = JsonVisitor(Map::new());
        event.record(&mut fields);
        let mut line = fields.0;
        line.insert("timestamp".into(), time.into());
        line.insert("level".into(), about.level().as_str().into());
        line.insert("target".into(), about.target().into());
        writeln!(writer, "{}", Value::Object(line))
    }
}

struct JsonVisitor(Map<String, Value>);

impl JsonVisitor {
    fn put(&mut self, field: &Field, value: impl Into<Value>) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}

impl Visit for JsonVisitor {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value);
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        match PluginFields::of(value) {
            Some(fields) => {
                self.0.extend(fields.iter().map(|(name, value)| (name.to_owned(), value.to_owned().into())));
            }
            None => self.put(field, value.to_string()),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.put(field, format!("{value:?}"));
    }
}
