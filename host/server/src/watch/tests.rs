use super::active::ActiveTransfers;
use super::counts::Counts;
use super::query::RowQuery;
use super::recent::{FINISHED, Recent};
use super::seconds::{SAMPLES, Seconds};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use tuffet_core::{OptionSet, Stats};
use tuffet_request::events::{Answered, CompactRecord, DecisionRecord, Outcome, Summary};
use tuffet_request::{Operation, Protocol, Request, RequestId};

pub(super) fn request(id: u64, operation: Operation) -> Arc<Request> {
    Arc::new(Request { id: RequestId(id), operation, ..Request::sample("a") })
}

fn granted(id: u64) -> Arc<CompactRecord> {
    let record = DecisionRecord {
        resolved: Some("boot:a".into()),
        size: Some(5_000),
        ..DecisionRecord::new(request(id, Operation::Read), Instant::now())
    };
    Arc::new(CompactRecord::from(&record))
}

fn ended(id: u64, operation: Operation, outcome: Outcome, bytes: u64, retransmissions: u32) -> Summary {
    let record = DecisionRecord {
        decided_after: Some(Duration::from_micros(90)),
        ..DecisionRecord::new(request(id, operation), Instant::now())
    };
    Summary {
        bytes,
        blocks: bytes / 512 + 1,
        stats: Stats { retransmissions, duplicates: 2, timeouts: 1, needless: 1, ..Stats::default() },
        rtt: Some(Duration::from_micros(300)),
        duration: Duration::from_millis(4),
        ..Summary::new(record, outcome, Answered::Granted)
    }
}

/// Each byte is counted exactly once, however samples and the end of a transfer interleave.
#[test]
fn bytes_move_while_a_transfer_runs_and_are_counted_once() {
    let (counts, running) = (Counts::default(), ActiveTransfers::default());
    let read = || (counts.bytes[0].load(Relaxed), counts.retransmissions.load(Relaxed));
    let one = granted(1);
    running.begin(Arc::clone(&one));
    running.begin(granted(17));
    running.sample(Duration::from_secs(1), &counts);
    assert_eq!(read(), (0, 0));
    one.progress.set(1_000, 1);
    running.sample(Duration::from_secs(2), &counts);
    running.sample(Duration::from_secs(1), &counts);
    one.progress.set(3_000, 4);
    running.sample(Duration::from_secs(2), &counts);
    assert_eq!(read(), (3_000, 4));
    let (rows, _) = running.rows(&RowQuery::default(), 10);
    let shown: Vec<_> = rows.iter().map(|row| (&*row.who.id, row.bytes, row.bytes_per_second)).collect();
    assert_eq!(shown, [("0000000000000001", 3_000, 1_000), ("0000000000000011", 0, 0)]);
    assert_eq!((running.rows(&RowQuery::default(), 1).0.len(), running.count()), (1, 2));
    running.end(&ended(1, Operation::Read, Outcome::Served, 5_000, 4), &counts);
    running.end(&ended(17, Operation::Read, Outcome::Served, 100, 0), &counts);
    // A request that was never granted.
    running.end(&ended(33, Operation::Read, Outcome::Denied, 0, 0), &counts);
    running.sample(Duration::from_secs(1), &counts);
    assert_eq!((read(), running.count()), ((5_100, 4), 0));
}

/// Of more transfers than there are rows, the slow and stuck ones are found: by default, by order and by filter.
#[test]
fn slow_and_stuck_transfers_are_found_among_many() {
    let (counts, running) = (Counts::default(), ActiveTransfers::default());
    let records: Vec<_> = (1..=300).map(granted).collect();
    records.iter().for_each(|record| running.begin(Arc::clone(record)));
    // 17 never moves, 5 moves at first, all others move on and on.
    for second in 1..=4 {
        for record in &records {
            let id = record.id().0;
            if id != 17 && (id != 5 || second == 1) {
                record.progress.set((1_000 + id) * second, id as u32 % 7);
            }
        }
        running.sample(Duration::from_secs(1), &counts);
    }
    let rows = |sort: &str, filter: &str| {
        let query = RowQuery::parse(sort, filter).expect("a query");
        let (rows, matching) = running.rows(&query, 200);
        let ids: Vec<u64> =
            rows.iter().map(|row| u64::from_str_radix(&row.who.id, 16).expect("hex")).collect();
        (ids, matching, rows)
    };
    let (ids, matching, found) = rows("", "");
    assert_eq!((ids.len(), matching, ids[0], &ids[198..]), (200, 300, 300, &[5, 17][..]));
    assert_eq!((found[198].idle_seconds, found[199].idle_seconds, found[0].idle_seconds), (3, 4, 0));
    assert_eq!(rows("rate", "").0[199], 101, "the fastest alone, if asked");
    assert_eq!(rows("-rate", "").0[..3], [17, 5, 1]);
    assert_eq!((rows("", "state:stuck").0, rows("", "state:stuck").1), (vec![5, 17], 2));
    assert_eq!(rows("", "state:moving").1, 298);
    assert_eq!(rows("resent", "").0[0] % 7, 6);
    assert_eq!((rows("", "root:boot file:a").1, rows("", "root:other").1), (300, 0));
}

