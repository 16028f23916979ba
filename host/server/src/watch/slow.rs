//! Running transfers that an operator should look at: each is reported once, at the sample that finds it.

use std::sync::Arc;
use std::time::{Duration, Instant};
use tuffet_core::DEFAULT_BLKSIZE;
use tuffet_request::Operation;
use tuffet_request::events::CompactRecord;

/// A transfer is not slow before it has run for this long.
const SLOW_AFTER: Duration = Duration::from_secs(10);

/// A transfer stands still if nothing has arrived for this many seconds.
const STILL_SECONDS: u64 = 5;

/// The same if the client repeats itself and waits for the first block.
const WAITS_SECONDS: u64 = 3;

/// A transfer is slow below this average, in bytes per second: less than 100 blocks of 512 bytes a second.
const SLOW_RATE: u64 = 50_000;

/// The most transfers that one sample reports one by one.
const MAX_REPORTED: usize = 10;

/// The slow transfers that a sample has found.
#[derive(Debug, Default)]
pub(crate) struct Slow {
    pub(crate) transfers: Vec<Arc<CompactRecord>>,
    /// How many more there are.
    pub(crate) more: u64,
}

impl Slow {
    /// Adds a transfer if it is slow and was not reported before. Its progress was sampled just before.
    pub(super) fn look(&mut self, record: &Arc<CompactRecord>, now: Instant) {
        if !record.progress.is_answered()
            || record.progress.is_reported()
            || !is_slow(record, now)
            || !record.progress.report_once()
        {
            return;
        }
        if self.transfers.len() < MAX_REPORTED {
            self.transfers.push(Arc::clone(record));
        } else {
            self.more += 1;
        }
    }
}

/// Returns the size of the blocks that never arrive: the client repeats itself and waits for the first one.
pub(crate) fn lost_block_size(record: &CompactRecord) -> Option<u16> {
    let blksize = record.negotiated_options()?.block_size();
    (record.operation() == Operation::Read
        && blksize > DEFAULT_BLKSIZE
        && record.progress.lacks_first_block())
    .then_some(blksize)
}

fn is_slow(record: &CompactRecord, now: Instant) -> bool {
    let idle = record.progress.idle_seconds();
    if idle >= WAITS_SECONDS && lost_block_size(record).is_some() {
        return true;
    }
    let age = now.saturating_duration_since(record.received());
    if age < SLOW_AFTER {
        return false;
    }
    // A rate of the server's is no fault of the path.
    let below = || record.progress.bytes() < SLOW_RATE * age.as_secs() && record.rate().is_none();
    idle >= STILL_SECONDS || below()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuffet_core::OptionSet;
    use tuffet_request::Request;
    use tuffet_request::events::DecisionRecord;

    /// Asked for at `begin`, and answered.
    fn running(begin: Instant, blksize: u16) -> Arc<CompactRecord> {
        let record = CompactRecord::from(&DecisionRecord::new(Arc::new(Request::sample("a")), begin));
        record.negotiated(&OptionSet { blksize: Some(blksize), ..OptionSet::default() });
        record.progress.note_answered();
        Arc::new(record)
    }

    /// Samples it for a minute; `bytes` have arrived after each second. Returns the second in which it is reported.
    fn reported(record: &Arc<CompactRecord>, begin: Instant, bytes: impl Fn(u64) -> u64) -> Option<u64> {
        let found = (1..=60).filter(|second| {
            record.progress.set(bytes(*second), 0);
            record.progress.sample(Duration::from_secs(1));
            let mut slow = Slow::default();
            slow.look(record, begin + Duration::from_secs(*second));
            !slow.transfers.is_empty()
        });
        let found: Vec<u64> = found.collect();
        assert!(found.len() <= 1, "once: {found:?}");
        found.first().copied()
    }

    #[test]
    fn a_slow_transfer_is_reported_once() {
        let begin = Instant::now();
        let of = |bytes: &dyn Fn(u64) -> u64| reported(&running(begin, 1428), begin, bytes);
        assert_eq!(of(&|second| second * SLOW_RATE), None);
        assert_eq!(of(&|second| second * (SLOW_RATE - 1)), Some(10));
        assert_eq!(of(&|_| 0), Some(10));
        assert_eq!(of(&|second| second.min(20) * 1_000_000), Some(25), "fast, then still");
    }

    #[test]
    fn a_client_that_lacks_the_first_large_block_is_reported_soon() {
        let begin = Instant::now();
        for (blksize, second) in [(1428, 3), (512, 10)] {
            let record = running(begin, blksize);
            record.progress.note_lack_of_first_block();
            assert_eq!(reported(&record, begin, |_| 0), Some(second), "{blksize}");
        }
    }

    #[test]
    fn what_is_beyond_a_few_is_counted() {
        let (begin, mut slow) = (Instant::now(), Slow::default());
        for _ in 0..25 {
            slow.look(&running(begin, 512), begin + SLOW_AFTER);
        }
        assert_eq!((slow.transfers.len(), slow.more), (MAX_REPORTED, 15));
        let unproven = CompactRecord::from(&DecisionRecord::new(Arc::new(Request::sample("a")), begin));
        slow.look(&Arc::new(unproven), begin + SLOW_AFTER);
        assert_eq!(slow.more, 15, "its client has not answered: it may not exist");
    }
}
