//! Sinks: named outputs that plugins write to. Each has a thread that delivers its lines. A slow or broken sink fills
//! its queue or its spool, and affects nothing else.
//!
//! Lines are queued in memory (`memory`) or on disk (`spool`). The thread takes them in batches, delivers them to an
//! `output`, and retries failed deliveries (`deliver`).

mod backlog;
mod counters;
mod deliver;
mod file;
mod http;
mod line;
mod log;
mod memory;
mod nats;
mod open_sinks;
pub mod otlp;
mod output;
mod queue;
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

pub use log::{LogFailure, LogOutput};
pub use open_sinks::Sinks;
pub use tuffet_request::SinkCounted;

use backlog::Backlog;
use counters::{Counters, add};
use memory::Memory;
use output::Output;
use spool::Spool;
use tuffet_config::Secret;
use tuffet_config::sinks::{
    Batch, FileTarget, Format, Fsync, HttpTarget, Rotate, SinkSpec, SinkTarget, SpoolSpec,
};

/// The pause of a broken output before a retry; it grows for remote outputs.
const PAUSE: Duration = Duration::from_millis(250);
/// The interval of checks, at the end of the process, that everything is delivered.
const FLUSH_POLL: Duration = Duration::from_millis(2);

/// An open sink. After it is dropped, queued lines are still delivered, unless the process ends first.
pub struct Sink(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    name: String,
    /// Whether lines carry a timestamp and the plugin's name (OTLP only).
    marks_lines: bool,
    backlog: Box<dyn Backlog>,
    counters: Arc<Counters>,
    broken: AtomicBool,
    /// When the sink was closed.
    closed: OnceLock<Instant>,
    /// Whether to deliver lines without waiting for a batch.
    prompt: AtomicBool,
}

/// The sink has no room: its queue or its spool is full.
#[derive(Debug, PartialEq, Eq)]
pub struct Full;

/// How the thread of a sink waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DeliveryMode {
    /// Lines wait for a full batch, and the thread waits for lines.
    Batched,
    /// Lines do not wait for a full batch.
    Prompt,
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
            marks_lines: matches!(spec.target, SinkTarget::Otlp(_)),
            backlog: match spool {
                None => Box::new(Memory::new(spec.queue)),
                Some(spool) => Box::new(spool.claim()),
            },
            counters,
            broken: AtomicBool::new(false),
            closed: OnceLock::new(),
            prompt: AtomicBool::new(false),
        });
        let thread_shared = Arc::clone(&shared);
        std::thread::Builder::new()
            .name("tuffet-sink".into())
            .spawn(move || deliver::run(&thread_shared, output))?;
        Ok(Sink(shared))
    }

    /// Accepts a line of a plugin, without its line end: into memory at once, or onto the disk, on a thread that may
    /// block. An accepted line is as durable as the sink promises.
    ///
    /// # Errors
    /// The sink has no room.
    pub async fn emit(&self, plugin: &str, line: String) -> Result<(), Full> {
        let line = if self.0.marks_lines { otlp::mark(plugin, &line) } else { line };
        if !self.0.backlog.is_persistent() {
            return self.0.push(line);
        }
        let shared = Arc::clone(&self.0);
        tokio::task::spawn_blocking(move || shared.push(line)).await.unwrap_or(Err(Full))
    }

    /// Returns the undelivered lines, which outlive this value.
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

    fn mode(&self) -> DeliveryMode {
        if self.closed.get().is_some() || !self.backlog.has_claim() {
            DeliveryMode::Stop
        } else if self.prompt.load(Ordering::Acquire) {
            DeliveryMode::Prompt
        } else {
            DeliveryMode::Batched
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
    /// Whether lines can remain: the sink is open, or its thread still delivers.
    fn is_alive(&self) -> bool {
        self.0.strong_count() > 0
    }

    /// Waits until the lines are delivered, at most until `end`. Blocks.
    fn flush(&self, end: Instant) {
        while let Some(shared) = self.0.upgrade() {
            let (lines, _) = shared.backlog.size();
            // The thread of a closed sink must end first: written lines may have to be synced.
            if lines == 0 && shared.closed.get().is_none() {
                return;
            }
            // These lines outlive the process.
            if shared.backlog.is_persistent() && shared.is_broken() {
                return;
            }
            if Instant::now() >= end {
                if lines > 0 && !shared.backlog.is_persistent() {
                    let sink = &*shared.name;
                    tracing::warn!(target: "tuffet::sinks", sink, lines, "lines of a sink could not be delivered in time");
                }
                return;
            }
            shared.prompt.store(true, Ordering::Release);
            shared.backlog.wake();
            drop(shared);
            std::thread::sleep(FLUSH_POLL);
        }
    }
}
