//! Log lines in the formats of other TFTP servers, for tools that parse them.
//!
//! Only lines about requests change; all others stay in the text format. Tools read syslog lines, `TIME HOST
//! LABEL[PID]: MESSAGE`. The journal adds the prefix itself, so it gets only the message.

use std::fmt::{self, Debug};
use std::fs;
use std::time::SystemTime;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::{Format, Full, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;
use tuffet_observe::dialect::{COMPATIBLE, Dialect};

/// Writes lines in a dialect.
pub(super) struct DialectLines {
    /// `HOST LABEL[PID]: `; `None` for the journal.
    origin: Option<String>,
    text: Format<Full>,
}

impl DialectLines {
    pub(super) fn new(dialect: Dialect, journal: bool, colours: bool) -> DialectLines {
        let origin = || {
            let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
            let host = host.trim();
            let host = if host.is_empty() { "localhost" } else { host };
            format!("{host} {}[{}]: ", dialect.label(), std::process::id())
        };
        DialectLines { origin: (!journal).then(origin), text: Format::default().with_ansi(colours) }
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
        let mut compatible = CompatibleLines(None);
        event.record(&mut compatible);
        let Some(lines) = compatible.0 else { return self.text.format_event(context, writer, event) };
        let time = humantime::format_rfc3339_micros(SystemTime::now()).to_string();
        // `-00:00` is UTC with an unknown local offset (RFC 3339 section 4.3); xCAT's probe needs a sign.
        let time = time.trim_end_matches('Z');
        for line in lines.lines() {
            match &self.origin {
                Some(origin) => writeln!(writer, "{time}-00:00 {origin}{line}")?,
                None => writeln!(writer, "{line}")?,
            }
        }
        Ok(())
    }
}

/// The field with the lines, if the event has it.
struct CompatibleLines(Option<String>);

impl Visit for CompatibleLines {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == COMPATIBLE {
            self.0 = Some(value.to_owned());
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}
}
