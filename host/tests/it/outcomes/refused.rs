//! What is not granted, or not to the end: rows 12 to 27, 43, 44 and 49.

use super::assert_facts;
use crate::harness::{Answer, Peer, Server, Setup, ack, assert_ended, bytes, data, rrq, wrq};
use crate::policy::{misbehave, probe};
use serde_json::Value;
use std::fs::Permissions;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};

/// Starts a server with plugins that do what their names say, each for the paths below its name.
fn judged() -> Server {
    let (bad, probe) = (misbehave(), probe());
    Setup::new()
        .file("a", b"content")
        .sizes(&[5000])
        .yaml(&format!(
            r#"
roots: [{{ name: root, path: root, writable: true }}]
state: state
sinks: {{ out: {{ file: out.jsonl }} }}
policy: {{ authorize: [denies, drops, traps, hides], resolve: [maps], accept-upload: [gate] }}
plugins:
  denies: {{ component: "{bad}", settings: {{ do: deny, when: "denies/**" }} }}
  drops: {{ component: "{bad}", settings: {{ do: drop, when: "drops/**" }} }}
  traps: {{ component: "{bad}", settings: {{ do: trap, when: "traps/**" }} }}
  hides: {{ component: "{bad}", settings: {{ do: deny-at-length, when: "hides/**" }} }}
  maps:
    component: builtin:mac-map
    grants: [client-mac]
    settings: {{ root: root, sources: [requested-name], rules: [{{ match: "maps/*", fallback: [nowhere] }}] }}
  gate: {{ component: "{probe}", grants: [kv, files/root, sinks/out], settings: {{ upload: deny }} }}
"#
        ))
        .start()
}

fn asked(server: &Server, request: &[u8]) -> Answer {
    let mut peer = Peer::new(server.address());
    peer.ask(request);
    peer.receive()
}

/// Asserts that a request gets this ERROR; returns its outcome.
#[track_caller]
fn refused(server: &Server, request: &[u8], path: &str, code: u16, outcome: &str) -> Value {
    let answer = asked(server, request);
    assert!(matches!(answer, Answer::Error(got, _) if got == code), "{answer:?}");
    let line = server.outcome(path);
    assert_facts(&line, outcome, "refused", 0, 0);
    line
}

#[test]
fn r12_policy_denies() {
    let server = judged();
    let line = refused(&server, &rrq("denies/a", &[("tsize", "0")]), "denies/a", 2, "denied");
    assert_eq!((&line["verdict_by"], &line["detail"]), (&"denies".into(), &"macs: []".into()));
    assert_eq!((&line["plugin_calls"], &line["resolved"]), (&1.into(), &Value::Null));
    assert_eq!(server.stop(), [] as [Value; 0]);
}

#[test]
fn r13_policy_drops() {
    let server = judged();
    let peer = &mut Peer::new(server.address());
    peer.ask(&rrq("drops/a", &[]));
    let line = server.outcome("drops/a");
    assert_facts(&line, "denied", "dropped", 0, 0);
    assert_eq!((&line["verdict_by"], &line["plugin_calls"]), (&"drops".into(), &2.into()));
    server.stop();
    assert_eq!(peer.receive_within(std::time::Duration::from_millis(1)), None);
}

#[test]
fn r14_a_plugin_fails() {
    let server = judged();
    let line = refused(&server, &rrq("traps/a", &[]), "traps/a", 0, "denied");
    assert_ended(&line, "denied", "plugin traps failed in authorize: trap");
    assert_eq!(line["verdict_by"], "traps");
}

#[test]
fn r15_the_default_denies() {
    let server = Setup::new().file("a", b"content").rest_of_yaml("policy: { default: deny }\n").start();
    let line = refused(&server, &rrq("a", &[]), "a", 2, "denied");
    assert_eq!((&line["verdict_by"], &line["plugin_calls"]), (&Value::Null, &0.into()));
}

#[test]
fn r16_an_upload_is_not_accepted() {
    let server = judged();
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("up", &[]));
    peer.expect(Answer::Ack(0));
    peer.send(&data(1, &bytes(512)));
    peer.expect(Answer::Ack(1));
    peer.send(&data(2, b"end"));
    assert_eq!(peer.expect_error(2), "not this one");
    let line = server.outcome("up");
    assert_facts(&line, "denied", "granted", 515, 2);
    assert_eq!((&line["verdict_by"], &line["resolved"]), (&"gate".into(), &"root:up".into()));
    assert_ended(&line, "denied", "515 of 127.0.0.1 for root:up");
    assert_eq!(server.stop(), [] as [Value; 0]);
    assert!(!server.root().has("up"));
}

