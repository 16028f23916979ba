//! The hook `accept-upload`: a complete upload is accepted, renamed or denied before it becomes visible.

use super::probe;
use crate::harness::{Answer, Client, Options, Peer, Server, Setup, assert_ended, assert_moved, bytes};
use crate::harness::{data, wrq};

/// Starts a server whose plugins give these answers, in order.
fn server(answers: &[&str]) -> Server {
    let component = probe();
    let names: Vec<String> = (0..answers.len()).map(|number| format!("p{number}")).collect();
    let plugins: String = names
        .iter()
        .zip(answers)
        .map(|(name, answer)| {
            format!(
                "  {name}:\n    component: \"{component}\"\n    grants: [kv, files/in, sinks/out]\n    limits: {{ \
                 time: 20s, wall: 40s }}\n    settings: {{ upload: {answer} }}\n"
            )
        })
        .collect();
    Setup::new()
        .file("there", b"old")
        .file("kept/.keep", b"")
        .yaml(&format!(
            "roots: [{{ name: in, path: root, writable: true }}]\nstate: state\nsinks: {{ out: {{ file: out.jsonl }} \
             }}\npolicy: {{ accept-upload: [{}], time-limit: 40s }}\nplugins:\n{plugins}",
            names.join(", ")
        ))
        .start()
}

/// Writes `ab` and returns the last answer.
fn put(server: &Server, name: &str) -> Answer {
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq(name, &[]));
    peer.expect(Answer::Ack(0));
    peer.send(&data(1, b"ab"));
    peer.receive()
}

#[test]
fn uploads_get_the_next_free_name() {
    let server = server(&["free kept/up"]);
    for name in ["kept/up", "kept/up.1", "kept/up.2"] {
        assert_eq!(put(&server, "up"), Answer::Ack(1));
        let line = server.outcome("up");
        assert_eq!((&line["outcome"], &line["resolved"]), (&"stored".into(), &format!("in:{name}").into()));
        assert_eq!(server.root().read(name), b"ab");
    }
    assert!(!server.root().has("up"));
}

#[test]
fn accepted_and_abstained() {
    for (answer, by) in [("accept", serde_json::json!("p0")), ("abstain", serde_json::Value::Null)] {
        let server = server(&[answer]);
        for client in Client::installed() {
            let name = client.to_string().replace(' ', "-");
            client.put(server.address(), &name, &bytes(3000), Options::default());
            assert!(server.root().read(&name) == bytes(3000));
            let line = server.outcome(&name);
            assert_moved(&line, "stored", 3000, 512, 1);
            assert_eq!((&line["verdict_by"], &line["plugin_calls"]), (&by, &1.into()));
        }
    }
}

/// The denial replaces the last ACK; nothing remains.
#[test]
fn denied() {
    let server = server(&["accept", "deny"]);
    assert_eq!(put(&server, "up"), Answer::Error(2, "not this one".into()));
    let line = server.outcome("up");
    assert_ended(&line, "denied", "2 of 127.");
    assert_ended(&line, "denied", "for in:up");
    assert_eq!((&line["verdict_by"], &line["plugin_calls"]), (&"p1".into(), &2.into()));
    assert_eq!(server.root().names(), ["kept", "there"]);
}

/// By the digest of the content, into another folder of the same root.
#[test]
fn renamed() {
    let server = server(&["\"rename kept/{sha256}-{bytes}\"", "rename other"]);
    assert_eq!(put(&server, "up"), Answer::Ack(1));
    let digest = "fb8e20fc2e4c3f248c60c39bd652f3c1347298bb977b8b4d5903b85055620603";
    let line = server.outcome("up");
    assert_moved(&line, "stored", 2, 512, 1);
    assert_eq!(
        (&line["resolved"], &line["verdict_by"]),
        (&format!("in:kept/{digest}-2").into(), &"p0".into())
    );
    assert_eq!(server.root().read(&format!("kept/{digest}-2")), b"ab");
    assert_eq!(server.root().names(), ["kept", "there"]);
}

#[test]
fn a_rename_stays_within_the_rules_of_its_root() {
    for (path, answer, outcome, detail) in [
        ("there", Answer::Error(6, "file exists".into()), "denied", "`overwrite: false`"),
        ("missing/x", Answer::Error(1, "folder not found".into()), "not-found", "no such folder"),
        (".tuffet-x.part", Answer::Error(2, "access denied".into()), "denied", "unfinished uploads"),
        ("../out", Answer::Error(0, "policy failure".into()), "denied", "not a plain path"),
        ("/etc/x", Answer::Error(0, "policy failure".into()), "denied", "not a plain path"),
    ] {
        let server = server(&[&format!("\"rename {path}\"")]);
        assert_eq!(put(&server, "up"), answer, "{path}");
        assert_ended(&server.outcome("up"), outcome, detail);
        assert_eq!(server.root().names(), ["kept", "there"]);
        assert_eq!(server.root().read("there"), b"old");
        assert!(!server.outside().has("out"));
    }
}

