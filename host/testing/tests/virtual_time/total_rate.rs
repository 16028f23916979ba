//! Clients of a profile that share a rate.

use crate::roots::{Memory, writable};
use crate::{image, ms, serving};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tuffet::Ceilings;
use tuffet::{Builder, Outcome, Profile};
use tuffet_testing::virtual_time::{Options, Path, Request, TransferId, World};
use tuffet_testing::{Delivery, Direction, Fate};

const LOCKSTEP: Options = Options { blksize: None, windowsize: None, timeout: None, tsize: false };

/// The branch office behind a line of this many bytes per second.
fn branch(total_rate: u64) -> Profile {
    Profile {
        name: Some("branch".into()),
        clients: vec!["192.0.2.0/24".parse().unwrap()],
        total_rate: Some(total_rate),
        ..Profile::default()
    }
}

fn inside(number: u8) -> IpAddr {
    [192, 0, 2, number].into()
}

fn outside(number: u8) -> IpAddr {
    [198, 51, 100, number].into()
}

fn fast() -> Options {
    Options::windows(1428, 64)
}

fn path(delay: u64, loss: f64) -> Path {
    Path { delay: ms(delay), loss, ..Path::default() }
}

fn get(world: &mut World, client: IpAddr, options: Options) -> TransferId {
    world.start(Request::get("image").client(client).options(options)).unwrap()
}

/// The times and bytes of DATA to the branch.
fn sent(world: &World) -> Vec<(Duration, u64)> {
    let to_branch = world.trace().passages().iter().filter(|passage| {
        passage.direction == Direction::ToClient && passage.head[1] == 3 && is_inside(passage.client.ip())
    });
    to_branch.map(|passage| (passage.at, passage.length as u64 - 4)).collect()
}

fn is_inside(client: IpAddr) -> bool {
    matches!(client, IpAddr::V4(its) if its.octets()[..3] == [192, 0, 2])
}

/// The largest surplus over the rate, in bytes, from any moment on and for any time.
fn surplus(sent: &[(Duration, u64)], rate: u64) -> f64 {
    let (mut level, mut lowest, mut most, mut before) = (0.0_f64, 0.0_f64, 0.0_f64, Duration::ZERO);
    for (at, bytes) in sent {
        level -= rate as f64 * (*at - before).as_secs_f64();
        lowest = lowest.min(level);
        level += *bytes as f64;
        most = most.max(level - lowest);
        before = *at;
    }
    most
}

/// What all may send beyond the rate: 80 ms of it, and a burst of 20 ms or a block.
fn tolerance(rate: u64) -> f64 {
    rate as f64 * 0.08 + (rate as f64 * 0.02).max(1468.0)
}

#[test]
fn all_clients_together_keep_the_rate_and_use_it() {
    let content = image(300_000);
    for seed in 0..24 {
        let rate = [64 << 10, 1_000_000, 20_000_000][seed as usize % 3];
        let loss = if seed % 2 == 0 { 0.0 } else { 0.02 };
        let builder = serving(content.clone()).profile(branch(rate));
        let mut world = World::new(builder, path(1 + seed, loss), seed).unwrap();
        let options = |number| if number % 3 == 0 { LOCKSTEP } else { fast() };
        let all: Vec<_> = (0..12).map(|number| get(&mut world, inside(number), options(number))).collect();
        world.run();
        for id in all {
            let report = world.report(id);
            assert!(report.bytes == *content, "seed {seed}: {:?}", report.result);
            assert_eq!(report.outcome, Some(Outcome::Served), "seed {seed}");
        }
        let sent = sent(&world);
        let surplus = surplus(&sent, rate);
        assert!(surplus <= tolerance(rate), "seed {seed}, rate {rate}: {surplus} bytes beyond it");
        if loss == 0.0 {
            let least = sent.iter().map(|(_, bytes)| bytes).sum::<u64>() as f64 / rate as f64;
            // Those in lockstep send a block in each round trip, at best.
            let least = least.max(587.0 * 2.0 * (1 + seed) as f64 / 1_000.0);
            let took = world.elapsed().as_secs_f64();
            assert!(took < least * 1.05 + 0.5, "seed {seed}, rate {rate}: {took} s for {least} s");
        }
    }
}

#[test]
fn clients_elsewhere_notice_nothing() {
    let content = image(500_000);
    let alone = {
        let mut world = World::new(serving(content.clone()), path(5, 0.0), 0).unwrap();
        let id = get(&mut world, outside(1), fast());
        world.run();
        world.report(id).took
    };
    let mut world = World::new(serving(content.clone()).profile(branch(50_000)), path(5, 0.0), 0).unwrap();
    for number in 0..30 {
        get(&mut world, inside(number), fast());
    }
    let other = get(&mut world, outside(1), fast());
    world.run();
    assert_eq!(world.report(other).took, alone);
}

