//! A container with curl, atftp and busybox in it, in which commands are run.

use super::docker;
use std::fmt;
use std::process::{Child, Command, Output, Stdio};
use testcontainers::core::ContainerRequest;
use testcontainers::runners::SyncRunner;
use testcontainers::{Container, GenericImage, ImageExt};

pub struct Client(Container<GenericImage>);

/// How a command ended.
pub struct Ran(Output);

impl Client {
    pub fn start(network: &str) -> Client {
        Client::with(network, |request| request)
    }

    pub fn with(
        network: &str,
        change: impl FnOnce(ContainerRequest<GenericImage>) -> ContainerRequest<GenericImage>,
    ) -> Client {
        let image = GenericImage::new("tuffet-test", "client").with_cmd(["/bin/sleep", "3600"]);
        Client(change(image.with_network(network)).start().unwrap_or_else(|error| panic!("{error}")))
    }

    pub fn id(&self) -> &str {
        self.0.id()
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new("docker");
        command.args(["exec", "--workdir", "/tmp", self.id()]).args(words);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn run(&self, words: &[&str]) -> Ran {
        Ran(self.command(words).output().unwrap())
    }

    /// Starts a command; [`Ran::of`] waits for it.
    pub fn begin(&self, words: &[&str]) -> Child {
        self.command(words).spawn().unwrap()
    }

    /// What a file in it has.
    #[track_caller]
    pub fn read(&self, file: &str) -> Vec<u8> {
        self.run(&["cat", file]).good()
    }

    /// Writes a file into it.
    #[track_caller]
    pub fn write(&self, file: &str, content: &[u8]) {
        let from = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(from.path(), content).unwrap();
        docker(["cp", from.path().to_str().unwrap(), &format!("{}:/tmp/{file}", self.id())]);
    }
}

impl Ran {
    pub fn of(child: Child) -> Ran {
        Ran(child.wait_with_output().unwrap())
    }

    pub fn is_good(&self) -> bool {
        self.0.status.success()
    }

    /// What it printed; it must have ended well.
    #[track_caller]
    pub fn good(self) -> Vec<u8> {
        assert!(self.is_good(), "{self:?}");
        self.0.stdout
    }
}

impl fmt::Debug for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = String::from_utf8_lossy;
        write!(f, "{}: {} {}", self.0.status, text(&self.0.stdout), text(&self.0.stderr))
    }
}
