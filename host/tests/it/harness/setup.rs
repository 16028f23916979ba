//! The setup of a server.

use super::run::run_as_it_is;
use super::{Folder, PATIENCE, Ran, Server, bytes, is_root, times};
use std::fs::{DirBuilder, File};
use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use tempfile::TempDir;

/// Returns the folder for compiled plugins of all test servers: they share a few plugins, and compiling takes long. Tests
/// of Python and JavaScript have one of their own: each start verifies all that is in its folder, and components in these
/// languages have 30 times the size of others. Created here, since the plugin tools create none if root runs them.
pub fn compiled() -> &'static str {
    const FOLDERS: [&str; 2] = [
        concat!(env!("CARGO_TARGET_TMPDIR"), "/compiled"),
        concat!(env!("CARGO_TARGET_TMPDIR"), "/compiled-scripts"),
    ];
    static MADE: Once = Once::new();
    MADE.call_once(|| {
        for folder in
            FOLDERS.iter().flat_map(|folder| ["code", "digests"].map(|name| Path::new(folder).join(name)))
        {
            DirBuilder::new().recursive(true).mode(0o700).create(folder).unwrap();
        }
    });
    // libtest names its threads by the tests.
    let thread = thread::current();
    let is_large =
        |test: &str| test.ends_with("::js") || test.contains("javascript") || test.contains("python");
    FOLDERS[usize::from(thread.name().is_some_and(is_large))]
}

/// The files and flags, or files and configuration, of a server.
pub struct Setup {
    temporary: TempDir,
    yaml: Option<String>,
    flags: Vec<String>,
    listen: Vec<String>,
    /// How many listeners the configuration has, if no flags replace them.
    own: Option<usize>,
    behind: Vec<String>,
    inherited: Vec<(String, OwnedFd)>,
    variables: Vec<(String, String)>,
    stdout: Option<PathBuf>,
    user: Option<String>,
}

impl Setup {
    /// Creates a server with one empty root on a loopback address of its own, configured by flags.
    pub fn new() -> Setup {
        times::note();
        let setup = Setup {
            temporary: TempDir::new().unwrap(),
            yaml: None,
            flags: Vec::new(),
            listen: Vec::new(),
            own: None,
            behind: Vec::new(),
            inherited: Vec::new(),
            variables: Vec::new(),
            stdout: None,
            user: is_root().then(|| "root".to_owned()),
        };
        std::fs::create_dir(setup.root().0).unwrap();
        setup
    }

    /// Returns the served folder.
    pub fn root(&self) -> Folder {
        Folder(self.temporary.path().join("root"))
    }

    /// Returns the folder around it, which is not served.
    pub fn outside(&self) -> Folder {
        Folder(self.temporary.path().to_owned())
    }

    pub fn file(self, name: &str, content: &[u8]) -> Setup {
        self.root().write(name, content);
        self
    }

    /// Adds files of these sizes, named by size.
    pub fn sizes(self, sizes: &[usize]) -> Setup {
        sizes.iter().fold(self, |setup, size| setup.file(&size.to_string(), &bytes(*size)))
    }

    pub fn flag(mut self, flag: &str) -> Setup {
        self.flags.push(flag.into());
        self
    }

    pub fn writable(self) -> Setup {
        self.flag("--writable")
    }

    pub fn single_port(self) -> Setup {
        self.flag("--single-port")
    }

    pub fn workers(self, count: usize) -> Setup {
        self.flag("--workers").flag(&count.to_string())
    }

    /// Adds an address, instead of the loopback address of its own.
    pub fn listen(mut self, address: &str) -> Setup {
        self.listen.push(address.into());
        self
    }

    /// Sets the part of a configuration after the roots: `policy`, `plugins`, `transfer`, `limits`.
    pub fn rest_of_yaml(self, rest: &str) -> Setup {
        self.yaml(&format!("roots: [{{ name: boot, path: root }}]\n{rest}"))
    }

    /// Sets the configuration; flags replace its listeners.
    pub fn yaml(mut self, yaml: &str) -> Setup {
        self.yaml = Some(yaml.into());
        self
    }

    /// Sets the configuration with its listeners.
    pub fn whole_yaml(mut self, listeners: usize, yaml: &str) -> Setup {
        self.own = Some(listeners);
        self.yaml(yaml)
    }

    /// Starts the server through a command such as `ip netns exec NAME`.
    pub fn behind(mut self, command: Vec<String>) -> Setup {
        self.behind = command;
        self
    }

