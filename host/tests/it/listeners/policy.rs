//! Roots and chains of a listener: each has its own, and a plugin is loaded once.

use crate::harness::{Answer, Peer, Ran, Server, Setup, check_in, data, own_loopback, rrq, run, wrq};
use crate::policy::probe;
use serde_json::Value;
use std::process::Command;

/// Two listeners, `lan` and `lab`, with more keys each.
fn listeners(lan: &str, lab: &str) -> String {
    let (one, other) = (own_loopback(), own_loopback());
    format!(
        "listeners:\n- {{ name: lan, address: \"{one}:0\"{lan} }}\n- {{ name: lab, address: \"{other}:0\"{lab} }}\n"
    )
}

const ROOTS: &str = "roots:\n\
    - { name: boot, path: root, writable: true }\n\
    - { name: lab, path: lab, writable: true }\n\
    - { name: keys, path: keys, private: true }\n";

fn setup() -> Setup {
    let setup = Setup::new().file("both", b"of boot").file("only-boot", b"boot").file("secret", b"s");
    for (name, content) in [("lab/both", "of lab"), ("lab/only-lab", "lab"), ("keys/key", "k")] {
        setup.outside().write(name, content.as_bytes());
    }
    setup
}

/// What a listener answers to a read: the content, or the code of the ERROR.
fn read(server: &Server, listener: usize, name: &str) -> Result<String, u16> {
    let mut peer = Peer::new(server.addresses()[listener]);
    peer.ask(&rrq(name, &[]));
    match peer.receive() {
        Answer::Data(1, content) => Ok(String::from_utf8(content).unwrap()),
        Answer::Error(code, _) => Err(code),
        other => panic!("{other:?}"),
    }
}

/// Uploads a block; the code of the ERROR if it is refused.
fn upload(server: &Server, listener: usize, name: &str) -> Option<u16> {
    let mut peer = Peer::new(server.addresses()[listener]);
    peer.ask(&wrq(name, &[]));
    let answer = peer.receive();
    if answer == Answer::Ack(0) {
        peer.send(&data(1, b"new"));
        return match peer.receive() {
            Answer::Ack(1) => None,
            Answer::Error(code, _) => Some(code),
            other => panic!("{other:?}"),
        };
    }
    let Answer::Error(code, _) = answer else { panic!("{answer:?}") };
    Some(code)
}

fn explain(server: &Server, listener: &str, name: &str) -> Ran {
    let socket = server.outside().0.join("control");
    let mut explain = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    explain.args(["explain", "--live", "--control"]).arg(socket).args(["--listener", listener, name]);
    run(&mut explain)
}

/// Where the stored spelling is looked up before policy, only the roots of the listener are looked at.
#[test]
fn a_listener_serves_its_roots_alone_in_any_case_and_under_any_prefix() {
    let roots =
        ROOTS.replace("writable: true }", "writable: true, case: insensitive, also-at: [/tftpboot] }");
    let server = setup().whole_yaml(2, &format!("{}{roots}", listeners("", ", roots: [lab]"))).start();
    for name in ["ONLY-BOOT", "/tftpboot/ONLY-BOOT"] {
        assert_eq!(read(&server, 0, name), Ok("boot".into()), "{name}");
        assert_eq!(read(&server, 1, name), Err(1), "{name}");
    }
    for name in ["BOTH", "/tftpboot/BOTH"] {
        assert_eq!(read(&server, 0, name), Ok("of boot".into()), "{name}");
        assert_eq!(read(&server, 1, name), Ok("of lab".into()), "{name}");
    }
    assert_eq!(upload(&server, 1, "/tftpboot/NEW"), None);
    assert!(server.outside().0.join("lab/NEW").exists());
}

#[test]
fn a_listener_serves_its_roots_alone() {
    let yaml = format!("{}{ROOTS}", listeners(", roots: [boot]", ", roots: [lab]"));
    let server = setup().whole_yaml(2, &yaml).start();
    assert_eq!(
        [read(&server, 0, "both"), read(&server, 1, "both")],
        [Ok("of boot".into()), Ok("of lab".into())]
    );
    assert_eq!([read(&server, 0, "only-lab"), read(&server, 1, "only-boot")], [Err(1), Err(1)]);
    assert_eq!([read(&server, 0, "key"), read(&server, 1, "key")], [Err(1), Err(1)], "private stays private");
    assert_eq!([upload(&server, 0, "up"), upload(&server, 1, "up")], [None, None]);
    assert_eq!(server.root().read("up"), server.outside().read("lab/up"));
    let text = String::from_utf8(explain(&server, "lab", "only-boot").stdout).unwrap();
    assert!(
        text.contains("file       lab:only-boot: no such file") && !text.contains("boot:only-boot:"),
        "{text}"
    );

    // A reload changes roots, and refuses what does not exist.
    server.rewrite(&yaml.replace("roots: [lab]", "roots: [lab, boot]"));
    server.ask("reload").assert_good();
    assert_eq!(read(&server, 1, "both"), Ok("of boot".into()), "in the order of the section `roots`");
    assert_eq!(read(&server, 1, "only-lab"), Ok("lab".into()));
    server.rewrite(&yaml.replace("roots: [lab]", "roots: [labs]"));
    server.ask("reload").assert_fails(1, &["unknown root `labs`; did you mean `lab`?"]);
}

