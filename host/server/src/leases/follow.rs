//! A lease file, followed by a thread.

use super::reading::{ReadOutcome, Version, read_if_changed};
use parking_lot::{Condvar, Mutex, MutexGuard};
use rustix::process::{getegid, geteuid};
use std::io;
use std::net::IpAddr;
use std::path::Path;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};
use tuffet_leases::Index;
use tuffet_request::LeaseFact;
use tuffet_request::settings::LeaseFile;
use tuffet_store::{Right, find_obstacle};

/// The interval of checks.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// The ratio of sleep to the duration of a check, so that a large file that changes all the time takes a tenth of a
/// core at most.
const SLEEP_FACTOR: u32 = 9;

/// What an unreadable file means.
const UNREADABLE: &str = "the lease file cannot be read; the last known leases stay in use";

/// A lease file and its last content. The thread ends with the last owner.
#[derive(Debug)]
pub(super) struct FollowedFile {
    file: LeaseFile,
    last_read: Mutex<LastRead>,
    first_check: Condvar,
}

#[derive(Debug, Default)]
struct LastRead {
    index: Option<Arc<Index>>,
    /// When the file was read, or last seen unchanged.
    seen: Option<Instant>,
    /// Whether the first check has ended.
    checked: bool,
    /// Why the file cannot be read.
    trouble: Option<String>,
}

impl FollowedFile {
    pub(super) fn begin(file: LeaseFile) -> Arc<FollowedFile> {
        let followed = Arc::new(FollowedFile {
            file,
            last_read: Mutex::new(LastRead::default()),
            first_check: Condvar::new(),
        });
        let its = Arc::downgrade(&followed);
        let path = followed.file.path.clone();
        let follow = move || Follower { followed: its, version: None, status: FileStatus::Unknown }.run();
        if let Err(error) = thread::Builder::new().name("tuffet-leases".into()).spawn(follow) {
            tracing::error!(
                target: "tuffet::leases::follow",
                file = %path.display(), %error, "the lease file is not read: no thread could be started for it"
            );
            followed.note(|last_read| last_read.checked = true);
        }
        followed
    }

    pub(super) fn file(&self) -> &LeaseFile {
        &self.file
    }

    /// Waits for the first check of the file, at most until `until`.
    pub(super) fn wait_for_first_check(&self, until: Instant) {
        let mut last_read = self.last_read();
        while !last_read.checked && !self.first_check.wait_until(&mut last_read, until).timed_out() {}
    }

    /// The entry of an address: `None` if the file has none, `Some(None)` if its lease has ended.
    pub(super) fn find(&self, address: IpAddr, now: u64) -> Option<Option<Box<LeaseFact>>> {
        let (index, seen) = {
            let last_read = self.last_read();
            (Arc::clone(last_read.index.as_ref()?), last_read.seen)
        };
        let lease = index.find(address, now)?;
        let age = seen.map(|seen| seen.elapsed()).unwrap_or_default();
        Some(lease.map(|lease| Box::new(LeaseFact { lease, age })))
    }

    /// Returns a sentence about the file if it cannot be read.
    pub(super) fn unreadable(&self) -> Option<String> {
        let why = self.last_read().trouble.clone()?;
        Some(format!("{}: {UNREADABLE}: {why}", self.file.path.display()))
    }

    fn last_read(&self) -> MutexGuard<'_, LastRead> {
        self.last_read.lock()
    }

    fn note(&self, change: impl FnOnce(&mut LastRead)) {
        let before = {
            let mut last_read = self.last_read();
            let before = last_read.index.clone();
            change(&mut last_read);
            last_read.checked = true;
            before
        };
        self.first_check.notify_all();
        // Dropped outside of the lock: freeing a large one takes a moment.
        drop(before);
    }
}

/// Returns the cause of an error, for people: if rights are missing, which ones.
fn why(path: &Path, error: &io::Error) -> String {
    let obstacle =
        (error.kind() == io::ErrorKind::PermissionDenied).then(|| find_obstacle(path, &[Right::Read]));
    match obstacle.flatten() {
        Some(obstacle) => {
            let (user, group) = (geteuid().as_raw().to_string(), getegid().as_raw());
            format!("{error}: {obstacle}: {}", obstacle.remedy(&user, group))
        }
        None => error.to_string(),
    }
}

/// The result of the last check, so that each change is logged once.
#[derive(Debug, PartialEq, Eq)]
enum FileStatus {
    Unknown,
    Readable,
    Absent,
    Unreadable(String),
}

struct Follower {
    followed: Weak<FollowedFile>,
    version: Option<Version>,
    status: FileStatus,
}

impl Follower {
    fn run(mut self) {
        while let Some(followed) = self.followed.upgrade() {
            let began = Instant::now();
            let status = self.check(&followed);
            let trouble = match &status {
                FileStatus::Unreadable(why) => Some(why.clone()),
                _ => None,
            };
            followed.last_read().trouble = trouble;
            self.log_change(status, &followed.file);
            let took = began.elapsed();
            drop(followed);
            thread::sleep(CHECK_INTERVAL.max(took * SLEEP_FACTOR));
        }
    }

    fn check(&mut self, followed: &FollowedFile) -> FileStatus {
        let LeaseFile { path, format } = &followed.file;
        // The content is at least as new as this.
        let seen = Some(Instant::now());
        match read_if_changed(path, self.version) {
            Ok(ReadOutcome::Unchanged) => {
                followed.note(|last_read| last_read.seen = seen);
                FileStatus::Readable
            }
            Ok(ReadOutcome::Absent) => {
                self.version = None;
                followed.note(|last_read| *last_read = LastRead::default());
                FileStatus::Absent
            }
            Ok(ReadOutcome::Read(content, version)) => match Index::of(*format, content) {
                Some(index) => {
                    self.version = version;
                    let index = Some(Arc::new(index));
                    followed.note(|last_read| (last_read.index, last_read.seen) = (index, seen));
                    FileStatus::Readable
                }
                None => {
                    followed.note(|_| {});
                    FileStatus::Unreadable(
                        "it is not a file of this format: its first line names no columns".into(),
                    )
                }
            },
            Err(error) => {
                followed.note(|_| {});
                FileStatus::Unreadable(why(path, &error))
            }
        }
    }

    fn log_change(&mut self, status: FileStatus, file: &LeaseFile) {
        if self.status == status {
            return;
        }
        let path = file.path.display();
        match &status {
            FileStatus::Unknown => {}
            FileStatus::Readable => tracing::info!(
                target: "tuffet::leases::follow",
                file = %path, "the lease file is read"
            ),
            FileStatus::Absent => tracing::warn!(
                target: "tuffet::leases::follow",
                file = %path, "there is no lease file"
            ),
            FileStatus::Unreadable(why) => tracing::warn!(
                target: "tuffet::leases::follow",
                file = %path,
                "{UNREADABLE}: {why}"
            ),
        }
        self.status = status;
    }
}
