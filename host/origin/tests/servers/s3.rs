//! Two implementations of S3.

use std::net::SocketAddr;
use std::process::Command;
use std::time::Instant;

use tempfile::TempDir;
use tuffet_config::{Credentials, Location, OriginSpec, Secret};
use tuffet_store::StoreError;

use super::process::{Server, free, program};
use super::stores::{
    creates_only_missing_files, exercise, keeps_its_cache, never_mixes_versions, open, store,
};
use super::{LONG, get, spec};

const KEY: &str = "tuffet-tests";
const SECRET: &str = "a secret for tests";

fn origin(address: SocketAddr, secret: &str, folder: &TempDir) -> OriginSpec {
    let location = Location::S3 {
        bucket: "boot".into(),
        prefix: "images".into(),
        endpoint: format!("http://{address}").parse().ok(),
        region: Some("us-east-1".into()),
    };
    let credentials = Credentials::Keys {
        access_key_id: Secret::new(KEY),
        secret_access_key: Secret::new(secret),
        token: None,
    };
    spec(location, credentials, folder.path())
}

fn versitygw(program: &str, folder: &TempDir, address: SocketAddr) -> Server {
    std::fs::create_dir_all(folder.path().join("buckets/boot")).expect("a bucket");
    let mut command = Command::new(program);
    command.args(["--access", KEY, "--secret", SECRET, "--port", &address.to_string(), "--quiet", "posix"]);
    Server::start(command.arg(folder.path().join("buckets")), address)
}

#[test]
fn versitygw_serves_and_stores() {
    let Some(program) = program("TUFFET_VERSITYGW", "versitygw") else { return };
    let (folder, address) = (TempDir::new().expect("a folder"), free());
    let mut server = versitygw(&program, &folder, address);
    let spec = origin(address, SECRET, &folder);
    let remote = open(spec.clone());
    exercise(&remote);
    creates_only_missing_files(&remote);
    never_mixes_versions(&spec);
    keeps_its_cache(&spec);

    let other = TempDir::new().expect("a folder");
    let stranger = open(origin(address, "another secret", &other));
    let refused = stranger.get("log").expect_err("no access");
    assert!(matches!(refused, StoreError::RefusedByOrigin { .. }), "{refused}");
    assert!(refused.to_string().contains("SignatureDoesNotMatch"), "{refused}");

    server.kill();
    assert_eq!(get(&remote, "log").as_deref(), Ok(&b"first"[..]), "stale");
    assert!(matches!(remote.get("none"), Err(StoreError::Unreachable { .. })));
    assert!(store(&remote, "new", b"x", true).is_err());
    let _server = versitygw(&program, &folder, address);
    let deadline = Instant::now() + LONG;
    while !matches!(remote.get("none"), Err(StoreError::NotFound)) {
        assert!(Instant::now() < deadline, "it is asked again");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(remote.state().away.is_none());
}

#[test]
fn gofakes3_serves_and_stores() {
    let Some(program) = program("TUFFET_GOFAKES3", "gofakes3") else { return };
    let (folder, address) = (TempDir::new().expect("a folder"), free());
    let mut command = Command::new(program);
    command.args(["-backend", "memory", "-initialbucket", "boot", "-host", &address.to_string()]);
    let _server = Server::start(&mut command, address);
    exercise(&open(origin(address, SECRET, &folder)));
}
