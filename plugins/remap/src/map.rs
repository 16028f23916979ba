//! Map files of in.tftpd (tftpd-hpa 5.2 and 6.0).
//!
//! A line is `OPERATIONS REGEX [REPLACEMENT]`, or `:LABEL`. Fields end at white space, a `#` begins a comment;
//! a `\` before either makes it a part of the field.

use crate::regex::{Regex, Syntax};
use crate::rule::{Only, Rewrite, Rule, Rules, in_any_case};
use crate::template::Template;

/// The version whose rules a map was written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    V5_2,
    V6_0,
}

/// Operations that exclude each other in 6.0.
const CONTRADICTIONS: [&str; 12] = ["r~", "ra", "rj", "aj", "as", "ej", "ea", "es", "eE", "Ej", "Ea", "Es"];

/// The most problems that are reported.
pub(crate) const MAX_PROBLEMS: usize = 100;

/// The memory of the rules of a map: a plugin that runs out of it fails, and cannot keep the rules as they were.
#[derive(Default)]
pub(crate) struct Size(usize);

impl Size {
    /// In bytes. Old and new rules are there at once while a map is read again.
    const MOST: usize = 20 << 20;

    /// # Errors
    /// There is no room for this expression.
    pub fn add(&mut self, regex: &Regex) -> Result<(), String> {
        self.take(size_of::<Rule>() + regex.bytes())
    }

    fn take(&mut self, bytes: usize) -> Result<(), String> {
        self.0 += bytes;
        if self.0 <= Size::MOST {
            return Ok(());
        }
        Err(format!(
            "the rules up to here take more than {} MiB: use smaller counts in {{ }}, or fewer rules",
            Size::MOST >> 20
        ))
    }
}

/// Parses a map.
///
/// # Errors
/// Every wrong line, up to a bound.
pub(crate) fn parse(text: &[u8], version: Version) -> Result<Rules, Vec<String>> {
    let mut rules = Rules { as_in_5_2: version == Version::V5_2, ..Rules::default() };
    let (mut labels, mut problems) = (Vec::new(), Vec::new());
    let mut size = Size::default();
    for (number, line) in text.split(|byte| *byte == b'\n').enumerate() {
        if problems.len() == MAX_PROBLEMS {
            problems.push("and more".into());
            return Err(problems);
        }
        let whence = format!("line {}", number + 1);
        let at = |what| vec![format!("{whence}: {what}")];
        match parse_line(line, &whence, version) {
            Ok(None) => {}
            Ok(Some(Line::Label(label))) => {
                size.take(size_of::<Vec<u8>>() + label.len().next_multiple_of(32)).map_err(at)?;
                labels.push(label);
            }
            Ok(Some(Line::Rule(mut rule))) => {
                size.add(&rule.matches).map_err(at)?;
                rule.in_any_case.iter().try_for_each(|matches| size.add(matches)).map_err(at)?;
                rule.labels = std::mem::take(&mut labels);
                rules.all.push(*rule);
            }
            Err(what) => problems.push(format!("{whence}: {what}")),
        }
    }
    rules.last_labels = labels;
    problems.extend(unknown_labels(&rules));
    if problems.is_empty() { Ok(rules) } else { Err(problems) }
}

/// Jumps to labels that no line has.
pub(crate) fn unknown_labels(rules: &Rules) -> Vec<String> {
    let jumps = rules.all.iter().filter(|rule| rule.jumps);
    let unknown = jumps.filter_map(|rule| {
        let label = rule.text.fixed().filter(|label| rules.labelled(label).is_none())?;
        Some(format!("{}: there is no label `{}`", rule.whence, String::from_utf8_lossy(label)))
    });
    unknown.collect()
}

enum Line {
    Label(Vec<u8>),
    Rule(Box<Rule>),
}

