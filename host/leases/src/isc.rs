//! `dhcpd.leases` of ISC dhcpd: one statement for each change. The last one for an address wins.
//!
//! ```text
//! lease 192.0.2.17 {
//!   ends 4 2026/01/01 12:00:00;
//!   binding state active;
//!   hardware ethernet 02:00:5e:10:00:01;
//!   uid "\001\002\000^\020\000\001";
//!   set vendor-class-identifier = "PXEClient:Arch:00007:UNDI:003016";
//!   client-hostname "kitchen";
//! }
//! ```
//!
//! Options appear as variables: the server sets `vendor-class-identifier` by itself, and others if configured
//! (`set pxe-system-type = option pxe-system-type;`).

use std::net::IpAddr;

use crate::{Lease, Mac, lease, octets};

/// The start of the first line of a lease.
const HEAD: &str = "lease ";

/// Returns the address of the lease that begins on a line. No line within a string begins like this, because line
/// breaks are escaped there.
pub(super) fn leased(line: &str) -> Option<IpAddr> {
    let (address, _) = line.strip_prefix(HEAD)?.split_once(" {")?;
    address.parse().ok()
}

/// Parses the entry at the start of the text, at `now`. `None` if it is incomplete, because the server may be writing
/// it.
pub(super) fn read(entry: &str, now: u64) -> Option<Option<Lease>> {
    let (_, entry) = entry.split_once(" {")?;
    let entry = whole(&mut Tokens { text: entry, at: 0 })?;
    Some(entry.holds(now).then(|| entry.lease.complete()))
}

/// The contents of an entry.
#[derive(Default)]
struct Entry<'a> {
    lease: Lease,
    state: Option<&'a str>,
}

impl Entry<'_> {
    fn holds(&self, now: u64) -> bool {
        self.state.is_none_or(|state| state == "active") && self.lease.expires.is_none_or(|ends| ends > now)
    }
}

/// Parses the rest of an entry; `None` if the text ends within it.
fn whole<'a>(entry: &mut Tokens<'a>) -> Option<Entry<'a>> {
    let mut read = Entry::default();
    let mut words = Vec::new();
    loop {
        match entry.next()? {
            // One more than the longest known statement. Longer ones are ignored and take no memory.
            Token::Word(word) => {
                if words.len() < 5 {
                    words.push(word);
                }
            }
            Token::End => {
                read.take(&words);
                words.clear();
            }
            // `on expiry { … }`
            Token::Open => {
                if !entry.skip_block() {
                    return None;
                }
                words.clear();
            }
            Token::Close => return Some(read),
        }
    }
}

impl<'a> Entry<'a> {
    /// Applies a statement.
    fn take(&mut self, statement: &[&'a str]) {
        let lease = &mut self.lease;
        match *statement {
            ["hardware", "ethernet", mac] => lease.mac = Mac::parse(mac).ok(),
            ["binding", "state", state] => self.state = Some(state),
            ["ends", "never"] => lease.expires = None,
            ["ends", "epoch", seconds] => lease.expires = Some(seconds.parse().unwrap_or(0)),
            // A lease with an unreadable end counts as expired.
            ["ends", _, date, time] => lease.expires = Some(seconds(date, time).unwrap_or(0)),
            ["client-hostname", name] => lease.hostname = lease::hostname(&string(name)),
            ["uid", id] => lease.client_id = lease::client_id(&octets(id)),
            ["set", "vendor-class-identifier", "=", class] => {
                lease.vendor_class = lease::text(&string(class))
            }
            ["set", "pxe-system-type", "=", value] => lease.architecture = number(value),
            ["set", "pxe-client-id", "=", value] => lease.uuid = lease::uuid(&octets(value)),
            _ => {}
        }
    }
}

/// The octets of a value: a string in quotes, or hexadecimal octets with colons.
fn octets(value: &str) -> Vec<u8> {
    match value.strip_prefix('"') {
        Some(string) => octets::of_escaped(string.strip_suffix('"').unwrap_or(string)),
        None => octets::of_colons(value).unwrap_or_default(),
    }
}

fn string(value: &str) -> String {
    String::from_utf8_lossy(&octets(value)).into_owned()
}

/// Parses a number: `%7`, or two octets.
fn number(value: &str) -> Option<u16> {
    match value.strip_prefix('%') {
        Some(digits) => digits.parse().ok(),
        None => octets(value).try_into().ok().map(u16::from_be_bytes),
    }
}

/// Returns the seconds since 1970 of a time in UTC, such as `2026/01/01` and `12:00:00`.
fn seconds(date: &str, time: &str) -> Option<u64> {
    let numbers = |text: &str, between: char| -> Option<[i64; 3]> {
        let numbers: Vec<i64> = text.split(between).map(str::parse).collect::<Result<_, _>>().ok()?;
        numbers.try_into().ok()
    };
    let [year, month, day] = numbers(date, '/')?;
    let [hour, minute, second] = numbers(time, ':')?;
    let date = (1970..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    let time = (0..24).contains(&hour) && (0..60).contains(&minute) && (0..=60).contains(&second);
    if !date || !time {
        return None;
    }
    // Count years from March, so that the leap day is the last day.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year / 4 - year / 100 + year / 400;
    let days = year * 365 + leap_days + (153 * month + 2) / 5 + day - 1 - DAYS_TO_1970;
    u64::try_from(days * 86_400 + hour * 3600 + minute * 60 + second).ok()
}

/// Days from the first of March of the year 0 to the first of January 1970.
const DAYS_TO_1970: i64 = 719_468;

enum Token<'a> {
    /// Quotes included.
    Word(&'a str),
    Open,
    Close,
    /// A semicolon.
    End,
}

struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    /// Skips an open block; returns whether it has an end.
    fn skip_block(&mut self) -> bool {
        let mut depth = 1;
        for token in self.by_ref() {
            match token {
                Token::Open => depth += 1,
                Token::Close => depth -= 1,
                Token::Word(_) | Token::End => {}
            }
            if depth == 0 {
                return true;
            }
        }
        false
    }

    /// Skips bytes that match `such`.
    fn pass(&mut self, such: impl Fn(u8) -> bool) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().position(|byte| !such(*byte)).unwrap_or(rest.len());
    }

