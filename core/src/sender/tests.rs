//! The sender's reactions to ACKs, duplicates and silence.

use super::*;

fn at(micros: u64) -> Time {
    Time::from_micros(micros)
}

fn exactly(micros: u32, part: u32, whole: u32) -> Measured {
    Measured::Exactly { micros, part, whole }
}

const ANY: AckTiming = AckTiming { earliest: 0, round_trip: 0, surely: 0, echo: 0, late: 0, settled: 0 };

/// A round trip of 10 µs.
const TIMING: AckTiming =
    AckTiming { earliest: 5, round_trip: 9, surely: 20, echo: 20, late: 20, settled: 15 };

fn sender(blocks: u64, window: u16) -> Sender {
    Sender::new((blocks - 1) * 512, 512, window, Rollover::Zero, None)
}

#[test]
fn lockstep_never_answers_a_duplicate() {
    let mut sender = sender(3, 1);
    assert_eq!(sender.poll(at(0)), Some(Blocks { first: 1, count: 1 }));
    assert_eq!(
        sender.on_ack(at(5), 1, ANY.earliest, |_| ANY),
        Acked::Progress { rtt: exactly(5, 1, 1), gap: false }
    );
    assert_eq!(sender.poll(at(5)), Some(Blocks { first: 2, count: 1 }));
    for _ in 0..10 {
        assert_eq!(sender.on_ack(at(500), 1, ANY.earliest, |_| ANY), Acked::Late);
        assert_eq!(sender.poll(at(500)), None);
    }
}

/// Found by fuzzing: the paced rest of a window was sent after an ACK of the whole window.
#[test]
fn blocks_that_arrived_while_they_waited_to_be_sent_again_are_not_sent() {
    let mut sender = Sender::new(100 * 512, 512, 8, Rollover::Zero, Some(4));
    assert_eq!(sender.poll(at(10_000)), Some(Blocks { first: 1, count: 4 }));
    assert_eq!(sender.poll(at(11_000)), Some(Blocks { first: 5, count: 4 }));
    assert_eq!(sender.on_ack(at(500_000), 0, ANY.earliest, |_| ANY), Acked::Gap);
    assert_eq!(sender.poll(at(500_000)), Some(Blocks { first: 1, count: 4 }));
    assert!(matches!(
        sender.on_ack(at(500_100), 8, ANY.earliest, |_| ANY),
        Acked::Progress { gap: false, .. }
    ));
    assert_eq!(sender.poll(at(501_000)), Some(Blocks { first: 9, count: 4 }));
}

#[test]
fn one_rollback_for_a_gap_however_many_duplicates() {
    let ack_timing = TIMING;
    let mut sender = sender(100, 8);
    assert_eq!(sender.poll(at(0)), Some(Blocks { first: 1, count: 8 }));
    // Block 3 was lost: the peer answers 2 for each of 4 to 8.
    assert_eq!(
        sender.on_ack(at(10), 2, ack_timing.earliest, |_| ack_timing),
        Acked::Progress { rtt: exactly(10, 2, 8), gap: true }
    );
    assert_eq!(sender.poll(at(10)), Some(Blocks { first: 3, count: 8 }));
    for echo in 11..16 {
        assert_eq!(sender.on_ack(at(echo), 2, ack_timing.earliest, |_| ack_timing), Acked::Ignored);
    }
    assert_eq!(
        sender.on_ack(at(40), 2, ack_timing.earliest, |_| ack_timing),
        Acked::Gap,
        "block 3 was lost again"
    );
    assert_eq!(sender.poll(at(40)), Some(Blocks { first: 3, count: 8 }));
    for echo in 41..46 {
        assert_eq!(sender.on_ack(at(echo), 2, ack_timing.earliest, |_| ack_timing), Acked::Ignored);
    }
    assert_eq!(
        sender.on_ack(at(60), 10, ack_timing.earliest, |_| ack_timing),
        Acked::Progress { rtt: Measured::AtMost(50), gap: false }
    );
    assert_eq!(sender.poll(at(60)), Some(Blocks { first: 11, count: 8 }));
    assert_eq!(
        sender.on_ack(at(62), 10, ack_timing.earliest, |_| ack_timing),
        Acked::Ignored,
        "a doubled ACK of a whole window"
    );
    assert_eq!(
        sender.on_ack(at(70), 10, ack_timing.earliest, |_| ack_timing),
        Acked::Gap,
        "block 11 was lost"
    );
}

