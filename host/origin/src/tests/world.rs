//! An origin for a test: a server, a cache, and files read as a transfer reads them.

use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use tuffet_config::{CacheSpec, Credentials, Location, OriginSpec};
use tuffet_store::{RemoteFile, StoreError, Waited};

use super::server::Server;
use crate::Remote;

pub const MIB: usize = 1 << 20;
/// Long enough for a loaded machine; nothing waits for it to pass.
pub const LONG: Duration = Duration::from_secs(20);

/// A server and the specification of an origin there.
pub struct World {
    pub server: Server,
    pub folder: TempDir,
    pub spec: OriginSpec,
}

impl World {
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    pub fn with(change: impl FnOnce(&mut OriginSpec)) -> Self {
        let (server, folder) = (Server::start(), TempDir::new().expect("a folder"));
        let mut spec = spec(&server.url(), folder.path());
        change(&mut spec);
        Self { server, folder, spec }
    }

    /// As a S3 server with the bucket `files`.
    pub fn s3(change: impl FnOnce(&mut OriginSpec)) -> Self {
        Self::with(|spec| {
            let Location::Http { url } = &spec.location else { return };
            let endpoint = url.join("/").ok();
            spec.location = Location::S3 {
                bucket: "files".into(),
                prefix: String::new(),
                endpoint,
                region: Some("eu-central-1".into()),
            };
            spec.credentials = Credentials::Keys {
                access_key_id: tuffet_config::Secret::new("the-key-id"),
                secret_access_key: tuffet_config::Secret::new("the-secret-key"),
                token: None,
            };
            change(spec);
        })
    }

    pub fn remote(&self) -> Arc<Remote> {
        Remote::open(self.spec.clone()).expect("a client")
    }

    pub fn cache(&self) -> PathBuf {
        self.spec.cache.path.clone()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.server.stop();
    }
}

pub fn spec(url: &str, folder: &Path) -> OriginSpec {
    OriginSpec {
        root: "images".into(),
        location: Location::Http { url: url.parse().expect("a URL") },
        ca: None,
        credentials: Credentials::Anonymous,
        redirect_hosts: Vec::new(),
        connect_timeout: Duration::from_secs(2),
        timeout: Duration::from_secs(5),
        cache: CacheSpec {
            path: folder.join("cache"),
            bytes: 256 << 20,
            revalidate: Duration::from_secs(600),
            negative: Duration::from_secs(600),
            stale_if_error: Duration::from_secs(86400),
            whole: 16 << 20,
        },
    }
}

/// Bytes that differ from place to place.
pub fn content(length: usize, seed: u64) -> Vec<u8> {
    let mut bytes = vec![0; length];
    fastrand::Rng::with_seed(seed).fill(&mut bytes);
    bytes
}

/// Reads a file as a transfer does: only what has arrived, and waits for the rest.
pub fn read(file: &RemoteFile) -> Result<Vec<u8>, String> {
    let size = file.meta.size;
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < size {
        let at = bytes.len() as u64;
        let wanted = (size - at).min(64 << 10);
        let ready = match &file.arrival {
            None => wanted,
            Some(arrival) => match arrival.arrived(at, wanted) {
                0 => match arrival.wait(at, wanted, LONG) {
                    Ok(Waited::Arrived) => wanted,
                    Ok(Waited::Changed) => return Err("changed".into()),
                    Ok(Waited::NoRoom) => match arrival.read_past(at, wanted, LONG) {
                        Ok(Some(piece)) => {
                            bytes.extend(piece);
                            continue;
                        }
                        Ok(None) => return Err("changed".into()),
                        Err(error) => return Err(error.to_string()),
                    },
                    Err(error) => return Err(error.to_string()),
                },
                some => some,
            },
        };
        let mut piece = vec![0; ready as usize];
        file.file.read_exact_at(&mut piece, at).map_err(|error| error.to_string())?;
        bytes.extend(piece);
    }
    Ok(bytes)
}

/// Opens and reads a file.
pub fn get(remote: &Remote, path: &str) -> Result<Vec<u8>, String> {
    read(&remote.get(path).map_err(|error| error.to_string())?)
}

/// The error of opening a file.
pub fn error(remote: &Remote, path: &str) -> StoreError {
    remote.get(path).expect_err("no file")
}
