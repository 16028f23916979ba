//! Measures how a call spends its time: computing, waiting for the host, or waiting for a processor.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::task::{Context, Wake, Waker};
use std::time::{Duration, Instant};

use futures_util::task::AtomicWaker;
use rustix::time::{ClockId, clock_gettime};

/// Sums up the CPU time of the threads that poll the future of a call. The future may move to another thread
/// between two polls, never within one. Computation of other futures on the same thread or core does not
/// count.
///
/// Only the future, and the thread that polls it, write these values.
#[derive(Debug)]
pub(super) struct Meter {
    origin: Instant,
    /// Nanoseconds of CPU time of all finished polls.
    spent: AtomicU64,
    /// The thread's CPU clock at the start of the running poll.
    since: AtomicU64,
    /// Nanoseconds from `origin` to the start of the call, and to the end of the last poll.
    began: AtomicU64,
    paused: AtomicU64,
    /// Nanoseconds between polls in which the guest waited for the host.
    waited: AtomicU64,
    /// Whether the guest is ready and only yields the thread to others.
    yielded: AtomicBool,
    alarm: Arc<Alarm>,
}

/// Records when the host call of a waiting guest finished: from then on the guest waits for a processor.
#[derive(Debug)]
struct Alarm {
    origin: Instant,
    /// Nanoseconds from `origin`; the maximum until it finishes.
    woken: AtomicU64,
    task: AtomicWaker,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.woken.fetch_min(nanos(self.origin), Relaxed);
        self.task.wake();
    }
}

/// The time of a call by its use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spent {
    /// The total time.
    pub wall: Duration,
    /// The time spent computing.
    pub cpu: Duration,
    /// The time spent waiting for host calls.
    pub waited: Duration,
}

impl Spent {
    /// Whether for most of the time the call was ready to compute, but the machine had no CPU time for it.
    pub fn is_starved(&self) -> bool {
        self.wall.saturating_sub(self.cpu).saturating_sub(self.waited) > self.wall / 2
    }
}

impl Meter {
    pub fn new() -> Arc<Meter> {
        let origin = Instant::now();
        let alarm = Alarm { origin, woken: AtomicU64::new(u64::MAX), task: AtomicWaker::new() };
        Arc::new(Meter {
            origin,
            spent: AtomicU64::new(0),
            since: AtomicU64::new(0),
            began: AtomicU64::new(0),
            paused: AtomicU64::new(0),
            waited: AtomicU64::new(0),
            yielded: AtomicBool::new(false),
            alarm: Arc::new(alarm),
        })
    }

    /// Resets the meter for the next call of a reused instance.
    pub fn reset(&self) {
        let now = self.now();
        self.spent.store(0, Relaxed);
        self.waited.store(0, Relaxed);
        self.began.store(now, Relaxed);
        self.paused.store(now, Relaxed);
        // Time before the first poll is not the guest's waiting.
        self.yielded.store(true, Relaxed);
    }

    /// The CPU time so far. Only for use from within the metered future.
    pub fn cpu(&self) -> Duration {
        let running = cpu_clock().saturating_sub(self.since.load(Relaxed));
        Duration::from_nanos(self.spent.load(Relaxed).saturating_add(running))
    }

    /// Records that the guest yields to others of its thread.
    pub fn yields(&self) {
        self.yielded.store(true, Relaxed);
    }

    /// The times of a finished call, or between two polls.
    pub fn spent(&self) -> Spent {
        let now = self.now();
        let woken = self.alarm.woken.load(Relaxed).min(now);
        let pause =
            if self.yielded.load(Relaxed) { 0 } else { woken.saturating_sub(self.paused.load(Relaxed)) };
        Spent {
            wall: Duration::from_nanos(now.saturating_sub(self.began.load(Relaxed))),
            cpu: Duration::from_nanos(self.spent.load(Relaxed)),
            waited: Duration::from_nanos(self.waited.load(Relaxed) + pause),
        }
    }

    /// Meters a future.
    pub async fn run<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        let waker = Waker::from(Arc::clone(&self.alarm));
        std::future::poll_fn(|context| {
            self.waited.store(self.spent().waited.as_nanos() as u64, Relaxed);
            self.yielded.store(false, Relaxed);
            self.alarm.task.register(context.waker());
            self.alarm.woken.store(u64::MAX, Relaxed);
            self.since.store(cpu_clock(), Relaxed);
            let polled = future.as_mut().poll(&mut Context::from_waker(&waker));
            let ran = cpu_clock().saturating_sub(self.since.load(Relaxed));
            self.spent.fetch_add(ran, Relaxed);
            self.paused.store(self.now(), Relaxed);
            if polled.is_ready() {
                self.yields();
            }
            polled
        })
        .await
    }

    fn now(&self) -> u64 {
        nanos(self.origin)
    }
}

fn nanos(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Nanoseconds of CPU time of this thread: clock_gettime(2), CLOCK_THREAD_CPUTIME_ID.
fn cpu_clock() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses this much CPU time of its thread.
    fn compute(cpu: Duration) {
        let end = cpu_clock() + cpu.as_nanos() as u64;
        while cpu_clock() < end {
            std::hint::spin_loop();
        }
    }

    #[tokio::test]
    async fn computing_is_told_from_waiting() {
        let meter = Meter::new();
        meter.reset();
        let (computes, waits) = (Duration::from_millis(10), Duration::from_millis(40));
        meter
            .run(async {
                compute(computes);
                tokio::time::sleep(waits).await;
            })
            .await;
        let spent = meter.spent();
        assert!(spent.cpu >= computes && spent.cpu < waits, "{spent:?}");
        assert!(spent.waited >= waits - Duration::from_millis(1), "{spent:?}");
    }

    #[test]
    fn neither_computing_nor_waiting_is_starving() {
        let spent = |cpu, waited| {
            let [wall, cpu, waited] = [100, cpu, waited].map(Duration::from_millis);
            Spent { wall, cpu, waited }
        };
        assert!(!spent(100, 0).is_starved() && !spent(0, 100).is_starved() && !spent(25, 25).is_starved());
        assert!(spent(20, 20).is_starved() && spent(0, 0).is_starved());
    }

    /// Work of the thread for other futures between two polls counts neither as computing nor as waiting.
    #[tokio::test]
    async fn a_call_that_others_keep_from_computing_is_starved() {
        let meter = Meter::new();
        meter.reset();
        let others = async {
            for _ in 0..10 {
                compute(Duration::from_millis(5));
                tokio::task::yield_now().await;
            }
        };
        let metered = meter.run(async {
            for _ in 0..10 {
                meter.yields();
                tokio::task::yield_now().await;
            }
        });
        tokio::join!(metered, others);
        let spent = meter.spent();
        assert!(spent.cpu < Duration::from_millis(20), "{spent:?}");
        assert!(spent.waited < Duration::from_millis(20), "{spent:?}");
        assert!(spent.is_starved(), "{spent:?}");
    }
}
