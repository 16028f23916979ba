//! Names of files in the cache.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// Identifies a file of an origin, regardless of its version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key([u8; 16]);

impl Key {
    pub fn of(origin: &str, path: &str) -> Self {
        Self(digest(&[origin.as_bytes(), &[0], path.as_bytes()]))
    }
}

/// The paths of the files of a cache.
#[derive(Debug)]
pub(crate) struct Layout {
    pub folder: PathBuf,
}

impl Layout {
    pub fn lock(&self) -> PathBuf {
        self.folder.join("lock")
    }

    pub fn index(&self) -> PathBuf {
        self.folder.join("index")
    }

    pub fn content(&self) -> PathBuf {
        self.folder.join("content")
    }

    /// The record of a file.
    pub fn record(&self, key: &Key) -> PathBuf {
        self.index().join(hex(&key.0))
    }

    /// A record that is being written.
    pub fn temporary(&self, key: &Key) -> PathBuf {
        self.index().join(format!("{}-{:08x}.tmp", hex(&key.0), fastrand::u32(..)))
    }

    /// The content of this name.
    pub fn data(&self, name: &str) -> PathBuf {
        self.content().join(name)
    }
}

/// Returns a unique name for a content. Even the same version gets a new one, because a removed content of it may still
/// be read or fetched.
pub(crate) fn content_name(key: &Key) -> String {
    format!("{}-{:016x}", hex(&key.0), fastrand::u64(..))
}

/// Whether this is the name of a content of this key.
pub(crate) fn is_content_of(key: &Key, name: &str) -> bool {
    let of_key = name.strip_prefix(&hex(&key.0)).and_then(|rest| rest.strip_prefix('-'));
    of_key.is_some_and(|rest| rest.len() == 16 && rest.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Whether this is the path of a record.
pub(crate) fn is_record(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Encodes `bytes` as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing to a string never fails.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Decodes 64 hexadecimal digits.
pub(crate) fn unhex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (place, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * place..2 * place + 2], 16).ok()?;
    }
    Some(bytes)
}

fn digest<const N: usize>(parts: &[&[u8]]) -> [u8; N] {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    let mut bytes = [0; N];
    bytes.copy_from_slice(&hash.finalize()[..N]);
    bytes
}
