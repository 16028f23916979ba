//! The duration and the retransmissions of transfers on realistic paths.

use super::simulator::{
    Buffer, Endpoint, Faults, Job, Path, Plain, Several, Waking, World, asking, assert_whole, millis,
    reader_and_writer, run,
};
use std::time::Duration;
use tuffet_core::{Manner, Operation, PeerMetrics, Timing};

const BOTH: [Operation; 2] = [Operation::Read, Operation::Write];

/// Returns the virtual seconds until the receiving end had everything.
fn seconds(job: &Job, world: &World<Endpoint, Endpoint>) -> f64 {
    assert_whole(job, world);
    let (reader, _) = reader_and_writer(job.operation, world);
    reader.report.finished_at.map_or(f64::INFINITY, |time| time.as_micros() as f64 / 1e6)
}

/// Returns the blocks sent per block of the file.
fn effort(job: &Job, world: &World<Endpoint, Endpoint>) -> f64 {
    let (_, writer) = reader_and_writer(job.operation, world);
    writer.report.data as f64 / writer.blocks() as f64
}

fn average(figures: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = figures.fold((0.0, 0.0), |(count, sum), figure| (count + 1.0, sum + figure));
    sum / count
}

/// Returns seconds and effort, averaged over some seeds.
fn measure(operation: Operation, window: u16, size: usize, path: Path) -> (f64, f64) {
    let mut job = Job::new(operation, asking(1_428, window), size);
    job.limits.windowsize = 1_000;
    let worlds: Vec<_> = (0..8).map(|seed| run(seed, &job, path, path)).collect();
    let seconds = average(worlds.iter().map(|world| seconds(&job, world)));
    (seconds, average(worlds.iter().map(|world| effort(&job, world))))
}

#[track_caller]
fn assert_within((window, size, path): (u16, usize, Path), most_seconds: f64, most_effort: f64) {
    for operation in BOTH {
        let (seconds, effort) = measure(operation, window, size, path);
        let figures = format!("{operation}, window {window}: {seconds:.3} s, {effort:.3} sent per block");
        assert!(seconds <= most_seconds && effort <= most_effort, "{figures}, on {path:?}");
    }
}

const LAN: Path = Path::clean(100);
const MIB: usize = 1 << 20;

/// Servers with a timer of one second need 15 s for the first of these.
#[test]
fn one_mebibyte_over_a_lossy_lan() {
    assert_within((1, MIB, LAN.loss(0.01)), 0.35, 1.1);
    assert_within((16, MIB, LAN.loss(0.01)), 0.1, 1.2);
    assert_within((64, MIB, LAN.loss(0.01)), 0.1, 1.6);
}

#[test]
fn one_mebibyte_over_a_very_lossy_lan() {
    assert_within((1, MIB, LAN.loss(0.05)), 1.3, 1.2);
    assert_within((16, MIB, LAN.loss(0.05)), 0.5, 1.8);
    assert_within((64, MIB, LAN.loss(0.05)), 0.75, 4.0);
}

/// Losses by chance are not taken for a receiver that overflows: with slower bursts, the first four of these need 3.3,
/// 1.6, 0.5 and 6.5 s. Nor is the report of a lost first block taken for an echo of an earlier one.
#[test]
fn sixteen_mebibytes_over_a_lossy_lan_are_not_slowed_down() {
    for (window, loss, most_seconds) in
        [(8, 0.02, 0.9), (16, 0.02, 0.5), (64, 0.02, 0.3), (8, 0.05, 3.6), (16, 0.05, 2.4), (64, 0.05, 1.8)]
    {
        assert_within((window, 16 * MIB, LAN.loss(loss)), most_seconds, 4.0);
    }
}

/// A round trip of 65 ms: the protocol allows one window per round trip.
#[test]
fn a_distant_server_gets_a_window_through_in_each_round_trip() {
    let far = Path::clean(32_500);
    for window in [1_u16, 16, 64] {
        let size = 1_428 * usize::from(window) * 50;
        let round_trips = 50.0 + 3.0;
        assert_within((window, size, far), round_trips * 0.065 + 0.01, 1.0);
    }
    assert_within((64, 4 * MIB, far.loss(0.01)), 7.0, 1.7);
    assert_within((1, MIB / 4, far.loss(0.01).jitter(2_000)), 15.0, 1.1);
}

