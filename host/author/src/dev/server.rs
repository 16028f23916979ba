//! The server that runs the project: one that runs already, or a child of this process.

use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use super::control::{self, Reply};
use super::output::say;
use super::project::{Project, tuffet};
use super::stop::{self, Stop};
use super::{live, log};

/// The pause between two attempts to reach a server that starts.
const PAUSE: Duration = Duration::from_millis(100);

/// The server of a project.
pub(super) struct Server {
    config: PathBuf,
    socket: PathBuf,
    /// Whether it was running already; then this process neither starts nor ends it.
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
    pub fn find(project: &Project, control: Option<PathBuf>) -> Result<Server, String> {
        let config = project.config.clone();
        let named = control.is_some();
        let socket = match control {
            Some(control) => Some(control),
            None => tuffet_config::control_of(Some(&config)).map_err(|error| error.to_string())?,
        };
        let socket = socket.ok_or_else(|| {
            format!(
                "{}: a server needs a control socket to be reloaded: write `control: ./control`",
                config.display()
            )
        })?;
        let foreign = match control::ask(&socket, "status") {
            Ok(Reply::Status(status)) => {
                let its = status.config.as_deref().map(Path::canonicalize).and_then(Result::ok);
                if !named && its.as_ref() != Some(&config) {
                    return Err(format!(
                        "{}: a server with another configuration answers there; write another `control` in {}, or name \
                         this server with --control",
                        socket.display(),
                        config.display()
                    ));
                }
                say(&format!("process {} serves; its log has the lines that plugins write", status.process));
                true
            }
            _ if named => return Err(format!("{}: no server answers there", socket.display())),
            _ => false,
        };
        live::show(socket.clone(), foreign);
        Ok(Server { config, socket, foreign, child: None, generation: None })
    }

    /// Activates the new component: reloads the server, or starts it.
    ///
    /// # Errors
    /// It refused, or does not start.
    pub fn activate(&mut self, stop: &Stop) -> Result<String, String> {
        if self.child.is_none() && !self.foreign {
            return self.start(stop);
        }
        match control::ask(&self.socket, "reload") {
            Ok(Reply::Reloaded(generation)) => {
                self.generation = Some(generation);
                Ok(format!("reloaded: generation {generation}"))
            }
            Ok(Reply::Refused(reasons)) => {
                Err(format!("refused; {}\n{}", self.without_component(), reasons.join("\n")))
            }
            Ok(_) => Err("the server is of another version".into()),
            Err(error) => Err(format!("the server at {} does not answer: {error}", self.socket.display())),
        }
    }

    /// Describes the state of the server without a new component.
    pub fn without_component(&self) -> String {
        match self.generation {
            Some(generation) => format!("generation {generation} stays active"),
            None if self.foreign => "the server stays as it is".into(),
            None => "the server starts after the first build that succeeds".into(),
        }
    }

    fn start(&mut self, stop: &Stop) -> Result<String, String> {
        let failed = |error| format!("the server cannot be started: {error}");
        let mut command = tuffet().map_err(failed)?;
        // The output of plugins is logged at the level debug.
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
            if let Ok(Reply::Status(status)) = control::ask(&self.socket, "status") {
                self.generation = Some(status.generation);
                return Ok(format!("serving as process {}: generation {}", child.id(), status.generation));
            }
            if let Ok(Some(exit)) = child.try_wait() {
                self.child = None;
                return Err(format!(
                    "the server does not start ({exit}); change the project, or its configuration"
                ));
            }
            thread::sleep(PAUSE);
        }
        Err("stopped".into())
    }

    /// Checks whether the child has ended.
    pub fn poll(&mut self) {
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

/// Whether the configuration names the user of the server. By default, root's server becomes a user that cannot write
/// uploads and keys into the project.
fn names_user(config: &Path) -> bool {
    let text = std::fs::read_to_string(config).unwrap_or_default();
    let value: serde_json::Value = serde_yaml::from_str(&text).unwrap_or_default();
    value.pointer("/privileges/user").is_some()
}