/// Only blocks that were sent twice are acknowledged twice.
/// Returns a function that acknowledges a block at a time in microseconds, and says whether that reported a gap, and what
/// is sent then.
fn acknowledging(ack_timing: AckTiming) -> impl FnMut(u64, u16) -> (bool, Option<Blocks>) {
    let mut sender = sender(100, 8);
    move |micros, block| {
        let acked = sender.on_ack(at(micros), block, ack_timing.earliest, |_| ack_timing);
        (acked == Acked::Gap, sender.poll(at(micros)))
    }
}

#[test]
fn a_first_block_that_is_lost_soon_after_another_gap_is_sent_at_once() {
    let ack_timing = AckTiming { round_trip: 1_000, surely: 1_000, echo: 1_000, late: 1_000, ..TIMING };
    let mut ack = acknowledging(ack_timing);
    assert_eq!(ack(0, 0), (false, Some(Blocks { first: 1, count: 8 })));
    // Block 3 was lost; 3 to 8 go out twice.
    assert_eq!(ack(10, 2), (false, Some(Blocks { first: 3, count: 8 })));
    assert_eq!(ack(20, 8), (false, Some(Blocks { first: 9, count: 8 })));
    assert_eq!(ack(30, 8), (false, None), "an answer to the copies");
    assert_eq!(ack(40, 16), (false, Some(Blocks { first: 17, count: 8 })));
    assert_eq!(ack(50, 16), (true, Some(Blocks { first: 17, count: 8 })), "block 17 was lost");
    assert_eq!(ack(60, 16), (false, None), "once for each gap");
}

#[test]
fn a_repair_that_is_lost_as_well_is_sent_again_after_a_round_trip() {
    let ack_timing = AckTiming { surely: 1_000, echo: 1_000, late: 1_000, ..TIMING };
    let mut ack = acknowledging(ack_timing);
    assert_eq!(ack(0, 0), (false, Some(Blocks { first: 1, count: 8 })));
    let repair = Some(Blocks { first: 3, count: 8 });
    assert_eq!(ack(10, 2), (false, repair));
    assert_eq!(ack(20, 2), (true, repair));
    assert_eq!(ack(30, 2), (false, None), "once");
    assert_eq!(ack(50, 8), (false, Some(Blocks { first: 9, count: 8 })));
}

/// Its reports may go on for longer than a round trip, and each repair adds some.
#[test]
fn a_peer_that_reports_a_gap_more_than_once_waits_longer_for_each_further_repair() {
    let ack_timing = AckTiming { surely: 100, echo: 100, late: 100, ..TIMING };
    let mut ack = acknowledging(ack_timing);
    assert_eq!(ack(0, 0), (false, Some(Blocks { first: 1, count: 8 })));
    let repair = Some(Blocks { first: 3, count: 8 });
    assert_eq!(ack(10, 2), (false, repair));
    for micros in 11..1_500 {
        let again = [110, 310, 710].contains(&micros);
        assert_eq!(ack(micros, 2), (again, repair.filter(|_| again)), "{micros}");
    }
    assert_eq!(ack(1_500, 8), (false, Some(Blocks { first: 9, count: 8 })));
}

#[test]
fn datagrams_that_overtook_each_other_cost_one_rollback() {
    let mut sender = sender(100, 8);
    let mut ack = |micros, block| {
        let acked = sender.on_ack(at(micros), block, TIMING.earliest, |_| TIMING);
        assert!(matches!(acked, Acked::Progress { .. } | Acked::Ignored), "{acked:?}");
        sender.poll(at(micros))
    };
    assert_eq!(ack(0, 0), Some(Blocks { first: 1, count: 8 }));
    assert_eq!(ack(10, 2), Some(Blocks { first: 3, count: 8 }), "block 3 was lost");
    assert_eq!(ack(20, 10), Some(Blocks { first: 11, count: 8 }));
    // Every second block arrives before its predecessor: the peer reports gap after gap.
    assert_eq!(ack(30, 12), Some(Blocks { first: 13, count: 8 }));
    for late in 1..5 {
        let next = Blocks { first: 20 + u64::from(late), count: 1 };
        assert_eq!(ack(30 + u64::from(late), 12 + late), Some(next), "only what is new");
    }
    // An answer to the copies: block 18 was lost.
    assert_eq!(ack(45, 17), Some(Blocks { first: 18, count: 8 }));
}

/// Acknowledges each of `blocks`, one a microsecond from `micros` on. Returns what is sent.
fn each(sender: &mut Sender, micros: u64, blocks: core::ops::Range<u16>) -> Vec<Blocks> {
    let ack = |(later, block)| {
        let now = at(micros + later);
        let acked = sender.on_ack(now, block, TIMING.earliest, |_| TIMING);
        assert!(matches!(acked, Acked::Progress { .. }), "{acked:?}");
        sender.poll(now)
    };
    (0..).zip(blocks).filter_map(ack).collect()
}

