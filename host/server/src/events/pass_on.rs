//! The task that passes summaries to the subscriber and the observers.

use super::{Hints, Observers, Subscriber};
use crate::watch::Watch;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, sleep, timeout_at};
use tuffet_policy::ClientHistory;
use tuffet_request::events::{Ended, EventKind, Summary};

/// Summaries handled at once.
const BATCH: usize = 256;

/// The shortest pause between two batches. Waking this task for each of many short transfers would cost their
/// worker as much as several blocks.
const PAUSE: Duration = Duration::from_millis(1);

/// Counts summaries and hands them to the subscriber and to the observers, until all senders are gone.
pub(crate) async fn pass_on(
    mut ended: Receiver<Ended>,
    observers: Observers,
    watch: Watch,
    mut hints: Hints,
    history: ClientHistory,
    mut subscriber: impl Subscriber,
) {
    let mut batch = Vec::with_capacity(BATCH);
    loop {
        let more = ended.recv_many(&mut batch, BATCH);
        let taken = match subscriber.due() {
            // Until then, the subscriber may add to its sums.
            Some(due) => timeout_at(due, more).await,
            None => Ok(more.await),
        };
        match taken {
            Ok(0) => break,
            Ok(_) => {}
            Err(_) => {
                subscriber.when_due(Instant::now());
                continue;
            }
        }
        if batch.len() < BATCH {
            sleep(PAUSE).await;
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
            if observers.want().finished {
                observers.send(EventKind::Finished(summary)).await;
            }
        }
        subscriber.when_due(Instant::now());
    }
    subscriber.finish(Instant::now());
}
