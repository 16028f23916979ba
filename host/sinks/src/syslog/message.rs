//! The messages of RFC 5424.

use std::borrow::Cow;
use std::fmt::{Display, Write as _};
use std::fs;
use std::time::{Duration, SystemTime};

use serde::Deserialize;
use serde_json::Value;
use tuffet_config::sinks::SyslogTarget;

/// The severity of a line without one.
const INFORMATIONAL: u8 = 6;

/// The longest HOSTNAME in bytes (section 6).
const MAX_HOST: usize = 255;

/// The parts that all messages of a sink share.
#[derive(Debug)]
pub(super) struct Header {
    facility: u8,
    /// HOSTNAME, APP-NAME, PROCID, MSGID and STRUCTURED-DATA.
    origin: String,
}

/// The fields of a line that set its time and severity.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Line {
    unix_ms: Option<Value>,
    level: Option<Value>,
    severity: Option<Value>,
}

impl Header {
    pub(super) fn new(target: &SyslogTarget) -> Header {
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let host: String = host.trim().chars().filter(char::is_ascii_graphic).take(MAX_HOST).collect();
        let host = if host.is_empty() { "-" } else { &host };
        let (name, process) = (&target.app_name, std::process::id());
        // The registered element for the sending program (section 7.2).
        let software =
            concat!(r#"[origin software="tuffet" swVersion=""#, env!("CARGO_PKG_VERSION"), r#""]"#);
        Header { facility: target.facility.number(), origin: format!("{host} {name} {process} - {software}") }
    }

    /// Appends the message of a line to the buffer. Its time is `unix_ms` of the line, or now.
    pub(super) fn write(&self, message: &mut String, line: &str) {
        let fields: Line = serde_json::from_str(line).unwrap_or_default();
        let time = fields.unix_ms.as_ref().and_then(Value::as_u64).map(Duration::from_millis);
        let time = time.and_then(|time| SystemTime::UNIX_EPOCH.checked_add(time)).filter(has_four_digit_year);
        let time = humantime::format_rfc3339_millis(time.unwrap_or_else(SystemTime::now));
        self.put(message, severity(&fields), time, line);
    }

    /// Appends the message of a line of the server's log: a severity as `<6>`, then JSON, or in the text format time,
    /// level and text. Time and level of a text are in the header instead.
    pub(super) fn write_logged(&self, message: &mut String, line: &str) {
        let (severity, line) = marked(line).unwrap_or((INFORMATIONAL, line));
        let (time, text) = match line.split_once(' ').filter(|(time, _)| is_time(time)) {
            // The level is one word.
            Some((time, rest)) => {
                (Some(time), rest.trim_start().split_once(' ').map_or(rest, |(_, text)| text))
            }
            None => (time_of_json(line), line),
        };
        match time {
            Some(time) => self.put(message, severity, time, text),
            None => self.put(message, severity, humantime::format_rfc3339_micros(SystemTime::now()), text),
        }
    }

    fn put(&self, message: &mut String, severity: u8, time: impl Display, line: &str) {
        let priority = 8 * self.facility + severity;
        // Writing to a String cannot fail.
        let _ = write!(message, "<{priority}>1 {time} {} ", self.origin);
        message.push_str(&text(line));
    }
}

/// Returns the severity that a line begins with, as `<6>`, and the line behind it.
fn marked(line: &str) -> Option<(u8, &str)> {
    let (severity, line) = line.strip_prefix('<')?.split_once('>')?;
    let severity = severity.parse().ok().filter(|severity| *severity <= 7)?;
    Some((severity, line))
}

/// Returns the time in an object of the log. No other key has this name.
fn time_of_json(line: &str) -> Option<&str> {
    let (_, rest) = line.strip_prefix('{')?.split_once("\"timestamp\":\"")?;
    rest.split('"').next().filter(|time| is_time(time))
}

/// Whether the text is a time of the log, in UTC with microseconds at most.
fn is_time(text: &str) -> bool {
    text.len() <= "2026-11-22T15:05:41.120394Z".len() && humantime::parse_rfc3339(text).is_ok()
}

/// Whether the year has at most four digits, as the format requires.
fn has_four_digit_year(time: &SystemTime) -> bool {
    time.duration_since(SystemTime::UNIX_EPOCH).is_ok_and(|time| time.as_secs() < 253_402_300_800)
}

/// Returns the severity from `level` or `severity`; 6, informational, by default.
fn severity(line: &Line) -> u8 {
    let word = line.level.as_ref().or(line.severity.as_ref()).and_then(Value::as_str);
    match word.map(str::to_ascii_lowercase).as_deref() {
        Some("emergency" | "emerg") => 0,
        Some("alert") => 1,
        Some("critical" | "crit" | "fatal") => 2,
        Some("error" | "err") => 3,
        Some("warning" | "warn") => 4,
        Some("notice") => 5,
        Some("debug" | "trace") => 7,
        _ => INFORMATIONAL,
    }
}

/// Returns the text of a line. Other text than ASCII must begin with a byte order mark (section 6.4), which JSON
/// parsers do not expect. So JSON gets equivalent escapes instead.
fn text(line: &str) -> Cow<'_, str> {
    if line.is_ascii() {
        return line.into();
    }
    if !line.starts_with(['{', '[', '"']) {
        return format!("\u{feff}{line}").into();
    }
    let mut text = String::with_capacity(line.len() + 32);
    for char in line.chars() {
        if char.is_ascii() {
            text.push(char);
        } else {
            for unit in char.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        }
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuffet_config::sinks::{Facility, SyslogAddress};

    fn target() -> SyslogTarget {
        SyslogTarget {
            address: SyslogAddress::Unix("/dev/log".into()),
            facility: Facility::Local0,
            app_name: "boot".into(),
            timeout: Duration::from_secs(1),
        }
    }

    fn message(line: &str) -> String {
        let mut message = String::new();
        Header::new(&target()).write(&mut message, line);
        message
    }

    #[test]
    fn the_line_sets_time_and_severity() {
        let line = r#"{"unix_ms":1700000000123,"level":"Warning"}"#;
        let message = message(line);
        assert!(message.starts_with("<132>1 2023-11-14T22:13:20.123Z "), "{message}");
        assert!(
            message.contains(&format!(" boot {} - [origin software=\"tuffet\" ", std::process::id())),
            "{message}"
        );
        assert!(message.ends_with(&format!("] {line}")), "{message}");
    }

    #[test]
    fn any_line_is_a_message() {
        for line in ["", "null", "{\"unix_ms\":-1,\"level\":7}", "{\"unix_ms\":18446744073709551615}", "{"] {
            let message = message(line);
            assert!(message.starts_with("<134>1 20") && message.ends_with(&format!("] {line}")), "{message}");
        }
    }

    #[test]
    fn a_line_of_the_log_has_time_and_severity_in_the_header() {
        let logged = |line: &str| {
            let mut message = String::new();
            Header::new(&target()).write_logged(&mut message, line);
            message
        };
        let time = "2026-11-22T15:05:41.120394Z";
        let message = logged(&format!("<4>{time}  WARN tuffet::x: it is so"));
        assert!(message.starts_with(&format!("<132>1 {time} ")), "{message}");
        assert!(message.ends_with("] tuffet::x: it is so"), "{message}");
        let json = format!(r#"{{"client":"a","timestamp":"{time}","level":"ERROR"}}"#);
        let message = logged(&format!("<3>{json}"));
        assert!(message.starts_with(&format!("<131>1 {time} ")) && message.ends_with(&format!("] {json}")));
        for plain in ["sent /srv/a to 192.0.2.7", "", "2026", "<9>x"] {
            let message = logged(plain);
            assert!(
                message.starts_with("<134>1 20") && message.ends_with(&format!("] {plain}")),
                "{message}"
            );
        }
    }

    #[test]
    fn json_stays_json_and_other_text_has_its_mark() {
        assert!(message("{\"a\":\"ü𝄞\"}").ends_with(r#"] {"a":"\u00fc\ud834\udd1e"}"#));
        assert!(message("größe").ends_with("] \u{feff}größe"));
    }
}
