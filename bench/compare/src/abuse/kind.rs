//! The kinds of abuse, and their rates.

use clap::ValueEnum;
use serde::Serialize;
use tuffet_core::{Mode, Operation, OptionSet, RequestPacket};

/// A kind of abuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    /// Read requests from a million addresses that never answer
    HalfOpen,
    /// Read requests from a thousand ports of one address that never answers
    OneAddress,
    /// Requests for missing files, from one address
    NotFound,
    /// Write requests for one name from a million addresses, without data
    OneName,
    /// Requests with names of 64 KB
    LongNames,
    /// Malformed requests
    Malformed,
    /// Netascii read requests for a large file with `tsize`, from a million addresses
    Netascii,
    /// Forged ACKs from a victim's address, at TID ports learnt before
    ForgedAcks,
    /// Slow readers: one ACK every ten seconds
    SlowReaders,
    /// Endless uploads, in blocks of 8 bytes
    EndlessUploads,
    /// Read requests from source port 0, which cannot be answered
    PortZero,
    /// Reads of a file on a disk with reads of 100 ms
    SlowDisk,
    /// Requests for a file on a disk that never completes an open
    HungDisk,
    /// Requests for missing files, with a blocked log
    BlockedLog,
    /// Requests that make a plugin loop, from one address
    LoopingPlugin,
    /// 300 phones at once, every second; Tuffet looks each up in inventories of 100,000 devices
    Phones,
}

/// The traffic of abusers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Abuse {
    /// Packets at a rate, from many addresses. Answers are not read.
    Flood { packet: Vec<u8>, per_second: f64, addresses: u32 },
    /// Clients that answer, each from its own port at one of the addresses.
    Clients { request: Vec<u8>, count: u32, addresses: u32, wait_ms: u64, blksize: u16, again: bool },
    /// Packets from source port 0, at a rate.
    PortZero { packet: Vec<u8>, per_second: f64 },
    /// A sender of forged addresses that counts the bytes at its victims.
    Forger { request: Vec<u8> },
}

/// The name of a missing file.
const MISSING: &str = "missing";

/// Phones that request their files at once.
const PHONES: u32 = 300;

impl Kind {
    pub(crate) const ALL: [Kind; 16] = [
        Kind::HalfOpen,
        Kind::OneAddress,
        Kind::NotFound,
        Kind::OneName,
        Kind::LongNames,
        Kind::Malformed,
        Kind::Netascii,
        Kind::ForgedAcks,
        Kind::SlowReaders,
        Kind::EndlessUploads,
        Kind::PortZero,
        Kind::SlowDisk,
        Kind::HungDisk,
        Kind::BlockedLog,
        Kind::LoopingPlugin,
        Kind::Phones,
    ];

    /// Whether the server must accept uploads.
    pub(crate) fn uploads(self) -> bool {
        matches!(self, Kind::OneName | Kind::EndlessUploads)
    }

    /// The traffic of this kind. `file` is an existing large file.
    pub(crate) fn abuse(self, file: &str, factor: f64) -> Abuse {
        let flood = |packet, per_second: f64, addresses| Abuse::Flood {
            packet,
            per_second: per_second * factor,
            addresses,
        };
        let many = |count: f64| ((count * factor) as u32).max(1);
        let plain = OptionSet::default();
        match self {
            Kind::HalfOpen => flood(request(Operation::Read, file, &plain), 20_000.0, 1 << 20),
            Kind::OneAddress => flood(request(Operation::Read, file, &plain), 20_000.0, 1),
            Kind::NotFound => flood(request(Operation::Read, MISSING, &plain), 20_000.0, 1),
            Kind::OneName => flood(request(Operation::Write, "same", &plain), 10_000.0, 1 << 20),
            Kind::LongNames => {
                flood([&b"\0\x01"[..], &[b'n'; 65_490], b"\0octet\0"].concat(), 2_000.0, 1 << 20)
            }
            Kind::Malformed => flood(b"\0\x01".to_vec(), 50_000.0, 1 << 20),
            Kind::Netascii => {
                let asked = OptionSet { tsize: Some(0), ..plain };
                flood(request_in(Mode::Netascii, Operation::Read, file, &asked), 300.0, 1 << 20)
            }
            Kind::ForgedAcks => Abuse::Forger {
                request: request(
                    Operation::Read,
                    file,
                    &OptionSet { blksize: Some(65_464), windowsize: Some(64), ..plain },
                ),
            },
            Kind::SlowReaders => Abuse::Clients {
                request: request(Operation::Read, file, &plain),
                count: many(10_000.0),
                addresses: 100,
                wait_ms: 10_000,
                blksize: 512,
                again: false,
            },
            Kind::EndlessUploads => Abuse::Clients {
                request: request(Operation::Write, "endless", &OptionSet { blksize: Some(8), ..plain }),
                count: many(1_000.0),
                addresses: 100,
                wait_ms: 100,
                blksize: 8,
                again: false,
            },
            Kind::PortZero => Abuse::PortZero {
                packet: request(Operation::Read, file, &OptionSet { blksize: Some(1_428), ..plain }),
                per_second: 1_000.0 * factor,
            },
            Kind::SlowDisk => Abuse::Clients {
                request: request(Operation::Read, file, &plain),
                count: many(100.0),
                addresses: 10,
                wait_ms: 0,
                blksize: 512,
                again: false,
            },
            Kind::HungDisk => flood(request(Operation::Read, file, &plain), 50.0, 1 << 20),
            Kind::BlockedLog => flood(request(Operation::Read, MISSING, &plain), 20_000.0, 1 << 20),
            Kind::LoopingPlugin => flood(request(Operation::Read, file, &plain), 100.0, 1),
            Kind::Phones => Abuse::Clients {
                request: request(Operation::Read, file, &plain),
                // The same number at any scale: a few are no storm.
                count: PHONES,
                addresses: PHONES,
                wait_ms: 0,
                blksize: 512,
                again: true,
            },
        }
    }

