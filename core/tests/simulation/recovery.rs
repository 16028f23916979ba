//! How a server recovers from losses with clients that have one fixed time-out: each test is an observed
//! case.

use super::simulator::{
    ACK, DATA, Endpoint, Faults, Job, Path, Plain, World, asking, millis, number, opcode,
};
use std::cell::RefCell;
use std::rc::Rc;
use tuffet_core::{Finish, Operation, OptionSet, Time};

const LAN: Path = Path::clean(50);

/// The numbers of the blocks that the server sent, including copies.
type Sent = Rc<RefCell<Vec<u16>>>;

fn world(seed: u64, client: Plain, requested: OptionSet, size: usize, path: Path) -> World<Plain, Endpoint> {
    let job = Job::new(Operation::Read, requested, size);
    World::new(seed, client, Endpoint::server(job, Faults::default()), path, path)
}

/// Loses the named ACKs and blocks, each this many times, from the first one on.
fn lose(
    world: &mut World<Plain, Endpoint>,
    acks: &'static [(u16, u32)],
    blocks: &'static [(u16, u32)],
) -> Sent {
    let sent = Sent::default();
    let seen = sent.clone();
    for (link, code, lost) in [(&mut world.up, ACK, acks), (&mut world.down, DATA, blocks)] {
        let seen = seen.clone();
        let mut counts = std::collections::HashMap::new();
        link.lose(move |datagram| {
            if opcode(datagram) != code {
                return false;
            }
            let count = counts.entry(number(datagram)).or_insert(0);
            *count += 1;
            if code == DATA {
                seen.borrow_mut().push(number(datagram));
            }
            lost.iter().any(|(which, times)| *which == number(datagram) && *count <= *times)
        });
    }
    sent
}

/// Returns the milliseconds between the arrivals of a block and its predecessor.
fn pause(world: &World<Plain, Endpoint>, block: usize) -> u64 {
    let taken = &world.client.taken;
    (taken[block - 1].as_micros() - taken[block - 2].as_micros()) / 1_000
}

#[track_caller]
fn assert_served(world: &World<Plain, Endpoint>) {
    assert!(world.client.done.is_some(), "not served: {:?} {:?}", world.up, world.down);
    assert_eq!(world.server.report.finish, Some(Finish::Complete));
}

/// The answer to the second copy of block 1 is an upper bound. The next exact measurement replaces it.
#[test]
fn a_lost_first_ack_does_not_slow_down_what_follows() {
    for requested in [OptionSet::default(), asking(1_000, 1)] {
        for (block, lost) in [(4, &[(4, 2)]), (8, &[(8, 2)]), (16, &[(16, 2)])] {
            let mut world = world(1, Plain::new(requested), requested, 20_000, LAN);
            lose(&mut world, &[(1, 1)], lost);
            world.run(millis(150_000));
            assert_served(&world);
            assert!(pause(&world, block) <= 70, "block {block} after {} ms", pause(&world, block));
        }
    }
}

/// The same with a client that does not acknowledge a block again: its next ACK comes when its own timer
/// fires, which looks like a delayed answer.
#[test]
fn a_client_that_ignores_repeats_is_not_slow_for_that() {
    for requested in [OptionSet::default(), asking(1_000, 1)] {
        let mut world = world(1, Plain::new(requested).ignores_repeats(), requested, 20_000, LAN);
        lose(&mut world, &[(1, 1)], &[(8, 2)]);
        world.run(millis(150_000));
        assert_served(&world);
        assert!(pause(&world, 8) <= 130, "block 8 after {} ms", pause(&world, 8));
    }
}

#[test]
fn a_lost_ack_of_the_first_window_does_not_slow_down_what_follows() {
    let requested = asking(1_000, 8);
    for block in [24, 40] {
        let mut world = world(1, Plain::new(requested), requested, 50_000, LAN);
        // The last block of a window: only a time-out reveals its loss.
        lose(&mut world, &[(8, 1)], if block == 24 { &[(24, 1)] } else { &[(40, 1)] });
        world.run(millis(150_000));
        assert_served(&world);
        assert!(pause(&world, block) <= 30, "block {block} after {} ms", pause(&world, block));
    }
}

/// The client repeats ACK 7 every 400 ms: it is alive, and lacks block 8.
#[test]
fn a_client_that_repeats_its_ack_is_not_kept_waiting() {
    let mut world = world(1, Plain::new(OptionSet::default()), OptionSet::default(), 10_000, LAN);
    let sent = lose(&mut world, &[], &[(8, 20)]);
    world.run(millis(150_000));
    assert_served(&world);
    let pause = pause(&world, 8);
    assert!(pause < 2_100, "block 8 after {pause} ms");
    // Each ACK 7 restarts the timer: four copies until the next one. None answers the ACK itself.
    let copies = sent.borrow().iter().filter(|block| **block == 8).count();
    assert_eq!(copies, 21);
}

