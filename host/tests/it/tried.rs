//! Where the file of a refused request was looked for: in the log, for observers, in the live view.

use crate::harness::{Answer, Peer, Server, Setup, http, rrq, tuffet, wrq};
use crate::policy::probe;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Phones ask for `SEP<MAC>.cnf.xml`, and `mac-map` says which file that is.
const PHONES: &str = r#"
policy: { resolve: [mac-map] }
plugins:
  mac-map:
    component: builtin:mac-map
    grants: [client-mac]
    settings:
      root: boot
      rules:
        - match: "*.cnf.xml"
          templates: ["phones/{mac}.cfg"]
          fallback: ["phones/default.cfg", "Default.cfg"]
"#;

#[track_caller]
fn refused(server: &Server, packet: &[u8], path: &str) -> Value {
    let mut peer = Peer::new(server.address());
    peer.ask(packet);
    assert!(matches!(peer.receive(), Answer::Error(..)));
    server.outcome(path)
}

#[track_caller]
fn assert_detail(line: &Value, parts: &[&str]) {
    let detail = line["detail"].as_str().unwrap_or_default();
    assert!(parts.iter().all(|part| detail.contains(part)), "{parts:?} in {line:#}");
}

/// Somebody saved the phone's file with the letters of its label. One line tells everything: the phone, what was
/// looked for and who said so, and what is there instead.
#[test]
fn a_phone_does_not_get_its_file_and_its_line_in_the_log_says_why() {
    let server = Setup::new().file("phones/02005E100001.CFG", b"its lines").rest_of_yaml(PHONES).start();
    let name = "SEP02005E100001.cnf.xml";
    let line = refused(&server, &rrq(name, &[]), name);
    assert_eq!((&line["outcome"], &line["mac"]), (&json!("not-found"), &json!("02:00:5e:10:00:01")));
    let tried = ["boot:phones/02005e100001.cfg", "boot:phones/default.cfg", "boot:Default.cfg"];
    assert_eq!(line["tried"], json!(tried));
    assert_eq!(line["tried_by"], "mac-map");
    assert_eq!(line["other_case"], json!(["boot:phones/02005E100001.CFG"]));
    assert_detail(
        &line,
        &["no such file", "boot:phones/02005E100001.CFG differs in upper and lower case alone"],
    );
}

#[test]
fn without_a_plugin_every_root_is_named_in_the_order_of_the_search() {
    let server = Setup::new();
    server.outside().write("second/.keep", b"");
    let server = server
        .yaml("roots: [{ name: first, path: root }, { name: hidden, path: second, private: true }, { name: second, path: second }]\n")
        .start();
    let line = refused(&server, &rrq("\\pxelinux.cfg\\default", &[]), "pxelinux.cfg/default");
    assert_eq!(line["tried"], json!(["first:pxelinux.cfg/default", "second:pxelinux.cfg/default"]));
    assert_eq!((&line["tried_by"], &line["other_case"]), (&Value::Null, &Value::Null));
    assert_detail(&line, &["the folder first:pxelinux.cfg does not exist"]);
}

#[test]
fn a_file_that_is_served_has_no_list() {
    let server = Setup::new().file("there", b"").start();
    assert_eq!(Peer::new(server.address()).read_plainly("there"), b"");
    assert_eq!(server.outcome("there")["tried"], Value::Null);
}

#[test]
fn an_upload_into_a_missing_folder_says_so() {
    let server = Setup::new().file("Backups/old", b"").writable().start();
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("backups/new", &[]));
    assert_eq!(peer.expect_error(1), "folder not found");
    let line = server.outcome("backups/new");
    assert_eq!(line["outcome"], "not-found");
    assert_detail(
        &line,
        &["no such folder: `backups`", "mkdir", "root:Backups differs in upper and lower case"],
    );
    assert_eq!(line["tried"], json!(["root:backups/new"]));
}

#[test]
fn other_refusals_name_the_place_too() {
    let setup = Setup::new().file("folder/file", b"").file("there", b"").writable();
    std::os::unix::fs::symlink("/etc/hostname", setup.root().path("out")).unwrap();
    let server = setup.start();
    for (packet, path, outcome, detail) in [
        (rrq("folder", &[]), "folder", "denied", "not a regular file"),
        (rrq("out", &[]), "out", "denied", "leads out of its root"),
        (wrq("there", &[]), "there", "denied", "overwrite: false"),
    ] {
        let line = refused(&server, &packet, path);
        assert_eq!((&line["outcome"], &line["tried"]), (&json!(outcome), &json!([format!("root:{path}")])));
        assert_detail(&line, &[detail]);
    }
    // Nothing was looked for.
    assert_eq!(refused(&server, &rrq("../x", &[]), "../x")["tried"], Value::Null);
}