/// In a queue that holds a whole window, early time-outs feed on themselves: each adds a window to the queue,
/// which delays the next answer further.
#[test]
fn a_narrow_link_with_a_deep_queue_is_not_flooded() {
    let narrow = Path::clean(200).rate(10_000_000, 1 << 30);
    // The link needs 3.45 s; going back to the gap costs half a window per loss.
    assert_within((64, 4 * MIB, narrow), 3.5, 1.0);
    assert_within((64, 4 * MIB, narrow.loss(0.01)), 7.0, 1.7);
    assert_within((64, 4 * MIB, narrow.loss(0.05)), 25.0, 4.5);
    assert_within((512, 4 * MIB, narrow), 3.6, 1.0);
    assert_within((512, 4 * MIB, narrow.loss(0.01)), 30.0, 6.5);
    assert_within((64, MIB, Path::clean(200).rate(1_000_000, 1 << 30)), 11.0, 1.3);
}

/// The end of each burst that the peer's network card drops costs a time-out per window.
#[test]
fn a_queue_shorter_than_a_window_slows_down_but_does_not_stop() {
    assert_within((64, 4 * MIB, Path::clean(200).rate(10_000_000, 65_536)), 8.0, 1.7);
}

/// 155 Mb/s and 65 ms with a queue of 100 ms hold 2,240 blocks. An overflow costs a few windows, not every
/// second one: without a pacer a server needs 9.6, 6.1 and 4.9 s, and sends most blocks five times.
#[test]
fn windows_that_overflow_a_long_path_are_spread_over_time() {
    let far = Path::clean(32_500).rate(155_000_000, 1_940_000);
    for (window, most_seconds, most_effort) in [(1_536, 4.8, 1.05), (2_048, 4.6, 1.05), (8_192, 5.0, 1.5)] {
        let mut job = Job::new(Operation::Read, asking(1_428, window), 40 * MIB);
        job.limits.windowsize = 32_767;
        let world = run(1, &job, far, far);
        let (seconds, effort) = (seconds(&job, &world), effort(&job, &world));
        assert!(
            seconds <= most_seconds && effort <= most_effort,
            "window {window}: {seconds} s, {effort} sent per block"
        );
    }
}

#[test]
fn a_fast_link_stays_fast() {
    let fast = Path::clean(50).rate(1_000_000_000, 1 << 30);
    assert_within((64, 16 * MIB, fast.loss(0.001)), 0.4, 1.1);
}

/// A receiver that drops datagrams beyond a number per millisecond, behind a gigabit link.
#[test]
fn a_small_receiver_is_not_drowned() {
    let small = |taken| Path::clean(100).rate(1_000_000_000, 1 << 30).per_ms(taken);
    // Without a pacer a server needs 2, 4, 45, 13 and 335 s.
    assert_within((64, 4 * MIB, small(32)), 0.7, 1.4);
    assert_within((64, 4 * MIB, small(16)), 1.0, 1.3);
    assert_within((64, 4 * MIB, small(4)), 3.0, 1.2);
    assert_within((16, 4 * MIB, small(8)), 0.8, 1.2);
    assert_within((8, 4 * MIB, small(8)), 1.2, 1.2);
    // Windows are cut off at two places in turn.
    let fast = Path { delay: 30, ..small(32) };
    assert_within((64, 16 * MIB, fast), 0.8, 1.1);
}