/// The throughput of a client in lockstep, in bytes per second, beside so many with windows.
fn beside(windows: u8, rate: u64, seed: u64) -> f64 {
    let content = image(4_000_000);
    let builder = serving(content).profile(branch(rate));
    let mut world = World::new(builder, path(5, 0.0), seed).unwrap();
    for number in 0..windows {
        get(&mut world, inside(number), fast());
    }
    world.run_for(ms(500));
    let slow = get(&mut world, inside(200), LOCKSTEP);
    world.run_for(ms(3_000));
    world.report(slow).bytes.len() as f64 / 3.0
}

#[test]
fn windows_take_nothing_from_a_client_in_lockstep_that_needs_less_than_its_share() {
    for seed in 0..4 {
        // A round trip of 10 ms: 51 kB/s. The share of one in six is 166 kB/s.
        let alone = beside(0, 1_000_000, seed);
        let among_others = beside(5, 1_000_000, seed);
        assert!((49_000.0..52_000.0).contains(&alone), "seed {seed}: {alone}");
        assert!(among_others >= 0.9 * alone, "seed {seed}: {among_others}, and {alone} alone");
        // The share of one in twenty-one is 24 kB/s.
        let among_many = beside(20, 500_000, seed);
        assert!(among_many >= 0.6 * 500_000.0 / 21.0, "seed {seed}: {among_many} of {}", 500_000.0 / 21.0);
    }
}

#[test]
fn equal_clients_get_equal_shares() {
    for (seed, options) in [(0, fast()), (1, LOCKSTEP), (2, Options::windows(512, 4))] {
        let content = image(200_000);
        let builder = serving(content.clone()).profile(branch(400_000));
        let mut world = World::new(builder, path(2, 0.0), seed).unwrap();
        let all: Vec<_> = (0..10).map(|number| get(&mut world, inside(number), options)).collect();
        world.run_for(ms(2_000));
        let got: Vec<_> = all.iter().map(|id| world.report(*id).bytes.len() as f64).collect();
        let mean = got.iter().sum::<f64>() / got.len() as f64;
        let fair = got.iter().all(|bytes| (0.8 * mean..1.2 * mean).contains(bytes));
        assert!(fair && mean > 60_000.0, "seed {seed}: {got:?}");
    }
}

/// Loses everything to the client with blocks of 600 bytes from a moment on: it stops acknowledging.
fn deaf() -> impl Fate {
    let mut heard = 0;
    move |direction: Direction, datagram: &[u8]| {
        let is_to_it = direction == Direction::ToClient && datagram.len() == 604;
        heard += usize::from(is_to_it);
        let delivery = Delivery { after: ms(2), bytes: datagram.to_vec(), stranger: false };
        if is_to_it && heard > 100 { Vec::new() } else { vec![delivery] }
    }
}

#[test]
fn a_client_that_stops_acknowledging_costs_the_others_nothing() {
    let (content, rate) = (image(1_000_000), 500_000);
    let mut world = World::over(serving(content.clone()).profile(branch(rate)), deaf()).unwrap();
    let dead = get(&mut world, inside(0), Options { tsize: false, ..Options::windows(600, 32) });
    world.run_for(ms(1_000));
    let begun = world.elapsed();
    let all: Vec<_> = (1..5).map(|number| get(&mut world, inside(number), fast())).collect();
    world.run();
    let sent = sent(&world);
    assert!(surplus(&sent, rate) <= tolerance(rate));
    assert_eq!(world.report(dead).outcome, Some(Outcome::TimedOut));
    let took = all.iter().map(|id| world.report(*id).took).max().unwrap();
    let least = Duration::from_secs_f64(all.len() as f64 * content.len() as f64 / rate as f64);
    assert!(all.iter().all(|id| world.report(*id).bytes == *content));
    assert!(took < least.mul_f64(1.02) + ms(100), "{took:?} for {least:?} from {begun:?} on");
}

/// A client that sends 2,000 requests from one port within a second, each for another file, and answers nothing.
fn restless() -> impl Fate {
    |direction: Direction, datagram: &[u8]| {
        let is_request = direction == Direction::ToServer && datagram.starts_with(b"\0\x01image-");
        let all = (0..if is_request { 2_000 } else { 1 }).map(|number: u64| {
            let request = format!("\0\x01image-{number}\0octet\0").into_bytes();
            let bytes = if is_request { request } else { datagram.to_vec() };
            Delivery { after: Duration::from_micros(2_000 + 500 * number), bytes, stranger: false }
        });
        all.collect::<Vec<_>>()
    }
}

