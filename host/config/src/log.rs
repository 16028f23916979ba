//! The section `log`. Flags override its keys; a reload may change all of it.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::address::path_schema;
use super::resolver::Resolver;
use super::sinks::{FileTarget, Rotate, SinkSpec, SinkTarget, SyslogTarget, WrittenSyslog};

/// The levels and the targets that `level` names if nothing else does.
const DEFAULT_LEVEL: &str = "info";

/// What the server logs, in which form, and where to.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct WrittenLog {
    /// What to log: a level (`error`, `warn`, `info`, `debug`, `trace`, `off`), or directives such as
    /// `warn,tuffet::transfer=info`, see [filter](logs.md#filter). `--log` overrides it.
    #[schemars(schema_with = "level_schema")]
    pub level: String,
    /// The format of lines: `text` for people, `json` with an object for each line; `tftp-hpa` and `dnsmasq` for tools
    /// that read requests of those servers. `--log-format` overrides it.
    pub format: LogFormat,
    /// Where the lines go, see [logs](logs.md#where-the-log-goes): `stderr`, `syslog` for the local syslog server, or a
    /// mapping. `--log-to` overrides it.
    pub to: WrittenTarget,
    /// Whether a transfer has a line when it begins, beside the one when it ends. At most 200 a second have their own.
    pub started: bool,
}

/// Where the log goes, if it is not standard error: one of `file` and `syslog`.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct WrittenPlace {
    /// A file, relative to this one. Each reload opens it again, and so does the server within a second after
    /// another program has renamed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "path_schema")]
    pub file: Option<PathBuf>,
    /// When to rotate the file: rename it to its name, a dot and the time. Needs `file`. Default: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotate: Option<Rotate>,
    /// A syslog server that receives a message (RFC 5424) for each line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub syslog: Option<WrittenSyslog>,
}

/// Where the log goes, as written: a word or a mapping.
#[derive(Debug, Clone)]
pub(crate) enum WrittenTarget {
    /// `stderr`.
    Stderr,
    /// `syslog`: the local server.
    Syslog,
    /// A mapping.
    Place(Box<WrittenPlace>),
}

/// The log of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogSpec {
    /// The levels and directives. Not checked: the writer of the log knows the targets.
    pub level: String,
    /// The format of lines.
    pub format: LogFormat,
    /// Where the lines go.
    pub to: LogTarget,
    /// Whether a transfer has a line when it begins.
    pub started: bool,
}

/// Where the log goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogTarget {
    /// Standard error.
    Stderr,
    /// A file.
    File(FileTarget),
    /// A syslog server.
    Syslog(SyslogTarget),
}

/// The format of log lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// An object for each line.
    Json,
    /// Requests as tftpd-hpa logs them, all else as text.
    TftpHpa,
    /// Requests as dnsmasq logs them, all else as text.
    Dnsmasq,
}

impl Default for WrittenLog {
    fn default() -> Self {
        Self {
            level: DEFAULT_LEVEL.into(),
            format: LogFormat::Text,
            to: WrittenTarget::Stderr,
            started: false,
        }
    }
}

impl Default for LogSpec {
    fn default() -> Self {
        Self { level: DEFAULT_LEVEL.into(), format: LogFormat::Text, to: LogTarget::Stderr, started: false }
    }
}

impl LogSpec {
    /// Returns the file, if the log goes to one.
    pub fn file(&self) -> Option<&FileTarget> {
        match &self.to {
            LogTarget::File(file) => Some(file),
            LogTarget::Stderr | LogTarget::Syslog(_) => None,
        }
    }
}

impl LogFormat {
    /// All formats.
    pub const ALL: [LogFormat; 4] =
        [LogFormat::Text, LogFormat::Json, LogFormat::TftpHpa, LogFormat::Dnsmasq];

    /// Returns its word.
    pub fn as_str(self) -> &'static str {
        match self {
            LogFormat::Text => "text",
            LogFormat::Json => "json",
            LogFormat::TftpHpa => "tftp-hpa",
            LogFormat::Dnsmasq => "dnsmasq",
        }
    }
}

impl FromStr for LogFormat {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let known = LogFormat::ALL.into_iter().find(|format| format.as_str() == word);
        known.ok_or_else(|| format!("`{word}` is no format; write text, json, tftp-hpa or dnsmasq"))
    }
}

impl WrittenTarget {
    /// Parses the value of `--log-to`: a word, or else a file, relative to the current folder.
    ///
    /// # Errors
    /// The current folder is unknown, or the text is empty.
    pub(super) fn of_flag(text: &str) -> Result<WrittenTarget, String> {
        if let Ok(target) = text.parse() {
            return Ok(target);
        }
        let file = std::path::absolute(text)
            .map_err(|error| format!("{error}; write `stderr`, `syslog` or a file"))?;
        Ok(WrittenTarget::Place(Box::new(WrittenPlace { file: Some(file), ..WrittenPlace::default() })))
    }
}

impl FromStr for WrittenTarget {
    type Err = String;