/// The same with losses by chance on top: the median of 32 seeds, the third worst, and the worst of them. With the place
/// and the time of reports for evidence, the worst took 6 s at 1 % and 30 to 106 s at 5 %.
#[test]
fn a_small_receiver_with_losses_by_chance_gets_on_with_any_seed() {
    for (loss, taken, median, third, worst) in [
        (0.01, 8, 0.7, 1.8, 2.5),
        (0.01, 16, 0.6, 1.8, 2.5),
        (0.01, 32, 0.6, 1.8, 3.0),
        (0.05, 8, 2.2, 6.0, 32.0),
        (0.05, 16, 1.9, 11.0, 32.0),
        (0.05, 32, 2.8, 18.0, 32.0),
    ] {
        let (up, down) = (Path::clean(50), Path::clean(50).rate(1_000_000_000, 1 << 30).per_ms(taken));
        let job = Job::new(Operation::Read, asking(1_400, 64), 4 * MIB);
        let of = |seed| seconds(&job, &run(seed, &job, up.loss(loss), down.loss(loss)));
        let mut times: Vec<f64> = (0..32).map(of).collect();
        times.sort_by(f64::total_cmp);
        let is_fast = times[16] < median && times[29] < third && times[31] < worst;
        assert!(is_fast, "{taken} blocks fit, loss {loss}: {times:.2?}");
    }
}

/// Ordinary clients repeat themselves after a second, so the server has to notice by itself that the end of a window
/// was lost, and from few windows that it always is.
#[test]
fn a_small_receiver_with_a_time_out_of_a_second_does_not_wait_for_it() {
    let second = Duration::from_secs(1);
    for (taken, most_seconds) in [(32, 0.15), (16, 0.2), (8, 0.25)] {
        let path = Path::clean(20).rate(10_000_000_000, 1 << 30).per_ms(taken);
        let mut job = Job::new(Operation::Read, asking(1_400, 64), MIB);
        job.limits.windowsize = 64;
        let mut patient = job.clone();
        patient.settings.timing = Timing::new(second, second, second, 30 * second, second);
        let client = Endpoint::client(patient, Faults::default());
        let mut world = World::new(1, client, Endpoint::server(job.clone(), Faults::default()), path, path);
        world.run(millis(60_000));
        let (seconds, effort) = (seconds(&job, &world), effort(&job, &world));
        assert!(
            seconds < most_seconds && effort < 1.2,
            "{taken} blocks fit: {seconds} s, {effort} sent per block"
        );
    }
}

/// What one transfer learnt of a small receiver spares the next one the losses, and the time-out of the first window.
#[test]
fn the_next_transfer_of_a_small_receiver_loses_hardly_anything() {
    for (taken, most_seconds) in [(32, 0.05), (16, 0.1), (8, 0.2), (4, 0.4)] {
        let path = Path::clean(20).rate(10_000_000_000, 1 << 30).per_ms(taken);
        let mut job = Job::new(Operation::Read, asking(1_400, 64), 4 * MIB);
        job.limits.windowsize = 64;
        let first = run(1, &job, path, path);
        let known = first.server.peer_metrics();
        let Manner::Bursts(blocks) = known.manner.manner else { panic!("{taken} blocks fit: {known:?}") };
        assert!((1..=taken).contains(&u32::from(blocks)), "{taken} blocks fit: {known:?}");
        let next = Job { known, ..Job { file: job.file[..MIB].into(), ..job.clone() } };
        let world = run(1, &next, path, path);
        let (seconds, effort) = (seconds(&next, &world), effort(&next, &world));
        assert!(
            seconds < most_seconds && effort < 1.1,
            "{taken} blocks fit: {seconds} s, {effort} sent per block, {known:?}"
        );
    }
}

/// A peer that takes more than it did, because another program of it asks, gets more after a while.
#[test]
fn a_receiver_that_has_become_larger_is_not_slow_for_ever() {
    let path = Path::clean(20).rate(10_000_000_000, 1 << 30);
    let mut job = Job::new(Operation::Read, asking(1_400, 64), 16 * MIB);
    job.limits.windowsize = 64;
    job.known.manner.manner = Manner::Bursts(4);
    let world = run(1, &job, path, path);
    assert!(seconds(&job, &world) < 1.5, "{} s", seconds(&job, &world));
    assert!(takes_more_than(16, world.server.peer_metrics()), "{:?}", world.server.peer_metrics());
    // The same over many short transfers.
    let mut job = Job { file: job.file[..MIB].into(), ..job };
    for _ in 0..25 {
        job.known = run(1, &job, path, path).server.peer_metrics();
    }
    assert!(takes_more_than(32, job.known), "{:?}", job.known);
}