#[test]
fn a_client_that_requests_and_never_answers_holds_nobody_back() {
    let content = image(10_000);
    let image = Arc::clone(&content);
    let any = tuffet::resolve_fn(move |asked| {
        asked.path.starts_with("image").then(|| tuffet::Source::bytes(Arc::clone(&image)))
    });
    // Its first blocks alone would take ten seconds.
    let builder = tuffet::Server::builder().resolve("images", any).profile(branch(100_000));
    let mut world = World::over(builder, restless()).unwrap();
    world.start(Request::get("image-0").client(inside(1)).options(LOCKSTEP)).unwrap();
    world.run_for(ms(980));
    let other = get(&mut world, inside(2), LOCKSTEP);
    world.run_for(ms(100));
    assert!(!world.report(other).bytes.is_empty(), "its first block has not come");
    world.run_for(ms(2_000));
    assert!(world.report(other).bytes == *content);
    assert!(surplus(&sent(&world), 100_000) <= tolerance(100_000));
}

#[test]
fn short_uploads_one_after_the_other_do_not_take_it_all() {
    let (memory, content, rate) = (Memory::default(), image(4_000_000), 400_000);
    let image = Arc::clone(&content);
    let one = tuffet::resolve_fn(move |asked| {
        (asked.path == "image").then(|| tuffet::Source::bytes(Arc::clone(&image)))
    });
    let builder = writable(&memory).resolve("image", one).profile(branch(rate));
    let mut world = World::new(builder, path(2, 0.0), 0).unwrap();
    let download = get(&mut world, inside(1), fast());
    let mut uploads = 0;
    while world.elapsed() < Duration::from_secs(5) {
        let put = Request::put(&format!("disk/{uploads}"), &content[..60_000]).client(inside(2));
        world.request(put.options(fast())).unwrap();
        uploads += 1;
    }
    let seconds = world.elapsed().as_secs_f64();
    let (down, up) =
        (world.report(download).bytes.len() as f64 / seconds, f64::from(uploads) * 60_000.0 / seconds);
    assert!(down >= 0.2 * rate as f64, "{down} down, {up} up");
    assert!((0.9 * rate as f64..1.1 * rate as f64).contains(&(down + up)), "{down} down, {up} up");
}

#[test]
fn a_transfer_whose_first_block_waits_makes_room_for_nobody() {
    let content = image(600);
    let limits = tuffet::Limits { half_open: Some(4), ..tuffet::Limits::default() };
    let capacity = tuffet::Capacity { transfers: 4, ..tuffet::Capacity::default() };
    let builder = serving(content.clone()).profile(branch(1_024)).limits(limits).capacity(capacity);
    let mut world = World::new(builder, path(2, 0.0), 0).unwrap();
    let mut all: Vec<_> = (0..4).map(|number| get(&mut world, inside(number), LOCKSTEP)).collect();
    // The fourth has not had its first block, and its client would have had the time to answer.
    world.run_for(ms(1_200));
    all.push(get(&mut world, inside(4), LOCKSTEP));
    world.run();
    assert!(all.iter().all(|id| world.report(*id).bytes == *content));
    assert!(
        world.summaries().iter().all(|it| it.ending.outcome == Outcome::Served),
        "{:?}",
        world.summaries()
    );
}

#[test]
fn a_rate_that_is_too_low_makes_them_slow_and_ends_none() {
    let content = image(6_000);
    for seed in 0..4 {
        // A turn of each takes six seconds.
        let builder = serving(content.clone()).profile(branch(1_024));
        let mut world = World::new(builder, path(2, 0.0), seed).unwrap();
        let options = |number| if number % 2 == 0 { LOCKSTEP } else { fast() };
        let all: Vec<_> = (0..12).map(|number| get(&mut world, inside(number), options(number))).collect();
        world.run();
        for id in all {
            assert!(world.report(id).bytes == *content, "seed {seed}: {:?}", world.report(id).result);
        }
        assert!(world.elapsed() > Duration::from_secs(60), "seed {seed}: {:?}", world.elapsed());
        // A client that repeats its request while it waits for its turn keeps its place.
        assert_eq!(world.summaries().len(), 12, "seed {seed}");
        for summary in world.summaries() {
            let stats = summary.stats;
            assert_eq!((stats.timeouts, stats.retransmissions), (0, 0), "seed {seed}: {stats:?}");
        }
    }
}

