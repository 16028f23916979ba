//! Names as loaders, scripts and the maps of old servers spell them.

use crate::harness::{
    Answer, Peer, Ran, Server, Setup, ack, assert_ended, compiled, data, request, rrq, run, tuffet,
};
use crate::import::beside::{Pair, Started, compare, read, write};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

/// iPXE, shim and the loaders of Windows spell one name in all these ways.
const SPELLINGS: [&str; 11] = [
    "Boot/BCD",
    "/Boot/BCD",
    "\\Boot\\BCD",
    "/Boot\\BCD",
    "\\Boot/BCD",
    "//Boot/BCD",
    "//\\Boot\\BCD",
    "/\\Boot\\BCD",
    "\\\\Boot\\BCD",
    "\\/Boot/BCD",
    "/\\\\Boot\\\\BCD",
];

const HPA: Started = Started {
    name: "in.tftpd -m",
    program: "in.tftpd",
    package: "tftpd-hpa",
    server: "tftpd-hpa",
    variable: None,
    import: &[],
    flags: "-l -a ADDR:69 -c -p -u root -m AROUND/map -s HERE",
    foreground: "-L",
    code: 0,
};

const DNSMASQ: Started = Started {
    name: "dnsmasq",
    program: "dnsmasq",
    package: "dnsmasq-base",
    server: "dnsmasq",
    variable: None,
    import: &[],
    flags: "-C /dev/null --port=0 --enable-tftp --user=nobody --listen-address=ADDR --bind-interfaces \
            --tftp-root=HERE",
    foreground: "--keep-in-foreground --log-facility=- --pid-file=",
    code: 0,
};

/// Puts a file into the folder, and a map beside it.
fn with_map(map: &'static str) -> impl Fn(&Path) {
    move |folder| {
        fs::create_dir(folder.join("Boot")).unwrap();
        fs::write(folder.join("Boot/BCD"), "bcd").unwrap();
        fs::write(folder.ancestors().nth(2).unwrap().join("map"), map).unwrap();
    }
}

fn ask(server: &Server, packet: &[u8]) -> Answer {
    let mut peer = Peer::new(server.address());
    peer.ask(packet);
    let answer = peer.receive();
    match answer {
        Answer::Data(1, _) => peer.send(&ack(1)),
        Answer::Ack(0) => {
            peer.send(&data(1, b"stored"));
            return peer.receive();
        }
        _ => {}
    }
    answer
}

fn content(bytes: &[u8]) -> Answer {
    Answer::Data(1, bytes.to_vec())
}

fn refused(text: &str) -> Answer {
    Answer::Error(2, text.into())
}

fn explain(server: &Server, name: &str) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    command.env("CACHE_DIRECTORY", compiled());
    command.args(["explain", "--live", "--control"]).arg(server.outside().0.join("control")).arg(name);
    run(&mut command)
}

#[test]
fn any_run_of_separators_at_the_start_is_one() {
    let server = Setup::new().file("Boot/BCD", b"bcd").writable().start();
    for name in SPELLINGS {
        assert_eq!(ask(&server, &rrq(name, &[])), content(b"bcd"), "{name}");
        assert_eq!(server.outcome("Boot/BCD")["resolved"], "root:Boot/BCD");
    }
    assert_eq!(ask(&server, &request(2, b"\\\\up", b"octet", &[])), Answer::Ack(1));
    assert_eq!(server.root().read("up"), b"stored");
    for (name, why) in [
        ("\\\\..\\BCD", "file name holds `..`"),
        ("/\\C:\\Boot\\BCD", "file name holds a drive letter"),
        ("\\\\", "empty file name"),
    ] {
        assert_eq!(ask(&server, &rrq(name, &[])), refused(why), "{name}");
    }
}

#[test]
fn the_old_servers_serve_the_same_spellings() {
    let asked = SPELLINGS.map(|name| read(name.as_bytes()));
    if let Some(pair) = Pair::start(HPA, with_map("rg \\\\ /\n")) {
        compare(&pair, &asked, &[]);
    }
    if let Some(pair) = Pair::start(DNSMASQ, with_map("")) {
        compare(&pair, &asked, &[]);
    }
}

