//! Checks the liveness of the workers with pings.

use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, oneshot};
use tokio::time::{Instant, timeout_at};
use tuffet_engine::worker::{Mailbox, ToWorker};

/// The time limit of an answer. The loop of a worker takes microseconds, but a disk may delay it.
pub(super) const PING_TIMEOUT: Duration = Duration::from_secs(2);

/// Pings all workers.
pub struct WorkerLiveness(Mutex<PingState>);

struct PingState {
    workers: Vec<Worker>,
    /// The time of the last pings, and the workers that did not answer.
    last: Option<(Instant, Vec<usize>)>,
}

struct Worker {
    mailbox: Arc<Mailbox>,
    /// The pending answer. At most one ping is in the mailbox.
    pong: Option<oneshot::Receiver<()>>,
}

impl WorkerLiveness {
    /// Pings the workers of these mailboxes.
    pub fn new(mailboxes: Vec<Arc<Mailbox>>) -> WorkerLiveness {
        let workers = mailboxes.into_iter().map(|mailbox| Worker { mailbox, pong: None }).collect();
        WorkerLiveness(Mutex::new(PingState { workers, last: None }))
    }

    /// Returns the numbers of the workers that did not answer. Concurrent callers share the result.
    pub async fn silent(&self) -> Vec<usize> {
        let came = Instant::now();
        let mut state = self.0.lock().await;
        if let Some((sent_at, silent)) = &state.last
            && *sent_at >= came
        {
            return silent.clone();
        }
        let sent_at = Instant::now();
        for worker in state.workers.iter_mut().filter(|worker| worker.pong.is_none()) {
            let (answer, pong) = oneshot::channel();
            // A worker that cannot be woken does not answer.
            let _ = worker.mailbox.post(ToWorker::Ping(answer));
            worker.pong = Some(pong);
        }
        let mut silent = Vec::new();
        for (number, worker) in state.workers.iter_mut().enumerate() {
            let Some(pong) = &mut worker.pong else { continue };
            match timeout_at(sent_at + PING_TIMEOUT, pong).await {
                Ok(Ok(())) => worker.pong = None,
                // The worker's thread has ended.
                Ok(Err(_)) => {
                    worker.pong = None;
                    silent.push(number);
                }
                Err(_) => silent.push(number),
            }
        }
        state.last = Some((sent_at, silent.clone()));
        silent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mio::{Poll, Token, Waker};

    #[test]
    fn a_silent_worker_is_named_and_pinged_once() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        runtime.expect("a runtime").block_on(one_of_two_is_silent());
    }

    async fn one_of_two_is_silent() {
        let polls = [Poll::new().expect("a poll"), Poll::new().expect("a poll")];
        let mailbox =
            |poll: &Poll| Arc::new(Mailbox::new(Waker::new(poll.registry(), Token(0)).expect("a waker")));
        let mailboxes: Vec<_> = polls.iter().map(mailbox).collect();
        let liveness = Arc::new(WorkerLiveness::new(mailboxes.clone()));
        let ping = |liveness: &Arc<WorkerLiveness>| {
            let liveness = Arc::clone(liveness);
            tokio::spawn(async move { liveness.silent().await })
        };
        let answer = |number: usize| {
            let mut pings = 0;
            while let Some(ToWorker::Ping(answer)) = mailboxes[number].take() {
                pings += 1;
                let _ = answer.send(());
            }
            pings
        };
        let first = ping(&liveness);
        tokio::task::yield_now().await;
        assert_eq!(answer(0), 1);
        assert_eq!(first.await.expect("an answer"), [1]);
        let again = ping(&liveness);
        tokio::task::yield_now().await;
        assert_eq!((answer(0), answer(1)), (1, 1), "the silent worker had one ping");
        assert_eq!(again.await.expect("an answer"), [] as [usize; 0]);
    }
}
