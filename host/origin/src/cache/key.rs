//! Names of files in the cache.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::version::Version;

/// A file of an origin, whatever its version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key([u8; 16]);

impl Key {
    pub fn of(origin: &str, path: &str) -> Self {
        Self(digest(&[origin.as_bytes(), &[0], path.as_bytes()]))
    }
}

/// Where the files of a cache lie.
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

    /// The content of a version.
    pub fn data(&self, key: &Key, version: &Version) -> PathBuf {
        self.content().join(data_name(key, version))
    }
}

/// The name of the content of a version.
pub(crate) fn data_name(key: &Key, version: &Version) -> String {
    let version: [u8; 8] = digest(&[version.name().as_bytes()]);
    format!("{}-{}", hex(&key.0), hex(&version))
}

/// The name of a record in its folder.
pub(crate) fn is_record(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The digits of `bytes`.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing to a string never fails.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The bytes of 64 digits.
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