/// The sample map of in.tftpd's manual strips drive letters; sites add rules for what their ROMs append.
#[test]
fn maps_repair_what_the_server_would_refuse() {
    let map = "# Windows\nri ^[a-z]:\nrg \\\\ /\nr ^([!-~]+)[^!-~].*$ \\1\nr ^/*(up)?/*\\.\\./ \\1/\n";
    let Some(pair) = Pair::start(HPA, with_map(map)) else { return };
    let names: [&[u8]; 13] = [
        b"C:\\Boot\\BCD",
        b"c:/Boot/BCD",
        b"c:Boot/BCD",
        b"/\\Boot\\BCD",
        b"Boot/BCD\x01\x02",
        b"Boot/BCD\x03/../../etc/passwd",
        b"Boot/BCD\xff\x01",
        b"Boot/BCD\x80\x90",
        b"Boot/BCD\n",
        b"../Boot/BCD",
        b"..\\Boot\\BCD",
        b"C:\\none",
        b"C:",
    ];
    let mut asked = names.map(read).to_vec();
    asked.extend(
        [b"C:dump.bin".as_slice(), b"c:\\second.bin", b"third.bin\x01"].map(|name| write(name, b"dump")),
    );
    compare(&pair, &asked, &[]);
}

const REPAIRS: &str = r#"
policy: { default: allow, authorize: [acl], resolve: [remap] }
plugins:
  acl:
    component: builtin:acl
    settings: { deny: [{ names: ["secret/**", "*.key"], message: "not for you" }, { clients: [127.0.0.9] }] }
  remap:
    component: builtin:remap
    settings:
      root: boot
      backslashes: true
      rules:
        - { match: '^[a-z]:', replace: '', flags: [ignore-case] }
"#;

fn repairing(rules: &str) -> Setup {
    Setup::new()
        .file("boot/bcd", b"bcd")
        .file("secret/plan", b"the plan")
        .file("boot/a.key", b"the key")
        .yaml(&format!("roots: [{{ name: boot, path: root, writable: true }}]{rules}"))
}

