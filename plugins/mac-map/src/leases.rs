//! Which MAC address has leased an IP address: the lease files of DHCP servers, read through the grant `files` and
//! kept until they change.

use std::cell::RefCell;
use std::net::IpAddr;

use serde::Deserialize;
use tuffet_leases::{Format, Index, Mac};
use tuffet_sdk::{Error, Level, files, log};

/// Bytes of one file; a call may read as many in all.
const MAX_FILE: u64 = 64 << 20;

/// A lease file, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LeaseFile {
    pub root: String,
    pub path: String,
    pub format: Format,
}

/// The lease files and what they held when they were read last.
pub(crate) struct Leases {
    files: Vec<LeaseFile>,
    read: RefCell<Read>,
}

#[derive(Default)]
struct Read {
    /// In the order of the files; `None` for one that is not there, or could not be read.
    indices: Vec<Option<Known>>,
    /// When the files were looked at last, in seconds since 1970.
    looked: Option<u64>,
}

struct Known {
    version: String,
    index: Index,
}

impl Leases {
    pub fn new(files: Vec<LeaseFile>) -> Leases {
        Leases { files, read: RefCell::default() }
    }

    /// Reads the files, so that the first request does not have to wait for that. What fails is said when a request
    /// needs them.
    pub fn prepare(&self, now: u64) {
        let mut read = self.read.borrow_mut();
        self.refresh(&mut read, now, false);
        // That is not yet the look that tells what failed.
        read.looked = None;
    }

    /// The MAC address that holds a lease on `address` at `now`, in seconds since 1970. Of several that the files
    /// name, the last: the later ones of a list are the newer ones.
    ///
    /// Looks for changes once a second, and for each address without a lease. Without a clock, where `now` is 0,
    /// each time.
    pub fn find(&self, address: IpAddr, now: u64) -> Option<Mac> {
        if self.files.is_empty() {
            return None;
        }
        let mut read = self.read.borrow_mut();
        let fresh = now > 0 && read.looked == Some(now);
        if !fresh {
            self.refresh(&mut read, now, true);
        }
        let found = read.find(address, now);
        if found.is_none() && fresh && self.refresh(&mut read, now, true) {
            return read.find(address, now);
        }
        found
    }

    /// Reads what has changed; whether anything has.
    fn refresh(&self, read: &mut Read, now: u64, logs: bool) -> bool {
        read.looked = Some(now);
        read.indices.resize_with(self.files.len(), || None);
        let mut changed = false;
        let mut there = false;
        for (file, known) in self.files.iter().zip(&mut read.indices) {
            match file.version() {
                Ok(Some(version)) => {
                    there = true;
                    if known.as_ref().is_some_and(|known| known.version == version) {
                        continue;
                    }
                    changed = true;
                    // Not both at once: a large site's may take half of the memory.
                    *known = None;
                    *known = file.read(version, logs);
                }
                // Kea has the parts `.1` and `.2` only while it tidies up.
                Ok(None) => changed |= known.take().is_some(),
                Err(error) => {
                    changed |= known.take().is_some();
                    file.print_error(logs, &error);
                }
            }
        }
        if !there && logs {
            log(Level::Warn, "no lease file is there to be read");
        }
        changed
    }
}

impl Read {
    fn find(&self, address: IpAddr, now: u64) -> Option<Mac> {
        // The later files of a list are the newer ones.
        let mut newest_first = self.indices.iter().rev().flatten();
        newest_first.find_map(|known| known.index.find(address, now))??.mac
    }
}

impl LeaseFile {
    fn version(&self) -> Result<Option<String>, Error> {
        Ok(files::stat(&self.root, &self.path)?.map(|file| file.version))
    }

    fn read(&self, version: String, logs: bool) -> Option<Known> {
        let content = match files::read(&self.root, &self.path, MAX_FILE) {
            Ok(content) => content?,
            Err(error) => {
                self.print_error(logs, &error);
                return None;
            }
        };
        let Some(index) = Index::of(self.format, content) else {
            if logs {
                let LeaseFile { root, path, .. } = self;
                log(
                    Level::Warn,
                    format!("{root}:{path} is no lease file of Kea: its first line names no columns"),
                );
            }
            return None;
        };
        Some(Known { version, index })
    }

    fn print_error(&self, logs: bool, error: &Error) {
        if logs {
            let LeaseFile { root, path, .. } = self;
            log(Level::Warn, format!("the leases in {root}:{path} cannot be read: {error}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuffet_sdk::testing::put_file;

    fn file(path: &str, format: Format) -> LeaseFile {
        LeaseFile { root: "dhcp".into(), path: path.into(), format }
    }

    fn find(files: &[LeaseFile], address: IpAddr, now: u64) -> Option<Mac> {
        Leases::new(files.to_vec()).find(address, now)
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

    /// What is kept is read again when the file has changed: at once for an address without a lease, within a
    /// second for all others.
    #[test]
    fn a_change_is_seen() {
        let write = |leases: &[(&str, &str)]| {
            let line = |(address, last)| format!("0 02:00:5e:10:00:{last} {address} * *\n");
            put_file("dhcp", "changes", leases.iter().copied().map(line).collect::<String>());
        };
        let leases = Leases::new(vec![file("changes", Format::Dnsmasq)]);
        let find = |address: &str, now| leases.find(address.parse().unwrap(), now);
        leases.prepare(1000);
        assert_eq!(find("192.0.2.1", 1000), None);
        write(&[("192.0.2.1", "01")]);
        assert_eq!(find("192.0.2.1", 1000), mac("01"), "a new lease");
        write(&[("192.0.2.2", "02"), ("192.0.2.1", "03")]);
        assert_eq!(find("192.0.2.1", 1000), mac("01"), "within this second");
        assert_eq!(find("192.0.2.1", 1001), mac("03"));
        write(&[("192.0.2.2", "02")]);
        assert_eq!(find("192.0.2.1", 1002), None);
        assert_eq!(find("192.0.2.2", 1002), mac("02"));
    }

    #[test]
    fn without_a_clock_every_change_is_seen_at_once() {
        let leases = Leases::new(vec![file("timeless", Format::Dnsmasq)]);
        for (content, last) in
            [("0 02:00:5e:10:00:01 192.0.2.1 * *", "01"), ("0 02:00:5e:10:00:02 192.0.2.1 *", "02")]
        {
            put_file("dhcp", "timeless", content);
            assert_eq!(leases.find("192.0.2.1".parse().unwrap(), 0), mac(last));
        }
    }
}
