//! Which MAC address has leased an IP address: the lease files of DHCP servers, read through the grant
//! `files` when they are needed.

mod isc;

use std::net::IpAddr;

use serde::Deserialize;
use tuffet_sdk::{Level, files, log};

use crate::mac::Mac;

/// Bytes of one file; a call may read 8 MiB in all.
const MAX_FILE: u64 = 8 << 20;

/// A lease file, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LeaseFile {
    pub root: String,
    pub path: String,
    pub format: Format,
}

/// Who wrote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Format {
    /// `EXPIRES MAC ADDRESS NAME CLIENT-ID` on each line.
    Dnsmasq,
    /// The memfile backend: CSV with a header, to whose end each change is written.
    Kea,
    /// `dhcpd.leases`: a block for each change.
    Isc,
}

/// The MAC address that holds a lease on `address` at `now`, in seconds since 1970. Of several that the files
/// name, the last: the later ones of a list are the newer ones.
pub(crate) fn find(leases: &[LeaseFile], address: IpAddr, now: u64) -> Option<Mac> {
    let mut found = None;
    let mut there = false;
    for LeaseFile { root, path, format } in leases {
        match files::read(root, path, MAX_FILE) {
            Ok(Some(content)) => {
                there = true;
                if !read(*format, &content, address, now, &mut found) {
                    log(
                        Level::Warn,
                        format!("{root}:{path} is no lease file of Kea: its first line names no columns"),
                    );
                }
            }
            // Kea has the parts `.1` and `.2` only while it tidies up.
            Ok(None) => {}
            Err(error) => log(Level::Warn, format!("the leases in {root}:{path} cannot be read: {error:?}")),
        }
    }
    if !there {
        log(Level::Warn, "no lease file is there to be read");
    }
    found
}

/// Notes who holds a lease on `address` at `now`, as far as a file knows of it; whether it is such a file.
pub(crate) fn read(
    format: Format,
    content: &[u8],
    address: IpAddr,
    now: u64,
    found: &mut Option<Mac>,
) -> bool {
    let text = String::from_utf8_lossy(content);
    match format {
        Format::Dnsmasq => dnsmasq(&text, address, now, found),
        Format::Isc => isc::read(&text, address, now, found),
        Format::Kea => return kea(&text, address, now, found).is_some(),
    }
    true
}

/// The lines that may be of this address: all that have its text, or, where it can be written in several ways,
/// all. Looking at each costs many times as much as looking for the text.
fn lines_of(text: &str, address: IpAddr) -> Box<dyn Iterator<Item = &str> + '_> {
    if address.is_ipv6() {
        return Box::new(text.lines());
    }
    let needle = address.to_string();
    let mut rest = text;
    Box::new(std::iter::from_fn(move || {
        let at = rest.find(&needle)?;
        let begin = rest[..at].rfind('\n').map_or(0, |line_break| line_break + 1);
        let end = rest[at..].find('\n').map_or(rest.len(), |line_break| at + line_break);
        let line = rest[begin..end].trim_end_matches('\r');
        rest = &rest[end..];
        Some(line)
    }))
}

