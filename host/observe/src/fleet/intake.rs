//! What is taken of the snapshot of another server, which may be wrong, or lie.

use tuffet::watch::{Snapshot, Totals};

/// The most rows of each table, as one server has.
pub(super) const ROWS: usize = 200;
/// The most samples that a message has: it repeats those of some seconds.
const SAMPLES: usize = 16;
/// The most durations in a bucket: those of all servers can be added.
pub(super) const MOST: u64 = 1 << 40;
/// Clocks that differ by less show the same second; a message takes its time, too.
const SAME: u64 = 2_000;

/// Moves the times of a server whose clock is wrong to those of this machine, so that all have one newest second.
pub(super) fn by_the_clock(snapshot: &mut Snapshot, now_unix_ms: u64) {
    let theirs = snapshot.unix_ms;
    let moved = |time: &mut u64| *time = now_unix_ms.saturating_sub(theirs.saturating_sub(*time));
    if theirs.abs_diff(now_unix_ms) > SAME {
        snapshot.samples.iter_mut().for_each(|sample| moved(&mut sample.unix_ms));
        snapshot.active.iter_mut().for_each(|row| moved(&mut row.started_unix_ms));
        snapshot.finished.iter_mut().for_each(|row| moved(&mut row.ended_unix_ms));
    }
    // What is not over yet, nobody has measured.
    snapshot.samples.retain(|sample| sample.unix_ms <= now_unix_ms + SAME);
}

/// Shortens lists that no server has at this length: what follows takes time for each of their rows.
pub(super) fn bound(snapshot: &mut Snapshot) {
    let Snapshot { listeners, roots, origins, reasons, totals, active, finished, samples, .. } = snapshot;
    listeners.truncate(ROWS);
    roots.truncate(ROWS);
    origins.truncate(ROWS);
    reasons.truncate(ROWS);
    totals.ended.truncate(ROWS);
    totals.dropped.truncate(ROWS);
    totals.plugins.truncate(ROWS);
    totals.queues.sinks.truncate(ROWS);
    active.truncate(ROWS);
    finished.truncate(ROWS);
    let Totals { duration, rtt, first_block, decision, .. } = totals;
    for times in [&mut duration.read, &mut duration.write, rtt, first_block, decision] {
        times.buckets.truncate(ROWS);
        times.buckets.iter_mut().for_each(|count| *count = (*count).min(MOST));
    }
    samples.drain(..samples.len().saturating_sub(SAMPLES));
}
