//! Runs one kind of abuse against one server.

use crate::abuser::Abusers;
use crate::kind::Kind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tuffet_measure::{Busy, CoreMeter};
use tuffet_peers::{
    Contender, Generator, Installed, Launch, Load, Places, Quantiles, SERVERS, Server, Where, Workplace,
    Workshop,
};

/// What honest clients fetch.
const HONEST: u64 = 64 << 10;

/// What abusers ask for.
const LARGE: u64 = 64 << 20;

/// Between the begin of abuse and the first honest client, so that limits have been reached.
const HEAD_START: Duration = Duration::from_secs(1);

/// How long the core is watched with nothing to do.
const IDLE: Duration = Duration::from_secs(1);

/// How long honest transfers may take beyond the time in which they are begun.
const PATIENCE: Duration = Duration::from_secs(60);

/// How much is done.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    /// How long honest clients ask.
    pub(crate) seconds: u32,
    /// Honest transfers that are begun in a second.
    pub(crate) honest: u32,
    /// Of the rates of abuse.
    pub(crate) factor: f64,
}

/// What honest clients saw.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) what: String,
    /// Packets of abusers in a second, as they were sent.
    pub(crate) sent_per_s: f64,
    pub(crate) completed: u64,
    pub(crate) failed: u64,
    pub(crate) wrong_bytes: u64,
    pub(crate) first_block: Quantiles,
    pub(crate) completion: Quantiles,
    pub(crate) client_timeouts: u64,
    /// Of the server's core.
    pub(crate) cpu_percent: f64,
    /// Resident memory when honest clients are done, in MiB.
    pub(crate) memory_mib: f64,
}

/// All that a case needs.
pub(crate) struct Bench {
    servers: Vec<(Contender, Installed)>,
    generator: Generator,
    place: Workplace,
    scale: Scale,
    core: usize,
    idle: Busy,
}

impl Bench {
    /// # Errors
    /// When a program, a server or a core is missing.
    pub(crate) fn new(
        [tuffet, load]: [PathBuf; 2],
        cache: &Path,
        may_install: bool,
        peers: &[String],
        scale: Scale,
        [core, generator_core]: [usize; 2],
    ) -> Result<Bench, String> {
        tuffet_peers::all_there([&tuffet, &load], "make bench-abuse")?;
        tuffet_peers::keep_to(generator_core, core)?;
        let cache = tuffet_peers::folder(cache)?;
        let workshop = Workshop { cache: cache.clone(), may_install };
        let places = Places { tuffet };
        let of = |name: &str| SERVERS.iter().find(|server| server.name == name);
        let plain = of("tuffet").ok_or("there is no tuffet among the servers")?;
        let installed = (plain.install)(&workshop, &places)?;
        let mut servers = vec![
            (Contender { command: defaults, ..*plain }, installed.clone()),
            (Contender { name: "tuffet-tight", command: tight, ..*plain }, installed),
        ];
        for name in peers {
            let server = of(name).filter(|server| !server.is_tuffet());
            let server = server.ok_or_else(|| format!("--peer {name}: no such server"))?;
            servers.push((Contender { ..*server }, (server.install)(&workshop, &places)?));
        }
        let place = Workplace::new(&cache).map_err(|error| error.to_string())?;
        let generator = Generator { program: load, files: place.files() };
        let idle = CoreMeter::baseline(&[core], IDLE).map_err(|error| error.to_string())?;
        Ok(Bench { servers, generator, place, scale, core, idle })
    }

    /// The servers, in their order.
    pub(crate) fn names(&self) -> Vec<String> {
        self.servers.iter().map(|(server, _)| server.name.to_owned()).collect()
    }

    pub(crate) fn version(&self, name: &str) -> String {
        let found = self.servers.iter().find(|(server, _)| server.name == name);
        found.map(|(_, installed)| installed.version.clone()).unwrap_or_default()
    }

