//! Detects whether the disk of a root hangs. Logs each change once.

use super::{Disk, Lane};
use std::sync::Arc;
use std::time::Instant;

/// A root with a hanging disk or origin.
#[derive(Debug, Clone)]
pub struct Hung {
    /// Its name.
    pub root: Arc<str>,
    /// The kind of the waiting operation.
    pub lane: Lane,
    /// Since when it has hung.
    pub since: Instant,
}

impl Hung {
    /// Returns the state at `now`, and logs a change since `before`.
    pub(super) fn next(before: Option<Hung>, disk: &Disk, now: Instant) -> Option<Hung> {
        let overdue = disk.overdue(now);
        match (&before, overdue) {
            (None, Some((lane, since))) => tracing::error!(
                target: "tuffet::store::disk",
                root = %disk.root(),
                origin = disk.elsewhere().map(|url| &**url),
                operation = lane.as_str(),
                seconds = now.saturating_duration_since(since).as_secs(),
                "a root does not answer; requests for it are dropped until it does, others go on"
            ),
            (Some(hung), None) => tracing::info!(
                target: "tuffet::store::disk",
                root = %hung.root,
                origin = disk.elsewhere().map(|url| &**url),
                seconds = now.saturating_duration_since(hung.since).as_secs(),
                "the root answers again"
            ),
            _ => {}
        }
        let (lane, since) = overdue?;
        Some(Hung { root: Arc::clone(disk.root()), lane, since: before.map_or(since, |hung| hung.since) })
    }
}