#[test]
fn a_link_that_leads_out_is_not_followed() {
    let server = server(&["rename way/x"]);
    std::os::unix::fs::symlink("..", server.root().path("way")).unwrap();
    assert_eq!(put(&server, "up"), Answer::Error(2, "access denied".into()));
    assert_ended(&server.outcome("up"), "denied", "out of its root");
    assert!(!server.outside().has("x"));
}

/// A failing plugin denies (`on-error`), and the content is removed.
#[test]
fn a_failure_denies() {
    let server = server(&["trap"]);
    assert_eq!(put(&server, "up"), Answer::Error(0, "policy failure".into()));
    assert_ended(&server.outcome("up"), "denied", "failed in accept-upload: trap");
    assert_eq!(server.root().names(), ["kept", "there"]);
}

/// Starts a server whose plugin runs these commands for each upload and answers with their results.
fn reader(grants: &str, settings: &str) -> Server {
    let component = probe();
    Setup::new()
        .file("kept/.keep", b"")
        .yaml(&format!(
            "roots: [{{ name: in, path: root, writable: true }}]\nstate: state\nsinks: {{ out: {{ file: out.jsonl }} \
             }}\npolicy: {{ accept-upload: [p], resolve: [p], time-limit: 40s }}\nplugins:\n  p:\n    component: \
             \"{component}\"\n    grants: [kv, files/in, sinks/out{grants}]\n    limits: {{ time: 20s, wall: 40s, \
             memory: 64MiB }}\n    settings: {{ upload: run, when: any, {settings} }}\n"
        ))
        .start()
}

#[test]
fn the_content_is_read_before_it_is_visible() {
    let run = r#"run: [upload 0 2, upload 1 9, upload 2 1, upload 9 9, upload 0 0]"#;
    let server = reader(", upload", run);
    assert_eq!(put(&server, "up"), Answer::Error(2, "ran".into()));
    let line = server.outcome("up");
    assert_ended(&line, "denied", r#""ab""#);
    let detail = line["detail"].as_str().unwrap().replace(['\\', '\n'], " ");
    let said: Vec<&str> = detail.split_whitespace().filter(|word| word.starts_with('"')).collect();
    assert_eq!(said, [r#""ab""#, r#""b""#, r#""""#, r#""""#, r#""""#], "{detail}");
    assert_eq!(server.root().names(), ["kept"]);
}

#[test]
fn only_the_grant_lets_a_plugin_read_and_only_in_this_hook() {
    let server = reader("", "run: [upload 0 2]");
    assert_eq!(put(&server, "up"), Answer::Error(2, "ran".into()));
    assert_ended(&server.outcome("up"), "denied", "the grant `upload` is not given");
    // An instance that has read an upload does not have it in its next call.
    let server = reader(", upload", "run: [upload 0 2] }\n    reuse: { calls: 10, idle: 10s");
    assert_eq!(put(&server, "up"), Answer::Error(2, "ran".into()));
    assert_ended(&server.outcome("up"), "denied", r#""ab""#);
    let said = Client::Tuffet.get(server.address(), "any", Options::default());
    let said = String::from_utf8(said).unwrap();
    assert!(said.contains("there is an upload only in `accept-upload`"), "{said}");
}

/// 8 MiB in all, whatever the size of a piece; and no more than the plugin has memory for.
#[test]
fn what_is_read_is_bounded() {
    let content = bytes((8 << 20) + 10);
    for (run, expected) in [
        ("[upload all 1048576 8388608]", "8388608"),
        ("[upload all 1048576 8388609]", "8388608 and too-large: "),
        ("[upload 0 8388609]", "in one call of a hook: 8388608 are left"),
    ] {
        let server = reader(", upload", &format!("run: {run}"));
        let mut peer = Peer::new(server.address());
        peer.ask(&wrq("large", &[("blksize", "8192")]));
        peer.expect(Answer::Oack("blksize=8192".into()));
        let mut blocks: Vec<(u16, &[u8])> = (1..).zip(content.chunks(8192)).collect();
        let (last, payload) = blocks.pop().unwrap();
        peer.write_rest(blocks.into_iter());
        peer.send(&data(last, payload));
        let line = server.outcome("large");
        assert_ended(&line, "denied", expected);
    }
}
