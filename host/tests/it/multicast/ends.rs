//! How memberships end: each with one outcome.

use super::{GroupSocket, HASTY, ask};
use crate::harness::{Answer, ack, assert_ended, assert_moved, bytes, error, rrq};

/// The master dies in the middle; the next one goes on within seconds, and the dead one times out.
#[test]
fn a_dead_master_holds_nobody_up() {
    let group = GroupSocket::new();
    let server = group.setup_with("", HASTY).file("dead", &bytes(1300)).start();
    let mut dead = ask(&server, "dead");
    dead.expect(group.oack(true));
    let mut alive = ask(&server, "dead");
    alive.expect(group.oack(false));
    dead.send(&ack(0));
    group.expect(1, &bytes(1300)[..512]);
    dead.send(&ack(1));
    alive.expect(group.oack(true));
    alive.send(&ack(3));
    // Block 3 has not been sent.
    while group.block().0 != 2 {}
    alive.send(&ack(2));
    while group.block().0 != 3 {}
    alive.send(&ack(3));
    assert_moved(&server.outcome("dead"), "served", 1300, 512, 1);
    let line = server.outcome("dead");
    assert_ended(&line, "timed-out", "silent after block 1");
    assert_eq!(line["bytes"], 512);
}

#[test]
fn a_member_that_never_answers_times_out() {
    let group = GroupSocket::new();
    let server = group.setup_with("", HASTY).sizes(&[100]).start();
    ask(&server, "100").expect(group.oack(true));
    let lines = server.unanswered(1);
    assert!(lines.iter().all(|line| line["outcome"] != "served"), "{lines:?}");
}

#[test]
fn an_error_ends_one_membership() {
    let group = GroupSocket::new();
    let server = group.setup("").sizes(&[100]).start();
    let mut first = ask(&server, "100");
    first.expect(group.oack(true));
    let mut second = ask(&server, "100");
    second.expect(group.oack(false));
    first.send(&error(3, "disk full"));
    assert_ended(&server.outcome("100"), "aborted", "ERROR 3 \"disk full\" from the client");
    second.expect(group.oack(true));
    second.send(&ack(0));
    group.expect(1, &bytes(100));
    second.send(&ack(1));
    assert_moved(&server.outcome("100"), "served", 100, 512, 1);
}

#[test]
fn a_repeated_request_gets_the_same_answer_and_another_one_ends_the_membership() {
    let group = GroupSocket::new();
    let server = group.setup("").sizes(&[100, 200]).start();
    let mut first = ask(&server, "100");
    first.expect(group.oack(true));
    let mut second = ask(&server, "100");
    second.expect(group.oack(false));
    let tid = second.tid();
    second.ask(&rrq("100", &[("multicast", "")]));
    // Its OACK is repeated, or the group has offered it the lead meanwhile.
    let Answer::Oack(_) = second.receive() else { panic!("an OACK was due") };
    assert_eq!(second.tid(), tid);
    second.ask(&rrq("200", &[]));
    loop {
        if let Answer::Data(1, payload) = second.receive() {
            assert_eq!(payload, bytes(200));
            break;
        }
    }
    assert_ended(&server.outcome("100"), "aborted", "another request from the same port, and left the group");
}

/// The outcome of each member is one line, and the totals agree.
#[test]
fn a_stop_ends_all_members() {
    let group = GroupSocket::new();
    let server = group.setup_with("", "drain: 0s\n").sizes(&[1300]).start();
    let mut first = ask(&server, "1300");
    first.expect(group.oack(true));
    first.send(&ack(0));
    group.block();
    let mut second = ask(&server, "1300");
    second.expect(group.oack(false));
    let lines = server.stop();
    let ended: Vec<_> = lines.iter().filter(|line| line["message"] == "transfer").collect();
    assert_eq!(ended.len(), 2, "{lines:#?}");
    for line in ended {
        assert_ended(line, "failed", "the server was shut down");
    }
}

#[test]
fn a_file_that_changes_is_never_mixed() {
    let group = GroupSocket::new();
    let server = group.setup("").sizes(&[1300]).start();
    let mut first = ask(&server, "1300");
    first.expect(group.oack(true));
    first.send(&ack(0));
    group.block();
    server.root().write("1300", &[7; 1300]);
    first.send(&ack(1));
    group.block();
    first.send(&ack(2));
    // From memory, the old content; from the disk, an ERROR.
    match group.block_within(std::time::Duration::from_millis(500)) {
        Some((block, payload)) => assert_eq!((block, payload), (3, bytes(1300)[1024..].to_vec())),
        None => drop(first.expect_error(0)),
    }
}
