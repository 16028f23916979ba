//! Settings of the plugin `remap`: the map file, and the rule that names are absolute.

use super::flags::{self, Command, GivenFlag, Meaning};
use crate::error::ImportError;
use crate::location::Location;
use crate::server::Version;
use crate::target::Target;
use crate::yaml::{Map, Value};
use crate::{folders, map_file, source};
use std::path::Path;

/// `names` are those of the roots, in the order of the folders.
pub(super) fn plan(
    command: &Command,
    names: &[String],
    version: Option<Version>,
    target: &mut Target,
) -> Result<(), ImportError> {
    let given = command.last(Meaning::Map);
    if !command.has(Meaning::Secure) {
        let mut list = Vec::new();
        for (word, name) in command.folders.iter().zip(names) {
            let mut folder = Map::default();
            folder.put("path", Value::text(folders::absolute(word)?.display().to_string()), []);
            folder.put("root", Value::text(name), []);
            list.push(folder);
        }
        let why = "Without --secure: names must be absolute, and lie below one of these folders.".to_owned();
        target.remap.settings.put("also-at", Value::List(list), [why]);
    }
    given.map_or(Ok(()), |given| put(command, given, names, version, target))
}

/// Sets the map: the plugin reads the file, or gets a copy of it.
fn put(
    command: &Command,
    given: &GivenFlag,
    names: &[String],
    version: Option<Version>,
    target: &mut Target,
) -> Result<(), ImportError> {
    let path = Path::new(given.value());
    let text = source::read(path)
        .map_err(|error| ImportError::invalid(&given.location, format!("map file {error}")))?;
    let rules = rules(&text);
    let is_new = rules.iter().any(Rule::is_new) && version.is_none();
    let dialect = match version.unwrap_or_else(|| guessed(command)) {
        Version::Hpa5_2 if !is_new => "tftpd-hpa-5.2",
        _ => "tftpd-hpa-6.0",
    };
    let mut comments = vec![given.origin()];
    for rule in rules.iter().filter(|rule| version.is_none() && rule.differs()) {
        let text = "versions 5.2 and 6.0 read this rule in different ways (`s` restarts at the second or at the \
                    first rule, the text of `a` keeps the rest of the name or not); say which one you run: \
                    --server-version 5.2 or 6.0";
        comments.push(target.report.differs(&Location::file(path).line(rule.line), text));
    }
    if rules.iter().any(Rule::asks_for_files) {
        target.remap.grants.extend(names.iter().map(|name| format!("files/{name}")));
    }
    if rules.is_empty() {
        // Nothing is rewritten, and an empty map is an error.
        return Ok(());
    }
    if command.has(Meaning::Secure) {
        names.iter().for_each(|name| target.remap.settings.put("root", Value::text(name), []));
    }
    target.remap.settings.put("dialect", Value::text(dialect), []);
    map_file::put(path, text, comments, (&given.location, "in.tftpd does so on SIGHUP"), target);
    if let Some(given) = command.last(Meaning::MapSteps) {
        let steps = flags::number(given, 1, u64::MAX)?;
        // More steps than the plugin allows are endless for a client as well.
        target.remap.settings.put("steps", Value::plain(steps.min(65_536)), [given.origin()]);
    }
    Ok(())
}

/// Flags that 5.2 does not know show the version.
pub(super) fn guessed(command: &Command) -> Version {
    let new = [
        Meaning::Service,
        Meaning::WindowSize,
        Meaning::WindowBytes,
        Meaning::Validate,
        Meaning::PathPrefix,
        Meaning::Normalize,
        Meaning::ReadOnly,
        Meaning::MaxUpload,
        Meaning::RefuseAll,
    ];
    let is_jail = |given: &GivenFlag| given.written.starts_with("-j") || given.written.starts_with("--jail");
    let is_new = new.iter().any(|meaning| command.has(*meaning))
        || command.all(Meaning::Address).count() > 1
        || command.all(Meaning::Secure).any(is_jail);
    match is_new {
        true => Version::Hpa6,
        false if command.has(Meaning::MapSteps) => Version::Hpa5_4,
        false => Version::Hpa5_2,
    }
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

    /// Whether it depends on which files exist.
    fn asks_for_files(&self) -> bool {
        !self.operations.starts_with(':') && self.operations.contains('E')
    }

    /// Whether only newer versions can read it.
    fn is_new(&self) -> bool {
        self.operations.starts_with(':')
            || self.operations.contains(['j', 'E', '4', '6'])
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