/// ACK 7 comes more often than the RTO: restarting the timer each time would keep block 8 back for ever.
#[test]
fn many_repeated_acks_do_not_hold_back_data() {
    let client = Plain::new(OptionSet::default()).patient(5_000).tries(u32::MAX);
    let mut world = world(1, client, OptionSet::default(), 10_000, LAN);
    let sent = lose(&mut world, &[], &[(8, 5)]);
    world.run(millis(150_000));
    assert_served(&world);
    let pause = pause(&world, 8);
    assert!(pause < 5_000, "block 8 after {pause} ms");
    let copies = sent.borrow().iter().filter(|block| **block == 8).count();
    assert_eq!(copies, 6);
}

/// One of a pair of ACKs is late: it causes no DATA (RFC 1123 section 4.2.3.1, the Sorcerer's Apprentice).
#[test]
fn doubled_acks_cause_no_data() {
    let path = LAN.duplicate(1.0);
    let mut world = world(1, Plain::new(OptionSet::default()), OptionSet::default(), 10_000, path);
    let sent = lose(&mut world, &[], &[]);
    world.run(millis(150_000));
    assert_served(&world);
    assert_eq!(sent.borrow().len(), 20);
}

fn bad_path(loss: f64) -> Vec<Option<Time>> {
    let requested = OptionSet::default();
    let times = |seed| {
        let mut world = world(seed, Plain::new(requested), requested, 8_192, LAN.loss(loss));
        world.run(millis(600_000));
        assert!(world.client.done.is_none() || world.client.bytes.len() == 8_192);
        world.client.done
    };
    (0..400).map(times).collect()
}

/// The client gives up after eight tries of 400 ms. 400 transfers of 8 KiB in lockstep, with losses in both
/// directions.
#[test]
fn lockstep_gets_through_a_bad_path() {
    for (loss, served, p90) in [(0.10, 400, 1_000), (0.25, 400, 4_000), (0.40, 380, 8_000)] {
        let mut times: Vec<_> = bad_path(loss).into_iter().flatten().collect();
        times.sort();
        let at = times[times.len() * 9 / 10].as_micros() / 1_000;
        println!("{loss}: {} served, p90 {at} ms", times.len());
        assert!(times.len() >= served && at < p90, "{loss}: {} served, p90 {at} ms", times.len());
    }
}

/// U-Boot's virtio driver has 32 receive buffers, and receives nothing any more once they have overflowed.
#[test]
fn a_client_that_stands_still_is_not_drowned() {
    for (window, last) in [(8, 41), (13, 41), (13, 39), (16, 41)] {
        for timeout in [None, Some(2)] {
            for still in [100_000, 300_000, 1_000_000, 3_000_000] {
                let requested = OptionSet { timeout, ..asking(1_468, window) };
                let client = Plain::new(requested)
                    .patient(5_000_000)
                    .stands_still_at(
                        if last == 41 { |block| block == 41 } else { |block| block == 39 },
                        still,
                    )
                    .with_room_for(32);
                let mut world = world(1, client, requested, 1_000_000, LAN.rate(1_000_000_000, u64::MAX));
                world.run(millis(120_000));
                assert!(!world.client.deaf, "window {window}, {still} µs");
                assert_served(&world);
            }
        }
    }
}

/// Nothing of the first window arrives, or only its beginning.
#[test]
fn a_lost_first_window_costs_one_time_out() {
    for from in [1, 3, 26] {
        let requested = asking(8_192, 64);
        let mut world = world(1, Plain::new(requested).patient(5_000_000), requested, 1 << 20, LAN);
        let mut seen = 0;
        world.down.lose(move |datagram| {
            seen += u32::from(opcode(datagram) == DATA);
            opcode(datagram) == DATA && seen <= 64 && seen >= from
        });
        world.run(millis(150_000));
        assert_served(&world);
        let took = world.client.done.unwrap_or_default().as_micros() / 1_000;
        assert!(took < 1_000, "{took} ms from block {from}");
    }
}

/// A client that is not scheduled for a while now and then answers late. The server counts the retransmission
/// as needless and raises its RTO for this client.
#[test]
fn repeats_that_prove_needless_raise_the_floor() {
    for still in [30_000, 60_000, 110_000] {
        for (requested, most) in [(OptionSet::default(), 5), (asking(512, 8), 20)] {
            let client = Plain::new(requested).stands_still_at(|block| block >= 64 && block % 8 == 0, still);
            let mut world = world(1, client, requested, 100_000, LAN);
            world.run(millis(150_000));
            assert_served(&world);
            let (again, needless) = (world.client.again, world.server.report.stats.needless);
            assert!(needless >= 1 && again >= 1, "{still} µs, {requested:?}: {needless}, {again} again");
            assert!(again <= most, "{still} µs, {requested:?}: {again} again");
        }
    }
}

/// From block 40 on the client needs half a second for each block: the RTO follows.
#[test]
fn a_client_that_becomes_slow_is_not_sent_everything_many_times() {
    for micros in [100_000, 500_000, 2_000_000] {
        let client =
            Plain::new(OptionSet::default()).patient(10_000_000).stands_still_at(|block| block >= 40, micros);
        let mut world = world(1, client, OptionSet::default(), 45_000, LAN);
        world.run(millis(300_000));
        assert_served(&world);
        assert!(world.client.again <= 30, "{micros} µs: {} again", world.client.again);
    }
}
