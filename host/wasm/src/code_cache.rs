//! The cache of compiled code on disk: a start compiles only new components.
//!
//! wasmtime keeps the code, by compiler version, engine settings and content of the component, and writes it
//! under a temporary name first. It runs the files that it finds, so this module guards them: the folder
//! belongs to this user alone, and every file in it must still have the SHA-256 digest that it had when it
//! was written. Any other is removed, and the component compiled again.

use std::collections::HashMap;
use std::fs::{self, DirBuilder, File, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};
use wasmtime::{Cache, CacheConfig};

/// The most bytes of code kept; the least recently used goes first.
const MAX_BYTES: u64 = 512 << 20;
const MAX_FILES: u64 = 256;
/// What the names of the files begin with that say which components are in the cache.
const COMPONENT: &str = "component-";

/// The folder of compiled code.
#[derive(Debug)]
pub(super) struct CodeCache {
    cache: Cache,
    code: PathBuf,
    digests: PathBuf,
    /// The state of each file at the time when its digest was verified.
    verified: Mutex<HashMap<PathBuf, Look>>,
    /// How many components other processes compiled for this one.
    compiled_apart: AtomicUsize,
}

/// Inode, size and change time: one of them differs whenever the content may have changed.
type Look = (u64, u64, i64, i64);

impl CodeCache {
    /// Opens or creates the folder.
    ///
    /// # Errors
    /// It cannot be created or written to, or other users may write to it.
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
            // Recompressing frequently used files would change them unnoticed.
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

    /// Returns the cache for the engine.
    pub fn cache(&self) -> Cache {
        self.cache.clone()
    }

    /// Returns how many components came from the cache, and how many were compiled.
    pub fn counts(&self) -> (usize, usize) {
        let apart = self.compiled_apart.load(Relaxed);
        (self.cache.cache_hits().saturating_sub(apart), self.cache.cache_misses() + apart)
    }

    /// Counts a component that another process has compiled, and that will come from the cache.
    pub fn count_compiled_apart(&self) {
        self.compiled_apart.fetch_add(1, Relaxed);
    }

    /// Whether the code of the component with this key is in the cache, as far as is known: it may be gone since.
    pub fn has_component(&self, key: &str) -> bool {
        self.note_of(key).exists()
    }

    /// Notes that the code of the component with this key is in the cache.
    pub fn note_component(&self, key: &str) {
        // Without a note, a compiler process finds the code.
        let _ = File::create(self.note_of(key));
    }

    fn note_of(&self, key: &str) -> PathBuf {
        self.digests.join(format!("{COMPONENT}{key}"))
    }

    /// No file of code has the name of its component, so that all notes are forgotten with the first that is gone.
    fn forget_components(&self) {
        for entry in fs::read_dir(&self.digests).into_iter().flatten().flatten() {
            if entry.file_name().as_encoded_bytes().starts_with(COMPONENT.as_bytes()) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Removes every file that has changed since it was written. Call before plugins are loaded; blocks on
    /// the disk.
    pub fn verify(&self) {
        self.each_file(|path, look, name| {
            let expected = fs::read_to_string(self.digests.join(name))?;
            if digest(path)? == expected {
                self.remember(path, look);
                return Ok(());
            }
            tracing::warn!(
                target: "tuffet::policy",
                file = %path.display(),
                "a file of compiled code is damaged; it was removed and the plugin is compiled again"
            );
            Err(io::ErrorKind::InvalidData.into())
        });
    }

    /// Records the digests of new files, and makes room. Call after plugins were loaded; blocks on the disk.
    pub fn seal(&self) {
        self.prune(MAX_FILES, MAX_BYTES);
        self.each_file(|path, look, name| {
            let temporary = self.digests.join(format!(".{name}-{}", std::process::id()));
            fs::write(&temporary, digest(path)?)?;
            fs::rename(&temporary, self.digests.join(name))?;
            self.remember(path, look);
            Ok(())
        });
    }

    /// Calls `judge` for each file of code that has changed since it was verified, with the name of its
    /// digest; removes a file on which it fails.
    fn each_file(&self, judge: impl Fn(&Path, Look, &str) -> io::Result<()>) {
        for path in files_of_code(&self.code) {
            let Ok(metadata) = fs::metadata(&path) else { continue };
            let look = look(&metadata);
            let verified = self.verified.lock().unwrap_or_else(PoisonError::into_inner).get(&path).copied();
            if verified == Some(look) {
                continue;
            }
            let name = path.strip_prefix(&self.code).unwrap_or(&path).to_string_lossy().replace('/', "_");
            if judge(&path, look, &name).is_err() {
                // A file that cannot be removed cannot be trusted either, but then the folder no longer
                // belongs to us.
                let _ = fs::remove_file(&path);
                self.forget_components();
            }
        }
    }

    /// Removes the least recently used files beyond these limits. wasmtime does that some time after it has
    /// compiled, and a compiler process ends before.
    pub(super) fn prune(&self, max_files: u64, max_bytes: u64) {
        let of_file = |path: PathBuf| {
            let about = fs::metadata(&path).ok()?;
            // wasmtime writes this file whenever it uses the code.
            let used =
                fs::metadata(path.with_extension("stats")).as_ref().unwrap_or(&about).modified().ok()?;
            Some((used, about.size(), path))
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
                self.forget_components();
            }
        }
    }

    /// A file that has just changed is checked again: the next change could leave the same times.
    fn remember(&self, path: &Path, look: Look) {
        let (_, _, changed, _) = look;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
        if changed.saturating_add(2) > now.cast_signed() {
            return;
        }
        self.verified.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), look);
    }
}

/// Returns the files that wasmtime would run: `modules/COMPILER/KEY`, without an extension.
fn files_of_code(folder: &Path) -> Vec<PathBuf> {
    let entries =
        |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let files = entries(folder.join("modules")).flat_map(entries);
    files.filter(|path| path.extension().is_none()).collect()
}

/// Returns whether the folder exists and belongs to this user.
pub fn is_own(folder: &Path) -> bool {
    let is_own = |folder: &Path| {
        fs::symlink_metadata(folder).is_ok_and(|about| about.is_dir() && require_own(folder, &about).is_ok())
    };
    [folder, &folder.join("code"), &folder.join("digests")].into_iter().all(is_own)
}

fn require_own(folder: &Path, metadata: &Metadata) -> io::Result<()> {
    let user = rustix::process::geteuid().as_raw();
    if metadata.uid() != user || metadata.mode() & 0o022 != 0 {
        let message = format!(
            "{} must belong to this user (id {user}) and be writable by nobody else: chown and chmod 700 it, or name \
             another folder",
            folder.display()
        );
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    Ok(())
}

fn look(metadata: &Metadata) -> Look {
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
