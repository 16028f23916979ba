//! `write.versions`.

use super::{half, put, put_plainly, server, yaml};
use crate::harness::{Answer, Client, Disk, Options, Peer, Server, Setup, assert_ended, data, rrq, wrq};
use crate::policy::probe;
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, SystemTime};

#[test]
fn earlier_files_are_kept_and_the_oldest_go() {
    let server = server("versions: { keep: 2 }");
    for content in ["one", "two", "three", "four", "five"] {
        put(&server, "sw.cfg", content.as_bytes());
    }
    let root = server.root();
    assert_eq!(root.names(), ["sw.cfg", "sw.cfg.~3~", "sw.cfg.~4~"]);
    assert_eq!(root.read("sw.cfg"), b"five");
    // Versions are read as any file.
    assert_eq!(Peer::new(server.address()).read_plainly("sw.cfg.~3~"), b"three");
    assert_eq!(Peer::new(server.address()).read_plainly("sw.cfg.~4~"), b"four");
}

#[test]
fn a_version_keeps_time_and_permissions() {
    let server = server("versions: { keep: 2 }");
    put(&server, "sw.cfg", b"one");
    let about = |name: &str| {
        let about = std::fs::metadata(server.root().path(name)).unwrap();
        (about.ino(), about.mode(), about.mtime(), about.mtime_nsec())
    };
    let before = about("sw.cfg");
    put(&server, "sw.cfg", b"two");
    assert_eq!(about("sw.cfg.~1~"), before);
}

#[test]
fn no_client_writes_a_version() {
    let server = server("versions: { keep: 2 }");
    for name in ["sw.cfg.~1~", "no-such-file.~999999999~"] {
        let mut peer = Peer::new(server.address());
        peer.ask(&wrq(name, &[]));
        assert_eq!(peer.expect_error(2), "names that end with .~NUMBER~ are earlier versions");
        assert_ended(&server.outcome(name), "denied", "`versions`");
    }
    assert!(server.root().names().is_empty());
    // These are no names of versions.
    for name in ["a~", "a.~0~", "a.~x~", "a.~1~.b"] {
        put_plainly(&server, name, b"x");
    }
}

#[test]
fn names_with_odd_characters_and_long_ones() {
    let server = server("versions: { keep: 2 }");
    let longest = "x".repeat(243);
    for name in ["-rf *.cfg", "ä ö\"'$(x).cfg", ".hidden", "a.~1~b", "%s{}", &longest] {
        put_plainly(&server, name, b"one");
        put_plainly(&server, name, b"two");
        assert_eq!(server.root().read(&format!("{name}.~1~")), b"one", "{name}");
    }
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq(&"x".repeat(244), &[]));
    assert_eq!(peer.expect_error(2), "the name is too long for earlier versions");
}

/// Other files with similar names are nobody's versions.
#[test]
fn only_versions_of_this_file_are_removed() {
    let server = server("versions: { keep: 1 }");
    let root = server.root();
    for name in ["sw.~1~", "sw.cfg.~01~", "sw.cfg.~2~.bak", "xsw.cfg.~1~", "sw.cfg.~1~x"] {
        root.write(name, b"operator");
    }
    std::fs::create_dir(root.path("sw.cfg.~1~")).unwrap();
    let before = root.names();
    for content in ["one", "two", "three", "four"] {
        put(&server, "sw.cfg", content.as_bytes());
    }
    let mut after = root.names();
    after.retain(|name| !["sw.cfg", "sw.cfg.~4~"].contains(&name.as_str()));
    assert_eq!(after, before);
    assert_eq!(root.read("sw.cfg.~4~"), b"three", "after the folder, numbers go on");
}

/// The names of versions without their times.
fn without_times(names: &[String]) -> Vec<String> {
    let shape = |name: &String| match name.split_once(".~") {
        Some((of, rest)) if rest.as_bytes().get(15) == Some(&b'Z') => format!("{of}.~TIME{}", &rest[16..]),
        _ => name.clone(),
    };
    names.iter().map(shape).collect()
}