#[test]
fn r17_refused_names() {
    let server = Setup::new().start();
    let long = "x".repeat(2_000);
    for (name, said) in
        [("../a", "`..`"), ("C:\\a", "drive letter"), ("a\nb", "control"), (&long, "too long")]
    {
        let answer = asked(&server, &rrq(name, &[]));
        assert!(matches!(answer, Answer::Error(2, _)), "{name:?}: {answer:?}");
        let line = server.any_outcome();
        assert_facts(&line, "denied", "refused", 0, 0);
        assert_ended(&line, "denied", said);
    }
}

#[test]
fn r18_no_root_is_writable() {
    let server = Setup::new().start();
    let line = refused(&server, &wrq("up", &[]), "up", 2, "denied");
    assert_ended(&line, "denied", "no writable root");
    assert_eq!(line["operation"], "write");
}

/// Starts a server with a root for uploads of at most 1000 bytes that replaces nothing.
fn narrow() -> Server {
    let root = "roots: [{ name: root, path: root, writable: true, overwrite: false, max-upload: 1000 }]\n";
    Setup::new().file("there", b"old").yaml(root).start()
}

#[test]
fn r19_the_file_exists() {
    let line = refused(&narrow(), &wrq("there", &[]), "there", 6, "denied");
    assert_ended(&line, "denied", "overwrite: false");
}

#[test]
fn r20_no_regular_file() {
    let setup = Setup::new();
    std::fs::create_dir(setup.root().path("folder")).unwrap();
    let line = refused(&setup.start(), &rrq("folder", &[]), "folder", 2, "denied");
    assert_ended(&line, "denied", "not a regular file but a folder");
}

#[test]
fn r43_what_an_upload_may_not_replace() {
    let setup = Setup::new().file("kept", b"old");
    let kept = setup.root().path("kept");
    std::fs::set_permissions(&kept, Permissions::from_mode(0o444)).unwrap();
    symlink("kept", setup.root().path("link")).unwrap();
    let server = setup.yaml("roots: [{ name: root, path: root, writable: true, overwrite: true }]\n").start();
    for (name, said) in
        [("kept", "this user may not write it: Permission denied"), ("link", "`links: refuse`")]
    {
        let line = refused(&server, &wrq(name, &[]), name, 2, "denied");
        assert_ended(&line, "denied", said);
    }
    assert_eq!(server.root().read("kept"), b"old");
}

#[test]
fn r21_an_upload_announces_too_much() {
    let line = refused(&narrow(), &wrq("up", &[("tsize", "1001")]), "up", 3, "denied");
    assert_ended(&line, "denied", "limit of 1000 bytes");
    assert_eq!(line["asked"], "tsize=1001");
}

#[test]
fn r22_an_upload_becomes_too_large() {
    let server = narrow();
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("up", &[]));
    peer.expect(Answer::Ack(0));
    peer.send(&data(1, &[1; 512]));
    peer.expect(Answer::Ack(1));
    peer.send(&data(2, &[1; 512]));
    peer.expect_error(3);
    let line = server.outcome("up");
    // The block that exceeded the limit has arrived, too.
    assert_facts(&line, "denied", "granted", 1024, 2);
    assert_ended(&line, "denied", "limit of 1000 bytes");
    server.stop();
    assert_eq!(server.root().names(), ["there"]);
}

#[test]
fn r23_a_file_larger_than_policy_allows() {
    let server = Setup::new()
        .sizes(&[5000])
        .rest_of_yaml(
            "policy: { authorize: [acl] }\nplugins: { acl: { component: \"builtin:acl\", settings: { allow: [{ \
             max-bytes: 4999 }] } } }\n",
        )
        .start();
    let line = refused(&server, &rrq("5000", &[]), "5000", 2, "denied");
    assert_ended(&line, "denied", "the file has 5000 bytes and policy allows 4999");
    assert_eq!(line["verdict_by"], "acl");
}

#[test]
fn r24_a_link_leads_out() {
    let setup = Setup::new();
    setup.outside().write("secret", b"x");
    symlink("../secret", setup.root().path("link")).unwrap();
    let line = refused(&setup.start(), &rrq("link", &[]), "link", 2, "denied");
    assert_ended(&line, "denied", "out of its root");
}

