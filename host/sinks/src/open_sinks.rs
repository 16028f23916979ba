//! All open sinks of the process. Each is opened once, for all generations of the policy.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use super::counters::Counters;
use super::file::FileOutput;
use super::http::HttpOutput;
use super::nats::NatsOutput;
use super::otlp::OtlpOutput;
use super::output::Output;
use super::spool::Spool;
use super::stdout::StdoutOutput;
use super::syslog::SyslogOutput;
use super::udp::UdpOutput;
use super::{Pending, Shared, Sink, SinkCounted, SinkSpec, SinkTarget};
use tuffet_net::OpenOnce;

/// Sinks that stay open while a policy uses them. Its methods may block.
#[derive(Debug, Default)]
pub struct Sinks {
    open: OpenOnce<SinkSpec, Sink>,
    spools: OpenOnce<PathBuf, Spool>,
    /// Whether another process of this server may have the spools.
    shared: AtomicBool,
    /// By name, with the current or last kind of the sink.
    counters: Mutex<BTreeMap<String, (&'static str, Arc<Counters>)>>,
    /// The undelivered lines of all opened sinks, including those of dropped policies.
    pending: Mutex<Vec<Pending>>,
}

impl Sinks {
    /// Returns a sink; opens it if necessary.
    ///
    /// # Errors
    /// Its file, spool or socket cannot be opened, or no thread could be started.
    pub fn open(&self, spec: &SinkSpec) -> io::Result<Arc<Sink>> {
        self.open.get(spec.clone(), |spec| {
            let output = open_output(spec)?;
            self.start(spec, output)
        })
    }

    /// Starts a sink with this output.
    pub(super) fn start(&self, spec: &SinkSpec, output: Box<dyn Output>) -> io::Result<Sink> {
        let spool = spec.spool.as_ref().map(|spool| {
            let open = self
                .spools
                .get(spool.path.clone(), |_| Spool::open(spool, self.shared.load(Ordering::Acquire)))?;
            open.adopt(spool);
            io::Result::Ok(open)
        });
        let counters = {
            let mut all = self.counters.lock();
            let (kind, counters) = all.entry(spec.name.clone()).or_default();
            *kind = spec.target.kind();
            Arc::clone(counters)
        };
        let sink = Sink::start(spec, spool.transpose()?, counters, output)?;
        let mut pending = self.pending.lock();
        pending.retain(Pending::is_alive);
        pending.push(sink.pending());
        Ok(sink)
    }

    /// Lets sinks begin while another process of this server has their spools: their lines wait beside those.
    pub fn share(&self) {
        self.shared.store(true, Ordering::Release);
    }

    /// Has each sink take over its spool from ended processes, before its next delivery. Returns whether all have done
    /// so, or never needed to.
    pub fn own(&self) -> bool {
        self.shared.store(false, Ordering::Release);
        let all = self.spools.all();
        // All of them: each call makes its sink try.
        all.iter().filter(|spool| !spool.take_over()).count() == 0
    }

    /// Waits at the end of the process until all queued lines are delivered, for all sinks together at most
    /// `patience`. Blocks.
    pub fn flush(&self, patience: Duration) {
        let end = Instant::now() + patience;
        let all: Vec<Pending> = self.pending.lock().clone();
        for pending in all {
            pending.flush(end);
        }
    }

    /// Returns the counters of each sink since the start of the process, by name.
    pub fn counted(&self) -> Vec<SinkCounted> {
        let open: Vec<Arc<Shared>> =
            self.pending.lock().iter().map(|pending| &pending.0).filter_map(Weak::upgrade).collect();
        let count = |(name, (kind, counters)): (&String, &(&'static str, Arc<Counters>))| {
            let mut counted = counters.read(name, kind);
            // An older sink with the same spool would count its lines twice.
            for shared in open.iter().filter(|shared| shared.name == *name && shared.backlog.has_claim()) {
                let (lines, bytes) = shared.backlog.size();
                counted.waiting += lines;
                counted.spooled_bytes += bytes;
                counted.broken |= shared.is_broken();
            }
            counted
        };
        self.counters.lock().iter().map(count).collect()
    }
}

/// Opens the file or the socket. Remote receivers are contacted with the first delivery.
///
/// # Errors
/// The file cannot be opened, or no socket or thread can be created.
fn open_output(spec: &SinkSpec) -> io::Result<Box<dyn Output>> {
    Ok(match &spec.target {
        SinkTarget::File(file) => Box::new(FileOutput::open(file)?),
        SinkTarget::Stdout => Box::new(StdoutOutput::default()),
        SinkTarget::Udp(address) => Box::new(UdpOutput::open(*address)?),
        SinkTarget::Syslog(syslog) => Box::new(SyslogOutput::new(syslog)),
        SinkTarget::Http(http) => Box::new(HttpOutput::open(http)?),
        SinkTarget::Nats(nats) => Box::new(NatsOutput::open(nats)?),
        SinkTarget::Otlp(otlp) => Box::new(OtlpOutput::open(&spec.name, otlp)?),
    })
}