fn takes_more_than(blocks: u16, known: PeerMetrics) -> bool {
    !matches!(known.manner.manner, Manner::Bursts(burst) if burst <= blocks)
}

/// A burst that fits loses nothing, and takes no longer than the receiver needs.
#[test]
fn a_burst_that_fits_loses_nothing() {
    let path = Path::clean(100).rate(1_000_000_000, 1 << 30).per_ms(16);
    for window in [4, 16, 64] {
        let mut job = Job::new(Operation::Read, asking(1_428, window), 4 * MIB);
        job.limits.burst = Some(7);
        let world = run(1, &job, path, path);
        assert!((effort(&job, &world) - 1.0).abs() < 1e-9, "window {window}");
        let seconds = seconds(&job, &world);
        assert!(seconds < 4.0 * 1_048_576.0 / 1_428.0 / 7.0 / 1_000.0 * 1.5, "window {window}: {seconds}");
    }
}

/// 155 Mb/s and 65 ms with a queue of 100 ms, and clients that repeat themselves after a second. Streams that begin
/// together overflow the queue, and each loses the end of its window. None of them may pay for that to its end.
#[test]
fn streams_that_overflow_a_path_together_share_it() {
    for (window, streams, least) in
        [(128, 8, 17.0), (367, 8, 11.0), (512, 4, 8.0), (512, 8, 9.0), (1_024, 8, 11.0)]
    {
        let rates = (0..4).map(|run| shared_far_path(32_500 + 171 * run, window, streams));
        let rate = average(rates);
        assert!(rate >= least, "{streams} streams in windows of {window}: {rate:.1} MB/s");
    }
}

/// Returns the MB/s of all `streams` together until the last of them has its part of 58 MB.
fn shared_far_path(delay: u64, window: u16, streams: usize) -> f64 {
    const BYTES: usize = 58_125_000;
    let far = Path::clean(delay).rate(155_000_000, 1_940_000);
    let mut job = Job::new(Operation::Read, asking(1_428, window), BYTES / streams);
    job.limits.windowsize = 1_024;
    let clients = (0..streams).map(|_| Plain::new(job.requested).patient(1_000_000));
    let servers = (0..streams).map(|_| Endpoint::server(job.clone(), Faults::default()));
    let mut world = World::new(1, Several(clients.collect()), Several(servers.collect()), far, far);
    world.run(millis(60_000));
    assert!(world.client.0.iter().all(|client| client.bytes == *job.file), "other bytes");
    let last = world.client.0.iter().map(|client| client.done.expect("all have ended")).max();
    BYTES as f64 / last.map_or(f64::INFINITY, |time| time.as_micros() as f64)
}

/// Two hundred machines load an image over one link, which they fill. Some of them go on at the pace that the others left them
/// when those have ended, but not for long.
#[test]
fn machines_that_fill_a_link_together_end_together() {
    const STREAMS: usize = 200;
    const BYTES: usize = 10_000_000;
    let needed = (STREAMS * BYTES) as f64 * 8.0 / 1e9;
    for (window, most) in [(16, 1.25), (64, 1.5)] {
        let link = Path::clean(100).rate(1_000_000_000, 2_500_000);
        let mut job = Job::new(Operation::Read, asking(1_428, window), BYTES);
        job.limits.windowsize = 64;
        let clients = (0..STREAMS).map(|_| Plain::new(job.requested).patient(5_000_000).tries(100));
        let servers = (0..STREAMS).map(|_| Endpoint::server(job.clone(), Faults::default()));
        let mut world = World::new(1, Several(clients.collect()), Several(servers.collect()), link, link);
        world.run(millis(600_000));
        let done = world.client.0.iter().map(|client| client.done.expect("all have ended"));
        let last = done.max().map_or(f64::INFINITY, |time| time.as_micros() as f64 / 1e6);
        assert!(last < needed * most, "windows of {window}: {last:.1} s instead of {needed:.1}");
    }
}

