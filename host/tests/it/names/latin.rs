//! Names that are not UTF-8, read as Latin-1.

use super::{ask, content, not_found};
use crate::harness::{Answer, Server, Setup, compiled, request, run};
use crate::policy::probe;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

fn read(server: &Server, name: &[u8]) -> Answer {
    ask(server, &request(1, name, b"octet", &[]))
}

fn setup() -> Setup {
    let setup = Setup::new().file("g\u{e4}nse.bin", b"text").file("secr\u{e9}t/plan", b"the plan");
    // Stored as Latin-1, which no name leads to.
    let stored = setup.root().0.join(OsStr::from_bytes(b"grub\xe9"));
    std::fs::write(stored, b"bytes").unwrap();
    std::fs::create_dir(setup.root().0.join(OsStr::from_bytes(b"\xfcber"))).unwrap();
    setup
}

#[test]
fn a_byte_is_a_letter_of_latin_1() {
    let server = setup().start();
    for (name, raw) in [
        (&b"g\xe4nse.bin"[..], json!("67e46e73652e62696e")),
        ("g\u{e4}nse.bin".as_bytes(), json!(null)),
        (b"\\g\xe4nse.bin\xff", json!("5c67e46e73652e62696eff")),
    ] {
        assert_eq!(read(&server, name), content(b"text"), "{}", name.escape_ascii());
        let line = server.outcome("g\u{e4}nse.bin");
        assert_eq!((&line["raw_name"], &line["outcome"]), (&raw, &json!("served")));
    }
    // As shim on some firmware asks.
    assert_eq!(read(&server, b"grub/\xeaonboard"), not_found());
    assert_eq!(server.outcome("grub/\u{ea}onboard")["raw_name"], "677275622fea6f6e626f617264");
    // A name on disk that is not UTF-8 has a name in the log, whatever bytes the client asks with.
    for name in [&b"grub\xe9"[..], "grub\u{e9}".as_bytes()] {
        assert_eq!(read(&server, name), not_found());
        let detail = server.outcome("grub\u{e9}")["detail"].to_string();
        assert!(detail.contains("grub\\\\xe9 is there, but its name is not UTF-8"), "{detail}");
        assert!(detail.contains("rename it (`convmv -f latin1 -t utf8`)"), "{detail}");
    }
    assert_eq!(read(&server, b"\xfcber/x"), not_found());
    let detail = server.outcome("\u{fc}ber/x")["detail"].to_string();
    assert!(detail.contains("\\\\xfcber is there, but its name is not UTF-8"), "{detail}");
    // Of another encoding, such as that of DOS.
    for name in [&b"g\x84nse.bin"[..], b"\x93\xfa\x96\x7b"] {
        assert_eq!(read(&server, name), Answer::Error(2, "file name is neither UTF-8 nor Latin-1".into()));
        let line = server.any_outcome();
        assert_eq!(line["detail"], "the name is refused: file name is neither UTF-8 nor Latin-1");
        assert!(line["raw_name"].is_string(), "{line}");
    }
    for name in [&b"\xe4/../x"[..], b"\xff\x9b2J", b"\xe4\nx", b"\xe4\x85"] {
        assert!(matches!(read(&server, name), Answer::Error(2, _)), "{}", name.escape_ascii());
    }
}

#[test]
fn rules_about_names_hold_for_both_encodings() {
    let server = setup()
        .rest_of_yaml(
            "policy: { authorize: [acl] }\nplugins:\n  acl:\n    component: builtin:acl\n    settings: { deny: [{ names: \
             [\"secr\u{e9}t/**\"], message: \"not for you\" }] }\n",
        )
        .start();
    for name in [&b"secr\xe9t/plan"[..], "secr\u{e9}t/plan".as_bytes(), b"\\secr\xe9t\\plan"] {
        assert_eq!(read(&server, name), Answer::Error(2, "not for you".into()), "{}", name.escape_ascii());
    }
}

#[test]
fn plugins_and_explanations_see_the_bytes() {
    let server = setup()
        .rest_of_yaml(&format!(
            "sinks: {{ out: {{ file: out.jsonl }} }}\npolicy: {{ resolve: [probe], observe: [probe] }}\nplugins: {{ probe: {{ \
             component: \"{}\", grants: [kv, files/boot, sinks/out], settings: {{ observe: out, when: \"told/*\", run: \
             [\"{{raw-name}}\"] }} }} }}\nstate: state\n",
            probe()
        ))
        .start();
    assert_eq!(read(&server, b"told/\xe4"), content(b"no such command: 746f6c642fe4\n"));
    assert_eq!(read(&server, b"told/a"), content(b"no such command: none\n"));
    let socket = server.outside().0.join("control");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    command.env("CACHE_DIRECTORY", compiled());
    command.args(["explain", "--live", "--control"]).arg(&socket).arg(OsStr::from_bytes(b"g\xe4nse.bin"));
    super::assert_explains(
        &run(&mut command),
        0,
        &["read \"g\u{e4}nse.bin\"", "bytes 67e46e73652e62696e, which are not UTF-8", "boot:g\u{e4}nse.bin"],
    );
    for name in [&b"grub\xe9"[..], "grub\u{e9}".as_bytes()] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
        command.env("CACHE_DIRECTORY", compiled());
        command.args(["explain", "--live", "--control"]).arg(&socket).arg(OsStr::from_bytes(name));
        let parts = ["grub\\xe9 is there, but its name is not UTF-8", "`convmv -f latin1 -t utf8`"];
        super::assert_explains(&run(&mut command), 1, &parts);
    }
    server.stop();
    let told = std::fs::read_to_string(server.outside().path("out.jsonl")).unwrap();
    let attributes_of = |path: &str| {
        let is_it = |event: &Value| event["path"] == path && event["finished"].is_string();
        let mut events = told.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        events.find(is_it).unwrap()["attributes"].clone()
    };
    assert_eq!(attributes_of("told/\u{e4}"), json!(["raw-name=746f6c642fe4"]));
    assert_eq!(attributes_of("told/a"), json!([]));
}
