//! The disk of a root: runs everything that may block on it, away from the threads that serve other roots.
//!
//! Each root has separate lanes of threads, so a slow or hanging disk delays only the requests for its root. Within a
//! root, the sync of an upload does not delay an open, and a write does not delay a read.

mod behind;
mod hung;
mod in_place;
mod pool;
mod registry;

pub use behind::RoomBehind;
pub use hung::Hung;
pub use pool::{Pool, Undone};
pub use registry::{DiskState, Disks};

use behind::WriteBehind;
use parking_lot::Mutex;
use pool::Instead;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tuffet_request::{ClientKey, Unopened};

use super::name_locks::NameLocks;
use super::open_folder::Usages;

/// The limit of bytes in memory, per root, that were read ahead for clients. Beyond it, a transfer gets only the bytes
/// that it needs next.
const MAX_READ_AHEAD_BYTES: u64 = 32 << 20;

/// The limits of concurrent operations of each kind, per root.
const MAX_OPENS: usize = 32;
/// The limit of opens on threads that decide requests.
const MAX_GUEST_OPENS: usize = 4;
const MAX_READS: usize = 16;
const MAX_WRITES: usize = 16;
const MAX_STORES: usize = 32;
const MAX_REMOVALS: usize = 8;
const MAX_PLUGIN_READS: usize = 32;
const MAX_LOOK_UPS: usize = 32;

/// The time after which an operation makes its root count as hung.
const HUNG: Duration = Duration::from_secs(5);

/// The same for storing or removing an upload. Its time depends on its size.
const HUNG_STORING: Duration = Duration::from_secs(60);

/// The same for transfers with an origin. Its client has separate time-outs.
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
    /// Syncing and renaming uploads.
    Store,
    /// Removing aborted uploads. Behind those that are synced they would hold two descriptors each for long.
    Remove,
    /// Reads by plugins.
    Plugin,
    /// Questions to the origin of a root. They may take as long as the network.
    LookUp,
}

impl Lane {
    const ALL: [Lane; 7] =
        [Lane::Open, Lane::Read, Lane::Write, Lane::Store, Lane::Remove, Lane::Plugin, Lane::LookUp];

    /// The word for its operations in the log.
    pub fn as_str(self) -> &'static str {
        match self {
            Lane::Open => "open",
            Lane::Read => "read",
            Lane::Write => "write",
            Lane::Store => "store",
            Lane::Remove => "remove",
            Lane::Plugin => "plugin read",
            Lane::LookUp => "look-up",
        }
    }

    fn most(self) -> usize {
        match self {
            Lane::Open => MAX_OPENS,
            Lane::Read => MAX_READS,
            Lane::Write => MAX_WRITES,
            Lane::Store => MAX_STORES,
            Lane::Remove => MAX_REMOVALS,
            Lane::Plugin => MAX_PLUGIN_READS,
            Lane::LookUp => MAX_LOOK_UPS,
        }
    }

    /// The number of threads that start without delay. Opens mostly compute, so more threads than cores would only
    /// compete, until one of them blocks.
    fn eager(self) -> usize {
        match self {
            Lane::Open => std::thread::available_parallelism().map_or(2, usize::from).clamp(2, 8),
            _ => self.most(),
        }
    }

    fn patience(self) -> Duration {
        if matches!(self, Lane::Store | Lane::Remove) { HUNG_STORING } else { HUNG }
    }
}

