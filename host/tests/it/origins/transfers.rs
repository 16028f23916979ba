//! Transfers of files that live elsewhere are transfers like any other.

use super::{far, metric, setup};
use crate::harness::{Answer, Client, Manner, Options, Peer, Web, ack, bytes, rrq};
use std::thread;

#[test]
fn all_clients_and_options_work() {
    let web = Web::start();
    let content = bytes(300_000);
    web.put("image", &content, "1");
    web.put("text", b"a\nb\n", "1");
    let server = far(&web, "", "", "");
    for client in Client::installed() {
        for (blksize, windowsize) in [(None, None), (Some(1400), None), (Some(1024), Some(16))] {
            let options = Options { blksize, windowsize, ..Options::default() };
            if client.knows(&options) {
                assert!(client.get(server.address(), "image", options) == content, "{client} {options:?}");
            }
        }
        let netascii = Options { netascii: true, ..Options::default() };
        if client.knows(&netascii) {
            assert_eq!(client.get(server.address(), "text", netascii), b"a\nb\n", "{client}");
        }
    }
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("image", &[("tsize", "0")]));
    peer.expect(Answer::Oack("tsize=300000".into()));
    assert_eq!(web.requests("GET").len(), 2, "one for each file: {:?}", web.requests("GET"));
}

#[test]
fn blocks_are_sent_before_the_download_has_ended() {
    let web = Web::start();
    let content = bytes(1_000_000);
    web.put("image", &content, "1");
    let server = far(&web, "", "", "");
    web.be(Manner::Pauses(500_000));
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("image", &[("blksize", "1000"), ("tsize", "0")]));
    peer.expect(Answer::Oack("blksize=1000 tsize=1000000".into()));
    peer.send(&ack(0));
    web.waits(1);
    for block in 1..=100 {
        peer.expect(Answer::Data(block, content[1000 * (usize::from(block) - 1)..][..1000].to_vec()));
        peer.send(&ack(block));
    }
    web.be(Manner::Good);
    for block in 101..=1000 {
        peer.expect(Answer::Data(block, content[1000 * (usize::from(block) - 1)..][..1000].to_vec()));
        peer.send(&ack(block));
    }
    peer.expect(Answer::Data(1001, Vec::new()));
    peer.send(&ack(1001));
    assert_eq!(server.outcome("image")["outcome"], "served");
}

#[test]
fn many_clients_of_a_cold_file_cost_one_request() {
    let web = Web::start();
    let content = bytes(400_000);
    web.put("image", &content, "1");
    let yaml = format!("roots:\n{}", web.root("far", "", ""));
    let server = setup().flag("--log=debug").yaml(&yaml).start();
    web.be(Manner::Pauses(100_000));
    let address = server.address();
    let clients: Vec<_> = (0..50)
        .map(|_| {
            thread::spawn(move || {
                Client::Tuffet.get(address, "image", Options { blksize: Some(1400), ..Options::default() })
            })
        })
        .collect();
    web.waits(1);
    web.be(Manner::Good);
    for client in clients {
        assert!(client.join().unwrap() == content);
    }
    assert_eq!(web.requests("GET").len(), 1, "{:?}\n{}", web.requests("GET"), server.log());
    assert_eq!(metric(&server, "tuffet_origin_received_bytes_total"), 400_000);
}

#[test]
fn a_change_in_the_middle_is_an_error_and_never_a_mixture() {
    let web = Web::start();
    let (old, new) = (bytes(9 << 20), vec![b'x'; 9 << 20]);
    web.put("image", &old, "1");
    // By parts, so that the second part is asked for when the file has changed.
    let server = far(&web, "", "whole: 0, revalidate: 0s", "limits: { cache: 0B }\n");
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("image", &[("blksize", "65464")]));
    peer.expect(Answer::Oack("blksize=65464".into()));
    web.put("image", &new, "2");
    peer.send(&ack(0));
    let mut received = 0;
    loop {
        match peer.receive() {
            Answer::Data(block, payload) => {
                assert!(
                    payload == old[received..received + payload.len()],
                    "block {block} is of another version"
                );
                received += payload.len();
                assert!(received < old.len(), "the whole file came");
                peer.send(&ack(block));
            }
            Answer::Error(..) => break,
            other => panic!("{other:?}"),
        }
    }
    assert_ne!(server.outcome("image")["outcome"], "served");
    // The next client gets the new one.
    let got =
        Client::Tuffet.get(server.address(), "image", Options { blksize: Some(65464), ..Options::default() });
    let differs = got.iter().zip(&new).position(|(got, new)| got != new);
    let requests: Vec<_> = web.requests("").iter().map(|request| request.replace("\r\n", " ")).collect();
    assert!(
        got == new,
        "{} bytes, which differ at {differs:?}; all of the old version: {}; {requests:#?}\n{}",
        got.len(),
        got == old,
        server.log()
    );
}

/// Back ends that have different versions of a file answer in turn.
#[test]
fn versions_in_turn_give_a_slow_reader_no_wrong_byte() {
    let web = Web::start();
    let (one, other) = (bytes(13 << 20), vec![b'x'; 13 << 20]);
    web.put("image", &one, "1");
    // The slow reader says nothing while two others get the whole file.
    let rest = "limits: { cache: 0B }\ntransfer: { retransmit: { give-up: 10m } }\n";
    let server = far(&web, "", "whole: 0, revalidate: 0s", rest);
    let mut slow = Peer::new(server.address());
    slow.ask(&rrq("image", &[("blksize", "65464")]));
    slow.expect(Answer::Oack("blksize=65464".into()));
    let options = || Options { blksize: Some(65464), windowsize: Some(8), ..Options::default() };
    web.put("image", &other, "2");
    assert!(Client::Tuffet.get(server.address(), "image", options()) == other);
    web.put("image", &one, "1");
    assert!(Client::Tuffet.get(server.address(), "image", options()) == one);
    slow.send(&ack(0));
    let mut received = 0;
    loop {
        match slow.receive() {
            Answer::Data(block, payload) => {
                assert!(payload == one[received..received + payload.len()], "block {block} has wrong bytes");
                received += payload.len();
                slow.send(&ack(block));
                if payload.len() < 65464 {
                    break;
                }
            }
            Answer::Error(..) => break,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn an_origin_that_breaks_off_ends_the_transfer_with_an_error() {
    let web = Web::start();
    web.put("image", &bytes(1_000_000), "1");
    let server = far(&web, "", "", "transfer: { retransmit: { give-up: 5s } }\n");
    web.be(Manner::Pauses(200_000));
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("image", &[("blksize", "1000")]));
    peer.expect(Answer::Oack("blksize=1000".into()));
    peer.send(&ack(0));
    web.waits(1);
    web.be(Manner::Away);
    loop {
        match peer.receive() {
            Answer::Data(block, _) => peer.send(&ack(block)),
            Answer::Error(..) => break,
            other => panic!("{other:?}"),
        }
    }
    let outcome = server.outcome("image");
    assert_eq!(outcome["outcome"], "failed", "{outcome}");
}
