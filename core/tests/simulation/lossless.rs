//! Without losses nothing is sent twice, and not one packet more than the protocol needs.
//!
//! This requires answers within the time-outs: a faultless path whose delay and queueing stay below the
//! initial RTO, and ends that decide and store at once.

use super::simulator::{Endpoint, Job, Path, World, asking, assert_whole, reader_and_writer, run};
use tuffet_core::{Operation, Stats};

const SIZES: [usize; 9] = [0, 1, 511, 512, 513, 512 * 16 - 1, 512 * 16, 512 * 16 + 1, 100_000];

fn assert_minimal(job: &Job, window: u64, world: &World<Endpoint, Endpoint>) {
    assert_whole(job, world);
    let (reader, writer) = reader_and_writer(job.operation, world);
    for end in [reader, writer] {
        assert_eq!(end.report.stats, Stats::default(), "{job}");
    }
    let blocks = writer.blocks();
    let negotiated = u64::from(!job.requested.is_empty());
    // ACK 0 answers an OACK, and a write request without options.
    let first = if job.operation == Operation::Read { negotiated } else { 1 - negotiated };
    assert_eq!(world.client.report.requests, 1);
    assert_eq!(world.server.report.oacks, negotiated, "{job}");
    assert_eq!(writer.report.data, blocks, "{job}");
    assert_eq!(reader.report.acks, blocks.div_ceil(window) + first, "{job}");
    assert_eq!(world.up.packets + world.down.packets, 1 + negotiated + blocks + reader.report.acks);
}

#[test]
fn packet_counts_are_exactly_the_least_possible() {
    for operation in [Operation::Read, Operation::Write] {
        for (blksize, window) in [(512, 1), (512, 2), (512, 16), (512, 64), (8, 1), (1_428, 7), (65_464, 4)] {
            for size in SIZES {
                let job = Job::new(operation, asking(blksize, window), size);
                for delay in [0, 100, 30_000] {
                    let world = run(1, &job, Path::clean(delay), Path::clean(delay));
                    assert_minimal(&job, u64::from(window), &world);
                }
            }
        }
    }
}

#[test]
fn a_slow_link_is_not_taken_for_a_lossy_one() {
    for operation in [Operation::Read, Operation::Write] {
        for window in [1, 16, 64] {
            let job = Job::new(operation, asking(1_428, window), 2_000_000);
            let path = Path::clean(500).rate(10_000_000, u64::MAX);
            assert_minimal(&job, u64::from(window), &run(1, &job, path, path));
        }
    }
}

#[test]
fn a_window_of_any_size_that_is_granted_works() {
    for operation in [Operation::Read, Operation::Write] {
        for window in [1_000, 30_000, 65_535] {
            let mut job = Job::new(operation, asking(8, window), 100_000 * 8 + 3);
            job.limits.windowsize = 65_535;
            let world = run(1, &job, Path::clean(100), Path::clean(100));
            assert_whole(&job, &world);
            assert_eq!(world.client.report.stats.timeouts + world.server.report.stats.timeouts, 0, "{job}");
        }
    }
}

/// The RTO of a steady path is a few milliseconds. A path whose answers vary by as much has a longer one.
#[test]
fn no_block_is_repeated_because_round_trips_vary() {
    for jitter in [0, 200, 500, 1_000, 2_000, 4_000, 8_000] {
        for seed in 0..8 {
            let job = Job::new(Operation::Read, asking(1_428, 1), 4 << 20);
            let path = Path::clean(100).jitter(jitter);
            let world = run(seed, &job, path, path);
            assert_whole(&job, &world);
            assert_eq!(world.server.report.stats.timeouts, 0, "seed {seed}, jitter {jitter} µs");
        }
    }
}
