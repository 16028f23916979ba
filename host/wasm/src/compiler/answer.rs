//! What the processes write, and what it means to the server.
//!
//! A compiler writes one line ([`Answer`]). Its standard error leads to the same socket, so that its last words
//! precede the line with which the starter ends each conversation: how the compiler ended.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use super::bounds::MEMORY;
use tuffet_policy::text;

/// Rust's exit code of a panic.
const PANICKED: i32 = 101;

/// The answer of a compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    /// The code is in the cache now.
    Compiled,
    /// The code was in the cache already.
    Kept,
    /// The component cannot be compiled, for this reason.
    Refused(String),
    /// The code could not be stored, for this reason.
    Unstored(String),
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Compiled => f.write_str("compiled"),
            Answer::Kept => f.write_str("kept"),
            Answer::Refused(why) => write!(f, "refused {}", text::reason(why)),
            Answer::Unstored(why) => write!(f, "unstored {}", text::reason(why)),
        }
    }
}

impl Answer {
    fn parse(line: &str) -> Option<Answer> {
        match line.split_once(' ') {
            None if line == "compiled" => Some(Answer::Compiled),
            None if line == "kept" => Some(Answer::Kept),
            Some(("refused", why)) => Some(Answer::Refused(why.to_owned())),
            Some(("unstored", why)) => Some(Answer::Unstored(why.to_owned())),
            _ => None,
        }
    }
}

/// The last line of a conversation: how the compiler ended.
pub(super) fn ended(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended {code}"),
        (None, signal) => format!("killed {}", signal.unwrap_or_default()),
    }
}

/// The last line of a conversation without a compiler.
pub(super) fn not_started(error: &std::io::Error) -> String {
    format!("unstarted {error}")
}

/// The outcome of a conversation for the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum Outcome {
    /// The code was compiled and is in the cache.
    Compiled,
    /// The code was in the cache already.
    Kept,
    /// A problem of this component.
    Refused(String),
    /// Nothing is known about the component; the server has to compile it.
    Unavailable(String),
}

/// Reads a whole conversation.
pub(super) fn outcome(conversation: &str) -> Outcome {
    let mut lines = conversation.lines().filter(|line| !line.is_empty());
    let end = lines.next_back().unwrap_or_default();
    let before: Vec<&str> = lines.collect();
    let words = text::reason(&before.join(" "));
    match end.split_once(' ') {
        Some(("ended", "0")) => match before.last().and_then(|line| Answer::parse(line)) {
            Some(Answer::Compiled) => Outcome::Compiled,
            Some(Answer::Kept) => Outcome::Kept,
            Some(Answer::Refused(why)) => Outcome::Refused(why),
            Some(Answer::Unstored(why)) => Outcome::Unavailable(why),
            None => Outcome::Unavailable(format!("the compiler gave an unknown answer: {words:?}")),
        },
        Some(("ended", code)) if code.parse() == Ok(PANICKED) => {
            Outcome::Refused(format!("the compiler failed, please report it with the component: {words}"))
        }
        Some(("ended", code)) => {
            Outcome::Unavailable(format!("the compiler ended with exit code {code}: {words:?}"))
        }
        Some(("killed", signal)) => Outcome::Refused(killed(signal, &words)),
        Some(("unstarted", why)) => {
            Outcome::Unavailable(format!("no compiler can be started: {}", text::reason(why)))
        }
        _ => Outcome::Unavailable("the process that starts compilers has ended".into()),
    }
}

fn killed(signal: &str, words: &str) -> String {
    let memory = MEMORY >> 20;
    let words = if words.is_empty() { String::new() } else { format!(": {words}") };
    format!(
        "the compiler was killed by signal {signal}{words}; it may use {memory} MiB of memory, and no more than the \
         machine or the container has left"
    )
}
