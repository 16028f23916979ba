//! Transfers with a rate: what goes over the path in each second.

use super::simulator::{ACK, DATA, Endpoint, Faults, Job, Path, Peer, World, asking, millis, number, opcode};
use tuffet_core::{DATA_HEADER, Finish, Operation, OptionName, Stats, Time};

const BOTH: [Operation; 2] = [Operation::Read, Operation::Write];
const LAN: Path = Path::clean(100);

/// A server, and when it sent or acknowledged how many bytes.
struct Metered {
    server: Endpoint,
    blksize: u64,
    acked: u16,
    log: Vec<(Time, u64)>,
}

impl Metered {
    fn note(&mut self, now: Time, sent: &[Vec<u8>]) {
        for datagram in sent {
            let bytes = match opcode(datagram) {
                DATA => (datagram.len() - DATA_HEADER) as u64,
                ACK => {
                    let blocks =
                        number(datagram).wrapping_sub(std::mem::replace(&mut self.acked, number(datagram)));
                    u64::from(blocks) * self.blksize
                }
                _ => continue,
            };
            if bytes > 0 {
                self.log.push((now, bytes));
            }
        }
    }

    /// The most bytes that went out within a second; the last ones of an upload are never held back.
    fn most_in_a_second(&self) -> u64 {
        let (mut first, mut sum, mut most) = (0, 0, 0);
        for (time, bytes) in &self.log[..self.log.len().saturating_sub(1)] {
            sum += bytes;
            while time.since(self.log[first].0).as_secs() >= 1 {
                sum -= self.log[first].1;
                first += 1;
            }
            most = most.max(sum);
        }
        most
    }

    /// Bytes per second between the first bytes and those before the last.
    fn rate(&self) -> f64 {
        let [first, between @ .., _] = &self.log[..] else { return 0.0 };
        let bytes: u64 = between.iter().map(|entry| entry.1).sum();
        bytes as f64 / between.last().map_or(f64::INFINITY, |last| last.0.since(first.0).as_secs_f64())
    }
}

impl Peer for Metered {
    fn deadline(&self) -> Time {
        self.server.deadline()
    }

    fn wake(&mut self, now: Time, out: &mut Vec<Vec<u8>>) {
        let before = out.len();
        self.server.wake(now, out);
        self.note(now, &out[before..]);
    }

    fn receive(&mut self, now: Time, datagram: &[u8], out: &mut Vec<Vec<u8>>) {
        let before = out.len();
        self.server.receive(now, datagram, out);
        self.note(now, &out[before..]);
    }
}

fn job(operation: Operation, blksize: u16, window: u16, rate: u32, seconds: u32) -> Job {
    let mut job = Job::new(operation, asking(blksize, window), (rate * seconds) as usize);
    job.limits.rate = Some(rate);
    job
}

fn run(seed: u64, job: &Job, path: Path) -> World<Endpoint, Metered> {
    let client = Endpoint::client(job.clone(), Faults::default());
    let server = Endpoint::server(job.clone(), Faults::default());
    let blksize = u64::from(job.requested.block_size());
    let server = Metered { server, blksize, acked: 0, log: Vec::new() };
    let mut world = World::new(seed, client, server, path, path);
    world.run(millis(3_600_000));
    let ends = (world.client.report.finish, world.server.server.report.finish);
    assert_eq!(ends, (Some(Finish::Complete), Some(Finish::Complete)), "{job}");
    world
}

/// Block size, window, and a rate that leaves a window half a second.
const CASES: [(u16, u16, u32); 9] = [
    (512, 1, 100_000),
    (512, 16, 500_000),
    (512, 64, 1_000_000),
    (1_428, 1, 200_000),
    (1_428, 16, 1_000_000),
    (1_428, 64, 2_000_000),
    (65_464, 1, 1_000_000),
    (65_464, 16, 4_000_000),
    (65_464, 64, 10_000_000),
];

/// Returns the rate of the server's packets as a part of the configured one. At most a window, or 50 ms, goes out
/// beyond it in any second.
fn kept(seed: u64, job: &Job, path: Path) -> f64 {
    let world = run(seed, job, path);
    let rate = f64::from(job.limits.rate.unwrap_or(u32::MAX));
    let (block, window) = (f64::from(job.requested.block_size()), f64::from(job.requested.window_size()));
    let most = rate + (rate / 20.0).max(block * window) + block;
    let second = world.server.most_in_a_second();
    assert!(second as f64 <= most, "seed {seed}: {second} bytes in a second, {job}");
    world.server.rate() / rate
}

