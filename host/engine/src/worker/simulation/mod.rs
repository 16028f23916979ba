//! Simulates the real worker in virtual time: its table, its timers and its rules, with many clients, a lossy
//! path and a control side that answers late, never or with a failure. Only the sockets and the clock are
//! simulated. The invariants are those of the protocol's simulation.
//!
//! `TUFFET_SEED=n` runs one world, `TUFFET_SEEDS=n` this many (`make test SUITE=simulate SEEDS=n`), starting at
//! `TUFFET_FIRST_SEED`.

mod client;
mod control;
mod doubled;
mod world;

use super::WorkerSettings;
use super::passed::Succession;
use crate::limits::Limiter;
use client::{Client, Manner, PlannedRequest};
use control::{Answer, Control, Fate};
use fastrand::Rng;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tuffet_core::{Operation, OptionSet, Settings, Time};
use tuffet_request::Bounds;
use tuffet_request::events::Outcome;
use tuffet_testkit::invariants::{Invariant, Lives, bounded_memory, exactly_one_outcome, identical_bytes};
use tuffet_testkit::seeds;
use world::{LISTENERS, Path, World};

const SEEDS: u64 = 200;

/// The arguments of `cargo test` to run one world.
const ALONE: &str = "-p tuffet-engine --lib worker::simulation";

#[test]
fn every_admitted_request_has_one_outcome_and_leaves_nothing() {
    let seeds = seeds::seeds(SEEDS);
    let mut control = Control::new();
    let mut outcomes: HashSet<&str> = HashSet::new();
    let all = seeds.end - seeds.start;
    for seed in seeds {
        let describe = || "a world of the worker".to_owned();
        outcomes.extend(seeds::run(seed, ALONE, describe, || simulate(seed, &mut control)));
    }
    let due = ["served", "stored", "aborted", "denied", "timed-out", "failed"];
    let missing: Vec<_> = due.iter().filter(|outcome| !outcomes.contains(*outcome)).collect();
    assert!(all < 100 || missing.is_empty(), "no seed comes to {missing:?}");
}

/// Runs the world of this seed; returns its outcomes.
fn simulate(seed: u64, control: &mut Control) -> Vec<&'static str> {
    control.renew(seed);
    let random = &mut Rng::with_seed(seed);
    // Half of them have a disk that makes transfers wait, some so long that they give up.
    control.slow =
        if seed.is_multiple_of(2) { 0 } else { pick(random, &[1, 3_000, 200_000, 3_000_000, 40_000_000]) };
    control.bears_duplicates = Rng::with_seed(!seed).bool();
    let path = Path {
        delay: pick(random, &[50, 500, 5_000, 60_000]),
        jitter: pick(random, &[0, 20, 3_000]),
        loss: pick(random, &[0.0, 0.01, 0.1, 0.3]),
        duplicate: pick(random, &[0.0, 0.0, 0.05]),
    };
    let settings = WorkerSettings {
        transfer: Arc::new(Settings::default()),
        max_transfers: pick(random, &[3, 1_000]),
        max_pending: pick(random, &[2, 1_000]),
        answer_due: Duration::from_millis(250),
        workers: 1,
        limiter: Arc::new(Limiter::new(&Bounds::none(), 1_000, 1_000)),
        succession: Succession::default(),
        busy_poll: Duration::ZERO,
    };
    let clients = (0..random.usize(1..12)).map(|number| client(random, number, control)).collect();
    let places = pick(random, &[4, 1_000]);
    let mut world = World::new(seed, settings, places, path, clients, control);
    // Some servers stop in the middle.
    let quiet = random.bool();
    let until = if quiet { Time::NEVER } else { Time::from_micros(random.u64(0..20_000_000)) };
    world.run(until);
    if quiet {
        // Requests that are never decided wait for the end.
        let held = world.held();
        let lives = Lives { held, ..Lives::default() };
        bounded_memory("worker", lives);
        let next = world.server.next_timer();
        Invariant::BoundedMemory.demand(next.is_none(), format_args!("a timer of no transfer at {next:?}"));
    }
    world.stop();
    check(&world)
}

