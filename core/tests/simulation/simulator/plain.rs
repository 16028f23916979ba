//! A client like those of boot loaders and small tools: one fixed time-out, a number of tries, no
//! measurement.

use super::{DATA, OACK, Peer, Time, number, opcode};
use tuffet_core::{Control, DATA_HEADER, MAX_CONTROL, Mode, Operation, OptionSet, RequestPacket};

/// Which blocks a client acknowledges, apart from the last one of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Every unexpected one, as EDK2 does.
    Unexpected,
    /// The first unexpected one after each that it accepts, as atftp and U-Boot do: RFC 7440 section 4 lets a receiver
    /// be silent on repeats.
    Once,
    /// None. What it lacks it says only after its own time-out.
    Never,
    /// Every one.
    Each,
}

/// Reads a file of fewer than 65,536 blocks.
pub struct Plain {
    requested: OptionSet,
    /// Microseconds of silence before it repeats its last packet, and how often it does.
    timeout: u64,
    tries: u32,
    /// The blocks after which it stalls, and for how many microseconds.
    stands_still: (fn(u16) -> bool, u64),
    /// Datagrams that fit into its buffer during a stall. One more, and it never receives again, as U-Boot's
    /// virtio driver.
    room: usize,
    /// Whether it acknowledges a duplicate block again.
    repeats_ack: bool,
    /// Whether it takes each block for the next one, whatever its number.
    counts: bool,
    manner: Manner,
    /// Whether it has acknowledged an unexpected block since it last accepted one.
    reported: bool,
    /// With `msftwindow`: blocks wanted after this many.
    wants: fn(u16) -> u8,
    wanted: u16,
    next: u16,
    unacked: u16,
    tried: u32,
    wakes: Time,
    still_until: Time,
    waiting: Vec<Vec<u8>>,
    pub deaf: bool,
    pub bytes: Vec<u8>,
    pub done: Option<Time>,
    /// When each block first arrived.
    pub taken: Vec<Time>,
    /// Duplicate blocks.
    pub again: u64,
}

impl Plain {
    /// Creates a client with a time-out of 400 ms and eight tries.
    pub fn new(requested: OptionSet) -> Plain {
        Plain {
            requested,
            timeout: 400_000,
            tries: 8,
            stands_still: (|_| false, 0),
            room: usize::MAX,
            repeats_ack: true,
            counts: false,
            manner: Manner::Unexpected,
            reported: false,
            wants: |_| 1,
            wanted: 1,
            next: 1,
            unacked: 0,
            tried: 0,
            wakes: Time::default(),
            still_until: Time::default(),
            waiting: Vec::new(),
            deaf: false,
            bytes: Vec::new(),
            done: None,
            taken: Vec::new(),
            again: 0,
        }
    }

    pub fn patient(mut self, timeout: u64) -> Plain {
        self.timeout = timeout;
        self
    }

    /// How often it repeats its last packet.
    pub fn tries(mut self, tries: u32) -> Plain {
        self.tries = tries;
        self
    }

    pub fn stands_still_at(mut self, after: fn(u16) -> bool, micros: u64) -> Plain {
        self.stands_still = (after, micros);
        self
    }

    pub fn with_room_for(mut self, datagrams: usize) -> Plain {
        self.room = datagrams;
        self
    }

    pub fn ignores_repeats(mut self) -> Plain {
        self.repeats_ack = false;
        self
    }

    /// It takes each block for the next one, and never repeats itself: a boot ROM.
    pub fn counts(self) -> Plain {
        Plain { counts: true, ..self.patient(120_000_000) }
    }

    pub fn acknowledges(mut self, manner: Manner) -> Plain {
        self.manner = manner;
        self
    }

    /// With `msftwindow`: how many blocks it wants after this many.
    pub fn wants(mut self, wants: fn(u16) -> u8) -> Plain {
        self.wants = wants;
        self
    }

    fn window(&self) -> u16 {
        if self.requested.msftwindow { self.wanted } else { self.requested.windowsize.unwrap_or(1) }
    }

