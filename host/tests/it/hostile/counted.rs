//! Every dropped datagram is counted exactly once.

use super::setup;
use crate::harness::{Answer, Peer, Server, ack, bytes, data, error, oack, rrq, wrq};
use serde_json::Value;
use std::net::SocketAddr;

/// Returns the number of dropped datagrams, for any reason.
fn counted(live: &Value) -> u64 {
    let rows = live["totals"]["dropped"].as_array().unwrap();
    rows.iter().map(|row| row["count"].as_u64().unwrap()).sum()
}

/// Returns datagrams that begin no transfer.
fn garbage() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b"\0".to_vec(),
        b"\x01".to_vec(),
        b"\0\x03\0".to_vec(),
        b"\0\x04".to_vec(),
        b"\0\x05\0".to_vec(),
        b"\0\x06".to_vec(),
        b"\0\x06blksize".to_vec(),
        oack(&[]),
        oack(&[("blksize", "512")]),
        vec![0xff; 3_000],
        // Malformed requests, and one that is too long.
        b"\0\x01".to_vec(),
        b"\0\x02\0octet\0".to_vec(),
        b"\0\x01good\0".to_vec(),
        b"\0\x01good\0mail\0".to_vec(),
        rrq(&"m".repeat(2_100), &[]),
    ];
    all.extend([0_u16, 7, 256, 0xffff].map(|opcode| [&opcode.to_be_bytes()[..], b"good\0octet\0"].concat()));
    all
}

/// Returns packets that belong to a transfer, without one.
fn of_no_transfer() -> [Vec<u8>; 5] {
    [data(1, b"x"), data(0, &[0; 1_000]), ack(0), ack(65_535), error(5, "unknown transfer ID")]
}

struct Counting<'a> {
    server: &'a Server,
    sent: u64,
}

impl Counting<'_> {
    #[track_caller]
    fn send(
        &mut self,
        what: &str,
        peer: &Peer,
        to: SocketAddr,
        datagrams: impl IntoIterator<Item = Vec<u8>>,
    ) {
        for datagram in datagrams {
            peer.send_to(&datagram, to);
            self.sent += 1;
        }
        let live = self.server.live_until(what, |live| counted(live) >= self.sent);
        assert_eq!(counted(&live), self.sent, "{what}: {:#}", live["totals"]["dropped"]);
    }
}

#[test]
fn each_datagram_that_comes_to_nothing_is_counted_once() {
    for single_port in [false, true] {
        let setup = setup()
            .sizes(&[2000])
            .workers(1)
            .rest_of_yaml("transfer: { retransmit: { floor: 5m, initial: 5m, cap: 5m, give-up: 10m } }");
        let server = if single_port { setup.single_port() } else { setup }.start();
        let mut counting = Counting { server: &server, sent: 0 };
        let listener = server.address();

        let stranger = Peer::new(listener);
        counting.send("garbage from a stranger", &stranger, listener, garbage());
        counting.send("packets of no transfer", &stranger, listener, of_no_transfer());

        let mut reader = Peer::strict(listener);
        reader.ask(&rrq("2000", &[]));
        reader.expect(Answer::Data(1, bytes(2000)[..512].to_vec()));
        reader.send(&ack(1));
        reader.expect(Answer::Data(2, bytes(2000)[512..1024].to_vec()));
        let tid = reader.tid();
        counting.send("the same request", &reader, listener, [rrq("2000", &[])]);
        counting.send("garbage in a transfer", &reader, tid, garbage());
        counting.send("a block to a reader", &reader, tid, [data(1, b"x"), data(2, &[0; 600])]);
        if !single_port {
            counting.send("garbage beside a transfer", &reader, listener, garbage());
            counting.send("packets beside a transfer", &reader, listener, of_no_transfer());
            counting.send("requests to a TID", &reader, tid, [rrq("2000", &[]), wrq("good", &[])]);
            counting.send("garbage from a stranger to a TID", &stranger, tid, garbage());
            counting.send("packets from a stranger to a TID", &stranger, tid, of_no_transfer());
            counting.send("requests from a stranger to a TID", &stranger, tid, [rrq("2000", &[])]);
        }
        reader.send(&ack(2));
        assert!(reader.read_on(3) == bytes(2000)[1024..]);
        assert_eq!(server.outcome("2000")["outcome"], "served", "single port: {single_port}");
        assert_eq!(server.stop(), [] as [Value; 0]);
    }
}
