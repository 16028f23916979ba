//! A server process.

use super::log::Log;
use super::{Folder, Ran, Setup, tuffet, until, wait_until};
use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, prlimit};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;
use tempfile::TempDir;
use tuffet_daemon::Reply;

/// The message of a line that sums up many transfers.
pub const SUMMED: &str =
    "half-open transfers timed out because their clients never answered; they are not logged one by one";

/// A running server, killed on drop; a panic in it fails the test.
pub struct Server {
    child: Mutex<Child>,
    log: Log,
    /// How many lines say `listening`.
    listeners: usize,
    addresses: Vec<SocketAddr>,
    temporary: TempDir,
}

impl Server {
    pub(super) fn begin(setup: Setup) -> Server {
        let mut command = setup.command();
        let mut child =
            command.stderr(Stdio::piped()).spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let pipe = child.stderr.take().expect("standard error is piped");
        let listeners = setup.listeners();
        let (log, temporary) = (Log::follow(pipe), setup.into_temporary());
        // From here on the process is killed whatever happens.
        Server { child: Mutex::new(child), log, listeners, addresses: Vec::new(), temporary }
    }

    /// Waits until it serves.
    #[track_caller]
    pub fn serves(mut self) -> Server {
        for _ in 0..self.listeners {
            let line = self.log.take("address", |line| line["message"] == "listening");
            self.addresses.push(line["address"].as_str().unwrap_or_default().parse().unwrap());
        }
        self.log.take("start", |line| line["message"] == "serving");
        self
    }

    /// Where the first listener is.
    pub fn address(&self) -> SocketAddr {
        self.addresses[0]
    }

    /// Where all of them are, in the order of the flags.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Where the admin listener is.
    #[track_caller]
    pub fn admin(&self) -> SocketAddr {
        let lines = self.log.raw();
        let line = lines.lines().find(|line| line.contains("the admin listener is serving"));
        let line: Value = serde_json::from_str(line.expect("an admin listener")).unwrap();
        line["address"].as_str().unwrap_or_default().parse().unwrap()
    }

    /// The process.
    pub fn id(&self) -> u32 {
        self.child.lock().unwrap().id()
    }

    /// The folder that is served.
    pub fn root(&self) -> Folder {
        Folder(self.temporary.path().join("root"))
    }

    /// The folder around it.
    pub fn outside(&self) -> Folder {
        Folder(self.temporary.path().to_owned())
    }

    /// Waits for the outcome of a request for `path` and takes it.
    #[track_caller]
    pub fn outcome(&self, path: &str) -> Value {
        self.log.take(&format!("outcome of {path:?}"), |line| {
            line["message"] == "transfer" && line["path"] == path
        })
    }

    /// Waits for the next outcome, whatever was asked.
    #[track_caller]
    pub fn any_outcome(&self) -> Value {
        self.log.take("outcome", |line| line["message"] == "transfer")
    }

    /// Waits until the log has told of so many transfers whose clients never answered, each by a line of its own or
    /// many by one, and gives the former.
    #[track_caller]
    pub fn unanswered(&self, count: u64) -> Vec<Value> {
        let (mut told, mut lines) = (0, Vec::new());
        while told < count {
            let line = self.log.take("end of a half-open transfer", |line| {
                line["outcome"] == "timed-out" || line["message"] == SUMMED
            });
            told += line["ended"].as_u64().unwrap_or(1);
            lines.extend((line["outcome"] == "timed-out").then_some(line));
        }
        assert_eq!(told, count, "{}", self.log.raw());
        lines
    }

    /// Waits for a line with this message and takes it.
    #[track_caller]
    pub fn logged(&self, message: &str) -> Value {
        self.log.take(message, |line| line["message"] == message)
    }

    /// Waits for a line whose message begins so, and takes it.
    #[track_caller]
    pub fn log_line(&self, beginning: &str) -> Value {
        self.log
            .take(beginning, |line| line["message"].as_str().is_some_and(|text| text.starts_with(beginning)))
    }

