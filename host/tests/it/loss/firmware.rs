//! Firmware with few receive buffers. U-Boot's virtio driver has 32, and never receives again once all of
//! them have been full: its unread packets must stay below that. `make test SUITE=firmware` shows it on the driver
//! itself.

use crate::harness::Answer::{Data, Oack};
use crate::harness::{Answer, Peer, SOON, Server, Setup, ack, rrq};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

const SIZE: usize = 400_000;
const BUFFERS: usize = 32;

/// A guest whose host is busy.
const STANDS_STILL: Duration = Duration::from_millis(300);

/// After this time, nothing more of a burst arrives.
const QUIET: Duration = Duration::from_millis(1);

/// U-Boot 2023.01, `net/tftp.c`: the end of a window counts from the last ACK, and one ACK answers all blocks
/// other than the next one until that arrives.
struct UBoot {
    peer: Peer,
    windowsize: u16,
    block: u16,
    next_ack: u16,
    last_nack: Option<u16>,
    /// Received but not read yet.
    unread: VecDeque<Answer>,
    most_unread: usize,
    received: usize,
    /// Blocks whose first copy is lost.
    losses: Vec<u16>,
}

impl UBoot {
    fn new(server: &Server, windowsize: u16, losses: &[u16]) -> UBoot {
        let mut peer = Peer::strict(server.address());
        let options = [("timeout", "2"), ("windowsize", &windowsize.to_string())];
        peer.ask(&rrq(&SIZE.to_string(), &options));
        assert_eq!(peer.receive_within(SOON), Some(Oack(format!("timeout=2 windowsize={windowsize}"))));
        let mut guest = UBoot {
            peer,
            windowsize,
            block: 0,
            next_ack: windowsize,
            last_nack: None,
            unread: VecDeque::new(),
            most_unread: 0,
            received: 0,
            losses: losses.into(),
        };
        guest.acknowledge();
        guest
    }

    /// Reads until it has this block.
    fn read_to(&mut self, block: u16) {
        while self.block < block {
            let next = self.unread.pop_front().or_else(|| self.peer.receive_within(SOON));
            let Some(Data(got, _)) = next else { panic!("DATA was due, not {next:?}") };
            if got == self.block + 1 {
                self.block = got;
                if got == self.next_ack {
                    self.next_ack += self.windowsize;
                    self.acknowledge();
                }
            } else if self.last_nack != Some(self.block) {
                self.last_nack = Some(self.block);
                self.next_ack = self.block + self.windowsize;
                self.acknowledge();
            }
        }
    }

    /// A slow machine: the server's answer to an ACK arrives before the next packet is read.
    fn acknowledge(&mut self) {
        self.peer.send(&ack(self.block));
        self.receive(QUIET);
    }

    /// Receives until nothing comes for this long.
    fn receive(&mut self, quiet: Duration) {
        while let Some(answer) = self.peer.receive_within(quiet) {
            self.take(answer);
        }
    }

    /// Receives all this time, and reads nothing.
    fn stand_still(&mut self) {
        let begin = Instant::now();
        while let Some(left) = STANDS_STILL.checked_sub(begin.elapsed()).filter(|left| !left.is_zero()) {
            if let Some(answer) = self.peer.receive_within(left) {
                self.take(answer);
            }
        }
    }

    fn take(&mut self, answer: Answer) {
        self.received += 1;
        let lost = self.losses.iter().position(|lost| matches!(answer, Data(block, _) if block == *lost));
        match lost {
            Some(lost) => drop(self.losses.swap_remove(lost)),
            None => self.unread.push_back(answer),
        }
        self.most_unread = self.most_unread.max(self.unread.len());
    }
}

fn stands_still(windowsize: u16) {
    let server = Setup::new().sizes(&[SIZE]).start();
    let mut guest = UBoot::new(&server, windowsize, &[]);
    guest.read_to(10 * windowsize);
    guest.stand_still();
    eprintln!("windows of {windowsize}: {} packets unread after {STANDS_STILL:?}", guest.most_unread);
    assert!(guest.most_unread < BUFFERS, "{} packets unread", guest.most_unread);
    guest.read_to(20 * windowsize);
}

#[test]
fn that_stands_still_in_windows_of_8() {
    stands_still(8);
}

#[test]
fn that_stands_still_in_windows_of_12() {
    stands_still(12);
}

/// Each lost block costs one retransmitted window. A retransmission is no reason for another one: the ACKs of
/// a slow guest report blocks that it has not read yet, not a loss.
fn loses(windowsize: u16, losses: &[u16]) {
    let (mut unread, mut surplus) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        let server = Setup::new().sizes(&[SIZE]).start();
        let mut guest = UBoot::new(&server, windowsize, losses);
        guest.read_to(700);
        guest.receive(QUIET);
        unread.push(guest.most_unread);
        surplus.push(guest.received.saturating_sub(usize::from(700 + windowsize)));
    }
    eprintln!(
        "windows of {windowsize}: {unread:?} packets unread, {surplus:?} too many for {} losses",
        losses.len()
    );
    // The best of three: on a busy machine a time-out may interfere.
    assert!(unread.iter().min() < Some(&BUFFERS), "{unread:?} packets unread");
    let most = losses.len() * 2 * usize::from(windowsize);
    assert!(surplus.iter().min() <= Some(&most), "{surplus:?} packets too many");
}

#[test]
fn that_loses_blocks_of_windows_of_8() {
    loses(8, &[100, 205, 310, 415, 520]);
}

#[test]
fn that_loses_blocks_of_windows_of_16() {
    loses(16, &[100, 205, 310, 415, 520]);
}

/// The window is retransmitted after a time-out. The guest answers the first retransmitted block with an ACK
/// of all but the last; if that makes the server send the last one again beside the copy in flight, the guest
/// sees it twice, reports that, and from then on each window is sent twice.
#[test]
fn that_loses_the_end_of_a_window_of_8() {
    loses(8, &[80]);
}

#[test]
fn that_loses_the_end_of_a_window_of_16() {
    loses(16, &[160]);
}
