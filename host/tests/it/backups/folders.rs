//! `write.folders`.

use super::{half, put, server, setup};
use crate::harness::{Answer, Peer, assert_ended, data, error, wrq};
use std::os::unix::fs::{PermissionsExt, symlink};

fn refused(server: &crate::harness::Server, name: &str, code: u16) -> String {
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq(name, &[]));
    peer.expect_error(code)
}

#[test]
fn folders_are_made_within_their_bounds() {
    let server = server("folders: { depth: 2, count: 3 }");
    put(&server, "a/b/up", b"one");
    put(&server, "a/up", b"two");
    assert_eq!(refused(&server, "a/b/c/up", 2), "the path has too many folders");
    assert_ended(&server.outcome("a/b/c/up"), "denied", "`folders.depth`");
    assert_eq!(refused(&server, "c/d/up", 3), "disk full or allocation exceeded");
    assert_ended(
        &server.outcome("c/d/up"),
        "denied",
        "3 folders are allowed (`folders.count`), 2 are stored",
    );
    put(&server, "c/up", b"three");
    assert_eq!(refused(&server, "d/up", 3), "disk full or allocation exceeded");
    assert_eq!(server.root().names(), ["a", "c"]);
    assert_eq!(server.root().read("a/b/up"), b"one");
}

#[test]
fn folders_that_are_there_count() {
    let setup = setup("folders: { count: 2 }");
    std::fs::create_dir_all(setup.root().path("x/y")).unwrap();
    let server = setup.start();
    server.logged("counted the contents of a root");
    assert_eq!(refused(&server, "a/up", 3), "disk full or allocation exceeded");
    // An operator removes one: the count is repeated.
    std::fs::remove_dir(server.root().path("x/y")).unwrap();
    super::ask_until(&server, &wrq("a/up", &[]), &Answer::Ack(0));
}

/// Neither a request nor an upload that breaks off leaves a folder.
#[test]
fn a_folder_comes_with_its_file() {
    let server = server("folders: true");
    let peer = half(&server, "a/b/up");
    assert!(!server.root().has("a"), "the upload is not complete");
    peer.send(&error(0, "no more"));
    assert_ended(&server.outcome("a/b/up"), "aborted", "no more");
    let (mut first, mut second) = (half(&server, "a/one"), half(&server, "a/two"));
    for peer in [&mut first, &mut second] {
        peer.send(&data(2, b"end"));
        assert_eq!(peer.receive(), Answer::Ack(2));
    }
    server.stop();
    assert_eq!(server.root().names(), ["a"]);
    let folder = crate::harness::Folder(server.root().path("a"));
    assert_eq!(folder.names(), ["one", "two"]);
}

/// A folder has taken the name of the file meanwhile: the rename fails, and the new folders go.
#[test]
fn an_upload_that_fails_takes_its_folders_along() {
    let server = server("folders: true");
    let mut peer = half(&server, "a/up");
    std::fs::create_dir_all(server.root().path("a/up")).unwrap();
    peer.send(&data(2, b"end"));
    assert!(matches!(peer.receive(), Answer::Error(2, _)));
    assert!(server.root().has("a/up"), "this upload did not make it");

    let mut peer = half(&server, "b/c/up");
    // The second folder cannot be made.
    std::fs::create_dir(server.root().path("b")).unwrap();
    server.root().write("b/c", b"a file");
    peer.send(&data(2, b"end"));
    assert!(matches!(peer.receive(), Answer::Error(2, _)));
    assert_eq!(server.root().read("b/c"), b"a file");
    server.stop();
    assert_eq!(server.root().names(), ["a", "b"]);
}

#[test]
fn no_link_leads_out_of_the_root() {
    let server = server("folders: true");
    let outside = server.outside();
    std::fs::create_dir(outside.path("beside")).unwrap();
    std::fs::create_dir(server.root().path("real")).unwrap();
    symlink("../beside", server.root().path("out")).unwrap();
    symlink("nowhere", server.root().path("dangling")).unwrap();
    symlink("real", server.root().path("in")).unwrap();
    for name in ["out/up", "out/new/up"] {
        assert_eq!(refused(&server, name, 2), "access denied");
    }
    assert_eq!(refused(&server, "dangling/up", 1), "folder not found");
    put(&server, "in/new/up", b"x");
    assert_eq!(server.root().read("real/new/up"), b"x");

    // A link that takes the name of a new folder while the upload runs.
    let mut peer = half(&server, "late/up");
    symlink("real", server.root().path("late")).unwrap();
    peer.send(&data(2, b"end"));
    assert_eq!(peer.receive(), Answer::Error(2, "access denied".into()));
    let beside = crate::harness::Folder(outside.path("beside"));
    assert!(beside.names().is_empty() && !server.root().has("real/up"));
}

#[test]
fn new_folders_have_the_permissions_of_new_files() {
    for (mode, expected) in [("0640", 0o750), ("0600", 0o700), ("0444", 0o755)] {
        let server = server(&format!("folders: true, mode: \"{mode}\""));
        put(&server, "a/up", b"x");
        let about = std::fs::metadata(server.root().path("a")).unwrap();
        assert_eq!(about.permissions().mode() & 0o7777, expected, "{mode}");
    }
}

#[test]
fn without_the_key_folders_must_be_there() {
    let server = server("");
    assert_eq!(refused(&server, "a/up", 1), "folder not found");
}