    /// Processor time that it has used so far.
    pub fn cpu_time(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.id())).unwrap();
        let fields = stat.rsplit_once(')').unwrap().1.split_ascii_whitespace();
        // The 14th and the 15th field of proc(5), in hundredths.
        let ticks: u64 = fields.skip(11).take(2).map(|field| field.parse::<u64>().unwrap()).sum();
        Duration::from_millis(10 * ticks)
    }

    /// How many descriptors it may have from now on; `None`: as many as the process could at first.
    pub fn limit_descriptors(&self, most: Option<u64>) {
        let pid = Pid::from_child(&self.child.lock().unwrap());
        let maximum = getrlimit(Resource::Nofile).maximum;
        let current = most.or(maximum);
        prlimit(Some(pid), Resource::Nofile, Rlimit { current, maximum }).unwrap();
    }

    /// SIGTERM.
    pub fn terminate(&self) {
        let pid = Pid::from_child(&self.child.lock().unwrap());
        kill_process(pid, Signal::TERM).unwrap();
    }

    /// Runs this while the server is stopped (SIGSTOP).
    pub fn meanwhile_stopped(&self, run: impl FnOnce()) {
        let pid = Pid::from_child(&self.child.lock().unwrap());
        let is_stopped = || {
            let threads = std::fs::read_dir(format!("/proc/{}/task", self.id())).unwrap();
            let stats = threads.map(|thread| std::fs::read_to_string(thread.unwrap().path().join("stat")));
            // The state of a thread that has just ended is unknown.
            stats.flatten().all(|stat| stat.rsplit_once(')').unwrap().1.trim_start().starts_with('T'))
        };
        kill_process(pid, Signal::STOP).unwrap();
        wait_until("the server is stopped", is_stopped);
        run();
        kill_process(pid, Signal::CONT).unwrap();
    }

    /// SIGHUP.
    pub fn hang_up(&self) {
        let pid = Pid::from_child(&self.child.lock().unwrap());
        kill_process(pid, Signal::HUP).unwrap();
    }

    /// Writes another configuration, but for its listeners.
    pub fn rewrite(&self, yaml: &str) {
        self.outside().write("tuffet.yaml", yaml.as_bytes());
    }

    /// `tuffet reload` or `tuffet status` of this server.
    pub fn ask(&self, question: &str) -> Ran {
        let socket = self.temporary.path().join("control");
        tuffet([question, "--control", socket.to_str().unwrap()])
    }

    /// Bytes of memory that it has (VmRSS).
    pub fn memory(&self) -> u64 {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", self.child.lock().unwrap().id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        1024 * line.trim().trim_end_matches(" kB").parse::<u64>().unwrap()
    }

    /// How many descriptors it has open.
    pub fn descriptors(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.id())).unwrap().count()
    }

    /// What `tuffet status` says of the first sink.
    pub fn sink(&self) -> Value {
        self.status()["sinks"][0].clone()
    }

    /// What `tuffet status --json` says.
    #[track_caller]
    pub fn status(&self) -> Value {
        match self.command("status") {
            Reply::Status(report) => json!(report),
            other => panic!("{other:?}"),
        }
    }

    /// What `tuffet status --live` says.
    #[track_caller]
    pub fn live(&self) -> Value {
        match self.command("live") {
            Reply::Live(snapshot) => json!(snapshot),
            other => panic!("{other:?}"),
        }
    }

    /// What `tuffet status --metrics` says.
    #[track_caller]
    pub fn metrics(&self) -> String {
        match self.command("metrics") {
            Reply::Metrics(text) => text,
            other => panic!("{other:?}"),
        }
    }

    /// Sends a command as `tuffet` does. Tests ask often, and a process would cost more than the answer.
    #[track_caller]
    fn command(&self, command: &str) -> Reply {
        tuffet_daemon::send_command(&self.temporary.path().join("control"), command)
            .unwrap_or_else(|error| panic!("{command}: {error}\n{}", self.log.raw()))
    }

    /// What `tuffet status --live` says once it says this.
    #[track_caller]
    pub fn live_until(&self, what: &str, is_it: impl FnMut(&Value) -> bool) -> Value {
        until(&format!("it shows {what}"), || self.live(), is_it)
    }

    /// Stops it in order and gives the outcomes that nobody asked for: with none of them, there was
    /// nothing beside what the test has seen.
    #[track_caller]
    pub fn stop(&self) -> Vec<Value> {
        self.terminate();
        let status = self.wait();
        assert_eq!(status.code(), Some(0), "{}", self.log.raw());
        self.log.rest().into_iter().filter(|line| line["message"] == "transfer").collect()
    }

    /// Waits for the process to end; its log closes when it does.
    #[track_caller]
    pub fn wait(&self) -> ExitStatus {
        self.log.wait_for_end();
        self.child.lock().unwrap().wait().unwrap()
    }

    /// Whether the process has ended.
    pub fn has_ended(&self) -> bool {
        self.child.lock().unwrap().try_wait().unwrap().is_some()
    }

    /// The lines that no test has taken yet.
    pub fn unread(&self) -> Vec<Value> {
        self.log.rest()
    }

    /// Stops reading its log, or goes on: a pipe takes 64 KiB meanwhile.
    pub fn leave_log_unread(&self, unread: bool) {
        self.log.sleep(unread);
    }

    /// What it has logged, as far as it was read: whoever looks for a line in it has waited for that line or for a
    /// later one.
    pub fn log(&self) -> String {
        self.log.raw()
    }

    /// Waits until these words are in the log, and takes nothing from it.
    #[track_caller]
    pub fn wait_for_log(&self, words: &str) {
        self.log.wait_for_words(words);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Ok(child) = self.child.get_mut() {
            let _ = child.kill();
            let _ = child.wait();
        }
        if !thread::panicking() {
            assert!(!self.log.panicked(), "the server panicked:\n{}", self.log.raw());
        }
    }
}
