//! `builtin:audit`: one line per request, chained across restarts, and the findings of `verify.py`.

use crate::harness::{Client, Options, Peer, Ran, SOON, Server, Setup, rrq, run, skipped, until};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use tempfile::TempDir;

/// The files that survive a server: the log, the witness's record, and the state.
struct Kept(TempDir);

impl Kept {
    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn start(&self, more: &str) -> Server {
        let at = self.0.path().display();
        Setup::new()
            .file("a", b"content")
            .yaml(&format!(
                r#"
roots: [{{ name: boot, path: root, writable: true }}]
state: "{at}/state"
sinks: {{ log: {{ file: "{at}/log" }}, seen: {{ file: "{at}/seen" }}, full: {{ file: /dev/full, queue: 1 }} }}
policy: {{ authorize: [acl], observe: [audit] }}
plugins:
  acl: {{ component: builtin:acl, settings: {{ deny: [{{ names: ["secret"] }}] }} }}
  audit:
    component: builtin:audit
{more}
"#
            ))
            .start()
    }

    fn lines(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.path("log")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Waits for this many lines.
    fn wait_for(&self, count: usize) {
        until("all lines came", || self.lines(), |lines| lines.len() >= count);
    }
}

const CHAINED: &str = "    grants: [kv, sinks/log, sinks/seen]\n    settings: { sink: log, witness: seen }\n    \
                       limits: { time: 20s, wall: 40s }";

fn get(server: &Server) {
    assert_eq!(Client::Tuffet.get(server.address(), "a", Options::default()), b"content");
    // Lines are in the order in which requests end.
    server.outcome("a");
}

/// Runs `verify.py` with these arguments; `None` without Python.
fn verify(arguments: &[&Path]) -> Option<Ran> {
    if Command::new("python3").arg("--version").output().is_err() {
        skipped("python3 is not installed: plugins/audit/verify.py is not tested");
        return None;
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugins/audit/verify.py");
    Some(run(Command::new("python3").arg(script).args(arguments)))
}

/// Returns exit code and findings of a log with these lines.
fn findings(lines: &[String]) -> Option<(i32, Vec<String>)> {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("log");
    std::fs::write(&file, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    let ran = verify(&[&file])?;
    let said = String::from_utf8(ran.stdout.clone()).unwrap();
    let said = said.replace(&format!("{}:", file.display()), "");
    Some((ran.code(), said.lines().map(str::to_owned).collect()))
}

/// A regular stop, then a SIGKILL: the chain continues, and nothing of it is missing.
#[test]
fn the_chain_outlives_instances_and_processes() {
    let kept = Kept(TempDir::new().unwrap());
    let server = kept.start(CHAINED);
    get(&server);
    Client::Tuffet.put(server.address(), "up", b"new", Options::default());
    server.outcome("up");
    Peer::new(server.address()).ask(&rrq("secret", &[]));
    server.outcome("secret");
    server.stop();
    assert_eq!(kept.lines().len(), 3);

    let server = kept.start(CHAINED);
    get(&server);
    kept.wait_for(4);
    drop(server);

    let server = kept.start(CHAINED);
    Peer::new(server.address()).ask(&rrq("missing", &[]));
    server.outcome("missing");
    server.stop();

    let lines: Vec<Value> = kept.lines().iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let said = |key: &str| lines.iter().map(|line| line[key].clone()).collect::<Vec<Value>>();
    assert_eq!(said("seq"), [1, 2, 3, 4, 5]);
    assert_eq!(said("outcome"), ["served", "stored", "denied", "served", "not-found"]);
    assert_eq!(said("decision"), ["granted", "granted", "refused", "granted", "refused"]);
    assert_eq!(said("path"), ["a", "up", "secret", "a", "missing"]);
    assert_eq!(said("operation"), ["read", "write", "read", "read", "read"]);
    assert_eq!(said("bytes"), [7, 3, 0, 7, 0]);
    assert_eq!((&lines[2]["verdict_by"], &lines[2]["detail"]), (&"acl".into(), &"deny rule 1".into()));
    for pair in lines.windows(2) {
        assert_eq!(pair[1]["previous"], pair[0]["hash"]);
    }

    let Some(ran) = verify(&["--seen".as_ref(), &kept.path("seen"), &kept.path("log")]) else { return };
    ran.assert_good();
    let good = format!("good: 5 lines, the last is 5:{}\n", lines[4]["hash"].as_str().unwrap());
    assert_eq!(String::from_utf8(ran.stdout).unwrap(), good);
    // Nothing in a log shows its end: the witness has seen it.
    let shorter: String = kept.lines()[..4].iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(kept.path("shorter"), shorter).unwrap();
    let ran = verify(&["--seen".as_ref(), &kept.path("seen"), &kept.path("shorter")]).unwrap();
    assert_eq!(ran.code(), 1);
    assert!(String::from_utf8(ran.stdout).unwrap().contains("line 5 of the log was seen, and is missing"));
}

#[test]
fn what_was_changed_removed_or_put_in_is_named() {
    let kept = Kept(TempDir::new().unwrap());
    let server = kept.start(CHAINED);
    (0..5).for_each(|_| get(&server));
    server.stop();
    let lines = kept.lines();
    let without = |at: usize| [&lines[..at], &lines[at + 1..]].concat();
    let with = |at: usize, line: &str| [&lines[..at], &[line.to_owned()], &lines[at..]].concat();
    let Some((0, _)) = findings(&lines) else { return };

    let mut changed = lines.clone();
    changed[2] = changed[2].replace("\"bytes\":7", "\"bytes\":8");
    // A line of another log, valid in itself.
    let other = Kept(TempDir::new().unwrap());
    let server = other.start(CHAINED);
    (0..3).for_each(|_| get(&server));
    server.stop();
    let mut replaced = lines.clone();
    replaced[2] = other.lines()[2].clone();

    for (tampered, expected) in [
        (changed, vec!["3: line 3 of the log was changed: its hash does not fit"]),
        (without(2), vec!["3: before line 4 of the log line 3 is missing"]),
        (without(0), vec!["1: before line 2 of the log line 1 is missing"]),
        (
            lines[..1].iter().chain(&lines[3..]).cloned().collect(),
            vec!["2: before line 4 of the log lines 2 to 3 are"],
        ),
        (with(2, "{}"), vec!["3: it is no line of an audit log"]),
        (
            replaced,
            vec![
                "3: line 3 of the log does not follow line 2",
                "4: line 4 of the log does not follow line 3",
            ],
        ),
    ] {
        let (code, found) = findings(&tampered).unwrap();
        assert_eq!((code, found.len()), (1, expected.len()), "{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(expected), "{found:?} should start with {expected:?}");
        }
    }
}

/// Sinks deliver at least once: an identical duplicate line changes nothing.
#[test]
fn a_line_that_came_again_is_noted() {
    let kept = Kept(TempDir::new().unwrap());
    let server = kept.start(CHAINED);
    (0..3).for_each(|_| get(&server));
    server.stop();
    let lines = kept.lines();
    let again = [&lines[..2], &lines[1..]].concat();
    let Some((code, said)) = findings(&again) else { return };
    assert_eq!(code, 0, "{said:#?}");
    assert_eq!(said[0], "note: 1 lines were delivered more than once; they are the same each time");
    let outside = [&lines[..], &["{\"unchained\":\"why\",\"unix_ms\":1}".to_owned()]].concat();
    let (code, said) = findings(&outside).unwrap();
    assert_eq!(code, 1);
    assert!(said[0].starts_with("4: it is not in the chain"), "{said:#?}");
}

/// A sink that accepts nothing: requests are served, lines are kept while there is room, and then the log
/// reports the loss.
#[test]
fn a_broken_sink_costs_no_request_and_is_told_of() {
    let kept = Kept(TempDir::new().unwrap());
    let server = kept.start(
        "    grants: [kv, sinks/full]\n    settings: { sink: full }\n    limits: { time: 20s, wall: 40s, kv-keys: 6 }",
    );
    let end = Instant::now() + SOON;
    while !server.log().contains("lines are lost: the sink takes no more, and kv neither: the plugin has as many keys or bytes as its quota allows") {
        assert!(Instant::now() < end, "{}", server.log());
        get(&server);
    }
}
