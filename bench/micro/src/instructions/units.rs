//! The programs with counted instructions, each with its unit.

use std::hint::black_box;
use tuffet_core::netascii::{Decoder, Encoder};
use tuffet_core::{
    Control, Limits, MAX_CONTROL, Operation, OptionSet, Output, Packet, Settings, Time, Transfer, data_header,
};

/// A program.
pub(crate) struct Unit {
    pub(crate) name: &'static str,
    /// The unit.
    pub(crate) of: &'static str,
    run: fn(u64),
}

/// All programs. To add one, append it and run `make bench SUITE=instructions ARGS=update`.
pub(crate) const UNITS: [Unit; 7] = [
    Unit {
        name: "sender-lockstep",
        of: "block: ACK in, block to send, its header",
        run: |count| {
            black_box(send(count, None));
        },
    },
    Unit {
        name: "sender-window64",
        of: "block: a sixty-fourth of an ACK in, its header",
        run: |count| {
            black_box(send(count, Some(64)));
        },
    },
    Unit {
        name: "receiver-lockstep",
        of: "block: DATA in, ACK out",
        run: |count| {
            black_box(receive(count, None));
        },
    },
    Unit {
        name: "receiver-window64",
        of: "block: DATA in, a sixty-fourth of an ACK out",
        run: |count| {
            black_box(receive(count, Some(64)));
        },
    },
    Unit { name: "parse-request", of: "RRQ with four options, read and negotiated", run: parse },
    Unit { name: "netascii-encode", of: "KiB of text", run: encode },
    Unit { name: "netascii-decode", of: "KiB of text", run: decode },
];

/// Bytes in a block.
const BLOCK: u64 = 512;

/// Microseconds between two packets: plausible, and constant.
const STEP: u64 = 20;

/// Runs this many units of a program.
///
/// # Errors
/// No program has this name.
pub(crate) fn run(name: &str, count: u64) -> Result<(), String> {
    let unit = UNITS.iter().find(|unit| unit.name == name).ok_or_else(|| format!("no program {name:?}"))?;
    (unit.run)(count);
    Ok(())
}

/// A server's transfer with `windowsize` after its handshake, and the time.
fn granted(operation: Operation, windowsize: Option<u16>, size: u64) -> (Transfer, u64) {
    let mut transfer = Transfer::server(Time::from_micros(0), operation, Settings::default());
    let requested = OptionSet { windowsize, ..OptionSet::default() };
    transfer.handle_grant(Time::from_micros(0), &requested, &Limits::default(), Some(size));
    (transfer, STEP)
}

/// Sends all blocks and the empty last one; returns their number.
fn send(blocks: u64, windowsize: Option<u16>) -> u64 {
    let (mut transfer, mut micros) = granted(Operation::Read, windowsize, blocks * BLOCK);
    let mut sent = 0;
    loop {
        let now = Time::from_micros(micros);
        match transfer.poll(now) {
            Output::Send(run) => {
                for position in run.first..run.first + u64::from(run.count) {
                    black_box(data_header(transfer.wire(position)));
                    black_box(transfer.range(position, blocks * BLOCK));
                }
                sent = run.first + u64::from(run.count) - 1;
            }
            Output::Timeout(_) => {
                let [high, low] = transfer.wire(sent).to_be_bytes();
                micros += STEP;
                let ack = black_box([0, 4, high, low]);
                let _ = black_box(transfer.handle_datagram(Time::from_micros(micros), &ack));
            }
            Output::Closed => return sent,
            other => {
                black_box(other);
            }
        }
    }
}

/// Receives all blocks; returns the last one in order.
fn receive(blocks: u64, windowsize: Option<u16>) -> u64 {
    let (mut transfer, mut micros) = granted(Operation::Write, windowsize, blocks * BLOCK);
    let mut data = [0x55; 4 + BLOCK as usize];
    let mut answer = [0; MAX_CONTROL];
    let mut position = 0;
    loop {
        let now = Time::from_micros(micros);
        match transfer.poll(now) {
            Output::Control(control) => {
                black_box(control.encode(&mut answer));
            }
            Output::Timeout(_) if position < blocks => {
                position += 1;
                micros += STEP;
                data[..4].copy_from_slice(&data_header(transfer.wire(position)));
                let _ = black_box(transfer.handle_datagram(Time::from_micros(micros), black_box(&data)));
            }
            Output::Timeout(_) | Output::Closed => return transfer.blocks(),
            other => {
                black_box(other);
            }
        }
    }
}

#[allow(clippy::octal_escapes)] // a value follows a NUL
fn parse(requests: u64) {
    const RRQ: &[u8] =
        b"\0\x01pxelinux.cfg/01-aa-bb-cc-dd-ee-ff\0octet\0tsize\x000\0blksize\01428\0windowsize\016\0timeout\x005\0";
    let mut answer = [0; MAX_CONTROL];
    for _ in 0..requests {
        if let Ok(Packet::Request(request)) = Packet::parse(black_box(RRQ)) {
            let granted = OptionSet::grant(&request.options.requested(), &Limits::default(), Some(70_000));
            black_box(Control::Oack(granted).encode(&mut answer));
        }
    }
}

/// A KiB of lines of 63 characters.
fn text() -> Vec<u8> {
    b"the quick brown fox jumps over the lazy dog, again and again..\r\n".repeat(16)
}

fn encode(kibs: u64) {
    let (input, mut output) = (text(), vec![0; 2_048]);
    let mut encoder = Encoder::default();
    for _ in 0..kibs {
        black_box(encoder.encode(black_box(&input), &mut output));
    }
}

fn decode(kibs: u64) {
    let (input, mut output) = (text(), Vec::with_capacity(2_048));
    let mut decoder = Decoder::default();
    for _ in 0..kibs {
        output.clear();
        decoder.decode(black_box(&input), &mut output);
        black_box(&output);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_ends() {
        for unit in &UNITS {
            run(unit.name, 0).unwrap();
            run(unit.name, 300).unwrap();
        }
        assert!(run("another", 1).is_err());
    }

    #[test]
    fn every_block_is_sent_and_taken() {
        for windowsize in [None, Some(64)] {
            assert_eq!(send(70_000, windowsize), 70_001);
            assert_eq!(receive(70_000, windowsize), 70_000);
        }
        assert_eq!(text().len(), 1_024);
    }
}
