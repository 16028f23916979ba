//! The sender's reactions to ACKs, duplicates and silence.

use super::*;

fn at(micros: u64) -> Time {
    Time::from_micros(micros)
}

fn exactly(micros: u32, part: u32, whole: u32) -> Measured {
    Measured::Exactly { micros, part, whole }
}

const ANY: AckTiming = AckTiming { earliest: 0, surely: 0, echo: 0, late: 0 };

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
    let ack_timing = AckTiming { earliest: 5, surely: 20, echo: 20, late: 20 };
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
#[test]
fn a_first_block_that_is_lost_soon_after_another_gap_is_sent_at_once() {
    let ack_timing = AckTiming { earliest: 5, surely: 1_000, echo: 1_000, late: 1_000 };
    let mut sender = sender(100, 8);
    let mut ack = |micros, block| {
        let acked = sender.on_ack(at(micros), block, ack_timing.earliest, |_| ack_timing);
        (matches!(acked, Acked::Gap), sender.poll(at(micros)))
    };
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
fn datagrams_that_overtook_each_other_cost_one_rollback() {
    let ack_timing = AckTiming { earliest: 8, surely: 20, echo: 20, late: 20 };
    let mut sender = sender(100, 8);
    sender.credit = 0;
    sender.poll(at(0));
    // Every second block arrives before its predecessor: the peer reports gap after gap.
    assert!(matches!(sender.on_ack(at(10), 1, ack_timing.earliest, |_| ack_timing), Acked::Progress { .. }));
    assert_eq!(sender.poll(at(10)), Some(Blocks { first: 2, count: 8 }));
    sender.credit = 0;
    for late in 1..7 {
        sender.credit = 0;
        let sent = sender.on_ack(at(10 + u64::from(late)), 1 + late, ack_timing.earliest, |_| ack_timing);
        assert!(matches!(sent, Acked::Progress { .. }), "{sent:?}");
        let next = Blocks { first: 9 + u64::from(late), count: 1 };
        assert_eq!(sender.poll(at(10 + u64::from(late))), Some(next), "only what is new");
    }
    // An answer to the copies: block 9 was lost.
    assert!(matches!(sender.on_ack(at(20), 8, ack_timing.earliest, |_| ack_timing), Acked::Progress { .. }));
    assert_eq!(sender.poll(at(20)), Some(Blocks { first: 9, count: 8 }));
}

#[test]
fn an_ack_from_inside_of_a_window_is_measured() {
    let ack_timing = AckTiming { earliest: 5, surely: 20, echo: 20, late: 20 };
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
