//! Logs calls refused for overload: the first immediately, further ones as sums.

use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::{Instant, sleep};

/// The period that a summary covers.
const PERIOD: Duration = Duration::from_secs(10);

/// The overload of one plugin.
#[derive(Debug, Default)]
pub struct Overload {
    /// Calls since the last line; `None` if the next one gets its own line.
    unreported: Mutex<Option<Unreported>>,
}

#[derive(Debug)]
struct Unreported {
    since: Instant,
    calls: u64,
}

impl Overload {
    /// Records a call that got no turn or no CPU time.
    pub fn note(self: &Arc<Self>, plugin: &Arc<str>, hook: &'static str, why: &str) {
        let mut unreported = self.lock();
        if let Some(unreported) = &mut *unreported {
            unreported.calls += 1;
            return;
        }
        *unreported = Some(Unreported { since: Instant::now(), calls: 0 });
        drop(unreported);
        tracing::warn!(
            target: "tuffet::policy", plugin = %plugin, hook, cause = "busy",
            "a plugin is overloaded; the request gets no answer, so that its client asks again: {why}"
        );
        let (overload, plugin) = (Arc::clone(self), Arc::clone(plugin));
        match Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn(async move { overload.sum_up(&plugin).await })),
            Err(_) => *self.lock() = None,
        }
    }

    /// Logs one line for each period, until a period without such calls.
    async fn sum_up(&self, plugin: &str) {
        loop {
            sleep(PERIOD).await;
            let Some(Unreported { since, calls }) = self.next() else { return };
            tracing::warn!(
                target: "tuffet::policy", plugin = %plugin, calls, cause = "busy",
                within_ms = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX),
                "a plugin is overloaded; more requests got no answer"
            );
        }
    }

    /// Returns the calls to log and begins the next period; without any, ends the series.
    fn next(&self) -> Option<Unreported> {
        let mut unreported = self.lock();
        let sum = unreported.take().filter(|unreported| unreported.calls > 0)?;
        *unreported = Some(Unreported { since: Instant::now(), calls: 0 });
        Some(sum)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Unreported>> {
        self.unreported.lock()
    }
}
