//! Remembers paths with a recently checked spelling.
//!
//! The check ([`super::spelling`]) looks up each part of a path in its folder, which costs more than opening the file
//! itself. A path that still leads to the same file needs no second check within [`MAX_AGE`]. Only the case of a
//! folder's name can change in that time, and such a request gets the answer of a moment before.

use super::facts::Facts;
use quick_cache::sync::Cache;
use std::time::{Duration, Instant};

/// The number of paths remembered for a root. The most frequent ones stay.
const MAX_PATHS: usize = 4096;

/// Longer paths are checked each time, which bounds the memory to 1 MiB.
const MAX_PATH_BYTES: usize = 256;

/// How long a check is valid.
const MAX_AGE: Duration = Duration::from_secs(1);

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
        Checked(Cache::new(MAX_PATHS))
    }
}

impl Checked {
    /// Whether a recent check found this path to lead to this file.
    pub(super) fn has(&self, path: &str, file: &Facts) -> bool {
        self.has_at(path, file, Instant::now())
    }

    fn has_at(&self, path: &str, file: &Facts, now: Instant) -> bool {
        self.0.get(path).is_some_and(|check| {
            let is_same = (check.device, check.inode) == (file.device, file.inode);
            is_same && now.saturating_duration_since(check.at) < MAX_AGE
        })
    }

    pub(super) fn note(&self, path: &str, file: &Facts) {
        if path.len() <= MAX_PATH_BYTES {
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
    fn a_check_is_valid_for_the_same_file_for_a_moment() {
        let folder = tempfile::tempdir().unwrap();
        let facts = |name: &str| Facts::of(File::create(folder.path().join(name)).unwrap()).unwrap();
        let (file, other) = (facts("a"), facts("b"));
        let checked = Checked::default();
        assert!(!checked.has("x/a", &file));
        checked.note("x/a", &file);
        assert!(checked.has("x/a", &file));
        assert!(!checked.has("x/a", &other), "another file has taken its place");
        assert!(!checked.has("X/a", &file), "another spelling");
        assert!(!checked.has_at("x/a", &file, Instant::now() + MAX_AGE));
        let long = "a".repeat(MAX_PATH_BYTES + 1);
        checked.note(&long, &file);
        assert!(!checked.has(&long, &file));
    }
}
