//! Contents and folders to serve.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns `length` bytes that look random and differ between lengths.
pub fn bytes(length: usize) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(length as u64 + 1);
    let mut bytes = vec![0; length];
    random.fill(&mut bytes);
    bytes
}

/// Returns about `length` bytes of text that is hard on netascii: LF, CR LF, bare CR, CR NUL, runs of each.
pub fn text(length: usize) -> Vec<u8> {
    const PIECES: [&[u8]; 8] =
        [b"\n", b"\r\n", b"\r", b"\r\0", b"\r\r\n", b"\n\n", b"word", b"a longer run of words "];
    let mut random = fastrand::Rng::with_seed(length as u64);
    let mut text = Vec::new();
    while text.len() < length {
        text.extend_from_slice(PIECES[random.usize(..PIECES.len())]);
    }
    text
}

/// A folder below a temporary one.
#[derive(Debug, Clone)]
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file, and creates its folders.
    pub fn write(&self, name: &str, content: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).unwrap();
        fs::write(path, content).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn has(&self, name: &str) -> bool {
        self.path(name).symlink_metadata().is_ok()
    }

    /// Returns the names in it, including hidden ones, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}