/// The clock of the file system may be set back, so the number decides which one is the oldest.
#[test]
fn a_version_with_the_time_of_its_file() {
    let server = server("versions: { keep: 3, names: time }");
    let root = server.root();
    let day = Duration::from_secs(86_400);
    let noon = SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_780_800);
    for (content, modified) in
        [("one", noon), ("two", noon + day), ("three", noon), ("four", noon - day), ("five", noon)]
    {
        put(&server, "sw.cfg", content.as_bytes());
        File::options().write(true).open(root.path("sw.cfg")).unwrap().set_modified(modified).unwrap();
    }
    let names = [
        "sw.cfg",
        "sw.cfg.~20261126T120000Z.4~",
        "sw.cfg.~20261127T120000Z.3~",
        "sw.cfg.~20261128T120000Z.2~",
    ];
    assert_eq!(root.names(), names);
    for (name, content) in names.into_iter().zip(["five", "four", "three", "two"]) {
        assert_eq!(Peer::new(server.address()).read_plainly(name), content.as_bytes(), "{name}");
    }
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq(names[1], &[]));
    assert_eq!(peer.expect_error(2), "names that end with .~TIME.NUMBER~ are earlier versions");
    peer = Peer::new(server.address());
    peer.ask(&wrq(&"x".repeat(227), &[]));
    assert_eq!(peer.expect_error(2), "the name is too long for earlier versions");
}

/// Both kinds of names have one row of numbers, so the oldest ones go.
#[test]
fn names_with_and_without_times_of_one_file() {
    let server = server("versions: { keep: 4 }");
    let rename_by = |names: &str| {
        server.rewrite(&yaml(&format!("versions: {{ keep: 4, names: {names} }}")));
        server.ask("reload").assert_good();
    };
    let put_each =
        |contents: &[&str]| contents.iter().for_each(|content| put(&server, "a", content.as_bytes()));
    put_each(&["one", "two", "three"]);
    rename_by("time");
    put_each(&["four", "five"]);
    assert_eq!(without_times(&server.root().names()), ["a", "a.~1~", "a.~TIME.3~", "a.~TIME.4~", "a.~2~"]);
    put_each(&["six"]);
    rename_by("number");
    put_each(&["seven", "eight"]);
    let names = server.root().names();
    assert_eq!(without_times(&names), ["a", "a.~TIME.4~", "a.~TIME.5~", "a.~6~", "a.~7~"]);
    let mut contents: Vec<Vec<u8>> = names.iter().map(|name| server.root().read(name)).collect();
    contents.sort();
    assert_eq!(contents, [&b"eight"[..], b"five", b"four", b"seven", b"six"]);
}

/// Each of them was acknowledged, so each is the file or a version.
#[test]
fn uploads_of_one_name_at_once_are_all_kept() {
    for names in ["number", "time"] {
        let rules =
            format!("writable: true, overwrite: true, write: {{ versions: {{ keep: 50, names: {names} }} }}");
        // Two roots that lead to one folder.
        let roots = format!(
            "roots: [{{ name: in, path: root, {rules} }}, {{ name: too, path: root, also-at: [/too], {rules} }}]\n"
        );
        all_are_kept(&Setup::new().yaml(&roots).start());
    }
}

fn all_are_kept(server: &Server) {
    let path = |number: usize| if number.is_multiple_of(2) { "sw.cfg" } else { "/too/sw.cfg" };
    let peers: Vec<Peer> = (0..12).map(|number| half(server, path(number))).collect();
    for (number, peer) in peers.iter().enumerate() {
        peer.send(&data(2, format!("end {number}").as_bytes()));
    }
    for mut peer in peers {
        assert_eq!(peer.receive(), Answer::Ack(2));
    }
    let root = server.root();
    let mut ends: Vec<Vec<u8>> = root.names().iter().map(|name| root.read(name)[512..].to_vec()).collect();
    let mut expected: Vec<Vec<u8>> = (0..12).map(|number| format!("end {number}").into_bytes()).collect();
    ends.sort();
    expected.sort();
    assert_eq!(ends, expected);
}

