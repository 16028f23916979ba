//! Clients that take each DATA packet for the next block, as some boot ROMs do, and what a server may send to a client of
//! which nothing is known.

use super::simulator::{
    Buffer, Endpoint, Faults, Job, Manner, Path, Plain, Waking, World, asking, assert_whole, millis,
};
use tuffet_core::{Duplicates, Finish, Operation, OptionSet, PeerMetrics};

const LAN: Path = Path::clean(100);

/// As the boot ROM of a small computer reads.
fn requested() -> OptionSet {
    OptionSet { blksize: Some(1_024), tsize: Some(0), ..OptionSet::default() }
}

fn job(blocks: usize, known: Duplicates) -> Job {
    let mut job = Job::new(Operation::Read, requested(), blocks * 1_024 - 100);
    job.limits.bears_duplicates = false;
    job.known = PeerMetrics { duplicates: known, ..PeerMetrics::default() };
    job
}

fn run(seed: u64, job: &Job, client: Plain, up: Path, down: Path) -> World<Plain, Endpoint> {
    let server = Endpoint::server(job.clone(), Faults::default());
    let mut world = World::new(seed, client, server, up, down);
    world.run(millis(4_000_000));
    world
}

/// It pauses after each hundredth block.
fn counting(pause_ms: u64) -> Plain {
    Plain::new(requested()).counts().stands_still_at(|block| block % 100 == 99, pause_ms * 1_000)
}

#[test]
fn a_client_that_counts_copies_gets_none_while_it_pauses_for_less_than_a_second() {
    for pause in [10, 20, 40, 80, 150, 400, 900] {
        let job = job(1_000, Duplicates::UNKNOWN);
        let world = run(1, &job, counting(pause), LAN, LAN);
        assert_eq!(world.server.report.finish, Some(Finish::Complete), "{pause} ms");
        assert!(world.client.bytes == *job.file, "{pause} ms");
        assert_eq!(world.server.report.stats.retransmissions, 0, "{pause} ms");
    }
}

/// The server withholds the next block for a moment after a copy: the ACK of that block convicts the client.
#[test]
fn a_counted_copy_ends_the_transfer_and_the_next_one_succeeds() {
    for pause in [1_100, 2_000, 3_500] {
        let first = job(1_000, Duplicates::UNKNOWN);
        let world = run(1, &first, counting(pause), LAN, LAN);
        assert_eq!(world.server.report.finish, Some(Finish::Miscounted), "{pause} ms");
        assert!(world.client.bytes.len() < 110 * 1_024, "at once: {}", world.client.bytes.len());
        let known = world.server.peer_metrics().duplicates;
        assert!(known.are_counted());
        let next = job(1_000, known);
        let world = run(1, &next, counting(pause), LAN, LAN);
        assert_eq!(world.server.report.finish, Some(Finish::Complete), "{pause} ms");
        assert!(world.client.bytes == *next.file, "{pause} ms");
    }
}

/// A copy may also follow a loss. Then the file may be wrong, but the server never says that it is right.
#[test]
fn a_wrong_file_is_never_called_served() {
    let (mut served, mut convicted) = (0, 0);
    for seed in 0..200 {
        let job = job(200, Duplicates::UNKNOWN);
        let lossy = LAN.loss(0.005);
        let world = run(seed, &job, counting(30), lossy, lossy);
        match world.server.report.finish {
            Some(Finish::Complete) => {
                assert!(world.client.bytes == *job.file, "seed {seed}: {} bytes", world.client.bytes.len());
                served += 1;
            }
            Some(Finish::Miscounted) => convicted += 1,
            _ => {}
        }
    }
    assert!(served > 50 && convicted > 50, "{served} served, {convicted} convicted");
}

/// A client that compares numbers shows it by its answers, and is served quickly from then on.
#[test]
fn a_client_that_bears_copies_shows_it() {
    let lossy = LAN.loss(0.02);
    for client in [Plain::new(requested()), Plain::new(requested()).ignores_repeats()] {
        let first = job(1_000, Duplicates::UNKNOWN);
        let world = run(3, &first, client.patient(5_000_000), lossy, lossy);
        assert_whole_file(&first, &world);
        let known = world.server.peer_metrics().duplicates;
        assert!(known.are_borne(), "{known:?}");
        let next = job(1_000, known);
        let world = run(4, &next, Plain::new(requested()).patient(5_000_000), lossy, lossy);
        assert_whole_file(&next, &world);
        let done = world.client.done.expect("served");
        assert!(done < millis(2_000), "{done:?}");
    }
}

fn assert_whole_file(job: &Job, world: &World<Plain, Endpoint>) {
    assert_eq!(world.server.report.finish, Some(Finish::Complete));
    assert!(world.client.bytes == *job.file);
}

/// A client that negotiated a window follows RFC 7440, so it compares numbers.
#[test]
fn a_window_is_proof() {
    let mut job = Job::new(Operation::Read, asking(1_024, 4), 1_000_000);
    job.limits.bears_duplicates = false;
    let lossy = LAN.loss(0.01);
    let client = Endpoint::client(job.clone(), Faults::default());
    let mut world = World::new(5, client, Endpoint::server(job.clone(), Faults::default()), lossy, lossy);
    world.run(millis(60_000));
    assert_whole(&job, &world);
    let ended = world.server.report.finished_at.expect("it ended");
    assert!(ended < millis(1_000), "{ended:?}");
}