    /// Adds a socket that it inherits as from systemd, with the name of the descriptor; at most two. Its
    /// listeners must be given by [`Setup::listen`].
    pub fn inherits(mut self, name: &str, socket: impl Into<OwnedFd>) -> Setup {
        self.inherited.push((name.into(), socket.into()));
        assert!(self.inherited.len() <= 2, "they come by standard input and output");
        self
    }

    /// Sets an environment variable of the server.
    pub fn variable(mut self, name: &str, value: &str) -> Setup {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Sets the server's user, if root runs the tests; `None` uses the default. Without this, root: root owns
    /// the folders of tests.
    pub fn user(mut self, user: Option<&str>) -> Setup {
        self.user = user.map(str::to_owned);
        self
    }

    /// Redirects its standard output to a file.
    pub fn stdout(mut self, file: PathBuf) -> Setup {
        self.stdout = Some(file);
        self
    }

    pub fn start(self) -> Server {
        self.begin().serves()
    }

    /// Starts it without waiting.
    pub fn begin(self) -> Server {
        Server::begin(self)
    }

    /// Runs a server that must fail to start.
    pub fn run_to_its_end(self) -> Ran {
        run_as_it_is(&mut self.command(), PATIENCE)
    }

    /// Returns the command that starts it, with its log as JSON.
    pub(super) fn command(&self) -> Command {
        let passing = self.passing();
        let words = self.behind.iter().chain(&passing).map(String::as_str);
        let mut words = words.chain([env!("CARGO_BIN_EXE_tuffet")]);
        let mut command = Command::new(words.next().expect("at least the server itself"));
        command.stdin(self.inherited.first().map_or_else(Stdio::null, |(_, socket)| passed(socket)));
        command.env("CACHE_DIRECTORY", compiled()).env("RUNTIME_DIRECTORY", self.temporary.path());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.stdout(match (&self.stdout, self.inherited.get(1)) {
            (Some(file), _) => Stdio::from(File::create(file).unwrap()),
            (None, Some((_, socket))) => passed(socket),
            (None, None) => Stdio::null(),
        });
        command.args(words).args(["serve", "--log-format", "json"]).args(&self.flags);
        if let Some(user) = &self.user {
            command.args(["--user", user]);
        }
        match &self.yaml {
            Some(yaml) => {
                let file = self.temporary.path().join("tuffet.yaml");
                std::fs::write(&file, yaml).unwrap();
                command.arg("--config").arg(file);
            }
            None => {
                command.arg("--root").arg(self.root().0);
            }
        }
        if self.listen.is_empty() && self.own.is_none() {
            command.args(["--listen", &format!("{}:0", own_loopback())]);
        }
        for address in &self.listen {
            command.args(["--listen", address]);
        }
        command
    }

    /// Returns a shell command that passes the sockets on as descriptors from 3 on, and executes the server.
    fn passing(&self) -> Vec<String> {
        if self.inherited.is_empty() {
            return Vec::new();
        }
        let count = self.inherited.len();
        let names: Vec<&str> = self.inherited.iter().map(|(name, _)| name.as_str()).collect();
        let second = if count > 1 { "4<&1 1>/dev/null" } else { "" };
        let script = format!(
            "export LISTEN_PID=$$ LISTEN_FDS={count} LISTEN_FDNAMES={}; exec \"$@\" 3<&0 {second} 0</dev/null",
            names.join(":")
        );
        ["sh", "-c", &script, "sh"].map(str::to_owned).into()
    }

    /// Returns the number of expected `listening` lines.
    pub(super) fn listeners(&self) -> usize {
        self.own.unwrap_or(self.listen.len().max(1))
    }

    pub(super) fn into_temporary(self) -> TempDir {
        self.temporary
    }
}

fn passed(socket: &OwnedFd) -> Stdio {
    socket.try_clone().unwrap().into()
}

/// Returns a loopback address that no other server of this run has. A server repeats itself to vanished
/// clients, and a later client may get the port of one: it must be able to tell the servers apart.
pub fn own_loopback() -> Ipv4Addr {
    static SERVERS: AtomicU32 = AtomicU32::new(0);
    let number = SERVERS.fetch_add(1, Ordering::Relaxed);
    let run = 64 + std::process::id() % 128;
    Ipv4Addr::new(127, run as u8, (number / 250 % 250) as u8, (1 + number % 250) as u8)
}

/// Returns an address that stays free until its test uses it. The port is below those that the system assigns, so nobody
/// gets it by chance on all addresses; and it is not the one on which developers run servers.
pub fn own_address() -> SocketAddr {
    (own_loopback(), 26969).into()
}