/// The version gets another name for the file, which changes one of its times.
#[test]
fn who_reads_the_file_gets_it_to_the_end() {
    let server = server("versions: { keep: 2 }");
    let old = crate::harness::bytes(100_000);
    put(&server, "sw.cfg", &old);
    let mut reader = Peer::new(server.address());
    reader.ask(&rrq("sw.cfg", &[]));
    let Answer::Data(1, first) = reader.receive() else { panic!("no data") };
    put(&server, "sw.cfg", b"new");
    let mut read = first;
    reader.send(&crate::harness::ack(1));
    read.extend(reader.read_on(2));
    assert!(read == old);
}

/// A plugin's destination that exists becomes a version; its next free name replaces nothing.
#[test]
fn versions_of_renamed_uploads() {
    for (decision, names) in
        [("rename kept/there", &["there", "there.~1~"][..]), ("free kept/there", &["there", "there.1"])]
    {
        let policy = format!(
            "state: state\nsinks: {{ out: {{ file: out.jsonl }} }}\npolicy: {{ accept-upload: [p], time-limit: 40s \
             }}\nplugins:\n  p:\n    component: \"{}\"\n    grants: [kv, files/in, sinks/out]\n    limits: {{ time: \
             20s, wall: 40s }}\n    settings: {{ upload: \"{decision}\" }}\n",
            probe()
        );
        let yaml = yaml("versions: { keep: 2 }") + &policy;
        let server = Setup::new().file("kept/there", b"old").yaml(&yaml).start();
        put(&server, "up", b"new");
        let folder = crate::harness::Folder(server.root().path("kept"));
        assert_eq!(folder.names(), names, "{decision}");
    }
}

/// The old file and its versions stay as they are.
#[test]
fn a_full_disk() {
    let Some(disk) = Disk::new("size=256k,nr_inodes=5") else { return };
    let rules = "write: { versions: { keep: 2 } }";
    let root = format!(
        "roots: [{{ name: in, path: '{}', writable: true, overwrite: true, {rules} }}]",
        disk.path("").display()
    );
    let server = Setup::new().yaml(&root).start();
    put(&server, "sw.cfg", b"one");
    put(&server, "sw.cfg", b"two");
    let ran = Client::Tuffet.try_put(server.address(), "sw.cfg", &vec![0; 400_000], Options::default());
    assert!(ran.stderr.contains("no space left"), "{ran:?}");
    assert_eq!(std::fs::read(disk.path("sw.cfg")).unwrap(), b"two");
    assert_eq!(std::fs::read(disk.path("sw.cfg.~1~")).unwrap(), b"one");
}

/// A version has what the file had.
#[test]
fn rules_about_a_file_hold_for_its_versions() {
    let policy = r#"
policy: { authorize: [acl], resolve: [mac-map] }
plugins:
  acl:
    component: builtin:acl
    settings: { deny: [{ operations: [read], names: ["*.key"], message: "not for you" }] }
  mac-map:
    component: builtin:mac-map
    grants: [client-mac]
    settings: { root: in, rules: [{ match: "mapped", fallback: ["a.key.~1~"] }] }
"#;
    for names in ["number", "time"] {
        let rules = format!("versions: {{ keep: 4, names: {names} }}");
        let server = Setup::new().yaml(&format!("{}{policy}", yaml(&rules))).start();
        for content in ["old", "new"] {
            put(&server, "a.key", content.as_bytes());
            put(&server, "a.cfg", content.as_bytes());
        }
        let of_key = server.root().names().into_iter().find(|name| name.starts_with("a.key.~")).unwrap();
        for name in [&*of_key, "a.key", "mapped"] {
            let mut peer = Peer::new(server.address());
            peer.ask(&rrq(name, &[]));
            assert_eq!(peer.receive(), Answer::Error(2, "not for you".into()), "{name}");
        }
        let of_other = server.root().names().into_iter().find(|name| name.starts_with("a.cfg.~")).unwrap();
        assert_eq!(Peer::new(server.address()).read_plainly(&of_other), b"old");
    }
}
