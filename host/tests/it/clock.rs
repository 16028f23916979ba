//! The system's clock jumps, by a year and back; the server uses a monotonic one. libfaketime makes it jump
//! only for the server.

use crate::harness::{Answer, Peer, Server, Setup, ack, assert_moved, bytes, rrq, skipped};
use std::path::Path;

const LIBRARIES: [&str; 3] = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/faketime/libfaketimeMT.so.1",
];

/// Returns the year of a log line.
fn year(line: &serde_json::Value) -> i32 {
    line["timestamp"].as_str().unwrap()[..4].parse().unwrap()
}

/// Reads a whole file through a plugin with a time limit, and returns its outcome.
fn read(server: &Server) -> serde_json::Value {
    assert!(Peer::new(server.address()).read_plainly("5000") == bytes(5000));
    let line = server.outcome("5000");
    assert_moved(&line, "served", 5000, 512, 1);
    assert!(line["duration_us"].as_u64().unwrap() < 60_000_000, "{line:#}");
    line
}

#[test]
fn a_clock_that_jumps_disturbs_nothing() {
    let Some(library) = LIBRARIES.into_iter().find(|path| Path::new(path).exists()) else {
        return skipped("clocks that jump: libfaketime is not installed");
    };
    let setup = Setup::new().sizes(&[5000, 100_000]);
    let clock = setup.outside().path("clock");
    let set = |offset: &str| std::fs::write(&clock, format!("{offset}\n")).unwrap();
    set("+0");
    let server = setup
        .variable("LD_PRELOAD", library)
        .variable("FAKETIME_TIMESTAMP_FILE", clock.to_str().unwrap())
        .variable("FAKETIME_NO_CACHE", "1")
        .variable("FAKETIME_DONT_FAKE_MONOTONIC", "1")
        .variable("DONT_FAKE_MONOTONIC", "1")
        .rest_of_yaml(
            "state: state\npolicy: { authorize: [acl], time-limit: 40s, observe: [audit] }\nplugins:\n  acl: { component: \"builtin:acl\", \
             settings: { deny: [{ names: [no] }] }, reuse: {}, limits: { time: 20s, wall: 40s }, cache: { ttl: 1h, key: [path] } }\n  audit: { component: \
             \"builtin:audit\", settings: { sink: out }, grants: [kv, clock, sinks/out] }\nsinks: { out: { file: out.jsonl, \
             rotate: { every: 1h, keep: 100 } } }\nadmin: { address: \"127.0.0.1:0\" }\n",
        )
        .start();
    let now = year(&read(&server));
    // A transfer that is active all the time.
    let mut running = Peer::new(server.address());
    running.ask(&rrq("100000", &[]));
    let mut next = 1_u16;
    let mut go_on = |peer: &mut Peer| {
        for _ in 0..10 {
            assert!(matches!(peer.receive(), Answer::Data(block, _) if block == next), "block {next}");
            peer.send(&ack(next));
            next += 1;
        }
    };
    go_on(&mut running);
    for (offset, years) in [("+400d", 1..=2), ("-400d", -2..=-1), ("+4000d", 10..=11), ("+0", 0..=0)] {
        set(offset);
        go_on(&mut running);
        let line = read(&server);
        // Proves that the clock did jump.
        assert!(years.contains(&(year(&line) - now)), "{offset}: {line:#}");
        server.ask("reload").assert_good();
        assert_eq!(server.live()["ready"], true, "{offset}");
    }
    assert_eq!(running.read_on(51).len(), 100_000 - 50 * 512);
    assert_moved(&server.outcome("100000"), "served", 100_000, 512, 1);
    assert_eq!(server.stop(), [] as [serde_json::Value; 0]);
}
