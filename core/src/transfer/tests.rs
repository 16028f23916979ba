//! Tests of one transfer, call by call.

use super::*;
use crate::peer_metrics::PeerMetrics;
use crate::rtt::{RaisedFloor, Timing};

/// Rarely used state is boxed: limits, losses, a pending ERROR.
#[test]
fn ten_thousand_transfers_are_small() {
    assert!(size_of::<Transfer>() <= 160, "{}", size_of::<Transfer>());
}

/// A host may delay a time-out, but not the rest of a paced window.
#[test]
fn blocks_that_wait_for_their_turn_are_not_overdue() {
    let at = Time::from_micros;
    let mut transfer = Transfer::server(at(0), Operation::Read, Settings::default());
    let requested = OptionSet { blksize: Some(1_428), windowsize: Some(8), ..OptionSet::default() };
    let limits = Limits { burst: Some(4), ..Limits::default() };
    transfer.handle_grant(at(0), &requested, &limits, Some(100_000));
    assert!(matches!(transfer.poll(at(0)), Output::Control(_)));
    assert_eq!(transfer.handle_datagram(at(100), b"\0\x04\0\0"), Ok(()));
    assert_eq!(transfer.poll(at(100)), Output::Send(Blocks { first: 1, count: 4 }));
    assert_eq!(transfer.poll(at(100)), Output::Timeout(at(1_000)));
    assert_eq!(transfer.overdue_since(at(1_000)), None);
    assert_eq!(transfer.poll(at(1_000)), Output::Send(Blocks { first: 5, count: 4 }));
    let Output::Timeout(deadline) = transfer.poll(at(1_000)) else { panic!("it waits") };
    assert_eq!(transfer.overdue_since(deadline), Some(at(100)));
}

/// The host finds the end while it sends; the transfer waits for nothing beyond it.
#[test]
fn a_stream_of_unknown_size_ends_where_the_caller_says() {
    let at = Time::from_micros;
    for (size, blocks) in [(1_000_u64, 2_u32), (1_024, 3)] {
        let mut transfer = Transfer::server(at(0), Operation::Read, Settings::default());
        let requested = OptionSet { windowsize: Some(8), tsize: Some(0), ..OptionSet::default() };
        transfer.handle_grant(at(0), &requested, &Limits::default(), Some(UNKNOWN_SIZE));
        let oack = OptionSet { windowsize: Some(8), ..OptionSet::default() };
        assert_eq!(transfer.poll(at(0)), Output::Control(Control::Oack(oack)));
        assert_eq!(transfer.handle_datagram(at(100), b"\0\x04\0\0"), Ok(()));
        assert_eq!(transfer.poll(at(100)), Output::Send(Blocks { first: 1, count: 8 }));
        transfer.end_at(size);
        let Output::Timeout(deadline) = transfer.poll(at(100)) else { panic!("nothing follows the end") };
        transfer.handle_timeout(deadline);
        // Of a first window, the first and the last blocks are sent again.
        assert_eq!(transfer.poll(deadline), Output::Send(Blocks { first: 1, count: 1 }));
        assert_eq!(transfer.poll(deadline), Output::Send(Blocks { first: blocks.into(), count: 1 }));
        let last = [0, 4, 0, blocks as u8];
        assert_eq!(transfer.handle_datagram(deadline, &last), Ok(()));
        assert_eq!(transfer.poll(deadline), Output::Finished(Finish::Complete));
        assert_eq!((transfer.bytes(), transfer.blocks()), (size, blocks.into()));
    }
}

