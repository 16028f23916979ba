//! The names of keys in a bucket: the namespace, a dot, and the key.
//!
//! JetStream allows letters, digits and `-/_=.`; other bytes are written as `=` and two hexadecimal digits. So is a
//! dot, which separates the parts of subjects: permissions such as `$KV.tuffet.audit.>` select one plugin.

/// Returns the name of a key.
pub(super) fn name(namespace: &str, key: &str) -> String {
    let mut name = String::with_capacity(namespace.len() + key.len() + 1);
    escape(&mut name, namespace);
    name.push('.');
    escape(&mut name, key);
    name
}

/// Returns the namespace and the key of a name; `None` if it is not a name made by [`name`].
pub(super) fn parse(name: &str) -> Option<(String, String)> {
    let (namespace, key) = name.split_once('.')?;
    Some((unescape(namespace)?, unescape(key)?))
}

fn escape(into: &mut String, text: &str) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_/".contains(&byte) {
            into.push(char::from(byte));
        } else {
            into.push('=');
            into.push(char::from(DIGITS[usize::from(byte >> 4)]));
            into.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }
}

fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'=' {
            let digit = |byte: u8| char::from(byte).to_digit(16);
            let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
            bytes.push(u8::try_from(high << 4 | low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_key_has_a_name_that_leads_back() {
        for (namespace, key) in [
            ("audit", "chain/2026-11-22"),
            ("a.b:[c]", "..>*"),
            ("a", "10.0.0.1"),
            ("a", "dé 日\n\0"),
            ("a=2E", "=41"),
        ] {
            let name = name(namespace, key);
            let allowed = |c: char| c.is_ascii_alphanumeric() || "-/_=.".contains(c);
            assert!(name.chars().all(allowed) && name.matches('.').count() == 1, "{name}");
            assert!(!name.starts_with('.') && !name.ends_with('.'), "{name}");
            assert_eq!(parse(&name), Some((namespace.to_owned(), key.to_owned())));
        }
    }

    #[test]
    fn other_names_are_ignored() {
        for foreign in ["nodot", "a.b=4", "a.b=XY", "a.=FF"] {
            assert_eq!(parse(foreign), None, "{foreign}");
        }
    }
}