fn parse_line(line: &[u8], whence: &str, version: Version) -> Result<Option<Line>, String> {
    let mut rest = line;
    let Some(operations) = field(&mut rest) else { return Ok(None) };
    if let Some(label) = operations.strip_prefix(b":") {
        if version == Version::V5_2 {
            return Err("labels are new in 6.0: set dialect to tftpd-hpa-6.0".into());
        }
        // `: NAME` is a label, too, and a `:` alone is a label that no jump can name.
        let label = if label.is_empty() { field(&mut rest).unwrap_or_default() } else { label };
        return Ok((!label.is_empty()).then(|| Line::Label(label.to_vec())));
    }
    let operations = String::from_utf8_lossy(operations).into_owned();
    let ignore_case = operations.contains('i');
    check_operations(&operations, version)?;
    let pattern = field(&mut rest)
        .ok_or("the expression is missing: write the operations, an expression, and the replacement")?;
    let matches = Regex::new(pattern, Syntax::Posix, ignore_case)
        .map_err(|bad| format!("expression `{}`, {bad}", String::from_utf8_lossy(pattern)))?;
    // One that denies all but some names denies every other spelling already.
    let denies_spellings = operations.contains('a') && !operations.contains('~');
    let folded = denies_spellings
        .then(|| in_any_case(pattern))
        .transpose()
        .map_err(|bad| format!("expression `{}`, {bad}", String::from_utf8_lossy(pattern)))?;
    let text = Template::of_map(field(&mut rest).unwrap_or_default());
    let has = |operation: char| operations.contains(operation);
    let rewrites = match operations.matches('g').count() {
        _ if !has('r') => None,
        0 => Some(Rewrite::First),
        // 5.2 knows `gg` as `g`.
        1 => Some(Rewrite::Repeat),
        _ if version == Version::V5_2 => Some(Rewrite::Repeat),
        _ => Some(Rewrite::Global),
    };
    let rule = Rule {
        whence: whence.into(),
        matches,
        inverted: has('~'),
        only: Only { reads: has('G'), writes: has('P'), ipv4: has('4'), ipv6: has('6') },
        rewrites,
        denies: has('a'),
        in_any_case: folded,
        stops: has('e'),
        stops_at_file: has('E'),
        restarts: has('s'),
        jumps: has('j'),
        text,
        labels: Vec::new(),
        operations,
    };
    Ok(Some(Line::Rule(Box::new(rule))))
}

fn check_operations(operations: &str, version: Version) -> Result<(), String> {
    let known = match version {
        Version::V5_2 => "rgeisaGP~",
        Version::V6_0 => "rgeisaGP~Ej46",
    };
    if let Some(unknown) = operations.chars().find(|operation| !known.contains(*operation)) {
        return Err(if version == Version::V5_2 && "Ej46".contains(unknown) {
            format!("the operation `{unknown}` is new in 6.0: set dialect to tftpd-hpa-6.0")
        } else {
            format!("there is no operation `{unknown}`: a line is OPERATIONS EXPRESSION [REPLACEMENT]")
        });
    }
    let holds = |pair: &&&str| pair.chars().all(|operation| operations.contains(operation));
    let excluded: &[&str] = if version == Version::V5_2 { &CONTRADICTIONS[..1] } else { &CONTRADICTIONS };
    match excluded.iter().find(holds) {
        Some(pair) => {
            let (first, second) = pair.split_at(1);
            Err(format!("the operations `{first}` and `{second}` exclude each other: leave one out"))
        }
        None => Ok(()),
    }
}

/// Takes the next field; `None` at the end of the line or at a comment.
fn field<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let is_space = |byte: &u8| matches!(byte, 9..=13 | b' ');
    let start = rest.iter().position(|byte| !is_space(byte)).unwrap_or(rest.len());
    let text = &rest[start..];
    let mut escaped = false;
    let end = text.iter().position(|byte| {
        let ends = !escaped && (is_space(byte) || *byte == b'#');
        escaped = !escaped && *byte == b'\\';
        ends
    });
    let (field, behind) = text.split_at(end.unwrap_or(text.len()));
    *rest = behind;
    (!field.is_empty()).then_some(field)
}
