//! A deterministic network for two endpoints: a virtual clock, a link for each direction, and everything a
//! function of one seed.
//!
//! [`Endpoint`] is the host of a [`Transfer`](tuffet_core::Transfer): it carries real bytes, takes time to
//! decide and to store, fails on purpose, and checks the rule of use at every step. [`World`] moves datagrams
//! between two [`Peer`]s; a scripted peer can replace either.

pub mod draw;
mod endpoint;
mod job;
mod ledger;
mod link;
mod plain;
mod scenario;
mod shared;
mod world;

pub use crate::faults::Faults;
pub use endpoint::Endpoint;
pub use job::Job;
pub use link::{Buffer, Link, Path, Waking};
pub use plain::{Manner, Plain};
pub use scenario::Scenario;
pub use shared::Several;
pub use world::{Peer, World};

use tuffet_core::{DEFAULT_BLKSIZE, Finish, Operation, OptionSet, Output, Time, Transfer};

/// Returns a point in virtual time.
pub const fn micros(micros: u64) -> Time {
    Time::from_micros(micros)
}

/// Returns a point in virtual time, or a duration.
pub const fn millis(millis: u64) -> Time {
    Time::from_micros(millis * 1_000)
}

/// Returns the opcode of a datagram.
pub fn opcode(datagram: &[u8]) -> u16 {
    match datagram {
        [high, low, ..] => u16::from_be_bytes([*high, *low]),
        _ => 0,
    }
}

/// Returns the number of a DATA or ACK.
pub fn number(datagram: &[u8]) -> u16 {
    match datagram {
        [_, _, high, low, ..] => u16::from_be_bytes([*high, *low]),
        _ => 0,
    }
}

pub const DATA: u16 = 3;
pub const ACK: u16 = 4;
pub const ERROR: u16 = 5;
pub const OACK: u16 = 6;

/// Runs `job` between two honest ends.
pub fn run(seed: u64, job: &Job, up: Path, down: Path) -> World<Endpoint, Endpoint> {
    let client = Endpoint::client(job.clone(), Faults::default());
    let server = Endpoint::server(job.clone(), Faults::default());
    let mut world = World::new(seed, client, server, up, down);
    world.run(millis(3_600_000));
    world
}

/// Asserts that both ends considered it complete, and that the receiving end has the same bytes.
pub fn assert_whole(job: &Job, world: &World<Endpoint, Endpoint>) {
    let ends = (world.client.report.finish, world.server.report.finish);
    assert_eq!(ends, (Some(Finish::Complete), Some(Finish::Complete)), "{job}");
    let (reader, _) = reader_and_writer(job.operation, world);
    assert!(reader.received() == &*job.file, "other bytes: {job}");
}

/// Returns the end that receives the file, and the end that sends it.
pub fn reader_and_writer(operation: Operation, world: &World<Endpoint, Endpoint>) -> (&Endpoint, &Endpoint) {
    match operation {
        Operation::Read => (&world.client, &world.server),
        Operation::Write => (&world.server, &world.client),
    }
}

/// Returns all outputs of a transfer until it waits or is closed.
pub fn outputs(transfer: &mut Transfer, now: Time) -> Vec<Output> {
    let mut outputs = Vec::new();
    loop {
        match transfer.poll(now) {
            Output::Timeout(_) | Output::Closed => return outputs,
            output => outputs.push(output),
        }
        assert!(outputs.len() < 8, "{outputs:?}");
    }
}

/// Returns options with this block and window size, unless they are the defaults.
pub fn asking(blksize: u16, windowsize: u16) -> OptionSet {
    OptionSet {
        blksize: (blksize != DEFAULT_BLKSIZE).then_some(blksize),
        windowsize: (windowsize != 1).then_some(windowsize),
        ..OptionSet::default()
    }
}
