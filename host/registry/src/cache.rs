//! The folder of pulled components, so that a start needs no network.
//!
//! `blobs/` holds manifests and components under their digests, which every read verifies. `tags/` holds the last
//! manifest of each tag, `signatures/` the signatures of a manifest, which every load verifies. Files appear complete
//! and synced, by a rename. Tags count only in a folder that other users cannot write to.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use tuffet_config::{ArtifactReference, Sha256Digest};

use super::MAX_COMPONENT;
use super::signature::{MAX_SIGNATURES, Signature};

/// The maximum size of all blobs; the least recently used are removed first.
const MAX_BYTES: u64 = 1 << 30;
/// The maximum size of a file of `tags/` or `signatures/`.
const MAX_METADATA: u64 = 4 << 20;
/// An older incomplete file belongs to a process that has ended.
const ABANDONED_AGE: Duration = Duration::from_secs(3600);
/// The name prefix of incomplete files.
const PARTIAL: &str = ".partial-";

#[derive(Debug, Clone)]
pub(super) struct Cache {
    folder: PathBuf,
}

/// The last manifest of a tag.
#[derive(Debug, Serialize, Deserialize)]
struct Tagged {
    reference: String,
    manifest: Sha256Digest,
}

impl Cache {
    pub fn at(folder: &Path) -> Cache {
        Cache { folder: folder.to_owned() }
    }

    /// Returns the blob with this digest, and removes a damaged one. Only the digest is compared: the size in a
    /// manifest may be wrong, or that manifest may describe the component of another registry.
    pub fn blob(&self, digest: &Sha256Digest) -> Option<Vec<u8>> {
        let path = self.path("blobs", digest);
        // Longer blobs are never stored.
        let content = beginning(&path, MAX_COMPONENT)?;
        if Sha256Digest::of(&content) == *digest {
            // Marks it as recently used.
            let _ = File::open(&path).and_then(|file| file.set_modified(SystemTime::now()));
            return Some(content);
        }
        tracing::warn!(target: "tuffet::policy", file = %path.display(), "a pulled component is damaged; it was removed");
        let _ = fs::remove_file(&path);
        None
    }

    /// Returns the last manifest of this tag.
    pub fn tag(&self, reference: &ArtifactReference) -> Option<Sha256Digest> {
        if !is_own(&self.folder) || !is_own(&self.folder.join("tags")) {
            return None;
        }
        let tagged: Tagged = serde_json::from_slice(&read(&self.tag_path(reference), MAX_METADATA)?).ok()?;
        (tagged.reference == reference.to_string()).then_some(tagged.manifest)
    }

    /// Returns the signatures of a manifest.
    pub fn signatures(&self, manifest: &Sha256Digest) -> Vec<Signature> {
        let content = read(&self.path("signatures", manifest), MAX_METADATA);
        content.and_then(|content| serde_json::from_slice(&content).ok()).unwrap_or_default()
    }

    /// Creates the missing folders.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn make(&self) -> io::Result<()> {
        for name in ["blobs", "tags", "signatures"] {
            DirBuilder::new().recursive(true).mode(0o700).create(self.folder.join(name))?;
        }
        Ok(())
    }

    pub fn put_blob(&self, digest: &Sha256Digest, content: &[u8]) -> io::Result<()> {
        let path = self.path("blobs", digest);
        if path.exists() { Ok(()) } else { write(&path, content) }
    }

    pub fn put_tag(&self, reference: &ArtifactReference, manifest: &Sha256Digest) -> io::Result<()> {
        let tagged = Tagged { reference: reference.to_string(), manifest: manifest.clone() };
        write(&self.tag_path(reference), &serde_json::to_vec(&tagged)?)
    }

    /// Stores a verified signature of a manifest, and keeps the earlier ones behind it: another registry may have the
    /// same manifest, signed with another key.
    pub fn put_signature(&self, manifest: &Sha256Digest, signature: &Signature) -> io::Result<()> {
        let earlier = self.signatures(manifest).into_iter().filter(|earlier| earlier != signature);
        let mut all: Vec<Signature> = [signature.clone()].into_iter().chain(earlier).collect();
        all.truncate(MAX_SIGNATURES);
        let mut text = serde_json::to_vec(&all)?;
        while text.len() as u64 > MAX_METADATA && all.len() > 1 {
            all.pop();
            text = serde_json::to_vec(&all)?;
        }
        write(&self.path("signatures", manifest), &text)
    }

    /// Removes the least recently used blobs beyond the limit, and files that a crash left incomplete.
    pub fn sweep(&self) {
        self.sweep_to(MAX_BYTES);
    }

    fn sweep_to(&self, max_bytes: u64) {
        let mut blobs = Vec::new();
        for name in ["blobs", "tags", "signatures"] {
            for entry in fs::read_dir(self.folder.join(name)).into_iter().flatten().flatten() {
                let Ok(metadata) = entry.metadata() else { continue };
                let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                if entry.file_name().to_string_lossy().starts_with(PARTIAL) {
                    if modified.elapsed().is_ok_and(|age| age > ABANDONED_AGE) {
                        let _ = fs::remove_file(entry.path());
                    }
                } else if name == "blobs" {
                    blobs.push((modified, metadata.len(), entry.path()));
                }
            }
        }
        blobs.sort();
        let mut total: u64 = blobs.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, bytes, path) in blobs {
            if total <= max_bytes {
                break;
            }
            if fs::remove_file(path).is_ok() {
                total -= bytes;
            }
        }
    }

    fn path(&self, kind: &str, digest: &Sha256Digest) -> PathBuf {
        self.folder.join(kind).join(digest.as_str())
    }

    /// Named by a hash, because a reference may be longer than a file name.
    fn tag_path(&self, reference: &ArtifactReference) -> PathBuf {
        self.path("tags", &Sha256Digest::of(reference.to_string().as_bytes()))
    }
}

