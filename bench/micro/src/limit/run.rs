//! Measures one shape: both sides in their threads, and the busy time of the server's core.

use crate::limit::client::Clients;
use crate::limit::report::Figures;
use crate::limit::server::Server;
use crate::limit::shape::Shape;
use crate::limit::udp_crate::UdpCrate;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};
use tuffet_measure::{Busy, CoreMeter, Cores, MeasureError, pin, raise_descriptors};
use tuffet_udp::{BindOptions, Socket};

/// Bytes before the block in a DATA packet (RFC 1350 section 5).
const HEADER: usize = 4;

const WARM_UP: Duration = Duration::from_millis(100);

/// The duration of the idle baseline.
const IDLE: Duration = Duration::from_secs(1);

/// The reason why a shape could not be measured.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    #[error(transparent)]
    Measure(#[from] MeasureError),
    #[error("a loopback socket failed: {0}")]
    Socket(#[from] io::Error),
    #[error("a measuring thread panicked")]
    Panicked,
}

/// Two cores, an idle baseline and a time for each shape.
pub(crate) struct Bench {
    cores: Cores,
    time: Duration,
    idle: Busy,
}

impl Bench {
    pub(crate) fn new(cores: Cores, time: Duration) -> Result<Self, RunError> {
        raise_descriptors();
        // This thread sleeps, but must not sleep on the measured core.
        cores.keep()?;
        Ok(Bench { cores, time, idle: CoreMeter::baseline(&[cores.server], IDLE)? })
    }

    pub(crate) fn run(&self, shape: &Shape, through: UdpCrate) -> Result<Figures, RunError> {
        let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let socket = Socket::bind(any, BindOptions::default())?;
        let (sent, received, repeats) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        let stop = AtomicBool::new(false);
        let clients =
            Clients { shape, server: socket.local(), received: &received, repeats: &repeats, stop: &stop };
        let (sent, stop) = (&sent, &stop);
        thread::scope(|scope| {
            let server = scope.spawn(move || -> Result<(), RunError> {
                pin(self.cores.server)?;
                Ok(through.serve(&Server { socket, shape, sent, stop })?)
            });
            let client = scope.spawn(move || -> Result<(), RunError> {
                pin(self.cores.generator)?;
                Ok(clients.ask()?)
            });
            let measured = self.measure(shape, through, sent, &received, &repeats);
            stop.store(true, Ordering::Relaxed);
            join(server)?;
            join(client)?;
            measured
        })
    }

    fn measure(
        &self,
        shape: &Shape,
        through: UdpCrate,
        sent: &AtomicU64,
        received: &AtomicU64,
        repeats: &AtomicU64,
    ) -> Result<Figures, RunError> {
        thread::sleep(WARM_UP);
        let read = || [sent, received, repeats].map(|counter| counter.load(Ordering::Relaxed));
        let (before, meter, started) = (read(), CoreMeter::start(&[self.cores.server])?, Instant::now());
        thread::sleep(self.time);
        let (after, seconds, busy) = (read(), started.elapsed().as_secs_f64(), meter.stop()?);
        let [sent, received, repeats] = std::array::from_fn(|index| after[index] - before[index]);
        let bytes = (received * (shape.size - HEADER) as u64) as f64;
        let cpu = busy.beyond(&self.idle);
        Ok(Figures {
            shape: match through {
                UdpCrate::Own => shape.name.to_owned(),
                other => format!("{} {other}", shape.name),
            },
            packets: received,
            lost: sent.saturating_sub(received),
            repeats,
            throughput_mb_s: bytes / seconds / 1e6,
            packets_per_s: received as f64 / seconds,
            cpu_s: cpu,
            cpu_s_per_gb: (bytes > 0.0).then(|| cpu / (bytes / 1e9)),
            cpu_us_per_packet: (received > 0).then(|| cpu * 1e6 / received as f64),
            stolen_s: busy.stolen,
        })
    }
}

fn join(thread: ScopedJoinHandle<'_, Result<(), RunError>>) -> Result<(), RunError> {
    thread.join().map_err(|_| RunError::Panicked)?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::shape::SHAPES;
    use clap::ValueEnum;

    #[test]
    fn every_shape_moves_datagrams() {
        let cores = tuffet_measure::cores().unwrap();
        let bench = Bench {
            cores: Cores { server: cores[0], generator: cores[cores.len() - 1] },
            time: Duration::from_millis(150),
            idle: Busy::default(),
        };
        raise_descriptors();
        // A busy machine may not run both ends within the time of one run.
        let moves = |shape: &Shape, through| {
            let moved = (0..20).any(|_| bench.run(shape, through).unwrap().packets >= shape.window as u64);
            assert!(moved, "{} {through:?}", shape.name);
        };
        for shape in &SHAPES {
            moves(shape, UdpCrate::Own);
        }
        for name in ["gso-1404x8", "echo-1404"] {
            let shape = SHAPES.iter().find(|shape| shape.name == name).unwrap();
            for through in UdpCrate::value_variants().iter().filter(|through| through.can(shape.send)) {
                moves(shape, *through);
            }
        }
    }
}
