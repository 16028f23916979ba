//! Lines about requests, for people or in the formats of other TFTP servers; of all others, some are sentences, and the
//! rest have fields.
//!
//! Tools read syslog lines, `TIME HOST LABEL[PID]: MESSAGE`. The journal adds the prefix itself, so it gets only the
//! message. People get time and level before it.

use super::form::{CurrentForm, Form};
use super::sentences::sentence;
use std::fmt::{self, Debug};
use std::fs;
use std::time::SystemTime;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::{Format, Full, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;
use tuffet_observe::dialect::{COMPATIBLE, Dialect};

/// Writes lines in a dialect.
pub(super) struct DialectLines {
    form: CurrentForm,
    host: String,
    text: Format<Full>,
}

impl DialectLines {
    pub(super) fn new(form: CurrentForm) -> DialectLines {
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let host = host.trim();
        let host = if host.is_empty() { "localhost" } else { host }.to_owned();
        DialectLines { form, host, text: Format::default() }
    }

    /// Writes the lines of a request, one for each of `lines`.
    fn request(
        &self,
        writer: &mut Writer<'_>,
        form: Form,
        time: &str,
        level: Level,
        lines: &str,
    ) -> fmt::Result {
        for line in lines.lines() {
            match form.dialect().and_then(Dialect::label) {
                None => {
                    begin(writer, time, level)?;
                    writeln!(writer, "{line}")?;
                }
                // The journal and syslog have the rest.
                Some(_) if form.prioritised => writeln!(writer, "{line}")?,
                // `-00:00` is UTC with an unknown local offset (RFC 3339 section 4.3); xCAT's probe needs a sign.
                Some(label) => {
                    let (time, host, process) = (time.trim_end_matches('Z'), &self.host, std::process::id());
                    writeln!(writer, "{time}-00:00 {host} {label}[{process}]: {line}")?;
                }
            }
        }
        Ok(())
    }
}

impl<S, N> FormatEvent<S, N> for DialectLines
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
        let form = self.form.get();
        if writer.has_ansi_escapes() && !form.colours {
            let mut line = String::new();
            self.format_event(context, Writer::new(&mut line), event)?;
            return writer.write_str(&line);
        }
        let mut compatible = CompatibleLines(None);
        event.record(&mut compatible);
        let time = humantime::format_rfc3339_micros(SystemTime::now()).to_string();
        let Some(lines) = compatible.0 else {
            let Some(sentence) = sentence(event) else {
                return self.text.format_event(context, writer, event);
            };
            let (level, target) = (*event.metadata().level(), event.metadata().target());
            begin(&mut writer, &time, level)?;
            return match writer.has_ansi_escapes() {
                true => writeln!(writer, "\x1b[2m{target}:\x1b[0m {sentence}"),
                false => writeln!(writer, "{target}: {sentence}"),
            };
        };
        self.request(&mut writer, form, &time, *event.metadata().level(), &lines)
    }
}

/// Writes time and level.
fn begin(writer: &mut Writer<'_>, time: &str, level: Level) -> fmt::Result {
    if writer.has_ansi_escapes() {
        return write!(writer, "\x1b[2m{time}\x1b[0m \x1b[{}m{level:>5}\x1b[0m ", colour(level));
    }
    write!(writer, "{time} {level:>5} ")
}

/// The colours of all other lines.
fn colour(level: Level) -> u8 {
    match level {
        Level::ERROR => 31,
        Level::WARN => 33,
        Level::INFO => 32,
        Level::DEBUG => 34,
        Level::TRACE => 35,
    }
}

/// The field with the lines, if the event has it.
struct CompatibleLines(Option<String>);

impl Visit for CompatibleLines {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == COMPATIBLE {
            self.0 = Some(format!("{value:?}"));
        }
    }
}
