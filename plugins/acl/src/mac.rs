//! MAC addresses, and the prefixes that a manufacturer's have in common.

use tuffet_sdk::{Request, mac_source};

/// The first digits of MAC addresses, in lower-case hexadecimal; all twelve for one address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MacPrefix(String);

/// The fewest digits: the 24 bits of an OUI, the widest block of a manufacturer.
const MIN_DIGITS: usize = 6;
const DIGITS: usize = 12;

impl MacPrefix {
    /// Parses `02:00:5e:10:00:01`, `02-00-5E-10-00-01`, `0200.5e10.0001` or `02005e100001`, or the beginning of one, also
    /// with `*` in place of the rest: `00:0c:29`, `00:0c:29:*`.
    pub(crate) fn parse(text: &str) -> Result<MacPrefix, String> {
        digits(text).map(MacPrefix).ok_or_else(|| {
            format!(
                "{text:?} is neither a MAC address such as 02:00:5e:10:00:01 nor the beginning of one, of three octets or \
                 more, such as 00:0c:29"
            )
        })
    }
}

fn digits(text: &str) -> Option<String> {
    let separator = text.chars().find(|c| !c.is_ascii_hexdigit());
    let groups: Vec<&str> = match separator {
        None => vec![text],
        Some(separator @ (':' | '-' | '.')) => text.split(separator).collect(),
        Some(_) => return None,
    };
    let known = groups.iter().position(|group| *group == "*").unwrap_or(groups.len());
    let (known, rest) = groups.split_at(known);
    let width = match separator {
        None => DIGITS,
        Some('.') => 4,
        Some(_) => 2,
    };
    let (last, before) = known.split_last()?;
    let is_plain = rest.iter().all(|group| *group == "*")
        && groups.len() * width <= DIGITS
        && before.iter().all(|group| group.len() == width)
        && (1..=width).contains(&last.len());
    let digits: String = known.concat().to_ascii_lowercase();
    let is_address = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_plain && is_address && (MIN_DIGITS..=DIGITS).contains(&digits.len())).then_some(digits)
}

/// Where MAC addresses are learnt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Source {
    NeighbourTable,
    LeaseFile,
    RequestedName,
}

impl Source {
    /// What the network says. The name that a client asks for is its own claim.
    pub(crate) const NETWORK: [Source; 2] = [Source::NeighbourTable, Source::LeaseFile];

    fn name(self) -> &'static str {
        match self {
            Source::NeighbourTable => mac_source::NEIGHBOUR_TABLE,
            Source::LeaseFile => mac_source::LEASE_FILE,
            Source::RequestedName => mac_source::REQUESTED_NAME,
        }
    }
}

/// Returns whether the client has an address with one of the prefixes, by one of the sources.
pub(crate) fn has_any(request: &Request, prefixes: &[MacPrefix], sources: &[Source]) -> bool {
    let client = &request.client;
    let known = client.network_macs().iter().chain(client.claimed_macs());
    let mut trusted = known.filter(|mac| sources.iter().any(|source| source.name() == mac.source));
    trusted.any(|mac| {
        let digits = mac.address.replace(':', "");
        prefixes.iter().any(|prefix| digits.starts_with(&prefix.0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_many_forms() {
        for text in ["02:00:5e:10:00:01", "02-00-5E-10-00-01", "0200.5e10.0001", "02005E100001"] {
            assert_eq!(MacPrefix::parse(text), Ok(MacPrefix("02005e100001".into())), "{text}");
        }
        for text in ["00:0c:29", "00-0C-29", "000c.29", "000c29", "00:0c:29:*", "00:0c:29:*:*:*"] {
            assert_eq!(MacPrefix::parse(text), Ok(MacPrefix("000c29".into())), "{text}");
        }
        // 28 and 36 bits.
        assert_eq!(MacPrefix::parse("00:1b:c5:0"), Ok(MacPrefix("001bc50".into())));
        assert_eq!(MacPrefix::parse("70:b3:d5:0a:1"), Ok(MacPrefix("70b3d50a1".into())));
        for text in [
            "",
            "*",
            "00:0c",
            "00:0c:2g",
            "00:0c:29:",
            "0:0c:29:1",
            "00:0c:29:01:02:03:04",
            "000c29010203a",
            "00:0c-29",
            "10.0.0.0/8",
            "*:00:0c:29",
            "00:*:29",
            "02:00:5e:10:00:0é",
        ] {
            assert!(MacPrefix::parse(text).is_err_and(|error| error.contains("00:0c:29")), "{text}");
        }
    }
}
