use super::*;

const TIMING: Duration = Duration::from_millis(250);

fn at(millis: u64) -> Time {
    Time::from_micros(millis * 1_000)
}

fn group(blocks: u64) -> Group {
    let timing = Timing::new(
        Duration::from_millis(20),
        TIMING,
        Duration::from_secs(4),
        Duration::from_secs(30),
        Duration::from_secs(5),
    );
    Group::new(at(0), (blocks - 1) * 512 + 1, 512, timing)
}

fn client(address: u64) -> ClientId {
    ClientId(address)
}

fn window(blocks: u16) -> OptionSet {
    OptionSet { windowsize: Some(blocks), ..OptionSet::default() }
}

/// All outputs until the group waits, in short.
fn outputs(group: &mut Group, now: Time) -> Vec<String> {
    let mut all = Vec::new();
    loop {
        all.push(match group.poll(now) {
            Output::Send(Blocks { first, count }) => format!("{first}+{count}"),
            Output::Oack { member, master, .. } => format!("oack {} {}", member.0, u8::from(master)),
            Output::Error { member, code, .. } => format!("error {} {}", member.0, code as u16),
            Output::Finished { member, report } => format!("end {} {:?}", member.0, report.finish),
            Output::Timeout(_) => return all,
            Output::Closed => {
                all.push("closed".into());
                return all;
            }
        });
        assert!(all.len() < 50, "{all:?}");
    }
}

/// Lets time pass up to `until`, and returns all outputs.
fn wait(group: &mut Group, mut now: Time, until: Time) -> Vec<String> {
    let mut all = Vec::new();
    while now < until {
        all.extend(outputs(group, now));
        let Output::Timeout(next) = group.poll(now) else { break };
        now = next.max(now.after(1)).min(until);
        group.handle_timeout(now);
    }
    all
}

#[test]
fn the_first_member_leads_and_the_others_follow_in_turn() {
    let mut group = group(3);
    let first = group.handle_join(at(0), ClientId::default(), OptionSet::default());
    let second = group.handle_join(at(0), ClientId::default(), OptionSet::default());
    assert_eq!(outputs(&mut group, at(0)), ["oack 0 1", "oack 1 0"]);
    group.handle_ack(at(1), first, 0);
    assert_eq!(outputs(&mut group, at(1)), ["1+1"]);
    group.handle_ack(at(2), first, 1);
    assert_eq!(outputs(&mut group, at(2)), ["2+1"]);
    let late = group.handle_join(at(2), ClientId::default(), OptionSet::default());
    assert_eq!(outputs(&mut group, at(2)), ["oack 2 0"]);
    group.handle_ack(at(3), first, 2);
    assert_eq!(outputs(&mut group, at(3)), ["3+1"]);
    group.handle_ack(at(4), first, 3);
    assert_eq!(outputs(&mut group, at(4)), ["end 0 Complete", "oack 1 1"]);
    // It lacks nothing.
    group.handle_ack(at(5), second, 3);
    assert_eq!(outputs(&mut group, at(5)), ["end 1 Complete", "oack 2 1"]);
    // It lacks the first two blocks, and jumps over the third.
    group.handle_ack(at(6), late, 0);
    assert_eq!(outputs(&mut group, at(6)), ["1+1"]);
    group.handle_ack(at(7), late, 1);
    assert_eq!(outputs(&mut group, at(7)), ["2+1"]);
    group.handle_ack(at(8), late, 3);
    assert_eq!(outputs(&mut group, at(8)), ["end 2 Complete", "closed"]);
    assert_eq!(group.sent(), (5, 2));
}

#[test]
fn nothing_is_sent_to_the_group_before_a_master_answers() {
    let mut group = group(3);
    for _ in 0..4 {
        group.handle_join(at(0), ClientId::default(), window(16));
    }
    let all = wait(&mut group, at(0), at(60_000));
    assert!(!all.iter().any(|output| output.contains('+')), "{all:?}");
    for member in 0..4 {
        let oacks = all.iter().filter(|output| output.starts_with(&format!("oack {member} "))).count();
        assert!((2..=5).contains(&oacks), "{oacks} of member {member}: {all:?}");
        assert!(all.contains(&format!("end {member} TimedOut")), "{all:?}");
    }
    assert_eq!(group.len(), 0);
}

