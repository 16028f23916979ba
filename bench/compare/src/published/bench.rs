//! Runs one case on one server: the server on its core, everything else on another. The cost is the busy time of the
//! server's core.

use crate::install::Installed;
use crate::load::Load;
use crate::published::relay::Relay;
use crate::scale::Scale;
use crate::server::{Contender, Launch, Placement, SERVERS, Server, with_settings};
use crate::setup::{QUIET, Rig, Setup};
use serde::Serialize;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tuffet_measure::CoreMeter;

/// Programs beside the server and the generator.
#[derive(Debug)]
pub(crate) struct Programs {
    pub(crate) relay: PathBuf,
    pub(crate) doctor: PathBuf,
}

/// Runs the cases.
pub(crate) struct Bench {
    pub(crate) rig: Rig,
    pub(crate) programs: Programs,
    pub(crate) scale: Scale,
    /// Tuffet, and the peer if it is installed.
    pub(crate) servers: Vec<(Contender, Installed)>,
    /// Missing servers, with the reasons.
    pub(crate) missing: BTreeMap<String, String>,
    /// Set by a signal: no further case runs.
    interrupted: Arc<AtomicBool>,
}

/// A case.
#[derive(Debug, Clone)]
pub(crate) struct Case<'a> {
    /// The path's name in tables.
    pub(crate) path: &'a str,
    /// The placement of the server.
    pub(crate) placement: Placement,
    /// Flags of `tuffet-relay`; `None` for a path without it.
    pub(crate) relay: Option<Vec<String>>,
    pub(crate) load: Load,
    /// Further flags of the generator.
    pub(crate) flags: &'a [&'a str],
}

/// The results of one server in one case.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Measurement {
    pub(crate) server: String,
    pub(crate) path: String,
    pub(crate) write: bool,
    pub(crate) blksize: u16,
    pub(crate) windowsize: u16,
    /// Concurrent transfers.
    pub(crate) at_once: u32,
    pub(crate) transfers: u32,
    /// Bytes in each file.
    pub(crate) size: u64,
    /// The rate of all transfers together.
    pub(crate) mb_s: f64,
    /// The rate of one transfer: its size by the median time.
    pub(crate) each_mb_s: f64,
    pub(crate) transfers_per_s: f64,
    pub(crate) seconds: f64,
    pub(crate) completion_p50_ms: Option<f64>,
    pub(crate) completion_p99_ms: Option<f64>,
    /// The use of the server's core, including softirq; `None` if other work kept the core busy.
    pub(crate) cpu_percent: Option<f64>,
    pub(crate) cpu_s_per_gb: Option<f64>,
    pub(crate) completed: u64,
    pub(crate) incomplete: u64,
    pub(crate) client_timeouts: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failed: Option<String>,
    /// Seconds, MB/s since the previous sample, MB/s since the start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) over_time: Vec<[f64; 3]>,
}

impl Measurement {
    pub(crate) fn complete(&self) -> bool {
        self.failed.is_none() && self.incomplete == 0
    }

    pub(crate) fn trouble(&self) -> String {
        self.failed
            .clone()
            .unwrap_or_else(|| format!("{} transfers did not end as they should", self.incomplete))
    }

    pub(crate) fn describe(&self) -> String {
        format!(
            "{}, {} × {} bytes {}, blksize {}, windowsize {}",
            self.path,
            self.at_once,
            self.size,
            if self.write { "written" } else { "read" },
            self.blksize,
            self.windowsize
        )
    }
}

