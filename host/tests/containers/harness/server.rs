//! A server's container.

use super::log::Log;
use super::{docker, inspect};
use serde_json::Value;
use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use tempfile::TempDir;
use testcontainers::core::IntoContainerPort;
use testcontainers::{Container, GenericImage};

/// A server that serves. Its container is removed when it is dropped.
pub struct Server {
    container: Container<GenericImage>,
    log: Log,
    folder: TempDir,
}

impl Server {
    pub(super) fn new(container: Container<GenericImage>, folder: TempDir) -> Server {
        let log = Log::follow(container.stderr(true), 0);
        Server { container, log, folder }
    }

    pub fn id(&self) -> &str {
        self.container.id()
    }

    /// Its address in its network, and the port that it listens on.
    #[track_caller]
    pub fn address(&self) -> SocketAddr {
        let ip = inspect(self.id(), "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}");
        SocketAddr::new(ip.parse().unwrap(), 69)
    }

    /// The host's port that leads to it.
    #[track_caller]
    pub fn mapped(&self) -> SocketAddr {
        let port = self.container.get_host_port_ipv4(69.udp()).unwrap();
        SocketAddr::new([127, 0, 0, 1].into(), port)
    }

    /// A file of the folder that it serves.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("root").join(name)
    }

    /// The names in this folder, hidden ones included, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path("")).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Waits for the outcome of a request for `path` and takes it.
    #[track_caller]
    pub fn outcome(&self, path: &str) -> Value {
        self.log.take(&format!("outcome of {path:?}"), |line| {
            line["message"] == "transfer" && line["path"] == path
        })
    }

    /// Waits for a line with this message and takes it.
    #[track_caller]
    pub fn logged(&self, message: &str) -> Value {
        self.log.take(message, |line| line["message"] == message)
    }

    /// What runs, as `tuffet status --live` says inside of it.
    #[track_caller]
    pub fn active(&self) -> Vec<Value> {
        let live = docker(["exec", self.id(), "/usr/bin/tuffet", "status", "--live"]);
        let live: Value = serde_json::from_str(&live).unwrap();
        live["active"].as_array().unwrap().clone()
    }

    /// What `tuffet status --metrics` says inside of it.
    #[track_caller]
    pub fn metrics(&self) -> String {
        docker(["exec", self.id(), "/usr/bin/tuffet", "status", "--metrics"])
    }

    /// A number of its first process, such as `VmHWM`, as the kernel has it.
    #[track_caller]
    pub fn of_process(&self, name: &str) -> String {
        let pid = inspect(self.id(), "{{.State.Pid}}");
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.unwrap().trim().to_owned()
    }

    /// Whether the kernel has ended it for want of memory, or the engine has started it again.
    #[track_caller]
    pub fn was_stopped(&self) -> bool {
        inspect(self.id(), "{{.State.OOMKilled}} {{.RestartCount}} {{.State.Running}}") != "false 0 true"
    }

    /// SIGKILL.
    #[track_caller]
    pub fn kill(&self) {
        docker(["kill", "--signal", "KILL", self.id()]);
        self.log.to_the_end();
    }

    /// The same container once more, after its end.
    #[track_caller]
    pub fn start_again(&mut self) {
        let known = self.log.to_the_end().len();
        docker(["start", self.id()]);
        self.log = Log::follow(self.container.stderr(true), known);
        self.log.take("start", |line| line["message"] == "serving");
    }

    /// Stops it as an engine does, and gives all that it said. It must have stopped in order.
    #[track_caller]
    pub fn stop(&self) -> Vec<String> {
        docker(["stop", "--time", "20", self.id()]);
        let log = self.log.to_the_end();
        assert_eq!(inspect(self.id(), "{{.State.ExitCode}}"), "0", "{}", log.join("\n"));
        log
    }

    /// Stops it and gives the outcomes of all its life.
    #[track_caller]
    pub fn outcomes(&self) -> Vec<Value> {
        let lines = self.stop();
        let lines = lines.iter().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line["message"] == "transfer").collect()
    }
}
