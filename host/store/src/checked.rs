//! Paths whose spelling was checked a moment ago.
//!
//! The check ([`super::spelling`]) looks up each part of a path in its folder, which costs more than opening the file
//! itself. While a path leads to the same file, it is the same path: what could change within [`FRESH`] is the case of a
//! folder's name, and a request in that moment is answered as one before it would have been.

use super::facts::Facts;
use quick_cache::sync::Cache;
use std::time::{Duration, Instant};

/// The most paths of a root. Those that are asked for again and again stay.
const PATHS: usize = 4096;

/// Longer paths are checked each time, so that the memory of all is bounded: 1 MiB.
const LONGEST: usize = 256;

/// For how long a check counts.
const FRESH: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Checked(Cache<Box<str>, Check>);

#[derive(Debug, Clone, Copy)]
struct Check {
    device: u64,
    inode: u64,
    at: Instant,
}

impl Default for Checked {
    fn default() -> Checked {
        Checked(Cache::new(PATHS))
    }
}

impl Checked {
    /// Whether the path led to this file when it was checked, a moment ago.
    pub(super) fn has(&self, path: &str, file: &Facts) -> bool {
        self.has_at(path, file, Instant::now())
    }

    fn has_at(&self, path: &str, file: &Facts, now: Instant) -> bool {
        self.0.get(path).is_some_and(|check| {
            let is_same = (check.device, check.inode) == (file.device, file.inode);
            is_same && now.saturating_duration_since(check.at) < FRESH
        })
    }

    pub(super) fn note(&self, path: &str, file: &Facts) {
        if path.len() <= LONGEST {
            let check = Check { device: file.device, inode: file.inode, at: Instant::now() };
            self.0.insert(path.into(), check);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    #[test]
    fn a_check_counts_for_the_same_file_for_a_moment() {
        let folder = tempfile::tempdir().unwrap();
        let facts = |name: &str| Facts::of(File::create(folder.path().join(name)).unwrap()).unwrap();
        let (file, other) = (facts("a"), facts("b"));
        let checked = Checked::default();
        assert!(!checked.has("x/a", &file));
        checked.note("x/a", &file);
        assert!(checked.has("x/a", &file));
        assert!(!checked.has("x/a", &other), "another file has taken its place");
        assert!(!checked.has("X/a", &file), "another spelling");
        assert!(!checked.has_at("x/a", &file, Instant::now() + FRESH));
        let long = "a".repeat(LONGEST + 1);
        checked.note(&long, &file);
        assert!(!checked.has(&long, &file));
    }
}
