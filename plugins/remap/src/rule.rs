//! A rule, whichever form it was written in.

use tuffet_sdk::Operation;

use crate::regex::{BadRegex, Regex, Syntax};
use crate::template::{Client, Template};

/// How a rule is named in messages: `line 3`, `rule 3`.
pub(crate) type Whence = String;

pub(crate) struct Rule {
    pub whence: Whence,
    /// The form in which it was written, such as `rgi`; for the log.
    pub operations: String,
    pub matches: Regex,
    /// It applies where the expression does not match.
    pub inverted: bool,
    pub only: Only,
    pub rewrites: Option<Rewrite>,
    pub denies: bool,
    /// The expression for names in lower case, of a rule that denies: where case does not matter, it holds for every
    /// spelling.
    pub in_any_case: Option<Regex>,
    /// The end of all rules.
    pub stops: bool,
    /// The same, if the name is that of a file; otherwise the rule is undone.
    pub stops_at_file: bool,
    pub restarts: bool,
    /// To the label that `text` renders to.
    pub jumps: bool,
    pub text: Template,
    /// A label in front of it.
    pub labels: Vec<Vec<u8>>,
}

/// Compiles the expression of a rule that denies, for names in lower case. Other letters than those of ASCII are bytes to
/// an expression, so they become lower-case ones here.
///
/// # Errors
/// As [`Regex::new`].
pub(crate) fn in_any_case(pattern: &[u8]) -> Result<Regex, BadRegex> {
    let lower = |letter: char| -> String {
        if letter.is_ascii() { letter.into() } else { letter.to_lowercase().collect() }
    };
    match std::str::from_utf8(pattern) {
        Ok(text) => {
            let text: String = text.chars().map(lower).collect();
            Regex::new(text.as_bytes(), Syntax::Posix, true)
        }
        Err(_) => Regex::new(pattern, Syntax::Posix, true),
    }
}

/// Which matches are rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rewrite {
    First,
    /// Again from the start of the name, until nothing matches.
    Repeat,
    /// Each once, from left to right.
    Global,
}

/// The requests that a rule is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Only {
    pub reads: bool,
    pub writes: bool,
    pub ipv4: bool,
    pub ipv6: bool,
}

impl Only {
    pub fn fits(self, operation: Operation, client: &Client) -> bool {
        !(self.reads && operation != Operation::Read
            || self.writes && operation != Operation::Write
            || self.ipv4 && client.is_ipv6
            || self.ipv6 && !client.is_ipv6)
    }
}

/// Rules in order, with the labels behind the last one.
#[derive(Default)]
pub(crate) struct Rules {
    pub all: Vec<Rule>,
    pub last_labels: Vec<Vec<u8>>,
    /// As in in.tftpd 5.2: `s` goes on with the second rule, and the text of `a` stands in the name.
    pub as_in_5_2: bool,
}

impl Rules {
    /// The rule that a label stands in front of.
    pub fn labelled(&self, label: &[u8]) -> Option<usize> {
        let is_it = |labels: &[Vec<u8>]| labels.iter().any(|its| its == label);
        let place = self.all.iter().position(|rule| is_it(&rule.labels));
        place.or_else(|| is_it(&self.last_labels).then_some(self.all.len()))
    }
}
