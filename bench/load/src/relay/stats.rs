//! The figures of a running relay.

use crate::link::Counts;
use crate::relay::Relay;
use std::fmt;
use std::time::{Duration, Instant};
use tuffet_measure::CpuTime;

/// Processor time of the calling thread.
pub(crate) fn thread_time() -> Duration {
    CpuTime::of_thread().map_or(Duration::ZERO, CpuTime::total)
}

/// The figures of a period.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Figures {
    pub(crate) time: Duration,
    pub(crate) cpu: Duration,
    pub(crate) up: Counts,
    pub(crate) down: Counts,
    pub(crate) refused: u64,
    pub(crate) strays: u64,
    pub(crate) clients: usize,
}

/// The counters at the start of a period.
#[derive(Debug)]
pub(crate) struct Meter {
    began: Instant,
    cpu: Duration,
    before: (Counts, Counts),
}

impl Meter {
    /// Starts a period now, on this thread.
    pub(crate) fn start(relay: &Relay) -> Self {
        Meter { began: Instant::now(), cpu: thread_time(), before: (relay.up.counts, relay.down.counts) }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    pub(crate) fn read(&self, relay: &Relay) -> Figures {
        Figures {
            time: self.began.elapsed(),
            cpu: thread_time().saturating_sub(self.cpu),
            up: since(relay.up.counts, self.before.0),
            down: since(relay.down.counts, self.before.1),
            refused: relay.refused,
            strays: relay.strays,
            clients: relay.clients(),
        }
    }
}

impl Figures {
    /// Processor seconds per 10⁹ received bytes.
    pub(crate) fn cpu_per_gb(&self) -> Option<f64> {
        let bytes = self.up.bytes + self.down.bytes;
        (bytes > 0).then(|| self.cpu.as_secs_f64() * 1e9 / bytes as f64)
    }

    pub(crate) fn any(&self) -> bool {
        self.up.datagrams + self.down.datagrams > 0
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.time.as_secs_f64().max(1e-9);
        let side = |f: &mut fmt::Formatter<'_>, name, counts: &Counts| {
            let rate = counts.bytes as f64 * 8.0 / seconds / 1e6;
            let Counts { datagrams, lost, overflowed, duplicated, held_back, .. } = counts;
            write!(
                f,
                "{name} {rate:.1} Mbit/s, {datagrams} datagrams, {lost} lost, {overflowed} did not fit the \
                 queue, {duplicated} doubled, {held_back} held back; "
            )
        };
        side(f, "up", &self.up)?;
        side(f, "down", &self.down)?;
        write!(
            f,
            "{} clients, {} refused by the kernel, {} strays",
            self.clients, self.refused, self.strays
        )?;
        match self.cpu_per_gb() {
            Some(cost) => write!(f, "; {cost:.2} CPU s/GB"),
            None => Ok(()),
        }
    }
}

fn since(now: Counts, before: Counts) -> Counts {
    Counts {
        datagrams: now.datagrams - before.datagrams,
        bytes: now.bytes - before.bytes,
        lost: now.lost - before.lost,
        overflowed: now.overflowed - before.overflowed,
        duplicated: now.duplicated - before.duplicated,
        held_back: now.held_back - before.held_back,
    }
}
