//! The watchdog is notified while every worker responds, and not while one hangs: ptrace stops only its
//! thread.

use super::Manager;
use crate::harness::{SOON, Server, Setup, http, skipped};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Stops a thread until its standard input is closed.
const STOP: &str = r#"
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
SEIZE, INTERRUPT, WALL = 0x4206, 0x4207, 0x40000000
thread = int(sys.argv[1])
if libc.ptrace(SEIZE, thread, None, None) or libc.ptrace(INTERRUPT, thread, None, None):
    print(os.strerror(ctypes.get_errno()), flush=True)
    sys.exit(1)
os.waitpid(thread, WALL)
print("stopped", flush=True)
sys.stdin.read()
"#;

/// A stopped thread.
struct Stopped(Child);

impl Stopped {
    /// Stops the thread; the error says why it cannot.
    fn of(server: &Server, name: &str) -> Result<Stopped, String> {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", server.id())).unwrap();
        let named = tasks.map(|task| task.unwrap().path()).find(|task| {
            std::fs::read_to_string(task.join("comm")).is_ok_and(|comm| comm.trim_end() == name)
        });
        let thread = named.unwrap_or_else(|| panic!("no thread {name}"));
        let mut child = Command::new("python3")
            .args(["-c", STOP, thread.file_name().unwrap().to_str().unwrap()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("python3 is not installed: {error}"))?;
        let mut said = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut said).unwrap();
        let stopped = Stopped(child);
        if said == "stopped\n" { Ok(stopped) } else { Err(format!("ptrace: {}", said.trim_end())) }
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

#[test]
fn a_worker_that_hangs_is_told_by_silence() {
    let manager = Manager::new();
    let server = Setup::new()
        .variable("NOTIFY_SOCKET", &manager.name)
        .variable("WATCHDOG_USEC", "400000")
        .rest_of_yaml("workers: 2\nadmin: { address: \"127.0.0.1:0\" }\n")
        .start();
    assert!(manager.told().starts_with("READY=1\n"));
    for _ in 0..3 {
        assert_eq!(manager.told(), "WATCHDOG=1\n");
    }
    let stopped = match Stopped::of(&server, "tuffet-worker-1") {
        Ok(stopped) => stopped,
        Err(why) => return skipped(&format!("a worker that hangs: {why}")),
    };
    // Some notifications came before.
    let end = Instant::now() + SOON;
    while manager.told() == "WATCHDOG=1\n" {
        assert!(Instant::now() < end, "it goes on saying that it is alive");
    }
    assert_eq!(
        server.logged("workers do not respond; the service manager's watchdog is not notified")["workers"],
        "[1]"
    );
    assert_eq!(manager.told_within(Duration::from_secs(1)), None, "it is fed no more");
    let answer = http(server.admin(), "/livez", &[]);
    assert_eq!(answer.status, 503, "{answer:?}");
    assert!(answer.body.contains("worker 1 did not answer within 2 s"), "{answer:?}");

    drop(stopped);
    assert_eq!(manager.told(), "WATCHDOG=1\n");
    assert_eq!(http(server.admin(), "/livez", &[]).status, 200);
    server.stop();
}
