//! `case: insensitive`: every spelling is served, and every rule about names holds for all of them.

use super::{assert_explains, content, explain, not_found, read, write};
use crate::harness::{Answer, Pace, Peer, SOON, Server, Setup, SlowDisk, Step, assert_ended, data, wrq};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::json;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

const ROOT: &str = "{ name: boot, path: root, case: insensitive, writable: true, overwrite: true }";

fn setup() -> Setup {
    Setup::new()
        .file("Boot/BCD", b"bcd")
        .file("secret/plan", b"the plan")
        .file("boot.key", b"the key")
        .file("Foo", b"Foo")
        .file("foo", b"foo")
        .file("two/x", b"small")
        .file("TWO/y", b"large")
        .file("G\u{e4}nse", b"geese")
}

fn acl(rules: &str) -> String {
    format!(
        "policy: {{ authorize: [acl] }}\nplugins:\n  acl:\n    component: builtin:acl\n    settings: {{ {rules} }}\n"
    )
}

fn serve(policy: &str) -> Server {
    setup().yaml(&format!("roots: [{ROOT}]\n{policy}")).start()
}

const SECRETS: &str = "deny: [{ names: [\"secret/**\", \"*.key\"], message: \"not for you\" }]";

/// Every spelling of a name.
fn spellings(name: &str) -> Vec<String> {
    name.chars().fold(vec![String::new()], |names, letter| {
        let both = [letter.to_ascii_lowercase(), letter.to_ascii_uppercase()];
        let both = &both[..if letter.is_ascii_alphabetic() { 2 } else { 1 }];
        names.iter().flat_map(|name| both.iter().map(move |letter| format!("{name}{letter}"))).collect()
    })
}

#[test]
fn every_spelling_finds_the_file() {
    for policy in ["", &acl(SECRETS)] {
        let server = serve(policy);
        for name in ["Boot/BCD", "boot/bcd", "\\BOOT\\BCD", "BOOT/bcd"] {
            assert_eq!(read(&server, name), content(b"bcd"), "{name}");
            let line = server.outcome("Boot/BCD");
            assert_eq!((&line["resolved"], &line["outcome"]), (&json!("boot:Boot/BCD"), &json!("served")));
        }
        assert_eq!(read(&server, "G\u{c4}NSE"), content(b"geese"));
        // The name as it is spelled comes first.
        assert_eq!(read(&server, "Foo"), content(b"Foo"));
        assert_eq!(read(&server, "foo"), content(b"foo"));
        for name in ["boot/none", "none/bcd", "Boot/BCD/x", "bo0t/bcd"] {
            assert_eq!(read(&server, name), not_found(), "{name}");
        }
    }
}

#[test]
fn names_that_differ_in_case_alone_are_named() {
    let server = serve("");
    assert_eq!(read(&server, "FOO"), not_found());
    assert_ended(
        &server.outcome("FOO"),
        "not-found",
        "`Foo`, `foo` in the folder of the root differ in upper",
    );
    assert_eq!(read(&server, "Two/x"), not_found());
    assert_ended(&server.outcome("Two/x"), "not-found", "`TWO`, `two` in the folder of the root differ");
    assert_eq!(read(&server, "two/X"), content(b"small"));
    assert_eq!(read(&server, "TWO/x"), not_found(), "the part as it is spelled comes first");
    let explained = explain(&server, &["FOO"]);
    assert_explains(&explained, 1, &["boot:FOO: `Foo`, `foo` in the folder of the root differ"]);
    assert_eq!(write(&server, "FOO"), not_found());
}

#[test]
fn a_rule_that_denies_holds_for_every_spelling() {
    let server = serve(&acl(SECRETS));
    let denied = Answer::Error(2, "not for you".into());
    for folder in spellings("secret") {
        assert_eq!(read(&server, &format!("{folder}/plan")), denied, "{folder}");
    }
    for file in spellings("plan") {
        assert_eq!(read(&server, &format!("Secret\\{file}")), denied, "{file}");
        assert_eq!(write(&server, &format!("SECRET/{file}")), denied, "{file}");
    }
    for name in ["BOOT.KEY", "boot.keY", "/Boot.key", "./BOOT.kEy"] {
        assert_eq!(read(&server, name), denied, "{name}");
        assert_eq!(write(&server, name), denied, "{name}");
    }
    // A file that is not there yet, in a folder that is.
    assert_eq!(write(&server, "SECRET/new"), denied);
    assert_eq!(fs::read_dir(server.root().path("secret")).unwrap().count(), 1);
    assert_eq!(server.root().read("boot.key"), b"the key");
}

