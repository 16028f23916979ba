//! The messages of the compiler processes, and their meaning for the server.
//!
//! A compiler writes one line ([`CompilerAnswer`]). Its standard error leads to the same socket. The starter ends
//! each conversation with a line that reports how the compiler ended.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use super::limits::MAX_MEMORY;
use tuffet_policy::text;

/// The exit code of a Rust program that panicked.
const PANICKED: i32 = 101;

/// Why no compiler can be started any more, and the remedy.
pub(super) const STARTER_ENDED: &str = "the process that starts compilers has ended, as it does when the kernel kills it for its memory: restart the server";

/// The answer of a compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CompilerAnswer {
    /// The code is in the cache now.
    Compiled,
    /// The code was in the cache already.
    Cached,
    /// The component cannot be compiled.
    Refused(String),
    /// The code could not be stored.
    Unstored(String),
}

impl fmt::Display for CompilerAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompilerAnswer::Compiled => f.write_str("compiled"),
            CompilerAnswer::Cached => f.write_str("kept"),
            CompilerAnswer::Refused(why) => write!(f, "refused {}", text::reason(why)),
            CompilerAnswer::Unstored(why) => write!(f, "unstored {}", text::reason(why)),
        }
    }
}

impl CompilerAnswer {
    fn parse(line: &str) -> Option<CompilerAnswer> {
        match line.split_once(' ') {
            None if line == "compiled" => Some(CompilerAnswer::Compiled),
            None if line == "kept" => Some(CompilerAnswer::Cached),
            Some(("refused", why)) => Some(CompilerAnswer::Refused(why.to_owned())),
            Some(("unstored", why)) => Some(CompilerAnswer::Unstored(why.to_owned())),
            _ => None,
        }
    }
}

/// Formats the last line of a conversation: how the compiler ended.
pub(super) fn ended(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended {code}"),
        (None, signal) => format!("killed {}", signal.unwrap_or_default()),
    }
}

/// Formats the last line of a conversation if no compiler could be started.
pub(super) fn not_started(error: &std::io::Error) -> String {
    format!("unstarted {error}")
}

/// The outcome of a conversation for the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum CompileOutcome {
    /// The code was compiled and is in the cache.
    Compiled,
    /// The code was in the cache already.
    Cached,
    /// A problem of this component.
    Refused(String),
    /// No process could compile it, and nothing is known about the component: with the reason and the remedy.
    Unavailable(String),
}

/// Parses a whole conversation.
pub(super) fn outcome(conversation: &str) -> CompileOutcome {
    let mut lines = conversation.lines().filter(|line| !line.is_empty());
    let end = lines.next_back().unwrap_or_default();
    let before: Vec<&str> = lines.collect();
    let words = text::reason(&before.join(" "));
    match end.split_once(' ') {
        Some(("ended", "0")) => match before.last().and_then(|line| CompilerAnswer::parse(line)) {
            Some(CompilerAnswer::Compiled) => CompileOutcome::Compiled,
            Some(CompilerAnswer::Cached) => CompileOutcome::Cached,
            Some(CompilerAnswer::Refused(why)) => CompileOutcome::Refused(why),
            Some(CompilerAnswer::Unstored(why)) => CompileOutcome::Unavailable(why),
            None => CompileOutcome::Unavailable(format!("the compiler gave an unknown answer: {words:?}")),
        },
        Some(("ended", code)) if code.parse() == Ok(PANICKED) => CompileOutcome::Refused(format!(
            "the compiler failed, please report it with the component: {words}"
        )),
        Some(("ended", code)) => {
            CompileOutcome::Unavailable(format!("the compiler ended with exit code {code}: {words:?}"))
        }
        Some(("killed", signal)) => CompileOutcome::Refused(killed(signal, &words)),
        Some(("unstarted", why)) => {
            CompileOutcome::Unavailable(format!("no compiler can be started: {}", text::reason(why)))
        }
        _ => CompileOutcome::Unavailable(STARTER_ENDED.into()),
    }
}

fn killed(signal: &str, words: &str) -> String {
    let memory = MAX_MEMORY >> 20;
    let words = if words.is_empty() { String::new() } else { format!(": {words}") };
    format!(
        "the compiler was killed by signal {signal}{words}; it may use {memory} MiB of memory, and no more than the \
         machine or the container has left"
    )
}
