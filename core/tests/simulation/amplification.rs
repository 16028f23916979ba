//! A spoofed request costs the spoofed host a handful of packets, and the server a bounded time.

use super::simulator::{
    DATA, Endpoint, Faults, Job, Path, Peer, World, asking, assert_whole, millis, opcode,
};
use tuffet_core::{Finish, Mode, Operation, OptionSet, RequestPacket, Time};

/// Sends from an address that never answers.
struct Spoofer {
    /// The datagrams and their times in microseconds, in reverse order.
    say: Vec<(u64, Vec<u8>)>,
}

impl Peer for Spoofer {
    fn deadline(&self) -> Time {
        self.say.last().map_or(Time::NEVER, |(at, _)| Time::from_micros(*at))
    }

    fn wake(&mut self, _now: Time, out: &mut Vec<Vec<u8>>) {
        out.extend(self.say.pop().map(|(_, datagram)| datagram));
    }

    fn receive(&mut self, _now: Time, _datagram: &[u8], _out: &mut Vec<Vec<u8>>) {}
}

fn request(operation: Operation, requested: OptionSet) -> Vec<u8> {
    let mut buffer = [0; 100];
    let length = RequestPacket::encode(operation, b"x", Mode::Octet, &requested, &mut buffer);
    buffer[..length.expect("a short name fits")].to_vec()
}

fn spoof(operation: Operation, requested: OptionSet, at: Vec<u64>) -> World<Spoofer, Endpoint> {
    let request = request(operation, requested);
    let say = at.into_iter().rev().map(|at| (at, request.clone())).collect();
    let server = Endpoint::server(Job::new(operation, requested, 10_000_000), Faults::default());
    let mut world = World::new(1, Spoofer { say }, server, Path::clean(10), Path::clean(10));
    world.run(millis(150_000));
    assert_eq!(world.server.report.finish, Some(Finish::TimedOut));
    world
}

/// A time-out is not answered with an ERROR: it would be one more packet for the spoofed host.
#[test]
fn one_answer_and_two_repeats_at_most() {
    for operation in [Operation::Read, Operation::Write] {
        for requested in [OptionSet::default(), asking(1_428, 64), asking(65_464, 65_535)] {
            let world = spoof(operation, requested, vec![0]);
            assert_eq!(world.down.packets, 3, "{operation} {requested:?}");
            assert!(world.down.bytes <= 3 * 516, "{} bytes", world.down.bytes);
            assert!(world.now < millis(70_000), "still there at {:?}", world.now);
        }
    }
}

/// At most five answers in a second, however often the request is repeated: after that the server takes it
/// for a client that started over.
#[test]
fn repeated_requests_hardly_add_to_it() {
    for operation in [Operation::Read, Operation::Write] {
        for requested in [OptionSet::default(), asking(1_428, 64)] {
            let world = spoof(operation, requested, (0..50).map(|n| n * 50_000).collect());
            assert!(world.down.packets <= 3 * 5, "{operation} {requested:?}: {}", world.down.packets);
        }
    }
}

/// The answer to a forged ACK 0, if the attacker knows the TID port (in single-port mode it does): the first
/// window, and ten of its blocks again; four of a window of one block.
#[test]
fn a_forged_ack_0_is_answered_with_one_window_and_a_few_blocks() {
    for (blksize, window, again) in [(1_428, 1, 4), (1_428, 64, 10), (65_464, 64, 10)] {
        let requested = asking(blksize, window);
        let request = request(Operation::Read, requested);
        let server = Endpoint::server(Job::new(Operation::Read, requested, 10_000_000), Faults::default());
        let spoofer = Spoofer { say: vec![(1_000, vec![0, 4, 0, 0]), (0, request)] };
        let mut world = World::new(1, spoofer, server, Path::clean(10), Path::clean(10));
        world.run(millis(150_000));
        assert_eq!(world.server.report.finish, Some(Finish::TimedOut));
        assert_eq!((world.server.report.oacks, world.server.report.data), (1, u64::from(window) + again));
    }
}

/// Whoever reports the same gap again and again, or forges such reports, gets fewer and fewer windows, until the client is
/// given up: its last news was the ACK of the first one.
#[test]
fn a_gap_that_is_reported_all_the_time_is_repaired_more_and_more_seldom() {
    for (window, every) in [(4, 500), (64, 1_000), (64, 20_000), (64, 300_000)] {
        let requested = asking(1_428, window);
        let server = Endpoint::server(Job::new(Operation::Read, requested, 10_000_000), Faults::default());
        let mut say = vec![(0, request(Operation::Read, requested)), (1_000, vec![0, 4, 0, 0])];
        say.extend((2_000..29_000_000).step_by(every).map(|at| (at, vec![0, 4, 0, window as u8])));
        say.reverse();
        let mut world = World::new(1, Spoofer { say }, server, Path::clean(100), Path::clean(100));
        world.run(millis(150_000));
        assert_eq!(world.server.report.finish, Some(Finish::TimedOut));
        let windows = world.server.report.data / u64::from(window);
        assert!(windows < 30, "{windows} windows of {window} for an ACK every {every} µs");
    }
}

/// If all of that is lost, a real client recovers: it repeats its ACK 0, and each repetition is answered.
#[test]
fn a_client_behind_a_bad_path_gets_its_first_block_by_asking() {
    for window in [1, 8] {
        let job = Job::new(Operation::Read, asking(1_428, window), 10_000);
        let client = Endpoint::client(job.clone(), Faults::default());
        let server = Endpoint::server(job.clone(), Faults::default());
        let mut world = World::new(1, client, server, Path::clean(100), Path::clean(100));
        let mut blocks = 0;
        world.down.lose(move |datagram| {
            blocks += u64::from(opcode(datagram) == DATA);
            opcode(datagram) == DATA && blocks <= 7 * u64::from(window)
        });
        world.run(millis(150_000));
        assert_whole(&job, &world);
    }
}
