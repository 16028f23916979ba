//! A lease file on a disk that hangs.

use super::{IMAGE, bytes, download_image};
use crate::harness::{Client, Options, Pace, Server, Setup, SlowDisk, Step};
use crate::policy::{TELL, guest};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The host name in the lease of the client, and how old that is, as a plugin sees them.
fn lease(server: &Server) -> (Value, u64) {
    let seen = Client::Tuffet.get(server.address(), "a", Options::default());
    let seen: Value = serde_json::from_slice(&seen).unwrap();
    let lease = &seen[0]["lease"];
    (lease["hostname"].clone(), lease["age"].as_u64().unwrap_or_default())
}

/// Requests are decided with what was read before, and plugins learn how old that is.
#[test]
fn a_lease_file_that_hangs_delays_no_request() {
    let Some(disk) = SlowDisk::mount() else { return };
    let folder = tempfile::tempdir().unwrap();
    let asks = guest(folder.path(), "asks", json!({ "facts": ["lease"] }));
    let all = (1..=254).map(|host| format!("0 02:00:5e:10:00:01 127.0.0.{host} kitchen *\n"));
    disk.file("leases", all.collect::<String>().as_bytes());
    let tell = TELL.replace("\"*\"", "a");
    let yaml = format!(
        "roots: [{{ name: boot, path: root }}]\nworkers: 1\nstate: state\nfacts: {{ leases: [{{ file: {}/leases, format: \
         dnsmasq }}] }}\npolicy: {{ resolve: [tells] }}\nplugins:\n  tells:\n    component: {asks:?}\n    limits: {{ \
         time: 20s, wall: 40s }}\n    settings: {tell}\n",
        disk.path().display()
    );
    let server = Setup::new().file("image", &bytes(IMAGE)).yaml(&yaml).start();
    // A start does not wait for long.
    let began = Instant::now();
    while lease(&server).0 != "kitchen" {
        assert!(began.elapsed() < Duration::from_secs(30), "the file is not read");
    }
    for step in [Step::Lookup, Step::Open, Step::Read] {
        disk.set(step, "leases", Pace::Hangs);
    }
    // The kernel may still know the name, and then has to open it.
    let began = Instant::now();
    while lease(&server).1 < 3 {
        assert!(began.elapsed() < Duration::from_secs(30), "the lease never ages");
    }
    download_image(&server);
    let (hostname, age) = lease(&server);
    assert!(hostname == "kitchen" && age >= 3, "{hostname}, {age} s");
    disk.release();
    while lease(&server).1 >= 3 {
        assert!(began.elapsed() < Duration::from_secs(60), "the file is never read again");
    }
}
