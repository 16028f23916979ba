//! A client that repeats its ACK is alive and waits: the server must not back off. Nor may it send DATA at
//! once: each of the client's ACKs would be answered twice from then on (RFC 1123 section 4.2.3.1).

use crate::harness::Answer::Data;
use crate::harness::{Peer, SOON, Server, Setup, ack, bytes, rrq};
use std::time::{Duration, Instant};

const SIZE: usize = 8192;
const INTERVAL: Duration = Duration::from_millis(400);

/// No RTO is as short as this, with the default floor of 20 ms: DATA that comes sooner after an ACK answers
/// it, or was in flight.
const AT_ONCE: Duration = Duration::from_millis(10);

/// Returns a client that has block 7 and not block 8.
fn at_block_8(server: &Server) -> Peer {
    let mut peer = Peer::strict(server.address());
    peer.ask(&rrq(&SIZE.to_string(), &[]));
    let mut taken = 0;
    while taken < 7 {
        let Some(Data(block, _)) = peer.receive_within(SOON) else { panic!("DATA was due") };
        if block == taken + 1 {
            peer.send(&ack(block));
            taken = block;
        }
    }
    peer
}

/// Ends the loss: the rest arrives.
fn ends_well(peer: &mut Peer) {
    let content = bytes(SIZE);
    let mut taken = 7;
    loop {
        let Some(Data(block, payload)) = peer.receive_within(SOON) else { panic!("DATA was due") };
        if block != taken + 1 {
            continue;
        }
        peer.send(&ack(block));
        assert!(content[512 * usize::from(taken)..].starts_with(&payload), "block {block}");
        taken = block;
        if payload.len() < 512 {
            assert_eq!(taken, 17);
            return;
        }
    }
}

/// The arrivals of copies of DATA 8, and how many of them answered an ACK.
#[derive(Debug, Default)]
struct Copies {
    times: Vec<Instant>,
    at_once: usize,
}

impl Copies {
    /// Loses DATA 8 for this long, and repeats ACK 7 all the time.
    fn lost(peer: &mut Peer, time: Duration, interval: Duration) -> Copies {
        let begin = Instant::now();
        let (mut copies, mut said, mut repeats) = (Copies::default(), begin, 0);
        while begin.elapsed() < time {
            let left = interval.saturating_sub(said.elapsed()).max(Duration::from_micros(1));
            match peer.receive_within(left) {
                Some(Data(8, _)) => {
                    copies.times.push(Instant::now());
                    copies.at_once += usize::from(repeats > 0 && said.elapsed() < AT_ONCE);
                }
                Some(Data(..)) => {}
                Some(other) => panic!("DATA was due, not {other:?}"),
                None if said.elapsed() < interval => {}
                None => {
                    said = Instant::now();
                    repeats += 1;
                    peer.send(&ack(7));
                }
            }
        }
        copies.times.push(Instant::now());
        copies
    }

    fn pauses(&self) -> Vec<Duration> {
        self.times.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }
}

#[test]
fn a_client_that_repeats_its_ack_is_not_left_alone() {
    let server = Setup::new().sizes(&[SIZE]).start();
    let mut peer = at_block_8(&server);
    let copies = Copies::lost(&mut peer, Duration::from_secs(4), INTERVAL);
    let pauses = copies.pauses();
    eprintln!("{} of {} copies at once; between them {pauses:?}", copies.at_once, pauses.len());
    assert!(pauses.iter().all(|pause| *pause < Duration::from_secs(1)), "{pauses:?}");
    // Nine ACKs; a time-out may coincide with one of them.
    assert!(copies.at_once <= 2, "{} of {}: {pauses:?}", copies.at_once, pauses.len());
    assert!(pauses.len() <= 90, "ten copies for each ACK: {pauses:?}");
    ends_well(&mut peer);
}

/// ACKs that come faster than the RTO would hold it up forever if each restarted it.
#[test]
fn many_repeated_acks_do_not_hold_back_data() {
    let server = Setup::new().sizes(&[SIZE]).start();
    let mut peer = at_block_8(&server);
    let copies = Copies::lost(&mut peer, Duration::from_secs(3), Duration::from_millis(5));
    let pauses = copies.pauses();
    eprintln!("{} copies, between them {pauses:?}", pauses.len());
    assert!(pauses.iter().all(|pause| *pause < Duration::from_millis(2500)), "{pauses:?}");
    assert!(pauses.len() <= 200, "{} copies for 600 ACKs", pauses.len());
    ends_well(&mut peer);
}

#[test]
fn repeated_acks_are_not_answered_by_data() {
    let server = Setup::new().sizes(&[SIZE]).start();
    let mut peer = at_block_8(&server);
    // Enough copies that the next one is not due soon.
    let mut before = Copies::default();
    while before.times.len() < 4 {
        let Some(Data(block, _)) = peer.receive_within(SOON) else { panic!("DATA was due") };
        if block == 8 {
            before.times.push(Instant::now());
        }
    }
    let begin = Instant::now();
    (0..20).for_each(|_| peer.send(&ack(7)));
    let mut answers = 0;
    while let Some(left) = AT_ONCE.checked_sub(begin.elapsed()).filter(|left| !left.is_zero()) {
        answers += usize::from(peer.receive_within(left).is_some() && begin.elapsed() < AT_ONCE);
    }
    assert!(answers <= 1, "{answers} DATA for 20 ACKs");
    ends_well(&mut peer);
}
