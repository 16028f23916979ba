//! The liveness of the workers: each gets a ping, and must answer soon.

use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, oneshot};
use tokio::time::{Instant, timeout_at};
use tuffet_engine::worker::{Mailbox, ToWorker};

/// How long a worker may take to answer. Its loop takes microseconds; a disk may delay it.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);

/// Pings all workers.
pub struct Pulse(Mutex<Asking>);

struct Asking {
    workers: Vec<Worker>,
    /// The time of the last pings, and the workers that did not answer.
    last: Option<(Instant, Vec<usize>)>,
}

struct Worker {
    mailbox: Arc<Mailbox>,
    /// The pending answer: at most one ping is in the mailbox.
    due: Option<oneshot::Receiver<()>>,
}

impl Pulse {
    /// Pings the workers of these mailboxes.
    pub fn new(mailboxes: Vec<Arc<Mailbox>>) -> Pulse {
        let workers = mailboxes.into_iter().map(|mailbox| Worker { mailbox, due: None }).collect();
        Pulse(Mutex::new(Asking { workers, last: None }))
    }

    /// Returns the numbers of the workers that did not answer. Concurrent callers share the result.
    pub async fn silent(&self) -> Vec<usize> {
        let came = Instant::now();
        let mut asking = self.0.lock().await;
        if let Some((sent_at, silent)) = &asking.last
            && *sent_at >= came
        {
            return silent.clone();
        }
        let sent_at = Instant::now();
        for worker in asking.workers.iter_mut().filter(|worker| worker.due.is_none()) {
            let (answer, due) = oneshot::channel();
            // A worker that cannot be woken does not answer.
            let _ = worker.mailbox.post(ToWorker::Ping(answer));
            worker.due = Some(due);
        }
        let mut silent = Vec::new();
        for (number, worker) in asking.workers.iter_mut().enumerate() {
            let Some(due) = &mut worker.due else { continue };
            match timeout_at(sent_at + PATIENCE, due).await {
                Ok(Ok(())) => worker.due = None,
                // Its thread has ended, and the ping with it.
                Ok(Err(_)) => {
                    worker.due = None;
                    silent.push(number);
                }
                Err(_) => silent.push(number),
            }
        }
        asking.last = Some((sent_at, silent.clone()));
        silent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mio::{Poll, Token, Waker};

    #[test]
    fn who_does_not_answer_is_named_and_asked_once() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        runtime.expect("a runtime").block_on(one_of_two_is_silent());
    }

    async fn one_of_two_is_silent() {
        let polls = [Poll::new().expect("a poll"), Poll::new().expect("a poll")];
        let mailbox =
            |poll: &Poll| Arc::new(Mailbox::new(Waker::new(poll.registry(), Token(0)).expect("a waker")));
        let mailboxes: Vec<_> = polls.iter().map(mailbox).collect();
        let pulse = Arc::new(Pulse::new(mailboxes.clone()));
        let asking = |pulse: &Arc<Pulse>| {
            let pulse = Arc::clone(pulse);
            tokio::spawn(async move { pulse.silent().await })
        };
        let answer = |number: usize| {
            let mut questions = 0;
            while let Some(ToWorker::Ping(answer)) = mailboxes[number].take() {
                questions += 1;
                let _ = answer.send(());
            }
            questions
        };
        let first = asking(&pulse);
        tokio::task::yield_now().await;
        assert_eq!(answer(0), 1);
        assert_eq!(first.await.expect("an answer"), [1]);
        let again = asking(&pulse);
        tokio::task::yield_now().await;
        assert_eq!((answer(0), answer(1)), (1, 1), "one question waited for the silent one");
        assert_eq!(again.await.expect("an answer"), [] as [usize; 0]);
    }
}
