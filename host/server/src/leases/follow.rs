//! A lease file that a thread follows.

use super::reading::{Looked, Version, look};
use std::net::IpAddr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};
use tuffet_config::LeaseFile;
use tuffet_leases::Index;
use tuffet_request::LeaseFact;

/// How often a file is looked at.
const LOOK: Duration = Duration::from_secs(1);
/// A thread sleeps for so many times the duration of its look, so that a large file that changes all the time takes a
/// tenth of a core at most.
const SHARE: u32 = 9;

/// A lease file, and what it held when it was read last. The thread ends with the last owner.
#[derive(Debug)]
pub(super) struct Followed {
    file: LeaseFile,
    known: Mutex<Known>,
    looked: Condvar,
}

#[derive(Debug, Default)]
struct Known {
    index: Option<Arc<Index>>,
    /// When the file was read, or last seen unchanged.
    seen: Option<Instant>,
    /// Whether there was a look at all.
    looked: bool,
}

impl Followed {
    pub(super) fn begin(file: LeaseFile) -> Arc<Followed> {
        let followed =
            Arc::new(Followed { file, known: Mutex::new(Known::default()), looked: Condvar::new() });
        let its = Arc::downgrade(&followed);
        let path = followed.file.path.clone();
        let follow = move || Follower { followed: its, version: None, condition: Condition::Unknown }.run();
        if let Err(error) = thread::Builder::new().name("tuffet-leases".into()).spawn(follow) {
            tracing::error!(
                target: "tuffet::leases::follow",
                file = %path.display(), %error, "the lease file is not read: the system starts no thread for it"
            );
            followed.note(|known| known.looked = true);
        }
        followed
    }

    pub(super) fn file(&self) -> &LeaseFile {
        &self.file
    }

    /// Returns when the file has been looked at for the first time, or at this time.
    pub(super) fn wait_for_first_look(&self, until: Instant) {
        let mut known = self.known();
        while !known.looked {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            known = self
                .looked
                .wait_timeout(known, left)
                .map_or_else(|poisoned| poisoned.into_inner().0, |(known, _)| known);
        }
    }

    /// What the file says of an address: `None` if nothing, `Some(None)` if nobody holds a lease.
    pub(super) fn find(&self, address: IpAddr, now: u64) -> Option<Option<Box<LeaseFact>>> {
        let (index, seen) = {
            let known = self.known();
            (Arc::clone(known.index.as_ref()?), known.seen)
        };
        let lease = index.find(address, now)?;
        let age = seen.map(|seen| seen.elapsed()).unwrap_or_default();
        Some(lease.map(|lease| Box::new(LeaseFact { lease, age })))
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, change: impl FnOnce(&mut Known)) {
        let before = {
            let mut known = self.known();
            let before = known.index.clone();
            change(&mut known);
            known.looked = true;
            before
        };
        self.looked.notify_all();
        // A large one takes a moment to free, without the lock.
        drop(before);
    }
}

/// What the last look came to, so that each change is logged once.
#[derive(Debug, PartialEq, Eq)]
enum Condition {
    Unknown,
    Readable,
    Absent,
    Unreadable(String),
}

struct Follower {
    followed: Weak<Followed>,
    version: Option<Version>,
    condition: Condition,
}

impl Follower {
    fn run(mut self) {
        while let Some(followed) = self.followed.upgrade() {
            let began = Instant::now();
            let condition = self.look(&followed);
            self.becomes(condition, &followed.file);
            let took = began.elapsed();
            drop(followed);
            thread::sleep(LOOK.max(took * SHARE));
        }
    }

    fn look(&mut self, followed: &Followed) -> Condition {
        let LeaseFile { path, format } = &followed.file;
        // What is read is at least as new as this.
        let seen = Some(Instant::now());
        match look(path, self.version) {
            Ok(Looked::Unchanged) => {
                followed.note(|known| known.seen = seen);
                Condition::Readable
            }
            Ok(Looked::Absent) => {
                self.version = None;
                followed.note(|known| *known = Known::default());
                Condition::Absent
            }
            Ok(Looked::Read(content, version)) => match Index::of(*format, content) {
                Some(index) => {
                    self.version = version;
                    let index = Some(Arc::new(index));
                    followed.note(|known| (known.index, known.seen) = (index, seen));
                    Condition::Readable
                }
                None => {
                    followed.note(|_| {});
                    Condition::Unreadable(
                        "it is no file of this format: its first line names no columns".into(),
                    )
                }
            },
            Err(error) => {
                followed.note(|_| {});
                Condition::Unreadable(error.to_string())
            }
        }
    }

    fn becomes(&mut self, condition: Condition, file: &LeaseFile) {
        if self.condition == condition {
            return;
        }
        let path = file.path.display();
        match &condition {
            Condition::Unknown => {}
            Condition::Readable => tracing::info!(
                target: "tuffet::leases::follow",
                file = %path, "the lease file is read"
            ),
            Condition::Absent => tracing::warn!(
                target: "tuffet::leases::follow",
                file = %path, "there is no lease file"
            ),
            Condition::Unreadable(why) => tracing::warn!(
                target: "tuffet::leases::follow",
                file = %path,
                "the lease file cannot be read, and the leases known before stay in use: {why}"
            ),
        }
        self.condition = condition;
    }
}