/// The disk of one root. Threads that must not block hand their operations over to it.
pub struct Disk {
    root: Arc<str>,
    /// The URL of the origin, for a root with an origin.
    elsewhere: Option<Arc<str>>,
    lanes: [Pool; 7],
    held: AtomicU64,
    behind: WriteBehind,
    /// Whether files can be read in place, by device.
    in_place: Mutex<Vec<(u64, bool)>>,
    /// Whether the path of its root now leads to another folder, and whether a check is running.
    pub(crate) replaced: AtomicBool,
    pub(crate) looking: AtomicBool,
    /// Why the folder of its root is not open yet, and when the server began to wait for it.
    unopened: Mutex<Option<(Unopened, Instant)>>,
    /// The last logged error of opening the folder.
    pub(crate) not_opened: Mutex<Option<String>>,
    /// What the folders of its root contain.
    pub(crate) usages: Usages,
    /// The names to which uploads become visible, of all disks of a server.
    pub(crate) names: Arc<NameLocks>,
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
            behind: WriteBehind::default(),
            in_place: Mutex::default(),
            replaced: AtomicBool::new(false),
            looking: AtomicBool::new(false),
            unopened: Mutex::new(None),
            not_opened: Mutex::new(None),
            usages: Usages::default(),
            names: Arc::default(),
        }
    }

    /// Returns the disk for content that the program supplies without a root.
    pub fn of_program() -> Arc<Disk> {
        let name: Arc<str> = "program".into();
        Arc::new(Disk::new(&name, Some(Arc::clone(&name))))
    }

    /// The name of its root.
    pub fn root(&self) -> &Arc<str> {
        &self.root
    }

    /// The URL of the origin, for a root with an origin.
    pub fn elsewhere(&self) -> Option<&Arc<str>> {
        self.elsewhere.as_ref()
    }

    /// Runs `work` for a client on a thread of this lane; clients share the threads fairly. If it does not end `within`
    /// this time, cannot begin, or panics, calls `undone` instead, possibly on this thread. Work that has begun
    /// continues, and must check itself whether its result is still needed. Blocks only for a short lock.
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

    /// As [`Disk::submit`], for a task that waits for the result. A result that comes too late is dropped on its thread.
    ///
    /// # Errors
    /// The work was not done.
    pub async fn run<T: Send + 'static>(
        &self,
        lane: Lane,
        client: ClientKey,
        within: Duration,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Undone> {
        self.wait(lane, client, within, false, work).await
    }

    /// As [`Disk::submit_anyway`], for a task that waits for the result.
    ///
    /// # Errors
    /// The work was not done.
    pub async fn run_anyway<T: Send + 'static>(
        &self,
        lane: Lane,
        client: ClientKey,
        within: Duration,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Undone> {
        self.wait(lane, client, within, true, work).await
    }

    async fn wait<T: Send + 'static>(
        &self,
        lane: Lane,
        client: ClientKey,
        within: Duration,
        anyway: bool,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Undone> {
        let (sender, receiver) = oneshot::channel();
        let sender = Arc::new(Mutex::new(Some(sender)));
        let late = Arc::clone(&sender);
        let send = |sender: &Mutex<Option<oneshot::Sender<_>>>, done| {
            let waits = sender.lock().take();
            drop(waits.map(|waits| waits.send(done)));
        };
        let work = Box::new(move || {
            let done = work();
            send(&sender, Ok(done));
        });
        let undone = Box::new(move |why| send(&late, Err(why)));
        self.lanes[lane as usize].submit(client, within, anyway, work, undone);
        receiver.await.unwrap_or(Err(Undone::Panicked))
    }

    /// Permits this thread to open a file itself, which is cheaper than handing it over. Only while opens end quickly
    /// and few are running, because a hanging open blocks the thread. Never for a root with an origin. `undone` is
    /// called as by [`Disk::submit`].
    ///
    /// # Errors
    /// Returns `undone` if this thread must not open the file.
    pub fn enter(self: &Arc<Self>, within: Duration, undone: Instead) -> Result<Entered, Instead> {
        if self.elsewhere.is_some() {
            return Err(undone);
        }
        let slot = self.lanes[Lane::Open as usize].enter(MAX_GUEST_OPENS, within, undone)?;
        Ok(Entered { disk: Arc::clone(self), slot })
    }

    /// As [`Disk::submit`], regardless of the length of the queue: for operations on the upload or file of one
    /// transfer, which the number of transfers bounds.
    pub fn submit_anyway(
        &self,
        lane: Lane,
        client: ClientKey,
        within: Duration,
        work: impl FnOnce() + Send + 'static,
        undone: impl FnOnce(Undone) + Send + 'static,
    ) {
        self.lanes[lane as usize].submit(client, within, true, Box::new(work), Box::new(undone));
    }

    /// Whether an operation of this client would have to wait for a thread.
    pub fn is_taken(&self, lane: Lane, client: ClientKey) -> bool {
        self.lanes[lane as usize].is_taken(client)
    }

    /// Drops a value of a client on a thread of the lane.
    pub fn drop_later(&self, lane: Lane, client: ClientKey, it: impl Send + 'static) {
        self.submit_anyway(lane, client, Duration::MAX, move || drop(it), |_| {});
    }

    /// Abandons overdue operations.
    pub(crate) fn expire(&self, now: Instant) {
        self.lanes.iter().for_each(|lane| lane.expire(Some(now)));
    }

    /// Abandons all operations, because the server stops.
    pub(crate) fn give_up(&self) {
        self.lanes.iter().for_each(|lane| lane.expire(None));
    }

    /// Ends idle threads at once from now on.
    pub(crate) fn close(&self) {
        self.lanes.iter().for_each(Pool::close);
    }

    /// The numbers of running and of waiting operations.
    pub(crate) fn load(&self) -> (usize, usize) {
        let loads = self.lanes.iter().map(Pool::load);
        loads.fold((0, 0), |sum, load| (sum.0 + load.0, sum.1 + load.1))
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.load() == (0, 0)
    }

    /// Records why the folder of its root is not open; `None` if it is. While it does not answer, the root counts as
    /// hung. Returns whether this is a change.
    pub(crate) fn set_unopened(&self, why: Option<Unopened>) -> bool {
        let mut unopened = self.unopened.lock();
        let changes = unopened.map(|(why, _)| why) != why;
        if changes {
            *unopened = why.map(|why| (why, Instant::now()));
        }
        changes
    }

    /// Why the folder of its root is not open; `None` if it is.
    pub(crate) fn unopened(&self) -> Option<Unopened> {
        self.unopened.lock().map(|(why, _)| why)
    }

    /// The error of starting a thread, while an operation waits for one.
    pub(crate) fn refused(&self) -> Option<String> {
        self.lanes.iter().find_map(Pool::refused)
    }

    /// The kind and start of the oldest operation, if it is overdue.
    pub(crate) fn overdue(&self, now: Instant) -> Option<(Lane, Instant)> {
        if let Some((Unopened::Unresponsive, since)) = *self.unopened.lock() {
            return Some((Lane::Open, since));
        }
        let oldest =
            Lane::ALL.into_iter().filter_map(|lane| Some((lane, self.lanes[lane as usize].oldest()?)));
        let patience = |lane: Lane| match lane {
            Lane::Store | Lane::Remove if self.elsewhere.is_some() => HUNG_SENDING,
            // Origins have separate time-outs and states, and one unanswered name does not mean that the origin hangs.
            Lane::LookUp => Duration::MAX,
            // Includes a download and the wait for its turn.
            Lane::Read | Lane::Plugin if self.elsewhere.is_some() => HUNG_SENDING,
            _ => lane.patience(),
        };
        let overdue = oldest.filter(|(lane, since)| now.saturating_duration_since(*since) >= patience(*lane));
        overdue.min_by_key(|(_, since)| *since)
    }

    /// Reserves room for bytes to read ahead, if there is any.
    pub fn room_ahead(self: &Arc<Self>, bytes: usize) -> Option<Room> {
        let bytes = bytes as u64;
        let more = |held: u64| (held + bytes <= MAX_READ_AHEAD_BYTES).then_some(held + bytes);
        self.held.fetch_update(Relaxed, Relaxed, more).ok()?;
        Some(Room { disk: Arc::clone(self), bytes })
    }
}

