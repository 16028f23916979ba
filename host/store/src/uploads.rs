//! Limits the concurrent uploads to one name, because each is a file on the disk until it is complete.

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// The running uploads, by root and path. Cheap to clone; clones share the counts, also across reloads. Only for the
/// control side, because it takes a lock.
#[derive(Debug, Clone)]
pub struct Uploads(Arc<RunningUploads>);

#[derive(Debug)]
struct RunningUploads {
    most: AtomicU32,
    running: Mutex<HashMap<Box<str>, u32>>,
}

/// Counts an upload until it is dropped.
#[derive(Debug)]
pub struct Writing {
    uploads: Uploads,
    name: Box<str>,
}

impl Uploads {
    /// Creates a counter with this limit for each name.
    pub fn new(most: u32) -> Uploads {
        Uploads(Arc::new(RunningUploads { most: AtomicU32::new(most), running: Mutex::default() }))
    }

    /// Replaces the limit.
    pub fn replace(&self, most: u32) {
        self.0.most.store(most, Relaxed);
    }

    /// Counts an upload, or returns the current number if the limit is reached.
    pub fn begin(&self, root: &str, path: &str) -> Result<Writing, u32> {
        let most = self.0.most.load(Relaxed);
        // No path contains a NUL.
        let name: Box<str> = format!("{root}\0{path}").into();
        let mut running = self.lock();
        let count = running.entry(name.clone()).or_default();
        if *count >= most {
            return Err(*count);
        }
        *count += 1;
        drop(running);
        Ok(Writing { uploads: self.clone(), name })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Box<str>, u32>> {
        self.0.running.lock()
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        let name = std::mem::take(&mut self.name);
        if let Entry::Occupied(mut entry) = self.uploads.lock().entry(name) {
            *entry.get_mut() -= 1;
            if *entry.get() == 0 {
                entry.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uploads_to_a_name_are_limited_and_forgotten_when_they_end() {
        let uploads = Uploads::new(2);
        let first = uploads.begin("boot", "a").unwrap();
        let second = uploads.begin("boot", "a").unwrap();
        assert_eq!(uploads.begin("boot", "a").err(), Some(2));
        let others = [uploads.begin("boot", "b"), uploads.begin("other", "a")];
        assert!(others.iter().all(Result::is_ok));
        drop(first);
        let third = uploads.begin("boot", "a").unwrap();
        uploads.replace(1);
        assert!(uploads.begin("boot", "a").is_err());
        drop((second, third, others));
        assert!(uploads.lock().is_empty());
    }
}