fn policed(lan: &str, lab: &str) -> String {
    let component = probe();
    format!(
        r#"{}{ROOTS}state: state
sinks: {{ out: {{ file: out.jsonl }} }}
policy: {{ authorize: [no-secrets], time-limit: 40s }}
plugins:
  no-secrets: {{ component: builtin:acl, settings: {{ deny: [{{ names: ["secret"] }}] }} }}
  readers: {{ component: builtin:acl, settings: {{ deny: [{{ operations: [write] }}] }} }}
  map:
    component: builtin:mac-map
    settings: {{ root: boot, rules: [{{ match: "*.cfg", templates: ["{{mac}}.cfg"], fallback: ["only-boot"] }}] }}
    grants: [client-mac]
  gate:
    component: "{component}"
    grants: [kv, files/boot, sinks/out]
    limits: {{ time: 20s, wall: 40s }}
    settings: {{ upload: deny, observe: out }}
"#,
        listeners(lan, lab)
    )
}

#[test]
fn each_listener_has_its_chains() {
    let lab = ", roots: [lab, boot], policy: { authorize: [readers], resolve: [map] }";
    let lan = ", policy: { accept-upload: [gate], observe: [gate] }";
    let server = setup().whole_yaml(2, &policed(lan, lab)).start();
    assert_eq!(read(&server, 0, "secret"), Err(2), "the chain of `policy`");
    assert_eq!(read(&server, 1, "secret"), Ok("s".into()), "another one");
    assert_eq!([read(&server, 0, "x.cfg"), read(&server, 1, "x.cfg")], [Err(1), Ok("boot".into())]);
    assert_eq!(upload(&server, 1, "up"), Some(2), "no uploads in the lab");
    assert_eq!(upload(&server, 0, "up"), Some(2), "the gate denies it once it is complete");
    let plugins = server.status()["plugins"].as_array().unwrap().len();
    assert_eq!(plugins, 4, "each is loaded once");
    for (listener, calls) in [
        ("lan", &["authorize  no-secrets: ", "accept-upload gate: "][..]),
        ("lab", &["authorize  readers: ", "resolve    map: "]),
    ] {
        let text = String::from_utf8(explain(&server, listener, "y.cfg").stdout).unwrap();
        let shown = |call: &str| text.contains(call);
        for all in
            ["authorize  no-secrets: ", "accept-upload gate: ", "authorize  readers: ", "resolve    map: "]
        {
            assert_eq!(shown(all), calls.contains(&all), "{listener}: {all}\n{text}");
        }
    }
    // The observer of one listener hears nothing of the other.
    server.stop();
    let seen = std::fs::read_to_string(server.outside().path("out.jsonl")).unwrap();
    let events = seen.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let paths: Vec<Value> =
        events.filter(|event| event["finished"].is_string()).map(|event| event["path"].clone()).collect();
    assert_eq!(paths, ["secret", "x.cfg", "up"], "what was asked of `lan`");
}

/// A plugin cannot lead the clients of a listener to a root that this does not serve.
#[test]
fn no_plugin_answers_with_a_root_of_another_listener() {
    let unused = ", policy: { authorize: [no-secrets, readers], accept-upload: [gate] }";
    let lab = ", roots: [lab], policy: { resolve: [map] }";
    let server = setup().whole_yaml(2, &policed(unused, lab)).start();
    assert_eq!(read(&server, 1, "x.cfg"), Err(1));
    let line = server.outcome("x.cfg");
    assert_eq!((&line["outcome"], &line["listener"]), (&"not-found".into(), &"lab".into()), "{line:#}");
}

#[test]
fn a_chain_with_an_unknown_plugin_is_an_error_at_its_place() {
    let setup = setup();
    let yaml = policed("", ", policy: { authorize: [readrs], resolve: [map], accept-upload: [gate] }");
    check_in(&setup.outside(), &yaml)
        .assert_fails(64, &[":3:", "unknown plugin `readrs`; did you mean `readers`?"]);
    // A plugin without the hook of a chain.
    let yaml =
        policed("", ", policy: { authorize: [readers], resolve: [map, readers], accept-upload: [gate] }");
    check_in(&setup.outside(), &yaml)
        .assert_fails(64, &[":3:", "readers", "does not have the hook `resolve`"]);
}
