//! A scenario drawn from one seed: the transfer, the path and the faults.

use super::draw::{logarithmic, one_in, pick};
use super::{Endpoint, Faults, Job, Path, World};
use core::time::Duration;
use fastrand::Rng;
use tuffet_core::{
    Acknowledged, KnownManner, Limits, Manner, Mode, Operation, OptionName, OptionSet, PeerMetrics, Rollover,
    Settings, Timing,
};

/// The values that a seed determines.
#[derive(Debug, Clone)]
pub struct Scenario {
    pub seed: u64,
    pub job: Job,
    pub up: Path,
    pub down: Path,
    pub client: Faults,
    pub server: Faults,
}

/// The difficulty of the path and of the ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weather {
    Calm,
    Fair,
    Foul,
}

/// One in this many scenarios has more than 65,535 blocks.
const LONG_ONE_IN: u32 = 500;

impl Scenario {
    pub fn draw(seed: u64) -> Self {
        let random = &mut Rng::with_seed(seed);
        let weather = pick(random, &[Weather::Calm, Weather::Fair, Weather::Fair, Weather::Foul]);
        if one_in(random, LONG_ONE_IN) {
            return Scenario::long(seed, random);
        }
        let requested = options(random);
        let limits = Limits {
            blksize: pick(random, &[512, 1_428, 8_192, 65_464]),
            windowsize: pick(random, &[1, 4, 64, 64, 5_000]),
            burst: pick(random, &[None, None, Some(1), Some(20)]),
            rate: rate(seed),
            total_rate: None,
            client: 0,
            bears_duplicates: bears_duplicates(seed),
            bears_repeated_oack: bears_duplicates(!seed),
            acknowledged: acknowledged(seed),
            empty_tsize: seed.is_multiple_of(2),
        };
        let requested = with_options_of_tftp_hpa(requested, seed);
        let limits = limits.within_rate(&requested);
        let granted = OptionSet::grant(&requested, &limits, None);
        let size = file_size(random, u64::from(granted.block_size()));
        let (mut up, mut down) = paths(random, weather);
        if granted.window_size() > 64 {
            // A receiver that keeps no block beyond a gap makes hardly any progress when thousands of blocks
            // are reordered; a few reordered ones are enough.
            (up.jitter, down.jitter) = (0, 0);
        }
        Scenario {
            seed,
            job: Job {
                operation: pick(random, &[Operation::Read, Operation::Write]),
                mode: pick(random, &[Mode::Octet, Mode::Octet, Mode::Netascii]),
                requested,
                limits,
                settings: Settings {
                    timing: timing(random),
                    rollover: pick(random, &[Rollover::Zero, Rollover::One]),
                },
                known: known(seed),
                file: content(random, size),
            },
            up,
            down,
            client: faults(random, weather, size),
            server: faults(random, weather, size),
        }
    }

    /// Draws a transfer past the rollover, over a path that delays nothing for a whole period of block
    /// numbers.
    fn long(seed: u64, random: &mut Rng) -> Self {
        let windowsize = pick(random, &[None, Some(1), Some(16), Some(64)]);
        let path = Path::clean(random.u64(50..500)).loss(pick(random, &[0.0, 0.0005]));
        let size = random.usize(65_530 * 8..70_000 * 8);
        Scenario {
            seed,
            job: Job {
                operation: pick(random, &[Operation::Read, Operation::Write]),
                mode: Mode::Octet,
                requested: OptionSet { blksize: Some(8), windowsize, ..OptionSet::default() },
                limits: Limits::default(),
                settings: Settings {
                    rollover: pick(random, &[Rollover::Zero, Rollover::One]),
                    ..Settings::default()
                },
                known: PeerMetrics::default(),
                file: content(random, size),
            },
            up: path,
            down: path,
            client: Faults::default(),
            server: Faults::default(),
        }
    }

