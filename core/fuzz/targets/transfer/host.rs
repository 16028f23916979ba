//! The host of one transfer, which checks every output.

use tuffet_core::{
    Blocks, Control, DATA_HEADER, ErrorCode, Finish, MAX_CONTROL, Operation, OptionSet, Output, Time,
    Transfer, data_header,
};

use crate::plan::{Plan, Step};

/// Wake-ups until an abandoned transfer must have ended: no plan has time-outs of more than a minute, and
/// none sends more often than each millisecond.
const MOST_WAKE_UPS: u32 = 300_000;

pub struct Host<'a> {
    plan: &'a Plan<'a>,
    transfer: Transfer,
    now: Time,
    timeout: Time,
    /// Bytes accepted so far.
    accepted: u64,
    /// The last block that was sent for the first time, or accepted.
    blocks: u64,
    stored: bool,
    finish: Option<Finish>,
    closed: bool,
    abandoned: bool,
    /// Whether anything has arrived from the peer's address.
    heard: bool,
    /// DATA packets sent before that.
    unproven: u64,
}

impl<'a> Host<'a> {
    pub fn new(plan: &'a Plan<'a>) -> Self {
        let now = Time::from_micros(1_000_000);
        let (operation, settings) = (plan.operation(), plan.settings());
        let transfer = if plan.server {
            Transfer::server(now, operation, settings)
        } else {
            Transfer::client(now, operation, plan.requested.option_set(), plan.size().unwrap_or(0), settings)
        };
        let mut host = Host {
            plan,
            transfer,
            now,
            timeout: Time::NEVER,
            accepted: 0,
            blocks: 0,
            stored: false,
            finish: None,
            closed: false,
            abandoned: false,
            heard: false,
            unproven: 0,
        };
        host.drive(None);
        host
    }

    pub fn take(&mut self, step: &Step<'_>) {
        match step {
            Step::Expected if self.sends() => self.receive(&ack(self.wire(self.blocks))),
            Step::Expected => self.data(1, 0),
            Step::Data { ahead, shorter } => self.data(*ahead, *shorter),
            Step::DataAt { wire, length } => self.receive(&data(*wire, usize::from(*length))),
            Step::Ack { ahead } => {
                let position = self.transfer.blocks().saturating_add_signed(i64::from(*ahead));
                self.receive(&ack(self.wire(position)));
            }
            Step::AckAt { wire } => self.receive(&ack(*wire)),
            Step::OptionSet { fitting, options } => {
                let oack = if *fitting { self.fitting(&options.option_set()) } else { options.option_set() };
                self.receive(&control(&Control::Oack(oack)));
            }
            Step::Error { code } => self.receive(&[&[0, 5][..], &code.to_be_bytes(), b"no\0"].concat()),
            Step::Raw(bytes) => self.receive(bytes),
            Step::Wait { micros } => self.wait(u64::from(*micros)),
            Step::WaitLong { millis } => self.wait(u64::from(*millis) * 1_000),
            Step::WaitForTimeout => {
                if self.timeout != Time::NEVER {
                    self.now = self.now.max(self.timeout);
                    self.wake();
                }
            }
            Step::TimeoutEarly => self.wake(),
            Step::Grant => {
                let (requested, limits) = (self.plan.requested.option_set(), self.plan.limits());
                self.transfer.handle_grant(self.now, &requested, &limits, self.plan.size());
                self.drive(None);
            }
            Step::Stored => {
                self.transfer.handle_stored(self.now);
                self.drive(None);
            }
            Step::RepeatedRequest => {
                self.transfer.handle_repeated_request(self.now);
                self.drive(None);
            }
            Step::Fail => {
                self.transfer.fail(ErrorCode::DiskFull, "as the plan says");
                self.drive(None);
            }
            Step::Abandon => {
                self.abandoned |= !self.closed;
                self.transfer.abandon();
                self.drive(None);
            }
        }
    }