/// Most missing files are misspelt, or asked for with the folder of another server in front.
#[test]
fn the_name_that_was_meant_is_named() {
    let server = Setup::new()
        .file("switch.cfg", b"x")
        .file("Phones/Default.cfg", b"x")
        .file("pxelinux.cfg/01-02-00-5e-10-00-01", b"x")
        .start();
    for (name, path, detail) in [
        ("siwtch.cfg", "siwtch.cfg", "; did you mean root:switch.cfg?"),
        ("switch.cgf", "switch.cgf", "; did you mean root:switch.cfg?"),
        ("phones/default.cfg", "phones/default.cfg", "alone; `case: insensitive` of the root serves it"),
        ("/tftpboot/switch.cfg", "tftpboot/switch.cfg", "`also-at: [/tftpboot]` of that root serves it"),
        (
            "tftpboot/switch.cfg",
            "tftpboot/switch.cfg",
            "without tftpboot/ in front the file is in the root root",
        ),
    ] {
        let line = refused(&server, &rrq(name, &[]), path);
        assert_eq!(line["outcome"], "not-found");
        assert_detail(&line, &[detail]);
        assert!(
            !detail.contains("also-at") || !line["detail"].as_str().unwrap().contains("did you mean"),
            "{line:#}"
        );
    }
    for name in ["pxelinux.cfg/01-02-00-5e-10-00-02", "elsewhere.bin"] {
        let line = refused(&server, &rrq(name, &[]), name);
        assert!(!line["detail"].as_str().unwrap().contains("did you mean"), "{line:#}");
    }
    // The remedies that the lines name.
    let remedied = Setup::new()
        .file("switch.cfg", b"x")
        .file("Phones/Default.cfg", b"y")
        .yaml("roots: [{ name: root, path: root, also-at: [/tftpboot], case: insensitive }]\n")
        .start();
    for (name, content) in [("/tftpboot/switch.cfg", b"x"), ("phones/default.cfg", b"y")] {
        assert_eq!(Peer::new(remedied.address()).read_plainly(name), content, "{name}");
    }
}

#[test]
fn the_list_is_bounded() {
    let files: Vec<String> = (0..60).map(|number| format!("{number}-{}", "x".repeat(250))).collect();
    let rules = format!("rules: [{{ match: \"*\", fallback: {files:?} }}]");
    let server = Setup::new()
        .rest_of_yaml(&format!(
            "policy: {{ resolve: [m] }}\nplugins: {{ m: {{ component: 'builtin:mac-map', grants: [client-mac], settings: {{ root: boot, {rules} }} }} }}\n"
        ))
        .start();
    let line = refused(&server, &rrq("any", &[]), "any");
    let tried = line["tried"].as_array().unwrap();
    let words: Vec<&str> = tried.iter().filter_map(Value::as_str).collect();
    assert_eq!((words.len(), words[14]), (16, "… 45 more …"), "{words:?}");
    assert!(words[15].starts_with("boot:59-") && words.iter().all(|word| word.len() <= 203), "{words:?}");
}

/// Reading folders for made-up names would let anybody use the disk.
#[test]
fn only_the_first_of_a_surge_get_a_second_look() {
    const COUNT: usize = 150;
    let names: Vec<String> = (0..COUNT).map(|number| format!("name-{number}")).collect();
    let setup = names.iter().fold(Setup::new(), |setup, name| setup.file(&name.to_uppercase(), b""));
    let (server, began) = (setup.start(), Instant::now());
    let mut peer = Peer::new(server.address());
    for name in &names {
        peer.ask(&rrq(name, &[]));
        peer.expect_error(1);
    }
    let seconds = began.elapsed().as_secs() as usize + 1;
    let lines: Vec<Value> = names.iter().map(|name| server.outcome(name)).collect();
    let looked = lines.iter().filter(|line| line["other_case"].is_array()).count();
    assert!(lines[0]["other_case"].is_array() && looked <= 20 * seconds, "{looked} in {seconds} s");
    assert!(seconds > 6 || looked < COUNT);
    assert!(lines.iter().all(|line| line["tried"].is_array()), "every line names what was tried");
}

#[test]
fn observers_the_live_view_and_top_have_it() {
    let component = probe();
    let server = Setup::new()
        .file("A/B", b"")
        .rest_of_yaml(&format!(
            "admin: {{ address: \"127.0.0.1:0\" }}\nsinks: {{ out: {{ file: out.jsonl }} }}\npolicy: {{ observe: [probe] }}\nplugins: {{ \
             probe: {{ component: \"{component}\", grants: [kv, files/boot, sinks/out], settings: {{ observe: out }} }} }}\n\
             state: state\n"
        ))
        .start();
    refused(&server, &rrq("a/b", &[]), "a/b");
    let live = server.live_until("the refusal", |live| live["finished"][0]["path"] == "a/b");
    let row = &live["finished"][0];
    assert_eq!((&row["tried"], &row["other_case"]), (&json!(["boot:a/b"]), &json!(["boot:A/B"])));
    let socket = server.outside().0.join("control");
    let top = tuffet(["top", "--once", "--control", socket.to_str().unwrap()]);
    assert!(String::from_utf8_lossy(&top.stdout).contains("no such file"), "{top:?}");
    let page = http(server.admin(), "/tables.js", &[]).body;
    assert!(page.contains("row.tried"), "the page shows it");
    server.stop();
    let told = std::fs::read_to_string(server.outside().path("out.jsonl")).unwrap();
    let finished = told.lines().find(|line| line.contains("\"finished\"")).unwrap();
    let finished: Value = serde_json::from_str(finished).unwrap();
    let told = (&finished["tried"], &finished["attributes"]);
    assert_eq!(told, (&json!(["boot:a/b"]), &json!(["other-case=boot:A/B"])));
}

/// A second look ends within a tenth of a second, whatever is in the folder.
#[test]
fn a_large_folder_delays_nobody_for_long() {
    let setup = Setup::new();
    for number in 0..20_000 {
        std::fs::write(setup.root().path(&format!("file-{number}")), b"").unwrap();
    }
    let server = setup.start();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("missing", &[]));
    let answer = peer.receive_within(Duration::from_secs(5));
    assert!(matches!(answer, Some(Answer::Error(1, _))), "{answer:?}");
}
