//! Snapshots for all who watch live: one each second, made once for all of them, and none while nobody
//! watches.

use super::Watch;
use super::snapshot::unix_ms;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast};

/// Who may watch at once.
const VIEWERS: usize = 16;

/// Snapshots that a viewer may be behind before it is dropped.
const BEHIND: usize = 8;

/// The newest samples in each but the first snapshot, in milliseconds: a few, so that none is missed by who
/// has just come.
const OVERLAP_MS: u64 = 3_500;

/// Where viewers get their snapshots. Cheap to clone; all clones are one.
#[derive(Clone)]
pub(crate) struct Feed(Arc<Shared>);

struct Shared {
    watch: Watch,
    snapshots: broadcast::Sender<Arc<str>>,
    places: Arc<Semaphore>,
    /// Whether the task runs that fills it.
    filled: Mutex<bool>,
}

/// One who watches.
pub(crate) struct Viewer {
    first: Option<Arc<str>>,
    rest: broadcast::Receiver<Arc<str>>,
    _place: OwnedSemaphorePermit,
}

impl Feed {
    pub(crate) fn new(watch: Watch) -> Feed {
        let snapshots = broadcast::Sender::new(BEHIND);
        let places = Arc::new(Semaphore::new(VIEWERS));
        Feed(Arc::new(Shared { watch, snapshots, places, filled: Mutex::new(false) }))
    }

    /// Begins to watch; `None` where too many do. Within a tokio runtime.
    pub(crate) fn join(&self) -> Option<Viewer> {
        let place = Arc::clone(&self.0.places).try_acquire_owned().ok()?;
        let mut filled = self.filled();
        let rest = self.0.snapshots.subscribe();
        if !std::mem::replace(&mut *filled, true) {
            tokio::spawn(self.clone().fill());
        }
        drop(filled);
        Some(Viewer { first: Some(self.snapshot(0)), rest, _place: place })
    }

    /// Sends a snapshot after each second's sample, until nobody watches.
    async fn fill(self) {
        loop {
            self.0.watch.next_second().await;
            let mut filled = self.filled();
            if self.0.snapshots.receiver_count() == 0 {
                *filled = false;
                return;
            }
            drop(filled);
            // Nobody may be left meanwhile.
            let _ =
                self.0.snapshots.send(self.snapshot(unix_ms(SystemTime::now()).saturating_sub(OVERLAP_MS)));
        }
    }

    fn snapshot(&self, since: u64) -> Arc<str> {
        // Numbers, text and lists: nothing that JSON lacks.
        serde_json::to_string(&self.0.watch.snapshot(since)).unwrap_or_default().into()
    }

    fn filled(&self) -> MutexGuard<'_, bool> {
        self.0.filled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Viewer {
    /// The next snapshot as JSON, without line ends. The first has all samples, the others the newest. `None`
    /// when this viewer was too slow.
    pub(crate) async fn next(&mut self) -> Option<Arc<str>> {
        match self.first.take() {
            Some(first) => Some(first),
            None => self.rest.recv().await.ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_viewer_that_falls_behind_is_dropped() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let snapshots = broadcast::Sender::new(BEHIND);
        let place = Arc::new(Semaphore::new(1)).try_acquire_owned().expect("a place");
        let mut viewer = Viewer { first: Some("0".into()), rest: snapshots.subscribe(), _place: place };
        let mut next = || runtime.block_on(viewer.next());
        assert_eq!(next().as_deref(), Some("0"));
        let send = |count: usize| {
            for _ in 0..count {
                snapshots.send("1".into()).expect("a viewer");
            }
        };
        send(BEHIND);
        for _ in 0..BEHIND {
            assert_eq!(next().as_deref(), Some("1"));
        }
        send(BEHIND + 1);
        assert_eq!(next(), None);
    }
}
