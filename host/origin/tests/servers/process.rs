//! Servers as processes.

use std::fs::OpenOptions;
use std::io::Write;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server that is killed at the end.
pub struct Server(Child);

impl Server {
    /// Starts a command, and waits until it accepts connections.
    pub fn start(command: &mut Command, address: SocketAddr) -> Self {
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut server = Self(child.expect("the server starts"));
        let deadline = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect(address).is_err() {
            assert!(server.0.try_wait().expect("its state").is_none(), "{command:?} ended");
            assert!(Instant::now() < deadline, "{command:?} does not listen on {address}");
            std::thread::sleep(Duration::from_millis(20));
        }
        server
    }

    /// By SIGKILL.
    pub fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns a port that is free now.
pub fn free() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port")
}

/// The server that an environment variable names, or that is on the `PATH`.
pub fn program(variable: &str, name: &str) -> Option<String> {
    if let Ok(named) = std::env::var(variable) {
        return Some(named);
    }
    let found = Command::new("sh").args(["-c", &format!("command -v {name}")]).output();
    let found = found.ok().filter(|found| found.status.success());
    let found = found.map(|found| String::from_utf8_lossy(&found.stdout).trim().to_owned());
    if found.is_none() {
        eprintln!("skipped: no {name}; `make test SUITE=origins` installs it");
        // As the tests of the server do: what `make test` skipped is listed at its end.
        if let Some(list) = std::env::var_os("TUFFET_SKIPPED") {
            let list = OpenOptions::new().create(true).append(true).open(list);
            let written =
                list.and_then(|mut list| writeln!(list, "skipped: origins on {name}: not installed"));
            written.expect("the list of skipped tests");
        }
    }
    found
}
