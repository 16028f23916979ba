//! The replacement of whole names and addresses in a text.

/// What is replaced by what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Replacement {
    pub from: String,
    pub to: String,
}

/// Replaces every whole name, in one pass: what was put in is not looked at again. Of several that match at one
/// place, the first of the list counts. Letters match in both cases, as in the DNS. The text need not be UTF-8.
///
/// Returns `None` if the result would have more than `limit` bytes.
pub(crate) fn replace(text: &[u8], replacements: &[Replacement], limit: usize) -> Option<Vec<u8>> {
    let mut result = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let found = replacements.iter().find(|its| is_whole(text, at, its.from.as_bytes()));
        match found {
            Some(Replacement { from, to }) => {
                result.extend(to.as_bytes());
                at += from.len();
            }
            None => {
                result.push(text[at]);
                at += 1;
            }
        }
        if result.len() > limit {
            return None;
        }
    }
    Some(result)
}

/// Returns whether `name` stands here as a whole: `10.0.0.1` is no part of `10.0.0.10`, `boot` no part of
/// `netboot` or `boot.example`.
fn is_whole(text: &[u8], at: usize, name: &[u8]) -> bool {
    let end = at + name.len();
    let Some(here) = text.get(at..end) else { return false };
    if !here.eq_ignore_ascii_case(name) {
        return false;
    }
    // In an IPv6 address a colon is part of the name; elsewhere a port or a path follows it.
    let ipv6 = name.contains(&b':');
    let inside =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') || (ipv6 && *byte == b':');
    let before = at.checked_sub(1).and_then(|before| text.get(before));
    let before_is_part = before.is_some_and(|byte| inside(byte) || *byte == b'.');
    let after_is_part = match text.get(end) {
        // A full stop may end a sentence, or a fully qualified name.
        Some(b'.') => text.get(end + 1).is_some_and(inside),
        Some(byte) => inside(byte),
        None => false,
    };
    !before_is_part && !after_is_part
}
