//! Secrets of a configuration never appear: not in the log at its most verbose level, not in displays or
//! exports, not in an error.

use crate::harness::{
    Endpoint, HttpAnswer, Peer, SOON, Setup, check_file, compiled, http, is_root, rrq, run,
};
use crate::policy::probe;
use std::net::TcpListener;
use std::process::Command;
use std::time::{Duration, Instant};

/// A part of each secret.
const HUSH: &str = "hush";

/// Everything except the compiler of plugins: it knows no secret, and logs millions of lines.
const LOG: &str = "--log=trace,cranelift_codegen=off,cranelift_frontend=off,regalloc2=off,wasmtime=off,\
                   wasmtime_environ=off,wasmtime_internal_cranelift=off";

/// Returns a configuration with secrets from the environment and from files; every sink, the admin listener,
/// telemetry.
fn yaml(http: &str, otlp: &str, collector: &str, nats: &str) -> String {
    format!(
        r#"
roots: [{{ name: boot, path: root }}]
admin: {{ address: "127.0.0.1:0", token: {{ file: secrets/token }} }}
telemetry:
  endpoint: {collector}
  headers: {{ authorization: "Bearer ${{S_TELEMETRY}}", x-plain: "${{S_PLAIN}}" }}
  timeout: 1s
  metrics: {{ interval: 1s }}
  traces: {{ sample: 1.0 }}
sinks:
  http: {{ http: {{ url: "{http}", headers: {{ authorization: "${{S_HTTP}}", x-site: {{ file: secrets/site }} }}, timeout: 1s }} }}
  otlp: {{ otlp: {{ endpoint: "{otlp}", headers: {{ x-api-key: "${{S_OTLP}}" }}, timeout: 1s }} }}
  token: {{ nats: {{ url: "nats://{nats}", subject: s, token: "${{S_NATS}}", timeout: 1s }} }}
  user: {{ nats: {{ url: "nats://{nats}", subject: s, user: "${{S_USER}}", password: {{ file: secrets/password }}, timeout: 1s }} }}
  creds: {{ nats: {{ url: "nats://{nats}", subject: s, credentials: secrets/creds, timeout: 1s }} }}
policy: {{ observe: [p1, p2, p3, p4, p5] }}
plugins:
  p1: {{ component: builtin:publish, grants: [sinks/http], settings: {{ sink: http }} }}
  p2: {{ component: builtin:publish, grants: [sinks/otlp], settings: {{ sink: otlp }} }}
  p3: {{ component: builtin:publish, grants: [sinks/token], settings: {{ sink: token }} }}
  p4: {{ component: builtin:publish, grants: [sinks/user], settings: {{ sink: user }} }}
  p5: {{ component: builtin:publish, grants: [sinks/creds], settings: {{ sink: creds }} }}
"#
    )
}

#[track_caller]
fn assert_hushed(what: &str, said: &str, seed: &str) {
    let line = said.lines().find(|line| line.contains(HUSH) || line.contains(seed));
    assert!(line.is_none(), "{what} tells a secret: {}", line.unwrap_or_default());
}

