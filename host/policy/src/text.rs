//! Sanitises text of plugins for packets and log lines.

/// The longest message to a client in bytes (sdk/wit/policy.wit, `denial`).
const MAX_MESSAGE: usize = 200;
/// The longest logged reason in bytes.
const MAX_REASON: usize = 500;

/// Returns the message for a client: one line, at most 200 bytes, `instead` if nothing is left.
pub fn message(text: &str, instead: &str) -> String {
    let clean = one_line(text, MAX_MESSAGE);
    if clean.is_empty() { instead.to_string() } else { clean }
}

/// Returns the reason for the log: one line.
pub fn reason(text: &str) -> String {
    one_line(text, MAX_REASON)
}

/// Returns `text` on one line, of at most `max` bytes and cut at the end of a character. Control characters,
/// which end an ERROR's message early (NUL) or control a terminal (escape), become spaces.
pub fn one_line(text: &str, max: usize) -> String {
    let text = &text[..text.floor_char_boundary(max)];
    text.replace(char::is_control, " ").trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_become_spaces() {
        assert_eq!(message("not\0for\r\nyou\u{1b}[31m", "-"), "not for  you [31m");
        assert_eq!(message("\u{0}\n ", "denied"), "denied");
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        let text = message(&"é".repeat(101), "-");
        assert_eq!(text.len(), 200);
        assert_eq!(message(&format!("a{}", "é".repeat(101)), "-").len(), 199);
    }
}
