//! The cache of compiled code on disk: a start compiles only new components.
//!
//! wasmtime stores the code by compiler version, engine settings and content of the component, and writes it under a
//! temporary name first. It runs the files that it finds, so this module guards them: the folder belongs to this user
//! alone, and each file must still have the SHA-256 digest from when it was written. Other files are removed, and
//! their components compiled again.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::fs::{self, DirBuilder, File, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};
use wasmtime::{Cache, CacheConfig};

/// The limits of the folder; the least recently used files are removed first.
const MAX_BYTES: u64 = 512 << 20;
const MAX_FILES: u64 = 256;
/// The name prefix of component markers.
const MARKER_PREFIX: &str = "component-";

/// The folder of compiled code.
#[derive(Debug)]
pub(super) struct CodeCache {
    cache: Cache,
    code: PathBuf,
    digests: PathBuf,
    /// The state of each file when its digest was verified.
    verified: Mutex<HashMap<PathBuf, FileState>>,
    /// The number of components that other processes compiled for this one.
    compiled_apart: AtomicUsize,
}

/// The inode, size and change time of a file: one of them differs if the content may have changed.
type FileState = (u64, u64, i64, i64);

impl CodeCache {
    /// Opens or creates the folder.
    ///
    /// # Errors
    /// The folder cannot be created or written to, or other users may write to it.
    pub fn open(folder: &Path) -> io::Result<CodeCache> {
        let (code, digests) = (folder.join("code"), folder.join("digests"));
        for folder in [folder, &code, &digests] {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
            require_own(folder, &fs::metadata(folder)?)?;
        }
        let probe = digests.join(format!(".probe-{}", std::process::id()));
        File::create(&probe)?;
        fs::remove_file(&probe)?;
        let mut config = CacheConfig::new();
        config
            .with_directory(&code)
            .with_file_count_soft_limit(MAX_FILES)
            .with_files_total_size_soft_limit(MAX_BYTES)
            .with_cleanup_interval(Duration::from_secs(3600))
            // Recompression of frequently used files would change them unnoticed.
            .with_optimized_compression_usage_counter_threshold(u64::from(u32::MAX));
        let cache = Cache::new(config).map_err(|error| io::Error::other(format!("{error:#}")))?;
        Ok(CodeCache {
            cache,
            code,
            digests,
            verified: Mutex::default(),
            compiled_apart: AtomicUsize::new(0),
        })
    }

    /// Removes files that were begun and not finished: wasmtime leaves one behind when the disk is full, and then never
    /// writes that code again.
    pub fn remove_unfinished(&self) {
        let is_unfinished = |path: &PathBuf| {
            let extension = path.extension().map(std::ffi::OsStr::as_encoded_bytes);
            extension.is_some_and(|extension| extension.starts_with(b"wip-atomic-write-"))
        };
        for path in files(&self.code).filter(is_unfinished) {
            let _ = fs::remove_file(path);
        }
    }

    /// Returns the cache for the engine.
    pub fn cache(&self) -> Cache {
        self.cache.clone()
    }

    /// Returns the numbers of components from the cache and of compiled ones.
    pub fn counts(&self) -> (usize, usize) {
        let apart = self.compiled_apart.load(Relaxed);
        (self.cache.cache_hits().saturating_sub(apart), self.cache.cache_misses() + apart)
    }

    /// Counts a component that another process has compiled; it will come from the cache.
    pub fn count_compiled_apart(&self) {
        self.compiled_apart.fetch_add(1, Relaxed);
    }

    /// Whether the cache has a marker for the component with this key. The code may be gone since.
    pub fn has_component(&self, key: &str) -> bool {
        self.marker(key).exists()
    }

    /// Marks the component with this key as cached.
    pub fn mark_component(&self, key: &str) {
        // Without a marker, a compiler process finds the code.
        let _ = File::create(self.marker(key));
    }

    fn marker(&self, key: &str) -> PathBuf {
        self.digests.join(format!("{MARKER_PREFIX}{key}"))
    }