#[test]
fn secrets_come_out_nowhere() {
    // The failures of every sink: refusal, broken connection, nonsense, silence.
    let refusing =
        Endpoint::new(&[HttpAnswer::Status(401, ""), HttpAnswer::Close, HttpAnswer::Status(500, "")]);
    let unwilling = Endpoint::new(&[HttpAnswer::Status(403, ""), HttpAnswer::Close]);
    let collector = Endpoint::new(&[HttpAnswer::Status(200, "")]);
    let nonsense = TcpListener::bind("127.0.0.1:0").unwrap();
    let nats = nonsense.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in nonsense.incoming().map_while(Result::ok) {
            let _ = std::io::Write::write_all(&mut &stream, b"-ERR 'Authorization Violation'\r\n");
        }
    });

    let key = nkeys::KeyPair::new_user();
    let seed = key.seed().unwrap();
    let creds = format!(
        "-----BEGIN NATS USER JWT-----\nhush-jwt\n------END NATS USER JWT------\n\n\
         -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
    );
    let good = yaml(
        &refusing.url(),
        &format!("http://{}", unwilling.authority()),
        &format!("http://{}", collector.authority()),
        &nats.to_string(),
    );
    let mut setup = Setup::new().yaml(&good).flag(LOG);
    for (name, content) in [
        ("token", "hush-token-0123456789"),
        ("site", "hush-site"),
        ("password", "hush-password"),
        ("creds", &creds),
    ] {
        setup.outside().write(&format!("secrets/{name}"), content.as_bytes());
    }
    for name in ["S_TELEMETRY", "S_PLAIN", "S_HTTP", "S_OTLP", "S_NATS", "S_USER"] {
        setup = setup.variable(name, &format!("hush-{name}"));
    }
    let setup = setup.variable("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "x-more=hush-more");
    let server = setup.start();
    for number in 0..3 {
        Peer::new(server.address()).ask(&rrq(&format!("n{number}"), &[]));
        server.outcome(&format!("n{number}"));
    }
    // Until every sink has failed and telemetry was sent: then every message has been logged.
    let end = Instant::now() + SOON;
    let failed = || server.status()["sinks"].as_array().unwrap().iter().all(|sink| sink["broken"] == true);
    let sent = || collector.posts().iter().any(|(post, _)| post.head.contains("/v1/traces"));
    while !(failed() && sent()) {
        assert!(Instant::now() < end, "{:#} {}", server.status(), collector.posts().len());
        std::thread::sleep(Duration::from_millis(50));
    }
    // They do reach their destinations: the test covers these servers and these secrets.
    assert!(
        refusing
            .posts()
            .iter()
            .any(|(post, _)| post.head.contains("hush-s_http") && post.head.contains("hush-site"))
    );
    assert!(collector.posts().iter().any(|(post, _)| post.head.contains("hush-s_telemetry")));

    // Requests without the token, and with a wrong one that must not be echoed, either.
    let asked = http(server.admin(), "/metrics", &["Authorization: Bearer hush-wrong-token"]);
    assert_eq!(asked.status, 401);
    assert_hushed("the admin listener", &asked.body, &seed);

    // Failing reloads with a secret.
    let config = server.outside().path("tuffet.yaml");
    for (written, reason) in [
        (good.replace("secrets/token", "secrets/site"), "the token has 9 characters"),
        (good.replace("\"${S_HTTP}\"", "hush-in-plain"), "this file must not contain secrets"),
        (good.replace("\"${S_NATS}\"", "hush-in-plain"), "this file must not contain secrets"),
        (good.replace("secrets/creds", "secrets/password"), "not a NATS credentials file"),
        (good.replace("nats://", "nats://me:hush-url@"), "sinks"),
        (good.replace("http://", "http://me:hush-url@"), "sinks"),
        (good.replace("{ file: secrets/site }", "[hush-list]"), "give `${NAME}`"),
        (good.replace("sample: 1.0", "sample: 1.0, hushed: 1"), "unknown key"),
        (good.replace("x-site: {", "x-site: { hush-key: hush-value, "), "tuffet.yaml:11:"),
    ] {
        server.rewrite(&written);
        let ran = server.ask("reload");
        assert_eq!(ran.code(), 1, "{reason}");
        assert!(ran.stderr.contains(reason), "{reason}: {}", ran.stderr);
        // An error may point at text in the file itself, as at a key.
        if !written.contains("hush-key") && !written.contains("hushed") {
            assert_hushed("a refused reload", &ran.stderr, &seed);
        }
        let checked = check_file(&config);
        assert_ne!(checked.code(), 0);
        assert!(
            !checked.stderr.contains("hush-url") && !checked.stderr.contains("hush-value"),
            "{}",
            checked.stderr
        );
    }
    for (what, said) in [
        ("the status", server.status().to_string()),
        ("the live view", server.live().to_string()),
        ("the metrics", server.metrics()),
    ] {
        assert_hushed(what, &said.replace("hushed", "").replace("hush-key", ""), &seed);
    }
    server.stop();
    assert_hushed("the log", &server.log().replace("hushed", "").replace("hush-key", ""), &seed);
    for (post, _) in collector.posts().into_iter().chain(unwilling.posts()).chain(refusing.posts()) {
        assert_hushed("what is exported", &post.body.replace("hushed", "").replace("hush-key", ""), &seed);
    }
}