    /// Honest clients beside abusers, or alone.
    ///
    /// # Errors
    /// When the server does not serve, or nothing could be measured.
    pub(crate) fn run(&self, name: &str, kind: Option<Kind>) -> Result<Row, String> {
        let io = |error: std::io::Error| error.to_string();
        let (contender, installed) =
            self.servers.iter().find(|(server, _)| server.name == name).ok_or("gone")?;
        let uploads = kind.is_some_and(Kind::uploads);
        if uploads && !contender.uploads {
            return Err("it takes no uploads".to_owned());
        }
        let (honest, large) = (self.place.file(HONEST).map_err(io)?, self.place.file(LARGE).map_err(io)?);
        let files = self.place.files();
        let (core, scratch) = (self.core.to_string(), self.place.scratch());
        let folders = (files.as_path(), scratch.as_path());
        let mut server =
            Server::start_there(contender, installed, &core, folders, uploads, &honest, &Where::default())?;
        let abuse = kind.map(|kind| kind.abuse(&large, self.scale.factor));
        let mut what = match (kind, &abuse) {
            (Some(kind), Some(abuse)) => kind.describe(abuse),
            _ => "none".to_owned(),
        };
        let abusers = abuse.map(|abuse| Abusers::start(server.address, abuse)).transpose()?;
        std::thread::sleep(HEAD_START.min(Duration::from_secs(self.scale.seconds.into()) / 4));
        let before = abusers.as_ref().map_or(0, Abusers::sent);
        let meter = CoreMeter::start(&[self.core]).map_err(|error| error.to_string())?;
        let seconds = Duration::from_secs(self.scale.seconds.into());
        let load = Load {
            write: false,
            transfers: self.scale.honest * self.scale.seconds,
            concurrency: 4_096,
            size: HONEST,
            blksize: Some(1_428),
            windowsize: Some(8),
            gro: false,
            gso: false,
            loss: 0.0,
            take: None,
            rate: Some(self.scale.honest.into()),
            limit: seconds + PATIENCE,
        };
        // Who is not served within ten seconds is not served.
        let report = self.generator.load_with(server.address, &load, &honest, "h", &["--timeout", "10s"]);
        let busy = meter.stop().map_err(|error| error.to_string())?;
        let sent = abusers.as_ref().map_or(0, Abusers::sent) - before;
        let memory_mib = resident(server.id()) as f64 / f64::from(1 << 20);
        if let Some(factor) = abusers.and_then(Abusers::stop) {
            what = format!("{what}: {factor:.1} bytes at a victim for each forged");
        }
        let report = report.map_err(|error| match server.lives() {
            true => error,
            false => format!("{error}; {}", server.last_words()),
        })?;
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
            cpu_percent: busy.beyond(&self.idle) * 100.0 / measured,
            memory_mib,
        })
    }

    /// What abusers may have written beside the files that are served.
    fn remove_uploads(&self) {
        for entry in std::fs::read_dir(self.place.files()).into_iter().flatten().flatten() {
            if !entry.file_name().to_string_lossy().ends_with(".img") {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

/// Bytes of memory of a process (VmRSS), 0 if it is gone.
fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) << 10
}

/// Tuffet as it is without any limit configured.
fn defaults(server: &Installed, launch: &Launch<'_>) -> Result<Command, String> {
    configured(server, launch, "defaults.yaml", "")
}

/// As for a network without NAT or balancers, where each machine has an address of its own. Honest clients
/// have one address together here, which leaves the rate.
fn tight(server: &Installed, launch: &Launch<'_>) -> Result<Command, String> {
    let limits = "limits:\n  half-open: 2000\n  per-client: { transfers: 64, pending: 64, per-second: 500, burst: 500 }\n";
    configured(server, launch, "tight.yaml", limits)
}

fn configured(server: &Installed, launch: &Launch<'_>, name: &str, limits: &str) -> Result<Command, String> {
    let file = launch.scratch.join(name);
    let text = format!(
        "listeners: [{{ address: \"{}\" }}]\nroots: [{{ name: files, path: \"{}\", writable: {}, overwrite: {} }}]\n\
         workers: 1\ncontrol: none\n{limits}",
        launch.address,
        launch.root.display(),
        launch.uploads,
        launch.uploads,
    );
    std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut command = Command::new(&server.program);
    // The files are this user's.
    let owner = std::fs::metadata(launch.root).map_err(|error| error.to_string())?.uid();
    command.args(["serve", "--log", "error", "--user", &owner.to_string(), "--config"]).arg(file);
    Ok(command)
}
