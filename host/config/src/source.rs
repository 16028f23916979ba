//! The source of a configuration, for the place of each problem: a position in a file, or a flag of the command line.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::error::{ConfigError, Position, Problem, ProblemPlace};
use super::slips;
use super::tree::{self, Node, Side};
use crate::inaccessible::remedy;

/// The largest configuration file in bytes. A larger file is no configuration.
const MAX_FILE: u64 = 16 * 1024 * 1024;

/// A problem at a JSON pointer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The pointer (RFC 6901).
    pub pointer: String,
    pub(super) side: Side,
    /// What is wrong and how to fix it.
    pub message: String,
}

impl Finding {
    /// Returns whether the key is wrong, not its value.
    pub fn is_of_key(&self) -> bool {
        matches!(self.side, Side::Key)
    }

    /// Creates a problem of a value.
    pub fn value(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), side: Side::Value, message: message.into() }
    }

    /// Creates a problem of a key, such as an unknown one.
    pub fn key(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), side: Side::Key, message: message.into() }
    }
}

/// The positions of the values of a configuration.
#[derive(Debug, Clone, Default)]
pub(super) struct Source {
    file: Option<File>,
    /// The replaced parts: the pointer of a section and the flag.
    flags: Vec<(&'static str, &'static str)>,
}

/// A file that was read.
#[derive(Debug, Clone)]
struct File {
    path: PathBuf,
    /// Whether the path names the file.
    named: bool,
    tree: Arc<Node>,
    /// What it says; secrets are named, not contained.
    value: Arc<serde_json::Value>,
    end: Position,
    /// The beginning of the SHA-256 of the text, in hexadecimal.
    digest: String,
}

impl Source {
    /// Records that a flag set everything below `pointer`.
    pub(super) fn replace(&mut self, pointer: &'static str, flag: &'static str) {
        self.flags.push((pointer, flag));
    }

    /// Returns the path of the file.
    pub(super) fn file(&self) -> Option<&Path> {
        self.file.as_ref().filter(|file| file.named).map(|file| file.path.as_path())
    }

    /// Returns the digest of the file.
    pub(super) fn digest(&self) -> Option<&str> {
        self.file.as_ref().map(|file| file.digest.as_str())
    }

    /// Returns what the file says; `None` for flags alone.
    pub(super) fn value(&self) -> Option<&serde_json::Value> {
        self.file.as_ref().map(|file| &*file.value)
    }

    pub(super) fn position(&self, pointer: &str) -> Option<Position> {
        match self.place(pointer, Side::Value) {
            ProblemPlace::Position(_, position) => Some(position),
            ProblemPlace::Flag(_) | ProblemPlace::File(_) => None,
        }
    }

    pub(super) fn key_position(&self, pointer: &str) -> Option<Position> {
        match self.place(pointer, Side::Key) {
            ProblemPlace::Position(_, position) if self.contains(pointer) => Some(position),
            _ => None,
        }
    }

    /// Returns whether the file has a value at the pointer that no flag replaced.
    pub(super) fn contains(&self, pointer: &str) -> bool {
        self.flag(pointer).is_none() && self.file.as_ref().is_some_and(|file| file.tree.contains(pointer))
    }

    /// Returns whether a flag set everything below the pointer.
    pub(super) fn is_replaced(&self, pointer: &str) -> bool {
        self.flag(pointer).is_some()
    }

    pub(super) fn error(&self, findings: Vec<Finding>) -> ConfigError {
        let problem = |finding: Finding| Problem {
            place: self.place(&finding.pointer, finding.side),
            message: finding.message,
        };
        ConfigError::new(findings.into_iter().map(problem).collect())
    }

    fn place(&self, pointer: &str, side: Side) -> ProblemPlace {
        match (self.flag(pointer), &self.file) {
            (Some(flag), _) => ProblemPlace::Flag(flag),
            (None, Some(File { path, tree, end, .. })) => {
                ProblemPlace::Position(path.clone(), tree.locate(pointer, side).min(*end))
            }
            (None, None) => ProblemPlace::Flag("the command line"),
        }
    }

