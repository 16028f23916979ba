//! How the members of a group take turns: clients by address, whatever the others do. How long the turns are is shown in
//! virtual time (`core/tests/simulation/multicast/shares.rs`).

use super::{GroupSocket, HASTY, ask};
use crate::harness::{Answer, Peer, SOON, ack, bytes, rrq};
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

/// The time between two ACKs of a slow member: just too short to be silent.
const SLOW: Duration = Duration::from_millis(900);

/// Whether an OACK makes its receiver master.
fn is_master(answer: &Answer) -> bool {
    matches!(answer, Answer::Oack(options) if options.ends_with(",1"))
}

/// Members that take the lead whenever they are offered it, and then acknowledge a block now and then. Returns their
/// terms.
fn drip(members: &mut [Peer], is_over: &AtomicBool) -> usize {
    let (mut terms, mut claims) = (0, vec![0; members.len()]);
    let mut leads: Vec<Option<Instant>> = vec![None; members.len()];
    leads[0] = Some(Instant::now());
    while !is_over.load(Relaxed) {
        for (number, member) in members.iter_mut().enumerate() {
            let answer = member.receive_within(Duration::from_millis(1));
            match answer.map(|answer| is_master(&answer)) {
                Some(true) => {
                    terms += usize::from(leads[number].is_none());
                    leads[number] = Some(Instant::now());
                }
                Some(false) => leads[number] = None,
                None if leads[number].is_some_and(|since| since.elapsed() >= SLOW) => {
                    claims[number] += 1;
                    leads[number] = Some(Instant::now());
                }
                None => continue,
            }
            if leads[number].is_some() {
                member.send(&ack(claims[number]));
            }
        }
    }
    terms
}

#[test]
fn slow_members_of_one_address_leave_another_client_its_turn() {
    let group = GroupSocket::new();
    let server = group.setup_with("", HASTY).sizes(&[100_000]).start();
    let mut slow: Vec<Peer> = Vec::new();
    for number in 0..15 {
        let mut peer = ask(&server, "100000");
        peer.expect(group.oack(number == 0));
        slow.push(peer);
    }
    slow[0].send(&ack(0));
    let mut client = Peer::from(Ipv4Addr::new(127, 0, 0, 2), server.address());
    client.ask(&rrq("100000", &[("multicast", "")]));
    client.expect(group.oack(false));
    let (is_over, begun) = (AtomicBool::new(false), Instant::now());
    let (mut file, mut have, mut leads) = (Vec::new(), 0, false);
    let terms = thread::scope(|scope| {
        let others = scope.spawn(|| drip(&mut slow, &is_over));
        while file.len() < 100_000 && begun.elapsed() < SOON {
            if let Some((block, payload)) = group.block_within(Duration::from_millis(10)) {
                if block == have + 1 {
                    have = block;
                    file.extend(payload);
                }
                if leads {
                    client.send(&ack(have));
                }
            }
            while let Some(answer) = client.receive_within(Duration::from_millis(1)) {
                leads = is_master(&answer);
                if leads {
                    client.send(&ack(have));
                }
            }
        }
        client.send(&ack(have));
        is_over.store(true, Relaxed);
        others.join().unwrap()
    });
    assert!(file == bytes(100_000), "{have} blocks in {:?}, while others led {terms} times", begun.elapsed());
    assert_eq!(server.outcome("100000")["outcome"], "served");
}
