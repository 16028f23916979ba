//! The index of the cache on disk: one small file for each cached file.
//!
//! Files are not synced. A record half written at a crash fails its digest and is dropped, and so is content without
//! the digests in its record. Records are replaced by rename.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use tuffet_store::RemoteMeta;

use super::key::Layout;
use super::key::{Key, content_name, hex, unhex};
use super::limits::{MAX_FILE_BYTES, PART};
use crate::fault;
use crate::version::Version;

/// The version of the record format. Records of other versions are dropped when the cache is opened.
const FORMAT: u32 = 2;
/// The largest record to read. The record of a file of `MAX_FILE_BYTES` has 20 MiB.
const MAX_RECORD_BYTES: u64 = 32 << 20;

/// The record of a cached file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    format: u32,
    /// The origin, as `Location::shown` and its endpoint.
    pub origin: String,
    pub path: String,
    pub version: Version,
    pub size: u64,
    pub modified_unix_ms: u64,
    /// When the origin last confirmed it.
    pub validated_unix_ms: u64,
    /// When a client last requested it.
    pub used_unix_ms: u64,
    /// Whether the space of the whole file is allocated.
    pub whole: bool,
    /// The name of the file with its content.
    pub content: String,
    /// SHA-256 of each part that has arrived, in hexadecimal digits.
    pub parts: BTreeMap<u32, String>,
}

impl Record {
    /// Creates the record of a new version, with a unique name for its content.
    pub fn new((origin, path): (&str, &str), version: &Version, meta: &RemoteMeta, whole: bool) -> Self {
        Self {
            format: FORMAT,
            origin: origin.to_owned(),
            path: path.to_owned(),
            version: version.clone(),
            size: meta.size,
            modified_unix_ms: meta.modified_unix_ms,
            validated_unix_ms: 0,
            used_unix_ms: 0,
            whole,
            content: content_name(&Key::of(origin, path)),
            parts: BTreeMap::new(),
        }
    }

    pub fn meta(&self) -> RemoteMeta {
        let (size, version) = (self.size, self.version.name());
        RemoteMeta { size, version, modified_unix_ms: self.modified_unix_ms }
    }

    /// The digests of its parts; `None` if the record is inconsistent.
    pub fn digests(&self) -> Option<HashMap<u32, [u8; 32]>> {
        let parts = self.size.div_ceil(PART);
        let digest = |(part, digits): (&u32, &String)| {
            Some((*part, unhex(digits).filter(|_| u64::from(*part) < parts)?))
        };
        self.parts.iter().map(digest).collect()
    }

    /// Writes it to a temporary file, for the caller to rename to the record of this key.
    pub fn write(&self, layout: &Layout, key: &Key) -> io::Result<PathBuf> {
        let body = serde_json::to_vec(self)?;
        let temporary = layout.temporary(key);
        let written = File::create(&temporary).and_then(|mut file| {
            fault::point("record-created");
            writeln!(file, "{}", digest_of(&body))?;
            file.write_all(&body)
        });
        fault::point("record-written");
        match written {
            Ok(()) => Ok(temporary),
            Err(error) => {
                let _ = fs::remove_file(&temporary);
                Err(error)
            }
        }
    }

    /// Reads a record; `None` if the file is damaged, or is no record.
    pub fn read(path: &Path) -> io::Result<Option<Self>> {
        if fs::metadata(path)?.len() > MAX_RECORD_BYTES {
            return Ok(None);
        }
        let bytes = fs::read(path)?;
        let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else { return Ok(None) };
        let (digest, body) = (&bytes[..end], &bytes[end + 1..]);
        if digest != digest_of(body).as_bytes() {
            return Ok(None);
        }
        let record: Option<Record> = serde_json::from_slice(body).ok();
        Ok(record.filter(|record| record.format == FORMAT && record.size <= MAX_FILE_BYTES))
    }
}

/// The first line of a record.
pub(crate) fn digest_of(body: &[u8]) -> String {
    hex(&Sha256::digest(body))
}