fn dnsmasq(text: &str, address: IpAddr, now: u64, found: &mut Option<Mac>) {
    for line in lines_of(text, address) {
        let mut fields = line.split_ascii_whitespace();
        // Leases of DHCPv6 have an identity in place of the MAC address.
        let (Some(expires), Some(mac), Some(leased)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        if leased.parse() != Ok(address) {
            continue;
        }
        // 0 is for ever.
        let holds = expires.parse().is_ok_and(|expires: u64| expires == 0 || expires > now);
        *found = Mac::parse(mac).ok().filter(|_| holds);
    }
}

/// `None` where it is no such file.
fn kea(text: &str, address: IpAddr, now: u64, found: &mut Option<Mac>) -> Option<()> {
    let (head, rest) = text.split_once('\n').unwrap_or((text, ""));
    let columns: Vec<&str> = head.trim_end_matches('\r').split(',').collect();
    let column = |name: &str| columns.iter().position(|column| *column == name);
    let (leased, hwaddr, expire) = (column("address")?, column("hwaddr")?, column("expire")?);
    let (lifetime, state) = (column("valid_lifetime"), column("state"));
    for line in lines_of(rest, address) {
        // A comma within a value is written as `&#x2c`. What is in no column takes no memory.
        let fields: Vec<&str> = line.split(',').take(columns.len()).collect();
        let field = |column: usize| fields.get(column).copied();
        if field(leased).and_then(|leased| leased.parse().ok()) != Some(address) {
            continue;
        }
        // A lease that was given back has no lifetime; one that was declined or has expired, another state.
        let holds =
            field(expire).and_then(|expire| expire.parse().ok()).is_some_and(|expire: u64| expire > now)
                && lifetime.and_then(field) != Some("0")
                && state.and_then(field).is_none_or(|state| state == "0");
        *found = field(hwaddr).and_then(|mac| Mac::parse(mac).ok()).filter(|_| holds);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuffet_sdk::testing::put_file;

    fn file(path: &str, format: Format) -> LeaseFile {
        LeaseFile { root: "dhcp".into(), path: path.into(), format }
    }

    fn mac(last: &str) -> Option<Mac> {
        Mac::parse(&format!("02:00:5e:10:00:{last}")).ok()
    }

    #[test]
    fn leases_of_dnsmasq() {
        put_file(
            "dhcp",
            "leases",
            "1700000000 02:00:5e:10:00:01 192.0.2.17 kitchen 01:02:00:5e:10:00:01\n\
             0 02:00:5e:10:00:02 192.0.2.18 * *\n\
             1700000000 06-02:00:5e:10:00:03 192.0.2.19 * *\n\
             duid 00:01:00:01:2a:3b:4c:5d:02:00:5e:10:00:01\n\
             1700000000 270532609 2001:db8::17 kitchen 00:01:00:01\n\
             half a line",
        );
        let leases = [file("leases", Format::Dnsmasq)];
        let find = |address: &str, now| find(&leases, address.parse().unwrap(), now);
        assert_eq!(find("192.0.2.17", 1_699_999_999), mac("01"));
        assert_eq!(find("192.0.2.17", 1_700_000_000), None, "it is over");
        assert_eq!(find("192.0.2.18", u64::MAX), mac("02"), "for ever");
        for none in ["192.0.2.1", "192.0.2.19", "2001:db8::17"] {
            assert_eq!(find(none, 0), None, "{none}");
        }
    }

    const KEA4: &str = "address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state,user_context,pool_id\n";

    fn kea4(address: &str, last: &str, lifetime: u32, expire: u64, state: u8) -> String {
        format!("{address},02:00:5e:10:00:{last},01:02,{lifetime},{expire},1,0,0,a&#x2cb,{state},,0\n")
    }

    #[test]
    fn leases_of_kea_the_last_word_counts() {
        let lines = [
            kea4("192.0.2.17", "01", 3600, 1000, 0),
            kea4("192.0.2.18", "02", 3600, 1000, 0),
            kea4("192.0.2.19", "03", 3600, 1000, 0),
            kea4("192.0.2.20", "04", 3600, 1000, 1),
            kea4("192.0.2.17", "05", 3600, 2000, 0),
            kea4("192.0.2.18", "02", 0, 1000, 0),
            kea4("192.0.2.19", "03", 3600, 1000, 2),
        ];
        put_file("dhcp", "v4", format!("{KEA4}{}", lines.concat()));
        let leases = [file("v4", Format::Kea)];
        let find = |address: &str, now| find(&leases, address.parse().unwrap(), now);
        assert_eq!((find("192.0.2.17", 1999), find("192.0.2.17", 2000)), (mac("05"), None));
        for (none, why) in [("18", "given back"), ("19", "expired"), ("20", "declined"), ("21", "unknown")] {
            assert_eq!(find(&format!("192.0.2.{none}"), 0), None, "{why}");
        }
    }

    #[test]
    fn leases_of_kea_for_ipv6() {
        put_file(
            "dhcp",
            "v6",
            "address,duid,valid_lifetime,expire,subnet_id,pref_lifetime,lease_type,iaid,prefix_len,fqdn_fwd,fqdn_rev,hostname,hwaddr,state,user_context,hwtype,hwaddr_source,pool_id\n\
             2001:db8:0::17,00:01,3600,1000,1,1800,0,7,128,0,0,,02:00:5e:10:00:06,0,,1,2,0\n",
        );
        let leases = [file("v6", Format::Kea)];
        assert_eq!(find(&leases, "2001:db8::17".parse().unwrap(), 0), mac("06"));
    }

    #[test]
    fn the_later_file_is_the_newer_one() {
        put_file("dhcp", "v4.2", format!("{KEA4}{}", kea4("192.0.2.17", "01", 3600, 1000, 0)));
        put_file("dhcp", "v4", format!("{KEA4}{}", kea4("192.0.2.17", "02", 3600, 1000, 0)));
        let address = "192.0.2.17".parse().unwrap();
        let parts = ["v4.2", "v4.1", "v4"].map(|path| file(path, Format::Kea));
        assert_eq!(find(&parts, address, 0), mac("02"));
        assert_eq!(find(&parts[..2], address, 0), mac("01"));
        assert_eq!(find(&parts[1..2], address, 0), None, "none of them is there");
    }

    #[test]
    fn what_is_no_lease_file_has_no_leases() {
        for (at, text) in ["", "\n", "address\n192.0.2.17", "{}", "a,b,c\n,,,"].into_iter().enumerate() {
            let path = format!("bad{at}");
            put_file("dhcp", &path, text);
            for format in [Format::Kea, Format::Dnsmasq, Format::Isc] {
                let found = find(&[file(&path, format)], "192.0.2.17".parse().unwrap(), 0);
                assert_eq!(found, None, "{text:?}");
            }
        }
    }
}
