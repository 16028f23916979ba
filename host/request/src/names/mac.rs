//! The MAC address in a requested name.
//!
//! PXELINUX and GRUB request `01-` (the ARP hardware type of Ethernet) and the address, Cisco phones
//! `SEP<MAC>.cnf.xml`, many others `<mac>.cfg`. Other names look similar: a UUID ends in twelve hexadecimal
//! digits, and a checksum is one long run of them. Digits are recognised as an address only if other meanings are
//! unlikely.

use crate::mac_address::MacAddress;

/// The hexadecimal digits of an address.
const DIGITS: usize = 12;

/// Returns the MAC address in the last part of `path`, if exactly one is plausible.
///
/// Recognises, in any letter case: `aa-bb-cc-dd-ee-ff`, the same after `01-` or with colons,
/// `aabb.ccdd.eeff`, and `aabbccddeeff`, each surrounded by other characters that are not digits
/// (`SEP001122334455.cnf.xml`, `cfg001122334455.xml`). The address must be possible for a network card:
/// unicast, and of an existing vendor. A name with two different addresses has none. Twelve decimal digits
/// are an address too, since real ones may have no letter.
pub fn mac_in_name(path: &str) -> Option<MacAddress> {
    let name = path.rsplit('/').next()?;
    // A cheap check: most names have too few digits.
    if name.bytes().filter(u8::is_ascii_hexdigit).count() < DIGITS {
        return None;
    }
    let words = words(name);
    let mut found = None;
    let candidates =
        pairs(&words).into_iter().chain(dotted(&words)).chain(undivided(&words)).filter(is_plausible);
    for candidate in candidates {
        if found.is_some_and(|other| other != candidate) {
            return None;
        }
        found = Some(candidate);
    }
    found
}

/// A maximal run of ASCII letters and digits, and the one character between it and the next word.
struct Word<'a> {
    text: &'a str,
    /// `None` at the end of the name, or if more than one character follows.
    joint: Option<char>,
}

fn words(name: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut rest = name;
    loop {
        rest = rest.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        if end == 0 {
            return words;
        }
        let (text, after) = rest.split_at(end);
        let mut following = after.chars();
        let joint = following.next().filter(|_| following.next().is_some_and(|c| c.is_ascii_alphanumeric()));
        words.push(Word { text, joint });
        rest = after;
    }
}