    /// Files of code do not name their component, so all markers go with the first file.
    fn remove_markers(&self) {
        for entry in fs::read_dir(&self.digests).into_iter().flatten().flatten() {
            if entry.file_name().as_encoded_bytes().starts_with(MARKER_PREFIX.as_bytes()) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Removes files that have changed since they were written. Call before plugins are loaded; blocks on the disk.
    pub fn verify(&self) {
        self.each_file(|path, state, name| {
            let expected = fs::read_to_string(self.digests.join(name))?;
            if digest(path)? == expected {
                self.remember(path, state);
                return Ok(());
            }
            tracing::warn!(
                target: "tuffet::policy",
                file = %path.display(),
                "a file of compiled code was damaged and removed; compiling the plugin again"
            );
            Err(io::ErrorKind::InvalidData.into())
        });
    }

    /// Records the digests of new files, and removes old files beyond the limits. Call after plugins are loaded;
    /// blocks on the disk.
    pub fn seal(&self) {
        self.prune(MAX_FILES, MAX_BYTES);
        self.each_file(|path, state, name| {
            let temporary = self.digests.join(format!(".{name}-{}", std::process::id()));
            fs::write(&temporary, digest(path)?)?;
            fs::rename(&temporary, self.digests.join(name))?;
            self.remember(path, state);
            Ok(())
        });
    }

    /// Calls `judge` for each file of code that has changed since it was verified, with the name of its digest;
    /// removes files for which it fails.
    fn each_file(&self, judge: impl Fn(&Path, FileState, &str) -> io::Result<()>) {
        for path in files_of_code(&self.code) {
            let Ok(metadata) = fs::metadata(&path) else { continue };
            let state = state(&metadata);
            let verified = self.verified.lock().get(&path).copied();
            if verified == Some(state) {
                continue;
            }
            let name = path.strip_prefix(&self.code).unwrap_or(&path).to_string_lossy().replace('/', "_");
            if judge(&path, state, &name).is_err() {
                // If it cannot be removed, the folder no longer belongs to this user.
                let _ = fs::remove_file(&path);
                self.remove_markers();
            }
        }
    }

    /// Removes the least recently used files beyond these limits. wasmtime does so only some time after compiling,
    /// when a compiler process has ended already.
    pub(super) fn prune(&self, max_files: u64, max_bytes: u64) {
        let of_file = |path: PathBuf| {
            let metadata = fs::metadata(&path).ok()?;
            // wasmtime writes this file with each use of the code.
            let used =
                fs::metadata(path.with_extension("stats")).as_ref().unwrap_or(&metadata).modified().ok()?;
            Some((used, metadata.size(), path))
        };
        let mut files: Vec<_> = files_of_code(&self.code).into_iter().filter_map(of_file).collect();
        files.sort_unstable_by(|one, other| other.cmp(one));
        let (mut count, mut bytes) = (0, 0);
        for (_, size, path) in files {
            count += 1;
            bytes += size;
            if count > max_files || bytes > max_bytes {
                let _ = fs::remove_file(path.with_extension("stats"));
                let _ = fs::remove_file(path);
                self.remove_markers();
            }
        }
    }

    /// Remembers a file as verified, unless it has just changed: another change could leave the same times.
    fn remember(&self, path: &Path, state: FileState) {
        let (_, _, changed, _) = state;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
        if changed.saturating_add(2) > now.cast_signed() {
            return;
        }
        self.verified.lock().insert(path.to_owned(), state);
    }
}

/// Returns the files that wasmtime would run: `modules/COMPILER/KEY`, without an extension.
fn files_of_code(folder: &Path) -> Vec<PathBuf> {
    files(folder).filter(|path| path.extension().is_none()).collect()
}

/// Returns the files in `modules/COMPILER`.
fn files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries =
        |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries(folder.join("modules")).flat_map(entries)
}

/// Returns whether the folder exists and belongs to this user.
pub fn is_own(folder: &Path) -> bool {
    let is_own = |folder: &Path| {
        fs::symlink_metadata(folder)
            .is_ok_and(|metadata| metadata.is_dir() && require_own(folder, &metadata).is_ok())
    };
    [folder, &folder.join("code"), &folder.join("digests")].into_iter().all(is_own)
}

fn require_own(folder: &Path, metadata: &Metadata) -> io::Result<()> {
    let user = rustix::process::geteuid().as_raw();
    if metadata.uid() != user || metadata.mode() & 0o022 != 0 {
        let message = format!(
            "{} must belong to this user (id {user}) and no other user may write to it: chown and chmod 700 it, or name \
             another folder",
            folder.display()
        );
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    Ok(())
}

fn state(metadata: &Metadata) -> FileState {
    (metadata.ino(), metadata.size(), metadata.ctime(), metadata.ctime_nsec())
}

fn digest(path: &Path) -> io::Result<String> {
    use std::fmt::Write;
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(fs::read(path)?) {
        let _ = write!(hex, "{byte:02x}");
    }
    Ok(hex)
}
