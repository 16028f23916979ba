//! Opens that hang.

use super::beside;
use crate::harness::{Answer, Pace, Peer, Server, SlowDisk, Step, assert_ended, rrq};
use std::time::{Duration, Instant};

const SOME_POLICY: &str = "policy: { authorize: [acl] }\nplugins: { acl: { component: 'builtin:acl', settings: { allow: [{ names: ['**'] }] } } }\n";

/// So many requests for files whose names cannot be looked up.
fn stuck(server: &Server, count: usize) -> Vec<Peer> {
    let ask = |number| {
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq(&format!("stuck-{number}"), &[]));
        peer
    };
    (0..count).map(ask).collect()
}

#[test]
fn hung_opens_leave_the_clients_of_other_roots_alone() {
    let Some(disk) = SlowDisk::mount() else { return };
    for policy in ["", SOME_POLICY] {
        let server = beside(&disk, policy);
        server.root().write("small", b"small");
        disk.set(Step::Lookup, "stuck", Pace::Hangs);
        let _stuck = stuck(&server, 70);
        disk.hangs(Step::Lookup, 10);
        for _ in 0..8 {
            assert_eq!(Peer::new(server.address()).read_plainly("small"), b"small");
        }
        disk.release();
    }
}

/// As few as that took all threads from it before.
#[test]
fn hung_opens_do_not_delay_what_comes_behind_them_for_the_same_root() {
    let Some(disk) = SlowDisk::mount() else { return };
    disk.file("small", b"small");
    let server = beside(&disk, "");
    disk.set(Step::Lookup, "stuck", Pace::Hangs);
    let _stuck = stuck(&server, 10);
    let mut honest: Vec<Peer> = (0..30).map(|_| Peer::new(server.address())).collect();
    honest.iter_mut().for_each(|peer| peer.ask(&rrq("small", &[])));
    for peer in &mut honest {
        peer.expect(Answer::Data(1, b"small".into()));
    }
    disk.release();
}

#[test]
fn a_request_whose_root_hangs_is_dropped_in_time_and_may_come_again() {
    let Some(disk) = SlowDisk::mount() else { return };
    disk.file("stuck-0", b"content");
    for policy in ["", SOME_POLICY] {
        let server = beside(&disk, &format!("limits: {{ open-time: 4s }}\n{policy}"));
        disk.set(Step::Open, "stuck", Pace::Hangs);
        let mut peer = stuck(&server, 1).remove(0);
        disk.hangs(Step::Open, 1);
        assert_ended(&server.outcome("stuck-0"), "failed", "root `slow` did not open the file within 4s");
        assert_eq!(peer.receive_within(Duration::from_millis(1)), None, "its client asks again");
        disk.release();
        assert_eq!(peer.read_plainly("stuck-0"), b"content");
        assert_eq!(server.outcome("stuck-0")["outcome"], "served");
    }
}

/// Where a missing file was looked for is looked at again, for its log line. The client does not wait for that.
#[test]
fn a_slow_disk_delays_no_refusal_for_a_second_look() {
    let Some(disk) = SlowDisk::mount() else { return };
    let server = beside(&disk, "");
    let pace = Duration::from_secs(2);
    disk.set(Step::Lookup, "late", Pace::Takes(pace));
    let (mut peer, began) = (Peer::new(server.address()), Instant::now());
    peer.ask(&rrq("late", &[]));
    assert_eq!(peer.expect_error(1), "file not found");
    let took = began.elapsed();
    assert!(took >= pace && took < pace + pace / 2, "once for the open, not twice: {took:?}");
    let line = server.outcome("late");
    assert_ended(&line, "not-found", "no such file");
    assert_eq!(line["tried"], serde_json::json!(["boot:late", "slow:late"]));
    disk.release();
}
