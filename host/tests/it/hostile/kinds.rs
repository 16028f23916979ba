//! Names in a root that are not regular files, or only seem to be: an ERROR at once.

use super::{assert_still_serves, setup};
use crate::harness::{Peer, Server, Setup, assert_ended, is_root, rrq, skipped, wrq};
use rustix::fs::{CWD, FileType, makedev, mknodat};
use std::path::Path;

/// Asserts that it can be neither read nor written.
#[track_caller]
fn assert_refused(server: &Server, name: &str, is: &str) {
    for packet in [rrq(name, &[]), wrq(name, &[])] {
        let mut peer = Peer::new(server.address());
        peer.ask(&packet);
        assert_eq!(peer.expect_error(2), "not a regular file", "{name}");
        assert_ended(&server.outcome(name), "denied", &format!("not a regular file but {is}"));
    }
}

/// A FIFO without a writer blocks a process that opens it, unless it asks not to be blocked: a hundred of
/// them would block all threads that open files.
#[test]
fn a_fifo_keeps_nobody() {
    let setup = setup();
    mknodat(CWD, setup.root().path("fifo"), FileType::Fifo, 0o666.into(), 0).unwrap();
    let server = setup.yaml("roots: [{ name: boot, path: root, writable: true, overwrite: true }]").start();
    let mut peers: Vec<Peer> = (0..100).map(|_| Peer::new(server.address())).collect();
    for peer in &mut peers {
        peer.ask(&rrq("fifo", &[]));
    }
    for peer in &mut peers {
        assert_eq!(peer.expect_error(2), "not a regular file");
        assert_ended(&server.outcome("fifo"), "denied", "not a regular file but a FIFO");
    }
    assert_refused(&server, "fifo", "a FIFO");
    assert_still_serves(&server);
}

#[test]
fn devices() {
    if !is_root() {
        return skipped("device files can be made by root alone");
    }
    let setup = setup();
    // Memory devices (null, zero, full) and a terminal; a loop device.
    let devices = [
        ("null", FileType::CharacterDevice, 1, 3),
        ("zero", FileType::CharacterDevice, 1, 5),
        ("full", FileType::CharacterDevice, 1, 7),
        ("tty", FileType::CharacterDevice, 5, 0),
        ("loop0", FileType::BlockDevice, 7, 0),
    ];
    for (name, kind, major, minor) in devices {
        if let Err(error) = mknodat(CWD, setup.root().path(name), kind, 0o666.into(), makedev(major, minor)) {
            return skipped(&format!("device files cannot be made here: {error}"));
        }
    }
    let server = setup.yaml("roots: [{ name: boot, path: root, writable: true, overwrite: true }]").start();
    for (name, ..) in devices {
        let packets = [(rrq(name, &[]), "read"), (wrq(name, &[]), "write")];
        for (packet, what) in packets {
            let mut peer = Peer::new(server.address());
            peer.ask(&packet);
            // The kernel may deny access before it reports the type: in containers, on file systems without
            // devices, without a terminal.
            let text = peer.expect_error(2);
            assert!(
                text == "not a regular file" || what == "read" && text == "access denied",
                "{name}: {text}"
            );
            server.outcome(name);
        }
    }
    assert_eq!(server.root().names(), ["full", "good", "loop0", "null", "tty", "zero"]);
    assert_still_serves(&server);
}

/// Their sizes do not match their contents: they would be served empty or truncated.
#[test]
fn files_that_the_kernel_makes_up() {
    let of_process = "/proc/sys/kernel/ostype";
    let of_device = ["/sys/kernel/uevent_seqnum", "/sys/kernel/profiling", "/sys/kernel/fscaps"];
    let of_device = of_device.into_iter().find(|file| Path::new(file).exists());
    if of_device.is_none() {
        skipped("there is no /sys here with a file that is known");
    }
    for file in [Some(of_process), of_device].into_iter().flatten() {
        let (folder, name) = file.rsplit_once('/').unwrap();
        let server = Setup::new().yaml(&format!("roots: [{{ name: made-up, path: '{folder}' }}]")).start();
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq(name, &[]));
        assert_eq!(peer.expect_error(2), "not a regular file", "{file}");
        assert_ended(&server.outcome(name), "denied", "made up while it is read");
    }
}

/// Empty files that are really empty.
#[test]
fn empty_files_and_files_of_holes() {
    let server = setup().file("empty", b"").start();
    std::fs::File::create(server.root().path("hole")).unwrap().set_len(5000).unwrap();
    assert_eq!(Peer::new(server.address()).read_plainly("empty"), b"");
    assert!(Peer::new(server.address()).read_plainly("hole") == [0; 5000]);
}
