//! Lease files of DHCP servers, as the plugin `mac-map` reads them. Nothing panics; every lease found is in
//! the file; an appended lease takes precedence, and one of another address changes nothing.
#![no_main]

use std::net::IpAddr;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use tuffet_mac_map::lease;

#[derive(Debug, Arbitrary)]
struct Case<'a> {
    format: Format,
    /// The index of an address in these files.
    address: u8,
    now: u64,
    /// Whether it begins with a header that Kea would write.
    header: bool,
    pieces: Vec<Piece<'a>>,
}

#[derive(Debug, Clone, Copy, Arbitrary)]
enum Format {
    Dnsmasq,
    Kea,
    Isc,
}

/// A part of a file: any text, or typical words of such files.
#[derive(Debug, Arbitrary)]
enum Piece<'a> {
    Text(&'a str),
    Bytes(&'a [u8]),
    Whole { address: u8, mac: u8, expires: u64, state: u8 },
    Cut { address: u8, mac: u8, expires: u64, state: u8, at: u8 },
    Word(u8),
}

const ADDRESSES: [&str; 6] =
    ["192.0.2.17", "192.0.2.1", "192.0.2.177", "2001:db8::17", "2001:db8:0:0::17", "0.0.0.0"];
const WORDS: [&str; 24] = [
    "\n",
    " ",
    ";",
    "{",
    "}",
    "\"",
    "\\",
    "#",
    ",",
    "\r\n",
    "\t",
    "lease ",
    "hardware ethernet ",
    "ends ",
    "never",
    "epoch ",
    "binding state ",
    "active",
    "02:00:5e:10:00:01",
    "0200.5e10.0001",
    "4 2026/01/01 12:00:00",
    "on expiry {",
    "192.0.2.17",
    "\u{fffd}é",
];
const HEADER: &str =
    "address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state\n";

fuzz_target!(|case: Case<'_>| {
    let address = ADDRESSES[usize::from(case.address) % ADDRESSES.len()];
    let address: IpAddr = address.parse().expect("one of the addresses above");
    let mut file = Vec::new();
    if case.header {
        file.extend_from_slice(HEADER.as_bytes());
    }
    case.pieces.iter().for_each(|piece| piece.write(case.format, &mut file));
    let find = |file: &[u8]| lease(case.format.name(), file, address, case.now);

    let found = find(&file);
    if let Some(mac) = &found {
        let plain: Vec<u8> =
            file.to_ascii_lowercase().into_iter().filter(|byte| !b":-.".contains(byte)).collect();
        let digits = mac.replace(':', "");
        assert!(
            plain.windows(12).any(|window| window == digits.as_bytes()),
            "{mac} does not stand in the file"
        );
    }
    // Only a file that begins like one of Kea can continue like one.
    if matches!(case.format, Format::Kea) && !case.header {
        return;
    }
    file.push(b'\n');
    assert_eq!(find(&file), found, "an empty line says something");
    let other = [&file[..], another(case.format).as_bytes()].concat();
    assert_eq!(find(&other), found, "the lease of another address changes this one");
    let after = [&file[..], entry(case.format, &address.to_string(), 9, u64::MAX, 0).as_bytes()].concat();
    if case.now < u64::MAX {
        assert_eq!(find(&after).as_deref(), Some("02:00:5e:10:00:09"), "the last word counts");
    }
});

/// Returns a lease as the server writes it; state 0 is a valid one.
fn entry(format: Format, address: &str, mac: u8, expires: u64, state: u8) -> String {
    let mac = format!("02:00:5e:10:00:{mac:02x}");
    match format {
        Format::Dnsmasq => format!("{expires} {mac} {address} name 01:{mac}\n"),
        Format::Kea => {
            let state = state % 4;
            format!("{address},{mac},01:02,3600,{expires},1,0,0,name,{state}\n")
        }
        Format::Isc => {
            let state = ["active", "free", "expired", "abandoned"][usize::from(state % 4)];
            format!(
                "lease {address} {{\n  ends epoch {expires};\n  binding state {state};\n  hardware ethernet {mac};\n\
                 \x20 uid \"\\001\\\"{{\";\n}}\n"
            )
        }
    }
}

/// Returns a whole lease of an address that is none of the others, without quotes: one would end a string
/// that a cut-off entry began.
fn another(format: Format) -> String {
    let entry = entry(format, "198.51.100.7", 7, u64::MAX, 0);
    entry.lines().filter(|line| !line.contains('"')).map(|line| format!("{line}\n")).collect()
}

impl Piece<'_> {
    fn write(&self, format: Format, file: &mut Vec<u8>) {
        let whole = |address: u8, mac, expires, state| {
            entry(format, ADDRESSES[usize::from(address) % ADDRESSES.len()], mac, expires, state)
        };
        match *self {
            Piece::Text(text) => file.extend_from_slice(text.as_bytes()),
            Piece::Bytes(bytes) => file.extend_from_slice(bytes),
            Piece::Whole { address, mac, expires, state } => {
                file.extend_from_slice(whole(address, mac, expires, state).as_bytes());
            }
            Piece::Cut { address, mac, expires, state, at } => {
                let entry = whole(address, mac, expires, state);
                file.extend_from_slice(&entry.as_bytes()[..usize::from(at).min(entry.len())]);
            }
            Piece::Word(word) => file.extend_from_slice(WORDS[usize::from(word) % WORDS.len()].as_bytes()),
        }
    }
}

impl Format {
    fn name(self) -> &'static str {
        match self {
            Format::Dnsmasq => "dnsmasq",
            Format::Kea => "kea",
            Format::Isc => "isc",
        }
    }
}
