//! What commands print. Much of it comes from others: registries, servers, plugins, names of files. All of it reaches
//! the terminal as text, whatever it contains.

use std::fmt::{Display, Write as _};
use std::io::{self, IsTerminal, Write};

/// Prints a line on standard error in one write: another process may be writing to the same place.
pub fn complain(line: impl Display) {
    let _ = io::stderr().write_all(format!("{}\n", plain(&line.to_string())).as_bytes());
}

/// Passes on messages of a compiler as they are, with its colours.
pub fn pass_on(messages: &[u8]) {
    let _ = io::stderr().write_all(messages);
}

/// Whether standard error is read by a person.
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
        // Outside of strings JSON has no such characters.
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(text, "\\u{unit:04x}"); // to a string: cannot fail
        }
    }
    let _ = io::stdout().write_all((text + "\n").as_bytes());
}

/// Whether a character controls a terminal, is invisible, or changes the direction. Line feeds and tabs are text.
pub fn is_unseen(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}' => true,
        c => c.is_control(),
    }
}

/// Returns the text with escapes in place of such characters, `\u{1b}` for example.
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
    fn what_is_no_text_is_escaped() {
        assert_eq!(
            plain("a\u{1b}[31m\r\u{9b}\u{202e}b\u{7f}\0"),
            "a\\u{1b}[31m\\r\\u{9b}\\u{202e}b\\u{7f}\\u{0}"
        );
        let text = "größe\n\t它 e\u{301} 🦀";
        assert_eq!(plain(text), text);
    }
}
