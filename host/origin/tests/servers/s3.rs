//! Two implementations of S3.

use std::fs::File;
use std::io::Write;
use std::net::SocketAddr;
use std::process::Command;
use std::time::Instant;

use tempfile::TempDir;
use tuffet_config::{Credentials, Location, OriginSpec, Secret};
use tuffet_origin::Remote;
use tuffet_store::{Origin, StoreError};

use super::process::{Server, free, program};
use super::{LONG, MIB, content, get, spec};

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

fn store(remote: &Remote, path: &str, bytes: &[u8], overwrite: bool) -> Result<(), StoreError> {
    let mut file: File = tempfile::tempfile().expect("a file");
    file.write_all(bytes).expect("room");
    remote.store(path, &file, bytes.len() as u64, overwrite)
}

/// What every store can: files, small and large, by one request, in parts, and again.
fn exercise(remote: &Remote) {
    assert!(matches!(remote.open("none"), Err(StoreError::NotFound)));
    assert!(matches!(remote.look_up("none"), Err(StoreError::NotFound)));
    for (name, bytes) in
        [("empty", content(0, 1)), ("a b/ü+%20", content(100_000, 2)), ("large", content(21 * MIB, 3))]
    {
        store(remote, name, &bytes, true).expect("it is stored");
        assert_eq!(remote.look_up(name).expect("it is there").size, bytes.len() as u64);
        assert_eq!(get(remote, name).as_deref(), Ok(&*bytes), "{name}");
        let fetched = remote.state().counts.received;
        assert_eq!(get(remote, name).as_deref(), Ok(&*bytes), "{name} once more");
        assert_eq!(remote.state().counts.received, fetched, "{name} was validated and not fetched again");
    }
    let newer = content(5000, 4);
    store(remote, "large", &newer, true).expect("it is replaced");
    assert_eq!(get(remote, "large").as_deref(), Ok(&*newer));
}

#[test]
fn versitygw_serves_and_stores() {
    let Some(program) = program("TUFFET_VERSITYGW", "versitygw") else { return };
    let (folder, address) = (TempDir::new().expect("a folder"), free());
    let mut server = versitygw(&program, &folder, address);
    let remote = Remote::open(origin(address, SECRET, &folder)).expect("a client");
    exercise(&remote);
    store(&remote, "log", b"first", false).expect("it is created");
    let taken = store(&remote, "log", b"second", false).expect_err("it is taken");
    assert!(matches!(taken, StoreError::Exists), "{taken}");
    let taken = store(&remote, "log", &content(17 * MIB, 5), false).expect_err("in parts, too");
    assert!(matches!(taken, StoreError::Exists), "{taken}");
    assert_eq!(get(&remote, "log").as_deref(), Ok(&b"first"[..]));

    let other = TempDir::new().expect("a folder");
    let stranger = Remote::open(origin(address, "another secret", &other)).expect("a client");
    let refused = stranger.open("log").expect_err("no access");
    assert!(matches!(refused, StoreError::RefusedByOrigin { .. }), "{refused}");
    assert!(refused.to_string().contains("SignatureDoesNotMatch"), "{refused}");

    server.kill();
    assert_eq!(get(&remote, "log").as_deref(), Ok(&b"first"[..]), "stale");
    assert!(matches!(remote.open("none"), Err(StoreError::Unreachable { .. })));
    assert!(store(&remote, "new", b"x", true).is_err());
    let _server = versitygw(&program, &folder, address);
    let deadline = Instant::now() + LONG;
    while !matches!(remote.open("none"), Err(StoreError::NotFound)) {
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
    exercise(&Remote::open(origin(address, SECRET, &folder)).expect("a client"));
}
