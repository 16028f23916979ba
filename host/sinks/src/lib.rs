//! Sinks: named outputs that plugins write to. Each has its own thread, which delivers the lines. A slow or
//! broken sink fills its queue or its spool, and affects nothing else.
//!
//! Lines are queued in memory (`memory`) or on disk (`spool`); one thread takes them in batches, delivers
//! them and retries failed deliveries (`deliver`); the receiver is an `output`.

mod backlog;
mod counters;
mod deliver;
mod file;
mod http;
mod line;
mod memory;
mod nats;
mod otlp;
mod output;
mod outputs;
mod queue;
mod registry;
mod rotate;
mod runtime;
mod spool;
mod stdout;
mod syslog;
#[cfg(test)]
mod tests;
mod udp;

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

pub use counters::SinkCounted;
pub use otlp::resource;
pub use registry::Sinks;

use backlog::Backlog;
use counters::{Counters, add};
use memory::Memory;
use output::Output;
use spool::Spool;
use tuffet_config::Secret;
use tuffet_config::sinks::{
    Batch, FileTarget, Format, Fsync, HttpTarget, Rotate, SinkSpec, SinkTarget, SpoolSpec,
};

/// The pause of a broken output before the next try; it grows for remote outputs.
const PAUSE: Duration = Duration::from_millis(250);
/// The interval of checks, at the end of the process, whether everything is delivered.
const LOOK: Duration = Duration::from_millis(2);

/// An open sink. After it is dropped, queued lines are still delivered, unless the process ends first.
pub struct Sink(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    name: String,
    /// Whether lines carry a timestamp and the plugin's name (OTLP only).
    marks: bool,
    backlog: Box<dyn Backlog>,
    counters: Arc<Counters>,
    broken: AtomicBool,
    /// When the sink was closed.
    closed: OnceLock<Instant>,
    /// Whether lines are delivered without waiting for a batch.
    hurry: AtomicBool,
}

/// The sink has no room: its queue or its spool is full.
#[derive(Debug, PartialEq, Eq)]
pub struct Full;

/// How a sink's thread waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pace {
    /// Lines wait for others to fill a batch, and the thread waits for lines.
    Calm,
    /// Lines do not wait for others.
    Hurry,
    /// The thread waits for nothing.
    Stop,
}

impl Sink {
    fn start(
        spec: &SinkSpec,
        spool: Option<Arc<Spool>>,
        counters: Arc<Counters>,
        output: Box<dyn Output>,
    ) -> io::Result<Sink> {
        let shared = Arc::new(Shared {
            name: spec.name.clone(),
            marks: matches!(spec.target, SinkTarget::Otlp(_)),
            backlog: match spool {
                None => Box::new(Memory::new(spec.queue)),
                Some(spool) => Box::new(spool.claim()),
            },
            counters,
            broken: AtomicBool::new(false),
            closed: OnceLock::new(),
            hurry: AtomicBool::new(false),
        });
        let its = Arc::clone(&shared);
        std::thread::Builder::new().name("tuffet-sink".into()).spawn(move || deliver::run(&its, output))?;
        Ok(Sink(shared))
    }

    /// Accepts a line of a plugin, without its line end: into memory at once, or onto the disk, on a thread
    /// that may block. Once accepted, the line is as safe as the sink promises.
    ///
    /// # Errors
    /// The sink has no room.
    pub async fn emit(&self, plugin: &str, line: String) -> Result<(), Full> {
        let line = if self.0.marks { otlp::mark(plugin, &line) } else { line };
        if !self.0.backlog.is_kept() {
            return self.0.push(line);
        }
        let shared = Arc::clone(&self.0);
        tokio::task::spawn_blocking(move || shared.push(line)).await.unwrap_or(Err(Full))
    }

    /// Undelivered lines, also after the sink was dropped.
    fn pending(&self) -> Pending {
        Pending(Arc::downgrade(&self.0))
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        let _ = self.0.closed.set(Instant::now());
        self.0.backlog.wake();
    }
}

impl std::fmt::Debug for Sink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sink").field("name", &self.0.name).finish_non_exhaustive()
    }
}

impl Shared {
    fn push(&self, line: String) -> Result<(), Full> {
        let pushed = self.backlog.push(line);
        add(if pushed.is_ok() { &self.counters.queued } else { &self.counters.refused }, 1);
        pushed
    }

    fn pace(&self) -> Pace {
        if self.closed.get().is_some() || !self.backlog.is_mine() {
            Pace::Stop
        } else if self.hurry.load(Ordering::Acquire) {
            Pace::Hurry
        } else {
            Pace::Calm
        }
    }

    fn closed_for(&self) -> Option<Duration> {
        self.closed.get().map(Instant::elapsed)
    }

    fn set_broken(&self, broken: bool) {
        self.broken.store(broken, Ordering::Release);
    }

    fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Acquire)
    }
}

/// The undelivered lines of a sink.
#[derive(Debug, Clone)]
struct Pending(Weak<Shared>);

impl Pending {
    /// Whether any can exist: the sink is open, or its thread still delivers.
    fn is_alive(&self) -> bool {
        self.0.strong_count() > 0
    }

    /// Waits until they are delivered, or until this time. Blocks.
    fn flush(&self, end: Instant) {
        while let Some(shared) = self.0.upgrade() {
            let (lines, _) = shared.backlog.size();
            // If the sink is closed, its thread must end first: written lines may have to be synced.
            if lines == 0 && shared.closed.get().is_none() {
                return;
            }
            // These lines outlive the process, so there is no need to wait.
            if shared.backlog.is_kept() && shared.is_broken() {
                return;
            }
            if Instant::now() >= end {
                if lines > 0 && !shared.backlog.is_kept() {
                    let sink = &*shared.name;
                    tracing::warn!(target: "tuffet::sinks", sink, lines, "lines of a sink could not be delivered in time");
                }
                return;
            }
            shared.hurry.store(true, Ordering::Release);
            shared.backlog.wake();
            drop(shared);
            std::thread::sleep(LOOK);
        }
    }
}