    /// Sends nothing more from the peer: the transfer ends, and reports its outcome.
    pub fn left_alone(&mut self) {
        if self.transfer.is_deciding() {
            self.transfer.fail(ErrorCode::AccessViolation, "denied");
            self.drive(None);
        }
        if self.transfer.is_storing() {
            self.transfer.handle_stored(self.now);
            self.drive(None);
        }
        let mut woken = 0;
        while !self.closed {
            assert!(self.timeout != Time::NEVER, "it waits for ever: {:?}", self.transfer);
            woken += 1;
            assert!(woken < MOST_WAKE_UPS, "it does not end: {:?}", self.transfer);
            let before = self.now;
            self.now = self.now.max(self.timeout);
            self.wake();
            assert!(
                self.closed || self.timeout > self.now || self.now > before,
                "it is woken again and again at one time: {:?}",
                self.transfer
            );
        }
        assert!(self.abandoned || self.finish.is_some(), "it ended without an outcome");
    }

    fn sends(&self) -> bool {
        self.plan.server == (self.plan.operation() == Operation::Read)
    }

    fn wire(&self, position: u64) -> u16 {
        self.transfer.wire(position)
    }

    fn wait(&mut self, micros: u64) {
        self.now = Time::from_micros(self.now.as_micros() + micros);
        if self.now >= self.timeout {
            self.wake();
        }
    }

    fn wake(&mut self) {
        self.transfer.handle_timeout(self.now);
        self.drive(None);
    }

    fn data(&mut self, ahead: i8, shorter: u8) {
        let position = self.transfer.blocks().saturating_add_signed(i64::from(ahead));
        let blksize = usize::from(self.transfer.options().block_size());
        // The highest values are blocks that are too long.
        let length = if shorter > 250 { blksize + 1 } else { blksize.saturating_sub(usize::from(shorter)) };
        self.receive(&data(self.wire(position), length));
    }

    /// Returns an answer that the client can accept.
    fn fitting(&self, other: &OptionSet) -> OptionSet {
        let requested = self.plan.requested.option_set();
        OptionSet {
            blksize: requested.blksize.zip(other.blksize).map(|(requested, other)| requested.min(other)),
            windowsize: requested
                .windowsize
                .zip(other.windowsize)
                .map(|(requested, other)| requested.min(other)),
            timeout: requested.timeout.filter(|_| other.timeout.is_some()),
            tsize: requested.tsize.and(other.tsize),
            ..OptionSet::default()
        }
    }

    fn receive(&mut self, datagram: &[u8]) {
        let before = (self.transfer.blocks(), self.transfer.is_deciding());
        if self.transfer.handle_datagram(self.now, datagram).is_ok() && !before.1 {
            self.heard = true;
        }
        assert!(self.transfer.blocks() >= before.0, "blocks that had arrived are gone");
        self.drive(Some(datagram));
    }

    /// Polls until there is nothing more to do, as the rule of use requires.
    fn drive(&mut self, datagram: Option<&[u8]>) {
        let mut payload = datagram.and_then(|datagram| datagram.get(DATA_HEADER..));
        let mut sent = 0;
        for polls in 0.. {
            assert!(polls < 8, "it asks on and on: {:?}", self.transfer);
            let ended = self.finish.is_some() || self.abandoned;
            match self.transfer.poll(self.now) {
                Output::Request => assert!(!ended && !self.plan.server),
                Output::Control(packet) => {
                    assert!(!ended || matches!(packet, Control::Ack(_)), "{packet:?} after the end");
                    self.check_control(&packet);
                    sent += 1;
                }
                Output::Send(blocks) => {
                    assert!(!ended, "DATA after the end");
                    self.check_sent(blocks);
                }
                Output::Accept { offset, length } => {
                    assert!(!ended && !self.sends(), "bytes that the transfer does not wait for");
                    assert_eq!(offset, self.accepted, "bytes are accepted in order and once");
                    let payload = payload.take().expect("one DATA packet is accepted once");
                    assert_eq!(payload.len(), usize::from(length));
                    assert!(length <= self.transfer.options().block_size(), "more than was granted");
                    self.accepted += u64::from(length);
                    self.blocks += 1;
                    assert_eq!(self.transfer.blocks(), self.blocks);
                }
                Output::Store { bytes } => {
                    assert!(!ended && !std::mem::replace(&mut self.stored, true), "stored once");
                    assert_eq!(bytes, self.accepted);
                }
                Output::Finished(finish) => {
                    assert!(!ended, "{finish:?} after {:?}", self.finish);
                    if finish == Finish::Complete {
                        self.check_complete();
                    }
                    self.finish = Some(finish);
                }
                Output::Timeout(time) => {
                    assert!(!self.closed, "a time-out after the end");
                    self.timeout = time;
                    break;
                }
                Output::Closed => {
                    self.closed = true;
                    self.timeout = Time::NEVER;
                    break;
                }
            }
        }
        assert!(sent <= 1, "{sent} packets without data in answer to one");
    }

