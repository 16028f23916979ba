//! The task that passes summaries to the subscriber and the observers.

use super::{Hints, Observers, Subscriber};
use crate::watch::Watch;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{Receiver, UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, sleep_until};
use tuffet_policy::ClientHistory;
use tuffet_request::events::{Ended, EventKind, Summary};

/// Summaries handled at once.
const BATCH: usize = 256;

/// The shortest pause between two batches. Waking this task for each of many short transfers would cost their
/// worker as much as several blocks.
const PAUSE: Duration = Duration::from_millis(1);

/// Asks the task to pass on what has ended so far: observers that are replaced get the ends of their time.
#[derive(Clone)]
pub(crate) struct Flush(UnboundedSender<oneshot::Sender<()>>);

/// The requests of [`Flush`].
pub(crate) type Flushes = UnboundedReceiver<oneshot::Sender<()>>;

impl Flush {
    pub(crate) fn new() -> (Flush, Flushes) {
        let (sender, flushes) = unbounded_channel();
        (Flush(sender), flushes)
    }

    /// Whether the task has ended.
    pub(crate) fn is_closed(&self) -> bool {
        self.0.is_closed()
    }

    /// Returns when the observers have been sent everything that had ended before. Returns false if the task has ended.
    pub(crate) async fn flush(&self) -> bool {
        let (done, flushed) = oneshot::channel();
        self.0.send(done).is_ok() && flushed.await.is_ok()
    }
}

/// Counts summaries and hands them to the subscriber and to the observers, until all senders are gone.
pub(crate) async fn pass_on(
    mut ended: Receiver<Ended>,
    mut flushes: Flushes,
    observers: Observers,
    watch: Watch,
    mut hints: Hints,
    history: ClientHistory,
    mut subscriber: impl Subscriber,
) {
    let mut batch = Vec::with_capacity(BATCH);
    loop {
        // Until then, the subscriber may add to its sums.
        let due = subscriber.due();
        let mut flushed = None;
        tokio::select! {
            taken = ended.recv_many(&mut batch, BATCH) => match taken {
                0 => break,
                BATCH.. => {}
                _ => sleep(PAUSE).await,
            },
            Some(done) = flushes.recv() => {
                // Those alone that have ended: there may always be more.
                for _ in 0..ended.len() {
                    batch.extend(ended.try_recv().ok());
                }
                flushed = Some(done);
            }
            () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {}
        }
        watch.summaries_wait(ended.len());
        let now = Instant::now();
        for ended in batch.drain(..) {
            let summary = Summary::from(ended);
            let waits_again = summary.unanswered.is_some() && watch.waits_again(&summary);
            let hint = hints.of(&summary, waits_again);
            let summary = Arc::new(Summary { hint, ..summary });
            watch.ended(&summary);
            history.note(&summary);
            subscriber.ended(&summary, now);
            observers.finished(EventKind::Finished(summary));
        }
        if let Some(flushed) = flushed {
            // Who replaces the observers may have given up.
            let _ = flushed.send(());
        }
        subscriber.when_due(Instant::now());
    }
    subscriber.finish(Instant::now());
}
