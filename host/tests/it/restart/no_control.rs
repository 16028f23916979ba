//! Restarts without a control socket: the next server cannot find the one before, which gives up what it has.

use super::{SINGLE_PORT, Site, fetch};
use crate::harness::{Answer, Peer, ack, bytes, http, own_address};
use rustix::process::Signal;
use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

fn site(listener: &'static str) -> (Site, SocketAddr) {
    let mut site = Site::with(listener, "");
    let admin = own_address();
    site.controlled = false;
    // The keys of a plugin lie in the state on disk.
    site.configure(&format!(
        "admin: {{ address: \"{admin}\" }}\nstate: state\nsinks: {{ log: {{ file: lines, spool: {{}} }} }}\n\
         policy: {{ observe: [audit] }}\n\
         plugins: {{ audit: {{ component: builtin:audit, grants: [kv, sinks/log], settings: {{ sink: log }} }} }}\n"
    ));
    (site, admin)
}

/// A transfer whose client has answered.
fn begin(site: &Site) -> Peer {
    let mut reader = site.begin();
    reader.send(&ack(1));
    reader.expect(Answer::Data(2, bytes(5000)[512..1024].to_vec()));
    reader
}

fn go_on(mut reader: Peer) {
    reader.send(&ack(2));
    assert!(reader.read_on(3) == bytes(5000)[1024..]);
}

/// The manager starts the next server as soon as the parent has ended. Port, TID ports, admin listener and state are free
/// then, although a transfer goes on.
#[test]
fn the_next_server_starts_at_once() {
    for listener in ["", "tid-ports: 31000-31015"] {
        let (site, admin) = site(listener);
        let mut process = site.started(&["--restartable"]);
        let mut readers = Vec::new();
        for _ in 0..3 {
            readers.push(begin(&site));
            process.stop();
            process = site.started(&["--restartable"]);
            assert_eq!(http(admin, "/readyz", &[]).status, 200);
            fetch(site.address).unwrap();
        }
        readers.into_iter().for_each(go_on);
        site.waits_for("stopped", 3);
        process.stop();
        site.waits_for("stopped", 4);
    }
}

/// Transfers use the port, so the manager has to wait for their end.
#[test]
fn a_single_port_is_free_once_its_transfers_have_ended() {
    let (site, admin) = site(SINGLE_PORT);
    let mut process = site.started(&["--restartable"]);
    let reader = begin(&site);
    process.signal(Signal::TERM);
    site.waits_for("stopping; waiting for running transfers", 1);
    let end = Instant::now() + Duration::from_millis(500);
    while Instant::now() < end {
        assert!(process.0.try_wait().unwrap().is_none(), "the port is in use: no other server can start");
        thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(http(admin, "/livez", &[]).status, 200, "it answers until the end");
    go_on(reader);
    assert_eq!(process.0.wait().unwrap().code(), Some(0));
    let next = site.started(&["--restartable"]);
    fetch(site.address).unwrap();
    next.stop();
}

/// Without a parent process the manager waits for the server, whose state is there to be seen until its end.
#[test]
fn without_a_parent_the_admin_listener_answers_until_the_end() {
    let (site, admin) = site("");
    let mut process = site.started(&[]);
    let reader = begin(&site);
    process.signal(Signal::TERM);
    site.waits_for("stopping; waiting for running transfers", 1);
    assert_eq!(http(admin, "/livez", &[]).status, 200);
    assert_eq!(http(admin, "/readyz", &[]).status, 503);
    go_on(reader);
    assert_eq!(process.0.wait().unwrap().code(), Some(0));
}