/// A setting that a bundled plugin requires, at the top level or within another one.
#[test]
fn a_required_setting_may_be_a_secret() {
    let yaml = "listeners: [{ address: \"127.0.0.1:0\" }]\nroots: [{ name: boot, path: root }]\nstate: state\n\
                sinks: { log: { file: ./lines } }\npolicy: { resolve: [remap], observe: [audit] }\nplugins:\n  audit:\n    \
                component: builtin:audit\n    grants: [kv, sinks/log]\n    secrets: { sink: { file: sink } }\n    limits: \
                { time: 20s, wall: 40s }\n  remap:\n    component: builtin:remap\n    grants: [files/boot]\n    secrets: \
                { /map-file/path: { file: map } }\n    settings: { root: boot, map-file: { root: boot } }\n    limits: { \
                time: 20s, wall: 40s }\n";
    let setup = Setup::new().file("served", b"content").file("map-of-ours", b"r ^asked$ served\n").yaml(yaml);
    let folder = setup.outside();
    folder.write("map", b"map-of-ours\n");
    folder.write("sink", b"log\n");
    let check = |yaml: &str| {
        folder.write("checked.yaml", yaml.as_bytes());
        let file = folder.path("checked.yaml");
        let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
        command.env("CACHE_DIRECTORY", compiled()).arg("check").arg(file);
        run(command.args(is_root().then_some("--user=root")))
    };
    check(yaml).assert_good();
    for (with, without, missing) in [
        ("    secrets: { sink: { file: sink } }\n", "", "`sink` is missing"),
        (
            "secrets: { /map-file/path: { file: map } }\n    ",
            "",
            "checked.yaml:15:39: the key `path` is missing",
        ),
        ("{ sink: { file: sink } }", "{ witness: { file: sink } }", "`sink` is missing"),
    ] {
        assert!(yaml.contains(with));
        check(&yaml.replace(with, without)).assert_fails(64, &[missing]);
    }
    folder.write("sink", b"lgo\n");
    check(yaml).assert_fails(64, &["checked.yaml:10:", "the configuration lacks what this secret names"]);
    folder.write("sink", b"log\n");

    let server = setup.start();
    assert_eq!(Peer::new(server.address()).read_plainly("asked"), b"content");
    server.outcome("asked");
    let lines = server.outside().path("lines");
    let end = Instant::now() + SOON;
    while !std::fs::read_to_string(&lines).is_ok_and(|lines| lines.contains("asked")) {
        assert!(Instant::now() < end, "the sink got no line: {}", server.log());
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// What a plugin writes for others to see passes one place: here with a secret among texts of each kind.
#[test]
fn a_secret_in_what_a_plugin_writes_is_hidden_or_refused() {
    const SECRET: &str = "t0ken-of-\\ours";
    let escaped = SECRET.replace('\\', "\\\\");
    let run = [
        format!(r#"emit lines {{"{escaped}":["a {escaped} b",12345678]}}"#),
        format!("add hits site {SECRET}"),
        format!("kv set a {SECRET}"),
        format!("kv create {SECRET} a"),
        format!("kv append b {SECRET}"),
        "kv set c t0ken-of-others".to_owned(),
    ];
    let run = serde_json::to_string(&run).unwrap();
    let yaml = format!(
        "roots: [{{ name: boot, path: root }}]\nstate: state\nsinks: {{ lines: {{ file: ./lines }} }}\npolicy: {{ resolve: \
         [probe] }}\nplugins:\n  probe:\n    component: \"{}\"\n    grants: [kv, metrics, files/boot, sinks/lines]\n    limits: {{ \
         time: 20s, wall: 40s }}\n    secrets: {{ upload: {{ file: secret }}, observe: {{ file: digits }} }}\n    settings: \
         {{ run: {run} }}\n",
        probe()
    );
    let setup = Setup::new();
    setup.outside().write("secret", SECRET.as_bytes());
    setup.outside().write("digits", b"12345678");
    let server = setup.yaml(&yaml).start();
    let said = String::from_utf8(Peer::new(server.address()).read_plainly("x")).unwrap();
    let refused = "bad-argument: the value contains the secret `upload`: it is not stored";
    let of_key = refused.replace("value", "key");
    assert_eq!(said.lines().collect::<Vec<_>>(), ["()", "()", refused, &of_key, refused, "()"]);
    assert!(server.metrics().contains("name=\"hits\",site=\"(hidden)\""), "{}", server.metrics());
    server.stop();
    let lines = String::from_utf8(server.outside().read("lines")).unwrap();
    assert_eq!(lines, "{\"(hidden)\":[\"a (hidden) b\",12345678]}\n");
}