    pub fn world(&self) -> World<Endpoint, Endpoint> {
        let client = Endpoint::client(self.job.clone(), self.client);
        let server = Endpoint::server(self.job.clone(), self.server);
        World::new(self.seed, client, server, self.up, self.down)
    }

    /// Returns whether the transfer must succeed: nothing fails, and hardly anything is lost.
    pub fn must_succeed(&self) -> bool {
        let mild = |path: &Path| {
            path.loss <= 0.01
                && path.corrupt + path.truncate == 0.0
                && path.rate == 0
                && path.delay + path.jitter <= 50_000
        };
        mild(&self.up) && mild(&self.down) && self.client.is_sound() && self.server.is_sound()
    }

    /// Returns whether nothing may be sent twice: the path is faultless, and answers come at once.
    pub fn repeats_nothing(&self) -> bool {
        let quick = |path: &Path| path.is_faultless() && path.rate == 0 && path.delay <= 4_000;
        self.must_succeed()
            && quick(&self.up)
            && quick(&self.down)
            && self.client.is_idle()
            && self.server.is_idle()
            && self.acks_come_in_time()
    }

    /// Returns whether a rate delays no ACK of an upload beyond the first time-out of its sender.
    fn acks_come_in_time(&self) -> bool {
        let Job { operation, requested, limits, settings, .. } = &self.job;
        let Some(rate) = limits.rate.filter(|_| *operation == Operation::Write) else { return true };
        let granted = OptionSet::grant(requested, limits, None);
        let bytes = u64::from(granted.window_size()) * u64::from(granted.block_size());
        bytes * 1_000_000 / u64::from(rate) < u64::from(settings.timing.initial())
    }

    /// Returns a short description for a failure.
    pub fn describe(&self) -> String {
        let Scenario { job, up, down, client, server, .. } = self;
        format!("{job}\n  up {up:?}\n  down {down:?}\n  client {client:?}\n  server {server:?}")
    }
}

fn options(random: &mut Rng) -> OptionSet {
    if one_in(random, 5) {
        return OptionSet::default();
    }
    let blksize = match random.u32(0..6) {
        0 => None,
        1 => Some(pick(random, &[8, 511, 512, 513, 1_428, 65_464])),
        _ => Some(logarithmic(random, 8, 65_464) as u16),
    };
    let windowsize = match random.u32(0..10) {
        0..3 => None,
        3..9 => Some(random.u16(1..=64)),
        _ => Some(logarithmic(random, 64, 5_000) as u16),
    };
    OptionSet {
        blksize,
        windowsize,
        timeout: pick(random, &[None, None, Some(1), Some(5), Some(255)]),
        tsize: pick(random, &[None, Some(0), Some(4_711)]),
        ..OptionSet::default()
    }
}

/// Draws whether the transfer has a rate, as one in four has. The rest of a world does not depend on it.
fn rate(seed: u64) -> Option<u32> {
    let random = &mut Rng::with_seed(seed.reverse_bits());
    one_in(random, 4).then(|| logarithmic(random, 20_000, 100_000_000) as u32)
}

/// Draws what the server knows of its peer: in one of four worlds a manner, whether it is right or not.
fn known(seed: u64) -> PeerMetrics {
    let random = &mut Rng::with_seed(!seed.reverse_bits());
    let manner = match random.u16(0..400) {
        blocks @ 1..75 => Manner::Bursts(blocks),
        75..100 => Manner::Singly,
        _ => Manner::Whole,
    };
    let manner = KnownManner { manner, rest_ms: random.u16(..) };
    PeerMetrics { manner, ..PeerMetrics::default() }
}

/// Draws whether the server knows that its client bears copies, as it does in one of two worlds.
fn bears_duplicates(seed: u64) -> bool {
    Rng::with_seed(seed.rotate_left(32)).bool()
}

