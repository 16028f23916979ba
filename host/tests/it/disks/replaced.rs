//! Roots whose folder is another one than when the server started.

use super::named::ready_until;
use crate::harness::{Disk, Peer, Server, Setup, http};
use std::fs;

fn server(root: &str) -> Server {
    let yaml = format!("roots: [{{ name: boot, path: root{root} }}]\nadmin: {{ address: '127.0.0.1:0' }}\n");
    Setup::new().file("which", b"the old one").yaml(&yaml).start()
}

/// Puts another folder in the place of the root.
fn replace(server: &Server) {
    server.outside().write("new/which", b"the new one");
    let (root, old, new) = (server.root().0, server.outside().path("old"), server.outside().path("new"));
    fs::rename(&root, old).unwrap();
    fs::rename(new, root).unwrap();
}

#[test]
fn one_that_was_replaced_is_named_until_a_reload() {
    let server = server("");
    ready_until(&server, 200);
    replace(&server);
    let line = server.log_line("the path of a root leads to another folder");
    assert_eq!((&line["root"], &line["level"]), (&"boot".into(), &"WARN".into()));
    let said = ready_until(&server, 503);
    assert_eq!(said["reasons"][0]["check"], "root", "{said}");
    let detail = said["reasons"][0]["detail"].as_str().unwrap();
    assert!(detail.starts_with("the folder of `boot` was replaced, mounted over or removed"), "{detail}");
    assert!(server.metrics().contains("tuffet_root_replaced{root=\"boot\"} 1"));
    assert_eq!(Peer::new(server.address()).read_plainly("which"), b"the old one");
    let yaml = fs::read_to_string(server.outside().path("tuffet.yaml")).unwrap();
    server.rewrite(&yaml);
    let ran = server.ask("reload");
    // Where the sandbox rules name the old folder, the new one is beyond them.
    if ran.code() == 0 {
        ready_until(&server, 200);
        assert_eq!(Peer::new(server.address()).read_plainly("which"), b"the new one");
    }
}

#[test]
fn one_that_follows_is_taken_without_a_reload() {
    let server = server(", follow: true, writable: true");
    assert_eq!(Peer::new(server.address()).read_plainly("which"), b"the old one");
    server.outside().write("new/.tuffet-0123456789abcdef.part", b"left by a crash");
    replace(&server);
    server.log_line("the folder of a root was replaced; requests get the new one");
    assert_eq!(Peer::new(server.address()).read_plainly("which"), b"the new one");
    assert_eq!(server.log_line("removed unfinished uploads of an earlier server")["removed"], 1);
    assert_eq!(server.root().names(), ["which"]);
    assert_eq!(http(server.admin(), "/readyz", &[]).status, 200);
}

/// As a network file system that comes up after the server.
#[test]
fn a_file_system_that_is_mounted_later_is_noticed() {
    let Some(disk) = Disk::new("size=64k") else { return };
    fs::write(disk.path("which"), b"the new one").unwrap();
    let server = server(", follow: true");
    let root = server.root().0;
    let bind = |words: &[&str]| std::process::Command::new(words[0]).args(&words[1..]).arg(&root).status();
    let from = disk.path("").display().to_string();
    assert!(bind(&["mount", "--bind", &from]).unwrap().success());
    server.log_line("the folder of a root was replaced; requests get the new one");
    let got = Peer::new(server.address()).read_plainly("which");
    assert!(bind(&["umount", "--lazy"]).unwrap().success());
    assert_eq!(got, b"the new one");
    // Back to the old one.
    server.log_line("the folder of a root was replaced; requests get the new one");
    assert_eq!(Peer::new(server.address()).read_plainly("which"), b"the old one");
}
