//! The map file: copied into the settings of the plugin `remap`.

use super::super::error::ImportError;
use super::super::place::Place;
use super::super::source;
use super::super::target::Target;
use super::super::yaml::Value;
use super::Version;
use super::flags::{Command, Meaning};
use std::path::Path;

/// Without `--secure` these rules come last: in.tftpd checks the name that the map has made.
const ABSOLUTE: &str = "~a ^/ Only\\ absolute\\ filenames\\ allowed";

pub(super) fn plan(
    command: &Command,
    version: Option<Version>,
    target: &mut Target,
) -> Result<(), ImportError> {
    let mut lines = String::new();
    let mut comments = Vec::new();
    let mut dialect = version.unwrap_or_else(|| guessed(command));
    if let Some(given) = command.last(Meaning::Map) {
        let path = Path::new(given.value());
        let text = source::read(path)
            .map_err(|error| ImportError::invalid(&given.place, format!("map file {error}")))?;
        comments.push(given.origin());
        let copied = format!("{} is copied here: import it again after a change", given.value());
        comments.push(target.report.differs(&given.place, copied));
        let rules = rules(&text);
        if version.is_none() {
            if rules.iter().any(Rule::is_new) {
                dialect = Version::V6;
            }
            for rule in rules.iter().filter(|rule| rule.differs()) {
                let text = "versions 5.2 and 6.0 read this rule in different ways (`s` restarts at the second or at \
                            the first rule, the text of `a` keeps the rest of the name or not); say which one you \
                            run: --server-version 5.2 or 6.0";
                comments.push(target.report.differs(&Place::file(path).line(rule.line), text));
            }
        }
        lines += &text;
        if !lines.ends_with('\n') {
            lines.push('\n');
        }
    }
    if !command.has(Meaning::Secure) {
        comments
            .push("Without --secure: the last rules refuse what in.tftpd refuses after the map.".to_owned());
        lines += &format!("{ABSOLUTE}\n~a {} Forbidden\\ directory\n", below(command));
    }
    if lines.is_empty() {
        return Ok(());
    }
    let dialect = match dialect {
        Version::V5 => "tftpd-hpa-5.2",
        Version::V6 => "tftpd-hpa-6.0",
    };
    target.remap.put("dialect", Value::text(dialect), []);
    target.remap.put("map", Value::Lines(lines), comments);
    Ok(())
}

/// Flags that 5.2 does not know show the version.
fn guessed(command: &Command) -> Version {
    let new = [Meaning::Service, Meaning::WindowSize, Meaning::WindowBytes, Meaning::MapSteps];
    let is_new = new.iter().any(|meaning| command.has(*meaning)) || command.all(Meaning::Address).count() > 1;
    if is_new { Version::V6 } else { Version::V5 }
}

/// Returns the regular expression of the names below one of the folders.
fn below(command: &Command) -> String {
    let folders: Vec<String> =
        command.folders.iter().map(|word| escaped(word.text.trim_end_matches('/'))).collect();
    format!("^({})/", folders.join("|"))
}

/// Escapes a text for a regular expression in a map, where white space and `#` end the field.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for it in text.chars() {
        if it.is_ascii_whitespace() || "\\.[]{}()*+?^$|#".contains(it) {
            escaped.push('\\');
        }
        escaped.push(it);
    }
    escaped
}

/// A line of a map with a rule.
struct Rule<'a> {
    line: usize,
    operations: &'a str,
    has_replacement: bool,
}

impl Rule<'_> {
    /// Whether the versions read it in different ways.
    fn differs(&self) -> bool {
        self.operations.contains('s') || (self.operations.contains('a') && self.has_replacement)
    }

    /// Whether only newer versions can read it.
    fn is_new(&self) -> bool {
        self.operations.starts_with(':')
            || self.operations.contains(['j', 'E'])
            || self.operations.matches('g').count() > 1
    }
}

fn rules(text: &str) -> Vec<Rule<'_>> {
    let numbered = text.lines().zip(1..);
    let rules = numbered.filter_map(|(line, number)| {
        let mut fields = line.split_ascii_whitespace();
        let operations = fields.next().filter(|first| !first.starts_with('#'))?;
        let has_replacement = fields.nth(1).is_some_and(|third| !third.starts_with('#'));
        Some(Rule { line: number, operations, has_replacement })
    });
    rules.collect()
}
