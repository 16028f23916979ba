//! The index of the cache on disk: a small file for each cached file, which says what is in it.
//!
//! Nothing is synced. A record that a crash left half written fails its digest and is dropped, and so is content that
//! does not have the digests of its record. Both are replaced by rename.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Layout;
use super::key::{Key, hex};
use crate::fault;
use crate::version::Version;

/// The layout of records. Others are dropped when the cache is opened.
const FORMAT: u32 = 1;
/// The largest record that is read: 4 million parts.
const MAX_RECORD: u64 = 300 << 20;

/// What is known of a cached file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    format: u32,
    /// The origin, as `Location::shown` and its endpoint.
    pub origin: String,
    pub path: String,
    pub version: Version,
    pub size: u64,
    pub modified_unix_ms: u64,
    /// When the origin was last asked for it.
    pub validated_unix_ms: u64,
    /// When a client last asked for it.
    pub used_unix_ms: u64,
    /// Whether the space of the whole file is allocated.
    pub whole: bool,
    /// SHA-256 of each part in hexadecimal digits; empty where it has not arrived.
    pub parts: Vec<String>,
}

impl Record {
    pub fn new(origin: &str, path: &str, version: &Version, size: u64, modified_unix_ms: u64) -> Self {
        Self {
            format: FORMAT,
            origin: origin.to_owned(),
            path: path.to_owned(),
            version: version.clone(),
            size,
            modified_unix_ms,
            validated_unix_ms: 0,
            used_unix_ms: 0,
            whole: false,
            parts: Vec::new(),
        }
    }

    /// Replaces the record of this key.
    pub fn write(&self, layout: &Layout, key: &Key) -> io::Result<()> {
        let body = serde_json::to_vec(self)?;
        let temporary = layout.temporary(key);
        let written = File::create(&temporary).and_then(|mut file| {
            fault::point("record-created");
            writeln!(file, "{}", digest_of(&body))?;
            file.write_all(&body)
        });
        fault::point("record-written");
        let renamed = written.and_then(|()| fs::rename(&temporary, layout.record(key)));
        if renamed.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        fault::point("record-renamed");
        renamed
    }

    /// Reads a record; `None` if it is none, or is damaged.
    pub fn read(path: &Path) -> io::Result<Option<Self>> {
        if fs::metadata(path)?.len() > MAX_RECORD {
            return Ok(None);
        }
        let bytes = fs::read(path)?;
        let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else { return Ok(None) };
        let (digest, body) = (&bytes[..end], &bytes[end + 1..]);
        if digest != digest_of(body).as_bytes() {
            return Ok(None);
        }
        let record: Option<Record> = serde_json::from_slice(body).ok();
        Ok(record.filter(|record| record.format == FORMAT))
    }
}

/// The first line of a record.
pub(crate) fn digest_of(body: &[u8]) -> String {
    hex(&Sha256::digest(body))
}
