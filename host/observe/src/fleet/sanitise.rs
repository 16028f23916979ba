//! Sanitises the snapshots of other servers, which may be wrong or forged.

use tuffet_server::watch::{Snapshot, Totals};

/// The most rows of each table, as in the snapshot of one server.
pub(super) const MAX_ROWS: usize = 200;
/// The most samples of a message, which repeats those of some seconds.
const MAX_SAMPLES: usize = 16;
/// The highest count of a bucket: the sum over all servers must not overflow.
pub(super) const MAX_COUNT: u64 = 1 << 40;
/// Smaller differences between clocks are ignored; they include the time of the message.
const CLOCK_TOLERANCE_MS: u64 = 2_000;

/// Shifts the times of a server with a wrong clock to those of this machine, so that all servers share the newest
/// second.
pub(super) fn align_clock(snapshot: &mut Snapshot, now_unix_ms: u64) {
    let theirs = snapshot.unix_ms;
    let moved = |time: &mut u64| *time = now_unix_ms.saturating_sub(theirs.saturating_sub(*time));
    if theirs.abs_diff(now_unix_ms) > CLOCK_TOLERANCE_MS {
        snapshot.samples.iter_mut().for_each(|sample| moved(&mut sample.unix_ms));
        snapshot.active.iter_mut().for_each(|row| moved(&mut row.started_unix_ms));
        snapshot.finished.iter_mut().for_each(|row| moved(&mut row.ended_unix_ms));
    }
    // Samples from the future are forged.
    snapshot.samples.retain(|sample| sample.unix_ms <= now_unix_ms + CLOCK_TOLERANCE_MS);
}

/// Truncates lists beyond the length of a real server, because merging takes time for each row.
pub(super) fn truncate(snapshot: &mut Snapshot) {
    let Snapshot { listeners, roots, origins, state, totals, active, finished, samples, .. } = snapshot;
    listeners.truncate(MAX_ROWS);
    roots.truncate(MAX_ROWS);
    origins.truncate(MAX_ROWS);
    state.reasons.truncate(MAX_ROWS);
    totals.ended.truncate(MAX_ROWS);
    totals.labels.truncate(MAX_ROWS);
    totals.dropped.truncate(MAX_ROWS);
    totals.plugins.truncate(MAX_ROWS);
    totals.profiles.truncate(MAX_ROWS);
    totals.queues.sinks.truncate(MAX_ROWS);
    active.truncate(MAX_ROWS);
    finished.truncate(MAX_ROWS);
    let Totals { duration, rtt, first_block, decision, .. } = totals;
    for times in [&mut duration.read, &mut duration.write, rtt, first_block, decision] {
        times.buckets.truncate(MAX_ROWS);
        times.buckets.iter_mut().for_each(|count| *count = (*count).min(MAX_COUNT));
    }
    samples.drain(..samples.len().saturating_sub(MAX_SAMPLES));
}