/// A network controller with a ring of two packets, at which its driver looks each 5 ms, and windows of four. Without windows
/// each block takes 5 ms and a round trip, 6.8 s in all and more.
#[test]
fn a_receiver_that_never_gets_a_window_whole_is_hardly_slower_than_in_lockstep() {
    let requested = asking(1_468, 4);
    let mut job = Job::new(Operation::Read, requested, 2_000_000);
    job.limits.bears_duplicates = false;
    for waking in [Waking::After(5_000), Waking::Each(5_000)] {
        // Who never reports what it lacks costs some of its own time-outs.
        for (manner, most, distant) in [
            (Manner::Unexpected, 7_000, 25_000),
            (Manner::Once, 7_000, 25_000),
            (Manner::Never, 17_000, 25_000),
        ] {
            for (delay, most) in [(10, most), (100, most), (700, distant)] {
                for timeout in [1_000_000, 4_000_000] {
                    for seed in 0..4 {
                        let ring = Buffer { room: 2, reading: 20, waking };
                        let up = Path::clean(delay).jitter(delay / 4);
                        let client = Plain::new(requested).acknowledges(manner).patient(timeout).tries(30);
                        let world = run(seed, &job, client, up, up.buffer(ring));
                        let done = world.client.done.expect("served");
                        let stats = world.server.report.stats;
                        assert!(
                            done < millis(most),
                            "{waking:?} {manner:?} {delay} {seed}: {done:?}, {stats:?}"
                        );
                    }
                }
            }
        }
    }
}

/// Two blocks of each window arrive, and the client waits for its own time-out. It gets the file at about the pace of lockstep,
/// and the next one without windows.
#[test]
fn a_receiver_that_reports_no_gap_and_gets_no_window_whole_is_served() {
    let ring = Buffer { room: 2, reading: 50, waking: Waking::After(5_000) };
    let (up, down) = (Path::clean(100), Path::clean(100).buffer(ring));
    for window in [4, 16, 64] {
        for (timeout, most) in [(1_000_000, 11_000), (5_000_000, 30_000)] {
            let requested = asking(1_468, window);
            let mut job = Job::new(Operation::Read, requested, 2_000_000);
            let client = || Plain::new(requested).acknowledges(Manner::Never).patient(timeout).tries(30);
            let world = run(1, &job, client(), up, down);
            let done = world.client.done.expect("served");
            assert!(done < millis(most), "{window}: {done:?}, {:?}", world.server.report.stats);
            job.known = world.server.peer_metrics();
            assert_eq!(job.known.manner.manner, tuffet_core::Manner::Lockstep, "{window}");
            let world = run(1, &job, client(), up, down);
            let done = world.client.done.expect("served");
            assert!(done < millis(7_500), "{window}: {done:?}, {:?}", world.server.report.stats);
            assert_eq!(world.server.report.stats.retransmissions, 0);
        }
    }
}

/// A client that takes some milliseconds for each packet, acknowledges each, and asks for windows of 16. It reads slowly, or
/// it stands still after each block, so that its first answer is a quick one.
#[test]
fn a_slow_client_that_acknowledges_each_packet_is_as_quick_as_in_lockstep() {
    let requested = asking(1_400, 16);
    let job = Job::new(Operation::Read, requested, 2_000_000);
    for pause in [1_000, 2_000, 5_000] {
        let slow = Buffer { room: 64, reading: pause, waking: Waking::After(10) };
        for (buffer, still) in [(Some(slow), 0), (None, pause)] {
            for delay in [5, 20, 100, 1_000] {
                for (seed, timeout) in [50_000, 1_000_000, 4_000_000].into_iter().enumerate() {
                    let up = Path::clean(delay).jitter(delay / 4);
                    let client = Plain::new(requested).acknowledges(Manner::Each).patient(timeout).tries(100);
                    let client = client.stands_still_at(|_| true, still);
                    let world = run(seed as u64, &job, client, up, Path { buffer, ..up });
                    assert_eq!(world.server.report.finish, Some(Finish::Complete));
                    let (done, again) = (world.client.done.expect("served"), world.client.again);
                    let lockstep = 1_429 * (pause + 2 * delay + 50);
                    let figures = format!("{pause} {still} {delay}: {done:?} of {lockstep}, {again} twice");
                    assert!(done.as_micros() < lockstep && again < 200, "{figures}");
                }
            }
        }
    }
}

/// A boot ROM that never acknowledges the last block has the whole file, and gets three copies of that block at most.
#[test]
fn the_last_ack_may_be_missing() {
    for bears in [true, false] {
        let mut job = job(20, Duplicates::UNKNOWN);
        job.limits.bears_duplicates = bears;
        let server = Endpoint::server(job.clone(), Faults::default());
        let mut world = World::new(1, Plain::new(requested()).counts(), server, LAN, LAN);
        world.up.lose(|datagram| datagram == [0, 4, 0, 20]);
        world.run(millis(60_000));
        assert_eq!(world.server.report.finish, Some(Finish::Unacknowledged));
        assert_eq!(world.server.report.stats.retransmissions, 3);
        let ended = world.server.report.finished_at.expect("it ended");
        assert!(ended < millis(15_000), "{ended:?}");
    }
}
