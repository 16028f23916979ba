//! The notations of octets in lease files.

/// Formats octets as hexadecimal digits with colons.
pub(crate) fn colons(octets: &[u8]) -> String {
    octets.iter().map(|octet| format!("{octet:02x}")).collect::<Vec<_>>().join(":")
}

/// Parses `01:2:ff`.
pub(crate) fn of_colons(text: &str) -> Option<Vec<u8>> {
    text.split(':').map(octet).collect()
}

fn octet(digits: &str) -> Option<u8> {
    let is_octet = matches!(digits.len(), 1 | 2) && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_octet.then(|| u8::from_str_radix(digits, 16).ok()).flatten()
}

/// Parses the inside of a quoted string of ISC dhcpd: `\` escapes three octal digits, or one character.
pub(crate) fn of_escaped(text: &str) -> Vec<u8> {
    let mut octets = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let octet;
        (octet, rest) = match (first, after) {
            (b'\\', [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', after @ ..]) => {
                ((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'), after)
            }
            (b'\\', [escaped, after @ ..]) => (*escaped, after),
            _ => (*first, after),
        };
        octets.push(octet);
    }
    octets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_octets() {
        assert_eq!(of_escaped(r"\000\377a\\\"), [0, 255, b'a', b'\\', b'\\']);
        assert_eq!(of_escaped(r#"\"\400\1"#), *b"\"4001");
        assert!(of_escaped("").is_empty());
    }

    #[test]
    fn octets_with_colons() {
        assert_eq!(of_colons("01:2:ff"), Some(vec![1, 2, 255]));
        for none in ["", ":", "+1", "001", "g", "1:"] {
            assert_eq!(of_colons(none), None, "{none:?}");
        }
        assert_eq!(colons(&[0, 0x5e]), "00:5e");
    }
}
