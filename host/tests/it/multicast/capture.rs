//! `tuffet capture` of a member shows the blocks of its group.

use super::GroupSocket;
use crate::capture::{Capturing, read};
use crate::harness::{Answer, Peer, ack, bytes, data, rrq};
use std::net::Ipv4Addr;

/// Two members; each block is shown once, whether one of them is captured or both are, and none of others.
#[test]
fn each_block_is_captured_once() {
    let (one, two) = (Ipv4Addr::new(127, 0, 0, 8), Ipv4Addr::new(127, 0, 0, 9));
    for (clients, members) in
        [(&[two][..], 1), (&[one, two], 2), (&[], 2), (&[Ipv4Addr::new(127, 0, 0, 10)], 0)]
    {
        let group = GroupSocket::new();
        let server = group.setup("").sizes(&[1300]).start();
        let file = server.outside().path("capture.pcapng");
        // Of each member: the request, OACK and last ACK; of the first ACKs 0 to 2 too, of the second the second OACK.
        let datagrams = match members {
            0 => 1,
            1 => 4 + 3,
            _ => 6 + 4 + 3,
        };
        let mut arguments = vec!["--count".to_owned(), datagrams.to_string()];
        arguments.extend(clients.iter().flat_map(|client| ["--client".to_owned(), client.to_string()]));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let capturing = Capturing::start(&server, &file, &arguments);
        let request = rrq("1300", &[("multicast", "")]);
        let [mut first, mut second] = [one, two].map(|address| Peer::from(address, server.address()));
        first.ask(&request);
        first.expect(group.oack(true));
        second.ask(&request);
        second.expect(group.oack(false));
        for block in 1..=3_u16 {
            first.send(&ack(block - 1));
            let start = usize::from(block - 1) * 512;
            group.expect(block, &bytes(1300)[start..(start + 512).min(1300)]);
        }
        first.send(&ack(3));
        second.expect(group.oack(true));
        second.send(&ack(3));
        for _ in 0..2 {
            server.outcome("1300");
        }
        if members == 0 {
            // Its request ends the capture.
            let mut other = Peer::from(clients[0], server.address());
            other.ask(&rrq("missing", &[]));
            other.expect(Answer::Error(1, "file not found".into()));
        }
        let (code, said) = capturing.end();
        assert_eq!(code, 0, "{said}");
        let (seen, _) = read(&file);
        let blocks: Vec<_> = seen.iter().filter(|seen| seen.to.ip() == group.address).collect();
        assert_eq!(blocks.len(), if members == 0 { 0 } else { 3 }, "{clients:?}: {seen:#?}");
        for (number, seen) in (1..).zip(blocks) {
            let start = usize::from(number - 1) * 512;
            assert_eq!(seen.payload, data(number, &bytes(1300)[start..(start + 512).min(1300)]));
            assert_eq!((seen.to, seen.from.ip()), (group.socket_address().into(), server.address().ip()));
        }
    }
}
