//! Runs one kind of abuse against one server.

use crate::abuse::abuser::Abusers;
use crate::abuse::fixture::{self, Fixture};
use crate::abuse::kind::Kind;
use crate::install::Installed;
use crate::load::{Load, Quantiles};
use crate::server::{Contender, Launch, Server, with_settings};
use crate::setup::{Rig, Setup};
use serde::Serialize;
use std::process::Command;
use std::time::Duration;
use tuffet_measure::{CoreMeter, status};

/// Bytes in the file of honest clients.
const HONEST: u64 = 64 << 10;

/// Bytes in the file that abusers request.
const LARGE: u64 = 64 << 20;

/// Bytes in the file that phones request.
const PHONE: u64 = 511;

/// The time between the start of the abuse and the first honest client, so that limits are reached.
const HEAD_START: Duration = Duration::from_secs(1);

/// How long honest transfers may run after the last one has started.
const PATIENCE: Duration = Duration::from_secs(60);

/// The amount of work.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Scale {
    /// How long honest clients start transfers.
    pub(crate) seconds: u32,
    /// Honest transfers started per second.
    pub(crate) honest: u32,
    /// The factor for the rates of abuse.
    pub(crate) factor: f64,
}

/// The results of honest clients in one case.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) what: String,
    /// Packets sent by abusers per second.
    pub(crate) sent_per_s: f64,
    pub(crate) completed: u64,
    pub(crate) failed: u64,
    pub(crate) wrong_bytes: u64,
    pub(crate) first_block: Quantiles,
    pub(crate) completion: Quantiles,
    pub(crate) client_timeouts: u64,
    /// The use of the server's core.
    pub(crate) cpu_percent: f64,
    /// Resident memory in MiB after the last honest transfer.
    pub(crate) memory_mib: f64,
}

/// Runs the cases.
pub(crate) struct Bench {
    rig: Rig,
    servers: Vec<(Contender, Installed)>,
    scale: Scale,
}

impl Bench {
    /// # Errors A program, a server or a core is missing.
    pub(crate) fn new(setup: &Setup, peers: &[String], scale: Scale, fetch: bool) -> Result<Bench, String> {
        let rig = Rig::new(setup, fetch)?;
        let (plain, installed) = rig.install("tuffet")?;
        let mut servers = vec![
            (Contender { command: defaults, ..plain }, installed.clone()),
            (Contender { name: "tuffet-tight", command: tight, ..plain }, installed),
        ];
        for name in peers {
            let peer = rig.install(name).map_err(|error| format!("--peer {error}"))?;
            if peer.0.is_tuffet() {
                return Err(format!("--peer {name}: it takes part anyway"));
            }
            servers.push(peer);
        }
        Ok(Bench { rig, servers, scale })
    }

    /// The names of the servers, in the order of the report.
    pub(crate) fn names(&self) -> Vec<String> {
        self.servers.iter().map(|(server, _)| server.name.to_owned()).collect()
    }