#[test]
fn a_silent_master_is_replaced_within_seconds() {
    let mut group = group(1_000);
    let silent = group.handle_join(at(0), ClientId::default(), OptionSet::default());
    let other = group.handle_join(at(0), ClientId::default(), OptionSet::default());
    outputs(&mut group, at(0));
    group.handle_ack(at(1), silent, 0);
    group.handle_ack(at(2), silent, 1);
    outputs(&mut group, at(2));
    let all = wait(&mut group, at(2), at(2_500));
    assert!(all.contains(&"oack 1 1".into()) && !all.contains(&"oack 0 0".into()), "{all:?}");
    group.handle_ack(at(2_501), other, 1);
    assert_eq!(outputs(&mut group, at(2_501)), ["oack 0 0", "2+1"]);
    // It is reminded at intervals, however often it sends ACKs.
    for millis in 2_602..2_610 {
        group.handle_ack(at(millis), silent, 1);
    }
    assert_eq!(outputs(&mut group, at(2_610))[..1], ["oack 0 0"]);
}

/// An offer takes nothing from the master as long as it gets no answer.
#[test]
fn a_slow_master_leads_until_another_member_answers() {
    let mut group = group(1_000);
    let slow = group.handle_join(at(0), client(0), OptionSet::default());
    outputs(&mut group, at(0));
    group.handle_ack(at(1), slow, 0);
    for forged in 1..20 {
        group.handle_join(at(1), client(forged), OptionSet::default());
    }
    let mut all = outputs(&mut group, at(1));
    for block in 1..=10 {
        let now = 1 + u64::from(block) * 500;
        all.extend(wait(&mut group, at(now - 500), at(now)));
        group.handle_ack(at(now), slow, block);
        assert_eq!(group.acked(), Some((slow, block.into())));
    }
    assert!(!all.contains(&"oack 0 0".into()), "{all:?}");
    let oacks = |member: u64| all.iter().filter(|it| it.starts_with(&format!("oack {member} "))).count();
    assert!((1..20).all(|member| (2..=5).contains(&oacks(member))), "{all:?}");
}

/// Two clients, one of which acknowledges a block just often enough not to be silent.
#[test]
fn a_slow_master_gets_a_bounded_share() {
    let mut group = group(60_000);
    let ids = [0, 1].map(|address| group.handle_join(at(0), client(address), OptionSet::default()));
    let (mut leads, mut acked) = ([false; 2], [0_u16; 2]);
    let (mut led_by_slow, mut now) = (0, 0);
    while acked[1] < 59_000 && now < 600_000 {
        group.handle_timeout(at(now));
        for output in outputs(&mut group, at(now)) {
            match output.as_str() {
                "oack 0 0" | "oack 0 1" => leads[0] = output.ends_with('1'),
                "oack 1 0" | "oack 1 1" => leads[1] = output.ends_with('1'),
                _ => {}
            }
        }
        led_by_slow += u64::from(group.acked().is_some_and(|(master, _)| master == ids[0]));
        for number in [0, 1] {
            if leads[number] && (number == 1 || now % 900 == 0) {
                group.handle_ack(at(now), ids[number], acked[number]);
                acked[number] += 1;
            }
        }
        now += 1;
    }
    assert!(acked[1] >= 59_000, "the fast one has {} blocks after {now} ms", acked[1]);
    assert!((2_000..6_000).contains(&led_by_slow), "{led_by_slow} of {now} ms");
}

