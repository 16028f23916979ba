use super::activity::PERIOD;
use super::*;

fn at(micros: u64) -> Time {
    Time::from_micros(micros)
}

/// A rate of 1 MB/s, in the middle of its life: nothing is left to be made up for.
fn megabyte() -> Arc<TotalRate> {
    let total = Arc::new(TotalRate::new(1_000_000));
    total.clock.store(SECOND, Relaxed);
    total.passed.store(SECOND, Relaxed);
    total
}

#[test]
fn two_transfers_take_turns() {
    let total = megabyte();
    let mut one = Member::alone(Arc::clone(&total), 1_000);
    let mut other = Member::alone(Arc::clone(&total), 1_000);
    assert_eq!(one.take(at(1_000_000), 64), (20, at(1_000_000)), "20 ms");
    assert_eq!(one.take(at(1_000_000), 44), (0, at(1_020_000)));
    assert_eq!(other.take(at(1_000_000), 64), (0, at(1_020_000)), "its share would take so long");
    assert_eq!(one.take(at(1_020_000), 44), (20, at(1_020_000)));
    assert_eq!(one.take(at(1_020_000), 24), (0, at(1_040_000)), "its share, when it was alone");
    assert_eq!(other.take(at(1_040_000), 64).0, 10);
    assert_eq!((total.members(), total.bytes()), (2, 50_000));
    assert_eq!(total.waited(), Duration::from_millis(20 + 20 + 20));
}

#[test]
fn a_transfer_below_its_share_does_not_queue() {
    let total = megabyte();
    let mut large = Member::alone(Arc::clone(&total), 1_000);
    let mut small = Member::alone(Arc::clone(&total), 500);
    assert_eq!(large.take(at(1_000_000), 64).0, 20);
    assert_eq!(small.take(at(1_000_000), 1), (0, at(1_001_000)), "nothing is known of it");
    assert_eq!(large.take(at(1_000_000), 64).0, 0);
    assert_eq!(small.take(at(1_020_000), 1).0, 1);
    // The clock is at 1,030.5 ms, and its share was sent by 1,021 ms.
    assert_eq!(small.take(at(1_022_000), 1), (1, at(1_022_000)));
    assert_eq!(small.take(at(1_022_000), 1), (0, at(1_023_000)), "no more than the share");
}

#[test]
fn what_nobody_uses_is_made_up_for_shortly() {
    let total = megabyte();
    let mut member = Member::alone(Arc::clone(&total), 1_000);
    let mut sent = 0;
    loop {
        match member.take(at(9_000_000), 64) {
            (0, next) => {
                break assert_eq!((sent, next), (40, at(9_010_000)), "30 ms, and the burst that ends later");
            }
            (taken, _) => sent += taken,
        }
    }
}

#[test]
fn what_is_reserved_and_not_sent_is_given_back_at_once() {
    let total = megabyte();
    let mut one = Member::alone(Arc::clone(&total), 1_000);
    let mut other = Member::alone(Arc::clone(&total), 1_000);
    assert_eq!(one.take(at(1_000_000), 64).0, 20);
    assert_eq!(other.take(at(1_000_000), 5), (0, at(1_010_000)));
    assert_eq!(other.take(at(1_020_000), 2), (2, at(1_020_000)));
    assert_eq!(total.passed.load(Relaxed), 1_022_000_000, "three of five were not needed");
    let mut next = Member::alone(Arc::clone(&total), 1_000);
    assert_eq!(next.take(at(1_020_000), 64), (0, at(1_022_000)), "and are free at once");
    drop(next);
    drop(one);
    assert_eq!((total.members(), total.bytes()), (1, 22_000));
    other.give_back(2);
    assert_eq!(other.take(at(1_030_000), 3).0, 3);
    assert_eq!(total.bytes(), 23_000, "what was not sent counts once");
}

