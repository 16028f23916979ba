//! Clients that acknowledge more, or less, than the last block of each window.

use super::simulator::{
    ACK, DATA, Endpoint, Faults, Job, Manner, Path, Plain, World, asking, millis, number, opcode,
};
use tuffet_core::{Operation, Time};

/// A gigabit network, and the same behind a round trip of 20 ms.
const LAN: Path = Path::clean(100).rate(1_000_000_000, 1 << 30);
const FAR: Path = Path { delay: 10_000, ..LAN };
const BLOCK: u16 = 1_428;
const MIB: usize = 1 << 20;

/// A transfer: blocks sent again per block of the file, and its milliseconds.
#[derive(Debug, Clone, Copy)]
struct Cost {
    again: f64,
    millis: f64,
}

fn read(seed: u64, window: u16, size: usize, client: Plain, path: Path) -> Cost {
    let job = Job::new(Operation::Read, asking(BLOCK, window), size);
    let server = Endpoint::server(job.clone(), Faults::default());
    let mut world = World::new(seed, client, server, path, path);
    world.run(millis(600_000));
    assert!(world.client.bytes == *job.file, "not the file: seed {seed}, {:?}", world.server.report);
    let done = world.client.done.unwrap_or(Time::NEVER).as_micros() as f64;
    let (sent, blocks) = (world.server.report.data as f64, world.server.blocks() as f64);
    Cost { again: sent / blocks - 1.0, millis: done / 1e3 }
}

/// Returns the mean of the blocks sent again, the median and the longest time.
fn several(seeds: u64, cost: impl Fn(u64) -> Cost) -> (f64, f64, f64) {
    let costs: Vec<_> = (0..seeds).map(cost).collect();
    let again = costs.iter().map(|cost| cost.again).sum::<f64>() / seeds as f64;
    let mut times: Vec<_> = costs.iter().map(|cost| cost.millis).collect();
    times.sort_by(f64::total_cmp);
    (again, times[times.len() / 2], times[times.len() - 1])
}

/// Creates a client with a time-out of a second.
fn client(window: u16, manner: Manner) -> Plain {
    Plain::new(asking(BLOCK, window)).patient(1_000_000).acknowledges(manner)
}

#[test]
fn acknowledging_each_block_costs_nothing() {
    for window in [16, 64] {
        for path in [LAN, FAR] {
            let of = |manner| several(20, |seed| read(seed, window, MIB, client(window, manner), path));
            let ((again, median, _), (_, usual, _)) = (of(Manner::Each), of(Manner::Once));
            let figures = format!("window {window}: {again:.3} sent again, {median} ms instead of {usual}");
            assert!(again < 0.001 && median <= usual, "{figures}, on {path:?}");
        }
    }
}

/// One datagram in ten arrives twice, in both directions. A client that acknowledges the second copy of a block seems to
/// report a gap.
#[test]
fn acknowledging_doubled_blocks_costs_a_window_or_two() {
    for (window, most) in [(16, 0.03), (64, 0.12)] {
        for path in [LAN, FAR] {
            for manner in [Manner::Unexpected, Manner::Once] {
                let of = |path| several(40, |seed| read(seed, window, MIB, client(window, manner), path));
                let ((again, median, _), (_, usual, _)) = (of(path.duplicate(0.1)), of(path));
                let figures =
                    format!("window {window}: {again:.3} sent again, {median} ms instead of {usual}");
                assert!(again < most && median < 1.3 * usual, "{figures}, {manner:?} on {path:?}");
            }
        }
    }
}

/// Doubts end: most reports of a client are right if blocks are lost as well.
#[test]
fn real_gaps_are_closed_among_doubled_blocks() {
    for (window, most_again, most_millis) in [(16, 0.4, 40.0), (64, 2.5, 100.0)] {
        let path = LAN.duplicate(0.1).loss(0.01);
        let of = |seed| read(seed, window, MIB, client(window, Manner::Once), path);
        let (again, median, _) = several(40, of);
        assert!(again < most_again && median < most_millis, "{window}: {again:.3} sent again, {median} ms");
    }
}

