//! Files far beyond the range of 16-bit block numbers.
//!
//! Two ends without a network: only lengths are exchanged, the bytes are blank.

use super::simulator::{asking, millis, outputs};
use tuffet_core::{
    Control, DATA_HEADER, Finish, Limits, MAX_CONTROL, Operation, Output, Rollover, Settings, Time, Transfer,
    data_header,
};

struct Pair {
    reader: Transfer,
    writer: Transfer,
    size: u64,
    now: Time,
    offset: u64,
    sent: u64,
}

impl Pair {
    /// Creates a client that reads `size` bytes; both ends are after the handshake.
    fn new(size: u64, blksize: u16, window: u16, rollover: Rollover) -> Self {
        let settings = Settings { rollover, ..Settings::default() };
        let limits = Limits { windowsize: window, ..Limits::default() };
        let now = millis(1);
        let requested = asking(blksize, window);
        let mut reader = Transfer::client(now, Operation::Read, requested, 0, settings);
        let mut writer = Transfer::server(now, Operation::Read, settings);
        writer.handle_grant(now, &requested, &limits, Some(size));
        outputs(&mut reader, now);
        Pair { reader, writer, size, now, offset: 0, sent: 0 }
    }

    /// Runs until both ends have their outcome.
    fn run(&mut self) {
        let mut datagram = vec![0; DATA_HEADER + 65_464];
        let mut ended = 0;
        while ended < 2 {
            self.now = Time::from_micros(self.now.as_micros() + 10);
            for output in outputs(&mut self.writer, self.now) {
                match output {
                    Output::Send(blocks) => {
                        for position in blocks.first..blocks.first + u64::from(blocks.count) {
                            ended += self.deliver(position, &mut datagram);
                        }
                    }
                    Output::Control(control) => {
                        let length = control.encode(&mut datagram[..MAX_CONTROL]).unwrap_or(0);
                        assert!(self.reader.handle_datagram(self.now, &datagram[..length]).is_ok());
                        ended += self.read();
                    }
                    Output::Finished(finish) => {
                        assert_eq!(finish, Finish::Complete);
                        ended += 1;
                    }
                    other => unreachable!("{other:?}"),
                }
            }
        }
        assert_eq!(
            (self.offset, self.reader.bytes(), self.writer.bytes()),
            (self.size, self.size, self.size)
        );
    }

    fn deliver(&mut self, position: u64, datagram: &mut [u8]) -> u32 {
        let (offset, length) = self.writer.range(position, self.size);
        assert_eq!(offset, self.offset, "in order");
        self.sent += 1;
        datagram[..DATA_HEADER].copy_from_slice(&data_header(self.writer.wire(position)));
        let whole = DATA_HEADER + usize::from(length);
        assert!(self.reader.handle_datagram(self.now, &datagram[..whole]).is_ok());
        self.read()
    }

    /// Executes the reader's outputs.
    fn read(&mut self) -> u32 {
        let mut ended = 0;
        loop {
            match self.reader.poll(self.now) {
                Output::Accept { offset, length } => {
                    assert_eq!(offset, self.offset);
                    self.offset += u64::from(length);
                }
                Output::Control(Control::Ack(block)) => {
                    let [high, low] = block.to_be_bytes();
                    assert!(self.writer.handle_datagram(self.now, &[0, 4, high, low]).is_ok());
                }
                Output::Store { bytes } => {
                    assert_eq!(bytes, self.size);
                    self.reader.handle_stored(self.now);
                }
                Output::Finished(finish) => {
                    assert_eq!(finish, Finish::Complete);
                    ended += 1;
                }
                Output::Timeout(_) | Output::Closed => return ended,
                other => unreachable!("{other:?}"),
            }
        }
    }
}

/// 10 GiB in blocks of 512 bytes: 20,971,521 blocks, 320 rollovers.
#[test]
fn ten_gibibytes_in_the_smallest_usual_blocks() {
    for rollover in [Rollover::Zero, Rollover::One] {
        let mut pair = Pair::new(10 << 30, 512, 16, rollover);
        pair.run();
        assert_eq!(pair.sent, (10 << 30) / 512 + 1);
        assert_eq!(pair.writer.stats().retransmissions, 0);
    }
}

#[test]
fn lockstep_and_odd_windows_pass_the_rollover() {
    for rollover in [Rollover::Zero, Rollover::One] {
        for window in [1, 7, 64, 20_000, 32_767] {
            let mut pair = Pair::new(8 * 300_000 + 3, 8, window, rollover);
            pair.run();
            assert_eq!(pair.sent, 300_001, "{rollover:?} {window}");
        }
    }
}

#[test]
fn ranges_beyond_2_to_the_33() {
    let mut pair = Pair::new(1 << 40, 512, 1, Rollover::Zero);
    outputs(&mut pair.writer, pair.now);
    let last = (1 << 40) / 512;
    assert_eq!(pair.writer.range(last, 1 << 40), ((1 << 40) - 512, 512));
    assert_eq!(pair.writer.range(last + 1, 1 << 40), (1 << 40, 0));
    assert_eq!(pair.writer.range(u64::MAX / 1_024, u64::MAX).1, 512);
}