#[test]
fn a_rule_that_allows_holds_for_every_spelling() {
    let yaml = acl("allow: [{ names: [\"Boot/**\"] }]").replace("acl] }", "acl], default: deny }");
    let server = serve(&yaml);
    for name in spellings("boot/bcd") {
        assert_eq!(read(&server, &name), content(b"bcd"), "{name}");
    }
    assert!(matches!(read(&server, "FOO"), Answer::Error(2, _)));
}

#[test]
fn an_upload_replaces_the_file_that_is_there() {
    let server = serve("");
    for name in ["BOOT/bcd", "\\boot\\BCD"] {
        assert_eq!(write(&server, name), Answer::Ack(1), "{name}");
        assert_eq!(server.outcome("Boot/BCD")["resolved"], "boot:Boot/BCD");
    }
    assert_eq!(server.root().read("Boot/BCD"), b"written");
    assert_eq!(write(&server, "BOOT/New"), Answer::Ack(1));
    assert_eq!(write(&server, "boot/NEW"), Answer::Ack(1));
    let mut names: Vec<_> =
        fs::read_dir(server.root().path("Boot")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["BCD", "New"]);
    // Not that of the other one.
    assert_eq!(write(&server, "foo"), Answer::Ack(1));
    assert_eq!(
        (server.root().read("Foo"), server.root().read("foo")),
        (b"Foo".to_vec(), b"written".to_vec())
    );

    let keeps = setup().yaml(&format!("roots: [{}]\n", ROOT.replace("overwrite: true", "overwrite: false")));
    let server = keeps.start();
    assert_eq!(write(&server, "BOOT/bcd"), Answer::Error(6, "file exists".into()));
    assert_eq!(server.root().read("Boot/BCD"), b"bcd");
}

/// New folders come into the one that is there, whatever its spelling.
#[test]
fn a_new_folder_is_made_in_the_one_that_is_there() {
    let root = ROOT.replace(" }", ", write: { folders: true } }");
    let server = setup().yaml(&format!("roots: [{root}]\n")).start();
    server.logged("counted the contents of a root");
    assert_eq!(write(&server, "BOOT/New/Sub/x"), Answer::Ack(1));
    assert_eq!(server.outcome("Boot/New/Sub/x")["resolved"], "boot:Boot/New/Sub/x");
    assert_eq!(write(&server, "boot/NEW/sub/y"), Answer::Ack(1));
    assert_eq!(server.root().read("Boot/New/Sub/x"), b"written");
    assert_eq!(server.root().read("Boot/New/Sub/y"), b"written");
    assert!(!server.root().has("BOOT") && !server.root().has("boot"));
    // A file is no folder, and two folders that differ in case are none that is meant.
    assert_eq!(write(&server, "boot/bcd/x"), Answer::Error(1, "folder not found".into()));
    assert_eq!(write(&server, "Two/new/x"), not_found());
    assert!(!server.root().has("Two") && !server.root().has("boot"));
}

/// Begins an upload of each name before the first of them is complete; returns the last answers.
fn overlap<const N: usize>(server: &Server, names: [&str; N]) -> [Answer; N] {
    let mut peers = names.map(|name| {
        let mut peer = Peer::new(server.address());
        peer.ask(&wrq(name, &[]));
        peer.expect(Answer::Ack(0));
        peer
    });
    let mut number = 0;
    peers.each_mut().map(|peer| {
        number += 1;
        peer.send(&data(1, format!("content {number}").as_bytes()));
        peer.receive()
    })
}

fn names_in(server: &Server, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(server.root().path(folder)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| !name.starts_with(".tuffet")).collect();
    names.sort();
    names
}

/// Neither name is there when the other upload begins: as of one name, the last one counts.
#[test]
fn two_uploads_at_a_time_are_of_one_file() {
    let server = Setup::new().yaml(&format!("roots: [{ROOT}]\n")).start();
    assert_eq!(overlap(&server, ["confg", "Confg"]), [Answer::Ack(1), Answer::Ack(1)]);
    assert_eq!(names_in(&server, ""), ["confg"]);
    assert_eq!(server.outcome("Confg")["resolved"], "boot:confg");
    let begun = Instant::now();
    while read(&server, "CONFG") != content(b"content 2") {
        assert!(begun.elapsed() < SOON, "not found by another spelling");
    }
    assert_eq!(read(&server, "CONFG"), content(b"content 2"));
    assert_eq!(write(&server, "CONFG"), Answer::Ack(1));

    let root = ROOT.replace("overwrite: true", "overwrite: false");
    let server = Setup::new().yaml(&format!("roots: [{root}]\n")).start();
    let exists = Answer::Error(6, "file exists".into());
    assert_eq!(overlap(&server, ["confg", "Confg"]), [Answer::Ack(1), exists]);
    assert_eq!(names_in(&server, ""), ["confg"]);
    assert_eq!(read(&server, "CONFG"), content(b"content 1"));
}

