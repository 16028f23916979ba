//! Thousands of scenarios, each drawn from its seed: every transfer ends, with identical bytes or with an
//! honest failure, never in between.
//!
//! `TUFFET_SEED=n` runs one scenario, `TUFFET_SEEDS=n` as many as asked.

use super::simulator::{Endpoint, Scenario, World, micros, reader_and_writer};
use tuffet_core::Finish;

const SEEDS: u64 = 5_000;
/// Five hours: the most patient of the scenarios waits 13 minutes for one packet.
const LIMIT: u64 = 5 * 3_600 * 1_000_000;

#[test]
fn every_transfer_ends_whole_or_with_an_honest_failure() {
    let given = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let seeds = match given("TUFFET_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..given("TUFFET_SEEDS").unwrap_or(SEEDS),
    };
    let mut complete = 0;
    let all = seeds.end - seeds.start;
    for seed in seeds {
        let scenario = Scenario::draw(seed);
        let told = TellOnFailure(&scenario);
        let mut world = scenario.world();
        world.run(micros(LIMIT));
        check(&scenario, &world);
        complete += u64::from(world.client.report.finish == Some(Finish::Complete));
        drop(told);
    }
    assert!(all < 100 || complete > all / 2, "only {complete} of {all} complete: the scenarios are too hard");
}

/// Says which seed it was, and how to run it alone.
struct TellOnFailure<'a>(&'a Scenario);

impl Drop for TellOnFailure<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let TellOnFailure(scenario) = self;
            eprintln!("seed {}: {}", scenario.seed, scenario.describe());
            eprintln!(
                "run it alone: TUFFET_SEED={} cargo test -p tuffet-core --test simulation seeds",
                scenario.seed
            );
        }
    }
}

fn check(scenario: &Scenario, world: &World<Endpoint, Endpoint>) {
    let (client, server) = (&world.client, &world.server);
    let (reader, writer) = reader_and_writer(scenario.job.operation, world);
    for end in [client, server] {
        let begun = end.transfer().is_some();
        assert!(
            !begun || end.is_gone() || (end.report.finish.is_some() && end.report.closed),
            "no end: {end:?}"
        );
    }
    let harmed = scenario.up.harms() || scenario.down.harms();
    let complete = |end: &Endpoint| end.report.finish == Some(Finish::Complete);
    if complete(reader) && !harmed {
        assert!(reader.received() == &*scenario.job.file, "complete, with other bytes");
    }
    if complete(writer) && !harmed && !reader.is_gone() {
        assert!(complete(reader), "the sender takes for complete what the receiver does not");
    }
    if scenario.repeats_nothing() {
        assert_eq!((client.report.stats, server.report.stats), Default::default());
    }
    if scenario.must_succeed() {
        assert!(complete(client) && complete(server), "{:?} {:?}", client.report, server.report);
    }
}