    fn flag(&self, pointer: &str) -> Option<&'static str> {
        let below = |section: &str| {
            pointer.strip_prefix(section).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.flags.iter().find(|(section, _)| below(section)).map(|(_, flag)| *flag)
    }
}

/// Reads a YAML file: its positions and its value. `needs` names the missing content of an empty file, for the error.
pub(super) fn read(path: &Path, needs: &str) -> Result<(Source, serde_json::Value), ConfigError> {
    let file = std::fs::File::open(path).map_err(|error| unreadable(path, &error))?;
    let mut read = read_from(path, file, needs)?;
    if let Some(file) = &mut read.0.file {
        file.named = true;
    }
    Ok(read)
}

/// Reads YAML from a reader; errors show it as `path`.
pub(super) fn read_from(
    path: &Path,
    input: impl Read,
    needs: &str,
) -> Result<(Source, serde_json::Value), ConfigError> {
    let text = read_text(path, input)?;
    let end = end_of(&text);
    let at = |position: Position| ProblemPlace::Position(path.to_owned(), position.min(end));
    let tree = tree::parse(&text).map_err(|faults| {
        ConfigError::new(
            faults.into_iter().map(|(position, message)| Problem { place: at(position), message }).collect(),
        )
    })?;
    let Some(tree) = tree else {
        let message = format!("the file is empty; it needs {needs}");
        return Err(ConfigError::one(ProblemPlace::File(path.to_owned()), message));
    };
    let value: serde_json::Value = serde_yaml::from_str(&text).map_err(|error| {
        let spot = error.location().map(|spot| Position { line: spot.line(), column: spot.column() });
        if let Some((spot, message)) = spot.and_then(|spot| slips::explain(&text, spot)) {
            return ConfigError::one(at(spot), message);
        }
        let place = spot.map_or_else(|| ProblemPlace::File(path.to_owned()), at);
        ConfigError::one(place, format!("this cannot be parsed: {error}; simplify it"))
    })?;
    let its = Arc::new(value.clone());
    let file = File { path: path.to_owned(), named: false, tree, value: its, end, digest: digest(&text) };
    Ok((Source { file: Some(file), flags: Vec::new() }, value))
}

/// Returns a prefix of the SHA-256 of a text, long enough to distinguish revisions.
pub fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Converts all line breaks to line feeds, so that all parts count the same lines.
fn with_line_feeds(text: String) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text }
}

/// Returns the position after the last character. (The parser reports a missing end on a line that does not
/// exist.)
fn end_of(text: &str) -> Position {
    let last = text.rsplit('\n').next().unwrap_or_default();
    Position { line: text.matches('\n').count() + 1, column: last.chars().count() + 1 }
}

fn unreadable(path: &Path, error: &std::io::Error) -> ConfigError {
    ConfigError::one(ProblemPlace::File(path.to_owned()), advice(path, error))
}

fn read_text(path: &Path, input: impl Read) -> Result<String, ConfigError> {
    let whole = |message: String| ConfigError::one(ProblemPlace::File(path.to_owned()), message);
    let mut bytes = Vec::new();
    input.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(whole(format!(
            "the file is larger than {MAX_FILE} bytes; check that this is the configuration"
        )));
    }
    // Windows editors begin UTF-8 with a byte order mark.
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        bytes.drain(..3);
    }
    String::from_utf8(bytes).map(with_line_feeds).map_err(|error| {
        let good = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
        let good = with_line_feeds(good.into_owned());
        let message = "the text is not UTF-8 from here on; save the file as UTF-8";
        ConfigError::one(ProblemPlace::Position(path.to_owned(), end_of(&good)), message)
    })
}

fn advice(path: &Path, error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file; correct the path".into(),
        std::io::ErrorKind::IsADirectory => "this is a folder; name the YAML file in it".into(),
        std::io::ErrorKind::PermissionDenied => {
            format!("no permission to read the file; {}", remedy(path, "let this user read it"))
        }
        _ => format!("the file cannot be read: {error}; check the path"),
    }
}