/// A path of 20 ms: each window is acknowledged up to its first lost block, and the next one begins there. If each loss
/// is repaired in one round trip, that allows (1 - (1 - p)^w) / p blocks in each.
#[test]
fn losses_on_a_path_of_20_ms_cost_little_more_than_their_repair() {
    let far = Path::clean(10_000);
    for (window, loss, least) in
        [(16_u16, 0.01_f64, 0.95), (64, 0.01, 0.9), (16, 0.05, 0.87), (64, 0.05, 0.83)]
    {
        let mut job = Job::new(Operation::Read, asking(1_428, window), 4 * MIB);
        job.limits.windowsize = 64;
        let worlds: Vec<_> = (0..8).map(|seed| run(seed, &job, far, far.loss(loss))).collect();
        let blocks = worlds[0].server.blocks() as f64;
        let allowed = (1.0 - (1.0 - loss).powi(window.into())) / loss;
        let part = blocks / allowed * 0.02 / average(worlds.iter().map(|world| seconds(&job, world)));
        assert!(part >= least, "window {window}, {loss} lost: {part:.2} of what is possible");
    }
}

/// A receiver on the same machine reads as fast as single datagrams come; a segmented window overflows its buffer.
#[test]
fn a_fast_receiver_with_a_small_buffer_is_not_slowed_down() {
    for (room, window) in [(7, 16), (14, 64), (28, 64)] {
        let down = Path::clean(5).buffer(Buffer { room, reading: 2, waking: Waking::After(10) });
        let mut job = Job::new(Operation::Read, asking(1_400, window), 10 * MIB);
        job.limits.windowsize = 64;
        job.known = run(1, &job, Path::clean(5), down).server.peer_metrics();
        assert_eq!(job.known.manner.manner, Manner::Singly, "room for {room}");
        let world = run(1, &job, Path::clean(5), down);
        let (seconds, effort) = (seconds(&job, &world), effort(&job, &world));
        assert!(seconds < 0.05 && effort < 1.05, "room for {room}: {seconds} s, {effort} sent per block");
    }
}

/// Loopback on a busy machine, with losses by chance that are reported at once: a window that took long says nothing about
/// the manner in which it was sent. Judged by the time alone, 69 to 91 % leave as single datagrams.
#[test]
fn losses_by_chance_on_a_busy_machine_leave_windows_whole() {
    for (window, loss, most_singly) in [(16, 0.01, 0.02), (64, 0.01, 0.12), (16, 0.05, 0.2), (64, 0.05, 0.4)]
    {
        let busy = Path::clean(15).rate(10_000_000_000, 1 << 30).loss(loss).preempted(0.02, 300);
        let mut job = Job::new(Operation::Read, asking(1_400, window), MIB);
        job.limits.windowsize = 64;
        let (mut singly, mut data) = (0, 0);
        for seed in 0..64 {
            let world = run(seed, &job, busy, busy);
            assert_whole(&job, &world);
            job.known = world.server.peer_metrics();
            (singly, data) = (singly + world.server.report.singly, data + world.server.report.data);
        }
        let part = singly as f64 / data as f64;
        assert!(part < most_singly, "window {window}, loss {loss}: {part:.3} sent as single datagrams");
    }
}

/// On the same machine without losses, now and then a window overflows the buffer of a receiver that was not scheduled.
#[test]
fn an_overflow_now_and_then_leaves_windows_whole() {
    let path = Path::clean(15).rate(10_000_000_000, 1 << 30).preempted(0.002, 400);
    let down = path.buffer(Buffer { room: 90, reading: 1, waking: Waking::After(10) });
    let mut job = Job::new(Operation::Read, asking(1_400, 64), 4 * MIB);
    job.limits.windowsize = 64;
    let (mut singly, mut data, mut lost) = (0, 0, 0);
    for seed in 0..32 {
        let world = run(seed, &job, path, down.loss(0.0005));
        job.known = world.server.peer_metrics();
        (singly, data) = (singly + world.server.report.singly, data + world.server.report.data);
        lost += world.down.lost;
    }
    let part = singly as f64 / data as f64;
    assert!(lost > 0 && part < 0.02, "{part:.3} sent as single datagrams, {lost} lost");
}
