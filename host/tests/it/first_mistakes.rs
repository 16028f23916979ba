//! The first mistakes of a new operator get the messages that docs/troubleshooting.md has for them.

use crate::harness::{
    Answer, Peer, Ran, Server, Setup, check_in, error, is_root, own_loopback, rrq, run, wrq,
};
use std::collections::HashMap;
use std::fs;
use std::net::UdpSocket;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/troubleshooting.md");

/// The messages of the page, by the mistake. Each is taken once.
struct Messages(HashMap<String, String>);

impl Messages {
    fn read() -> Messages {
        let page = fs::read_to_string(PAGE).unwrap();
        let (_, section) = page.split_once("\n## First mistakes").unwrap();
        let (section, _) = section.split_once("\n## ").unwrap();
        let row = |line: &str| {
            let (mistake, message) = line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | ")?;
            // Of code with backticks, Markdown takes a space at both ends away.
            let message = message.trim_matches('`').trim();
            Some((mistake.to_owned(), message.to_owned()))
        };
        Messages(section.lines().filter_map(row).filter(|(mistake, _)| mistake != "mistake").collect())
    }

    #[track_caller]
    fn take(&mut self, mistake: &str) -> String {
        self.0.remove(mistake).unwrap_or_else(|| panic!("no row for {mistake:?} in {:?}", self.0))
    }
}

#[track_caller]
fn assert_says(ran: &Ran, message: &str) {
    let text = format!("{}{}", String::from_utf8_lossy(&ran.stdout), ran.stderr);
    assert!(text.contains(message), "{message:?} is missing in\n{text}");
}

#[test]
fn each_gets_its_message() {
    let mut messages = Messages::read();
    assert!(messages.0.len() >= 20, "{}", messages.0.len());
    configurations(&mut messages);
    commands(&mut messages);
    requests(&mut messages);
    // These take a network; `hints` asserts the same words.
    for mistake in ["a firewall or NAT drops the answers", "the path drops large blocks"] {
        messages.take(mistake);
    }
    assert!(messages.0.is_empty(), "not tried: {:?}", messages.0);
}

/// Of `tuffet check`.
fn configurations(messages: &mut Messages) {
    let setup = Setup::new().file("a", b"x");
    let acl = "plugins: { acl: { component: \"builtin:acl\", settings: { allow: [{ clients: [\"192.0.2.0/24\"] }] } } }\n";
    let one = "roots: [{ name: boot, path: root }]\n";
    for (mistake, yaml) in [
        (
            "a line of the configuration is indented by a space too few",
            "roots:\n  - name: boot\n    path: root\n   writable: true\n".to_owned(),
        ),
        ("a tab in the indentation", "roots:\n\t- name: boot\n".to_owned()),
        ("no space behind a colon", "roots:\n  - name:boot\n    path: root\n".to_owned()),
        ("a key is misspelt", "roots: [{ name: boot, path: root, writeable: true }]\n".to_owned()),
        ("a key in the wrong section", format!("{one}single-port: true\n")),
        ("a mapping where a list is due", "roots: { name: boot, path: root }\n".to_owned()),
        ("a folder that begins with `~`", "roots: [{ name: boot, path: ~/tftp }]\n".to_owned()),
        ("a root that is a file", "roots: [{ name: boot, path: root/a }]\n".to_owned()),
        ("a plugin that no chain names", format!("{one}{acl}")),
        ("`acl` only allows, and everybody is served", format!("{one}policy: {{ authorize: [acl] }}\n{acl}")),
        ("`default: deny`, and nobody is served", format!("{one}policy: {{ default: deny }}\n")),
    ] {
        let listener = format!("listeners: [{{ address: \"{}:0\" }}]\n", own_loopback());
        let ran = check_in(&setup.outside(), &format!("{listener}{yaml}"));
        assert_says(&ran, &messages.take(mistake));
    }
}

/// Of `tuffet serve`.
fn commands(messages: &mut Messages) {
    let setup = Setup::new();
    let root = setup.root().path("");
    let root = root.to_str().unwrap();
    let taken = UdpSocket::bind((own_loopback(), 0)).unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let serve = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
        run(command.arg("serve").args(words))
    };
    let missing = format!("{root}/nowhere");
    assert_says(
        &serve(&["--root", &missing, "--listen", &address]),
        &messages.take("the folder of `--root` is misspelt"),
    );
    let filtered = serve(&["--root", root, "--listen", &address, "--log", "warning"]);
    assert_says(&filtered, &messages.take("`--log warning`"));
    setup.outside().write(
        "taken.yaml",
        format!("listeners: [{{ address: \"{address}\" }}]\nroots: [{{ name: boot, path: root }}]\ncontrol: none\n").as_bytes(),
    );
    let file = setup.outside().path("taken.yaml");
    assert_says(&serve(&["--config", file.to_str().unwrap()]), &messages.take("another server has the port"));
}

/// In the log.
fn requests(messages: &mut Messages) {
    let setup = Setup::new()
        .file("switch.cfg", b"x")
        .file("Phone.cfg", b"x")
        .file("private", b"x")
        .yaml("roots: [{ name: boot, path: root }]\n")
        .user(is_root().then_some("65534"));
    fs::set_permissions(setup.outside().0, fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(setup.root().path("private"), fs::Permissions::from_mode(0o000)).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", setup.root().path("link")).unwrap();
    let server = setup.start();
    for (mistake, packet, path) in [
        ("the server's user cannot read a file", rrq("private", &[]), "private"),
        ("a name in another case", rrq("phone.cfg", &[]), "phone.cfg"),
        ("a name with a slip of the finger", rrq("siwtch.cfg", &[]), "siwtch.cfg"),
        (
            "a name with the folder of the old server in front",
            rrq("/tftpboot/switch.cfg", &[]),
            "tftpboot/switch.cfg",
        ),
        ("a link that leads out of the root", rrq("link", &[]), "link"),
        ("an upload to a root that takes none", wrq("up", &[]), "up"),
    ] {
        let detail = detail(&server, &packet, path);
        let message = messages.take(mistake);
        assert!(detail.contains(&message), "{message:?} is missing in {detail:?}");
    }
}

fn detail(server: &Server, packet: &[u8], path: &str) -> String {
    let mut peer = Peer::new(server.address());
    peer.ask(packet);
    match peer.receive() {
        Answer::Error(..) => {}
        other => {
            peer.send(&error(0, "enough"));
            panic!("{path}: {other:?}");
        }
    }
    server.outcome(path)["detail"].as_str().unwrap().to_owned()
}