#[test]
fn the_blocks_of_all_running_transfers_are_estimated() {
    let running = ActiveTransfers::default();
    let records: Vec<_> = (1..=300).map(granted).collect();
    records.iter().for_each(|record| running.begin(Arc::clone(record)));
    assert_eq!(running.blocks(), 300, "one in flight for each");
    records[0].progress.set(513, 0);
    records[1].negotiated(&OptionSet { blksize: Some(1_000), ..OptionSet::default() });
    records[1].progress.set(3_000, 0);
    assert_eq!(running.blocks(), 300 + 2 + 3);
}

#[test]
fn what_ended_is_counted_by_operation_and_outcome() {
    let counts = Counts::default();
    counts.ended(&ended(1, Operation::Read, Outcome::Served, 1_024, 0));
    counts.ended(&ended(2, Operation::Write, Outcome::TimedOut, 0, 0));
    let refused = Answered::Refused;
    counts.ended(&Summary { decision: refused, ..ended(3, Operation::Read, Outcome::Denied, 0, 0) });
    let of = |operation: usize, outcome: Outcome| {
        counts.ended[Protocol::Tftp as usize][operation][outcome as usize].load(Relaxed)
    };
    assert_eq!([of(0, Outcome::Served), of(1, Outcome::TimedOut), of(0, Outcome::Denied)], [1, 1, 1]);
    assert_eq!([of(1, Outcome::Served), of(0, Outcome::TimedOut)], [0, 0]);
    assert_eq!(counts.duration[0].read().count(), 1, "a refused request has no duration");
    assert_eq!((counts.duplicates.load(Relaxed), counts.blocks[0].load(Relaxed)), (6, 4));
    for (index, outcome) in Outcome::ALL.into_iter().enumerate() {
        assert_eq!(outcome as usize, index);
    }
}

#[test]
fn the_last_that_ended_newest_first() {
    let recent = Recent::default();
    for id in 0..FINISHED as u64 + 3 {
        recent.keep(&Arc::new(ended(id, Operation::Read, Outcome::Probed, id, 0)));
    }
    let rows = recent.rows();
    assert_eq!((rows.len(), rows[0].bytes, rows[FINISHED - 1].bytes), (FINISHED, FINISHED as u64 + 2, 3));
    assert_eq!((&*rows[0].decision, rows[0].rtt_us), ("granted", Some(300)));
}

#[test]
fn a_second_has_what_came_in_it() {
    let (counts, seconds) = (Counts::default(), Seconds::default());
    let second = Duration::from_secs(1);
    counts.ended(&ended(1, Operation::Read, Outcome::Served, 0, 0));
    counts.decided(Duration::from_micros(90));
    seconds.add(&counts, second, 3, 1);
    counts.ended(&ended(2, Operation::Write, Outcome::Stored, 0, 0));
    counts.moved(Operation::Write, 3_000, 2);
    seconds.add(&counts, second * 2, 0, 0);
    let [first, then] = &seconds.after(0)[..] else { unreachable!("two seconds") };
    assert_eq!((&first.ended[..2], &then.ended[..2]), (&[1, 0][..], &[0, 1][..]));
    assert_eq!((first.active, first.pending, first.decision_p50_us), (3, 1, Some(100)));
    assert_eq!((then.bytes_per_second.write, then.retransmissions, then.decision_p50_us), (1_500, 2, None));
    assert_eq!(then.duration_p99_us, Some(5_000));
    for _ in 0..SAMPLES {
        seconds.add(&counts, second, 0, 0);
    }
    assert_eq!(seconds.after(0).len(), SAMPLES);
    assert!(seconds.after(u64::MAX).is_empty());
}
