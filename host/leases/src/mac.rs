//! MAC addresses in any common notation.

/// A MAC address of six octets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mac([u8; 6]);

impl Mac {
    /// Parses `02:00:5e:10:00:01`, `02-00-5E-10-00-01`, `0200.5e10.0001` or `02005e100001`.
    ///
    /// # Errors
    /// The text has none of these forms. The message names the remedy.
    pub fn parse(text: &str) -> Result<Mac, String> {
        octets(text).map(Mac).ok_or_else(|| {
            format!("{text:?} is not a MAC address: write 02:00:5e:10:00:01, 02-00-5E-10-00-01, 0200.5e10.0001 or 02005e100001")
        })
    }

    /// The octets.
    pub fn octets(self) -> [u8; 6] {
        self.0
    }

    /// The octets in lower-case hexadecimal, with `separator` between them.
    pub fn joined(self, separator: &str) -> String {
        self.0.map(|octet| format!("{octet:02x}")).join(separator)
    }
}

fn octets(text: &str) -> Option<[u8; 6]> {
    let groups: Vec<&str> = match text.chars().find(|c| !c.is_ascii_hexdigit()) {
        None => vec![text],
        Some(separator @ (':' | '-' | '.')) => text.split(separator).collect(),
        Some(_) => return None,
    };
    let digits = match (groups.len(), text.contains('.')) {
        (1, false) => 12,
        (3, true) => 4,
        (6, false) => 2,
        _ => return None,
    };
    if groups.iter().any(|group| group.len() != digits) {
        return None;
    }
    let digits = groups.concat();
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let value = u64::from_str_radix(&digits, 16).ok()?;
    let [_, _, octets @ ..] = value.to_be_bytes();
    Some(octets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_notation_is_the_same_address() {
        let expected = Mac([0x02, 0, 0x5e, 0x10, 0, 0x0a]);
        for text in ["02:00:5e:10:00:0a", "02-00-5E-10-00-0A", "0200.5e10.000A", "02005E10000a"] {
            assert_eq!(Mac::parse(text), Ok(expected), "{text}");
        }
        assert_eq!(expected.joined(":"), "02:00:5e:10:00:0a");
        assert_eq!(expected.joined(""), "02005e10000a");
    }

    #[test]
    fn an_invalid_address_is_refused() {
        for text in [
            "",
            "02",
            "02:00:5e:10:00",
            "02:00:5e:10:00:0a:0b",
            "02:00:5e:10:00:0g",
            "2:0:5e:10:0:a",
            "02:00-5e:10:00:0a",
            "02005e.10000a",
            "0200:5e10:000a",
            "02005e10000a0",
            "+2005e10000a",
            "02005e10000é",
            "0é:00:5e:10:00:0a",
        ] {
            assert!(Mac::parse(text).is_err(), "{text:?} must be refused");
        }
    }
}