/// A client that repeats its ACK for each block behind a gap makes the server send hardly more, where repairs are lost as
/// well: a report that comes again after a round trip is no echo.
#[test]
fn acknowledging_every_unexpected_block_costs_hardly_more_than_one_report() {
    for window in [16, 64] {
        for path in [LAN.loss(0.05), FAR.loss(0.05)] {
            let of = |manner| several(20, |seed| read(seed, window, MIB, client(window, manner), path));
            let ((again, median, _), (usual, once, _)) = (of(Manner::Unexpected), of(Manner::Once));
            let figures = format!(
                "window {window}: {again:.2} sent again instead of {usual:.2}, {median} ms instead of {once}"
            );
            assert!(again < 1.1 * usual, "{figures}, on {path:?}");
        }
    }
}

/// On a slow line the copies of a window wait for longer than a round trip seemed to take, and such a client acknowledges
/// each of them. If each of these ACKs caused a window, the queue would grow until the transfer is given up.
#[test]
fn acknowledging_every_unexpected_block_does_not_jam_a_slow_line() {
    for (rate, delay, window) in [(10_000_000, 100, 16), (2_000_000, 1_000, 16), (2_000_000, 1_000, 64)] {
        let path = Path::clean(delay).rate(rate, 1 << 30).loss(0.01);
        let of = |seed| read(seed, window, MIB, client(window, Manner::Unexpected), path);
        let (again, median, _) = several(30, of);
        let most = 2.0 * MIB as f64 * 8.0 / rate as f64 * 1e3;
        assert!(
            again < 6.0 && median < most,
            "window {window}: {again:.2} sent again, {median} ms, {path:?}"
        );
    }
}

/// Returns the milliseconds until a client without a time-out of its own has 12 windows, if one block is lost, and the
/// report of that gap as well.
fn lost_report(window: u16, block: u16, manner: Manner) -> f64 {
    let job = Job::new(Operation::Read, asking(BLOCK, window), usize::from(BLOCK) * 12 * usize::from(window));
    let client = client(window, manner).patient(100_000_000).tries(1);
    let server = Endpoint::server(job.clone(), Faults::default());
    let mut world = World::new(1, client, server, LAN, LAN);
    for (link, code, number_of) in [(&mut world.down, DATA, block), (&mut world.up, ACK, block - 1)] {
        let mut lost = false;
        link.lose(move |datagram| {
            let is_it = opcode(datagram) == code && number(datagram) == number_of;
            is_it && !std::mem::replace(&mut lost, true)
        });
    }
    world.run(millis(600_000));
    assert!(world.client.bytes == *job.file, "window {window} without {block}: {:?}", world.server.report);
    world.client.done.unwrap_or(Time::NEVER).as_micros() as f64 / 1e3
}

/// RFC 7440 lets a receiver be silent on repeats, and it may have no time-out of its own.
#[test]
fn a_gap_that_is_reported_once_or_never_is_found_wherever_it_is() {
    for manner in [Manner::Once, Manner::Never] {
        for window in [2, 4, 8, 13, 16, 64] {
            for place in 1..=window {
                let took = lost_report(window, 4 * window + place, manner);
                assert!(took < 300.0, "{manner:?}, block {place} of a window of {window}: {took} ms");
            }
        }
    }
}

/// With one time-out of their own for each gap, they need 2.7 s.
#[test]
fn clients_that_never_report_gaps_do_not_wait_for_their_own_time_outs() {
    let of = |seed| read(seed, 16, 366_000, client(16, Manner::Never), LAN.loss(0.01));
    let (_, median, _) = several(100, of);
    assert!(median < 1_000.0, "{median} ms");
}

/// `cargo test -p tuffet-core --test simulation acknowledging::table -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn table() {
    for window in [1_u16, 16, 64] {
        for (paths, base) in [("LAN", LAN), ("20 ms", FAR)] {
            for (name, path) in [
                ("0 %", base),
                ("1 %", base.loss(0.01)),
                ("5 %", base.loss(0.05)),
                ("doubled 10 %", base.duplicate(0.1)),
                ("doubled 10 %, 1 % lost", base.duplicate(0.1).loss(0.01)),
                ("jitter 100", base.jitter(100)),
            ] {
                for manner in [Manner::Unexpected, Manner::Once, Manner::Each] {
                    let (again, median, longest) =
                        several(40, |seed| read(seed, window, MIB, client(window, manner), path));
                    println!(
                        "{window:>2} {paths:>5} {name:>22} {manner:>10?}: {:>6.1} % again, {median:>8.1} ms, at most {longest:>8.1}",
                        again * 100.0
                    );
                }
            }
        }
    }
}
