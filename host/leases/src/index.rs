//! An index of the entries of a lease file by address.

use std::fmt;
use std::net::IpAddr;

use crate::kea::Columns;
use crate::{Format, Lease, dnsmasq, isc};

/// The text of a lease file, with the positions of its entries by address. Indexing a large file takes milliseconds;
/// parsing one entry takes a microsecond, so entries are parsed only when requested.
pub struct Index {
    text: String,
    kind: Kind,
    /// The address and the byte offset of each entry, sorted. Entries of one address keep the order of the file.
    entries: Vec<(u128, u32)>,
}

enum Kind {
    Dnsmasq,
    Kea(Columns),
    Isc,
}

impl fmt::Debug for Index {
    /// Shows only the number of entries.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index").field("entries", &self.entries.len()).finish_non_exhaustive()
    }
}

impl Index {
    /// Indexes the entries of a file; `None` if the file does not have this format.
    pub fn of(format: Format, content: Vec<u8>) -> Option<Index> {
        let text = String::from_utf8(content)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        let (kind, entries) = match format {
            Format::Dnsmasq => {
                let address = |line: &str| line.split_ascii_whitespace().nth(2)?.parse().ok();
                (Kind::Dnsmasq, lines(&text, 0, address))
            }
            Format::Isc => (Kind::Isc, lines_with(&text, '{', isc::leased)),
            Format::Kea => {
                let (head, _) = text.split_once('\n').unwrap_or((&text, ""));
                let columns = Columns::of(head.trim_end_matches('\r'))?;
                let address = |line: &str| line.split(',').nth(columns.leased)?.parse().ok();
                let entries = lines(&text, head.len() + 1, address);
                (Kind::Kea(columns), entries)
            }
        };
        let mut entries = entries;
        entries.sort_unstable();
        Some(Index { text, kind, entries })
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the file has no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the lease of `address` at `now`, in seconds since 1970: `None` if the file has no entry for it,
    /// `Some(None)` if no lease is valid.
    pub fn find(&self, address: IpAddr, now: u64) -> Option<Option<Lease>> {
        let key = key(address.to_canonical());
        let of_address = |places: &[(u128, u32)]| places.partition_point(|(other, _)| *other <= key);
        let from = self.entries.partition_point(|(other, _)| *other < key);
        let entries = &self.entries[from..];
        let entries = &entries[..of_address(entries)];
        let from_byte = |at: u32| &self.text[at as usize..];
        // Each line is complete, so the last one wins.
        let (_, last) = entries.last()?;
        match &self.kind {
            Kind::Dnsmasq => Some(dnsmasq::read(line(from_byte(*last)), now)),
            Kind::Kea(columns) => Some(columns.read(line(from_byte(*last)), now)),
            Kind::Isc => {
                // Each entry extends to the next one of this address: an entry without an end before that was never
                // completed. So each byte belongs to one entry at most.
                let mut end = self.text.len();
                entries.iter().rev().find_map(|(_, begin)| {
                    let entry = &self.text[*begin as usize..end];
                    end = *begin as usize;
                    isc::read(entry, now)
                })
            }
        }
    }
}

fn key(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(v4) => v4.to_ipv6_mapped().to_bits(),
        IpAddr::V6(v6) => v6.to_bits(),
    }
}

fn line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// The address and position of each line with an address, from byte `from` on.
fn lines(text: &str, from: usize, address: impl Fn(&str) -> Option<IpAddr>) -> Vec<(u128, u32)> {
    let mut entries = Vec::new();
    let mut at = from;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let line = rest.split_once('\n').map_or(rest, |(line, _)| line);
        let begins = u32::try_from(at).ok();
        entries.extend(begins.and_then(|at| Some((key(address(line.trim_end_matches('\r'))?), at))));
        at += line.len() + 1;
    }
    entries
}

/// As [`lines`], but considers only lines that contain `mark`. In a file of ISC dhcpd, this skips nine lines of ten.
fn lines_with(text: &str, mark: char, address: impl Fn(&str) -> Option<IpAddr>) -> Vec<(u128, u32)> {
    let mut entries = Vec::new();
    let mut at = 0;
    while let Some(mark) = text.get(at..).and_then(|rest| rest.find(mark)).map(|found| at + found) {
        // A line that begins before `at` has been visited.
        let begins = text[at..mark].rfind('\n').map_or(at, |found| at + found + 1);
        let ends = text[mark..].find('\n').map_or(text.len(), |found| mark + found);
        let line = text[begins..ends].trim_end_matches('\r');
        let place = u32::try_from(begins).ok();
        entries.extend(place.and_then(|place| Some((key(address(line)?), place))));
        at = ends + 1;
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Covers braces and line breaks in random order.
    #[test]
    fn lines_with_a_mark_are_those_of_all_lines() {
        let parts = [
            "lease 192.0.2.1 {",
            "lease 192.0.2.2 { }",
            "}",
            "\n",
            "\r\n",
            " {",
            "x",
            "lease 2001:db8::1 {\n",
        ];
        let mut random = 1_u32;
        for _ in 0..2_000 {
            let mut text = String::new();
            for _ in 0..random % 12 {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                text += parts[(random >> 16) as usize % parts.len()];
            }
            random = random.wrapping_add(0x9e37_79b9);
            assert_eq!(lines_with(&text, '{', isc::leased), lines(&text, 0, isc::leased), "{text:?}");
        }
    }
}