fn one(first: u64) -> Blocks {
    Blocks { first, count: 1 }
}

#[test]
fn a_peer_that_acknowledges_each_block_gets_each_once() {
    let mut sender = sender(100, 8);
    sender.poll(at(0));
    for round in 0..10_u16 {
        let sent = each(&mut sender, 10 * u64::from(round + 1), 8 * round + 1..8 * round + 9);
        assert_eq!(sent, (1..9).map(|ahead| one(u64::from(8 * round) + 8 + ahead)).collect::<Vec<_>>());
    }
    // Block 84 is lost. It acknowledges 83 for each of the rest, or no more.
    for silent in [true, false] {
        let mut sender = sender.clone();
        assert_eq!(each(&mut sender, 110, 81..84), [one(89), one(90), one(91)]);
        let rest = Some(Blocks { first: 84, count: 8 });
        if silent {
            assert_eq!(sender.resumes(at(113)), Some(at(112 + 15)));
            assert_eq!((sender.poll(at(126)), sender.poll(at(127))), (None, rest), "nothing came");
            continue;
        }
        let again = [124, 125, 126].map(|micros| {
            sender.on_ack(at(micros), 83, TIMING.earliest, |_| TIMING);
            sender.poll(at(micros))
        });
        assert_eq!(again, [None, None, rest], "the third time");
    }
}

#[test]
fn a_peer_that_acknowledges_doubled_blocks_costs_one_window() {
    let mut sender = sender(100, 8);
    let mut ack = |micros, block| {
        sender.on_ack(at(micros), block, TIMING.earliest, |_| TIMING);
        sender.poll(at(micros))
    };
    ack(0, 0);
    // Block 3 arrives twice: as if block 4 were lost.
    assert_eq!(ack(10, 3), Some(Blocks { first: 4, count: 8 }));
    // 4 to 8 had arrived. The peer acknowledges 8 for each of their copies, as if 9 were lost, which is on its way.
    assert_eq!(ack(20, 8), Some(Blocks { first: 9, count: 8 }));
    assert_eq!([20; 4].map(|micros| ack(micros, 8)), [None; 4]);
    // 9 to 11 had arrived, as had their copies.
    assert_eq!(ack(30, 11), Some(Blocks { first: 17, count: 3 }), "it has understood");
    assert_eq!([30; 2].map(|micros| ack(micros, 11)), [None; 2]);
    assert_eq!(ack(31, 16), Some(Blocks { first: 20, count: 5 }));
    assert_eq!(ack(32, 17), Some(one(25)), "doubled again");
    assert_eq!(ack(43, 25), Some(Blocks { first: 26, count: 8 }));
}

#[test]
fn an_ack_from_inside_of_a_window_is_measured() {
    let ack_timing = TIMING;
    let mut sender = sender(100, 4);
    sender.poll(at(0));
    assert_eq!(
        sender.on_ack(at(10), 2, ack_timing.earliest, |_| ack_timing),
        Acked::Progress { rtt: exactly(10, 2, 4), gap: true }
    );
    assert_eq!(sender.poll(at(10)), Some(Blocks { first: 3, count: 4 }));
    assert_eq!(
        sender.on_ack(at(22), 4, ack_timing.earliest, |_| ack_timing),
        Acked::Progress { rtt: Measured::Not, gap: true },
        "3 and 4 went out twice"
    );
    sender.poll(at(22));
    assert_eq!(
        sender.on_ack(at(40), 8, ack_timing.earliest, |_| ack_timing),
        Acked::Progress { rtt: Measured::AtMost(30), gap: false },
        "5 went out at 10 and at 22"
    );
}

#[test]
fn an_ack_for_a_future_or_old_block_changes_nothing() {
    let mut sender = sender(100, 4);
    sender.poll(at(0));
    assert_eq!(sender.on_ack(at(1), 5, ANY.earliest, |_| ANY), Acked::Ignored);
    assert_eq!(
        sender.on_ack(at(1), 4, ANY.earliest, |_| ANY),
        Acked::Progress { rtt: exactly(1, 4, 4), gap: false }
    );
    sender.poll(at(1));
    assert_eq!(sender.on_ack(at(2), 3, ANY.earliest, |_| ANY), Acked::Ignored);
    assert_eq!(sender.on_ack(at(2), 60_000, ANY.earliest, |_| ANY), Acked::Ignored);
}

#[test]
fn the_last_block_of_a_multiple_is_empty() {
    assert_eq!(Sender::new(0, 512, 1, Rollover::Zero, None).total, 1);
    assert_eq!(Sender::new(511, 512, 1, Rollover::Zero, None).total, 1);
    assert_eq!(Sender::new(512, 512, 1, Rollover::Zero, None).total, 2);
}
