//! A spoofed request costs the spoofed host a handful of packets, and the server a while.

use super::simulator::{Endpoint, Faults, Job, Path, Peer, World, asking, millis};
use tuffet_core::{Finish, Mode, Oack, Operation, RequestPacket, Time};

/// Sends requests from an address that never answers.
struct Spoofer {
    request: Vec<u8>,
    /// When it sends one.
    at: Vec<u64>,
}

impl Peer for Spoofer {
    fn deadline(&self) -> Time {
        self.at.last().map_or(Time::NEVER, |at| Time::from_micros(*at))
    }

    fn wake(&mut self, _now: Time, out: &mut Vec<Vec<u8>>) {
        self.at.pop();
        out.push(self.request.clone());
    }

    fn receive(&mut self, _now: Time, _datagram: &[u8], _out: &mut Vec<Vec<u8>>) {}
}

fn spoof(operation: Operation, asked: Oack, mut at: Vec<u64>) -> World<Spoofer, Endpoint> {
    let mut buffer = [0; 100];
    let length = RequestPacket::encode(operation, b"x", Mode::Octet, &asked, &mut buffer);
    let request = buffer[..length.expect("a short name fits")].to_vec();
    at.reverse();
    let server = Endpoint::server(Job::new(operation, asked, 10_000_000), Faults::default());
    let mut world = World::new(1, Spoofer { request, at }, server, Path::clean(10), Path::clean(10));
    world.run(millis(60_000));
    assert_eq!(world.server.report.finish, Some(Finish::TimedOut));
    world
}

/// A time-out is not answered with an ERROR: it would be one packet more for the spoofed host.
#[test]
fn one_answer_and_four_repeats_at_most() {
    for operation in [Operation::Read, Operation::Write] {
        for asked in [Oack::default(), asking(1_428, 64), asking(65_464, 65_535)] {
            let world = spoof(operation, asked, vec![0]);
            assert_eq!(world.down.packets, 5, "{operation} {asked:?}");
            assert!(world.down.bytes <= 5 * 516, "{} bytes", world.down.bytes);
            assert!(world.now < millis(35_000), "still there at {:?}", world.now);
        }
    }
}

#[test]
fn repeated_requests_do_not_add_to_it() {
    for operation in [Operation::Read, Operation::Write] {
        for asked in [Oack::default(), asking(1_428, 64)] {
            let world = spoof(operation, asked, (0..50).map(|n| n * 50_000).collect());
            assert_eq!(world.down.packets, 5, "{operation} {asked:?}");
        }
    }
}