#[test]
fn an_upload_is_charged_for_a_window_at_a_time() {
    let total = megabyte();
    let mut member = Member::alone(Arc::clone(&total), 1_000);
    assert_eq!(member.owe(at(1_000_000), 64_000), at(1_000_000));
    assert_eq!(member.owe(at(1_001_000), 64_000), at(1_064_000));
    assert_eq!(member.owe(at(1_002_000), 64_000), at(1_064_000), "one after the other");
    assert_eq!(member.owe(at(1_064_000), 0), at(1_128_000));
    assert_eq!(total.clock.load(Relaxed), 1_192_000_000);
    member.settle(at(1_130_000), 500);
    assert_eq!((total.clock.load(Relaxed), total.passed.load(Relaxed)), (1_192_500_000, 1_192_500_000));
    assert_eq!((total.reserved.load(Relaxed), total.bytes()), (0, 192_500));
}

#[test]
fn a_changed_rate_holds_for_those_that_share_it() {
    let total = megabyte();
    let mut member = Member::alone(Arc::clone(&total), 1_000);
    assert_eq!(member.take(at(1_000_000), 64).0, 20);
    total.set_rate(100_000);
    assert_eq!(member.take(at(1_020_000), 64).0, 2);
    assert_eq!(member.take(at(1_020_000), 64).0, 2, "30 ms are made up for");
    assert_eq!(member.take(at(1_020_000), 64), (0, at(1_030_000)));
    assert_eq!((total.share(u128::MAX), total.largest_block()), (50_000, 1_468));
}

#[test]
fn those_that_wait_follow_a_changed_rate_within_a_second() {
    for receives in [false, true] {
        let total = Arc::new(TotalRate::new(2_000));
        let mut members: Vec<_> = (0..20).map(|_| Member::alone(Arc::clone(&total), 512)).collect();
        let mut tries = |now: u64| {
            let tried = members.iter_mut().map(|member| match receives {
                true => member.owe(at(now), if now == 9_000_000 { 512 } else { 0 }),
                false => member.take(at(now), 1).1,
            });
            tried.filter(|next| *next > at(now)).inspect(|next| assert!(*next <= at(now + RECHECK))).count()
        };
        // The last one would have its turn after five seconds.
        assert_eq!(tries(9_000_000), 19);
        assert_eq!((total.waiting(), total.reserved.load(Relaxed)), (19, 19 * 512));
        total.set_rate(2_000_000);
        assert_eq!(tries(10_000_000), 0, "receives: {receives}");
        assert_eq!((total.waiting(), total.reserved.load(Relaxed)), (0, 0));
        let mut next = Member::alone(Arc::clone(&total), 512);
        assert!(next.take(at(10_010_000), 1).0 == 1 && total.bytes() >= 20 * 512);
    }
}

#[test]
fn what_is_abandoned_holds_nobody_back() {
    for receives in [false, true] {
        let total = megabyte();
        assert_eq!(Member::alone(Arc::clone(&total), 1_000).take(at(1_000_000), 64).0, 20);
        for _ in 0..1_000 {
            let mut abandoned = Member::alone(Arc::clone(&total), 1_000);
            let begins =
                if receives { abandoned.queue(at(1_000_000)) } else { abandoned.take(at(1_000_000), 64).1 };
            assert!(begins > at(1_000_000) && begins <= at(1_020_000) && total.waiting() == 1, "{begins:?}");
        }
        let mut next = Member::alone(Arc::clone(&total), 1_000);
        let (taken, begins) = next.take(at(1_000_000), 64);
        assert!(taken == 0 && begins <= at(1_020_000), "{begins:?}");
        drop(next);
        assert_eq!((total.waiting(), total.members(), total.reserved.load(Relaxed)), (0, 0, 0));
    }
}

#[test]
fn an_upload_that_ends_early_has_taken_what_has_arrived() {
    let total = megabyte();
    let mut upload = Member::alone(Arc::clone(&total), 1_000);
    assert_eq!(upload.owe(at(1_000_000), 40_000), at(1_000_000));
    assert_eq!(upload.owe(at(1_000_000), 10_000), at(1_040_000));
    assert_eq!(upload.owe(at(1_000_000), 20_000), at(1_040_000));
    drop(upload);
    assert_eq!(total.passed.load(Relaxed), 1_070_000_000);
}

