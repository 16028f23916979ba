//! Origins on real servers: two implementations of S3, one each of the protocols of Azure and Google, and nginx with
//! TLS. Each test is skipped, with a word on standard error, where its server is not installed; `make test SUITE=origins`
//! builds and installs them.

mod azure;
mod google;
mod nginx;
mod process;
mod s3;
mod stores;

use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use tuffet_config::{CacheSpec, Credentials, Location, OriginSpec};
use tuffet_origin::Remote;
use tuffet_store::Waited;

const MIB: usize = 1 << 20;
const LONG: Duration = Duration::from_secs(30);

fn spec(location: Location, credentials: Credentials, folder: &Path) -> OriginSpec {
    OriginSpec {
        root: "images".into(),
        location,
        ca: None,
        credentials,
        redirect_hosts: Vec::new(),
        connect_timeout: Duration::from_secs(2),
        timeout: Duration::from_secs(5),
        cache: CacheSpec {
            path: folder.join("cache"),
            bytes: 512 << 20,
            revalidate: Duration::ZERO,
            negative: Duration::ZERO,
            stale_if_error: Duration::from_secs(3600),
            whole: 8 << 20,
        },
    }
}

/// Reads a file as a transfer does: whatever has not arrived is waited for.
fn get(remote: &Remote, path: &str) -> Result<Vec<u8>, String> {
    let file = remote.get(path).map_err(|error| error.to_string())?;
    let mut bytes = vec![0; usize::try_from(file.meta.size).expect("memory")];
    for (number, piece) in bytes.chunks_mut(64 << 10).enumerate() {
        let at = number as u64 * (64 << 10);
        if let Some(arrival) = &file.arrival {
            let arrived = arrival.wait(at, piece.len() as u64, LONG).map_err(|error| error.to_string())?;
            assert_eq!(arrived, Waited::Arrived, "it has not changed");
        }
        file.file.read_exact_at(piece, at).expect("it has arrived");
    }
    Ok(bytes)
}

fn content(length: usize, seed: u64) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed);
    std::iter::repeat_with(|| random.u8(..)).take(length).collect()
}