/// An open on the caller's thread; ends when dropped.
pub struct Entered {
    disk: Arc<Disk>,
    slot: usize,
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.disk.lanes[Lane::Open as usize].leave(self.slot);
    }
}

/// Room for bytes that were read ahead, freed on drop.
#[derive(Debug)]
pub struct Room {
    disk: Arc<Disk>,
    bytes: u64,
}

impl Room {
    /// Extends it to so many bytes. The second half of what there is remains for others that have none.
    pub(crate) fn extend(&mut self, bytes: usize) -> bool {
        let bytes = bytes as u64;
        let more = bytes.saturating_sub(self.bytes);
        let extended = |held: u64| (held + more <= MAX_READ_AHEAD_BYTES / 2).then_some(held + more);
        let has_room = more == 0 || self.disk.held.fetch_update(Relaxed, Relaxed, extended).is_ok();
        if has_room {
            self.bytes = self.bytes.max(bytes);
        }
        has_room
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.disk.held.fetch_sub(self.bytes, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_ahead_is_bounded_for_each_disk() {
        let (disk, other) = (Disk::of_program(), Disk::of_program());
        let piece = 512 << 10;
        let rooms: Vec<Room> = std::iter::from_fn(|| disk.room_ahead(piece)).collect();
        assert_eq!(rooms.len(), 64);
        assert!(other.room_ahead(piece).is_some());
        drop(rooms);
        assert!(disk.room_ahead(piece).is_some());
    }
}
