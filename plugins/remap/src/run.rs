//! Applies rules to a name, step by step.

use tuffet_sdk::{Level, Operation, log};

use crate::regex::Groups;
use crate::rule::{Rewrite, Rule, Rules};
use crate::template::Client;

/// The longest name while rules are applied, in bytes. A loop doubles a name in each round.
pub(crate) const MAX_LENGTH: usize = 4096;
/// The text of in.tftpd where its rules come to no end.
const FAILURE: &str = "Remap table failure";
/// The text of in.tftpd where a rule has none.
pub(crate) const DENIED: &str = "Access denied";
/// Log lines of one call; the server takes 32.
const MAX_LINES: u32 = 30;

/// What the rules made of a name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    Name(Vec<u8>),
    Denied { text: String, reason: String },
}

/// What the rules depend on beside the name.
pub(crate) struct Surroundings<'a> {
    pub operation: Operation,
    pub client: &'a Client,
    /// Whether the root finds files in any case.
    pub any_case: bool,
    /// The rules that may be tried, one by one, and the rounds of those that repeat.
    pub steps: u32,
    /// Whether a name is that of a file.
    pub is_file: &'a dyn Fn(&[u8]) -> Result<bool, String>,
}

/// The rules did not come to an end: the reason.
type Stuck = String;

/// A name while rules are applied to it.
struct Run<'a> {
    around: &'a Surroundings<'a>,
    left: u32,
    lines: u32,
    name: Vec<u8>,
}

/// Applies the rules.
pub(crate) fn run(rules: &Rules, name: Vec<u8>, around: &Surroundings<'_>) -> End {
    let mut run = Run { around, left: around.steps, lines: 0, name };
    match run.all(rules) {
        Ok(Some((text, reason))) => End::Denied { text, reason },
        Ok(None) => End::Name(run.name),
        Err(reason) => {
            run.note(&reason);
            End::Denied { text: FAILURE.into(), reason }
        }
    }
}

impl Run<'_> {
    /// Returns text and reason of a denial.
    fn all(&mut self, rules: &Rules) -> Result<Option<(String, String)>, Stuck> {
        let mut at = 0;
        while let Some(rule) = rules.all.get(at) {
            at += 1;
            if !rule.only.fits(self.around.operation, self.around.client) {
                continue;
            }
            self.step(rule)?;
            let groups = if rule.inverted {
                (!rule.matches.is_match(&self.name, false)).then_some(Groups::NONE)
            } else {
                rule.matches.find(&self.name, false)
            };
            if groups.is_none()
                && self.around.any_case
                && let Some(matches) = &rule.in_any_case
            {
                let lower = lower(&self.name);
                if let Some(groups) = matches.find(&lower, false) {
                    self.name = lower;
                    return Ok(Some(self.denial(rules, rule, &groups)));
                }
            }
            let Some(groups) = groups else { continue };
            if rule.denies {
                return Ok(Some(self.denial(rules, rule, &groups)));
            }
            let rewritten = match rule.rewrites {
                Some(rewrite) => Some(self.rewritten(rule, rewrite, groups)?),
                None => None,
            };
            if rule.stops_at_file {
                let name = rewritten.as_ref().unwrap_or(&self.name);
                if !(self.around.is_file)(name)? {
                    self.note(&format!(
                        "{}: {} is no file, so the rule is undone",
                        title(rule),
                        quoted(name)
                    ));
                    continue;
                }
            }
            if let Some(rewritten) = rewritten {
                self.rename(rule, rewritten);
            }
            if rule.stops || rule.stops_at_file {
                self.note(&format!("{}: the end", title(rule)));
                return Ok(None);
            }
            if rule.restarts {
                self.note(&format!("{}: from the start again", title(rule)));
                at = usize::from(rules.as_in_5_2);
            } else if rule.jumps {
                let label = rule.text.render(&self.name, &groups, self.around.client);
                self.note(&format!("{}: to the label {}", title(rule), quoted(&label)));
                at = rules
                    .labelled(&label)
                    .ok_or_else(|| format!("{}: there is no label {}", title(rule), quoted(&label)))?;
            }
        }
        Ok(None)
    }

    fn step(&mut self, rule: &Rule) -> Result<(), Stuck> {
        self.left = self.left.checked_sub(1).ok_or_else(|| {
            let steps = self.around.steps;
            format!(
                "the rules came to no end within {steps} steps; {} made {}",
                title(rule),
                quoted(&self.name)
            )
        })?;
        Ok(())
    }

    fn rewritten(&mut self, rule: &Rule, rewrite: Rewrite, first: Groups) -> Result<Vec<u8>, Stuck> {
        let mut name = self.name.clone();
        let (mut from, mut found) = (0, first);
        loop {
            let (begin, end) = found.whole();
            let rest = &name[from..];
            let replacement = rule.text.render(rest, &found, self.around.client);
            let next = from + begin + replacement.len();
            let tail = rest[end..].to_vec();
            name.truncate(from + begin);
            name.extend(replacement);
            name.extend(tail);
            if name.len() > MAX_LENGTH {
                return Err(format!("{}: the name grew beyond {MAX_LENGTH} bytes", title(rule)));
            }
            from = match rewrite {
                Rewrite::First => return Ok(name),
                Rewrite::Repeat => 0,
                Rewrite::Global if next >= name.len() => return Ok(name),
                Rewrite::Global => next,
            };
            let Some(again) = rule.matches.find(&name[from..], from > 0) else { return Ok(name) };
            self.step(rule)?;
            found = again;
        }
    }

    fn rename(&mut self, rule: &Rule, name: Vec<u8>) {
        if name != self.name {
            self.note(&format!("{}: {} becomes {}", title(rule), quoted(&self.name), quoted(&name)));
            self.name = name;
        }
    }

    fn denial(&mut self, rules: &Rules, rule: &Rule, groups: &Groups) -> (String, String) {
        let mut text = rule.text.render(&self.name, groups, self.around.client);
        if let Some((begin, end)) = groups.0[0].filter(|_| rules.as_in_5_2 && !rule.text.is_empty()) {
            text = [&self.name[..begin], &text, &self.name[end..]].concat();
        }
        let reason = format!("{}: denied {}", title(rule), quoted(&self.name));
        self.note(&reason);
        let text = String::from_utf8_lossy(&text).into_owned();
        (if text.is_empty() { DENIED.into() } else { text }, reason)
    }

    /// A line for the log; `tuffet explain` and `tuffet plugin` show them, too.
    fn note(&mut self, line: &str) {
        self.lines += 1;
        match self.lines {
            ..MAX_LINES => log(Level::Debug, line),
            MAX_LINES => log(Level::Debug, "and further steps"),
            _ => {}
        }
    }
}

/// A name in lower case, as a root with `case: insensitive` compares names.
fn lower(name: &[u8]) -> Vec<u8> {
    match std::str::from_utf8(name) {
        Ok(name) => name.chars().flat_map(char::to_lowercase).collect::<String>().into_bytes(),
        Err(_) => name.to_ascii_lowercase(),
    }
}

fn title(rule: &Rule) -> String {
    if rule.operations.is_empty() {
        rule.whence.clone()
    } else {
        format!("{} ({})", rule.whence, rule.operations)
    }
}

/// A name for people, cut if it is long.
pub(crate) fn quoted(name: &[u8]) -> String {
    let shown = &name[..name.len().min(200)];
    let dots = if shown.len() < name.len() { "…" } else { "" };
    match std::str::from_utf8(shown) {
        Ok(text) => format!("\"{text}\"{dots}"),
        Err(_) => format!("\"{}\"{dots}", shown.escape_ascii()),
    }
}
