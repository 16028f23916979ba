//! The disk behind a root: everything that may wait for it, off the threads that serve other roots.
//!
//! Each root has lanes of threads of its own, so a disk that is slow or hangs costs the requests for its root and no
//! others. Within a root, an upload that is synced does not hold up an open, nor a write a read.

mod hung;
mod in_place;
mod pool;
mod registry;

pub use hung::Hung;
pub use pool::{Pool, Undone};
pub use registry::{DiskState, Disks};

use parking_lot::Mutex;
use pool::Instead;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tuffet_request::ClientKey;

/// Bytes that may lie in memory for one root because they were read ahead of their clients. Transfers that find no
/// room get what they need next and nothing more.
const READ_AHEAD: u64 = 32 << 20;

/// Operations of one kind under way for one root.
const MOST_OPENS: usize = 32;
/// Those of them on threads that decide requests.
const MOST_OPENS_THERE: usize = 4;
const MOST_READS: usize = 16;
const MOST_WRITES: usize = 16;
const MOST_STORES: usize = 32;
const MOST_PLUGIN_READS: usize = 32;
const MOST_LOOK_UPS: usize = 32;

/// How long an operation may take before its root counts as hung.
const HUNG: Duration = Duration::from_secs(5);

/// The same for bringing an upload to the disk, which takes as long as its bytes need.
const HUNG_STORING: Duration = Duration::from_secs(60);

/// The same where the bytes go over a network, which has time-outs of its own.
const HUNG_SENDING: Duration = Duration::from_secs(600);

/// A kind of operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// Looking up and opening files, closing them.
    Open,
    /// Reading ahead.
    Read,
    /// Writing behind.
    Write,
    /// Syncing and renaming uploads, removing what is left of them.
    Store,
    /// Files that plugins read.
    Plugin,
    /// What only the origin of a root knows whose files live elsewhere: it may take as long as the network.
    LookUp,
}

impl Lane {
    const ALL: [Lane; 6] = [Lane::Open, Lane::Read, Lane::Write, Lane::Store, Lane::Plugin, Lane::LookUp];

    /// What an operation in it does, for the log.
    pub fn as_str(self) -> &'static str {
        match self {
            Lane::Open => "open",
            Lane::Read => "read",
            Lane::Write => "write",
            Lane::Store => "store",
            Lane::Plugin => "plugin read",
            Lane::LookUp => "look-up",
        }
    }

    fn most(self) -> usize {
        match self {
            Lane::Open => MOST_OPENS,
            Lane::Read => MOST_READS,
            Lane::Write => MOST_WRITES,
            Lane::Store => MOST_STORES,
            Lane::Plugin => MOST_PLUGIN_READS,
            Lane::LookUp => MOST_LOOK_UPS,
        }
    }

    /// Opens mostly compute, so that more of them than cores only get in each other's way, until one waits.
    fn eager(self) -> usize {
        match self {
            Lane::Open => std::thread::available_parallelism().map_or(2, usize::from).clamp(2, 8),
            _ => self.most(),
        }
    }

    fn patience(self) -> Duration {
        if self == Lane::Store { HUNG_STORING } else { HUNG }
    }
}

/// The disk of one root. Every thread that must not wait hands its operations over here.
pub struct Disk {
    root: Arc<str>,
    /// The URL below which the files of the root live, if they live elsewhere.
    elsewhere: Option<Arc<str>>,
    lanes: [Pool; 6],
    held: AtomicU64,
    /// Devices, and whether their files may be read in place.
    in_place: Mutex<Vec<(u64, bool)>>,
    /// Whether the path of its root leads to another folder now, and whether somebody looks.
    pub(crate) replaced: AtomicBool,
    pub(crate) looking: AtomicBool,
    /// Since when the folder of its root has been waited for, where that did not answer when it was to be opened.
    unopened: Mutex<Option<Instant>>,
    /// The error of the last attempt to open it, which the log has.
    pub(crate) not_opened: Mutex<Option<String>>,
}

impl fmt::Debug for Disk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Disk").field("root", &self.root).finish_non_exhaustive()
    }
}

impl Disk {
    pub(crate) fn new(root: &str, elsewhere: Option<Arc<str>>) -> Disk {
        Disk {
            root: root.into(),
            elsewhere,
            lanes: Lane::ALL.map(|lane| Pool::new("tuffet-disk", lane.eager(), lane.most())),
            held: AtomicU64::new(0),
            in_place: Mutex::default(),
            replaced: AtomicBool::new(false),
            looking: AtomicBool::new(false),
            unopened: Mutex::new(None),
            not_opened: Mutex::new(None),
        }
    }

    /// The name of its root.
    pub fn root(&self) -> &Arc<str> {
        &self.root
    }

    /// The URL below which the files of its root live, if they live elsewhere.
    pub fn elsewhere(&self) -> Option<&Arc<str>> {
        self.elsewhere.as_ref()
    }