    /// Skips a string with escapes.
    fn pass_string(&mut self) {
        let bytes = self.text.as_bytes();
        self.at += 1;
        while let Some(byte) = bytes.get(self.at) {
            self.at += match byte {
                b'\\' => 2,
                b'"' => {
                    self.at += 1;
                    return;
                }
                _ => 1,
            };
        }
        self.at = bytes.len();
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            self.pass(|byte| byte.is_ascii_whitespace());
            if *self.text.as_bytes().get(self.at)? != b'#' {
                break;
            }
            self.pass(|byte| byte != b'\n');
        }
        let start = self.at;
        match self.text.as_bytes()[start] {
            b'{' => self.at += 1,
            b'}' => self.at += 1,
            b';' => self.at += 1,
            b'"' => self.pass_string(),
            _ => self.pass(|byte| !byte.is_ascii_whitespace() && !b"{};\"#".contains(&byte)),
        }
        // Every step ends at an ASCII byte, so the range is valid UTF-8.
        let word = self.text.get(start..self.at)?;
        Some(match word {
            "{" => Token::Open,
            "}" => Token::Close,
            ";" => Token::End,
            word => Token::Word(word),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, Index};

    fn find(text: &str, address: &str, now: u64) -> Option<String> {
        let index = Index::of(Format::Isc, text.into()).unwrap();
        Some(index.find(address.parse().unwrap(), now)??.mac?.joined(":"))
    }

    fn entry(address: &str, last: &str, ends: &str, state: &str) -> String {
        format!(
            "lease {address} {{\n  starts 4 2026/01/01 00:00:00;\n  ends {ends};\n  cltt 4 2026/01/01 00:00:00;\n  \
             binding state {state};\n  next binding state free;\n  rewind binding state free;\n  \
             hardware ethernet 02:00:5e:10:00:{last};\n  uid \"\\001\\\"{{\\000;\";\n  \
             set vendor-class-identifier = \"PXEClient:Arch:00000\";\n  client-hostname \"a }} b\";\n}}\n"
        )
    }

    const HEAD: &str = "# The format of this file is documented in dhcpd.leases(5) { ;\n\n\
        authoring-byte-order little-endian;\n\nserver-duid \"\\000\\001\\\"\";\n\
        failover peer \"dhcp\" state {\n  my state normal at 4 2026/01/01 00:00:00;\n}\n\
        host kitchen { dynamic; hardware ethernet 02:00:5e:10:00:09; fixed-address 192.0.2.17; }\n";

    #[test]
    fn the_last_entry_wins() {
        let noon = "4 2026/01/01 12:00:00";
        let text = [
            HEAD,
            &entry("192.0.2.17", "01", noon, "active"),
            &entry("192.0.2.18", "02", "never", "active"),
            &entry("192.0.2.19", "03", noon, "active"),
            &entry("192.0.2.20", "04", "epoch 1767268800; # Thu Jan 01", "active"),
            &entry("192.0.2.17", "05", noon, "active"),
            &entry("192.0.2.19", "03", noon, "free"),
            &entry("192.0.2.21", "06", noon, "abandoned"),
        ]
        .concat();
        let noon = 1_767_268_800;
        let mac = |last: &str| Some(format!("02:00:5e:10:00:{last}"));
        for (address, now, expected) in [
            ("192.0.2.17", noon - 1, mac("05")),
            ("192.0.2.17", noon, None),
            ("192.0.2.18", u64::MAX, mac("02")),
            ("192.0.2.19", 0, None),
            ("192.0.2.20", noon - 1, mac("04")),
            ("192.0.2.20", noon, None),
            ("192.0.2.21", 0, None),
            ("192.0.2.1", 0, None),
        ] {
            assert_eq!(find(&text, address, now), expected, "{address} at {now}");
        }
    }

    /// An incomplete entry is ignored; the previous one applies.
    #[test]
    fn an_entry_that_is_cut_off() {
        let whole = entry("192.0.2.17", "01", "never", "active");
        let next = entry("192.0.2.17", "02", "never", "active");
        for cut in 0..next.len() - 2 {
            let text = format!("{whole}{}", &next[..cut]);
            assert_eq!(find(&text, "192.0.2.17", 0).as_deref(), Some("02:00:5e:10:00:01"), "{text}");
        }
        assert_eq!(find(&format!("{whole}{next}"), "192.0.2.17", 0).as_deref(), Some("02:00:5e:10:00:02"));
    }

    /// Reading each one to the end of the file would take hours.
    #[test]
    fn unterminated_entries_cost_linear_time() {
        const HEAD: &str = "lease 192.0.2.17 {";
        let whole = entry("192.0.2.17", "01", "never", "active");
        let cut = format!("{HEAD}\n");
        let text = format!("{whole}{}", cut.repeat((8 << 20) / cut.len()));
        assert_eq!(find(&text, "192.0.2.17", 0).as_deref(), Some("02:00:5e:10:00:01"));
    }

    /// Covers open strings and open blocks.
    #[test]
    fn an_entry_ends_where_the_next_of_its_address_begins() {
        let next = entry("192.0.2.17", "02", "never", "active");
        for cut in ["uid \"a", "on expiry {", "hardware ethernet 02:00:5e:10:00:01;"] {
            let text = format!("lease 192.0.2.17 {{\n  {cut}\n{next}");
            assert_eq!(find(&text, "192.0.2.17", 0).as_deref(), Some("02:00:5e:10:00:02"), "{text}");
            let text = format!("{text}lease 192.0.2.17 {{\n  {cut}\n");
            assert_eq!(find(&text, "192.0.2.17", 0).as_deref(), Some("02:00:5e:10:00:02"), "{text}");
        }
    }

    #[test]
    fn blocks_within_and_unusual_forms() {
        let text = "lease 192.0.2.17 { on expiry { if a { log(info, \"}\"); } hardware ethernet \
                    02:00:5e:10:00:02; } hardware ethernet 02:00:5e:10:00:01; }";
        assert_eq!(find(text, "192.0.2.17", 0).as_deref(), Some("02:00:5e:10:00:01"));
        for none in [
            "",
            "}",
            "{",
            "lease",
            "lease 192.0.2.17",
            "lease 192.0.2.17 { hardware ethernet é; }",
            "\"",
            "\\",
            "é\"\\é",
        ] {
            assert_eq!(find(none, "192.0.2.17", 0), None, "{none:?}");
        }
    }

    #[test]
    fn entries_identify_their_clients() {
        let noted = |more: &str| {
            let text = format!("lease 192.0.2.17 {{\n  ends never;\n{more}}}\n");
            let index = Index::of(Format::Isc, text.into()).unwrap();
            index.find("192.0.2.17".parse().unwrap(), 0).unwrap().unwrap()
        };
        assert_eq!(noted(""), Lease::default());
        let lease = noted(
            "  uid \"\\001\\002\\000^\\020\\000\\001\";\n  client-hostname \"a } b\";\n  set vendor-class-identifier = \
             \"PXEClient:Arch:00009:UNDI:003016\";\n",
        );
        assert_eq!(lease.client_id.as_deref(), Some("01:02:00:5e:10:00:01"));
        assert_eq!(lease.hostname.as_deref(), Some("a } b"));
        assert_eq!(lease.vendor_class.as_deref(), Some("PXEClient:Arch:00009:UNDI:003016"));
        assert_eq!(lease.architecture, Some(9));
        let lease = noted(
            "  uid ff:0:1;\n  set pxe-system-type = \"\\000\\013\";\n  set pxe-client-id = \
             0:0:11:22:33:44:55:66:77:88:99:aa:bb:cc:dd:ee:ff;\n",
        );
        assert_eq!((lease.client_id.as_deref(), lease.architecture), (Some("ff:00:01"), Some(11)));
        assert_eq!(lease.uuid.as_deref(), Some("00112233-4455-6677-8899-aabbccddeeff"));
        assert_eq!(noted("  set pxe-system-type = %7;\n").architecture, Some(7));
        assert_eq!(noted("  client-hostname \"a\\012b\";\n").hostname, None, "a line break");
    }

    #[test]
    fn times() {
        assert_eq!(seconds("1970/01/01", "00:00:00"), Some(0));
        assert_eq!(seconds("2000/02/29", "23:59:59"), Some(951_868_799));
        assert_eq!(seconds("2024/03/01", "00:00:00"), Some(1_709_251_200));
        assert_eq!(seconds("2026/12/31", "00:00:00"), Some(1_798_675_200));
        for bad in ["2026/13/01", "2026/01", "x", "0/0/0", "99999999999/1/1"] {
            assert_eq!(seconds(bad, "00:00:00"), None, "{bad}");
        }
        assert_eq!(seconds("2026/01/01", "9223372036854775807:0:0"), None);
    }
}
