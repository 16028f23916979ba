//! The first ACK is lost, so the first round trip that the server sees ends with the answer to a
//! retransmission. That measures the server's own RTO, not the path, and must not slow down the rest.

use crate::harness::Answer::{Data, Oack};
use crate::harness::{Answer, Peer, SOON, Server, Setup, ack, bytes, rrq};
use std::time::{Duration, Instant};

const SIZE: usize = 40_000;

/// A loss on a path of 0.1 ms, with room for a busy machine: it takes 0.66 s if the first time-out is taken
/// for a round trip.
const MOST: Duration = Duration::from_millis(300);

/// Takes the best of three: delays of this machine are not the server's fault, and a real fault shows every
/// time.
fn assert_short(pause: impl Fn(&Server) -> Duration) {
    let server = Setup::new().sizes(&[SIZE]).start();
    let pauses = [(); 3].map(|()| pause(&server));
    eprintln!("a lost block was repeated after {pauses:?}");
    assert!(pauses.iter().min().is_some_and(|best| *best < MOST), "{pauses:?}");
}

#[track_caller]
fn next(peer: &mut Peer) -> Answer {
    peer.receive_within(SOON).expect("an answer")
}

/// Waits until an answer is repeated.
fn repeated(peer: &mut Peer, first: &Answer) {
    while next(peer) != *first {}
}

/// Accepts and acknowledges all blocks up to `last`, at the end of each window.
fn read(peer: &mut Peer, after: u16, last: u16, window: u16) {
    let content = bytes(SIZE);
    let mut taken = after;
    while taken < last {
        let Data(block, payload) = next(peer) else { panic!("DATA was due") };
        if block == taken + 1 {
            assert!(payload == content[512 * usize::from(taken)..][..512], "block {block}");
            taken = block;
            if taken.is_multiple_of(window) {
                peer.send(&ack(taken));
            }
        }
    }
}

/// Loses all blocks from `block` on, and measures how long no block is repeated.
fn pause(peer: &mut Peer, block: u16) -> Duration {
    let mut last_new = None;
    let mut newest = block - 1;
    loop {
        match next(peer) {
            Data(got, _) if got > newest => (newest, last_new) = (got, Some(Instant::now())),
            Data(got, _) if got >= block => {
                return last_new.expect("what is repeated was sent before").elapsed();
            }
            // Late retransmissions of acknowledged blocks.
            Data(..) => {}
            other => panic!("DATA was due, not {other:?}"),
        }
    }
}

#[test]
fn in_lockstep() {
    assert_short(|server| {
        let mut peer = Peer::strict(server.address());
        peer.ask(&rrq(&SIZE.to_string(), &[]));
        let first = next(&mut peer);
        assert_eq!(first, Data(1, bytes(SIZE)[..512].into()));
        repeated(&mut peer, &first);
        peer.send(&ack(1));
        read(&mut peer, 1, 7, 1);
        pause(&mut peer, 8)
    });
}

#[test]
fn of_an_oack() {
    assert_short(|server| {
        let mut peer = Peer::strict(server.address());
        peer.ask(&rrq(&SIZE.to_string(), &[("blksize", "512")]));
        let first = next(&mut peer);
        assert_eq!(first, Oack("blksize=512".into()));
        repeated(&mut peer, &first);
        peer.send(&ack(0));
        read(&mut peer, 0, 7, 1);
        pause(&mut peer, 8)
    });
}

/// The ACK of the first window is lost; like many clients, this one repeats it for the first block that it
/// already has.
#[test]
fn of_a_window_of_8() {
    assert_short(|server| {
        let mut peer = Peer::strict(server.address());
        peer.ask(&rrq(&SIZE.to_string(), &[("windowsize", "8")]));
        assert_eq!(next(&mut peer), Oack("windowsize=8".into()));
        peer.send(&ack(0));
        let blocks = bytes(SIZE);
        for (block, payload) in (1_u16..=8).zip(blocks.chunks(512)) {
            assert_eq!(next(&mut peer), Data(block, payload.into()));
        }
        assert!(matches!(next(&mut peer), Data(1..=8, _)), "nothing new before the ACK");
        peer.send(&ack(8));
        read(&mut peer, 8, 24, 8);
        pause(&mut peer, 25)
    });
}
