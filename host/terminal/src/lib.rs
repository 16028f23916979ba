//! Output of commands. Much of it comes from registries, servers, plugins and file names; all of it reaches the
//! terminal as plain text, whatever it contains.

use std::fmt::{Display, Write as _};
use std::io::{self, IsTerminal, Write};

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

/// Returns whether a character controls a terminal, is invisible, or changes the direction. Line feeds and tabs are
/// text.
pub fn is_unseen(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' => true,
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
    fn unseen_characters_are_escaped() {
        assert_eq!(
            plain("a\u{1b}[31m\r\u{9b}\u{202e}b\u{7f}\0"),
            "a\\u{1b}[31m\\r\\u{9b}\\u{202e}b\\u{7f}\\u{0}"
        );
        let text = "größe\n\t它 e\u{301} 🦀";
        assert_eq!(plain(text), text);
    }
}