/// Draws whether the server has the options of tftp-hpa.
fn acknowledged(seed: u64) -> Acknowledged {
    let all = Acknowledged::default()
        .with(OptionName::Rollover)
        .with(OptionName::Blksize2)
        .with(OptionName::Utimeout);
    if seed.is_multiple_of(2) { all } else { Acknowledged::default() }
}

/// Adds options of tftp-hpa in one of four worlds. They have a generator of their own: the rest of a world does not
/// depend on them.
fn with_options_of_tftp_hpa(options: OptionSet, seed: u64) -> OptionSet {
    let random = &mut Rng::with_seed(!seed);
    if !one_in(random, 4) {
        return options;
    }
    OptionSet {
        rollover: pick(random, &[None, Some(Rollover::Zero), Some(Rollover::One)]),
        blksize2: pick(random, &[None, Some(511), Some(512), Some(1_428)]),
        utimeout: pick(random, &[None, Some(10_000), Some(300_000), Some(255_000_000)]),
        ..options
    }
}

/// Draws an empty file, one of about a number of whole blocks, or any size; up to some hundred KiB.
fn file_size(random: &mut Rng, blksize: u64) -> usize {
    let blocks = logarithmic(random, 1, (300_000 / blksize).clamp(4, 3_000));
    let size = match random.u32(0..6) {
        0 => 0,
        1 => blocks * blksize,
        2 => blocks * blksize - 1,
        3 => blocks * blksize + 1,
        _ => random.u64(0..=blocks * blksize),
    };
    size as usize
}

/// Draws the bytes; some files consist of lines, for netascii.
fn content(random: &mut Rng, size: usize) -> std::rc::Rc<[u8]> {
    if random.bool() {
        return std::iter::repeat_with(|| random.u8(..)).take(size).collect();
    }
    std::iter::repeat_with(|| pick(random, b"ab\r\n\0\n")).take(size).collect()
}

fn paths(random: &mut Rng, weather: Weather) -> (Path, Path) {
    let delay = logarithmic(random, 20, 200_000);
    let (up, down) = (path(random, weather, delay), path(random, weather, delay));
    if random.bool() { (up, down) } else { (up, up) }
}

fn path(random: &mut Rng, weather: Weather, delay: u64) -> Path {
    let share = |random: &mut Rng, most: f64| if random.bool() { random.f64() * most } else { 0.0 };
    let path = Path::clean(delay);
    match weather {
        Weather::Calm if random.bool() => path,
        Weather::Calm => path.rate(logarithmic(random, 10_000_000, 10_000_000_000), u64::MAX),
        Weather::Fair => Path {
            jitter: random.u64(0..=delay / 4),
            loss: share(random, 0.01),
            duplicate: share(random, 0.02),
            reorder: share(random, 0.01),
            ..path
        },
        Weather::Foul => Path {
            jitter: random.u64(0..=delay * 2),
            loss: share(random, 0.3),
            duplicate: share(random, 1.0),
            reorder: share(random, 0.3),
            corrupt: if one_in(random, 4) { random.f64() * 0.05 } else { 0.0 },
            truncate: if one_in(random, 4) { random.f64() * 0.05 } else { 0.0 },
            unchecked: one_in(random, 4),
            rate: if random.bool() { logarithmic(random, 1_000_000, 1_000_000_000) } else { 0 },
            queue: logarithmic(random, 2_000, 10_000_000),
            ..path
        },
    }
}

fn faults(random: &mut Rng, weather: Weather, size: usize) -> Faults {
    if weather == Weather::Foul { Faults::foul(random, size as u64) } else { Faults::mild(random) }
}

fn timing(random: &mut Rng) -> Timing {
    if random.bool() {
        return Timing::default();
    }
    let ms = Duration::from_millis;
    let give_up = random.u64(8_000..=60_000);
    Timing::new(
        ms(logarithmic(random, 1, 1_000)),
        ms(logarithmic(random, 10, 1_000)),
        ms(random.u64(500..=5_000)),
        ms(give_up),
        ms(random.u64(1_000..=10_000)),
    )
}
