//! Named outputs, filled by plugins and delivered by threads of their own: a slow or broken one fills its
//! queue and nothing else.

mod file;
#[cfg(test)]
mod tests;
mod udp;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use file::FileOutput;
use udp::UdpOutput;

/// How long a broken output is left alone before the next try.
const RETRY: Duration = Duration::from_millis(250);

/// What a sink is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SinkSpec {
    /// Its name for plugins and logs; unique.
    pub name: String,
    /// Where its lines go.
    pub target: SinkTarget,
    /// Lines that may wait, at least 1.
    pub queue: usize,
}

/// Where the lines of a sink go.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SinkTarget {
    /// To the end of a file, each by one write.
    File(PathBuf),
    /// To an address, a datagram for each.
    Udp(SocketAddr),
}

/// An open sink. When it is dropped, what is queued is still delivered, unless the process ends before.
pub(crate) struct Sink {
    lines: SyncSender<String>,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    name: String,
    /// Lines that are queued or under way.
    pending: AtomicUsize,
    /// Set when no more lines come: what is broken then is not tried again.
    closing: AtomicBool,
}

/// The queue of a sink has no room.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Full;

/// A way out of the process. `deliver` may block, and is called again with the same line when it fails.
trait Output: Send {
    fn deliver(&mut self, line: &str) -> io::Result<()>;
}

impl Sink {
    /// Opens the file or the socket and starts the thread that fills it.
    ///
    /// # Errors
    /// The file cannot be opened, or there is no socket or thread.
    pub(crate) fn open(spec: &SinkSpec) -> io::Result<Sink> {
        let output: Box<dyn Output> = match &spec.target {
            SinkTarget::File(path) => Box::new(FileOutput::open(path)?),
            SinkTarget::Udp(address) => Box::new(UdpOutput::open(*address)?),
        };
        Self::start(spec, output)
    }

    fn start(spec: &SinkSpec, output: Box<dyn Output>) -> io::Result<Sink> {
        let (lines, queued) = sync_channel(spec.queue);
        let shared = Arc::new(Shared {
            name: spec.name.clone(),
            pending: AtomicUsize::new(0),
            closing: AtomicBool::new(false),
        });
        let its = Arc::clone(&shared);
        std::thread::Builder::new().name("tuffet-sink".into()).spawn(move || run(&its, &queued, output))?;
        Ok(Sink { lines, shared })
    }

    /// Queues a line, without its end. Never waits.
    pub(crate) fn emit(&self, line: String) -> Result<(), Full> {
        self.shared.pending.fetch_add(1, Ordering::AcqRel);
        self.lines.try_send(line).map_err(|_| {
            self.shared.pending.fetch_sub(1, Ordering::AcqRel);
            Full
        })
    }

    /// What is on its way, also after the sink was dropped.
    pub(crate) fn pending(&self) -> Pending {
        Pending(Arc::downgrade(&self.shared))
    }
}

/// The lines of a sink that are not delivered yet.
#[derive(Debug)]
pub(crate) struct Pending(Weak<Shared>);

impl Pending {
    /// Whether there can be any: the sink is open, or its thread still delivers.
    pub(crate) fn is_alive(&self) -> bool {
        self.0.strong_count() > 0
    }

    /// The name of the sink, and how many there are; `None` when it is gone.
    pub(crate) fn queued(&self) -> Option<(String, usize)> {
        let shared = self.0.upgrade()?;
        Some((shared.name.clone(), shared.pending.load(Ordering::Acquire)))
    }

    /// Waits until they are delivered, at most so long. Blocks.
    pub(crate) fn flush(&self, patience: Duration) {
        let end = Instant::now() + patience;
        while let Some(shared) = self.0.upgrade() {
            let lines = shared.pending.load(Ordering::Acquire);
            if lines == 0 {
                return;
            }
            if Instant::now() >= end {
                tracing::warn!(sink = shared.name, lines, "lines of a sink could not be delivered in time");
                return;
            }
            drop(shared);
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::Release);
    }
}

impl std::fmt::Debug for Sink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sink").field("name", &self.shared.name).finish_non_exhaustive()
    }
}

fn run(shared: &Shared, queued: &Receiver<String>, mut output: Box<dyn Output>) {
    let sink = &*shared.name;
    let mut broken = false;
    while let Ok(line) = queued.recv() {
        while let Err(error) = output.deliver(&line) {
            if !broken {
                tracing::warn!(
                    sink, %error,
                    "a sink is broken; its lines wait, and plugins hear when its queue is full"
                );
            }
            broken = true;
            if shared.closing.load(Ordering::Acquire) {
                let lines = shared.pending.load(Ordering::Acquire);
                tracing::warn!(sink, lines, "a sink was still broken at its end: lines are lost");
                return;
            }
            std::thread::sleep(RETRY);
        }
        if std::mem::take(&mut broken) {
            tracing::info!(sink, "the sink works again");
        }
        shared.pending.fetch_sub(1, Ordering::AcqRel);
    }
}
