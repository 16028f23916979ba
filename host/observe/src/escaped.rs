//! Escapes JSON for terminals.

use std::fmt::Write as _;

/// Escapes characters that a terminal would not show. In JSON they appear only in strings, where `\u` means the same
/// character.
pub fn escaped(line: &str) -> String {
    let mut text = String::with_capacity(line.len() + 16);
    for char in line.chars() {
        // Combining marks are escaped too; a reader of JSON gets the same text.
        let shows =
            char == '\n' || matches!(char, ' '..='~') || (!char.is_ascii() && char.escape_debug().len() == 1);
        if shows {
            text.push(char);
        } else {
            for unit in char.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_escapes_what_a_terminal_would_not_show_and_means_the_same() {
        let value = serde_json::json!({ "path": "a\u{202e}b\u{2028}c\u{9b}d\u{7f}e\u{e0041}f größe 它\n" });
        let (line, expected) =
            (format!("{value}\n"), r"a\u202eb\u2028c\u009bd\u007fe\udb40\udc41f größe 它\n");
        assert_eq!(escaped(&line), format!("{{\"path\":\"{expected}\"}}\n"));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped(&line)).unwrap(), value);
    }
}