#[test]
fn two_uploads_at_a_time_make_one_folder() {
    let root = ROOT.replace(" }", ", write: { folders: true } }");
    let server = Setup::new().yaml(&format!("roots: [{root}]\n")).start();
    server.logged("counted the contents of a root");
    let names = ["New/Sub/x", "new/sub/X", "NEW/Other/y"];
    assert_eq!(overlap(&server, names), [Answer::Ack(1), Answer::Ack(1), Answer::Ack(1)]);
    assert_eq!(names_in(&server, ""), ["New"]);
    assert_eq!(names_in(&server, "New"), ["Other", "Sub"]);
    assert_eq!(names_in(&server, "New/Sub"), ["x"]);
    assert_eq!(server.outcome("new/sub/X")["resolved"], "boot:New/Sub/x");
    // A listing stays in use for ten times as long as its reading took.
    let begun = Instant::now();
    while read(&server, "nEW/SUB/x") != content(b"content 2")
        || read(&server, "NEW/other/Y") != content(b"content 3")
    {
        assert!(begun.elapsed() < SOON, "not found by another spelling");
    }
    assert_eq!(read(&server, "nEW/SUB/x"), content(b"content 2"));
    assert_eq!(read(&server, "NEW/other/Y"), content(b"content 3"));
}

const NEW_FILES: &str = "deny: [{ operations: [write], names: [\"grub.cfg\", \"*.EFI\", \"efi/**\", \"g\u{e4}nse\"], \
                         message: \"not for you\" }]";

/// Whoever reads it later finds it by every spelling.
#[test]
fn a_rule_holds_for_every_spelling_of_a_file_that_is_not_there() {
    let root = ROOT.replace(" }", ", write: { folders: true } }");
    let setup = Setup::new();
    setup.outside().write("genuine/grub.cfg", b"genuine");
    let roots = format!("roots: [{root}, {{ name: genuine, path: genuine }}]\n");
    let server = setup.yaml(&format!("{roots}{}", acl(NEW_FILES))).start();
    server.logged("counted the contents of a root");
    let denied = Answer::Error(2, "not for you".into());
    for name in
        ["grub.cfg", "GRUB.cfg", "Grub.CFG", "shim.efi", "a/SHIM.Efi", "EFI/boot/x", "Efi\\x", "G\u{c4}NSE"]
    {
        assert_eq!(write(&server, name), denied, "{name}");
        let explained = explain(&server, &["--write", name]);
        assert_explains(&explained, 1, &["ERROR 2 \"not for you\"", "by acl"]);
    }
    assert!(names_in(&server, "").is_empty());
    assert_eq!(read(&server, "grub.cfg"), content(b"genuine"));
    assert_eq!(write(&server, "Other.cfg"), Answer::Ack(1));
}

#[test]
fn a_rule_that_allows_holds_for_every_spelling_of_a_new_file() {
    let yaml = acl("allow: [{ names: [\"SEP*.cnf\"] }]").replace("acl] }", "acl], default: deny }");
    let server = serve(&yaml);
    assert_eq!(write(&server, "sep1.CNF"), Answer::Ack(1));
    assert!(server.root().has("sep1.CNF"));
    assert!(matches!(write(&server, "tep1.cnf"), Answer::Error(2, _)));
}

/// Where a mapping names the file, or denies it.
#[test]
fn a_rule_holds_for_every_spelling_of_a_file_that_a_plugin_names() {
    let policy = r#"
policy: { authorize: [acl], resolve: [remap, mac-map] }
plugins:
  acl:
    component: builtin:acl
    settings: { deny: [{ names: ["grub.cfg"], message: "not for you" }] }
  remap:
    component: builtin:remap
    settings:
      root: boot
      rules:
        - { match: "^/?(firmware|wähle)$", deny: "not mapped" }
        - { match: "^new$", replace: "GRUB.CFG", flags: [stop] }
  mac-map:
    component: builtin:mac-map
    grants: [client-mac]
    settings:
      root: boot
      rules: [{ match: "logs/*", operations: [write], fallback: ["kept"] }]
"#;
    let server = serve(policy);
    assert_eq!(write(&server, "new"), Answer::Error(2, "not for you".into()));
    for name in ["firmware", "FIRMWARE", "/Firmware", "W\u{c4}HLE"] {
        assert_eq!(write(&server, name), Answer::Error(2, "not mapped".into()), "{name}");
    }
    assert_eq!(write(&server, "LOGS/x"), Answer::Ack(1));
    assert_eq!(server.root().read("kept"), b"written");
}

