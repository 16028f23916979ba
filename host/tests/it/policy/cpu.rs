//! `limits.time` is CPU time: a machine that is busy with other things does not use it up.

use super::misbehave;
use crate::harness::{Answer, Peer, Server, Setup, ack, rrq, tuffet};
use std::process::{Child, Command};
use std::time::Duration;

/// Processes that keep each core busy twice.
struct Busy(Vec<Child>);

impl Busy {
    fn start() -> Busy {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let busy = || Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        Busy((0..2 * cores).map(|_| busy()).collect())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        for child in &mut self.0 {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}

/// What one call takes that computes for a while; the most of several, in milliseconds.
fn cost() -> u64 {
    let component = misbehave();
    let setup = Setup::new();
    setup.outside().write("settings.yaml", b"{ do: compute }");
    let settings = setup.outside().path("settings.yaml");
    let run = || -> u64 {
        let words =
            ["plugin", "run", &component, "--path", "x", "--json", "--time", "60s", "--hook", "authorize"];
        let ran = tuffet([&words[..], &["--settings", settings.to_str().unwrap()]].concat());
        ran.assert_good();
        let shown: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
        shown["cpu-us"].as_u64().unwrap()
    };
    (0..5).map(|_| run()).max().unwrap().div_ceil(1000).max(10)
}

fn server(misdeed: &str, time_ms: u64) -> Server {
    let component = misbehave();
    Setup::new()
        .file("a", b"content")
        .rest_of_yaml(&format!(
            "policy: {{ authorize: [busy], time-limit: 60s }}\nplugins:\n  busy:\n    component: \"{component}\"\n    \
             limits: {{ time: {time_ms}ms, wall: 60s }}\n    settings: {{ do: {misdeed} }}\n"
        ))
        .start()
}

#[test]
fn a_plugin_that_computes_does_not_fail_on_a_busy_machine() {
    let _busy = Busy::start();
    let server = server("compute", 2 * cost());
    for _ in 0..10 {
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq("a", &[]));
        let answer = peer.receive();
        assert_eq!(answer, Answer::Data(1, b"content".to_vec()), "{}", server.log());
        peer.send(&ack(1));
    }
}

#[test]
fn a_loop_ends_in_its_cpu_time_on_a_busy_machine() {
    let server = server("loop", 200);
    let _busy = Busy::start();
    let before = server.cpu_time();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("a", &[]));
    peer.expect_error(0);
    let took = server.cpu_time() - before;
    let detail = server.outcome("a")["detail"].to_string();
    assert!(detail.contains("it computed for more than 200ms (limits.time)"), "{detail}");
    let expected = Duration::from_millis(150)..Duration::from_millis(600);
    assert!(expected.contains(&took), "{took:?}");
}

/// Even where the machine has less than half of the time for it: a loop that computed for a second would not have ended
/// on an idle one either. With less than a second of CPU time, the call counts as `busy`.
#[test]
fn a_loop_is_no_matter_of_a_busy_machine() {
    let setup = Setup::new();
    setup.outside().write("settings.yaml", b"{ do: loop }");
    let settings = setup.outside().path("settings.yaml").display().to_string();
    let component = misbehave();
    let _busy = Busy::start();
    let words = ["plugin", "run", &component, "--settings", &settings, "--hook", "authorize", "--path", "a"];
    let ran = tuffet([&words[..], &["--time", "4s", "--json"]].concat());
    assert_eq!(ran.code(), 1, "{}", ran.stderr);
    let shown: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    let failure = &shown["verdict"]["failure"];
    let has_computed = shown["cpu-us"].as_u64().unwrap() >= 1_000_000;
    let (cause, detail) =
        if has_computed { ("time", "it computed for ") } else { ("busy", "the machine had ") };
    assert_eq!(failure["cause"], cause, "{shown:#}");
    assert!(failure["detail"].as_str().unwrap().contains(detail), "{shown:#}");
}