#[test]
fn a_window_slides_with_each_ack_and_a_gap_costs_one_block() {
    let mut group = group(100);
    let master = group.handle_join(at(0), ClientId::default(), window(4));
    outputs(&mut group, at(0));
    group.handle_ack(at(1), master, 0);
    assert_eq!(outputs(&mut group, at(1)), ["1+4"]);
    group.handle_ack(at(2), master, 1);
    assert_eq!(outputs(&mut group, at(2)), ["5+1"]);
    group.handle_ack(at(3), master, 1);
    assert_eq!(outputs(&mut group, at(3)), ["2+1"]);
    group.handle_ack(at(4), master, 1);
    assert!(outputs(&mut group, at(4)).is_empty(), "one repetition for a gap");
    // It has kept the others.
    group.handle_ack(at(5), master, 5);
    assert_eq!(outputs(&mut group, at(5)), ["6+4"]);
    assert_eq!(group.sent(), (10, 1));
}

#[test]
fn a_duplicate_ack_in_lockstep_causes_no_data() {
    let mut group = group(100);
    let master = group.handle_join(at(0), ClientId::default(), OptionSet::default());
    outputs(&mut group, at(0));
    group.handle_ack(at(1), master, 0);
    assert_eq!(outputs(&mut group, at(1)), ["1+1"]);
    group.handle_ack(at(2), master, 0);
    assert!(outputs(&mut group, at(2)).is_empty());
}

#[test]
fn an_ack_of_a_block_that_was_never_sent_serves_no_member() {
    let mut group = group(100);
    let master = group.handle_join(at(0), ClientId::default(), OptionSet::default());
    outputs(&mut group, at(0));
    group.handle_ack(at(1), master, 100);
    group.handle_ack(at(1), master, 101);
    assert!(outputs(&mut group, at(1)).iter().all(|output| !output.contains("Complete")));
    // Nor is that an answer to the offer.
    group.handle_ack(at(2), master, 0);
    assert_eq!(outputs(&mut group, at(2)), ["1+1"]);
}

#[test]
fn a_slow_disk_counts_against_no_member() {
    let mut group = group(100);
    let master = group.handle_join(at(0), ClientId::default(), window(4));
    let other = group.handle_join(at(0), ClientId::default(), window(4));
    outputs(&mut group, at(0));
    group.handle_ack(at(1), master, 0);
    let Output::Send(blocks) = group.poll(at(1)) else { unreachable!() };
    group.handle_unsent(at(1), blocks, 3);
    assert!(wait(&mut group, at(1), at(20_000)).is_empty());
    group.handle_resumed(at(20_000));
    assert_eq!(outputs(&mut group, at(20_000)), ["3+2"]);
    assert_eq!(group.acked(), Some((master, 0)));
    group.fail(at(20_001), ErrorCode::NotDefined, "gone");
    assert_eq!(
        outputs(&mut group, at(20_001)),
        [
            "error 0 0".to_owned(),
            format!("end 0 {:?}", Finish::Failed(ErrorCode::NotDefined)),
            "error 1 0".into(),
            format!("end 1 {:?}", Finish::Failed(ErrorCode::NotDefined)),
            "closed".into(),
        ]
    );
    let _ = other;
}

/// A time-out in the middle of a window: the master's ACKs were late, or it has dropped what followed a gap.
#[test]
fn only_a_window_that_was_dropped_is_sent_again() {
    let late = |blocks: &[u16]| {
        let mut group = group(100);
        let master = group.handle_join(at(0), ClientId::default(), window(4));
        outputs(&mut group, at(0));
        group.handle_ack(at(1), master, 0);
        let mut all = outputs(&mut group, at(1));
        all.extend(wait(&mut group, at(1), at(600)));
        for block in blocks {
            group.handle_ack(at(600), master, *block);
            all.extend(outputs(&mut group, at(600)));
        }
        all.extend(wait(&mut group, at(600), at(640)));
        all
    };
    assert_eq!(late(&[1, 2, 3, 4]), ["1+4", "1+1", "5+1", "6+1", "7+1", "8+1"]);
    assert_eq!(late(&[1]), ["1+4", "1+1", "5+1", "2+4"]);
    // It has kept the blocks, and lacks none of these.
    assert_eq!(late(&[4]), ["1+4", "1+1", "5+4"]);
}
