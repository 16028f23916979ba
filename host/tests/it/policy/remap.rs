//! `builtin:remap`: names rewritten by rules, for downloads and uploads.

mod beside_tftpd_hpa;
pub(crate) mod random;

use crate::harness::{
    Answer, Options, Peer, Setup, ack, check_file, compiled, each_client, rrq, run, tuffet, wrq,
};
use std::process::Command;

fn setup(more: &str, settings: &str) -> Setup {
    Setup::new().rest_of_yaml(&format!(
        "policy: {{ resolve: [remap] }}\nplugins:\n  remap:\n    component: builtin:remap\n{more}    settings:\n{settings}"
    ))
}

const MAP: &str = r"
      root: boot
      also-at: [{ path: /tftpboot }]
      map: |
        rg  \\              /     # separators of Windows
        ri  ^/?firmware/v[0-9]+/  fw/
        rP  ^               in/
        r   ^/srv/(.*)$     \i/\1
        aG  \.old$          take\ the\ new\ one,\ \i
        a   ^secret
";

each_client!(rewritten);
fn rewritten(client: crate::harness::Client) {
    let server = setup("", MAP)
        .writable()
        .file("fw/a.bin", b"firmware")
        .file("plain", b"plain")
        .file("in/x", b"")
        .start();
    for (name, content, resolved) in
        [("Firmware/V12/a.bin", "firmware", "boot:fw/a.bin"), ("plain", "plain", "boot:plain")]
    {
        assert_eq!(client.get(server.address(), name, Options::default()), content.as_bytes());
        let line = server.outcome(name);
        assert_eq!(
            (&line["resolved"], &line["verdict_by"]),
            (&resolved.into(), &if name == "plain" { serde_json::Value::Null } else { "remap".into() },)
        );
    }
    client.put(server.address(), "dump", b"uploaded", Options::default());
    assert_eq!(server.root().read("in/dump"), b"uploaded");
}

#[track_caller]
fn asks(server: &crate::harness::Server, packet: &[u8]) -> Answer {
    let mut peer = Peer::new(server.address());
    peer.ask(packet);
    peer.receive()
}

#[test]
fn denials_carry_their_text() {
    let server = setup("", MAP).start();
    let denied = |text: &str| Answer::Error(2, text.into());
    assert_eq!(asks(&server, &rrq("a.old", &[])), denied("take the new one, 127.0.0.1"));
    assert_eq!(asks(&server, &rrq("secret/x", &[])), denied("Access denied"));
    let line = server.outcome("secret/x");
    assert_eq!(
        (&line["outcome"], &line["detail"]),
        (&"denied".into(), &"line 6 (a): denied \"secret/x\"".into())
    );
    // Uploads have another name by then, and the folder is missing.
    assert_ne!(asks(&server, &wrq("secret/x", &[])), denied("Access denied"));
}

#[test]
fn a_loop_of_rules_ends() {
    let server =
        setup("", "      root: boot\n      rules: [{ match: a, replace: aa, flags: [repeat] }]\n").start();
    assert_eq!(asks(&server, &rrq("a", &[])), Answer::Error(2, "Remap table failure".into()));
    let detail = server.outcome("a")["detail"].as_str().unwrap().to_owned();
    assert!(detail.starts_with("rule 1: the name grew beyond 4096 bytes"), "{detail}");
}

#[test]
fn atftpd_rewrites_what_cannot_be_opened() {
    let settings = "      root: boot\n      dialect: atftpd\n      map: |\n        ^pp(.*)$ linux$1\n";
    let server = setup("", settings)
        .writable()
        .file("ppa", b"as requested")
        .file("linuxa", b"no")
        .file("linuxb", b"rewritten")
        .start();
    for (name, content) in [("ppa", &b"as requested"[..]), ("ppb", b"rewritten")] {
        assert_eq!(Peer::new(server.address()).read_plainly(name), content);
    }
    let Answer::Error(1, _) = asks(&server, &rrq("ppc", &[])) else { panic!("it exists") };
    let line = server.outcome("ppc");
    assert_eq!(line["tried"], serde_json::json!(["boot:ppc", "boot:linuxc"]));
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("ppd", &[]));
    peer.expect(Answer::read(&ack(0)));
    peer.write_on(b"new", 512);
    assert!(server.root().read("ppd") == b"new");
}

#[test]
fn the_folder_of_a_client_is_all_it_has() {
    let settings = "      root: boot\n      unique-root: ip\n";
    let setup = |folder: &str| {
        setup("    grants: [files/boot]\n", settings)
            .file(&format!("{folder}/own"), b"own")
            .file("own", b"shared")
            .file("shared", b"shared")
    };
    let own = setup("127.0.0.1").start();
    assert_eq!(Peer::new(own.address()).read_plainly("own"), b"own");
    let Answer::Error(1, _) = asks(&own, &rrq("shared", &[])) else { panic!("it is above") };
    let other = setup("127.0.0.2").start();
    assert_eq!(Peer::new(other.address()).read_plainly("own"), b"shared");
}

