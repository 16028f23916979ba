//! Google Cloud Storage. fake-gcs-server answers reads of the XML interface as Google does, and takes large uploads in
//! sessions of the JSON interface; small ones go to gofakes3: their XML is that of S3. Neither checks logins, nor does
//! the second one know conditions: see the tests of the crate.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::time::Instant;

use tempfile::TempDir;
use tuffet_config::{Credentials, Location, OriginSpec, Secret};
use tuffet_store::{Origin, Reach, StoreError, Waited};

use super::process::{Server, free, program};
use super::stores::{keeps_its_cache, never_mixes_versions, open, several_upload_at_once, store};
use super::{LONG, MIB, content, get, spec};

fn origin(address: SocketAddr, bucket: &str, folder: &TempDir) -> OriginSpec {
    let location = Location::Gcs {
        bucket: bucket.into(),
        prefix: "images".into(),
        endpoint: format!("http://{address}").parse().ok(),
    };
    spec(location, Credentials::Bearer(Secret::new("a-token")), folder.path())
}

/// With the bucket `boot`, on the disk.
fn start(program: &str, folder: &TempDir, address: SocketAddr) -> Server {
    std::fs::create_dir_all(folder.path().join("buckets/boot")).expect("a bucket");
    let mut command = Command::new(program);
    command.args(["-scheme", "http", "-host", "127.0.0.1", "-port", &address.port().to_string()]);
    command.args(["-public-host", &address.to_string(), "-backend", "filesystem", "-filesystem-root"]);
    Server::start(command.arg(folder.path().join("buckets")), address)
}

/// Puts a file into the bucket `boot`. The name is encoded.
fn upload(address: SocketAddr, name: &str, bytes: &[u8]) {
    let mut stream = TcpStream::connect(address).expect("the server");
    let head = format!(
        "POST /upload/storage/v1/b/boot/o?uploadType=media&name=images%2F{name} HTTP/1.1\r\nHost: {address}\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n",
        bytes.len()
    );
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(bytes)).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[test]
fn fake_gcs_server_serves() {
    let Some(program) = program("TUFFET_FAKE_GCS_SERVER", "fake-gcs-server") else { return };
    let (folder, address) = (TempDir::new().expect("a folder"), free());
    let mut server = start(&program, &folder, address);
    let remote = open(origin(address, "boot", &folder));
    assert!(matches!(remote.get("none"), Err(StoreError::NotFound)));
    assert!(matches!(remote.look_up("none", Reach::Origin), Err(StoreError::NotFound)));
    let (small, large) = (content(100_000, 1), content(21 * MIB, 2));
    for (name, encoded, bytes) in [
        ("empty", "empty", &vec![]),
        ("a b/ü+%20", "a%20b%2F%C3%BC%2B%2520", &small),
        ("large", "large", &large),
    ] {
        upload(address, encoded, bytes);
        assert_eq!(
            remote.look_up(name, Reach::Origin).expect("an answer").expect("it is there").size,
            bytes.len() as u64
        );
        assert_eq!(get(&remote, name).as_deref(), Ok(&**bytes), "{name}");
        let fetched = remote.state().counts.received;
        assert_eq!(get(&remote, name).as_deref(), Ok(&**bytes), "{name} once more");
        assert_eq!(remote.state().counts.received, fetched, "{name} was validated and not fetched again");
    }

    // Replaced during a read.
    upload(address, "image", &large);
    let file = remote.get("image").expect("the file");
    let arrival = file.arrival.clone().expect("only a part has arrived");
    assert_eq!(arrival.wait(0, MIB as u64, LONG).expect("the first part"), Waited::Arrived);
    let newer = content(20 * MIB, 3);
    upload(address, "image", &newer);
    assert_eq!(
        arrival.wait(19 * MIB as u64, 1, LONG).expect("an answer"),
        Waited::Changed,
        "there is no such part any more"
    );
    assert_eq!(get(&remote, "image").as_deref(), Ok(&*newer));

    let spec = origin(address, "boot", &folder);
    several_upload_at_once(&spec);
    never_mixes_versions(&spec);
    keeps_its_cache(&spec);

    let other = TempDir::new().expect("a folder");
    let nowhere = open(origin(address, "no-such-bucket", &other));
    assert!(matches!(nowhere.get("large"), Err(StoreError::NotFound)));
    let refused = store(&nowhere, "large", &large, true).expect_err("there is no bucket");
    assert!(refused.to_string().contains("bucket"), "{refused}");

    server.kill();
    // What the uploads above have replaced is forgotten, also where another root stored them.
    assert!(get(&remote, "large").as_deref() == Ok(&*large), "stale");
    assert!(matches!(remote.get("none"), Err(StoreError::Unreachable { .. })));
    assert!(store(&remote, "new", b"x", true).is_err());
    let _server = start(&program, &folder, address);
    let deadline = Instant::now() + LONG;
    while !matches!(remote.get("none"), Err(StoreError::NotFound)) {
        assert!(Instant::now() < deadline, "it is asked again");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(remote.state().away.is_none());
}

#[test]
fn gofakes3_stores_small_files_as_google_does() {
    let Some(program) = program("TUFFET_GOFAKES3", "gofakes3") else { return };
    let (folder, address) = (TempDir::new().expect("a folder"), free());
    let mut command = Command::new(program);
    command.args(["-backend", "memory", "-initialbucket", "boot", "-host", &address.to_string()]);
    let _server = Server::start(&mut command, address);
    let remote = open(origin(address, "boot", &folder));
    assert!(matches!(remote.get("none"), Err(StoreError::NotFound)));
    for (name, bytes) in
        [("empty", content(0, 1)), ("a b/ü+%20", content(100_000, 2)), ("empty", content(9, 3))]
    {
        store(&remote, name, &bytes, true).expect("it is stored");
        assert_eq!(get(&remote, name).as_deref(), Ok(&*bytes), "{name}");
    }
}