/// Finds chains of two-digit words: six of them, or seven after the ARP type of Ethernet.
fn pairs(words: &[Word<'_>]) -> Vec<MacAddress> {
    ['-', ':']
        .into_iter()
        .flat_map(|joint| chains(words, joint, 2))
        .filter_map(|chain| from_pairs(&chain))
        .collect()
}

fn from_pairs(chain: &[&str]) -> Option<MacAddress> {
    match chain {
        ["01", digits @ ..] if digits.len() == 6 => from_digits(&digits.concat()),
        digits if digits.len() == 6 => from_digits(&digits.concat()),
        _ => None,
    }
}

/// Finds `aabb.ccdd.eeff`, as Cisco writes it. Not with dashes: a UUID has three such words in its middle.
fn dotted(words: &[Word<'_>]) -> Vec<MacAddress> {
    chains(words, '.', 4)
        .into_iter()
        .filter(|chain| chain.len() == 3)
        .filter_map(|chain| from_digits(&chain.concat()))
        .collect()
}

/// Finds twelve digits in one run, except at the end of a UUID.
fn undivided(words: &[Word<'_>]) -> Vec<MacAddress> {
    words
        .iter()
        .enumerate()
        .filter(|(index, _)| !ends_uuid(&words[..=*index]))
        .flat_map(|(_, word)| runs(word.text))
        .filter_map(from_digits)
        .collect()
}

/// Returns the longest runs of hexadecimal digits in a word.
fn runs(word: &str) -> impl Iterator<Item = &str> {
    // The last letter of these prefixes is a hexadecimal digit and would join the run: Cisco ATA and SPA
    // adapters.
    let bare = ["ata", "spa"].iter().find_map(|prefix| {
        let (head, tail) = word.split_at_checked(prefix.len())?;
        (head.eq_ignore_ascii_case(prefix) && tail.len() == 12).then_some(tail)
    });
    bare.unwrap_or(word).split(|c: char| !c.is_ascii_hexdigit())
}

fn ends_uuid(words: &[Word<'_>]) -> bool {
    const UUID: [usize; 5] = [8, 4, 4, 4, 12];
    words.len() >= UUID.len()
        && words[words.len() - UUID.len()..].iter().zip(UUID).enumerate().all(|(place, (word, length))| {
            word.text.len() == length && is_hex(word.text) && (place == 4 || word.joint == Some('-'))
        })
}

/// Returns the longest chains of words that have `length` hexadecimal digits each and are separated by
/// `joint`.
fn chains<'a>(words: &[Word<'a>], joint: char, length: usize) -> Vec<Vec<&'a str>> {
    let mut chains = vec![Vec::new()];
    let mut joined = false;
    for word in words {
        let fits = word.text.len() == length && is_hex(word.text);
        if !(fits && joined) {
            chains.push(Vec::new());
        }
        if fits && let Some(chain) = chains.last_mut() {
            chain.push(word.text);
        }
        joined = fits && word.joint == Some(joint);
    }
    chains
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn from_digits(digits: &str) -> Option<MacAddress> {
    if digits.len() != DIGITS || !is_hex(digits) {
        return None;
    }
    let value = u64::from_str_radix(digits, 16).ok()?;
    let [_, _, octets @ ..] = value.to_be_bytes();
    Some(MacAddress(octets))
}

/// IEEE 802: the lowest bit of the first octet marks a group address, which no card has as its own. Three
/// leading zero octets are Yealink's model numbers (`y000000000028.cfg`), not a vendor.
fn is_plausible(mac: &MacAddress) -> bool {
    mac.0[0] & 1 == 0 && mac.0[..3] != [0; 3]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str) -> Option<String> {
        mac_in_name(name).map(|mac| mac.to_string())
    }

    #[test]
    fn addresses_are_found_in_requested_names() {
        let one = "00:11:22:aa:bb:cc";
        for name in [
            "01-00-11-22-aa-bb-cc",
            "pxelinux.cfg/01-00-11-22-AA-BB-CC",
            "grub.cfg-01-00-11-22-aa-bb-cc",
            "01-00-11-22-aa-bb-cc.ipxe",
            "ipxe-01-00-11-22-aa-bb-cc.cfg",
            "00-11-22-aa-bb-cc",
            "00:11:22:aa:bb:cc.cfg",
            "mac=00:11:22:aa:bb:cc",
            "phone-00-11-22-aa-bb-cc.cfg",
            "cafe-00-11-22-aa-bb-cc",
            "0011.22aa.bbcc",
            "switch_0011.22AA.BBCC.cfg",
            "router-0011.22aa.bbcc-confg",
            "SEP001122AABBCC.cnf.xml",
            "sep001122aabbcc.cnf.xml",
            "CTLSEP001122AABBCC.tlv",
            "ITLSEP001122AABBCC.tlv",
            "phones/SIP001122AABBCC.cnf",
            "ata001122aabbcc",
            "spa001122AABBCC.cfg",
            "cfg001122aabbcc.xml",
            "001122aabbcc.cfg",
            "001122aabbcc.boot",
            "001122aabbcc",
            "001122AABBCC-phone.cfg",
            "001122aabbcc_directory.xml",
            "snom320-001122AABBCC.htm",
            "MN_001122AABBCC.cfg",
            "a/b/001122aabbcc.cfg",
            "001122aabbcc-001122AABBCC.cfg",
            "(001122aabbcc)",
            "g\u{e4}nse-001122aabbcc",
        ] {
            assert_eq!(found(name).as_deref(), Some(one), "{name}");
        }
        assert_eq!(found("001122334455.cfg").as_deref(), Some("00:11:22:33:44:55"));
        assert_eq!(found("02-00-5e-10-00-01").as_deref(), Some("02:00:5e:10:00:01"));
    }

    #[test]
    fn lookalikes_of_addresses_are_refused() {
        for name in [
            "",
            "pxelinux.0",
            "pxelinux.cfg/default",
            "pxelinux.cfg/C0A8025B",
            // The folder does not count.
            "001122aabbcc/boot.bin",
            "01-00-11-22-aa-bb-cc/x",
            // UUIDs, with and without dashes.
            "pxelinux.cfg/44454c4c-4200-1034-8054-b4c04f4b3132",
            "44454C4C-4200-1034-8054-B4C04F4B3132.cfg",
            "{44454c4c-4200-1034-8054-b4c04f4b3132}",
            "host-44454c4c-4200-1034-8054-b4c04f4b3132.bin",
            "44454c4c420010348054b4c04f4b3132",
            // Too long, too short.
            "001122aabbccd",
            "001122aabbc",
            "a001122aabbcc.cfg",
            "image-9f86d081884c7d659a2feaa0c55ad015.bin",
            "00-11-22-aa-bb",
            "00-11-22-aa-bb-cc-dd",
            "00-11-22-aa-bb-cc-dd-ee",
            "02-00-11-22-aa-bb-cc",
            "01-00-11-22-aa-bb-cc-dd",
            "00:11:22:ff:fe:aa:bb:cc",
            "0011.22aa",
            "0011.22aa.bbcc.ddee",
            "0011-22aa-bbcc",
            // Broken or mixed notations.
            "00-11:22-aa:bb-cc",
            "00--11-22-aa-bb-cc",
            "0-11-22-aa-bb-cc",
            "x00-11-22-aa-bb-cc",
            "00-11-22-aa-bb-ccx",
            "0011.22aa.bbccd",
            "00 11 22 aa bb cg",
            "SEP001122AABBCG.cnf.xml",
            "SEPDefault.cnf.xml",
            "XMLDefault.cnf.xml",
            "y000000000028.cfg",
            // No network card has these addresses.
            "ff-ff-ff-ff-ff-ff",
            "ffffffffffff.cfg",
            "000000000000.cfg",
            "00-00-00-00-00-00",
            "01-01-00-5e-10-00-01",
            "010203040506",
            // Two addresses.
            "001122aabbcc-001122aabbcd.cfg",
            "00-11-22-aa-bb-cc_0011.22aa.bbcd",
        ] {
            assert_eq!(found(name), None, "{name}");
        }
    }
}