fn check(world: &World<'_>) -> Vec<&'static str> {
    let ended = &world.ended;
    let ids: HashSet<u64> = ended.iter().map(|summary| summary.record.request.id.0).collect();
    let lives = Lives { begun: world.control.admitted, outcomes: ended.len() as u64, held: 0 };
    exactly_one_outcome("worker", lives);
    Invariant::ExactlyOneOutcome.demand_eq(ids.len(), ended.len(), "requests with an outcome");
    let (free, places) = world.places();
    Invariant::BoundedMemory.demand_eq(free, places, "places in the queue of summaries that are free");
    let temporary = world.control.names().into_iter().find(|name| name.starts_with('.'));
    Invariant::BoundedMemory.demand(temporary.is_none(), format_args!("{temporary:?} is left"));
    // A client that babbles writes nonsense, and acknowledges blocks that it does not have.
    for client in world.clients.iter().filter(|client| client.manner != Manner::Babbles) {
        check_client(world, client);
    }
    ended.iter().map(|summary| summary.ending.outcome.as_str()).collect()
}

/// Checks that the content of each complete transfer is right, and the server's outcome with it.
fn check_client(world: &World<'_>, client: &Client) {
    let of = |name: &str, outcome: Outcome| {
        let it = |summary: &&tuffet_request::events::Summary| {
            summary.record.request.client == client.address
                && summary.record.request.path == name
                && summary.ending.outcome == outcome
        };
        world.ended.iter().filter(it).count()
    };
    for (nth, experience) in client.experiences.iter().enumerate() {
        let name = &experience.name;
        // Packets in flight of a port's last transfer may be taken for the first answer to its next request.
        // That is why RFC 1350 section 4 has both ends choose their ports at random.
        if nth > 0 && experience.operation == Operation::Read {
            continue;
        }
        let Some(fate) = world.control.fates.get(name) else { continue };
        match (&fate.answer, experience.operation) {
            (Answer::Bytes(file) | Answer::File(file), Operation::Read) if experience.complete => {
                identical_bytes("client", &experience.received, file);
            }
            (_, Operation::Read) => {
                Invariant::IdenticalBytesOrError
                    .demand(!experience.complete, format_args!("{name} was never sent as a whole"));
            }
            (_, Operation::Write) if experience.complete => {
                let stored = of(name, Outcome::Stored);
                Invariant::NoSuccessOfOneSideAlone
                    .demand(stored > 0, format_args!("{name} was written, and not stored"));
            }
            _ => {}
        }
    }
    let names: HashSet<&str> = client.experiences.iter().map(|it| it.name.as_str()).collect();
    for name in names {
        let complete = client.experiences.iter().any(|it| it.name == name && it.complete);
        let served = of(name, Outcome::Served);
        Invariant::NoSuccessOfOneSideAlone
            .demand(served == 0 || complete, format_args!("{name} was served to a client that has it not"));
        if of(name, Outcome::Stored) > 0 {
            let stored = world.control.stored(name);
            let due = client.experiences.iter().find(|it| it.name == name).map(|it| &*it.file);
            identical_bytes("server", &stored.unwrap_or_default(), due.unwrap_or_default());
        }
    }
}

fn client(random: &mut Rng, number: usize, control: &mut Control) -> Client {
    let pause = random.u64(0..3_000_000);
    let after = random.u32(1..20);
    let manner = match random.u32(0..12) {
        0 => Manner::Repeats(random.u8(2..30)),
        1 => Manner::Vanishes(random.u32(0..20)),
        2 => Manner::ChangesItsMind(after, pause),
        3 => Manner::BeginsAnew(after, pause),
        4 => Manner::Spoofed,
        5 => Manner::Babbles,
        _ => Manner::Honest,
    };
    let planned =
        (0..random.u32(1..4)).map(|nth| planned_request(random, &format!("{number}-{nth}"), control));
    let planned: Vec<PlannedRequest> = planned.collect();
    let address = ([192, 0, 2, random.u8(1..4)], 1_000 + number as u16).into();
    let listener = pick(random, &LISTENERS);
    let begins = Time::from_micros(random.u64(0..2_000_000));
    Client::new(address, listener, manner, begins, planned, random.u64(..))
}

fn planned_request(random: &mut Rng, name: &str, control: &mut Control) -> PlannedRequest {
    let requested = match random.u32(0..3) {
        0 => OptionSet::default(),
        1 => OptionSet { blksize: Some(random.u16(8..3_000)), ..OptionSet::default() },
        _ => OptionSet {
            blksize: Some(random.u16(100..3_000)),
            windowsize: Some(random.u16(1..70)),
            timeout: pick(random, &[None, Some(1), Some(5), Some(255)]),
            tsize: pick(random, &[None, Some(0)]),
            ..OptionSet::default()
        },
    };
    let size = random.usize(0..usize::from(requested.block_size()) * 40);
    let file: Arc<[u8]> = std::iter::repeat_with(|| random.u8(..)).take(size).collect();
    let operation = if random.u32(0..4) == 0 { Operation::Write } else { Operation::Read };
    let answer = match (operation, random.u32(0..12)) {
        (_, 0) => Answer::Refuse,
        (_, 1) => Answer::Drop,
        (_, 2) => Answer::Trap,
        (Operation::Read, 3) if size > 0 => Answer::Shrinks(file.clone(), random.u64(0..size as u64)),
        (Operation::Read, 4..6) => Answer::File(file.clone()),
        (Operation::Read, _) => Answer::Bytes(file.clone()),
        (Operation::Write, 3) => Answer::CannotStore,
        (Operation::Write, 4) => Answer::Upload(random.u64(0..=size as u64)),
        (Operation::Write, _) => Answer::Upload(u64::MAX),
    };
    let after = match random.u32(0..10) {
        0 => None,
        1 => Some(random.u64(1_000_000..15_000_000)),
        2..5 => Some(random.u64(10_000..500_000)),
        _ => Some(random.u64(10..2_000)),
    };
    control.fates.insert(name.into(), Fate { after, answer });
    PlannedRequest { name: name.into(), operation, requested, file }
}

fn pick<T: Copy>(random: &mut Rng, of: &[T]) -> T {
    of[random.usize(0..of.len())]
}
