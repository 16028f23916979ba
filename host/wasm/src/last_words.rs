//! What a plugin wrote to its standard error before it failed, as a reason for logs: what happened comes first, and
//! what its runtime writes for people at a terminal is left out.

use tuffet_policy::text;

/// The longest reason, in bytes.
const MAX: usize = 400;

/// Lines that say nothing about the plugin, or give advice that nobody can follow in a server.
const NOISE: [&str; 3] = [
    "note: run with `RUST_BACKTRACE=1`",
    // SpiderMonkey, after its own message.
    "Redirecting call to abort() to mozalloc_abort",
    "note: Some details are omitted, run with `RUST_BACKTRACE=full`",
];

/// Begins a list of calls in Python, whose last line has the message.
const TRACEBACK: &str = "Traceback (most recent call last):";

/// Returns one line; empty if nothing was written.
pub(super) fn of(written: &str) -> String {
    let is_noise = |line: &&str| NOISE.iter().any(|noise| line.contains(noise));
    let lines: Vec<&str> =
        written.lines().filter(|line| !line.trim().is_empty() && !is_noise(line)).collect();
    let traceback = lines.iter().rposition(|line| line.starts_with(TRACEBACK));
    let ordered = match traceback {
        Some(start) => from_traceback(&lines[start..]),
        None => lines.iter().map(|line| from_panic(line)).collect::<Vec<_>>().join(" "),
    };
    text::one_line(&ordered, MAX)
}

/// Rust names the thread in front of the place, and a plugin has no others.
fn from_panic(line: &str) -> &str {
    let behind = line.strip_prefix("thread '").and_then(|_| line.find("panicked at "));
    behind.map_or(line, |at| &line[at..])
}

/// The message, then the innermost call.
fn from_traceback(lines: &[&str]) -> String {
    let is_indented = |line: &&&str| line.starts_with(' ');
    let message = lines.iter().skip(1).find(|line| !is_indented(line)).unwrap_or(&TRACEBACK);
    let call = lines.iter().rfind(|line| line.starts_with("  File "));
    match call {
        Some(call) => format!("{message} ({})", call.trim()),
        None => (*message).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happened_comes_first() {
        for (written, words) in [
            ("", ""),
            (
                "thread '<unnamed>' (1) panicked at src/lib.rs:3:5:\nno such model\nnote: run with `RUST_BACKTRACE=1` \
                 environment variable to display a backtrace\n",
                "panicked at src/lib.rs:3:5: no such model",
            ),
            (
                "TypeError: x is undefined\n    at resolve (plugin.ts:4:2)\nRedirecting call to abort() to \
                 mozalloc_abort\n\n",
                "TypeError: x is undefined     at resolve (plugin.ts:4:2)",
            ),
            (
                "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\n  File \"b.py\", line 7, in g\n    \
                 raise ValueError(\"no\")\nValueError: no\n",
                "ValueError: no (File \"b.py\", line 7, in g)",
            ),
            ("panic: no\n\ngoroutine 1 [running]:\n", "panic: no goroutine 1 [running]:"),
        ] {
            assert_eq!(of(written), words, "{written}");
        }
        assert_eq!(of(&"x".repeat(1000)).len(), MAX);
    }
}