#[test]
fn blocks_that_the_disk_has_not_delivered_are_no_part_of_the_share() {
    let total = megabyte();
    let mut one = Member::alone(Arc::clone(&total), 1_000);
    let mut other = Member::alone(Arc::clone(&total), 1_000);
    assert_eq!(one.take(at(1_000_000), 64).0, 20);
    assert_eq!(other.take(at(1_020_000), 10).0, 10);
    other.give_back(9);
    assert_eq!(one.take(at(1_020_000), 64).0, 10);
    assert_eq!(one.take(at(1_020_000), 64), (0, at(1_031_000)));
    // Its share of one block was sent by 1,022 ms.
    assert_eq!(other.take(at(1_022_000), 10), (10, at(1_022_000)));
}

#[test]
fn those_that_were_active_lately_are_counted() {
    let active = Activity::default();
    let mut members: Vec<_> = (0..300).map(|_| None).collect();
    let counts: Vec<u64> = members.iter_mut().map(|counted| active.count(5 * SECOND, counted)).collect();
    assert_eq!((counts[0], counts[299]), (1, 300));
    assert_eq!(active.count(5 * SECOND, &mut members[7]), 300, "once each");
    assert_eq!(active.count(5 * SECOND + PERIOD, &mut members[7]), 300, "those of the period before");
    assert_eq!(active.count(5 * SECOND, &mut members[8]), 300, "a thread that is a little behind");
    assert_eq!(active.count(5 * SECOND + 2 * PERIOD, &mut members[7]), 2);
    assert_eq!(active.count(9 * SECOND, &mut members[7]), 1);
}

#[test]
fn transfers_of_one_client_divide_its_share() {
    let total = megabyte();
    let mut many: Vec<_> = (0..4).map(|_| Member::new(Arc::clone(&total), 1, 100)).collect();
    let mut other = Member::new(Arc::clone(&total), 2, 100);
    assert_eq!((total.share(1), total.share(2), total.share(3)), (100_000, 250_000, 333_333));
    let counts: Vec<_> = many.iter_mut().map(|member| member.count(5 * SECOND)).collect();
    assert_eq!((counts, other.count(5 * SECOND)), (vec![1, 2, 3, 4], 2));
    assert_eq!((many[0].count(5 * SECOND), other.count(5 * SECOND)), (8, 2));
    assert_eq!((many[0].burst(), other.burst()), (25, 100), "of 200 blocks");
    drop(many);
    assert_eq!(total.share(2), 500_000);
    drop(other);
    assert_eq!((total.clients().present, total.members()), (0, 0));
}

/// Transfers of one client that always want more, until they have sent for this many seconds.
struct Load {
    client: u128,
    transfers: usize,
    window: u32,
    /// In microseconds, after each window.
    round_trip: u64,
    /// In microseconds.
    begins: u64,
}

/// Returns the bytes of each load in the last `seconds` of all, and how often a transfer tried for each burst.
fn run(rate: u32, blksize: u16, loads: &[Load], (warm_up, seconds): (u64, u64)) -> (Vec<u64>, f64) {
    let total = Arc::new(TotalRate::new(rate));
    let mut queue = std::collections::BinaryHeap::new();
    let mut members = Vec::new();
    for (number, load) in loads.iter().enumerate() {
        for _ in 0..load.transfers {
            queue.push(core::cmp::Reverse((9_000_000 + load.begins, members.len())));
            members.push((Member::new(Arc::clone(&total), load.client, blksize), number, load.window));
        }
    }
    let (mut sent, mut tries, mut bursts) = (vec![0; loads.len()], 0_u64, 0_u64);
    let begins = 9_000_000 + warm_up * 1_000_000;
    while let Some(core::cmp::Reverse((now, index))) = queue.pop() {
        if now >= begins + seconds * 1_000_000 {
            break;
        }
        let (member, number, left) = &mut members[index];
        let (taken, next) = member.take(at(now), *left);
        tries += 1;
        bursts += u64::from(taken > 0);
        if now >= begins {
            sent[*number] += u64::from(taken) * u64::from(blksize);
        }
        *left -= taken;
        let next = match (taken, *left) {
            (0, _) => next.as_micros().max(now + 1),
            (_, 0) => {
                *left = loads[*number].window;
                now + loads[*number].round_trip
            }
            _ => now + 1,
        };
        queue.push(core::cmp::Reverse((next, index)));
    }
    (sent, tries as f64 / bursts as f64)
}

