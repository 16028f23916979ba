//! Measures how a call spends its time: computing, waiting for the host, or waiting for a processor.

use parking_lot::{Mutex, MutexGuard};
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::task::{Context, Wake, Waker};
use std::time::{Duration, Instant};

use futures_util::task::AtomicWaker;
use rustix::time::{ClockId, clock_gettime};

use tuffet_policy::{SHORT_CALL, Slice, Slices};
use tuffet_request::ClientKey;

/// Sums up the CPU time of the threads that poll the future of a call. The future may move to another thread between
/// two polls, never within one. Other futures on the same thread or core do not count.
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
    /// Nanoseconds between polls while the guest waited for the host.
    waited: AtomicU64,
    /// Whether the guest is ready and only yields the thread to others.
    yielded: AtomicBool,
    alarm: Arc<Alarm>,
    share: Mutex<Share>,
}

/// The client of the call, and the call's slice, if it has one.
#[derive(Debug)]
struct Share {
    client: ClientKey,
    slice: Option<Slice>,
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

/// A call that computed this long is not starved, whatever its limit.
const ENDLESS_LOOP_CPU: Duration = Duration::from_secs(1);

impl Spent {
    /// Whether the call was ready for most of the time, but got no CPU time. A call that still used a good part of
    /// its limit would not have ended on an idle machine either: endless loops are such calls.
    pub fn is_starved(&self, cpu_limit: Duration) -> bool {
        self.lacked_cpu() && self.cpu < (cpu_limit / 4).min(ENDLESS_LOOP_CPU)
    }

    /// Whether the call waited for a processor for most of the time.
    pub fn lacked_cpu(&self) -> bool {
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
            share: Mutex::new(Share { client: ClientKey::SERVER, slice: None }),
        })
    }

    /// Resets the meter for a call for this client.
    pub fn reset(&self, client: ClientKey) {
        *self.share() = Share { client, slice: None };
        let now = self.now();
        self.spent.store(0, Relaxed);
        self.waited.store(0, Relaxed);
        self.began.store(now, Relaxed);
        self.paused.store(now, Relaxed);
        // Time before the first poll is not the guest's waiting.
        self.yielded.store(true, Relaxed);
    }

    /// Returns the CPU time so far. Only for use within the metered future.
    pub fn cpu(&self) -> Duration {
        let running = cpu_clock().saturating_sub(self.since.load(Relaxed));
        Duration::from_nanos(self.spent.load(Relaxed).saturating_add(running))
    }

    /// Records that the guest yields to others of its thread. After a long computation, returns a future to wait for
    /// before it continues, if others compute for long as well.
    pub fn yields(self: &Arc<Self>, slices: &Arc<Slices>) -> Option<impl Future<Output = ()> + Send + use<>> {
        self.is_ready();
        if self.cpu() < SHORT_CALL {
            return None;
        }
        let mut share = self.share();
        if share.slice.is_some() && !slices.is_wanted() {
            return None;
        }
        // Passes the slice on before the call queues again.
        share.slice = None;
        match slices.slice(share.client) {
            Ok(slice) => {
                share.slice = Some(slice);
                None
            }
            Err(waiting) => Some(Arc::clone(self).wait_for_slice(waiting)),
        }
    }

    async fn wait_for_slice(self: Arc<Self>, waiting: impl Future<Output = Option<Slice>>) {
        let mut waiting = pin!(waiting);
        let slice = std::future::poll_fn(|context| {
            let polled = waiting.as_mut().poll(context);
            if polled.is_pending() {
                self.is_ready();
            }
            polled
        });
        let slice = slice.await;
        self.share().slice = slice;
    }

    /// Records that the guest is ready, not waiting for the host.
    fn is_ready(&self) {
        self.yielded.store(true, Relaxed);
    }

    fn share(&self) -> MutexGuard<'_, Share> {
        self.share.lock()
    }

    /// Returns the times of a finished call, or between two polls.
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
                self.is_ready();
            }
            if polled.is_ready() || !self.yielded.load(Relaxed) {
                // A finished call or one that waits for the host needs no slice.
                self.share().slice = None;
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

/// Returns the CPU time of this thread in nanoseconds: clock_gettime(2), CLOCK_THREAD_CPUTIME_ID.
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
    async fn computing_is_distinguished_from_waiting() {
        let meter = Meter::new();
        meter.reset(ClientKey::SERVER);
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
        let limit = Duration::from_millis(200);
        let starved = |cpu, waited| spent(cpu, waited).is_starved(limit);
        assert!(!starved(100, 0) && !starved(0, 100) && !starved(25, 25));
        assert!(starved(20, 20) && starved(0, 0));
        assert!(spent(49, 0).is_starved(limit), "the machine was busy");
        let loops = Duration::from_millis(120);
        assert!(!spent(40, 0).is_starved(loops), "it computed for a third of its limit on a busy machine");
    }

    /// Work for other futures between two polls counts neither as computing nor as waiting.
    #[tokio::test]
    async fn a_call_that_others_keep_from_computing_is_starved() {
        let meter = Meter::new();
        meter.reset(ClientKey::SERVER);
        let others = async {
            for _ in 0..10 {
                compute(Duration::from_millis(5));
                tokio::task::yield_now().await;
            }
        };
        let metered = meter.run(async {
            for _ in 0..10 {
                meter.is_ready();
                tokio::task::yield_now().await;
            }
        });
        tokio::join!(metered, others);
        let spent = meter.spent();
        assert!(spent.cpu < Duration::from_millis(20), "{spent:?}");
        assert!(spent.waited < Duration::from_millis(20), "{spent:?}");
        assert!(spent.is_starved(Duration::from_secs(1)), "{spent:?}");
    }
}