#[test]
fn a_repaired_name_is_judged_served_and_logged() {
    let server = repairing(REPAIRS).start();
    for name in ["C:\\boot\\bcd", "c:/boot/bcd", "/\\C:\\boot\\bcd"] {
        let expected =
            if name.starts_with('/') { refused("file name holds a drive letter") } else { content(b"bcd") };
        assert_eq!(ask(&server, &rrq(name, &[])), expected, "{name}");
        let line = server.any_outcome();
        if expected == content(b"bcd") {
            let facts = ["path", "resolved", "verdict_by", "requested"].map(|key| line[key].as_str());
            assert_eq!(facts, [Some("boot/bcd"), Some("boot:boot/bcd"), Some("remap"), Some(name)]);
        }
    }
    // `acl` judges what would be opened, or written.
    for name in ["C:\\secret\\plan", "c:secret/plan", "C:/boot/a.key", "C:\\boot\\none.key"] {
        assert_eq!(ask(&server, &rrq(name, &[])), refused("not for you"), "{name}");
        assert_ended(&server.any_outcome(), "denied", "deny rule 1");
        assert_eq!(
            ask(&server, &request(2, name.as_bytes(), b"octet", &[])),
            refused("not for you"),
            "{name}"
        );
        assert_eq!(server.any_outcome()["verdict_by"], "acl");
    }
    let mut stranger = Peer::from([127, 0, 0, 9], server.address());
    stranger.ask(&rrq("C:\\boot\\bcd", &[]));
    stranger.expect_error(2);
    assert_ended(&server.any_outcome(), "denied", "deny rule 2");
    assert_eq!(ask(&server, &request(2, b"C:dump.bin", b"octet", &[])), Answer::Ack(1));
    assert_eq!(server.outcome("dump.bin")["resolved"], "boot:dump.bin");
    assert_eq!(server.root().read("dump.bin"), b"stored");
    assert_eq!(ask(&server, &rrq("C:\\none", &[])), Answer::Error(1, "file not found".into()));
    assert_eq!(server.any_outcome()["tried"], json!(["boot:none"]));

    let explained = explain(&server, "C:\\boot\\bcd");
    let text = String::from_utf8_lossy(&explained.stdout).into_owned();
    assert_eq!(explained.code(), 0, "{text}");
    for part in [
        "not safe as sent: file name holds a drive letter",
        "path \"boot/bcd\"",
        "remap: files (boot:boot/bcd)",
        "granted: boot:boot/bcd",
    ] {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
    let explained = explain(&server, "C:\\secret\\plan");
    let text = String::from_utf8_lossy(&explained.stdout).into_owned();
    assert!(explained.code() == 1 && text.contains("not for you"), "{text}");
}

/// A rule changes safe names, too: `acl` judges what would be opened.
#[test]
fn no_mapping_leads_past_acl() {
    let policy = |settings: &str| {
        let before = REPAIRS.split("      root: boot").next().unwrap();
        repairing(&format!("{before}      root: boot\n      {settings}\n")).start()
    };
    for (settings, name) in [
        ("lowercase: true", "SECRET/plan"),
        ("rules: [{ match: '\\.\\.', replace: '', flags: [global] }]", "....//secret/plan"),
        ("rules: [{ match: '^public/', replace: 'secret/' }]", "public/plan"),
        ("prefix: secret", "plan"),
    ] {
        let server = policy(settings);
        for opcode in [1, 2] {
            let answer = ask(&server, &request(opcode, name.as_bytes(), b"octet", &[]));
            assert_eq!(answer, refused("not for you"), "{name} with {settings}");
            let line = server.any_outcome();
            assert_ended(&line, "denied", "deny rule 1");
            assert_eq!(line["verdict_by"], "acl");
        }
        let explained = explain(&server, name);
        let text = String::from_utf8_lossy(&explained.stdout).into_owned();
        assert!(explained.code() == 1 && text.contains("acl: deny"), "{text}");
        assert_eq!(server.root().read("secret/plan"), b"the plan");
    }
    let server = policy("rules: [{ match: '^public/', replace: 'boot/' }]");
    assert_eq!(ask(&server, &rrq("public/bcd", &[])), content(b"bcd"));
}

/// What no rule repairs is refused in the words of before, by nobody.
#[test]
fn what_no_rule_repairs_stays_refused() {
    let with_rules = REPAIRS.replace("backslashes: true", "prefix: boot");
    // The path of a hook, as it is, is no repair: not in a folder of the machine either.
    let mac_map = r#"
policy: { resolve: [mac-map] }
plugins:
  mac-map:
    component: builtin:mac-map
    grants: [client-mac]
    settings: { root: boot, rules: [{ templates: ["boot/{path}"], fallback: ["boot/{path}"] }] }
"#;
    for rules in ["\n", &with_rules, mac_map] {
        let server = repairing(rules).file("boot/c\n", b"c").file("boot/\u{fffd}/x", b"x").start();
        for (name, why) in [
            (&b"../boot/bcd"[..], "file name holds `..`"),
            (b"boot/../boot/bcd", "file name holds `..`"),
            (b"c\n", "file name holds a control character"),
            (b"\x1b[2Jbcd", "file name holds a control character"),
            (b"bcd\x80", "file name is neither UTF-8 nor Latin-1"),
            (b"/\\D:\\x", "file name holds a drive letter"),
            (b"//", "empty file name"),
            (&[b'n'; 300], "file name too long"),
        ] {
            for opcode in [1, 2] {
                let answer = ask(&server, &request(opcode, name, b"octet", &[]));
                assert_eq!(answer, refused(why), "{} with {rules}", name.escape_ascii());
                let line = server.any_outcome();
                assert_ended(&line, "denied", &format!("the name is refused: {why}"));
                assert_eq!(line["verdict_by"], Value::Null, "{line}");
            }
        }
    }
}

/// Each rule with each name: what is served is a file of the root that `acl` allows, and no line of the log has a control
/// character.
#[test]
fn no_rule_leads_out_or_past_acl_or_into_the_log() {
    let rule = |text: &str| format!("rules: [{text}]");
    let rules = [
        rule("{ match: '^[a-z]:', replace: '', flags: [ignore-case] }"),
        rule("{ match: '\\.\\.', replace: '', flags: [global] }"),
        rule("{ match: '\\.\\./', replace: '', flags: [repeat] }"),
        rule("{ match: '^.*$', replace: '../secret' }"),
        rule("{ match: '^.*$', replace: '/../\\0' }"),
        rule("{ match: '^.*$', replace: 'secret/plan' }"),
        rule("{ match: '[^ -~].*$', replace: '' }"),
        rule("{ match: '[^ -~]', replace: '/', flags: [global] }"),
        rule("{ match: '$', replace: \"\\x01\\x1b[2J\" }"),
        rule("{ match: '^C:', replace: 'D:' }"),
        rule("{ match: '^', replace: 'boot/' }"),
        rule("{ match: '(secret|SECRET)', replace: '\\L\\1' }"),
        rule("{ match: 'x', deny: '\\0 is not here' }"),
        "lowercase: true".into(),
        "prefix: secret".into(),
        "also-at: [{ path: /secret, root: boot }, { path: \"/C:\", root: boot }]".into(),
    ];
    let names: [&[u8]; 32] = [
        b"C:\\secret\\plan",
        b"c:/secret/plan",
        b"C:secret/plan",
        b"../secret",
        b"..\\secret",
        b"../secret/plan",
        b"....//secret/plan",
        b"..././secret/plan",
        b"boot/../secret/plan",
        b"/..//secret/plan",
        b"\\\\..\\secret",
        b"/\\secret\\plan\x01",
        b"secret/plan\xff",
        b"secret/plan\xff\x01",
        b"secret\x01plan",
        b"secret\x0aplan",
        b"\x01secret/plan",
        b"C:\\C:\\secret\\plan",
        b"C:/../secret",
        b"C:\\boot\\a.key",
        b"boot/a.key\x01",
        b"boot/a.key/\x01",
        b"SECRET/PLAN\x01",
        b"C:\\SECRET\\PLAN",
        b"/C:/secret/plan",
        b"x\n2026 INFO served 10.0.0.9 read boot:secret",
        b"x\x1b]0;title\x07",
        b"\xe2\x80\xae\x01x",
        b"\xc2\x85x",
        b"boot/bcd\r\n",
        b"C:",
        b"\x7f",
    ];
    for rules in &rules {
        let before = REPAIRS.split("      root: boot").next().unwrap();
        let server = repairing(&format!("{before}      root: boot\n      {rules}\n")).start();
        server.outside().write("outside", b"outside");
        for name in names {
            for opcode in [1, 2] {
                let answer = ask(&server, &request(opcode, name, b"octet", &[]));
                let fine = match &answer {
                    Answer::Data(1, bytes) => bytes == b"bcd" || bytes == b"stored",
                    Answer::Error(..) => true,
                    Answer::Ack(1) => opcode == 2,
                    _ => false,
                };
                assert!(fine, "{} with {rules}: {answer:?}", name.escape_ascii());
                if let Answer::Error(_, text) = &answer {
                    assert!(
                        !text.contains(char::is_control),
                        "{} with {rules}: {text:?}",
                        name.escape_ascii()
                    );
                }
                let line = server.any_outcome();
                let resolved = line["resolved"].as_str().unwrap_or_default();
                assert!(!resolved.contains("secret/plan") && !resolved.contains(".key"), "{line}");
                for key in ["path", "resolved", "detail"] {
                    let text = line[key].as_str().unwrap_or_default();
                    assert!(!text.contains(char::is_control), "{} with {rules}: {line}", name.escape_ascii());
                }
            }
        }
        let log = server.log();
        assert!(!log.contains(|char: char| char.is_control() && char != '\n'), "{rules}: {log:?}");
        assert_eq!(server.root().read("secret/plan"), b"the plan", "{rules}");
        assert_eq!(server.root().read("boot/a.key"), b"the key", "{rules}");
        assert_eq!(server.outside().read("outside"), b"outside", "{rules}");
    }
}

/// Old ROMs copy the file name of DHCP with what follows it in their buffer.
#[test]
fn netboot_cuts_what_old_roms_append() {
    let tails: [&[u8]; 5] = [b"\xff", b"\x01\x02\x03", b"\xff\x03\x04junk", b"\x0c/../../etc", b"\n"];
    let yaml = |netboot: &str| {
        format!("roots: [{{ name: boot, path: root, writable: true }}]\nnetboot: {netboot}\n")
    };
    for (netboot, cuts) in [
        ("{ preset: true }", true),
        ("{ name-tails: true }", true),
        ("{ preset: true, name-tails: false }", false),
    ] {
        let server = Setup::new().file("boot/pxe.0", b"pxe").yaml(&yaml(netboot)).start();
        for tail in tails {
            let name = [b"boot\\pxe.0", tail].concat();
            let answer = ask(&server, &request(1, &name, b"octet", &[]));
            // What DHCP leaves at the end of a name is dropped anyway.
            if cuts || tail == b"\xff" {
                assert_eq!(answer, content(b"pxe"), "{netboot}: {}", tail.escape_ascii());
                server.outcome("boot/pxe.0");
            } else {
                assert!(matches!(answer, Answer::Error(1 | 2, _)), "{netboot}: {}", tail.escape_ascii());
            }
        }
        let answer = ask(&server, &request(2, b"up\x01\x02", b"octet", &[]));
        assert_eq!(answer == Answer::Ack(1), cuts, "{netboot}: {answer:?}");
        for name in [&b"../x\x01"[..], b"\x01boot/pxe.0", b"C:\\x\x01"] {
            let answer = ask(&server, &request(1, name, b"octet", &[]));
            assert!(matches!(answer, Answer::Error(2, _)), "{netboot}: {}", name.escape_ascii());
        }
    }
}

/// A request may lack its last NUL: behind the mode, or behind the last value.
#[test]
fn a_request_without_its_last_nul_is_served() {
    let server = Setup::new().file("f", &[7; 600]).writable().start();
    let ask = |packet: &[u8]| {
        let mut peer = Peer::new(server.address());
        peer.ask(packet);
        peer.receive()
    };
    for (packet, answer) in [
        (&b"\0\x01f\0octet"[..], Answer::Data(1, vec![7; 512])),
        (b"\0\x01f\0OCTET", Answer::Data(1, vec![7; 512])),
        (b"\0\x01f\0octet\0blksize\x001024", Answer::Oack("blksize=1024".into())),
        (b"\0\x01f\0octet\0tsize\x000\0blksize\x001024", Answer::Oack("blksize=1024 tsize=600".into())),
        (b"\0\x02up\0octet", Answer::Ack(0)),
    ] {
        assert_eq!(ask(packet), answer, "{}", packet.escape_ascii());
    }
    for packet in [&b"\0\x01f\0"[..], b"\0\x01f", b"\0\x01f\0octe"] {
        assert!(matches!(ask(packet), Answer::Error(4, _)), "{}", packet.escape_ascii());
    }
}

/// A case of an author sees what the server would give its plugin.
#[test]
fn cases_of_plugins_have_names_that_are_not_safe() {
    let setup = Setup::new();
    let case = |path: Value, expect: Value| json!({ "name": path.to_string(), "request": { "path": path }, "expect": expect });
    let cases = json!({
        "component": "builtin:remap",
        "roots": ["boot"],
        "settings": { "root": "boot", "dialect": "tftpd-hpa-5.2", "map": "ri ^[a-z]:\nr ^(pxe).*$ \\1\n" },
        "cases": [
            case("C:/boot/bcd".into(), json!({ "files": ["boot:boot/bcd"] })),
            case("pxe\u{1}\u{2}".into(), json!({ "files": ["boot:pxe"] })),
            case(json!({ "hex": "707865ff01" }), json!({ "files": ["boot:pxe"] })),
            case("../x".into(), json!("abstain")),
        ],
    });
    setup.outside().write("cases.yaml", cases.to_string().as_bytes());
    let ran = tuffet(["plugin", "test", setup.outside().path("cases.yaml").to_str().unwrap()]);
    assert!(String::from_utf8_lossy(&ran.stdout).ends_with("4 passed, 0 failed\n"), "{ran:?}");
}
