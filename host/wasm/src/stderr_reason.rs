//! The reason of a failure for logs, from the standard error of a plugin: what happened comes first, and hints for
//! people at a terminal are left out.

use tuffet_policy::text;

/// The maximum length of a reason, in bytes.
const MAX_BYTES: usize = 400;

/// Lines that are not about the plugin, or give advice that does not apply in a server.
const NOISE: [&str; 3] = [
    "note: run with `RUST_BACKTRACE=1`",
    // From SpiderMonkey, after the message.
    "Redirecting call to abort() to mozalloc_abort",
    "note: Some details are omitted, run with `RUST_BACKTRACE=full`",
];

/// The first line of a Python traceback. The message is in its last line.
const TRACEBACK: &str = "Traceback (most recent call last):";

/// Returns whether a line says nothing about the plugin.
pub(super) fn is_noise(line: &str) -> bool {
    line.trim().is_empty() || NOISE.iter().any(|noise| line.contains(noise))
}

/// Returns one line; empty if nothing was written.
pub(super) fn of(written: &str) -> String {
    let lines: Vec<&str> = written.lines().filter(|line| !is_noise(line)).collect();
    let traceback = lines.iter().rposition(|line| line.starts_with(TRACEBACK));
    let ordered = match traceback {
        Some(start) => from_traceback(&lines[start..]),
        None => lines.iter().map(|line| from_panic(line)).collect::<Vec<_>>().join(" "),
    };
    text::one_line(&ordered, MAX_BYTES)
}

/// Drops the thread name in front of the location: a plugin has one thread.
fn from_panic(line: &str) -> &str {
    let panic = line.strip_prefix("thread '").and_then(|_| line.find("panicked at "));
    panic.map_or(line, |at| &line[at..])
}

/// Returns the message, then the innermost call.
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
    fn the_message_comes_first() {
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
        assert_eq!(of(&"x".repeat(1000)).len(), MAX_BYTES);
    }
}
