//! Output of commands. Much of it comes from registries, servers, plugins and file names; all of it reaches the
//! terminal as plain text, whatever it contains.

use std::fmt::{Display, Write as _};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;

/// Prints a line on standard error in one write, which other processes cannot interrupt.
pub fn print_stderr(line: impl Display) {
    let _ = io::stderr().write_all(format!("{}\n", plain(&line.to_string())).as_bytes());
}

/// Prints messages of a compiler unchanged, with their colours.
pub fn pass_on(messages: &[u8]) {
    let _ = io::stderr().write_all(messages);
}

/// Returns whether standard error is a terminal.
pub fn stderr_is_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Prints text to standard output; a reader that closes early, such as head(1), is not an error.
pub fn print(text: &str) {
    let _ = io::stdout().write_all(plain(text).as_bytes());
}

/// Prints JSON and a line feed to standard output, with the escapes of JSON.
pub fn print_json(json: impl Display) {
    let mut text = String::new();
    for c in json.to_string().chars() {
        if !is_unseen(c) {
            text.push(c);
            continue;
        }
        // JSON has such characters only in strings.
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(text, "\\u{unit:04x}"); // to a string: cannot fail
        }
    }
    let _ = io::stdout().write_all((text + "\n").as_bytes());
}

/// Describes why a command cannot write a file, and what to do. `other` says how to choose another file.
pub fn unwritten(file: &Path, error: &io::Error, other: &str) -> String {
    let file = file.display();
    let remedy = match error.kind() {
        ErrorKind::AlreadyExists => {
            return format!("{file} exists already, and nothing is overwritten; remove it, or {other}");
        }
        ErrorKind::IsADirectory => return format!("{file} is a folder; {other}"),
        ErrorKind::NotFound | ErrorKind::NotADirectory => "create its folder, or ",
        ErrorKind::PermissionDenied => "let this user write there, or ",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "make room, or ",
        _ => "",
    };
    format!("{file} cannot be written: {error}; {remedy}{other}")
}

/// How to choose another file, for [`unwritten`].
pub const OTHER_OUTPUT: &str = "name another file with --output";

/// Returns whether a character controls a terminal, is invisible, or changes the direction. Line feeds and tabs are
/// text.
pub fn is_unseen(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
        | '\u{3164}' => true,
        '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' => true,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}' => true,
        c => c.is_control(),
    }
}

/// Replaces such characters by escapes, for example `\u{1b}`.
fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unseen(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_written_has_a_remedy() {
        let folder = std::env::temp_dir();
        let missing = folder.join("tuffet/no/such/folder");
        for (file, said) in [
            (folder.as_path(), " is a folder; name another file with --output"),
            (&missing, "(os error 2); create its folder, or name another file with --output"),
            (
                Path::new("/dev/null/x"),
                "(os error 20); create its folder, or name another file with --output",
            ),
        ] {
            let error = std::fs::write(file, "").unwrap_err();
            let text = unwritten(file, &error, OTHER_OUTPUT);
            assert!(text.starts_with(&file.display().to_string()) && text.ends_with(said), "{text}");
        }
        let error = std::fs::File::create_new("/dev/null").unwrap_err();
        assert_eq!(
            unwritten(Path::new("x"), &error, "leave it"),
            "x exists already, and nothing is overwritten; remove it, or leave it"
        );
    }

    #[test]
    fn unseen_characters_are_escaped() {
        assert_eq!(
            plain("a\u{1b}[31m\r\u{9b}\u{202e}b\u{7f}\0"),
            "a\\u{1b}[31m\\r\\u{9b}\\u{202e}b\\u{7f}\\u{0}"
        );
        let text = "größe\n\t它 e\u{301} 🦀";
        assert_eq!(plain(text), text);
    }
}