    /// Does `work` of a client on a thread that may wait for this disk; those of a lane are shared by client. Where that is not done `within` this time, cannot begin,
    /// or panics, `undone` is called instead, possibly on this thread; work that has begun goes on regardless, and
    /// must look itself whether its result is still wanted. Takes a lock for a moment, waits for nothing else.
    pub fn submit(
        &self,
        lane: Lane,
        client: ClientKey,
        within: Duration,
        work: impl FnOnce() + Send + 'static,
        undone: impl FnOnce(Undone) + Send + 'static,
    ) {
        self.lanes[lane as usize].submit(client, within, false, Box::new(work), Box::new(undone));
    }

    /// Lets this thread open something itself, which is cheaper than to hand it over. Only while opens end at once and
    /// few are under way: an open that hangs holds the thread. Never where the files live elsewhere. `undone` is called
    /// as by [`Disk::submit`]; it comes back where this thread must not.
    ///
    /// # Errors
    /// `undone`.
    pub fn enter(self: &Arc<Self>, within: Duration, undone: Instead) -> Result<Entered, Instead> {
        if self.elsewhere.is_some() {
            return Err(undone);
        }
        let slot = self.lanes[Lane::Open as usize].enter(MOST_OPENS_THERE, within, undone)?;
        Ok(Entered { disk: Arc::clone(self), slot })
    }

    /// As [`Disk::submit`], however much waits already: for what has an upload or a file of its own, of which there are
    /// no more than transfers.
    pub fn submit_anyway(
        &self,
        lane: Lane,
        within: Duration,
        work: impl FnOnce() + Send + 'static,
        undone: impl FnOnce(Undone) + Send + 'static,
    ) {
        self.lanes[lane as usize].submit(ClientKey::SERVER, within, true, Box::new(work), Box::new(undone));
    }

    /// Whether an operation of this client would have to wait for a thread.
    pub fn is_taken(&self, lane: Lane, client: ClientKey) -> bool {
        self.lanes[lane as usize].is_taken(client)
    }

    /// Drops something, for which nobody waits.
    pub fn drop_later(&self, lane: Lane, it: impl Send + 'static) {
        self.submit_anyway(lane, Duration::MAX, move || drop(it), |_| {});
    }

    /// Gives up what should have been done by now.
    pub(crate) fn expire(&self, now: Instant) {
        self.lanes.iter().for_each(|lane| lane.expire(Some(now)));
    }

    /// Gives up everything: the server stops.
    pub(crate) fn give_up(&self) {
        self.lanes.iter().for_each(|lane| lane.expire(None));
    }

    /// Operations under way and those that wait for a thread.
    pub(crate) fn load(&self) -> (usize, usize) {
        let loads = self.lanes.iter().map(Pool::load);
        loads.fold((0, 0), |sum, load| (sum.0 + load.0, sum.1 + load.1))
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.load() == (0, 0)
    }

    /// Whether the folder of its root is open. While it is not, its root counts as hung.
    pub(crate) fn set_open(&self, open: bool) {
        let mut unopened = self.unopened.lock();
        *unopened = if open { None } else { unopened.or_else(|| Some(Instant::now())) };
    }

    /// Why the system starts no thread for it, while something waits for one.
    pub(crate) fn refused(&self) -> Option<String> {
        self.lanes.iter().find_map(Pool::refused)
    }

    /// The operation that has been under way for longest, if it should have ended.
    pub(crate) fn overdue(&self, now: Instant) -> Option<(Lane, Instant)> {
        if let Some(since) = *self.unopened.lock() {
            return Some((Lane::Open, since));
        }
        let oldest =
            Lane::ALL.into_iter().filter_map(|lane| Some((lane, self.lanes[lane as usize].oldest()?)));
        let patience = |lane: Lane| match lane {
            Lane::Store if self.elsewhere.is_some() => HUNG_SENDING,
            // An origin has time-outs and a state of its own, and one name that it does not answer is no reason.
            Lane::LookUp => Duration::MAX,
            // As long as a download and its turn may take.
            Lane::Read | Lane::Plugin if self.elsewhere.is_some() => HUNG_SENDING,
            _ => lane.patience(),
        };
        let overdue = oldest.filter(|(lane, since)| now.saturating_duration_since(*since) >= patience(*lane));
        overdue.min_by_key(|(_, since)| *since)
    }

    /// Room for bytes that are read ahead, if there is any.
    pub fn room_ahead(self: &Arc<Self>, bytes: usize) -> Option<Room> {
        let bytes = bytes as u64;
        let more = |held: u64| (held + bytes <= READ_AHEAD).then_some(held + bytes);
        self.held.fetch_update(Relaxed, Relaxed, more).ok()?;
        Some(Room { disk: Arc::clone(self), bytes })
    }
}

/// An open on a thread of somebody else; over when dropped.
pub struct Entered {
    disk: Arc<Disk>,
    slot: usize,
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.disk.lanes[Lane::Open as usize].leave(self.slot);
    }
}

/// Room for bytes that were read ahead; free again when dropped.
#[derive(Debug)]
pub struct Room {
    disk: Arc<Disk>,
    bytes: u64,
}

impl Drop for Room {
    fn drop(&mut self) {
        self.disk.held.fetch_sub(self.bytes, Relaxed);
    }
}
