//! Full disks, exceeded quotas, failing disks: the client gets an ERROR, nothing is left, and the server
//! continues.

use super::trace::{is_possible, traced};
use super::{STORED, last_answer, new_content, put_at_once};
use crate::harness::wrq;
use crate::harness::{Answer, Client, Disk, Options, Peer, Server, Setup, assert_ended, bytes, wait_until};
use std::path::Path;
use tempfile::TempDir;

fn names(folder: &Path) -> Vec<String> {
    crate::harness::Folder(folder.to_owned()).names()
}

fn no_space() -> Answer {
    Answer::Error(3, "no space left".into())
}

fn serving(disk: &Disk) -> Server {
    let root = disk.path("");
    Setup::new()
        .yaml(&format!(
            "roots: [{{ name: in, path: '{}', writable: true, overwrite: true }}]",
            root.display()
        ))
        .start()
}

#[test]
fn a_disk_that_becomes_full() {
    let Some(disk) = Disk::new("size=256k") else { return };
    let server = serving(&disk);
    std::fs::write(disk.path("there"), "old").unwrap();
    let ran = Client::Tuffet.try_put(server.address(), "there", &bytes(400_000), Options::default());
    assert!(!ran.status.success() && ran.stderr.contains("no space left"), "{ran:?}");
    assert_ended(&server.outcome("there"), "failed", "no space: No space left on device");
    wait_until("what was written of it is gone", || names(&disk.path("")) == ["there"]);
    assert_eq!(std::fs::read(disk.path("there")).unwrap(), b"old");
    Client::Tuffet.put(server.address(), "there", &bytes(100_000), Options::default());
    assert!(std::fs::read(disk.path("there")).unwrap() == bytes(100_000));
}

/// There is not even room for the name of another file.
#[test]
fn a_disk_with_no_place_for_a_name() {
    let Some(disk) = Disk::new("size=256k,nr_inodes=3") else { return };
    let server = serving(&disk);
    std::fs::write(disk.path("one"), "").unwrap();
    std::fs::write(disk.path("two"), "").unwrap();
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("up", &[]));
    assert_eq!(peer.receive(), no_space());
    assert_ended(&server.outcome("up"), "failed", "no space: No space left on device");
    std::fs::remove_file(disk.path("two")).unwrap();
    Client::Tuffet.put(server.address(), "up", b"fits", Options::default());
    assert_eq!(std::fs::read(disk.path("up")).unwrap(), b"fits");
}

/// RLIMIT_FSIZE: writing past it kills a process that does not expect it.
#[test]
fn a_limit_of_the_process() {
    let limited = ["sh", "-c", "ulimit -f 64 && exec \"$@\"", "sh"].map(String::from);
    let server = Setup::new().behind(limited.into()).writable().start();
    assert_eq!(last_answer(&mut put_at_once(&server, "up")), no_space());
    assert_ended(&server.outcome("up"), "failed", "no space: File too large");
    wait_until("nothing is left", || server.root().names().is_empty());
    Client::Tuffet.put(server.address(), "up", &bytes(20_000), Options::default());
    assert!(server.root().read("up") == bytes(20_000));
}

/// The possible errors of each step, from a quota, a network or a failing disk.
#[test]
fn each_step_may_fail() {
    if !is_possible() {
        return;
    }
    let folder = TempDir::new().unwrap();
    let failed = Answer::Error(0, "server error".into());
    for (fault, answer, detail) in [
        ("pwrite64:error=EDQUOT:when=1", no_space(), "no space: "),
        ("pwrite64:error=EIO:when=1", failed.clone(), "the system failed: Input/output error"),
        // On file systems that allocate space late, such as NFS.
        ("fsync:error=EDQUOT:when=1", no_space(), "no space: "),
        ("fsync:error=EIO:when=1", failed.clone(), "the system failed: Input/output error"),
        ("renameat2:error=ENOSPC:when=1", no_space(), "no space: "),
    ] {
        let behind = traced(&folder.path().join("trace"), &[fault.into()]);
        let server = Setup::new().behind(behind).workers(1).writable().start();
        assert_eq!(last_answer(&mut put_at_once(&server, "up")), answer, "{fault}");
        assert_ended(&server.outcome("up"), "failed", detail);
        wait_until(&format!("nothing is left after {fault}"), || server.root().names().is_empty());
        server.root().write("good", b"still served");
        assert_eq!(Peer::new(server.address()).read_plainly("good"), b"still served");
    }
}

/// The file has its name, but may lose it: that is not a success.
#[test]
fn a_folder_that_cannot_be_synced() {
    if !is_possible() {
        return;
    }
    let folder = TempDir::new().unwrap();
    let behind = traced(&folder.path().join("trace"), &["fsync:error=EIO:when=2".into()]);
    let server = Setup::new().behind(behind).writable().start();
    assert_eq!(last_answer(&mut put_at_once(&server, "up")), Answer::Error(0, "server error".into()));
    assert_ended(&server.outcome("up"), "failed", "the system failed: Input/output error");
    assert_eq!(server.root().names(), ["up"]);
    assert!(server.root().read("up") == new_content());
}

/// As a quota of a project that the folder does not belong to: there the old file gets no further name.
#[test]
fn a_link_into_another_project() {
    if !is_possible() {
        return;
    }
    let folder = TempDir::new().unwrap();
    let behind = traced(&folder.path().join("trace"), &["linkat:error=EXDEV".into()]);
    let root = "roots: [{ name: in, path: root, writable: true, overwrite: true, write: { versions: { keep: 3 } } }]\n";
    let server = Setup::new().file("up", b"old").behind(behind).yaml(root).start();
    assert_eq!(last_answer(&mut put_at_once(&server, "up")), STORED);
    assert_eq!(server.root().read("up.~1~"), b"old");
    assert!(server.root().read("up") == new_content());
}