#[test]
fn a_map_file_is_read_again_when_it_changes() {
    let yaml = |reads: &str| {
        format!(
            "listeners: [{{ address: '127.0.0.1:0' }}]\nroots: [{{ name: boot, path: root }}, {{ name: maps, path: maps, private: true }}]\n\
             policy: {{ resolve: [remap] }}\nplugins:\n  remap:\n    component: builtin:remap\n    grants: [files/maps]\n    \
             settings: {{ root: boot, map-file: {{ root: maps, path: {reads} }} }}\n"
        )
    };
    let setup = Setup::new().file("one", b"first").file("second", b"second");
    setup.outside().write("maps/map", b"r ^a$ one\n");
    setup.outside().write("maps/bad", b"r ^a$ one\nr ( x\n");
    setup.outside().write("bad.yaml", yaml("bad").as_bytes());
    check_file(setup.outside().path("bad.yaml"))
        .assert_fails(64, &["bad.yaml:8:", "maps:bad, line 2: expression `(`, character 1: `(` without `)`"]);
    let server = setup.yaml(&yaml("map")).start();
    assert_eq!(Peer::new(server.address()).read_plainly("a"), b"first");
    server.outside().write("maps/map", b"r ^a$ second\n");
    assert_eq!(Peer::new(server.address()).read_plainly("a"), b"second");
    server.outside().write("maps/map", b"r ^a$ (nothing\nx\n");
    assert_eq!(Peer::new(server.address()).read_plainly("a"), b"second");
    server.logged("the rules stay as they were: maps:map, line 2: there is no operation `x`: a line is OPERATIONS EXPRESSION [REPLACEMENT]");
}

#[test]
fn an_explanation_shows_each_step() {
    let server = setup("", MAP).file("fw/a.bin", b"firmware").flag("--log").flag("debug").start();
    let control = server.outside().0.join("control");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    command.env("CACHE_DIRECTORY", compiled()).args(["explain", "--live", "--control"]).arg(control);
    let ran = run(command.arg(r"\Firmware\V12\a.bin"));
    ran.assert_good();
    let text = String::from_utf8(ran.stdout).unwrap();
    let steps = [
        "resolve    remap: files (boot:fw/a.bin), ",
        "\n           line 1 (rg): \"\\Firmware\\V12\\a.bin\" becomes \"/Firmware/V12/a.bin\"\n",
        "           line 2 (ri): \"/Firmware/V12/a.bin\" becomes \"fw/a.bin\"\nauthorize  no plugin decides",
    ];
    let mut rest = text.as_str();
    for step in steps {
        let at = rest.find(step).unwrap_or_else(|| panic!("{step:?} is missing in\n{text}"));
        rest = &rest[at + step.len()..];
    }
    // What is explained is not logged; what is decided is.
    assert_eq!(Peer::new(server.address()).read_plainly("firmware/v1/a.bin"), b"firmware");
    server.logged("line 2 (ri): \"firmware/v1/a.bin\" becomes \"fw/a.bin\"");
    let rest = server.stop();
    assert!(rest.iter().all(|line| line["target"] != "tuffet::plugin"), "{rest:#?}");
}

#[test]
fn settings_are_checked_at_their_line() {
    let check = |grants: &str, settings: &str| {
        crate::harness::check(&format!(
            "listeners: [{{ address: '127.0.0.1:0' }}]\nroots: [{{ name: boot, path: root }}]\npolicy: {{ resolve: [remap] }}\n\
             plugins:\n  remap:\n    component: builtin:remap\n    grants: [{grants}]\n    settings:\n      root: boot\n{settings}"
        ))
    };
    check("", "      rules:\n        - { match: '(a', replace: b }\n").assert_fails(
        64,
        &["tuffet.yaml:11:20", "character 1: `(` without `)`: write `\\(` for the character"],
    );
    check("", "      map: |\n        r a b\n        rq a b\n")
        .assert_fails(64, &["tuffet.yaml:11:9", "line 2: there is no operation `q`"]);
    // A bundled plugin may look at the files of the root in its settings without a grant.
    for grants in ["", "files/boot"] {
        check(grants, "      map: |\n        rE a b\n").assert_good();
        check(grants, "      unique-root: ip\n").assert_good();
    }
    check("", "      rule: []\n").assert_fails(64, &["tuffet.yaml:10:7", "did you mean `rules`?"]);
    check("", "      dialect: tftpd\n      map: ''\n").assert_fails(64, &["tuffet.yaml:10:16"]);
    check("", "      dialect: tftpd-hpa-5.2\n      map: ''\n").assert_good();
}

#[test]
fn cases_see_steps_files_and_folders() {
    let cases = r#"
component: builtin:remap
roots: [boot]
grants: [files/boot, client-mac]
settings: { root: boot, rules: [{ match: '^', replace: new/, flags: [stop-if-file] }, { match: '^', replace: old/ }] }
cases:
  - name: it is there
    request: { path: a }
    host: { files: { boot/new/a: x } }
    expect: { files: ["boot:new/a"] }
    log: ['rule 1: "a" becomes "new/a"', 'rule 1: the end']
  - name: it is not there
    request: { path: a, operation: write }
    host: { files: { boot/new/a: null } }
    expect: { files: ["boot:old/a"] }
    log: ['rule 1: "new/a" is no file, so the rule is undone', 'rule 2: "a" becomes "old/a"']
  - name: nothing changes
    settings: { root: boot, map: "r b c" }
    request: { path: a }
    expect: abstain
    log: []
  - name: a folder of the machine
    settings: { root: boot, unique-root: mac }
    request: { path: a, macs: ["02:00:5e:10:00:0A"] }
    host: { files: { boot/02-00-5e-10-00-0a/b: x } }
    expect: { files: ["boot:02-00-5e-10-00-0a/a"] }
  - name: an expression that is none
    settings: { root: boot, map: "r ( c" }
    request: { path: a }
    expect: { refused: ["/map: line 1: expression `(`, character 1: `(` without `)`: write `\\(` for the character"] }
"#;
    let setup = Setup::new();
    setup.outside().write("cases.yaml", cases.as_bytes());
    let ran = tuffet(["plugin", "test", setup.outside().path("cases.yaml").to_str().unwrap()]);
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(text.ends_with("5 passed, 0 failed\n"), "{text}{}", ran.stderr);
}
