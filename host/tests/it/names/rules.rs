//! `world-readable`, `write.create` and `write.umask`: the rules of in.tftpd and dnsmasq about files.

use super::{assert_explains, content, denied, explain, not_found, read, write};
use crate::harness::{Answer, Folder, Server, Setup, assert_ended};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

fn server(rules: &str) -> Server {
    let setup = Setup::new();
    for (name, mode) in [("pub", 0o644), ("private", 0o640), ("shared", 0o666), ("drop-box", 0o602)] {
        setup.root().write(name, name.as_bytes());
        set_mode(&setup.root(), name, mode);
    }
    setup.yaml(&format!("roots: [{{ name: boot, path: root, {rules} }}]\n")).start()
}

fn set_mode(root: &Folder, name: &str, mode: u32) {
    fs::set_permissions(root.path(name), Permissions::from_mode(mode)).unwrap();
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn only_files_that_others_may_read_are_read() {
    let server = server("world-readable: true");
    assert_eq!(read(&server, "pub"), content(b"pub"));
    for name in ["private", "drop-box"] {
        assert_eq!(read(&server, name), denied());
    }
    assert_ended(
        &server.outcome("private"),
        "denied",
        "others may not read the file (its mode is 0640), and its root has `world-readable: true`",
    );
    assert_explains(&explain(&server, &["private"]), 1, &["ERROR 2", "`world-readable: true`", "chmod o+r"]);
    // Also of a file that is cached.
    assert_eq!(read(&server, "pub"), content(b"pub"));
    set_mode(&server.root(), "pub", 0o600);
    assert_eq!(read(&server, "pub"), denied());
}

#[test]
fn only_files_that_others_may_write_are_replaced() {
    let server = server("world-readable: true, writable: true, overwrite: true");
    for name in ["shared", "drop-box", "new"] {
        assert_eq!(write(&server, name), Answer::Ack(1), "{name}");
        assert_eq!(server.root().read(name), b"written");
    }
    for name in ["pub", "private"] {
        assert_eq!(write(&server, name), denied());
        assert_eq!(server.root().read(name), name.as_bytes());
    }
    assert_ended(&server.outcome("pub"), "denied", "others may not write the file (its mode is 0644)");
    let explained = explain(&server, &["--write", "private"]);
    assert_explains(&explained, 1, &["ERROR 2", "others may not write the file", "chmod o+w"]);
}

#[test]
fn by_default_the_permissions_of_the_server_decide() {
    let server = server("writable: true, overwrite: true");
    assert_eq!(read(&server, "private"), content(b"private"));
    assert_eq!(write(&server, "private"), Answer::Ack(1));
    assert_eq!(write(&server, "new"), Answer::Ack(1));
}

#[test]
fn uploads_that_may_not_create_files_replace_those_that_are_there() {
    let server = server("writable: true, overwrite: true, write: { create: false }");
    assert_eq!(write(&server, "pub"), Answer::Ack(1));
    assert_eq!(server.root().read("pub"), b"written");
    assert_eq!(write(&server, "new"), not_found());
    assert_ended(&server.outcome("new"), "not-found", "its root has `create: false`");
    assert!(!server.root().path("new").exists());
    assert_explains(&explain(&server, &["--write", "new"]), 1, &["ERROR 1", "`create: false`", "touch"]);
    assert_explains(&explain(&server, &["--write", "pub"]), 0, &["granted"]);
}

#[test]
fn a_umask_of_its_own() {
    for (umask, of_new) in [("000", 0o666), ("022", 0o644), ("0027", 0o640)] {
        let server = server(&format!("writable: true, overwrite: true, write: {{ umask: \"{umask}\" }}"));
        for name in ["new", "private"] {
            assert_eq!(write(&server, name), Answer::Ack(1));
        }
        assert_eq!(mode(&server.root().path("new")), of_new, "{umask}");
        assert_eq!(mode(&server.root().path("private")), 0o640, "a replaced file keeps its permissions");
    }
}
