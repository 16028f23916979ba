//! Whatever the network does, the bytes are those of the file.

use super::world::{Plan, World, on_wire};
use fastrand::Rng;
use std::time::Duration;
use tuffet_client::{Mode, Options};
use tuffet_core::Finish;
use tuffet_testkit::seeds::{run, seeds};

/// No transfer takes so long, not even one that loses a packet in five.
const MOST: Duration = Duration::from_secs(3_600);

fn pick<T: Clone>(random: &mut Rng, from: &[T]) -> T {
    from[random.usize(..from.len())].clone()
}

fn plan(random: &mut Rng) -> Plan {
    let mut options = Options::none();
    options.blksize = pick(random, &[None, Some(8), Some(512), Some(1_000), Some(1_428), Some(65_464)]);
    options.windowsize = pick(random, &[None, Some(1), Some(2), Some(4), Some(16), Some(64), Some(1_000)]);
    options.timeout = pick(random, &[None, None, Some(1), Some(3)]);
    options.tsize = random.bool();
    options.mode = pick(random, &[Mode::Octet, Mode::Octet, Mode::Netascii]);
    options.patience = Duration::from_secs(120);
    options.dally = pick(random, &[Options::none().dally, options.patience]);
    let knows_options = random.u8(..8) > 0;
    let blksize = usize::from(options.blksize.filter(|_| knows_options).unwrap_or(512));
    let size = match random.u8(..6) {
        0 => 0,
        1 => blksize * random.usize(1..20),
        2 => blksize * random.usize(1..20) - 1,
        3 => random.usize(..3),
        _ => random.usize(..blksize * 50),
    };
    // Many of these bytes are two on the wire.
    let file =
        (0..size).map(|_| if random.u8(..8) == 0 { b"\r\n\0x"[random.usize(..4)] } else { random.u8(..) });
    let file = file.collect();
    let is_upload = random.bool();
    let [loss, duplicate, reorder] = [(); 3].map(|()| pick(random, &[0.0, 0.0, 0.02, 0.1]));
    Plan {
        options,
        file,
        is_upload,
        is_sized: random.bool(),
        knows_options,
        is_single_port: random.bool(),
        loss,
        duplicate,
        reorder,
        delay: pick(random, &[50, 1_000, 20_000]),
        source_delay: pick(random, &[0, 0, 1_000, 2_000_000]),
    }
}

/// Runs a world, and compares the bytes at both ends.
fn assert_whole(plan: Plan, seed: u64) {
    let mut world = World::new(plan.clone(), seed);
    world.run(MOST);
    let report = world.result.as_ref().expect("the client ended").as_ref().expect("the client succeeded");
    let wire = on_wire(&plan.file, plan.options.mode);
    assert_eq!(report.bytes, wire.len() as u64);
    if plan.is_upload {
        assert!(world.stored == wire, "{} bytes instead of {}", world.stored.len(), wire.len());
        assert_eq!(world.finish, Some(Finish::Complete));
    } else {
        assert!(world.got == plan.file, "{} bytes instead of {}", world.got.len(), plan.file.len());
        // Otherwise the last ACK may be lost, and the client gone.
        let knows = plan.loss == 0.0 || plan.options.dally == plan.options.patience;
        assert!(
            !knows || matches!(world.finish, Some(Finish::Complete | Finish::Unacknowledged)),
            "{:?}",
            world.finish
        );
    }
    if !plan.knows_options {
        assert_eq!((report.blksize, report.windowsize), (512, 1));
    }
}

#[test]
fn every_option_on_every_network() {
    for seed in seeds(600) {
        let plan = plan(&mut Rng::with_seed(seed));
        let described =
            || format!("{} bytes, {:?}", plan.file.len(), Plan { file: Vec::new(), ..plan.clone() });
        run(seed, "-p tuffet-client --test exchange", described, || assert_whole(plan.clone(), seed));
    }
}

/// More blocks than there are numbers.
#[test]
fn block_numbers_begin_again() {
    for (seed, is_upload, windowsize) in
        [(1, false, None), (2, true, None), (3, false, Some(64)), (4, true, Some(64))]
    {
        let mut random = Rng::with_seed(seed);
        let mut its = plan(&mut random);
        its.options.mode = Mode::Octet;
        (its.options.blksize, its.options.windowsize, its.options.timeout) = (Some(8), windowsize, None);
        (its.knows_options, its.is_upload) = (true, is_upload);
        (its.loss, its.duplicate, its.reorder, its.delay, its.source_delay) = (0.001, 0.001, 0.001, 50, 0);
        // Also past the end of the second round, by a multiple of the block size.
        its.file = (0..(2 * 65_536 + 3) * 8_u32).map(|n| (n / 5) as u8).collect();
        assert_whole(its, seed);
    }
}