#[test]
fn a_closed_port_ends_a_transfer_if_the_quoted_packet_is_in_flight() {
    let at = Time::from_micros;
    let granted = |window, operation| {
        let mut transfer = Transfer::server(at(0), operation, Settings::default());
        let requested = OptionSet { windowsize: window, ..OptionSet::default() };
        transfer.handle_grant(at(0), &requested, &Limits::default(), Some(100_000));
        while !matches!(transfer.poll(at(0)), Output::Timeout(_)) {}
        transfer
    };
    let mut offered = granted(Some(4), Operation::Read);
    assert!(!offered.handle_unreachable(b"\0\x03\0\x01"), "no block is sent yet");
    let mut sending = granted(Some(4), Operation::Read);
    assert_eq!(sending.handle_datagram(at(9), b"\0\x04\0\0"), Ok(()));
    assert_eq!(sending.poll(at(9)), Output::Send(Blocks { first: 1, count: 4 }));
    for foreign in [&b""[..], b"\0\x03\0\x05", b"\0\x03\0\0", b"\0\x06windowsize", b"\0\x04\0\x01", b"\0"] {
        assert!(!sending.handle_unreachable(foreign), "{foreign:?}");
        assert!(matches!(sending.poll(at(9)), Output::Timeout(_)));
    }
    let mut lockstep = granted(None, Operation::Read);
    let mut writing = granted(None, Operation::Write);
    let mut optioned = granted(Some(4), Operation::Write);
    for (transfer, quoted) in [
        (&mut offered, &b"\0\x06windowsize\x004"[..]),
        (&mut sending, b"\0\x03\0\x04content"),
        (&mut lockstep, b""),
        (&mut writing, b"\0\x04\0\0"),
        (&mut optioned, b"\0\x06windowsize"),
    ] {
        assert!(transfer.handle_unreachable(quoted), "{quoted:?}");
        assert_eq!(transfer.poll(at(9)), Output::Finished(Finish::TimedOut));
        assert_eq!(transfer.poll(at(9)), Output::Closed);
        assert!(!transfer.handle_unreachable(quoted), "it has ended");
    }
}

#[test]
fn only_the_last_ack_of_a_proven_peer_is_awaited_at_the_end() {
    let now = Time::from_micros(0);
    let mut transfer = Transfer::server(now, Operation::Read, Settings::default());
    transfer.handle_grant(now, &OptionSet::default(), &Limits::default(), Some(600));
    assert!(matches!(transfer.poll(now), Output::Send(Blocks { first: 1, count: 1 })));
    assert!(!transfer.awaits_last_ack(), "block 2 is still to be sent");
    assert_eq!(transfer.handle_datagram(now, b"\0\x04\0\x01"), Ok(()));
    assert!(matches!(transfer.poll(now), Output::Send(Blocks { first: 2, count: 1 })));
    assert!(transfer.awaits_last_ack());
    assert_eq!(transfer.left_to_acknowledge(), Some(1));

    let mut unproven = Transfer::server(now, Operation::Read, Settings::default());
    unproven.handle_grant(now, &OptionSet::default(), &Limits::default(), Some(5));
    assert!(matches!(unproven.poll(now), Output::Send(Blocks { first: 1, count: 1 })));
    assert!(!unproven.awaits_last_ack(), "its request may be repeated because block 1 was lost");
}

/// A client that answers quickly while it reads may send from a slow disk.
#[test]
fn quick_answers_to_blocks_do_not_hasten_the_repetition_of_acks() {
    let at = Time::from_micros;
    let timing = Timing::default();
    let mut quick = Rtt::default();
    (0..1_000).for_each(|_| quick.learn_floor(100, true, 1, &timing));
    assert!(quick.raised() < RaisedFloor::default());
    let mut transfer = Transfer::server(at(0), Operation::Write, Settings::default());
    transfer.start_with(PeerMetrics { floor: quick.raised(), ..PeerMetrics::default() });
    transfer.handle_grant(at(0), &OptionSet::default(), &Limits::default(), None);
    for block in 1..=50_u8 {
        let now = at(u64::from(block) * 200);
        let data: Vec<u8> = [0, 3, 0, block].into_iter().chain([7; 512]).collect();
        if block > 1 || matches!(transfer.poll(now), Output::Control(_)) {
            assert_eq!(transfer.handle_datagram(now, &data), Ok(()));
        }
        let deadline = loop {
            if let Output::Timeout(deadline) = transfer.poll(now) {
                break deadline;
            }
        };
        assert!(deadline.micros_since(now) >= 40_000, "block {block}: {deadline:?}");
    }
}