    fn blksize(&self) -> usize {
        usize::from(self.requested.block_size())
    }

    fn ack(&mut self, out: &mut Vec<Vec<u8>>) {
        let mut buffer = [0; MAX_CONTROL];
        let length = Control::Ack(self.next - 1).encode(&mut buffer).expect("an ACK fits");
        let mut packet = buffer[..length].to_vec();
        if self.requested.msftwindow {
            let wanted = (self.wants)(self.next - 1);
            self.wanted = u16::from(wanted).max(1);
            packet.push(wanted);
        }
        out.push(packet);
        self.unacked = 0;
    }

    fn request(&self, out: &mut Vec<Vec<u8>>) {
        let mut buffer = [0; 200];
        let length = RequestPacket::encode(Operation::Read, b"x", Mode::Octet, &self.requested, &mut buffer);
        out.push(buffer[..length.expect("a short name fits")].to_vec());
    }

    fn is_over(&self) -> bool {
        self.done.is_some() || self.tried > self.tries
    }

    fn take(&mut self, now: Time, datagram: &[u8], out: &mut Vec<Vec<u8>>) {
        match opcode(datagram) {
            OACK if self.next == 1 => {
                let has_windows = datagram.windows(11).any(|text| text == b"windowsize\0");
                self.requested.windowsize = self.requested.windowsize.filter(|_| has_windows);
                self.ack(out);
            }
            DATA if number(datagram) == self.next || self.counts => {
                self.next += 1;
                self.unacked += 1;
                self.reported = false;
                self.bytes.extend_from_slice(&datagram[DATA_HEADER..]);
                self.taken.push(now);
                let last = datagram.len() < DATA_HEADER + self.blksize();
                if self.unacked == self.window() || last || self.manner == Manner::Each {
                    self.ack(out);
                }
                self.done = last.then_some(now);
                if self.stands_still.0(self.next - 1) {
                    self.still_until = Time::from_micros(now.as_micros() + self.stands_still.1);
                }
            }
            DATA => {
                self.again += u64::from(number(datagram) < self.next);
                let answers = match self.manner {
                    Manner::Unexpected | Manner::Each => true,
                    Manner::Once => !self.reported || self.window() == 1,
                    // An ACK of its own was lost.
                    Manner::Never => self.unacked == 0 && number(datagram) < self.next,
                };
                if answers && (self.repeats_ack || self.window() > 1) {
                    self.reported = true;
                    self.ack(out);
                }
                return;
            }
            _ => return,
        }
        self.tried = 0;
        self.wakes = Time::from_micros(now.as_micros() + self.timeout);
    }
}

impl Peer for Plain {
    fn deadline(&self) -> Time {
        if self.is_over() {
            Time::NEVER
        } else if self.waiting.is_empty() {
            self.wakes.max(self.still_until)
        } else {
            self.still_until
        }
    }

    fn wake(&mut self, now: Time, out: &mut Vec<Vec<u8>>) {
        if !self.waiting.is_empty() {
            let mut waiting = std::mem::take(&mut self.waiting).into_iter();
            while now >= self.still_until
                && let Some(datagram) = waiting.next()
            {
                self.take(now, &datagram, out);
            }
            self.waiting.extend(waiting);
            return;
        }
        self.tried += 1;
        self.wakes = Time::from_micros(now.as_micros() + self.timeout);
        if self.is_over() {
            return;
        }
        match self.next {
            1 if self.bytes.is_empty() => self.request(out),
            _ => self.ack(out),
        }
    }

    fn receive(&mut self, now: Time, datagram: &[u8], out: &mut Vec<Vec<u8>>) {
        if self.done.is_some() && opcode(datagram) == DATA && !self.deaf && !self.counts {
            // It stays for copies of the last block, as RFC 1350 section 6 requires.
            self.ack(out);
        }
        if self.deaf || self.is_over() {
            return;
        }
        if now < self.still_until {
            self.deaf = self.waiting.len() >= self.room;
            self.waiting.push(datagram.to_vec());
            return;
        }
        self.take(now, datagram, out);
    }
}