    /// A description with the rate or number, for the table.
    pub(crate) fn describe(self, abuse: &Abuse) -> String {
        let what = self.what();
        match abuse {
            Abuse::Flood { per_second, .. } | Abuse::PortZero { per_second, .. } => {
                format!("{what}: {per_second:.0}/s")
            }
            Abuse::Clients { count, .. } => format!("{what}: {count}"),
            Abuse::Forger { .. } => what.to_owned(),
        }
    }

    /// A description in words.
    pub(crate) fn what(self) -> &'static str {
        match self {
            Kind::HalfOpen => "half-open reads, a million addresses",
            Kind::OneAddress => "half-open reads, one address",
            Kind::NotFound => "reads of missing files, one address",
            Kind::OneName => "half-open uploads to one name, a million addresses",
            Kind::LongNames => "names of 64 KB, a million addresses",
            Kind::Malformed => "malformed requests, a million addresses",
            Kind::Netascii => "netascii reads of 64 MiB with `tsize`, a million addresses",
            Kind::ForgedAcks => "forged requests and ACKs",
            Kind::SlowReaders => "slow readers, a block in 10 s, 100 addresses",
            Kind::EndlessUploads => "endless uploads, 80 bytes a second, 100 addresses",
            Kind::PortZero => "reads from source port 0",
            Kind::SlowDisk => "readers of a disk with reads of 100 ms",
            Kind::HungDisk => "reads of a file with a hanging open, a million addresses",
            Kind::BlockedLog => "reads of missing files, a million addresses, with a blocked log",
            Kind::LoopingPlugin => "reads on which a plugin loops, one address",
            Kind::Phones => "phones that all request at once, every second",
        }
    }
}

fn request(operation: Operation, name: &str, asked: &OptionSet) -> Vec<u8> {
    request_in(Mode::Octet, operation, name, asked)
}

fn request_in(mode: Mode, operation: Operation, name: &str, asked: &OptionSet) -> Vec<u8> {
    let mut room = [0; 512];
    let length = RequestPacket::encode(operation, name.as_bytes(), mode, asked, &mut room);
    room[..length.unwrap_or(0)].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_sends_something_and_is_scaled() {
        for kind in Kind::ALL {
            match (kind.abuse("big.img", 1.0), kind.abuse("big.img", 0.1)) {
                (Abuse::Flood { packet, per_second, .. }, Abuse::Flood { per_second: less, .. }) => {
                    assert!(!packet.is_empty() && packet.len() <= 65_507, "{kind:?}");
                    assert!((less * 10.0 - per_second).abs() < 1.0);
                }
                (Abuse::Clients { request, count, .. }, Abuse::Clients { count: less, .. }) => {
                    assert!(!request.is_empty(), "{kind:?}");
                    assert_eq!(if kind == Kind::Phones { less } else { less * 10 }, count);
                }
                (Abuse::PortZero { packet, per_second }, Abuse::PortZero { per_second: less, .. }) => {
                    assert!(!packet.is_empty());
                    assert!((less * 10.0 - per_second).abs() < 1.0);
                }
                (Abuse::Forger { request }, Abuse::Forger { .. }) => assert!(!request.is_empty()),
                different => unreachable!("{different:?}"),
            }
        }
    }
}
