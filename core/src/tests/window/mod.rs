//! Properties of the window: a real sender and a real receiver with any window, started at any block, over
//! links that lose, duplicate, reorder and delay datagrams arbitrarily.

mod fate;
mod path;

use crate::sender::AckTiming;
use fate::{fates, jobs};
use path::Path;
use proptest::prelude::*;

const BLKSIZE: u16 = 8;
/// A round trip in microseconds, as both sides have measured it.
const ROUND_TRIP: u64 = 1_000;
const ACK_TIMING: AckTiming =
    AckTiming { earliest: 500, round_trip: 5_000, surely: 5_000, echo: 5_000, late: 5_000, settled: 2_000 };

proptest! {
    #[test]
    fn whatever_happens_blocks_arrive_in_order_and_once(job in jobs(), fates in fates()) {
        let mut path = Path::new(job);
        for fate in fates {
            path.suffers(fate);
        }
        path.recovers();
        prop_assert!(path.received);
    }

    #[test]
    fn a_good_path_carries_each_block_once(job in jobs()) {
        let mut path = Path::new(job);
        let timeouts = path.recovers();
        prop_assert_eq!((path.sent, path.rollbacks.len(), timeouts), (job.blocks, 0, 0));
    }

    #[test]
    fn one_loss_costs_one_rollback(job in jobs(), which in any::<prop::sample::Index>()) {
        let lost = job.base + 1 + which.index(job.blocks as usize) as u64;
        let mut path = Path::new(job);
        while !path.data.contains(&lost) {
            path.wait(ROUND_TRIP);
            path.all_data_arrives();
            path.all_acks_arrive();
        }
        path.data.retain(|position| *position != lost);
        path.recovers();
        prop_assert_eq!(path.rollbacks.len(), 1);
        prop_assert!(path.sent <= job.blocks + u64::from(job.window));
    }

    #[test]
    fn one_datagram_that_is_overtaken_or_doubled_is_answered_once_for_each_gap(
        job in jobs(),
        which in any::<prop::sample::Index>(),
        by in 1..8_usize,
        doubled in any::<bool>(),
    ) {
        let odd = job.base + 1 + which.index(job.blocks as usize) as u64;
        let mut path = Path::new(job);
        while !path.data.contains(&odd) {
            path.wait(ROUND_TRIP);
            path.all_data_arrives();
            path.all_acks_arrive();
        }
        let at = path.data.iter().position(|position| *position == odd).unwrap_or(0);
        let to = (at + by).min(path.data.len() - 1);
        if doubled {
            path.data.insert(to, odd);
        } else {
            path.data.remove(at);
            path.data.insert(to, odd);
        }
        let timeouts = path.recovers();
        // The receiver keeps nothing beyond a gap, so it may report one gap after the other, each once.
        prop_assert_eq!(timeouts, 0);
        prop_assert!(path.rollbacks.is_sorted_by(|a, b| a < b), "{:?}", path.rollbacks);
        prop_assert!(path.rollbacks.len() <= 2, "{:?}", path.rollbacks);
    }
}