#[test]
fn r25_no_such_file() {
    let server = Setup::new().file("a", b"content").writable().start();
    for (request, path) in [
        (rrq("missing", &[]), "missing"),
        (rrq("no/such/folder", &[("tsize", "0")]), "no/such/folder"),
        (rrq("a/below", &[]), "a/below"),
        (wrq("no/such/folder", &[]), "no/such/folder"),
    ] {
        let line = refused(&server, &request, path, 1, "not-found");
        assert_eq!((&line["resolved"], &line["verdict_by"]), (&Value::Null, &Value::Null));
    }
}

#[test]
fn r26_policy_denies_with_error_1() {
    let server = judged();
    let line = refused(&server, &rrq("hides/a", &[]), "hides/a", 1, "not-found");
    assert_eq!(line["verdict_by"], "hides");
}

#[test]
fn r27_none_of_the_files_exists() {
    let server = judged();
    let line = refused(&server, &rrq("maps/a", &[]), "maps/a", 1, "not-found");
    assert_eq!((&line["verdict_by"], &line["plugin_calls"]), (&"maps".into(), &5.into()));
    // The plugins abstain and leave it to the configuration.
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("a", &[]));
    peer.expect(Answer::Data(1, b"content".to_vec()));
    peer.send(&ack(1));
    let line = server.outcome("a");
    assert_facts(&line, "served", "granted", 7, 1);
    assert_eq!((&line["verdict_by"], &line["plugin_calls"]), (&Value::Null, &5.into()));
}

#[test]
fn r44_a_plugin_is_overloaded() {
    let bad = misbehave();
    let server = Setup::new()
        .file("sleeps", b"content")
        .rest_of_yaml(&format!(
            "policy: {{ authorize: [sleeps] }}\nplugins: {{ sleeps: {{ component: \"{bad}\", limits: {{ instances: 1, queue: \
             0 }}, settings: {{ do: sleep }} }} }}\n"
        ))
        .start();
    let mut peers = [(); 2].map(|()| Peer::new(server.address()));
    peers.iter_mut().for_each(|peer| peer.ask(&rrq("sleeps", &[])));
    let line = server.outcome("sleeps");
    assert_facts(&line, "failed", "dropped", 0, 0);
    assert_ended(&line, "failed", "plugin sleeps is overloaded in authorize: ");
    // The other one had the instance, and slept.
    assert_facts(&server.outcome("sleeps"), "denied", "refused", 0, 0);
}

/// More uploads than the gate can judge meanwhile: each call takes the whole time of an attempt.
#[test]
fn r49_a_plugin_stays_overloaded_while_uploads_wait() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("127.0.0.1:{}", listener.local_addr().unwrap().port());
    let probe = probe();
    let server = Setup::new()
        .yaml(&format!(
            "roots: [{{ name: root, path: root, writable: true }}]\nstate: state\nsinks: {{ out: {{ file: out.jsonl }} \
             }}\npolicy: {{ accept-upload: [gate], time-limit: 200ms }}\nplugins:\n  gate:\n    component: \"{probe}\"\n    \
             grants: [kv, files/root, sinks/out, \"http/{url}\"]\n    limits: {{ instances: 1, queue: 0, wall: 1m }}\n    \
             settings: {{ upload: run, run: [\"get http://{url}/\"] }}\n"
        ))
        .start();
    let names: Vec<String> = (0..40).map(|number| format!("up-{number}")).collect();
    let begin = |name: &String| {
        let mut peer = Peer::new(server.address());
        peer.ask(&wrq(name, &[]));
        peer.expect(Answer::Ack(0));
        peer.send(&data(1, b"content"));
        peer
    };
    for mut peer in names.iter().map(begin).collect::<Vec<_>>() {
        assert_eq!(peer.expect_error(0), "policy failure");
    }
    let lines: Vec<Value> = names.iter().map(|name| server.outcome(name)).collect();
    let line = lines.iter().find(|line| line["outcome"] == "failed").expect("some got no turn");
    assert_facts(line, "failed", "granted", 7, 1);
    assert_ended(line, "failed", "plugin gate is overloaded in accept-upload: ");
    assert_ended(line, "failed", ", 10 times");
    assert_eq!(line["verdict_by"], "gate");
    assert_eq!(server.stop(), [] as [Value; 0]);
    assert_eq!(server.root().names(), [] as [&str; 0]);
}