#[test]
fn lost_blocks_are_sent_again_within_a_rate_that_is_too_low() {
    let content = image(4_000);
    for seed in 0..10 {
        let builder = serving(content.clone()).profile(branch(1_024));
        let mut world = World::new(builder, path(2, 0.1), seed).unwrap();
        let all: Vec<_> = (0..10).map(|number| get(&mut world, inside(number), LOCKSTEP)).collect();
        world.run();
        let complete = all.iter().filter(|id| world.report(**id).bytes == *content).count();
        assert_eq!(complete, all.len(), "seed {seed}");
        let surplus = surplus(&sent(&world), 1_024);
        assert!(surplus <= tolerance(1_024), "seed {seed}: {surplus}");
    }
}

#[test]
fn uploads_share_it_too() {
    let content = image(200_000);
    for seed in 0..6 {
        let (memory, rate) = (Memory::default(), 400_000);
        let builder: Builder = writable(&memory).profile(branch(rate));
        let loss = if seed % 2 == 0 { 0.0 } else { 0.02 };
        let mut world = World::new(builder, path(3, loss), seed).unwrap();
        let options = |number| if number % 2 == 0 { LOCKSTEP } else { Options::windows(1428, 16) };
        let all: Vec<_> = (0..8_u8)
            .map(|number| {
                let put = Request::put(&format!("disk/{number}"), content.clone()).client(inside(number));
                world.start(put.options(options(number))).unwrap()
            })
            .collect();
        world.run();
        assert_eq!(memory.stored().len(), all.len(), "seed {seed}");
        // The last ACKs do not wait, and 50 ms are made up for.
        let least = (8.0 * 200_000.0 - 8.0 * 16.0 * 1428.0) / rate as f64 - 0.05;
        let took = world.summaries().iter().map(|it| it.duration.as_secs_f64()).fold(0.0, f64::max);
        assert!(took >= least, "seed {seed}: {took} s, at least {least}");
        assert!(loss > 0.0 || took < 4.0 * 1.3, "seed {seed}: {took} s");
    }
}

#[test]
fn a_rate_of_each_holds_beside_the_total() {
    let content: Arc<[u8]> = image(300_000);
    for (clients, each) in [(2, 100_000.0), (5, 50_000.0)] {
        let profile =
            Profile { ceilings: Ceilings { rate: Some(100_000), ..Ceilings::default() }, ..branch(250_000) };
        let mut world = World::new(serving(content.clone()).profile(profile), path(2, 0.0), 0).unwrap();
        let all: Vec<_> = (0..clients).map(|number| get(&mut world, inside(number), fast())).collect();
        world.run();
        for id in all {
            let rate = content.len() as f64 / world.report(id).took.as_secs_f64();
            assert!((0.85 * each..1.2 * each).contains(&rate), "{clients} clients: {rate}");
        }
        assert!(surplus(&sent(&world), 250_000) <= tolerance(250_000));
    }
}

/// The least rate is for clients that are slow, and not for those that wait for others.
#[test]
fn what_others_take_ends_no_transfer() {
    let content = image(40_000);
    let transfer = tuffet::Transfer { least_rate: 5_000, ..tuffet::Transfer::default() };
    let builder = serving(content.clone()).profile(branch(10_000)).transfer(transfer);
    let mut world = World::new(builder, path(2, 0.0), 0).unwrap();
    let all: Vec<_> = (0..20).map(|number| get(&mut world, inside(number), LOCKSTEP)).collect();
    world.run();
    assert!(all.iter().all(|id| world.report(*id).bytes == *content));
    assert!(world.elapsed() > Duration::from_secs(70), "{:?}", world.elapsed());
}

/// A client with many transfers has no more than one with a single transfer.
#[test]
fn many_transfers_of_one_client_leave_another_one_its_share() {
    let (content, rate) = (image(600_000), 1_000_000);
    // With 200 of them, a round of one block each takes 0.3 s.
    for (seed, options, count) in [(0, LOCKSTEP, 50), (1, Options::windows(512, 4), 50), (2, fast(), 200)] {
        let builder = serving(content.clone()).profile(branch(rate));
        let mut world = World::new(builder, path(5, 0.0), seed).unwrap();
        let many: Vec<_> = (0..count).map(|_| get(&mut world, inside(1), options)).collect();
        world.run_for(ms(1_000));
        let honest = get(&mut world, inside(2), fast());
        world.run();
        let took = world.report(honest).took;
        assert!(world.report(honest).bytes == *content);
        // Half of the rate.
        assert!(took < ms(1_500), "seed {seed}: {took:?}");
        assert!(many.iter().all(|id| world.report(*id).bytes == *content), "seed {seed}");
        assert!(surplus(&sent(&world), rate) <= tolerance(rate), "seed {seed}");
        // Nothing of the rate is left unused.
        let least = Duration::from_secs_f64(f64::from(count + 1) * content.len() as f64 / rate as f64);
        assert!(world.elapsed() < least.mul_f64(1.1), "seed {seed}: {:?} for {least:?}", world.elapsed());
    }
}