/// However many transfers another client has, one transfer gets half of the rate, if it can use so much.
#[test]
fn no_number_of_transfers_takes_the_share_of_another_client() {
    for transfers in [1, 4, 35, 200, 1_000] {
        for (window, round_trip) in [(1, 500), (1, 5_000), (64, 5_000)] {
            let greedy = Load { client: 1, transfers, window: 64, round_trip: 1_000, begins: 0 };
            let honest = Load { client: 2, transfers: 1, window, round_trip, begins: 1_000_000 };
            let (sent, tries) = run(1_000_000, 1_428, &[greedy, honest], (3, 5));
            // In lockstep it can use a block in each round trip.
            let able = if window == 1 { (1_428 * 1_000_000 / round_trip).min(500_000) } else { 500_000 };
            let (theirs, its) = (sent[0] / 5, sent[1] / 5);
            assert!(its >= able * 8 / 10, "{transfers} beside {window}, {round_trip} µs: {its} of {able}");
            assert!((980_000..=1_020_000).contains(&(theirs + its)), "{transfers}: {theirs} + {its}");
            assert!(tries < 12.0, "{transfers}: {tries} for each burst");
        }
    }
}

#[test]
fn a_client_that_comes_later_has_its_share_at_once() {
    for transfers in [35, 200, 1_000] {
        let greedy = Load { client: 1, transfers, window: 64, round_trip: 1_000, begins: 0 };
        let late = Load { client: 2, transfers: 1, window: 1, round_trip: 1_000, begins: 4_000_000 };
        let (sent, _) = run(1_000_000, 1_428, &[greedy, late], (4, 1));
        assert!(sent[1] >= 350_000 && sent[0] + sent[1] >= 950_000, "{transfers}: {sent:?}");
    }
}

#[test]
fn alone_a_client_takes_the_rate_with_any_number_of_transfers() {
    for (transfers, window) in [(1, 64), (4, 1), (35, 64), (1_000, 1), (1_000, 64)] {
        let alone = Load { client: 1, transfers, window, round_trip: 1_000, begins: 0 };
        let (sent, tries) = run(1_000_000, 1_428, &[alone], (2, 5));
        assert!((4_950_000..=5_050_000).contains(&sent[0]) && tries < 4.0, "{transfers}: {sent:?}, {tries}");
    }
}

/// At a low rate a client that waits takes nothing for longer than it counts as active.
#[test]
fn many_clients_have_equal_shares() {
    for (rate, blksize, clients) in [(1_000_000, 1_428, 50), (20_000, 512, 10)] {
        let one = |client| Load { client, transfers: 1, window: 1, round_trip: 2_000, begins: 0 };
        let mut loads: Vec<Load> = (1..=clients).map(one).collect();
        loads.push(Load { client: 0, transfers: 200, window: 64, round_trip: 2_000, begins: 0 });
        let (sent, tries) = run(rate, blksize, &loads, (5, 20));
        let share = 20 * u64::from(rate) / u64::from(clients as u32 + 1);
        let least = sent.iter().min().unwrap();
        assert!(
            *least >= share * 7 / 10 && sent[clients as usize] <= 2 * share,
            "{rate}: {share} of {sent:?}"
        );
        assert!(tries < 12.0 && sent.iter().sum::<u64>() >= 196 * u64::from(rate) / 10, "{rate}: {tries}");
    }
}

