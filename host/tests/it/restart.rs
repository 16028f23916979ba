//! A restart that clients do not notice: the next server takes the sockets over, and the last transfers of the one before
//! end there.

mod counters;
mod late;
mod no_control;
mod overlap;

use crate::harness::{
    Answer, Peer, SOON, ack, bytes, is_root, own_address, rrq, run, tuffet, until, wait_until,
};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::net::{SocketAddr, UdpSocket};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const SIZE: usize = 3000;
const CLIENTS: usize = 32;
const RESTARTS: usize = 10;

/// The files of consecutive servers with one configuration.
pub struct Site {
    folder: TempDir,
    address: SocketAddr,
    listener: &'static str,
    /// Whether it has a control socket.
    controlled: bool,
    /// A command that executes the server, such as in a network of its own.
    behind: Vec<String>,
}

impl Site {
    pub fn new(rest: &str) -> Site {
        Site::with("", rest)
    }

    /// With these keys of its listener.
    fn with(listener: &'static str, rest: &str) -> Site {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("root")).unwrap();
        for size in [SIZE, 5000] {
            fs::write(folder.path().join(format!("root/{size}")), bytes(size)).unwrap();
        }
        let site = Site { folder, address: own_address(), listener, controlled: true, behind: Vec::new() };
        site.configure(rest);
        site
    }

    fn configure(&self, rest: &str) {
        let Site { folder, address, listener, .. } = self;
        let control = match self.controlled {
            true => folder.path().join("control").display().to_string(),
            false => "none".to_owned(),
        };
        let user = if is_root() { "privileges: { user: root }\n" } else { "" };
        let yaml = format!(
            "listeners: [{{ address: \"{address}\", {listener} }}]\nroots: [{{ name: boot, path: root }}]\nworkers: 2\n\
             drain: 1h\ncontrol: {control}\n{user}{rest}"
        );
        fs::write(self.yaml(), yaml).unwrap();
    }

    fn yaml(&self) -> PathBuf {
        self.folder.path().join("tuffet.yaml")
    }

    /// Starts a server; its log goes on in the same file.
    fn start(&self, flags: &[&str]) -> Process {
        let log = File::options().append(true).create(true).open(self.folder.path().join("log")).unwrap();
        let mut words = self.behind.iter().map(String::as_str).chain([env!("CARGO_BIN_EXE_tuffet")]);
        let mut command = Command::new(words.next().expect("at least the server itself"));
        command.args(words).args(["serve", "--log-format", "json", "--config"]).arg(self.yaml()).args(flags);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        Process(command.spawn().unwrap())
    }

    pub fn started(&self, flags: &[&str]) -> Process {
        let before = self.count("serving");
        let mut process = self.start(flags);
        wait_until("the server serves", || {
            let ended = process.0.try_wait().unwrap();
            assert!(ended.is_none(), "it has ended: {ended:?}");
            self.count("serving") > before
        });
        process
    }

    fn log(&self) -> Vec<Value> {
        let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        // The last line may not be complete.
        log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Without parsing: load leaves thousands of lines, and tests count often.
    fn count(&self, message: &str) -> usize {
        let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        let complete = log.rsplit_once('\n').map_or("", |(complete, _)| complete);
        complete.matches(&format!("\"message\":{}", json!(message))).count()
    }

    /// Waits until this was logged so often.
    #[track_caller]
    pub fn waits_for(&self, message: &str, times: usize) {
        until(message, || self.count(message), |count| *count >= times);
    }

    fn restart(&self) {
        let ran = tuffet(["restart", "--config", self.yaml().to_str().unwrap()]);
        ran.assert_good();
    }

    pub fn begin(&self) -> Peer {
        let mut reader = Peer::new(self.address);
        reader.ask(&rrq("5000", &[]));
        reader.expect(Answer::Data(1, bytes(5000)[..512].to_vec()));
        reader
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        if thread::panicking() {
            let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            eprintln!("{:?} on {}, the log:\n{log}", self.listener, self.address);
        }
    }
}

/// A process that a service manager has started: killed with the test.
pub struct Process(pub Child);

impl Process {
    fn signal(&self, signal: rustix::process::Signal) {
        rustix::process::kill_process(rustix::process::Pid::from_child(&self.0), signal).unwrap();
    }

