//! The list of digests, in the format of sha256sum(1), and its signature.

use ed25519_dalek::{Signature, VerifyingKey};
use tuffet_sdk::{Upload, files};

/// Largest list, in bytes.
const MAX_LIST: u64 = 1 << 20;

/// The place of the list. The signature is beside it, with `.sig` appended to the name.
pub(crate) struct List {
    pub root: String,
    pub file: String,
}

/// A line of the list.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// 64 hexadecimal digits in lower case.
    sha256: String,
    path: String,
}

impl List {
    /// Returns the entries, if one of the keys signed them.
    ///
    /// # Errors
    /// The reason for the log.
    pub fn read(&self, keys: &[VerifyingKey]) -> Result<Vec<Entry>, String> {
        let signature = format!("{}.sig", self.file);
        let list = self.file(&self.file, MAX_LIST)?;
        let raw = self.file(&signature, Signature::BYTE_SIZE as u64)?;
        let raw = <[u8; Signature::BYTE_SIZE]>::try_from(raw.as_slice()).map_err(|_| {
            format!(
                "{}:{signature} has {} bytes; an Ed25519 signature has {}",
                self.root,
                raw.len(),
                Signature::BYTE_SIZE
            )
        })?;
        let signature = Signature::from_bytes(&raw);
        if !keys.iter().any(|key| key.verify_strict(&list, &signature).is_ok()) {
            return Err(format!("none of `keys` signed {}:{} as it is", self.root, self.file));
        }
        parse(&list)
            .map_err(|line| format!("{}:{} line {line} is no line of sha256sum", self.root, self.file))
    }

    fn file(&self, path: &str, limit: u64) -> Result<Vec<u8>, String> {
        let read = files::read(&self.root, path, limit);
        let read = read.map_err(|error| format!("{}:{path} cannot be read: {error}", self.root))?;
        read.ok_or_else(|| format!("{}:{path} is not there", self.root))
    }
}

impl Entry {
    /// Returns whether the upload is this file: the same name and the same content.
    pub fn is(&self, upload: &Upload) -> bool {
        self.sha256 == upload.sha256 && self.name() == last_part(&upload.path)
    }

    /// The last part of the path, which is relative to a folder of whoever made the list.
    pub fn name(&self) -> &str {
        last_part(&self.path)
    }
}

pub(crate) fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Parses lines of a digest, two spaces (or a space and `*`), and a path. Empty lines and lines that begin with
/// `#` do not count.
///
/// # Errors
/// The number of the first other line, from 1.
pub(crate) fn parse(list: &[u8]) -> Result<Vec<Entry>, usize> {
    let mut entries = Vec::new();
    for (index, line) in list.split(|byte| *byte == b'\n').enumerate() {
        let line = std::str::from_utf8(line).map_err(|_| index + 1)?.trim_end_matches('\r');
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let entry = line.split_at_checked(64).and_then(|(digest, rest)| {
            let path = rest.strip_prefix("  ").or_else(|| rest.strip_prefix(" *"))?;
            let good = !path.is_empty() && digest.bytes().all(|digit| digit.is_ascii_hexdigit());
            good.then(|| Entry { sha256: digest.to_ascii_lowercase(), path: path.to_owned() })
        });
        entries.push(entry.ok_or(index + 1)?);
    }
    Ok(entries)
}
