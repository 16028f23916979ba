//! All disks of a server, across reloads, so that a reload starts no second set of threads for a hanging disk.

use super::{Disk, Hung};
use crate::name_locks::NameLocks;
use parking_lot::{Mutex, MutexGuard};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use tuffet_request::{RootSpec, Unopened};

/// The shortest time between two log lines about threads that cannot be started for a root.
const MIN_LOG_INTERVAL: Duration = Duration::from_secs(60);

/// The disks of all served roots, and of earlier roots that are still in use. Cheap to clone; clones share
/// the list.
#[derive(Debug, Clone, Default)]
pub struct Disks {
    known: Arc<Mutex<Vec<RegisteredDisk>>>,
    names: Arc<NameLocks>,
}

/// The state of a root's disk.
#[derive(Debug, Clone)]
pub struct DiskState {
    /// The name of the root.
    pub root: Arc<str>,
    /// Running operations.
    pub running: usize,
    /// Operations waiting for a thread.
    pub waiting: usize,
    /// The bytes of uploads that wait for it in memory, as far as they need room ([`super::RoomBehind`]).
    pub upload_bytes: u64,
    /// Set if the disk does not answer.
    pub hung: Option<Hung>,
    /// Whether the path of the root leads to another folder than the served one, or nowhere.
    pub replaced: bool,
    /// Whether the folder of the root has not existed so far.
    pub missing: bool,
}

#[derive(Debug)]
struct RegisteredDisk {
    path: PathBuf,
    disk: Arc<Disk>,
    hung: Option<Hung>,
    /// When the log last reported that no thread can be started for it.
    complained: Option<Instant>,
    /// The blocks dropped for lack of memory that the log knows, and when it last reported some.
    dropped: u64,
    dropped_at: Option<Instant>,
}

impl RegisteredDisk {
    /// Reports blocks that were dropped since the last report.
    fn report_dropped(&mut self, now: Instant) {
        let dropped = self.disk.behind.dropped();
        let is_due = self.dropped_at.is_none_or(|at| now.saturating_duration_since(at) >= MIN_LOG_INTERVAL);
        if dropped > self.dropped && is_due {
            tracing::warn!(
                target: "tuffet::store::disk",
                root = %self.disk.root(),
                blocks = dropped - self.dropped,
                "a root is slower than its uploads; blocks of clients that have their share of the memory \
                 were dropped, and clients will repeat them"
            );
            self.dropped = dropped;
            self.dropped_at = Some(now);
        }
    }

    fn print_stderr(&mut self, error: &str, now: Instant) {
        if self.complained.is_none_or(|at| now.saturating_duration_since(at) >= MIN_LOG_INTERVAL) {
            self.complained = Some(now);
            tracing::error!(
                target: "tuffet::store::disk", root = %self.disk.root(), error,
                "no thread can be started for the disk of a root; its requests get no answer until one can: raise \
                 the limit of threads (`TasksMax=`, `ulimit -u`, the pids limit of the container)"
            );
        }
    }
}

impl Disks {
    /// Returns the disk of this root, for its folder or its origin.
    pub(crate) fn of(&self, spec: &RootSpec) -> Arc<Disk> {
        let mut known = self.lock();
        let same = |its: &&RegisteredDisk| {
            **its.disk.root() == *spec.name
                && its.path == spec.path
                && its.disk.elsewhere() == spec.elsewhere.as_ref()
        };
        if let Some(found) = known.iter().find(same) {
            // The root is about to be opened, so it will serve the current folder.
            found.disk.replaced.store(false, Relaxed);
            return Arc::clone(&found.disk);
        }
        let names = Arc::clone(&self.names);
        let disk = Arc::new(Disk { names, ..Disk::new(&spec.name, spec.elsewhere.clone()) });
        known.push(RegisteredDisk {
            path: spec.path.clone(),
            disk: Arc::clone(&disk),
            hung: None,
            complained: None,
            dropped: 0,
            dropped_at: None,
        });
        disk
    }

    /// Abandons overdue operations, and records which roots hang. Call this a few times per second. Returns
    /// whether any operation is running or waiting, so that further calls are needed.
    pub fn tick(&self) -> bool {
        let now = Instant::now();
        let mut known = self.lock();
        // Forgets disks without a root and without an open file.
        known.retain(|its| Arc::strong_count(&its.disk) > 1 || !its.disk.is_idle());
        for its in known.iter_mut() {
            its.hung = Hung::next(its.hung.take(), &its.disk, now);
            its.report_dropped(now);
        }
        let disks: Vec<Arc<Disk>> = known.iter().map(|its| Arc::clone(&its.disk)).collect();
        drop(known);
        disks.iter().for_each(|disk| disk.expire(now));
        let mut known = self.lock();
        for its in known.iter_mut() {
            if let Some(error) = its.disk.refused() {
                its.print_stderr(&error, now);
            }
        }
        drop(known);
        disks.iter().any(|disk| !disk.is_idle())
    }

    /// Returns whether no operation is running or waiting.
    pub fn are_idle(&self) -> bool {
        self.lock().iter().all(|its| its.disk.is_idle())
    }

    /// Abandons all operations, because the server stops.
    pub fn give_up(&self) {
        let disks: Vec<Arc<Disk>> = self.lock().iter().map(|its| Arc::clone(&its.disk)).collect();
        disks.iter().for_each(|disk| disk.give_up());
    }

    /// Ends idle threads at once from now on, because the server has ended.
    pub fn close(&self) {
        let disks: Vec<Arc<Disk>> = self.lock().iter().map(|its| Arc::clone(&its.disk)).collect();
        disks.iter().for_each(|disk| disk.close());
    }

    /// Returns the state of each root's disk. If a reload moved the folder of a root, one entry covers both disks.
    pub fn states(&self) -> Vec<DiskState> {
        let mut states: Vec<DiskState> = Vec::new();
        for its in self.lock().iter() {
            let (running, waiting) = its.disk.load();
            let replaced = its.disk.replaced.load(Relaxed);
            let upload_bytes = its.disk.behind.held();
            let missing = its.disk.unopened() == Some(Unopened::Missing);
            match states.iter_mut().find(|state| state.root == *its.disk.root()) {
                Some(state) => {
                    state.running += running;
                    state.waiting += waiting;
                    state.upload_bytes += upload_bytes;
                    state.hung = state.hung.take().or_else(|| its.hung.clone());
                    state.replaced |= replaced;
                    state.missing |= missing;
                }
                None => {
                    let (root, hung) = (Arc::clone(its.disk.root()), its.hung.clone());
                    states.push(DiskState { root, running, waiting, upload_bytes, hung, replaced, missing });
                }
            }
        }
        states
    }

    /// Returns the folder of a root, or of the first root; for a root with an origin, its URL.
    pub fn folder(&self, root: Option<&str>) -> Option<PathBuf> {
        let known = self.lock();
        // After a reload that moved the folder, the new one is the last of this name.
        let found = match root {
            Some(root) => known.iter().rev().find(|its| **its.disk.root() == *root),
            None => known.first(),
        };
        found.map(|its| its.disk.elsewhere().map_or_else(|| its.path.clone(), |url| PathBuf::from(&**url)))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<RegisteredDisk>> {
        self.known.lock()
    }
}
