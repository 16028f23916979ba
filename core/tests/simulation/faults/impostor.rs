//! A server that breaks the protocol: it grants more than requested, and other options; sends blocks of any
//! length and number; acknowledges blocks that were not sent.

use crate::simulator::draw::{logarithmic, one_in, pick};
use crate::simulator::{ACK, DATA, Peer, number, opcode};
use fastrand::Rng;
use tuffet_core::{OptionSet, Time, data_header};

/// The most datagrams sent.
const MOST: u32 = 300;

/// Such a server; its answers are random.
#[derive(Debug)]
pub struct Impostor {
    random: Rng,
    requested: OptionSet,
    next: Time,
    /// The last block that it sent or acknowledged.
    block: u16,
    sent: u32,
}

impl Impostor {
    pub fn draw(seed: u64, requested: OptionSet) -> Self {
        Impostor { random: Rng::with_seed(seed), requested, next: Time::NEVER, block: 0, sent: 0 }
    }

    fn say(&mut self, datagram: Vec<u8>, out: &mut Vec<Vec<u8>>) {
        if self.sent < MOST {
            self.sent += 1;
            out.push(datagram);
        }
    }

    fn oack(&mut self, out: &mut Vec<Vec<u8>>) {
        let (blksize, window) =
            (self.requested.block_size().saturating_add(1), self.requested.window_size().saturating_add(1));
        let options = match self.random.u32(0..10) {
            0 => format!("blksize\0{blksize}\0"),
            1 => format!("windowsize\0{window}\0"),
            2 => "timeout\x00200\0".into(),
            3 => "tsize\x0018446744073709551615\0".into(),
            4 => "multicast\x00192.0.2.1,1758,1\0".into(),
            5 => "blksize\x00512".into(),
            6 => "blksize\x000\0windowsize\x000\0".into(),
            7 => String::new(),
            // The requested options, with smaller values.
            _ => {
                let mut options = String::new();
                if self.requested.blksize.is_some() {
                    options += "blksize\x008\0";
                }
                if self.requested.windowsize.is_some() {
                    options += "windowsize\x001\0";
                }
                options
            }
        };
        self.say([b"\0\x06", options.as_bytes()].concat(), out);
    }

    fn anything(&mut self, out: &mut Vec<Vec<u8>>) {
        let length = pick(&mut self.random, &[0, 8, 511, 512, 513, 1_428, 65_464]);
        let jump = logarithmic(&mut self.random, 1, 40_000) as u16;
        match self.random.u32(0..10) {
            0 => self.oack(out),
            1..4 => {
                self.block = self.block.wrapping_add(1);
                self.say([&data_header(self.block)[..], &vec![9; length]].concat(), out);
            }
            4 => self.say([&data_header(self.block.wrapping_add(jump))[..], &vec![9; length]].concat(), out),
            5..8 => {
                let [high, low] =
                    self.block.wrapping_add(pick(&mut self.random, &[0, 1, jump])).to_be_bytes();
                self.say(vec![0, 4, high, low], out);
            }
            8 => self.say(b"\0\x01x\0octet\0".to_vec(), out),
            _ if one_in(&mut self.random, 10) => self.say(b"\0\x05\0\x01gone\0".to_vec(), out),
            _ => {}
        }
    }
}

impl Peer for Impostor {
    fn deadline(&self) -> Time {
        if self.sent < MOST { self.next } else { Time::NEVER }
    }

    fn wake(&mut self, now: Time, out: &mut Vec<Vec<u8>>) {
        let pause = logarithmic(&mut self.random, 100, 5_000_000);
        self.next = Time::from_micros(now.as_micros() + pause);
        self.sent += 1;
        self.anything(out);
    }

    fn receive(&mut self, now: Time, datagram: &[u8], out: &mut Vec<Vec<u8>>) {
        self.next = self.next.min(Time::from_micros(now.as_micros() + 50_000));
        match opcode(datagram) {
            1 | 2 if self.random.bool() => self.oack(out),
            DATA | ACK => {
                self.block = number(datagram);
                self.anything(out);
            }
            _ => self.anything(out),
        }
    }
}
