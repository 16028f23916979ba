//! Transfers over good and bad paths.

use crate::roots::{Memory, writable};
use crate::{SIZE, image, large, ms, serving};
use tuffet::Outcome;
use tuffet_testing::virtual_time::{Options, Path, Request, World};

/// The seeds of each path.
const SEEDS: u64 = 67;

fn bad(loss: f64) -> Path {
    Path { delay: ms(2), jitter: ms(1), loss, duplicate: 0.02, reorder: 0.02 }
}

#[test]
fn reads_are_complete_over_bad_paths() {
    let content = image(SIZE);
    for loss in [0.0, 0.01, 0.1] {
        for seed in 0..SEEDS {
            let mut world = World::new(serving(content.clone()), bad(loss), seed).unwrap();
            let got = world.get("image", large()).unwrap_or_else(|error| panic!("{loss} {seed}: {error}"));
            assert!(*got.bytes == *content, "loss {loss}, seed {seed}");
            assert_eq!(got.outcome, Some(Outcome::Served), "loss {loss}, seed {seed}");
        }
    }
}

#[test]
fn writes_are_complete_over_bad_paths() {
    let content = image(SIZE);
    for loss in [0.0, 0.01, 0.1] {
        for seed in 0..SEEDS {
            let memory = Memory::default();
            let mut world = World::new(writable(&memory), bad(loss), seed).unwrap();
            let put = world.put("disk/upload", content.clone(), large());
            let put = put.unwrap_or_else(|error| panic!("{loss} {seed}: {error}"));
            assert_eq!(put.outcome, Some(Outcome::Stored), "loss {loss}, seed {seed}");
            let stored = memory.stored();
            assert_eq!(stored.len(), 1, "loss {loss}, seed {seed}: committed once");
            assert!(stored[0].1 == *content, "loss {loss}, seed {seed}");
        }
    }
}

#[test]
fn a_seed_is_a_run() {
    let content = image(200_000);
    let run = |seed: u64| {
        let memory = Memory::default();
        let mut world = World::new(writable(&memory), bad(0.05), seed).unwrap();
        for number in 0..4_u8 {
            let client = [192, 0, 2, number / 2].into();
            let put = Request::put(&format!("disk/{number}"), content.clone()).client(client);
            world.start(put.options(Options::windows(1428, 8))).unwrap();
        }
        world.settle();
        let sums: Vec<_> = world.summaries().iter().map(|it| (it.bytes, it.duration, it.stats)).collect();
        (world.trace().clone(), sums, world.elapsed())
    };
    for seed in 0..10 {
        let (one, other) = (run(seed), run(seed));
        assert_eq!(one.0.to_string(), other.0.to_string(), "seed {seed}");
        assert!(one == other, "seed {seed}");
        assert!(one.0 != run(seed + 1_000).0, "seed {seed}");
    }
}

#[test]
fn time_is_that_of_the_path() {
    let content = image(100 * 512);
    let path = Path { delay: ms(50), ..Path::default() };
    let mut world = World::new(serving(content.clone()), path, 0).unwrap();
    let got = world.get("image", Options::default()).unwrap();
    assert_eq!(*got.bytes, *content);
    // A round trip for each block, and one for the empty block at the end; the server's last ACK is under way.
    assert_eq!(got.took, ms(101 * 100));
    assert_eq!(world.elapsed(), ms(101 * 100 + 50));
    assert_eq!((got.to_server, got.to_client), (1 + 101, 101));
    assert_eq!(world.summaries()[0].duration, ms(101 * 100));
    let trace = world.trace().to_string();
    let lines: Vec<&str> = trace.lines().take(3).collect();
    let expected = [
        "0.000000 192.0.2.1:49152 -> 0 RRQ image",
        "0.050000 192.0.2.1:49152 <- 1 DATA 1, 512 bytes",
        "0.100000 192.0.2.1:49152 -> 1 ACK 1",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn clients_share_the_server() {
    let content = image(500_000);
    let mut world = World::new(serving(content.clone()), bad(0.02), 7).unwrap();
    let all: Vec<_> = (0..50_u8)
        .map(|number| {
            let request = Request::get("image").client([192, 0, 2, number].into());
            world.start(request.options(Options::windows(1428, 16))).unwrap()
        })
        .collect();
    world.run();
    for id in all {
        assert!(world.report(id).bytes == *content);
        assert_eq!(world.report(id).outcome, Some(Outcome::Served));
    }
    assert_eq!(world.summaries().len(), world.end().len());
}

#[test]
fn nobody_answers_through_a_dead_path() {
    let mut world = World::new(serving(image(10)), Path { loss: 1.0, ..Path::default() }, 0).unwrap();
    let error = world.get("image", Options::default()).unwrap_err();
    assert_eq!(error, tuffet_testing::ClientError::NoAnswer);
    let last = world.last().unwrap();
    assert_eq!((last.outcome, last.to_client), (None, 0));
    assert!(last.took > ms(5_000), "it asked again");
}