/// Returns the content of a file of at most this size.
fn read(path: &Path, max_bytes: u64) -> Option<Vec<u8>> {
    beginning(path, max_bytes).filter(|content| content.len() as u64 <= max_bytes)
}

/// Returns the first `max_bytes` + 1 bytes of a file.
fn beginning(path: &Path, max_bytes: u64) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    File::open(path).ok()?.take(max_bytes + 1).read_to_end(&mut content).ok()?;
    Some(content)
}

/// Writes a file that appears complete or not at all, also after a power failure.
fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    let partial = folder.join(format!("{PARTIAL}{}-{:016x}", std::process::id(), fastrand::u64(..)));
    let written = (|| {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&partial)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&partial, path)?;
        File::open(folder)?.sync_all()
    })();
    if written.is_err() {
        let _ = fs::remove_file(&partial);
    }
    written
}

/// Returns whether only this user and root can change the folder.
fn is_own(folder: &Path) -> bool {
    let user = rustix::process::geteuid().as_raw();
    fs::symlink_metadata(folder).is_ok_and(|metadata| {
        metadata.is_dir() && (metadata.uid() == user || metadata.uid() == 0) && metadata.mode() & 0o022 == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn new_cache() -> (tempfile::TempDir, Cache) {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(&folder.path().join("components"));
        cache.make().unwrap();
        (folder, cache)
    }

    #[test]
    fn a_damaged_blob_is_removed() {
        let (_folder, cache) = new_cache();
        let digest = Sha256Digest::of(b"content");
        assert_eq!(cache.blob(&digest), None);
        cache.put_blob(&digest, b"content").unwrap();
        assert_eq!(cache.blob(&digest).as_deref(), Some(&b"content"[..]));
        for damage in ["kontent", "content that is too long"] {
            fs::write(cache.path("blobs", &digest), damage).unwrap();
            assert_eq!(cache.blob(&digest), None);
            assert!(!cache.path("blobs", &digest).exists());
        }
    }

    #[test]
    fn signatures_of_another_registry_stay() {
        let (_folder, cache) = new_cache();
        let manifest = Sha256Digest::of(b"manifest");
        let signature = |text: &str| -> Signature {
            serde_json::from_value(serde_json::json!({ "form": "simple", "payload": text, "signature": "" }))
                .unwrap()
        };
        let (ours, theirs) = (signature("ours"), signature("theirs"));
        for new in [&ours, &theirs, &theirs] {
            cache.put_signature(&manifest, new).unwrap();
        }
        assert_eq!(cache.signatures(&manifest), [theirs.clone(), ours.clone()]);
        for number in 0..MAX_SIGNATURES {
            cache.put_signature(&manifest, &signature(&number.to_string())).unwrap();
        }
        let kept = cache.signatures(&manifest);
        assert!(kept.len() == MAX_SIGNATURES && !kept.contains(&theirs), "{kept:?}");
        let long = "x".repeat(usize::try_from(MAX_METADATA).unwrap() / 3);
        for name in ["a", "b", "c", "d"] {
            cache.put_signature(&manifest, &signature(&format!("{name}{long}"))).unwrap();
        }
        let kept = cache.signatures(&manifest);
        assert_eq!(kept[0], signature(&format!("d{long}")));
        assert!(kept.len() < 4, "the file stays small enough to be read");
    }

    #[test]
    fn a_tag_counts_only_in_a_folder_of_this_user() {
        let (_folder, cache) = new_cache();
        let reference = ArtifactReference::parse("localhost:5000/a:1").unwrap();
        let digest = Sha256Digest::of(b"");
        cache.put_tag(&reference, &digest).unwrap();
        assert_eq!(cache.tag(&reference), Some(digest));
        fs::set_permissions(cache.folder.join("tags"), fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(cache.tag(&reference), None);
    }

    #[test]
    fn the_least_recently_used_blobs_and_abandoned_files_are_removed() {
        let (_folder, cache) = new_cache();
        let digests = [b"aaaa", b"bbbb", b"cccc"].map(|content| {
            let digest = Sha256Digest::of(content);
            cache.put_blob(&digest, content).unwrap();
            digest
        });
        let age = |path: &Path, hours: u64| {
            let then = SystemTime::now() - Duration::from_secs(hours * 3600);
            File::options().write(true).open(path).unwrap().set_modified(then).unwrap();
        };
        for (digest, hours) in digests.iter().zip([3, 5, 4]) {
            age(&cache.path("blobs", digest), hours);
        }
        assert!(cache.blob(&digests[1]).is_some(), "used now");
        let [old, new] =
            ["old", "new"].map(|name| cache.folder.join("blobs").join(format!("{PARTIAL}{name}")));
        fs::write(&old, "").unwrap();
        fs::write(&new, "").unwrap();
        age(&old, 2);
        cache.sweep_to(8);
        let kept = digests.map(|digest| cache.path("blobs", &digest).exists());
        assert_eq!(kept, [true, true, false]);
        assert!(!old.exists() && new.exists());
    }
}