    /// The reason to skip a kind of abuse on a server, if there is one.
    pub(crate) fn why_skipped(&self, name: &str, kind: Option<Kind>) -> Option<&'static str> {
        let found = self.servers.iter().find(|(server, _)| server.name == name);
        fixture::why_skipped(&found?.0, kind?)
    }

    pub(crate) fn version(&self, name: &str) -> String {
        let found = self.servers.iter().find(|(server, _)| server.name == name);
        found.map(|(_, installed)| installed.version.clone()).unwrap_or_default()
    }

    /// Measures honest clients on a server, beside abusers or alone.
    ///
    /// # Errors The server does not serve, or the measurement fails.
    pub(crate) fn run(&self, name: &str, kind: Option<Kind>) -> Result<Row, String> {
        let io = |error: std::io::Error| error.to_string();
        let (contender, installed) =
            self.servers.iter().find(|(server, _)| server.name == name).ok_or("gone")?;
        let uploads = kind.is_some_and(Kind::uploads);
        if uploads && !contender.uploads {
            return Err("it takes no uploads".to_owned());
        }
        let place = &self.rig.place;
        let (honest, large) = (place.file(HONEST).map_err(io)?, place.file(LARGE).map_err(io)?);
        let phone = place.file(PHONE).map_err(io)?;
        let files = place.files();
        let (core, scratch) = (self.rig.core.to_string(), place.scratch());
        let folders = (files.as_path(), scratch.as_path());
        let fixture = Fixture::new(contender, kind, place)?;
        let (its, placement) = (fixture.contender(), fixture.placement());
        let mut server = Server::start_in(its, installed, &core, folders, uploads, &honest, placement)?;
        let asked =
            fixture.file.as_deref().unwrap_or(if kind == Some(Kind::Phones) { &phone } else { &large });
        let abuse = kind.map(|kind| kind.abuse(asked, self.scale.factor));
        let mut what = match (kind, &abuse) {
            (Some(kind), Some(abuse)) => kind.describe(abuse),
            _ => "none".to_owned(),
        };
        let abusers = abuse.map(|abuse| Abusers::start(server.address, abuse)).transpose()?;
        std::thread::sleep(HEAD_START.min(Duration::from_secs(self.scale.seconds.into()) / 4));
        let before = abusers.as_ref().map_or(0, Abusers::sent);
        let meter = CoreMeter::start(&[self.rig.core]).map_err(|error| error.to_string())?;
        let seconds = Duration::from_secs(self.scale.seconds.into());
        let load = Load {
            transfers: self.scale.honest * self.scale.seconds,
            concurrency: 4_096,
            size: HONEST,
            blksize: Some(1_428),
            windowsize: Some(8),
            rate: Some(self.scale.honest.into()),
            limit: seconds + PATIENCE,
            ..Load::READ
        };
        // A transfer without an answer for ten seconds has failed.
        let address = server.address;
        let report = self.rig.load(&mut server, address, &load, &honest, &["--timeout", "10s"]);
        let busy = meter.stop().map_err(|error| error.to_string())?;
        let sent = abusers.as_ref().map_or(0, Abusers::sent) - before;
        let memory_mib = status(server.id(), "VmRSS").unwrap_or(0) as f64 / 1024.0;
        if let Some(factor) = abusers.and_then(Abusers::stop) {
            what = format!("{what}: {factor:.1} bytes at a victim for each forged");
        }
        let report = report?;
        if !server.lives() {
            return Err(format!("it ended: {}", server.last_words()));
        }
        self.remove_uploads();
        let measured = busy.seconds.max(1e-6);
        Ok(Row {
            what,
            sent_per_s: sent as f64 / measured,
            completed: report.completed,
            failed: report.incomplete(),
            wrong_bytes: report.wrong_bytes,
            first_block: report.first_block_ms,
            completion: report.completion_ms,
            client_timeouts: report.client_timeouts,
            cpu_percent: busy.beyond(&self.rig.idle) * 100.0 / measured,
            memory_mib,
        })
    }

    /// Removes what abusers may have uploaded into the served folder.
    fn remove_uploads(&self) {
        for entry in std::fs::read_dir(self.rig.place.files()).into_iter().flatten().flatten() {
            if !entry.file_name().to_string_lossy().ends_with(".img") {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

/// Tuffet with its default limits.
fn defaults(server: &Installed, launch: &Launch<'_>) -> Result<Command, String> {
    with_settings(server, launch, "defaults.yaml", "")
}

/// Limits for a network without NAT or load balancers, where each machine has its own address. Honest clients share one
/// address here, so their rate must stay below these limits.
fn tight(server: &Installed, launch: &Launch<'_>) -> Result<Command, String> {
    let limits = "limits:\n  half-open: 2000\n  per-client: { transfers: 64, pending: 64, per-second: 500, burst: 500 }\n";
    with_settings(server, launch, "tight.yaml", limits)
}