    /// Parses a word; anything else is a mistake, with what it may mean.
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "stderr" => Ok(WrittenTarget::Stderr),
            "syslog" => Ok(WrittenTarget::Syslog),
            path if path.contains('/') => Err(format!("`{path}` is a path: write `to: {{ file: {path} }}`")),
            "file" => Err("the file has no name: write `to: { file: /var/log/tuffet/tuffet.log }`".into()),
            "journal" | "journald" | "stdout" => Err(format!(
                "`{text}` is no target; write `stderr`: systemd's journal has what a service writes there"
            )),
            _ => Err(format!(
                "`{text}` is no target; write `stderr`, `syslog`, or a file as `to: {{ file: /var/log/tuffet/tuffet.log }}`"
            )),
        }
    }
}

/// Returns the complaint about a word for `to`.
pub(super) fn target_complaint(text: &str) -> Option<String> {
    text.parse::<WrittenTarget>().err()
}

/// Returns the complaint about a text for `level` that is no filter at all.
pub(super) fn level_complaint(text: &str) -> Option<String> {
    match text {
        "" => Some("the level is empty; write one, such as `info`".into()),
        path if path.contains('/') => {
            Some(format!("`{path}` is a path, not a level: write `to: {{ file: {path} }}`"))
        }
        _ => None,
    }
}

impl fmt::Display for LogTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LogTarget::Stderr => f.write_str("standard error"),
            LogTarget::File(file) => file.path.display().fmt(f),
            LogTarget::Syslog(syslog) => write!(f, "syslog at {}", syslog.address),
        }
    }
}

impl<'de> Deserialize<'de> for WrittenTarget {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Word(String),
            Place(Box<WrittenPlace>),
        }
        match Either::deserialize(deserializer)? {
            Either::Word(word) => word.parse().map_err(de::Error::custom),
            Either::Place(place) => Ok(WrittenTarget::Place(place)),
        }
    }
}

impl Serialize for WrittenTarget {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            WrittenTarget::Stderr => serializer.serialize_str("stderr"),
            WrittenTarget::Syslog => serializer.serialize_str("syslog"),
            WrittenTarget::Place(place) => place.serialize(serializer),
        }
    }
}

impl JsonSchema for WrittenTarget {
    fn schema_name() -> Cow<'static, str> {
        "LogTarget".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let place = WrittenPlace::json_schema(generator);
        json_schema!({
            "type": ["string", "object"],
            "format": "log-target",
            "pattern": "^(stderr|syslog)$",
            "properties": place.get("properties"),
            "additionalProperties": false,
        })
    }
}

fn level_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "format": "log-level", "default": DEFAULT_LEVEL })
}

impl Resolver<'_> {
    pub(crate) fn log(&mut self, written: WrittenLog, sinks: &[SinkSpec]) -> LogSpec {
        let WrittenLog { level, format, to, started } = written;
        let log = LogSpec { level, format, to: self.log_target(to), started };
        // Each would rotate the file of the other.
        let is_same = |sink: &&SinkSpec| match (&sink.target, log.file()) {
            (SinkTarget::File(its), Some(file)) => its.path == file.path,
            _ => false,
        };
        if let Some(sink) = sinks.iter().find(is_same) {
            let message = format!("the sink `{}` has the same file; give each its own", sink.name);
            self.wrong("/log/to/file", message);
        }
        log
    }

    fn log_target(&mut self, to: WrittenTarget) -> LogTarget {
        let pointer = "/log/to";
        let WrittenPlace { file, rotate, syslog } = match to {
            WrittenTarget::Stderr => return LogTarget::Stderr,
            WrittenTarget::Syslog => {
                let local = WrittenSyslog::default();
                return self.sink_syslog(pointer, &local).map_or(LogTarget::Stderr, LogTarget::Syslog);
            }
            WrittenTarget::Place(place) => *place,
        };
        match (file, syslog) {
            (Some(_), Some(_)) => {
                self.wrong(
                    format!("{pointer}/syslog"),
                    "the log has both `file` and `syslog`; remove one of them (a syslog server can write files, too)",
                );
            }
            (None, None) => {
                let message = match rotate {
                    Some(_) => "`rotate` has no effect without `file`; add `file: PATH`",
                    None => "it names no place; write `to: stderr`, `to: syslog` or `to: { file: PATH }`",
                };
                self.wrong(pointer, message);
            }
            (Some(file), None) => {
                self.check_rotation(pointer, rotate.as_ref());
                return LogTarget::File(self.sink_file(&format!("{pointer}/file"), &file, rotate, None));
            }
            (None, Some(syslog)) => {
                if rotate.is_some() {
                    self.wrong_key(
                        format!("{pointer}/rotate"),
                        "`rotate` has no effect without `file`; remove it",
                    );
                }
                let target = self.sink_syslog(&format!("{pointer}/syslog"), &syslog);
                return target.map_or(LogTarget::Stderr, LogTarget::Syslog);
            }
        }
        LogTarget::Stderr
    }
}
