//! `audit` with a failing sink: all promised lines arrive in the end, chained.

use super::{Kept, ask};
use crate::harness::{Endpoint, HttpAnswer, Setup, run, skipped, wait_until};
use std::process::Command;

/// The spool is full, the plugin keeps the lines that it refuses, the server is killed; then the receiver
/// answers: every line arrives, in order.
#[test]
fn nothing_is_lost_while_the_other_end_is_away() {
    let (kept, endpoint) = (Kept::new(), Endpoint::new(&[HttpAnswer::Status(503, "")]));
    let at = kept.path("").display().to_string();
    let setup = || {
        Setup::new().yaml(&format!(
            r#"
roots: [{{ name: boot, path: root }}]
state: "{at}/state"
sinks: {{ log: {{ http: {{ url: "{}", batch: {{ wait: 10ms }} }}, spool: {{ bytes: 20KiB }} }} }}
policy: {{ observe: [audit] }}
plugins:
  audit:
    component: builtin:audit
    grants: [kv, sinks/log]
    limits: {{ time: 20s, wall: 40s }}
    settings: {{ sink: log }}
"#,
            endpoint.url()
        ))
    };
    let server = setup().start();
    ask(&server, 0..100);
    wait_until("the spool is full", || server.sink()["refused"].as_u64().unwrap() > 0);
    let sink = server.sink();
    assert!(sink["spooled_bytes"].as_u64().unwrap() <= 20 << 10, "{sink}");
    server.stop();
    assert!(!server.log().contains("are lost"), "{}", server.log());
    let server = setup().start();
    ask(&server, 100..130);
    endpoint.answer(HttpAnswer::Status(200, ""));
    wait_until("the spool is empty", || server.sink()["waiting"] == 0);
    // The plugin sends the lines that it kept, without further events.
    wait_until("all came", || endpoint.lines().last().is_some_and(|line| line.starts_with("{\"seq\":130,")));
    server.stop();
    let log = kept.path("log");
    let lines = endpoint.lines();
    std::fs::write(&log, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    if Command::new("python3").arg("--version").output().is_err() {
        skipped("python3 is not installed: plugins/audit/verify.py is not tested");
        return;
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugins/audit/verify.py");
    let ran = run(Command::new("python3").arg(script).arg(&log));
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && said.contains("good: 130 lines"), "{said}{}", ran.stderr);
}