/// Uploads of a window each, one after the other, take no more than the share of their client.
#[test]
fn short_uploads_leave_another_client_its_share() {
    let total = Arc::new(TotalRate::new(400_000));
    let mut download = Member::new(Arc::clone(&total), 1, 1_428);
    let (mut now, mut ready, mut down, mut up) = (9_000_000, 9_000_000, 0, 0);
    let mut upload: Option<(Member, u64)> = None;
    while now < 14_000_000 {
        while ready <= now {
            let (taken, next) = download.take(at(now), 64);
            down += u64::from(taken) * 1_428;
            ready = if taken > 0 { now } else { next.as_micros() };
        }
        match upload.take() {
            None => {
                let mut member = Member::new(Arc::clone(&total), 2, 1_428);
                let begins = member.queue(at(now)).as_micros();
                upload = Some((member, begins));
            }
            Some((mut member, begins)) if begins <= now => match member.owe(at(now), 0).as_micros() {
                begins if begins <= now => {
                    member.settle(at(now + 4_000), 60_000);
                    up += 60_000;
                }
                begins => upload = Some((member, begins)),
            },
            waits => upload = waits,
        }
        now += 500;
    }
    assert!(down >= 800_000 && down + up >= 1_900_000, "{down} down, {up} up");
}

/// Any rate, block and moment: no overflow, and no panic.
#[test]
fn extremes() {
    for rate in [0, 1, 1_000, u32::MAX] {
        for blksize in [0, 8, 65_464] {
            let total = Arc::new(TotalRate::new(rate));
            let mut member = Member::alone(Arc::clone(&total), blksize);
            for now in [at(0), at(u64::from(u32::MAX) * 2), at(u64::MAX - 1)] {
                let (taken, next) = member.take(now, 65_535);
                assert!(taken <= 65_535 && (taken > 0 || next > now || now == at(u64::MAX - 1)));
                member.give_back(u64::MAX);
                assert!(member.owe(now, u64::MAX) >= now);
                assert!(total.share(u128::MAX) > 0 && total.largest_block() >= 1_468 && member.burst() > 0);
            }
        }
    }
}

/// However many transfers want however much, and end while they wait: all together take the rate, and at most a tenth of
/// a second's more.
#[test]
fn over_any_time_all_take_the_rate() {
    for seed in 0..20 {
        let mut random = fastrand::Rng::with_seed(seed);
        let rate = 1 << random.u32(13..27);
        let total = Arc::new(TotalRate::new(rate));
        let blksize = |random: &mut fastrand::Rng| random.u16(8..total.largest_block());
        let count = random.usize(1..60);
        let mut members: Vec<_> =
            (0..count).map(|_| Member::alone(Arc::clone(&total), blksize(&mut random))).collect();
        let windows: Vec<u32> = (0..count).map(|_| if random.bool() { 1 } else { 64 }).collect();
        // When each may send again: the round trip of lockstep.
        let mut ready = vec![0; count];
        let mut sent: Vec<(u64, u64)> = Vec::new();
        for now in (0..8_000_000).step_by(500) {
            for number in 0..count {
                while ready[number] <= now {
                    let (taken, next) = members[number].take(at(now), windows[number]);
                    if taken == 0 {
                        ready[number] = next.as_micros();
                        if seed % 2 == 0 && random.u8(..8) == 0 {
                            members[number] = Member::alone(Arc::clone(&total), blksize(&mut random));
                        }
                        continue;
                    }
                    sent.push((now, u64::from(taken) * u64::from(members[number].blksize)));
                    if windows[number] == 1 {
                        ready[number] = now + random.u64(1..40_000);
                    }
                }
            }
        }
        let all: u64 = sent.iter().map(|(_, bytes)| bytes).sum();
        assert_eq!(all, total.bytes());
        // From any moment on, for any time: the surplus is the largest rise of what was sent above the rate.
        let (mut level, mut lowest, mut most, mut before) = (0.0_f64, 0.0_f64, 0.0_f64, 0);
        for (now, bytes) in sent {
            level -= f64::from(rate) * (now - before) as f64 / 1e6;
            lowest = lowest.min(level);
            level += bytes as f64;
            most = most.max(level - lowest);
            before = now;
        }
        let burst = (f64::from(rate) * 0.02).max(65_464.0_f64.min(f64::from(total.largest_block())));
        assert!(most <= f64::from(rate) * 0.081 + burst, "seed {seed}: {most} beyond {rate}");
    }
}
