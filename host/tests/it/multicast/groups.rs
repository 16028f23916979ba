//! How a group forms, and who gets into it.

use super::{GroupSocket, ask};
use crate::harness::{Answer, Peer, Setup, ack, assert_ended, assert_moved, bytes, rrq, run};
use std::process::Command;
use std::time::Duration;

const SHORT: Duration = Duration::from_millis(300);

/// Two clients, one stream. The second has everything when it becomes the master.
#[test]
fn two_clients_cost_one_stream() {
    let group = GroupSocket::new();
    let server = group.setup("").sizes(&[1300]).start();
    let file = bytes(1300);
    let mut first = ask(&server, "1300");
    first.expect(group.oack(true));
    let mut second = ask(&server, "1300");
    second.expect(group.oack(false));
    assert_eq!(first.tid(), second.tid(), "the blocks of a group come from one port");
    assert!(group.block_within(SHORT).is_none(), "nothing before the master answers");
    for block in 0..3 {
        first.send(&ack(block));
        let start = usize::from(block) * 512;
        group.expect(block + 1, &file[start..(start + 512).min(1300)]);
    }
    first.send(&ack(3));
    second.expect(group.oack(true));
    second.send(&ack(3));
    for _ in 0..2 {
        let line = server.outcome("1300");
        assert_moved(&line, "served", 1300, 512, 1);
        assert_eq!(line["group"], format!("{}", group.socket_address()));
    }
    assert!(group.block_within(SHORT).is_none(), "each block was sent once");
    let metrics = server.metrics();
    for line in
        ["tuffet_multicast_blocks_total 3", "tuffet_multicast_joined_total 2", "tuffet_multicast_groups 0"]
    {
        assert!(metrics.lines().any(|it| it == line), "{line} is missing in\n{metrics}");
    }
}

/// A client that comes late requests what it missed, and only that.
#[test]
fn a_late_member_requests_what_it_lacks() {
    let group = GroupSocket::new();
    let server = group.setup("").sizes(&[1300]).start();
    let file = bytes(1300);
    let mut first = ask(&server, "1300");
    first.expect(group.oack(true));
    first.send(&ack(0));
    group.expect(1, &file[..512]);
    let mut late = ask(&server, "1300");
    late.expect(group.oack(false));
    first.send(&ack(1));
    group.expect(2, &file[512..1024]);
    first.send(&ack(2));
    group.expect(3, &file[1024..]);
    first.send(&ack(3));
    late.expect(group.oack(true));
    late.send(&ack(0));
    group.expect(1, &file[..512]);
    // It has the other blocks.
    late.send(&ack(3));
    for _ in 0..2 {
        assert_moved(&server.outcome("1300"), "served", 1300, 512, 1);
    }
}

/// Clients of all workers find the group.
#[test]
fn many_clients_join_whatever_worker_they_reach() {
    let group = GroupSocket::new();
    let server = group.setup("").sizes(&[100]).start();
    let mut members: Vec<Peer> = Vec::new();
    for number in 0..32 {
        let mut peer = ask(&server, "100");
        peer.expect(group.oack(number == 0));
        members.push(peer);
    }
    members[0].send(&ack(0));
    group.expect(1, &bytes(100));
    // RFC 2090 lets a client that has everything say so before it is the master.
    for member in &members {
        member.send(&ack(1));
    }
    for _ in 0..32 {
        assert_moved(&server.outcome("100"), "served", 100, 512, 1);
    }
    assert!(group.block_within(SHORT).is_none());
}

#[test]
fn other_block_sizes_and_files_have_groups_of_their_own_or_none() {
    let group = GroupSocket::new();
    // One address and one port: one group.
    let server = group.setup("").sizes(&[1300, 1400]).start();
    let mut first = ask(&server, "1300");
    first.expect(group.oack(true));
    let mut other = Peer::new(server.address());
    other.ask(&rrq("1300", &[("multicast", ""), ("blksize", "1024")]));
    other.expect(Answer::Oack("blksize=1024".into()));
    let mut other = ask(&server, "1400");
    other.expect(Answer::Data(1, bytes(1400)[..512].to_vec()));
    assert!(server.metrics().contains("tuffet_multicast_declined_total 2"));
}

#[test]
fn a_full_group_leaves_further_clients_their_own_transfer() {
    let group = GroupSocket::new();
    let server = group.setup(", members: 1").sizes(&[100]).start();
    let mut first = ask(&server, "100");
    first.expect(group.oack(true));
    let mut second = ask(&server, "100");
    second.expect(Answer::Data(1, bytes(100)));
    second.send(&ack(1));
    let line = server.outcome("100");
    assert_moved(&line, "served", 100, 512, 1);
    assert!(line["group"].is_null());
}

/// RFC 2090 has no roll-over: an ACK may name any block.
#[test]
fn a_file_of_too_many_blocks_is_sent_to_each_client() {
    let group = GroupSocket::new();
    let server = group.setup("").sizes(&[65_535 * 8, 65_535 * 8 - 1]).start();
    let options = [("multicast", ""), ("blksize", "8")];
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("524280", &options));
    peer.expect(Answer::Oack("blksize=8".into()));
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("524279", &options));
    let Answer::Oack(options) = peer.receive() else { panic!("an OACK was due") };
    assert!(options.starts_with("blksize=8 multicast="), "{options}");
}

#[test]
fn without_the_section_the_option_is_not_acknowledged() {
    let server = Setup::new().sizes(&[100]).start();
    let mut peer = ask(&server, "100");
    peer.expect(Answer::Data(1, bytes(100)));
    peer.send(&ack(1));
    assert_ended(&server.outcome("100"), "served", "");
}

#[test]
fn writes_and_netascii_have_no_groups() {
    let group = GroupSocket::new();
    let server = group.setup("").sizes(&[100]).start();
    let mut peer = Peer::new(server.address());
    peer.ask(&crate::harness::request(1, b"100", b"netascii", &[("multicast", ""), ("blksize", "512")]));
    peer.expect(Answer::Oack("blksize=512".into()));
}

#[test]
fn explain_says_whether_a_client_would_join() {
    let group = GroupSocket::new();
    let server = group.setup("").sizes(&[100]).start();
    let ask = |option: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
        command.args(["explain", "--live", "--control"]).arg(server.outside().path("control"));
        command.args(["--option", option, "100"]);
        let ran = run(&mut command);
        ran.assert_good();
        String::from_utf8(ran.stdout).unwrap()
    };
    assert!(ask("multicast=").contains("multicast: it joins a group"), "{}", ask("multicast="));
    assert!(!ask("blksize=512").contains("multicast"));
}