impl Bench {
    /// # Errors A program or a core is missing.
    pub(crate) fn new(setup: &Setup, programs: Programs, peer: &str, scale: Scale) -> Result<Bench, String> {
        let rig = Rig::new(setup, scale != Scale::Smoke)?;
        if !SERVERS.iter().any(|server| server.name == peer && server.is_peer()) {
            return Err(format!("--peer {peer}: no such server"));
        }
        let (tuffet, installed) = rig.install("tuffet")?;
        let mut servers = vec![(Contender { command: wide, ..tuffet }, installed)];
        let mut missing = BTreeMap::new();
        match rig.install(peer) {
            Ok(server) => servers.push(server),
            Err(why) => {
                eprintln!("{peer} takes no part: {why}");
                missing.insert(peer.to_owned(), why);
            }
        }
        let interrupted = Arc::default();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&interrupted))
                .map_err(|error| error.to_string())?;
        }
        Ok(Bench { rig, programs, scale, servers, missing, interrupted })
    }

    /// Whether a signal has asked to stop. The running case still ends, and everything is cleaned up.
    pub(crate) fn interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    pub(crate) fn versions(&self) -> BTreeMap<String, String> {
        self.servers
            .iter()
            .map(|(server, installed)| (server.name.to_owned(), installed.version.clone()))
            .collect()
    }

    /// Runs a case on every server.
    pub(crate) fn on_all(&self, case: &Case<'_>) -> Vec<Measurement> {
        (0..self.servers.len()).map(|server| self.on(server, case)).collect()
    }

    /// Runs a case on one of the servers.
    pub(crate) fn on(&self, server: usize, case: &Case<'_>) -> Measurement {
        let (contender, installed) = &self.servers[server];
        let load = &case.load;
        let mut found = Measurement {
            server: contender.name.to_owned(),
            path: case.path.to_owned(),
            write: load.write,
            blksize: load.blksize.unwrap_or(512),
            windowsize: load.windowsize.unwrap_or(1),
            at_once: load.concurrency,
            transfers: load.transfers,
            size: load.size,
            ..Measurement::default()
        };
        if self.interrupted() {
            found.failed = Some("interrupted".to_owned());
            return found;
        }
        if load.concurrency > contender.max_open {
            found.failed = Some(format!("it is asked for {} transfers at once at most", contender.max_open));
        } else if load.write && !contender.uploads {
            found.failed = Some("it takes no uploads".to_owned());
        } else if let Err(why) = self.measure(contender, installed, case, &mut found) {
            found.failed = Some(why);
        }
        eprintln!(
            "  {:<10} {}: {:.2} MB/s{}",
            found.server,
            found.describe(),
            found.mb_s,
            match &found.failed {
                Some(why) => format!(" ({why})"),
                None => String::new(),
            }
        );
        found
    }

    fn measure(
        &self,
        contender: &Contender,
        installed: &Installed,
        case: &Case<'_>,
        found: &mut Measurement,
    ) -> Result<(), String> {
        let io = |error: std::io::Error| error.to_string();
        let load = &case.load;
        let place = &self.rig.place;
        let (file, probe) = (place.file(load.size).map_err(io)?, place.file(1_000).map_err(io)?);
        let scratch = place.scratch();
        let (root, probe) = match load.write {
            true => (place.uploads(false).map_err(io)?, "probe"),
            false => (place.files(), probe.as_str()),
        };
        let cores = self.rig.core.to_string();
        let folders = (root.as_path(), scratch.as_path());
        let mut server =
            Server::start_in(contender, installed, &cores, folders, load.write, probe, &case.placement)?;
        let relay = case.relay.as_ref();
        let relay = relay.map(|flags| Relay::start(&self.programs.relay, server.address, flags, &scratch));
        let relay = relay.transpose()?;
        let address = relay.as_ref().map_or(server.address, |relay| relay.address);
        let meter = CoreMeter::start(&[self.rig.core]).map_err(|error| error.to_string())?;
        let report = self.rig.load(&mut server, address, load, &file, case.flags);
        let busy = meter.stop().map_err(|error| error.to_string())?;
        let report = report?;
        let seconds = report.seconds.max(1e-6);
        found.seconds = report.seconds;
        found.mb_s = report.bytes as f64 / 1e6 / seconds;
        found.each_mb_s = report.completion_ms.p50.map_or(0.0, |ms| load.size as f64 / 1e3 / ms.max(1e-3));
        found.transfers_per_s = report.completed as f64 / seconds;
        (found.completion_p50_ms, found.completion_p99_ms) =
            (report.completion_ms.p50, report.completion_ms.p99);
        let cpu = busy.beyond(&self.rig.idle);
        if self.rig.idle_percent() <= QUIET {
            found.cpu_percent = Some(cpu * 100.0 / busy.seconds.max(1e-6));
            found.cpu_s_per_gb = Some(cpu * 1e9 / (report.bytes.max(1) as f64));
        }
        (found.completed, found.incomplete) = (report.completed, report.incomplete());
        found.client_timeouts = report.client_timeouts;
        found.over_time = report
            .over_time
            .iter()
            .map(|sample| [sample.seconds, sample.mb_s, sample.cumulative_mb_s])
            .collect();
        if let Some((text, _)) = report.errors.iter().max_by_key(|(_, count)| **count) {
            found.failed = Some(text.clone());
        }
        Ok(())
    }
}

/// Tuffet with one worker, which grants the largest windows.
fn wide(server: &Installed, launch: &Launch<'_>) -> Result<Command, String> {
    with_settings(server, launch, "wide.yaml", "transfer: { max-windowsize: 32767 }\n")
}

/// One plain download, as a base.
pub(crate) const DOWNLOAD: Load = Load { gro: true, ..Load::READ };