#[test]
fn a_rate_is_kept_without_losses_and_nothing_is_repeated() {
    for (blksize, window, rate) in CASES {
        for operation in BOTH {
            for delay in [0, 100, 2_000] {
                let job = job(operation, blksize, window, rate, 4);
                let kept = kept(1, &job, Path::clean(delay));
                assert!((0.98..1.02).contains(&kept), "{kept}, {delay} µs, {job}");
                let world = run(1, &job, Path::clean(delay));
                let ends = [world.server.server.report.stats, world.client.report.stats];
                assert_eq!(ends, [Stats::default(); 2], "{delay} µs, {job}");
            }
        }
    }
}

/// Retransmissions count: a lossy path does not get more.
#[test]
fn downloads_keep_their_rate_while_one_in_twenty_is_lost() {
    for (blksize, window, rate) in CASES {
        for seed in 0..6 {
            let job = job(Operation::Read, blksize, window, rate, 6);
            let kept = kept(seed, &job, LAN.loss(0.05));
            assert!((0.95..1.05).contains(&kept), "seed {seed}: {kept}, {job}");
        }
    }
}

/// The client waits for its own time-outs, and may take slow ACKs for a slow path: an upload may fall below the rate.
#[test]
fn uploads_stay_below_their_rate_while_one_in_twenty_is_lost() {
    for (blksize, window, rate) in CASES {
        for seed in 0..6 {
            let job = job(Operation::Write, blksize, window, rate, 4);
            let kept = kept(seed, &job, LAN.loss(0.05));
            assert!((0.45..1.05).contains(&kept), "seed {seed}: {kept}, {job}");
        }
    }
}

/// The path takes 10 ms, and a window a third of a second: that is not the time after which a lost block is repeated.
#[test]
fn a_lost_end_of_a_window_is_repeated_after_a_round_trip() {
    let job = job(Operation::Read, 1_428, 64, 300_000, 4);
    let client = Endpoint::client(job.clone(), Faults::default());
    let server = Endpoint::server(job.clone(), Faults::default());
    let server = Metered { server, blksize: 1_428, acked: 0, log: Vec::new() };
    let path = Path::clean(5_000);
    let mut world = World::new(1, client, server, path, path);
    let mut lost = false;
    // The last block of the sixth window.
    world.down.lose(move |datagram| {
        let it = !lost && opcode(datagram) == DATA && number(datagram) == 384;
        lost |= it;
        it
    });
    world.run(millis(60_000));
    assert_eq!(
        world.server.server.report.stats,
        Stats { retransmissions: 1, timeouts: 1, ..Stats::default() }
    );
    let times = world.server.log.windows(2).map(|pair| pair[1].0.since(pair[0].0).as_millis());
    let longest = times.max();
    assert!(longest < Some(60), "{longest:?} ms without a block");
}

/// The fifth byte of an ACK chooses the window, not the rate.
#[test]
fn windows_that_acks_choose_have_a_rate() {
    use tuffet_core::{Limits, OptionSet, Output, Settings, Transfer};
    let rate = 100_000;
    let limits = Limits { rate: Some(rate), ..Limits::default() };
    let limits = Limits { acknowledged: limits.acknowledged.with(OptionName::Msftwindow), ..limits };
    let requested = OptionSet { blksize: Some(1_000), msftwindow: true, ..OptionSet::default() };
    let mut transfer = Transfer::server(millis(0), Operation::Read, Settings::default());
    transfer.handle_grant(millis(0), &requested, &limits, Some(10_000_000));
    let (mut sent, mut acked) = (0_u64, 0_u64);
    for millisecond in 1..4_000 {
        let now = millis(millisecond);
        let last = (acked as u16).to_be_bytes();
        assert_eq!(transfer.handle_datagram(now, &[0, 4, last[0], last[1], 255]), Ok(()));
        loop {
            match transfer.poll(now) {
                Output::Send(blocks) => {
                    sent += u64::from(blocks.count) * 1_000;
                    acked = acked.max(blocks.first + u64::from(blocks.count) - 1);
                }
                Output::Timeout(_) => break,
                _ => {}
            }
        }
    }
    assert!((380_000..=420_000).contains(&sent), "{sent} bytes in four seconds");
}

/// What it repeats costs as much as what it sends first, and it gives up in time.
#[test]
fn a_client_that_vanishes_is_given_up() {
    for operation in BOTH {
        for window in [1, 64] {
            let job = job(operation, 512, window, 2_000, 60);
            let faults = Faults { vanishes_after: Some(20), ..Faults::default() };
            let client = Endpoint::client(job.clone(), faults);
            let server = Endpoint::server(job.clone(), Faults::default());
            let mut world = World::new(1, client, server, LAN, LAN);
            world.run(millis(120_000));
            assert_eq!(world.server.report.finish, Some(Finish::TimedOut), "{job}");
        }
    }
}