    /// What a service manager does: it waits for this process alone.
    pub fn stop(mut self) {
        self.signal(rustix::process::Signal::TERM);
        assert_eq!(self.0.wait().unwrap().code(), Some(0));
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A client that never repeats a packet: each has to be answered. Returns how long the first answer took.
fn fetch(server: SocketAddr) -> Result<Duration, String> {
    let any = if server.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
    let socket = UdpSocket::bind(any).unwrap();
    socket.set_read_timeout(Some(SOON)).unwrap();
    let asked = Instant::now();
    socket.send_to(&rrq(&SIZE.to_string(), &[]), server).unwrap();
    let (mut room, mut next, mut got, mut first) = ([0; 600], 1_u16, 0, None);
    loop {
        let (length, from) = socket.recv_from(&mut room).map_err(|error| format!("block {next}: {error}"))?;
        // What another server had to say to whoever had this port before.
        if from.ip() != server.ip() {
            continue;
        }
        first.get_or_insert_with(|| asked.elapsed());
        match &room[..length] {
            [0, 3, high, low, content @ ..] if [*high, *low] == next.to_be_bytes() => {
                socket.send_to(&ack(next), from).unwrap();
                (got, next) = (got + content.len(), next + 1);
                if content.len() < 512 {
                    return if got == SIZE { Ok(first.unwrap_or_default()) } else { Err("too short".into()) };
                }
            }
            // A duplicate.
            [0, 3, ..] => {}
            other => return Err(format!("not a block: {other:?}")),
        }
    }
}

/// Ends a transfer of [`Site::begin`].
pub fn end(mut reader: Peer) {
    reader.send(&ack(1));
    assert!(reader.read_on(2) == bytes(5000)[512..]);
}

struct OnDrop<F: Fn()>(F);

impl<F: Fn()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Restarts under load. Each client asks once for each file.
fn under_load(site: &Site, mut process: Process, mut restart: impl FnMut(Process) -> Process) {
    let (stop, fetched) = (AtomicBool::new(false), AtomicUsize::new(0));
    let began = Instant::now();
    let (process, longest) = thread::scope(|scope| {
        // Also if a restart fails: the clients would go on for ever.
        let _stops = OnDrop(|| stop.store(true, Relaxed));
        let clients: Vec<_> = (0..CLIENTS)
            .map(|_| {
                scope.spawn(|| {
                    let mut longest = Duration::ZERO;
                    while !stop.load(Relaxed) {
                        longest = longest.max(fetch(site.address)?);
                        fetched.fetch_add(1, Relaxed);
                    }
                    Ok::<_, String>(longest)
                })
            })
            .collect();
        for _ in 0..RESTARTS {
            let (before, end) = (fetched.load(Relaxed), Instant::now() + SOON);
            while fetched.load(Relaxed) < before + CLIENTS && Instant::now() < end {
                thread::sleep(Duration::from_millis(5));
            }
            process = restart(process);
        }
        stop.store(true, Relaxed);
        let longest = clients.into_iter().map(|client| client.join().unwrap());
        let longest = longest.map(|longest| longest.unwrap_or_else(|why| panic!("{why}: {:#?}", site.log())));
        (process, longest.max().unwrap_or_default())
    });
    let rate = fetched.load(Relaxed) as f64 / began.elapsed().as_secs_f64();
    process.stop();
    site.waits_for("stopped", RESTARTS + 1);
    let log = site.log();
    let outcomes: Vec<&Value> = log.iter().filter(|line| line["message"] == "transfer").collect();
    assert_eq!(outcomes.len(), fetched.load(Relaxed));
    assert!(outcomes.iter().all(|line| line["outcome"] == "served"), "{outcomes:#?}");
    let served = outcomes.len();
    println!(
        "{served} served over {RESTARTS} restarts, {rate:.0} a second; the longest wait was {longest:?}"
    );
}

#[test]
fn tuffet_restart_under_load() {
    let site = Site::new("");
    under_load(&site, site.started(&["--restartable"]), |process| {
        site.restart();
        process
    });
}

/// The manager starts the next process when the one before has ended; that has left its transfers to the background.
#[test]
fn a_service_manager_restarts_under_load() {
    let site = Site::new("");
    under_load(&site, site.started(&["--restartable"]), |process| {
        process.stop();
        site.started(&["--restartable"])
    });
}

/// Without a parent process: whoever starts the next server has it take over.
#[test]
fn the_next_server_takes_over_under_load() {
    let site = Site::new("");
    under_load(&site, site.started(&[]), |mut process| {
        let next = site.start(&["--take-over"]);
        assert_eq!(process.0.wait().unwrap().code(), Some(0));
        next
    });
}

const SINGLE_PORT: &str = "single-port: true";

/// The next server reads the port, and passes the packets of the last transfers on.
#[test]
fn a_single_port_is_restarted_under_load() {
    let site = Site::with(SINGLE_PORT, "");
    under_load(&site, site.started(&["--restartable"]), |process| {
        site.restart();
        process
    });
}

#[test]
fn a_service_manager_restarts_a_single_port_under_load() {
    let site = Site::with(SINGLE_PORT, "");
    under_load(&site, site.started(&["--restartable"]), |process| {
        process.stop();
        site.started(&["--restartable"])
    });
}

#[test]
fn running_transfers_end_where_they_began() {
    for listener in ["", SINGLE_PORT, "tid-ports: 31000-31015"] {
        run_on(&Site::with(listener, ""));
    }
}

fn run_on(site: &Site) {
    let process = site.started(&["--restartable"]);
    let mut readers: Vec<Peer> = Vec::new();
    for _ in 0..3 {
        readers.push(site.begin());
        site.restart();
    }
    process.stop();
    let process = site.started(&["--restartable"]);
    readers.into_iter().for_each(end);
    // Each of them has ended with its last transfer.
    site.waits_for("stopped", 4);
    process.stop();
    site.waits_for("stopped", 5);
    let log = site.log();
    let outcomes: Vec<_> = log.iter().filter(|line| line["message"] == "transfer").collect();
    assert!(outcomes.len() == 3 && outcomes.iter().all(|line| line["outcome"] == "served"), "{outcomes:#?}");
}

/// Nothing changes if the next server cannot start.
#[test]
fn a_server_that_cannot_be_replaced_goes_on() {
    let site = Site::new("");
    let process = site.started(&["--restartable"]);
    let reader = site.begin();
    for wrong in ["no-such-key: 1\n", "admin: { address: \"192.0.2.1:1\" }\n"] {
        site.configure(wrong);
        let yaml = site.yaml();
        let ran = run(Command::new(env!("CARGO_BIN_EXE_tuffet"))
            .arg("restart")
            .arg("--control")
            .arg(yaml.with_file_name("control")));
        ran.assert_fails(1, &["not restarted", "this one goes on"]);
        assert!(fetch(site.address).is_ok());
    }
    site.configure("");
    site.restart();
    end(reader);
    process.stop();
    site.waits_for("stopped", 2);
}

#[test]
fn without_a_parent_nothing_is_restarted() {
    let site = Site::new("");
    let process = site.started(&[]);
    let ran = tuffet(["restart", "--config", site.yaml().to_str().unwrap()]);
    ran.assert_fails(1, &["not restarted", "--restartable", "--take-over"]);
    process.stop();
}

/// Only one that stops hands over unasked.
#[test]
fn a_second_server_is_told_that_the_port_is_in_use() {
    let site = Site::new("");
    let process = site.started(&["--restartable"]);
    let mut second = site.start(&[]);
    assert_eq!(second.0.wait().unwrap().code(), Some(69));
    assert!(fetch(site.address).is_ok());
    process.stop();
}

/// Without a next server the port is free soon, and at once where nobody can find the old one.
#[test]
fn a_server_that_nobody_succeeds_ends() {
    let site = Site::new("");
    let process = site.started(&["--restartable"]);
    process.stop();
    // As a service manager removes it.
    let _ = fs::remove_file(site.folder.path().join("control"));
    site.waits_for("stopped", 1);
    assert!(UdpSocket::bind(site.address).is_ok());
}

/// The parent passes on what it gets, and the server follows it.
#[test]
fn the_parent_is_the_server_for_others() {
    use rustix::process::Signal;
    let site = Site::new("");
    let process = site.started(&["--restartable"]);
    process.signal(Signal::HUP);
    site.waits_for("reloaded", 1);
    let server = || {
        let ran = tuffet(["status", "--json", "--config", site.yaml().to_str().unwrap()]);
        let status: Value = serde_json::from_slice(&ran.stdout).unwrap();
        rustix::process::Pid::from_raw(status["process"].as_i64().unwrap() as i32).unwrap()
    };
    // It crashes.
    let mut process = process;
    rustix::process::kill_process(server(), Signal::KILL).unwrap();
    assert_eq!(process.0.wait().unwrap().code(), Some(128 + 9));
    // The parent is killed: the server ends, and the next one takes over.
    let mut process = site.started(&["--restartable"]);
    process.signal(Signal::KILL);
    process.0.wait().unwrap();
    let process = site.started(&["--restartable"]);
    assert!(fetch(site.address).is_ok());
    process.stop();
    site.waits_for("stopped", 2);
    wait_until("the control socket is gone", || !site.folder.path().join("control").exists());
}

/// What the sandbox of a running server does not allow, the next one may open.
#[test]
fn a_root_outside_of_the_sandbox_takes_a_restart() {
    let site = Site::new("");
    let process = site.started(&["--restartable"]);
    let elsewhere = TempDir::new().unwrap();
    fs::write(elsewhere.path().join("new"), bytes(100)).unwrap();
    let yaml = fs::read_to_string(site.yaml()).unwrap();
    let roots = format!("roots: [{{ name: other, path: {} }}, ", elsewhere.path().display());
    fs::write(site.yaml(), yaml.replace("roots: [", &roots)).unwrap();
    let refused = tuffet(["reload", "--config", site.yaml().to_str().unwrap()]);
    refused.assert_fails(1, &["outside of the files that this process may access", "`tuffet restart`"]);
    site.restart();
    assert!(Peer::new(site.address).read_plainly("new") == bytes(100));
    process.stop();
    site.waits_for("stopped", 2);
}
