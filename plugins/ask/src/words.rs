//! Texts from outside.

/// The longest reason in a log line, in bytes.
const MAX_REASON: usize = 300;

/// Returns a text of one line that is not too long for the log.
pub(crate) fn one_line(text: &str) -> String {
    text[..text.floor_char_boundary(MAX_REASON)].replace(char::is_control, " ")
}

/// Checks a text that the service gives: its length in bytes, and that it is one line.
pub(crate) fn check_line(key: &str, text: &str, most: usize) -> Result<(), String> {
    if text.is_empty() || text.len() > most {
        return Err(format!("`{key}` has {} bytes: 1 to {most} are allowed", text.len()));
    }
    if text.contains(char::is_control) {
        return Err(format!("`{key}` has a control character: give one line of text"));
    }
    Ok(())
}
