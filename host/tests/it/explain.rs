//! `tuffet explain`: the same answer as the server's, and no effect.

use crate::harness::{
    Answer, Peer, Ran, Server, Setup, ack, compiled, error, is_root, rrq, run, skipped, wrq,
};
use crate::policy::{misbehave, probe};
use serde_json::{Value, json};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

const LISTENERS: &str = "listeners: [{ name: lan, address: \"127.0.0.1:0\" }, { name: nat, address: \"127.0.0.1:0\", single-port: true }]\n";

fn explain(file: &str, arguments: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    command.env("CACHE_DIRECTORY", compiled()).args(["explain", "--config", file]).args(arguments);
    run(&mut command)
}

/// Explains in the running server.
pub fn live(server: &Server, arguments: &[&str]) -> Ran {
    let socket = server.outside().0.join("control");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    command.args(["explain", "--live", "--control"]).arg(socket).args(arguments);
    run(&mut command)
}

#[track_caller]
fn parsed(ran: &Ran) -> Value {
    serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

#[track_caller]
fn assert_shows(ran: &Ran, code: i32, parts: &[&str]) {
    let text = String::from_utf8_lossy(&ran.stdout);
    assert_eq!(ran.code(), code, "{ran:?}");
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
}

fn policy() -> String {
    let bad = misbehave();
    format!(
        r#"
policy: {{ authorize: [watching, acl, bad], resolve: [mac-map] }}
plugins:
  watching:
    component: builtin:acl
    mode: monitor
    settings: {{ deny: [{{ names: ["*.cfg"] }}] }}
  acl:
    component: builtin:acl
    settings: {{ deny: [{{ names: ["secret/**"] }}], allow: [{{ names: ["**"], max-blksize: 1400, max-bytes: 5000 }}] }}
  bad: {{ component: "{bad}", settings: {{ do: trap, when: "trap/**" }} }}
  mac-map:
    component: builtin:mac-map
    grants: [client-mac]
    settings: {{ root: boot, rules: [{{ match: "*.cnf.xml", templates: ["phones/{{mac}}.cfg"], fallback: ["default.cfg"] }}] }}
"#
    )
}

fn setup() -> Setup {
    Setup::new()
        .file("phones/02005E100001.CFG", b"x")
        .file("default.cfg", b"default")
        .file("empty", b"")
        .file("large", &[7; 6000])
        .file("there", b"old")
        .yaml(&format!(
            "{LISTENERS}roots: [{{ name: boot, path: root, writable: true }}, {{ name: more, path: more }}]\n{}",
            policy()
        ))
}

/// Every kind of end that a decision has: explained without a server, explained by the server, and served.
#[test]
fn the_explanation_is_what_the_server_does() {
    let setup = setup();
    setup.outside().write("more/only here", b"in the second root");
    std::os::unix::fs::symlink("/etc/hostname", setup.root().path("out")).unwrap();
    let server = setup.start();
    let file = server.outside().path("tuffet.yaml");
    let file = file.to_str().unwrap();
    for (write, name, options) in [
        (false, "SEP02005E100001.cnf.xml", &[][..]),
        (false, "SEP02005E100001.cnf.xml", &[("blksize", "1428"), ("windowsize", "64"), ("tsize", "0")]),
        (false, "only here", &[("tsize", "0"), ("blksize", "9"), ("timeout", "3")]),
        (false, "empty", &[("tsize", "0"), ("windowsize", "70000")]),
        (false, "nowhere/x", &[]),
        (false, "phones/02005e100001.cfg", &[]),
        (false, "phones", &[]),
        (false, "out", &[]),
        (false, "large", &[("tsize", "0")]),
        (false, "secret/x", &[]),
        (false, "trap/x", &[]),
        (false, "../x", &[]),
        (true, "there", &[]),
        (true, "new", &[("tsize", "100"), ("blksize", "1428")]),
        (true, "new", &[("tsize", "1000000")]),
        (true, "missing/new", &[]),
        (true, ".tuffet-x.part", &[]),
    ] {
        let pairs: Vec<String> = options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mut arguments = vec!["--json", name];
        arguments.extend(write.then_some("--write"));
        arguments.extend(pairs.iter().flat_map(|pair| ["--option", pair.as_str()]));
        let mut without = vec!["--user", if is_root() { "root" } else { "nobody" }];
        without.extend(&arguments);
        let (alone, running) = (explain(file, &without), live(&server, &arguments));
        let (alone, running) = (parsed(&alone), parsed(&running));

        let mut peer = Peer::new(server.address());
        peer.ask(&if write { wrq(name, options) } else { rrq(name, options) });
        let answer = peer.receive();
        if !matches!(answer, Answer::Error(..)) {
            peer.send(&error(0, "enough"));
        }
        let path = alone["request"]["path"].as_str().unwrap().to_owned();
        let line = server.outcome(&path);
        for explained in [&alone, &running] {
            let outcome = &explained["outcome"];
            assert_eq!(outcome["decision"], line["decision"], "{name} {options:?} {explained:#} {line:#}");
            assert_eq!(
                (&outcome["resolved"], &outcome["verdict_by"]),
                (&line["resolved"], &line["verdict_by"])
            );
            assert_eq!(explained["request"]["class"], line["class"]);
            match &answer {
                Answer::Error(code, message) => {
                    assert_eq!((&outcome["code"], &outcome["message"]), (&json!(code), &json!(message)));
                    assert_eq!(
                        (&outcome["outcome"], &outcome["detail"]),
                        (&line["outcome"], &line["detail"])
                    );
                }
                _ => {
                    let options = &explained["options"];
                    for key in ["blksize", "windowsize", "tsize"] {
                        assert_eq!(options[key], line[key], "{name} {key}: {explained:#} {line:#}");
                    }
                }
            }
        }
    }
}

#[test]
fn people_read_the_whole_way_of_a_request() {
    let setup = setup();
    setup.outside().write("more/any", b"");
    let server = setup.start();
    let file = server.outside().path("tuffet.yaml");
    let file = file.to_str().unwrap();
    let arguments = ["--client", "192.0.2.7:2070", "--listener", "nat", "--mac", "02-00-5E-10-00-01"];
    let ran = explain(file, &[&arguments[..], &["--user", "root", "any.cnf.xml"]].concat());
    let parts = [
        "read \"any.cnf.xml\" (octet)",
        "from 192.0.2.7:2070 at listener nat",
        "mac        02:00:5e:10:00:01 (neighbour-table)",
        "checked as the user root",
        "limit      limits.per-client.transfers: ",
        "authorize  watching: abstain",
        ", only monitored",
        "authorize  acl: allow (blksize at most 1400, bytes at most 5000), ",
        "resolve    mac-map: files (boot:phones/02005e100001.cfg, boot:default.cfg), ",
        "file       boot:phones/02005e100001.cfg (by mac-map): no such file (ENOENT), ",
        "boot:phones/02005E100001.CFG differs in upper and lower case alone",
        "file       boot:default.cfg (by mac-map): good, ",
        "options    blksize=512 windowsize=1\n",
        "           at most blksize=1400 by policy, windowsize=64 by transfer\n",
        "answered from the listening port (single-port)",
        "outcome    granted: boot:default.cfg, 7 bytes, by mac-map",
    ];
    assert_shows(&ran, 0, &parts);
    let monitored = explain(file, &["--user", "root", "default.cfg"]);
    assert_shows(&monitored, 0, &["authorize  watching: deny (deny rule 1)", "outcome    granted"]);
    let denied = explain(file, &["--user", "root", "secret/x"]);
    assert_shows(&denied, 1, &["acl: deny (deny rule 1)", "bad: not-asked", "mac-map: not-asked", "by acl"]);
    let trapped = explain(file, &["--user", "root", "trap/x"]);
    assert_shows(&trapped, 1, &["bad: deny", "it failed: trap: ", "ERROR 0 \"policy failure\""]);
    // A plugin that allowed a request has not refused it: the files did.
    for (write, name, decides) in [
        (false, "nowhere/x", None),
        (true, "missing/new", None),
        (false, "large", Some("acl")),
        (false, "SEP1.cnf.xml", Some("mac-map")),
    ] {
        let arguments = [&["--user", "root", name][..], if write { &["--write"] } else { &[] }].concat();
        let ran = explain(file, &arguments);
        let text = String::from_utf8_lossy(&ran.stdout).into_owned();
        let outcome = text.lines().find(|line| line.starts_with("outcome")).unwrap();
        let by = outcome.split_once(", by ").map(|(_, by)| by);
        assert_eq!(by, decides, "{name}: {text}");
        assert!(text.contains("acl: allow"), "{text}");
    }
    let hostile = explain(file, &["--user", "root", "\u{1b}[31m\u{202e}x"]);
    assert_shows(&hostile, 1, &["file name holds a control character"]);
    let text = String::from_utf8_lossy(&hostile.stdout);
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
}

/// The plugin sets keys and fills a sink for each request. Explained requests do neither, are stored nowhere, and leave
/// counters and the log alone.
#[test]
fn nothing_that_is_explained_has_an_effect() {
    let component = probe();
    let server = Setup::new()
        .file("there", b"")
        .yaml(&format!(
            r#"{LISTENERS}
roots: [{{ name: boot, path: root, writable: true }}]
state: state
sinks: {{ out: {{ file: out.jsonl }} }}
policy: {{ authorize: [acl], resolve: [probe], observe: [probe] }}
plugins:
  acl: {{ component: builtin:acl, cache: {{ ttl: 1h, key: [path] }}, settings: {{ allow: [{{ names: ["**"] }}] }} }}
  probe:
    component: "{component}"
    grants: [kv, files/boot, sinks/out]
    settings: {{ run: [kv count seen, kv set a 1, "emit out 1"], when: "made", observe: out }}
"#
        ))
        .start();
    // Once in earnest, so that the key is there.
    let in_earnest = Peer::new(server.address()).read_plainly("made");
    assert_eq!(String::from_utf8(in_earnest).unwrap(), "1\n()\n()\n");
    server.outcome("made");
    let metrics = |name: &str| -> Vec<String> {
        let text = server.metrics();
        text.lines().filter(|line| line.starts_with(name)).map(str::to_owned).collect()
    };
    let names = [
        "tuffet_requests",
        "tuffet_plugin_calls_total{plugin=\"acl\"",
        "tuffet_transfers",
        "tuffet_plugin_cache",
    ];
    let before: Vec<_> = names.iter().map(|name| metrics(name)).collect();
    let modified = fs::metadata(server.root().0).unwrap().modified().unwrap();
    let file = server.outside().path("tuffet.yaml");
    for arguments in [&["--json", "made"][..], &["--json", "there"], &["--json", "--write", "new"]] {
        let running = parsed(&live(&server, arguments));
        let alone = parsed(&explain(file.to_str().unwrap(), &[&["--user", "root"], arguments].concat()));
        for explained in [running, alone] {
            assert_eq!(explained["outcome"]["decision"], "granted", "{explained:#}");
        }
    }
    // What it counted stands where the next request counts on.
    let explained = parsed(&live(&server, &["--json", "made"]));
    assert_eq!(explained["outcome"]["size"], "2\n()\n()\n".len(), "{explained:#}");
    assert_eq!(names.iter().map(|name| metrics(name)).collect::<Vec<_>>(), before);
    let again = Peer::new(server.address()).read_plainly("made");
    assert_eq!(String::from_utf8(again).unwrap(), "2\n()\n()\n", "only requests count");
    server.outcome("made");
    assert_eq!(server.root().names(), ["there"]);
    assert_eq!(fs::metadata(server.root().0).unwrap().modified().unwrap(), modified, "nothing was created");
    assert_eq!(server.stop(), [Value::Null; 0], "no request was logged");
    let lines = fs::read_to_string(server.outside().path("out.jsonl")).unwrap();
    let (own, told): (Vec<&str>, Vec<&str>) = lines.lines().partition(|line| *line == "1");
    assert_eq!((own.len(), told.len()), (2, 4), "two requests, a start and an end of each: {lines}");
}

#[test]
fn files_are_judged_by_the_permissions_of_the_server() {
    if !is_root() {
        return skipped("to look as another user needs root");
    }
    let setup = Setup::new().file("closed", b"").file("open", b"").yaml(&format!(
        "{LISTENERS}roots: [{{ name: boot, path: root, writable: true }}]\nprivileges: {{ user: 65534 }}\n"
    ));
    for folder in [setup.outside().0, setup.root().0] {
        fs::set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
    }
    fs::set_permissions(setup.root().path("closed"), Permissions::from_mode(0o600)).unwrap();
    let file = setup.outside().path("tuffet.yaml");
    fs::write(&file, format!("{LISTENERS}roots: [{{ name: boot, path: root, writable: true }}]\nprivileges: {{ user: 65534 }}\n")).unwrap();
    let file = file.to_str().unwrap();
    assert_shows(&explain(file, &["open"]), 0, &["checked as the user nobody", "boot:open: good"]);
    let closed = [
        "boot:closed: the operating system forbids it to the user nobody: Permission denied",
        "logged as failed",
    ];
    assert_shows(&explain(file, &["closed"]), 1, &closed);
    assert_shows(
        &explain(file, &["--write", "new"]),
        1,
        &[
            "boot:new: the operating system forbids it to the user nobody: Permission",
            "lacks the right `w` on the folder",
        ],
    );
    assert_shows(&explain(file, &["--user", "root", "closed"]), 0, &["checked as the user root"]);
    assert_eq!(setup.root().names(), ["closed", "open"]);
}

#[test]
fn the_longest_request_can_be_explained_by_the_running_server() {
    let server = Setup::new().start();
    // Each byte takes six in the question.
    let option = format!("x={}", "\u{1}".repeat(1800));
    let explained = live(&server, &["--json", "--option", &option, "none"]);
    assert_eq!(parsed(&explained)["outcome"]["outcome"], "not-found", "{explained:?}");
}

#[test]
fn the_running_server_knows_what_is_taken() {
    let server = Setup::new()
        .file("long", &[1; 5000])
        .rest_of_yaml("limits: { per-client: { transfers: 1 } }\n")
        .start();
    let client = server.address().ip().to_string();
    let free = live(&server, &["--client", &client, "long"]);
    assert_shows(
        &free,
        0,
        &["running, generation 1", "limits.per-client.transfers: 0 of 1 taken", "granted"],
    );
    let mut peer = Peer::from(server.address().ip(), server.address());
    peer.ask(&rrq("long", &[]));
    assert!(matches!(peer.receive(), Answer::Data(1, _)));
    peer.send(&ack(1));
    assert!(matches!(peer.receive(), Answer::Data(2, _)));
    let taken = live(&server, &["--client", &client, "long"]);
    assert_shows(
        &taken,
        1,
        &[
            "limits.per-client.transfers: 1 of 1 taken; REACHED: the request would be dropped",
            "outcome    dropped",
            "not admitted, because a limit is reached: limits.per-client.transfers",
        ],
    );
    assert_shows(&live(&server, &["--client", "192.0.2.9", "long"]), 0, &["0 of 1 taken"]);
}

#[test]
fn what_cannot_be_explained_says_why() {
    let setup = Setup::new();
    let file = setup.outside().path("tuffet.yaml");
    fs::write(&file, format!("{LISTENERS}roots: [{{ name: boot, path: root }}]\n")).unwrap();
    let file = file.to_str().unwrap();
    explain(file, &["--listener", "lam", "x"]).assert_fails(64, &["no such listener", "`lan`, `nat`"]);
    explain(file, &["--mac", "02:00", "x"]).assert_fails(64, &["02:00:5e:10:00:01"]);
    explain(file, &["--client", "host", "x"]).assert_fails(64, &["192.0.2.7"]);
    explain(file, &["--option", "blksize", "x"]).assert_fails(64, &["blksize=1428"]);
    explain(file, &[&"x".repeat(2100)]).assert_fails(64, &["more than 2048 bytes"]);
    explain("/no/such/file.yaml", &["x"]).assert_fails(64, &["/no/such/file.yaml"]);
    fs::remove_dir(setup.root().0).unwrap();
    // A server waits for its folder.
    let ran = explain(file, &["x"]);
    assert_eq!(ran.code(), 1, "{}", ran.stderr);
    let text = String::from_utf8_lossy(&ran.stdout);
    assert!(text.contains("the folder of the root boot does not exist yet"), "{text}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    run(command.args(["explain", "--live", "--control", "/no/such/socket", "x"]))
        .assert_fails(69, &["no server answers"]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    run(command.args(["explain", "x"])).assert_fails(64, &["--config FILE", "--live"]);
}

#[test]
fn the_rules_for_versions_folders_and_quotas() {
    let rules = "versions: { keep: 3 }, folders: { depth: 1 }, quota: { files: 3, per-folder: { files: 2 } }";
    let root = format!("{{ name: in, path: root, writable: true, overwrite: true, write: {{ {rules} }} }}");
    let server = Setup::new().file("a", b"old").yaml(&format!("roots: [{root}]")).start();
    server.logged("counted the contents of a root");
    assert_shows(&live(&server, &["--write", "b/new"]), 0, &["in:b/new"]);
    assert_shows(&live(&server, &["--write", "a.~1~"]), 1, &["`versions`"]);
    assert_shows(&live(&server, &["--write", "b/c/new"]), 1, &["`folders.depth`"]);
    server.root().write("b", b"an operator's");
    assert_eq!(server.root().names(), ["a", "b"], "an explanation makes no folder");
    for (name, refused, key) in [
        (
            "c",
            "d",
            "the files beside the folders in root `in` is exhausted: 2 files are allowed (`quota.per-folder.files`)",
        ),
        ("x/c", "y/d", "root `in` is exhausted: 3 files are allowed (`quota.files`)"),
    ] {
        let mut peer = Peer::new(server.address());
        peer.ask(&wrq(name, &[]));
        peer.expect(Answer::Ack(0));
        peer.write_on(b"new", 512);
        assert_shows(&live(&server, &["--write", refused]), 1, &[key]);
    }
}
