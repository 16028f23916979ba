//! Formats ended requests as other TFTP servers log them, for tools that parse their logs.
//!
//! The formats are those of tftpd-hpa 5.2 with two `-v`, and of dnsmasq 2.90. Names that clients chose become one word:
//! spaces, control characters and invisible ones are escaped, so that a name cannot pass for another line or for the
//! address after it.

use std::fmt::Write as _;
use std::path::PathBuf;
use tuffet_core::OptionSet;
use tuffet_request::Operation;
use tuffet_request::events::{Answered, LastError, Outcome, Summary, resolved_file};

/// Returns the lines of tftpd-hpa, each with a line feed.
pub(super) fn tftp_hpa(summary: &Summary) -> String {
    let request = &summary.record.request;
    let client = request.client.ip();
    let kind = match request.operation {
        Operation::Read => "RRQ",
        Operation::Write => "WRQ",
    };
    let mut lines = format!("{kind} from {client} filename {}", word(&request.requested));
    let is_repaired = request.repaired_from().is_some();
    if let Some((_, path)) = place(summary).filter(|(_, path)| is_repaired || *path != request.path) {
        let _ = write!(lines, " remapped to {}", word(path));
    }
    lines.push('\n');
    match &summary.ending.error {
        Some(LastError::Received { .. })
            if summary.blocks == 0 && summary.options != OptionSet::default() =>
        {
            lines += "tftp: client does not accept options\n";
        }
        Some(LastError::Sent(code)) => {
            let _ = writeln!(lines, "sending NAK ({code}, {}) to {client}", text_of(*code));
        }
        // The server ended the transfer with an ERROR.
        None if summary.decision == Answered::Granted && summary.ending.outcome == Outcome::Failed => {
            let _ = writeln!(lines, "sending NAK (0, {}) to {client}", text_of(0));
        }
        Some(LastError::Received { .. }) | None => {}
    }
    lines
}

/// Returns the lines of dnsmasq, each with a line feed. `folder` returns the folder of the named root, or of the first
/// one.
pub(super) fn dnsmasq(summary: &Summary, folder: impl Fn(Option<&str>) -> Option<PathBuf>) -> String {
    let request = &summary.record.request;
    let client = request.client.ip();
    let (root, path) = match place(summary) {
        Some((root, path)) => (Some(root), path),
        None => (None, &*request.path),
    };
    let folder = folder(root).map(|folder| folder.display().to_string()).unwrap_or_default();
    let file = word(&format!("{}/{path}", folder.trim_end_matches('/')));
    // dnsmasq has no uploads; their words are ours.
    let (done, undone, whom) = match request.operation {
        Operation::Read => ("sent", "failed sending", "to"),
        Operation::Write => ("received", "failed receiving", "from"),
    };
    let begun = summary.decision == Answered::Granted || summary.decision == Answered::Undecided;
    let line = match summary.ending.outcome {
        Outcome::Served | Outcome::Stored => format!("{done} {file} {whom} {client}"),
        _ if begun => format!("{undone} {file} {whom} {client}"),
        Outcome::NotFound => format!("file {file} not found for {client}"),
        Outcome::Denied => format!("cannot access {file}: Permission denied"),
        _ => format!("cannot read {file}: Input/output error"),
    };
    match &summary.ending.error {
        Some(LastError::Received { code, text }) => {
            format!("error {code} {} received from {client}\n{line}\n", sentence(text))
        }
        _ => line + "\n",
    }
}

/// Returns root and path of the file, or of the first place where it was looked for.
fn place(summary: &Summary) -> Option<(&str, &str)> {
    let tried = || resolved_file(summary.record.tried.as_deref()?.places().first()?);
    summary.record.file().or_else(tried)
}

/// Returns the error text of tftpd-hpa.
fn text_of(code: u16) -> &'static str {
    match code {
        1 => "File not found",
        2 => "Access denied",
        3 => "Disk full or allocation exceeded",
        4 => "Illegal TFTP operation",
        5 => "Unknown transfer ID",
        6 => "File already exists",
        7 => "No such user",
        8 => "Failure to negotiate RFC2347 options",
        _ => "Undefined error code",
    }
}

/// Escapes a name to one word.
fn word(name: &str) -> String {
    escaped(name, true)
}

/// Escapes a client's text; also its spaces if it contains `from`, as the end of a line does.
fn sentence(text: &str) -> String {
    escaped(text, text.contains("from"))
}

fn escaped(text: &str, spaces: bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            ' ' if spaces => shown += "\\x20",
            ' '..='~' => shown.push(char),
            _ => shown.extend(char.escape_debug()),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_word_and_stays_readable() {
        assert_eq!(word("pxelinux.cfg/01-02-00"), "pxelinux.cfg/01-02-00");
        assert_eq!(word("\\boot\\bcd \"x\""), "\\boot\\bcd\\x20\"x\"");
        assert_eq!(word("a\nb\u{1b}c\u{202e}d\u{a0}ü"), "a\\nb\\u{1b}c\\u{202e}d\\u{a0}ü");
        assert_eq!(sentence("User aborted the transfer"), "User aborted the transfer");
        assert_eq!(sentence("x received from 10.0.0.9"), "x\\x20received\\x20from\\x2010.0.0.9");
    }
}