/// What a plugin names is found in every spelling, and judged under its stored name.
#[test]
fn a_file_that_a_plugin_names_is_judged_as_it_is_stored() {
    let policy = r#"
policy: { authorize: [acl], resolve: [mac-map] }
plugins:
  acl:
    component: builtin:acl
    settings: { deny: [{ names: ["secret/**"], message: "not for you" }] }
  mac-map:
    component: builtin:mac-map
    grants: [client-mac]
    settings:
      root: boot
      rules:
        - { match: "good", fallback: ["NONE", "BOOT/BCD"] }
        - { match: "bad", fallback: ["none", "SECRET/plan", "Boot/BCD"] }
"#;
    let server = serve(policy);
    assert_eq!(read(&server, "good"), content(b"bcd"));
    assert_eq!(server.outcome("good")["resolved"], "boot:Boot/BCD");
    assert_eq!(read(&server, "bad"), Answer::Error(2, "not for you".into()));
    let line = server.outcome("bad");
    assert_eq!((&line["outcome"], &line["verdict_by"]), (&json!("denied"), &json!("acl")));
    assert_explains(&explain(&server, &["bad"]), 1, &["ERROR 2 \"not for you\"", "by acl"]);
}

#[test]
fn roots_are_searched_in_their_order() {
    let setup = setup();
    setup.outside().write("exact/BOOT/BCD", b"exact");
    setup.outside().write("exact/Only", b"exact");
    setup.outside().write("exact/boot.KEY", b"exact");
    let server = setup
        .yaml("roots: [{ name: exact, path: exact }, { name: boot, path: root, case: insensitive }]\n")
        .start();
    assert_eq!(read(&server, "BOOT/BCD"), content(b"exact"));
    assert_eq!(read(&server, "boot/BCD"), content(b"bcd"));
    assert_eq!(read(&server, "Only"), content(b"exact"));
    assert_eq!(read(&server, "only"), not_found(), "the first root is sensitive to case");
    // The spelling that the second root stores is in the first root as well, where nobody asked for it.
    server.root().write("BOOT.KEY2", b"");
    server.root().write("only", b"insensitive");
    server.outside().write("exact/only", b"exact");
    assert_eq!(read(&server, "ONLY"), content(b"insensitive"));
    assert_explains(
        &explain(&server, &["ONLY"]),
        0,
        &["path \"only\" as stored in boot (case: insensitive)"],
    );
}

#[test]
fn a_large_folder_is_searched_quickly() {
    let setup = setup();
    for number in 0..100_000 {
        let path = setup.root().path(&format!("Boot/SEP{number:06}.cnf"));
        // Those that nobody requests have no content: one system call makes them.
        match number {
            0..500 | 99_999 => fs::write(path, number.to_string()).unwrap(),
            _ => mknodat(CWD, path, FileType::RegularFile, Mode::RUSR, 0).unwrap(),
        }
    }
    let server = setup.yaml(&format!("roots: [{ROOT}]\n")).start();
    assert_eq!(read(&server, "boot/sep099999.CNF"), content(b"99999"));
    let (began, cpu) = (Instant::now(), server.cpu_time());
    for number in 0..500 {
        assert_eq!(
            read(&server, &format!("boot/sep{number:06}.CNF")),
            content(number.to_string().as_bytes())
        );
        assert_eq!(read(&server, &format!("boot/none{number}")), not_found());
    }
    let (took, cpu) = (began.elapsed(), server.cpu_time() - cpu);
    assert!(cpu < Duration::from_secs(5), "{cpu:?} of processors for 1,000 requests in {took:?}");
}

#[test]
fn a_folder_that_hangs_costs_the_requests_for_it() {
    let Some(disk) = SlowDisk::mount() else { return };
    disk.file("File", b"slow");
    let setup = setup();
    let slow = disk.path().display();
    let server = setup
        .yaml(&format!(
            "roots: [{ROOT}, {{ name: slow, path: {slow}, case: insensitive }}]\nlimits: {{ open-time: 5s }}\n"
        ))
        .start();
    assert_eq!(read(&server, "FILE"), content(b"slow"));
    disk.set(Step::Folder, "", Pace::Hangs);
    let began = Instant::now();
    thread::scope(|scope| {
        for number in 0..4 {
            let server = &server;
            scope.spawn(move || {
                let mut peer = Peer::new(server.address());
                peer.ask(&crate::harness::rrq(&format!("hangs{number}"), &[]));
                assert_eq!(peer.receive_within(Duration::from_millis(4500)), None);
            });
        }
        for _ in 0..20 {
            assert_eq!(read(&server, "BOOT/bcd"), content(b"bcd"));
        }
        assert!(began.elapsed() < Duration::from_millis(4500), "{:?}", began.elapsed());
    });
    assert_ended(&server.outcome("hangs0"), "failed", "(`limits.open-time`)");
    disk.release();
}