    fn check_control(&self, packet: &Control) {
        control(packet);
        match packet {
            Control::Ack(wire) => {
                assert!(!self.sends(), "a sender acknowledges nothing");
                assert_eq!(*wire, self.wire(self.blocks), "an ACK of what did not come");
            }
            Control::Oack(oack) => {
                assert!(self.plan.server && self.blocks == 0);
                let (requested, limits) = (self.plan.requested.option_set(), self.plan.limits());
                assert!(oack.blksize.is_none_or(|got| {
                    requested.blksize.is_some_and(|requested| got <= requested)
                        && got <= limits.blksize.max(8)
                }));
                assert!(oack.windowsize.is_none_or(|got| {
                    requested.windowsize.is_some_and(|requested| got <= requested)
                        && got <= limits.windowsize.max(1)
                }));
                assert!(oack.timeout.is_none_or(|got| requested.timeout == Some(got)));
                assert!(oack.tsize.is_none() || requested.tsize.is_some());
            }
            Control::Error(..) => {}
        }
    }

    fn check_sent(&mut self, blocks: Blocks) {
        assert!(self.sends() && blocks.count > 0);
        let size = self.plan.size().unwrap_or(0);
        let options = self.transfer.options();
        let (blksize, window) = (u64::from(options.block_size()), u64::from(options.window_size()));
        let last = blocks.first + u64::from(blocks.count) - 1;
        assert!(last <= size / blksize + 1, "blocks behind the end");
        assert!(blocks.first > self.transfer.blocks(), "blocks that the peer has");
        assert!(last <= self.transfer.blocks() + window, "more than the window that was granted");
        assert!(blocks.first <= self.blocks + 1, "blocks are left out");
        self.blocks = self.blocks.max(last);
        for position in [blocks.first, last] {
            let (offset, length) = self.transfer.range(position, size);
            assert_eq!(offset, (position - 1) * blksize);
            let short = u64::from(length) < blksize;
            assert_eq!(short, position == size / blksize + 1, "only the last block is short");
            assert!(offset + u64::from(length) <= size);
        }
        if let Some(burst) = self.transfer_burst() {
            assert!(blocks.count <= burst, "more at once than its class allows");
        }
        if self.plan.server && !self.heard {
            self.unproven += u64::from(blocks.count);
            let asked_nothing = options.is_empty();
            let most = if asked_nothing { 1 + 4 } else { 0 };
            assert!(
                self.unproven <= most,
                "{} DATA packets to an address that was not proven",
                self.unproven
            );
        }
    }

    /// Returns the blocks within a millisecond, if a server has a limit.
    fn transfer_burst(&self) -> Option<u32> {
        let window = self.transfer.options().window_size();
        let burst = self.plan.limits().burst.filter(|_| self.plan.server && window > 1)?;
        Some(u32::from(burst.max(1)))
    }

    fn check_complete(&self) {
        let blksize = u64::from(self.transfer.options().block_size());
        if self.sends() {
            let size = self.plan.size().unwrap_or(0);
            assert_eq!(self.transfer.bytes(), size, "complete, without all bytes");
            assert_eq!(self.blocks, size / blksize + 1, "complete, without all blocks sent");
        } else {
            assert!(self.stored, "complete before it was stored");
            assert_eq!(self.transfer.bytes(), self.accepted);
        }
    }
}

fn data(wire: u16, length: usize) -> Vec<u8> {
    let mut packet = data_header(wire).to_vec();
    packet.resize(DATA_HEADER + length, b'x');
    packet
}

fn ack(wire: u16) -> [u8; 4] {
    let [high, low] = wire.to_be_bytes();
    [0, 4, high, low]
}

fn control(control: &Control) -> Vec<u8> {
    let mut buffer = [0; MAX_CONTROL];
    let length = control.encode(&mut buffer).expect("MAX_CONTROL is always enough");
    buffer[..length].to_vec()
}
