//! Runs a process to its end, for a bounded time.

use super::{PATIENCE, compiled, is_root, times};
use std::ffi::OsStr;
use std::io::Read;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The exit status and output of a process.
#[derive(Debug)]
pub struct Ran {
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Ran {
    /// Returns the exit code; a process ended by a signal has none.
    pub fn code(&self) -> i32 {
        self.status.code().unwrap_or_else(|| panic!("ended by a signal: {self:?}"))
    }

    #[track_caller]
    pub fn assert_good(&self) {
        assert!(self.status.success(), "{}\n{}", self.status, self.stderr);
    }

    /// Asserts the exit code and parts of the message.
    #[track_caller]
    pub fn assert_fails(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code(), code, "{}", self.stderr);
        for word in words {
            assert!(self.stderr.contains(word), "`{word}` is missing in: {}", self.stderr);
        }
        assert!(!self.stderr.starts_with("\nthread 'main'"), "{}", self.stderr);
    }
}

/// Runs `command` without a standard input.
pub fn run(command: &mut Command) -> Ran {
    run_for(command, PATIENCE)
}

/// Runs `tuffet` with these arguments. If root runs the tests, the server stays root, who owns the folders of
/// tests, and `check` and `explain` look as root.
pub fn tuffet<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    command.env("CACHE_DIRECTORY", compiled()).args(arguments);
    let first = command.get_args().next();
    if is_root()
        && first.is_some_and(|first| ["serve", "check", "explain"].iter().any(|it| first == OsStr::new(it)))
    {
        command.args(["--user", "root"]);
    }
    run(&mut command)
}

/// Runs a process with this time limit.
pub fn run_for(command: &mut Command, patience: Duration) -> Ran {
    run_as_it_is(command.stdin(Stdio::null()), patience)
}

/// Runs a process with its own standard input.
pub fn run_as_it_is(command: &mut Command, patience: Duration) -> Ran {
    times::note();
    let name = format!("{command:?}");
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let stdout = collect(child.stdout.take());
    let stderr = collect(child.stderr.take());
    // Both pipes close when the process ends.
    let (Ok(stdout), Ok(stderr)) = (stdout.recv_timeout(patience), stderr.recv_timeout(patience)) else {
        let _ = child.kill();
        let _ = child.wait();
        panic!("{name} did not end within {patience:?}");
    };
    let status = child.wait().unwrap();
    Ran { status, stdout, stderr: String::from_utf8_lossy(&stderr).into_owned() }
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        sender.send(bytes)
    });
    receiver
}
