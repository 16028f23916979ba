//! All disks of a server, across reloads: a reload starts no second set of threads for a disk that hangs.

use super::{Disk, Hung};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The disks of all roots that are served, and of those that were and are still in use. Cheap to clone; all clones
/// are one.
#[derive(Debug, Clone, Default)]
pub struct Disks(Arc<Mutex<Vec<Known>>>);

/// How the disk of a root is.
#[derive(Debug, Clone)]
pub struct DiskState {
    /// The name of the root.
    pub root: Arc<str>,
    /// Operations under way.
    pub running: usize,
    /// Operations that wait for a thread.
    pub waiting: usize,
    /// Whether it does not answer.
    pub hung: Option<Hung>,
    /// Whether the path of the root leads to another folder than the one that is served, or nowhere.
    pub replaced: bool,
}

#[derive(Debug)]
struct Known {
    path: PathBuf,
    disk: Arc<Disk>,
    hung: Option<Hung>,
}

impl Disks {
    /// The disk of a root of this name at this path.
    pub(crate) fn of(&self, root: &str, path: &Path) -> Arc<Disk> {
        let mut known = self.lock();
        if let Some(found) = known.iter().find(|its| **its.disk.root() == *root && its.path == path) {
            // What is there now is opened.
            found.disk.replaced.store(false, Relaxed);
            return Arc::clone(&found.disk);
        }
        let disk = Arc::new(Disk::new(root));
        known.push(Known { path: path.into(), disk: Arc::clone(&disk), hung: None });
        disk
    }

    /// Gives up operations that are late, and notes which roots hang. To be called a few times in a second; whether
    /// anything is under way, so that it must be.
    pub fn look(&self) -> bool {
        let now = Instant::now();
        let mut known = self.lock();
        // Those that no root has any more, nor any open file.
        known.retain(|its| Arc::strong_count(&its.disk) > 1 || !its.disk.is_idle());
        for its in known.iter_mut() {
            its.hung = Hung::next(its.hung.take(), &its.disk, now);
        }
        let disks: Vec<Arc<Disk>> = known.iter().map(|its| Arc::clone(&its.disk)).collect();
        drop(known);
        disks.iter().for_each(|disk| disk.expire(now));
        disks.iter().any(|disk| !disk.is_idle())
    }

    /// Whether nothing is under way.
    pub fn are_idle(&self) -> bool {
        self.lock().iter().all(|its| its.disk.is_idle())
    }

    /// Gives up everything that is under way: the server stops.
    pub fn give_up(&self) {
        let disks: Vec<Arc<Disk>> = self.lock().iter().map(|its| Arc::clone(&its.disk)).collect();
        disks.iter().for_each(|disk| disk.give_up());
    }

    /// How the disk of each root is; one for each name, also where the folder of a root was moved by a reload.
    pub fn states(&self) -> Vec<DiskState> {
        let mut states: Vec<DiskState> = Vec::new();
        for its in self.lock().iter() {
            let (running, waiting) = its.disk.load();
            let replaced = its.disk.replaced.load(Relaxed);
            match states.iter_mut().find(|state| state.root == *its.disk.root()) {
                Some(state) => {
                    state.running += running;
                    state.waiting += waiting;
                    state.hung = state.hung.take().or_else(|| its.hung.clone());
                    state.replaced |= replaced;
                }
                None => {
                    let (root, hung) = (Arc::clone(its.disk.root()), its.hung.clone());
                    states.push(DiskState { root, running, waiting, hung, replaced });
                }
            }
        }
        states
    }

    /// Returns the folder of a root, or of the first root.
    pub fn folder(&self, root: Option<&str>) -> Option<PathBuf> {
        let known = self.lock();
        // After a reload, the folder that was moved is the last one of this name.
        let found = match root {
            Some(root) => known.iter().rev().find(|its| **its.disk.root() == *root),
            None => known.first(),
        };
        found.map(|its| its.path.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
