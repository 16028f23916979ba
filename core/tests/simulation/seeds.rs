//! Thousands of worlds, each drawn from its seed; [`invariants`](tuffet_testkit::invariants) says what holds
//! in all of them. The worlds contain two honest ends with faults of their own and of the path, a server with
//! lying clients, or a client with lying servers.
//!
//! `TUFFET_SEED=n` runs one seed, `TUFFET_SEEDS=n` this many (`make test SUITE=simulate SEEDS=n`), starting at
//! `TUFFET_FIRST_SEED`.

use super::faults::{Impostor, Liar};
use super::simulator::{Endpoint, Scenario, World, micros, reader_and_writer};
use tuffet_core::Finish;
use tuffet_testkit::invariants::{
    Invariant, bounded_answers, bounded_memory, exactly_one_outcome, identical_bytes,
};
use tuffet_testkit::seeds;

const SEEDS: u64 = 5_000;
/// Five hours: the most patient scenario waits 13 minutes for one packet.
const LIMIT: u64 = 5 * 3_600 * 1_000_000;

#[test]
fn every_transfer_ends_whole_or_with_an_honest_failure() {
    let (mut all, mut complete) = (0, 0);
    each_seed("every_transfer", |scenario| {
        let mut world = scenario.world();
        world.run(micros(LIMIT));
        check(scenario, &world);
        all += 1;
        complete += u64::from(world.client.report.finish == Some(Finish::Complete));
    });
    assert!(all < 100 || complete > all / 2, "only {complete} of {all} complete: the scenarios are too hard");
}

#[test]
fn no_client_that_lies_costs_the_server_more_than_it_may() {
    each_seed("no_client_that_lies", |scenario| {
        let Scenario { seed, job, up, down, server, .. } = scenario;
        let job = job.octet();
        let liar = Liar::draw(*seed, job.operation, &job.requested, job.file.clone());
        let honest_disk = super::simulator::Faults { disk: Default::default(), ..*server };
        let server = Endpoint::server(job, honest_disk);
        let mut world = World::new(*seed, liar, server, up.checked(), down.checked());
        world.run(micros(LIMIT));
        check_end("server", &world.server);
    });
}

#[test]
fn no_server_that_lies_keeps_a_client_busy() {
    each_seed("no_server_that_lies", |scenario| {
        let Scenario { seed, job, up, down, client, .. } = scenario;
        let client = Endpoint::client(job.octet(), *client);
        let mut world = World::new(*seed, client, Impostor::draw(*seed, job.requested), *up, *down);
        world.run(micros(LIMIT));
        check_end("client", &world.client);
    });
}

/// Runs a test with each seed. A failure reports the seed and how to run `test` with it alone.
fn each_seed(test: &str, mut run: impl FnMut(&Scenario)) {
    let alone = format!("-p tuffet-core --test simulation seeds::{test}");
    for seed in seeds::seeds(SEEDS) {
        let scenario = Scenario::draw(seed);
        seeds::run(seed, &alone, || scenario.describe(), || run(&scenario));
    }
}

/// Checks an end, independently of its peer.
fn check_end(who: &str, end: &Endpoint) {
    if !end.is_gone() {
        exactly_one_outcome(who, end.lives());
        bounded_memory(who, end.lives());
    }
    bounded_answers(who, end.ledger().talk);
}

fn check(scenario: &Scenario, world: &World<Endpoint, Endpoint>) {
    let (client, server) = (&world.client, &world.server);
    check_end("client", client);
    check_end("server", server);
    let (reader, writer) = reader_and_writer(scenario.job.operation, world);
    let harmed = scenario.up.harms() || scenario.down.harms();
    let complete = |end: &Endpoint| end.report.completed > 0;
    // A device that starts over from the same port may take a packet in flight for the first answer to its
    // new request, and assume other block sizes than the server: for that reason RFC 1350 section 4 has each
    // transfer choose a random port. Without options there is nothing to mistake.
    let mistaken = scenario.client.restarts.is_some() && !scenario.job.requested.is_empty();
    if !harmed {
        let finish = server.report.finish;
        Invariant::NoHonestClientIsAccused
            .demand(finish != Some(Finish::Miscounted), format_args!("{:?}", server.report));
    }
    if complete(reader) && !harmed && !mistaken {
        identical_bytes("receiver", reader.received(), &scenario.job.file);
    }
    if complete(writer) && !harmed && !mistaken && !reader.is_gone() {
        Invariant::NoSuccessOfOneSideAlone
            .demand(complete(reader), format_args!("{:?}, {:?}", writer.report, reader.report));
    }
    if scenario.repeats_nothing() {
        let stats = (client.report.stats, server.report.stats);
        Invariant::NoNeedlessRepeats.demand_eq(stats, Default::default(), "client and server");
    }
    if scenario.must_succeed() {
        // An old copy of the request that arrives while only the last ACK is missing looks like a client that
        // started over (`ANEW`), and ends the transfer: more often rightly than not.
        let both = complete(client) && complete(server) || server.report.begun > 1;
        Invariant::HonestTransfersSucceed
            .demand(both, format_args!("{:?}, {:?}", client.report, server.report));
    }
}
