//! The lease files of DHCP servers (`facts.leases`): the leases of clients' addresses.
//!
//! A separate thread follows each file and may wait for its disk. Requests use the last content with its age, so a file
//! on a hanging disk delays no request.

mod follow;
mod reading;

use follow::FollowedFile;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tuffet_request::LeaseFact;
use tuffet_request::settings::LeaseFile;

/// How long a start and a reload wait for the first check of new files.
const FIRST_CHECK: Duration = Duration::from_millis(500);

/// The lease files of a generation.
#[derive(Debug, Clone, Default)]
pub struct Leases {
    files: Arc<[Arc<FollowedFile>]>,
}

impl Leases {
    /// Follows these files; keeps those of the previous generation. May wait for a moment.
    pub fn of(files: &[LeaseFile], before: Option<&Leases>) -> Leases {
        let known = |file: &LeaseFile| {
            let its = before?.files.iter().find(|followed| followed.file() == file)?;
            Some(Arc::clone(its))
        };
        let followed =
            files.iter().map(|file| known(file).unwrap_or_else(|| FollowedFile::begin(file.clone())));
        let leases = Leases { files: followed.collect() };
        let until = Instant::now() + FIRST_CHECK;
        leases.files.iter().for_each(|followed| followed.wait_for_first_check(until));
        leases
    }

    /// Returns the current lease of a client's address, if the files have one.
    pub fn find(&self, client: IpAddr) -> Option<Box<LeaseFact>> {
        if self.files.is_empty() {
            return None;
        }
        self.find_at(client, SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs()))
    }

    /// Returns a sentence about each file that cannot be read. A missing one is none of them: its DHCP server may not have
    /// written it yet.
    pub(crate) fn unreadable(&self) -> Vec<String> {
        self.files.iter().filter_map(|file| file.unreadable()).collect()
    }

    fn find_at(&self, client: IpAddr, now: u64) -> Option<Box<LeaseFact>> {
        // The later files of the list are the newer ones.
        self.files.iter().rev().find_map(|file| file.find(client, now))?
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;
    use std::time::Duration;
    use tuffet_request::LeaseFormat;

    fn dnsmasq(path: &Path) -> LeaseFile {
        LeaseFile { path: path.to_owned(), format: LeaseFormat::Dnsmasq }
    }

    fn name(leases: &Leases, address: [u8; 4]) -> Option<String> {
        leases.find(address.into())?.lease.hostname
    }

    /// Waits until the thread has seen a change.
    fn until(what: &str, is_so: impl Fn() -> bool) {
        let began = Instant::now();
        while !is_so() {
            assert!(began.elapsed() < Duration::from_secs(30), "never: {what}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn the_last_file_that_knows_the_address_counts() {
        let folder = tempfile::tempdir().unwrap();
        let [older, newer] = ["older", "newer"].map(|name| folder.path().join(name));
        fs::write(&older, "0 02:00:5e:10:00:01 192.0.2.1 a *\n0 02:00:5e:10:00:02 192.0.2.2 b *\n").unwrap();
        fs::write(&newer, "0 02:00:5e:10:00:03 192.0.2.1 c *\n1 02:00:5e:10:00:02 192.0.2.2 b *\n").unwrap();
        let leases = Leases::of(&[dnsmasq(&older), dnsmasq(&newer)], None);
        until("both files", || name(&leases, [192, 0, 2, 1]).as_deref() == Some("c"));
        assert_eq!(name(&leases, [192, 0, 2, 2]), None, "it has ended in the newer file");
        assert_eq!(name(&leases, [192, 0, 2, 3]), None);
    }

    #[test]
    fn a_replaced_a_truncated_and_a_missing_file() {
        let folder = tempfile::tempdir().unwrap();
        let (path, next) = (folder.path().join("leases"), folder.path().join("next"));
        let leases = Leases::of(&[dnsmasq(&path)], None);
        let has = |expected: Option<&str>| {
            until(&format!("{expected:?}"), || name(&leases, [192, 0, 2, 1]).as_deref() == expected);
        };
        has(None);
        fs::write(&path, "0 02:00:5e:10:00:01 192.0.2.1 written *\n").unwrap();
        has(Some("written"));
        fs::write(&next, "0 02:00:5e:10:00:01 192.0.2.1 replaced *\n").unwrap();
        fs::rename(&next, &path).unwrap();
        has(Some("replaced"));
        fs::write(&path, "").unwrap();
        has(None);
        fs::write(&path, "0 02:00:5e:10:00:01 192.0.2.1 again *\n").unwrap();
        has(Some("again"));
        fs::remove_file(&path).unwrap();
        has(None);
    }

    /// Old content is better than none, and has its age.
    #[test]
    fn what_was_known_stays_while_the_file_cannot_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("leases");
        fs::write(&path, "0 02:00:5e:10:00:01 192.0.2.1 a *\n").unwrap();
        let leases = Leases::of(&[dnsmasq(&path)], None);
        let is_fresh = |fact: Box<LeaseFact>| fact.age < Duration::from_secs(20);
        until("the lease", || leases.find([192, 0, 2, 1].into()).is_some_and(is_fresh));
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        let age = || leases.find([192, 0, 2, 1].into()).map(|fact| fact.age);
        let aged = age().unwrap();
        until("an age", || age().unwrap() > aged + Duration::from_secs(3));
        let [sentence] = &leases.unreadable()[..] else { panic!("{:?}", leases.unreadable()) };
        assert!(
            sentence.ends_with("the last known leases stay in use: it is not a regular file"),
            "{sentence}"
        );
        fs::remove_dir(&path).unwrap();
        until("it is only absent", || leases.unreadable().is_empty());
    }

    #[test]
    fn a_fifo_delays_no_other_file() {
        let folder = tempfile::tempdir().unwrap();
        let [fifo, path] = ["fifo", "leases"].map(|name| folder.path().join(name));
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &fifo,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        fs::write(&path, "0 02:00:5e:10:00:01 192.0.2.1 a *\n").unwrap();
        let leases = Leases::of(&[dnsmasq(&fifo), dnsmasq(&path)], None);
        until("the other file", || name(&leases, [192, 0, 2, 1]).as_deref() == Some("a"));
    }

    #[test]
    fn a_reload_keeps_what_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("leases");
        fs::write(&path, "").unwrap();
        let before = Leases::of(&[dnsmasq(&path)], None);
        let after = Leases::of(&[dnsmasq(&folder.path().join("new")), dnsmasq(&path)], Some(&before));
        assert!(Arc::ptr_eq(&before.files[0], &after.files[1]));
    }
}
