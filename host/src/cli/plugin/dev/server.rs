//! The server that runs the project: one that runs already, or a child of this process.

use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use super::stop::{self, Stop};
use super::{Project, live, log, say, tuffet};
use tuffet_daemon as running;
use tuffet_daemon::Reply;

/// The pause between two attempts to reach a server that starts.
const PAUSE: Duration = Duration::from_millis(100);

/// The server of a project.
pub(super) struct Server {
    config: PathBuf,
    socket: PathBuf,
    /// Whether it ran before this process, which then neither starts nor ends it.
    foreign: bool,
    child: Option<Child>,
    /// Its last loaded generation.
    generation: Option<u64>,
}

impl Server {
    /// Finds the server, and begins to show its requests.
    ///
    /// # Errors
    /// There is no control socket, or a server with another configuration is there.
    pub fn of(project: &Project, control: Option<PathBuf>) -> Result<Server, String> {
        let config = project.config.clone();
        let named = control.is_some();
        let socket = control.or_else(|| tuffet_config::control_of(Some(&config))).ok_or_else(|| {
            format!(
                "{}: a server needs a control socket to be reloaded: write `control: ./control`",
                config.display()
            )
        })?;
        let foreign = match running::ask(&socket, "status") {
            Ok(Reply::Status(report)) => {
                let its = report.config.as_deref().map(Path::canonicalize).and_then(Result::ok);
                if !named && its.as_ref() != Some(&config) {
                    return Err(format!(
                        "{}: a server with another configuration answers there; write another `control` in {}, or name \
                         this server with --control",
                        socket.display(),
                        config.display()
                    ));
                }
                say(&format!("process {} serves; its log has the lines that plugins write", report.process));
                true
            }
            _ if named => return Err(format!("{}: no server answers there", socket.display())),
            _ => false,
        };
        live::show(socket.clone(), foreign);
        Ok(Server { config, socket, foreign, child: None, generation: None })
    }

    /// Lets the server take up the new component: reloads it, or starts it.
    ///
    /// # Errors
    /// It refused, or does not start.
    pub fn take_up(&mut self, stop: &Stop) -> Result<String, String> {
        if self.child.is_none() && !self.foreign {
            return self.start(stop);
        }
        match running::ask(&self.socket, "reload") {
            Ok(Reply::Reloaded(generation)) => {
                self.generation = Some(generation);
                Ok(format!("reloaded: generation {generation}"))
            }
            Ok(Reply::Refused(reasons)) => {
                Err(format!("refused; {}\n{}", self.goes_on(), reasons.join("\n")))
            }
            Ok(_) => Err("the server is of another version".into()),
            Err(error) => Err(format!("the server at {} does not answer: {error}", self.socket.display())),
        }
    }

    /// Says what happens without a new component.
    pub fn goes_on(&self) -> String {
        match self.generation {
            Some(generation) => format!("generation {generation} goes on"),
            None if self.foreign => "the server goes on as it is".into(),
            None => "the server starts after the first build that succeeds".into(),
        }
    }

    fn start(&mut self, stop: &Stop) -> Result<String, String> {
        let failed = |error| format!("the server cannot be started: {error}");
        let mut command = tuffet().map_err(failed)?;
        // What plugins print is on the level of debug.
        command.args(["serve", "--log-format", "json", "--log", "info,tuffet::plugin=debug"]);
        command.arg("--config").arg(&self.config);
        if rustix::process::geteuid().is_root() && !names_user(&self.config) {
            command.args(["--user", "root"]);
        }
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().map_err(failed)?;
        if let Some(lines) = child.stderr.take() {
            thread::spawn(move || log::show(lines));
        }
        let child = self.child.insert(child);
        while !stop.requested() {
            if let Ok(Reply::Status(report)) = running::ask(&self.socket, "status") {
                self.generation = Some(report.generation);
                return Ok(format!("serving as process {}: generation {}", child.id(), report.generation));
            }
            if let Ok(Some(status)) = child.try_wait() {
                self.child = None;
                return Err(format!(
                    "the server does not start ({status}); change the project, or its configuration"
                ));
            }
            thread::sleep(PAUSE);
        }
        Err("stopped".into())
    }

    /// Notices that the child has ended.
    pub fn look(&mut self) {
        if let Some(Ok(Some(status))) = self.child.as_mut().map(Child::try_wait) {
            (self.child, self.generation) = (None, None);
            say(&format!("the server ended ({status}); it starts again after the next change"));
        }
    }

    /// Ends the child.
    pub fn end(&mut self) {
        if let Some(child) = &mut self.child {
            stop::end(child);
        }
    }
}

/// Whether the configuration names the user of the server. If it does not, root's server would become one who may not
/// write into the project: neither uploads nor keys.
fn names_user(config: &Path) -> bool {
    let text = std::fs::read_to_string(config).unwrap_or_default();
    let value: serde_json::Value = serde_yaml::from_str(&text).unwrap_or_default();
    value.pointer("/privileges/user").is_some()
}
