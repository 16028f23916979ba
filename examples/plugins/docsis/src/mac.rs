//! MAC addresses in names and settings.

/// Twelve hexadecimal digits, with any of `:`, `-` and `.` between them or none, as six lower-case octets with
/// colons.
pub(crate) fn parse(text: &str) -> Option<String> {
    let digits: String = text.chars().filter(|c| !matches!(c, ':' | '-' | '.')).collect();
    if digits.len() != 12 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let digits = digits.to_ascii_lowercase();
    let octets: Vec<&str> = (0..6).filter_map(|octet| digits.get(octet * 2..octet * 2 + 2)).collect();
    Some(octets.join(":"))
}

/// The address that a name consists of, apart from its extension: `001122334455.cm`.
pub(crate) fn in_name(name: &str) -> Option<String> {
    parse(name).or_else(|| parse(name.rsplit_once('.')?.0))
}
