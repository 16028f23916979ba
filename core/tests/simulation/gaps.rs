//! A receiver that answers every unexpected packet with an ACK, as EDK2's does: however many ACKs report one
//! loss, the sender goes back once.

use super::simulator::{DATA, Endpoint, Faults, Job, Path, Peer, World, asking, micros, number, opcode};
use tuffet_core::{
    Control, DATA_HEADER, Finish, MAX_CONTROL, Mode, Operation, OptionSet, RequestPacket, Time,
};

/// Reads a file of fewer than 65,536 blocks.
struct Edk2 {
    requested: OptionSet,
    window: u16,
    next: u16,
    unacked: u16,
    bytes: Vec<u8>,
    begin: bool,
    done: bool,
    acks: u64,
}

impl Edk2 {
    fn new(window: u16) -> Self {
        let requested = asking(512, window);
        Edk2 { requested, window, next: 1, unacked: 0, bytes: Vec::new(), begin: true, done: false, acks: 0 }
    }

    fn ack(&mut self, out: &mut Vec<Vec<u8>>) {
        let mut buffer = [0; MAX_CONTROL];
        let length = Control::Ack(self.next - 1).encode(&mut buffer).expect("an ACK fits");
        out.push(buffer[..length].to_vec());
        self.unacked = 0;
        self.acks += 1;
    }
}

impl Peer for Edk2 {
    fn deadline(&self) -> Time {
        if self.begin { Time::default() } else { Time::NEVER }
    }

    fn wake(&mut self, _now: Time, out: &mut Vec<Vec<u8>>) {
        self.begin = false;
        let mut buffer = [0; 100];
        let length = RequestPacket::encode(Operation::Read, b"x", Mode::Octet, &self.requested, &mut buffer);
        out.push(buffer[..length.expect("a short name fits")].to_vec());
    }

    fn receive(&mut self, _now: Time, datagram: &[u8], out: &mut Vec<Vec<u8>>) {
        if opcode(datagram) != DATA || number(datagram) != self.next {
            self.ack(out);
            return;
        }
        self.next += 1;
        self.unacked += 1;
        self.bytes.extend_from_slice(&datagram[DATA_HEADER..]);
        self.done |= datagram.len() < DATA_HEADER + 512;
        if self.unacked == self.window || self.done {
            self.ack(out);
        }
    }
}

/// Returns how many blocks the server sends if the copies in `lost` (block, how often) do not arrive.
fn sent(window: u16, lost: &'static [(u16, u32)], path: Path) -> u64 {
    let job = Job::new(Operation::Read, asking(512, window), 512 * 99 + 100);
    let mut world =
        World::new(1, Edk2::new(window), Endpoint::server(job.clone(), Faults::default()), path, path);
    let mut seen = [0; 101];
    world.down.lose(move |datagram| {
        let block = number(datagram);
        if opcode(datagram) != DATA {
            return false;
        }
        seen[usize::from(block)] += 1;
        lost.iter().any(|(which, times)| *which == block && seen[usize::from(block)] <= *times)
    });
    world.run(micros(60_000_000));
    assert_eq!(world.server.report.finish, Some(Finish::Complete));
    assert!(world.client.bytes == *job.file);
    world.server.report.data
}

const LAN: Path = Path::clean(100);
const NARROW: Path = Path::clean(100).rate(10_000_000, u64::MAX);
const FAR: Path = Path::clean(30_000).rate(100_000_000, u64::MAX);

#[test]
fn nothing_lost_nothing_sent_again() {
    for path in [LAN, NARROW, FAR] {
        assert_eq!(sent(16, &[], path), 100);
    }
}

#[test]
fn one_loss_costs_the_rest_of_one_window() {
    for path in [LAN, NARROW, FAR] {
        // Block 35 is the third of the window 33 to 48: 35 to 48 are sent again.
        assert_eq!(sent(16, &[(35, 1)], path), 100 + 14, "{path:?}");
    }
}

#[test]
fn the_first_block_of_a_window_is_missed_at_once() {
    for path in [LAN, NARROW, FAR] {
        assert_eq!(sent(16, &[(33, 1)], path), 100 + 16, "{path:?}");
    }
}

#[test]
fn a_loss_in_the_very_first_window_is_one_gap_as_well() {
    for path in [LAN, NARROW, FAR] {
        assert_eq!(sent(16, &[(3, 1)], path), 100 + 14, "{path:?}");
        assert_eq!(sent(16, &[(1, 1)], path), 100 + 16, "{path:?}");
    }
}

/// However often it acknowledges the block before: the rest of the window, and a window for each further loss.
#[test]
fn a_block_that_is_lost_several_times_costs_a_window_each_time() {
    for (lost, most) in [(&[(35, 2)], 14 + 16), (&[(35, 3)], 14 + 2 * 16), (&[(35, 4)], 14 + 3 * 16)] {
        for path in [LAN, NARROW, FAR] {
            let blocks = sent(16, lost, path);
            // After a time-out a block or two are enough.
            assert!((100 + 14 + 16..=100 + most + 1).contains(&blocks), "{blocks} for {lost:?} on {path:?}");
        }
    }
}

#[test]
fn two_losses_in_one_window_cost_two() {
    for path in [LAN, NARROW, FAR] {
        let blocks = sent(16, &[(35, 1), (40, 2)], path);
        assert!((100 + 14 + 11..=100 + 14 + 16 + 16).contains(&blocks), "{blocks} on {path:?}");
    }
}
