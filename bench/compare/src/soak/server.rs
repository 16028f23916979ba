//! The server under test: its files, its configurations, its process.

use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};
use std::fs::{self, File};
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tuffet_measure::status;

/// The programs, and the folder for compiled plugins.
pub(crate) struct Programs {
    pub(crate) tuffet: PathBuf,
    pub(crate) load: PathBuf,
    pub(crate) compiled: PathBuf,
}

/// A folder with served files, a folder for uploads, and valid and broken configurations.
pub(crate) struct Site {
    pub(crate) folder: PathBuf,
    pub(crate) address: SocketAddr,
    misbehave: PathBuf,
    clock: Option<&'static str>,
}

/// Libraries that change the server's clock (libfaketime).
const CLOCKS: [&str; 3] = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/faketime/libfaketimeMT.so.1",
];

/// Names and sizes of the files that honest clients fetch.
pub(crate) const FILES: [(&str, usize); 3] = [("small", 3_000), ("medium", 150_000), ("large", 3_000_000)];

impl Site {
    /// Creates the folder. The address was free on return.
    pub(crate) fn make(folder: &Path, misbehave: &Path, address: [u8; 4]) -> io::Result<Site> {
        for part in ["files", "up", "state"] {
            fs::create_dir_all(folder.join(part))?;
        }
        for (name, size) in FILES {
            let bytes: Vec<u8> = std::iter::repeat_with(|| fastrand::u8(..)).take(size).collect();
            fs::write(folder.join("files").join(name), bytes)?;
        }
        let address = UdpSocket::bind((std::net::Ipv4Addr::from(address), 0))?.local_addr()?;
        let clock = CLOCKS.into_iter().find(|path| Path::new(path).exists());
        let misbehave = fs::canonicalize(misbehave)?;
        let site = Site { folder: folder.to_owned(), address, misbehave, clock };
        site.set_clock("+0")?;
        site.configure(&site.good(0))?;
        Ok(site)
    }

    pub(crate) fn configure(&self, yaml: &str) -> io::Result<()> {
        fs::write(self.folder.join("tuffet.yaml"), yaml)
    }

    /// Whether the server's clock can jump.
    pub(crate) fn has_clock(&self) -> bool {
        self.clock.is_some()
    }

    /// Sets the offset of the server's clock, in the format of libfaketime: `+90s`, `-400d`.
    pub(crate) fn set_clock(&self, offset: &str) -> io::Result<()> {
        fs::write(self.folder.join("clock"), format!("{offset}\n"))
    }

    /// Returns one of many valid configurations, which differ in a rule and in the cache.
    pub(crate) fn good(&self, number: u64) -> String {
        let (address, misbehave) = (self.address, self.misbehave.display());
        let bad = |name: &str, limits: &str| {
            format!(
                "  {name}: {{ component: \"{misbehave}\", settings: {{ do: {name}, when: evil/{name} }}, \
                 on-error: abstain, \
                 breaker: {{ failures: 1000000 }}, limits: {{ {limits} }} }}\n"
            )
        };
        format!(
            "listeners: [{{ address: \"{address}\" }}]\n\
             roots:\n\
             \x20 - {{ name: boot, path: files }}\n\
             \x20 - {{ name: up, path: up, writable: true, overwrite: true, max-upload: 16MiB }}\n\
             state: state\ncontrol: control\nworkers: 2\ndrain: 9s\n\
             admin: {{ address: \"{}:0\" }}\n\
             limits: {{ cache: {}MiB }}\n\
             transfer: {{ retransmit: {{ give-up: 10s }} }}\n\
             policy: {{ authorize: [acl, trap, loop, hog, sleep], observe: [audit], time-limit: 30s }}\n\
             sinks: {{ audit: {{ file: audit.jsonl, rotate: {{ size: 1MiB, keep: 2 }}, fsync: never }} }}\n\
             plugins:\n\
             \x20 acl: {{ component: \"builtin:acl\", settings: {{ deny: [{{ names: [\"secret/{number}/**\"] }}] }}, \
             reuse: {{}}, limits: {{ time: 20s, wall: 30s }} }}\n\
             \x20 audit: {{ component: \"builtin:audit\", settings: {{ sink: audit }}, grants: [kv, sinks/audit], \
             limits: {{ time: 20s, wall: 30s }} }}\n\
             {}{}{}{}",
            address.ip(),
            8 + number % 2 * 8,
            bad("trap", "time: 10s, wall: 30s, memory: 16MiB"),
            bad("loop", "time: 200ms, wall: 30s"),
            bad("hog", "time: 10s, wall: 30s, memory: 8MiB"),
            bad("sleep", "time: 500ms, wall: 500ms, instances: 4, queue: 4"),
        )
    }

