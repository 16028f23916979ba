//! A client that breaks the protocol: it acknowledges blocks that were never sent, or only some, or too
//! often; sends blocks of other lengths and numbers; requests nonsense; starts over; falls silent.

use crate::simulator::draw::{logarithmic, one_in, pick};
use crate::simulator::{ACK, DATA, OACK, Peer, number, opcode};
use fastrand::Rng;
use std::rc::Rc;
use tuffet_core::{DATA_HEADER, Mode, Operation, OptionSet, RequestPacket, Time, data_header};
use tuffet_testkit::invariants::Invariant;

/// The most datagrams sent.
const MOST: u32 = 300;

/// Such a client; its next action is random.
#[derive(Debug)]
pub struct Liar {
    random: Rng,
    operation: Operation,
    request: Vec<u8>,
    /// The file that it reads: even a lying client gets no wrong bytes.
    file: Rc<[u8]>,
    /// The block size of the OACK, 512 before; and whether an OACK came.
    blksize: usize,
    size_sent: bool,
    next: Time,
    /// The probability of a correct action, in tenths.
    honesty: u32,
    sent: u32,
}

impl Liar {
    pub fn draw(seed: u64, operation: Operation, requested: &OptionSet, file: Rc<[u8]>) -> Self {
        let mut random = Rng::with_seed(seed);
        let mut buffer = [0; 400];
        let length = RequestPacket::encode(operation, b"x", Mode::Octet, requested, &mut buffer);
        let mut request = buffer[..length.expect("a short name fits")].to_vec();
        if one_in(&mut random, 4) {
            // Nonsense counts as not requested, and so does a duplicate option.
            let junk: &[&[u8]] = &[
                b"blksize\x000\x00",
                b"windowsize\x00-1\x00",
                b"timeout\x00999999999999\x00",
                b"blksize\x0065464",
                b"multicast\x00\x00",
                b"\xff\xff\xff",
            ];
            request.extend_from_slice(pick(&mut random, junk));
        }
        let honesty = random.u32(0..=10);
        let next = Time::default();
        Liar { random, operation, request, file, blksize: 512, size_sent: false, next, honesty, sent: 0 }
    }

    fn is_honest(&mut self) -> bool {
        self.random.u32(0..10) < self.honesty
    }

    fn say(&mut self, datagram: Vec<u8>, out: &mut Vec<Vec<u8>>) {
        if self.sent < MOST {
            self.sent += 1;
            out.push(datagram);
        }
    }

    fn ack(&mut self, block: u16, out: &mut Vec<Vec<u8>>) {
        let [high, low] = block.to_be_bytes();
        self.say(vec![0, 4, high, low], out);
    }

    fn data(&mut self, block: u16, length: usize, out: &mut Vec<Vec<u8>>) {
        self.say([&data_header(block)[..], &vec![7; length]].concat(), out);
    }

    /// Sends any packet that is possible at any time, around a block number, or none.
    fn lie(&mut self, around: u16, out: &mut Vec<Vec<u8>>) {
        let jump = logarithmic(&mut self.random, 1, 40_000) as u16;
        match self.random.u32(0..12) {
            0 => self.ack(around.wrapping_add(jump), out),
            1 => self.ack(around.wrapping_sub(jump), out),
            2 => self.ack(0, out),
            3 => (0..self.random.u32(2..40)).for_each(|_| self.ack(around, out)),
            4 => self.data(around.wrapping_add(1), self.blksize + 1, out),
            5 => self.data(around.wrapping_add(jump), self.blksize, out),
            6 => {
                let length = self.random.usize(0..self.blksize);
                self.data(around.wrapping_add(1), length, out);
            }
            7 => self.say(b"\0\x06blksize\x0065464\0windowsize\x0065535\0".to_vec(), out),
            8 => self.say(self.request.clone(), out),
            9 => {
                let length = self.random.usize(0..40);
                let noise = std::iter::repeat_with(|| self.random.u8(..)).take(length).collect();
                self.say(noise, out);
            }
            10 if one_in(&mut self.random, 4) => self.say(b"\0\x05\0\0enough\0".to_vec(), out),
            _ => {}
        }
    }

    /// Even for a lying client, a block has the bytes of the file, while its number identifies it.
    fn check(&self, datagram: &[u8]) {
        let block = usize::from(number(datagram));
        // An OACK in flight may grant another block size: it alone knows the options.
        let plain = self.request.ends_with(b"octet\0");
        if !plain && !self.size_sent {
            return;
        }
        if self.file.len() / self.blksize >= 65_535 || block == 0 {
            return;
        }
        let at = ((block - 1) * self.blksize).min(self.file.len());
        let due = &self.file[at..(at + self.blksize).min(self.file.len())];
        let right = &datagram[DATA_HEADER..] == due;
        Invariant::IdenticalBytesOrError.demand(right, format_args!("block {block} has other bytes"));
    }
}

impl Peer for Liar {
    fn deadline(&self) -> Time {
        if self.sent < MOST { self.next } else { Time::NEVER }
    }

    fn wake(&mut self, now: Time, out: &mut Vec<Vec<u8>>) {
        let pause = logarithmic(&mut self.random, 100, 5_000_000);
        self.next = Time::from_micros(now.as_micros() + pause);
        if self.sent == 0 || one_in(&mut self.random, 8) {
            self.say(self.request.clone(), out);
        } else {
            let around = self.random.u16(..20);
            self.lie(around, out);
            // Counted, so that the run ends even if nothing was sent.
            self.sent += 1;
        }
    }

    fn receive(&mut self, _now: Time, datagram: &[u8], out: &mut Vec<Vec<u8>>) {
        let block = number(datagram);
        match opcode(datagram) {
            OACK => {
                self.blksize = granted_blksize(datagram);
                self.size_sent = true;
                match (self.is_honest(), self.operation) {
                    (true, Operation::Read) => self.ack(0, out),
                    (true, Operation::Write) => self.data(1, self.blksize, out),
                    _ => self.lie(0, out),
                }
            }
            DATA => {
                self.check(datagram);
                if self.is_honest() { self.ack(block, out) } else { self.lie(block, out) }
            }
            ACK => {
                let length = if one_in(&mut self.random, 40) { 5 } else { self.blksize };
                if self.is_honest() {
                    self.data(block.wrapping_add(1), length, out)
                } else {
                    self.lie(block, out)
                }
            }
            _ => {}
        }
    }
}

fn granted_blksize(oack: &[u8]) -> usize {
    let words: Vec<&[u8]> = oack[2..].split(|byte| *byte == 0).collect();
    let at = words.iter().position(|word| matches!(*word, b"blksize" | b"blksize2"));
    let value = at.and_then(|at| std::str::from_utf8(words.get(at + 1)?).ok()?.parse().ok());
    value.unwrap_or(512)
}
