//! A server removes the unfinished uploads of earlier servers, but not those that another server is still
//! writing.

use super::{STORED, last_answer, new_content, put_at_once};
use crate::harness::{Answer, Folder, Peer, Server, Setup, data, wait_until, wrq};
use std::os::unix::fs::symlink;
use tempfile::TempDir;

const PART: &str = ".tuffet-0123456789abcdef.part";

const LINE: &str = "removed unfinished uploads of an earlier server";

fn serving(root: &Folder) -> Server {
    Setup::new()
        .yaml(&format!("roots: [{{ name: in, path: '{}', writable: true }}]", root.0.display()))
        .start()
}

#[test]
fn only_what_is_an_unfinished_upload() {
    let folder = TempDir::new().unwrap();
    let (root, outside) = (Folder(folder.path().join("root")), Folder(folder.path().join("outside")));
    outside.write(PART, b"not in the root");
    for path in ["a", "b/c/d", "b/.hidden"] {
        root.write(&format!("{path}/{PART}"), b"left");
        root.write(&format!("{path}/file"), b"kept");
    }
    root.write(PART, b"left");
    for other in [".tuffet-0123456789abcdef.par", ".tuffet-0123456789ABCDEF.part", "tuffet.part"] {
        root.write(other, b"kept");
    }
    // A folder and links with such names are not uploads.
    root.write("b/.tuffet-00000000000000ff.part/file", b"kept");
    symlink("../outside", root.path("way")).unwrap();
    symlink("file", root.path("a/.tuffet-00000000000000fe.part")).unwrap();

    let server = serving(&root);
    assert_eq!(server.logged(LINE)["removed"], 4);
    assert_eq!(
        root.names(),
        [".tuffet-0123456789ABCDEF.part", ".tuffet-0123456789abcdef.par", "a", "b", "tuffet.part", "way"]
    );
    assert_eq!(Folder(root.path("a")).names(), [".tuffet-00000000000000fe.part", "file"]);
    assert_eq!(Folder(root.path("b")).names(), [".hidden", ".tuffet-00000000000000ff.part", "c"]);
    assert_eq!(Folder(root.path("b/c/d")).names(), ["file"]);
    assert!(root.has("b/.tuffet-00000000000000ff.part/file") && outside.has(PART));
}

/// Two servers share a root, and one of them starts during an upload through the other.
#[test]
fn not_what_another_server_writes() {
    let folder = TempDir::new().unwrap();
    let root = Folder(folder.path().join("root"));
    root.write("there", b"old");
    root.write(PART, b"left");
    let first = serving(&root);
    // Its own sweep must end before there are files for the second server's.
    assert_eq!(first.logged(LINE)["removed"], 1);
    let mut peer = Peer::new(first.address());
    peer.ask(&wrq("up", &[]));
    peer.expect(Answer::Ack(0));
    peer.send(&data(1, &[7; 512]));
    peer.expect(Answer::Ack(1));
    root.write(PART, b"left");

    let second = serving(&root);
    let line = second.logged(LINE);
    assert_eq!((&line["removed"], &line["in_use"]), (&1.into(), &1.into()), "{line}");
    peer.send(&data(2, b"end"));
    peer.expect(Answer::Ack(2));
    assert_eq!(root.read("up").len(), 515);
    assert_eq!(root.names(), ["there", "up"]);
}

/// A read-only root may belong to somebody else; a root added by a reload is swept then.
#[test]
fn in_roots_that_are_written_as_soon_as_they_are_known() {
    let setup = Setup::new().file("read/.keep", b"");
    for root in ["read", "later"] {
        setup.outside().write(&format!("{root}/{PART}"), b"left");
    }
    setup.root().write(PART, b"left");
    let roots = "roots:\n  - { name: in, path: root, writable: true }\n  - { name: read, path: read }\n";
    let server = setup.yaml(roots).start();
    wait_until("it is gone", || !server.root().has(PART));
    server.root().write(PART, b"left while it runs");
    server.rewrite(&format!("{roots}  - {{ name: later, path: later, writable: true }}\n"));
    server.ask("reload").assert_good();
    wait_until("it is gone", || !server.outside().has(&format!("later/{PART}")));
    assert!(server.outside().has(&format!("read/{PART}")));
    // Roots swept at the start are not swept again.
    assert!(server.root().has(PART));
    let mut peer = put_at_once(&server, "up");
    assert_eq!(last_answer(&mut peer), STORED);
    assert!(server.root().read("up") == new_content());
}