    /// Returns a configuration that is broken in one of several ways.
    pub(crate) fn broken(&self, number: u64) -> String {
        let good = self.good(number);
        match number % 4 {
            0 => "listeners: [".to_owned(),
            1 => good.replace("path: files", "path: gone"),
            2 => good.replace("builtin:acl", "./gone.wasm"),
            _ => good.replace("names:", "nams:"),
        }
    }

    pub(crate) fn command(&self, programs: &Programs) -> io::Result<Command> {
        let mut command = Command::new(&programs.tuffet);
        command.args([
            "serve",
            "--log-format",
            "json",
            "--log",
            "error,tuffet::transfer=off,tuffet::policy=off",
        ]);
        command.arg("--config").arg(self.folder.join("tuffet.yaml"));
        // The folder belongs to this user.
        command.arg("--user").arg(rustix::process::geteuid().as_raw().to_string());
        command.env("CACHE_DIRECTORY", &programs.compiled);
        if let Some(library) = self.clock {
            command.env("LD_PRELOAD", library).env("FAKETIME_TIMESTAMP_FILE", self.folder.join("clock"));
            command.env("FAKETIME_CACHE_DURATION", "1");
            command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1").env("DONT_FAKE_MONOTONIC", "1");
        }
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(File::options().create(true).append(true).open(self.log())?);
        Ok(command)
    }

    /// The number of temporary files of uploads.
    pub(crate) fn unfinished(&self) -> usize {
        let entries = fs::read_dir(self.folder.join("up")).into_iter().flatten().flatten();
        entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(".tuffet-")).count()
    }

    /// The server's log, which has only errors.
    pub(crate) fn log(&self) -> PathBuf {
        self.folder.join("log")
    }

    pub(crate) fn control(&self) -> PathBuf {
        self.folder.join("control")
    }
}

/// A process that is killed when dropped.
pub(crate) struct Server(pub(crate) Child);

/// The server's resources at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Resources {
    pub(crate) resident_kib: u64,
    pub(crate) descriptors: u64,
    pub(crate) threads: u64,
}

impl Server {
    /// Starts the server, and waits until its control socket answers.
    pub(crate) fn start(site: &Site, programs: &Programs) -> io::Result<Server> {
        let mut server = Server(site.command(programs)?.spawn()?);
        server.await_answer(site, programs)?;
        Ok(server)
    }

    /// Waits until it serves.
    pub(crate) fn await_answer(&mut self, site: &Site, programs: &Programs) -> io::Result<()> {
        let end = Instant::now() + Duration::from_secs(120);
        while !self.answers(site, programs) {
            if self.0.try_wait()?.is_some() || Instant::now() > end {
                let said = fs::read_to_string(site.log()).unwrap_or_default();
                return Err(io::Error::other(format!("the server does not start:\n{said}")));
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(())
    }

    fn answers(&self, site: &Site, programs: &Programs) -> bool {
        let asked = Command::new(&programs.tuffet)
            .args(["status", "--control"])
            .arg(site.control())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        asked.is_ok_and(|status| status.success())
    }

    pub(crate) fn signal(&self, signal: Signal) {
        // The sampler notices an ended process.
        let _ = kill_process(Pid::from_child(&self.0), signal);
    }

    /// Limits its descriptors; `None` restores the first limit.
    pub(crate) fn limit_descriptors(&self, most: Option<u64>) {
        let pid = Pid::from_child(&self.0);
        let now = rustix::process::getrlimit(Resource::Nofile);
        let current = Some(most.unwrap_or_else(|| now.maximum.unwrap_or(1 << 20)));
        let _ = prlimit(Some(pid), Resource::Nofile, Rlimit { current, maximum: now.maximum });
    }

    /// Returns its resources; `None` when it has ended.
    pub(crate) fn resources(&self) -> Option<Resources> {
        let pid = self.0.id();
        let descriptors = fs::read_dir(format!("/proc/{pid}/fd")).ok()?.count() as u64;
        Some(Resources { resident_kib: status(pid, "VmRSS")?, descriptors, threads: status(pid, "Threads")? })
    }

    /// Sends SIGTERM; returns the exit status.
    pub(crate) fn stop(&mut self) -> io::Result<ExitStatus> {
        self.signal(Signal::CONT);
        self.signal(Signal::TERM);
        self.0.wait()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
