//! A local user with write access to a root swaps its files and folders for links out of it in a tight loop,
//! while many clients read and write: nothing outside is served or written.

use crate::harness::{Answer, Client, Options, Peer, SOON, Server, Setup, ack, data, rrq, wrq};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

const INSIDE: &[u8] = b"inside";
const SECRET: &[u8] = b"the secret outside";

/// Requested names, besides those that plugins derive from them.
const READ: [&str; 4] = ["file", "folder/file", "folder/deeper/file", "SEP001122334455.cnf.xml"];

/// `file` and `folder` are links; the targets of `folder` are inside, in `real`, and outside.
fn server() -> Server {
    let setup = Setup::new();
    for (folder, content) in [(setup.root(), INSIDE), (setup.outside(), SECRET)] {
        for name in ["real/file", "real/deeper/file", "real/001122334455.cfg"] {
            folder.write(name, content);
        }
    }
    setup
        .yaml(
            "roots: [{ name: boot, path: root, writable: true, overwrite: true }]\n\
             policy: { resolve: [mac-map], time-limit: 40s }\n\
             plugins:\n  mac-map:\n    component: builtin:mac-map\n    grants: [client-mac]\n    limits: { time: 20s, wall: 40s, instances: 2 }\n    \
             settings: { root: boot, rules: [{ match: '*.cnf.xml', templates: ['folder/{mac}.cfg'] }] }\n",
        )
        .start()
}

/// Atomically replaces a name with a link.
fn put_link(root: &Path, target: &str, name: &str) {
    let next = root.join(format!(".next-{name}"));
    symlink(target, &next).unwrap();
    fs::rename(next, root.join(name)).unwrap();
}

fn swap(root: &Path, to_outside: bool) {
    let up = if to_outside { "../" } else { "" };
    put_link(root, &format!("{up}real/file"), "file");
    put_link(root, &format!("{up}real"), "folder");
}

/// Swaps the folder itself for a link: for a moment neither exists.
fn swap_folder(root: &Path) {
    let (folder, aside) = (root.join("plain"), root.join("aside"));
    fs::rename(&folder, &aside).unwrap();
    symlink("../real", &folder).unwrap();
    fs::remove_file(&folder).unwrap();
    fs::rename(&aside, &folder).unwrap();
}

/// Returns the content that a client gets; `None` for an ERROR.
fn read(peer: &mut Peer, name: &str) -> Option<Vec<u8>> {
    peer.ask(&rrq(name, &[]));
    match peer.receive() {
        Answer::Data(1, content) => {
            peer.send(&ack(1));
            Some(content)
        }
        Answer::Error(1 | 2, _) => None,
        other => panic!("{name}: {other:?}"),
    }
}

fn write(peer: &mut Peer, name: &str) -> bool {
    peer.ask(&wrq(name, &[]));
    match peer.receive() {
        Answer::Ack(0) => {
            peer.send(&data(1, INSIDE));
            match peer.receive() {
                Answer::Ack(1) => true,
                Answer::Error(..) => false,
                other => panic!("{name}: {other:?}"),
            }
        }
        Answer::Error(1 | 2, _) => false,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn nothing_of_outside_is_served_or_written() {
    let server = server();
    let root = server.root().0;
    server.root().write("plain/file", INSIDE);
    swap(&root, false);
    let outside = || {
        let names =
            ["real", "real/deeper"].map(|name| crate::harness::Folder(server.outside().path(name)).names());
        (server.outside().names(), names)
    };
    let before = outside();
    let (over, got, refused, stored) =
        (AtomicBool::new(false), AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0));
    std::thread::scope(|scope| {
        for reader in 0..4 {
            let (server, over, got, refused) = (&server, &over, &got, &refused);
            scope.spawn(move || {
                let mut names = READ.iter().chain(&["plain/file"]).cycle().skip(reader);
                while !over.load(Ordering::Relaxed) {
                    let name = names.next().unwrap();
                    match read(&mut Peer::new(server.address()), name) {
                        Some(content) => {
                            assert_eq!(
                                content.escape_ascii().to_string(),
                                INSIDE.escape_ascii().to_string(),
                                "{name}"
                            );
                            got.fetch_add(1, Ordering::Relaxed)
                        }
                        None => refused.fetch_add(1, Ordering::Relaxed),
                    };
                }
            });
        }
        for writer in 0..2 {
            let (server, over, stored) = (&server, &over, &stored);
            scope.spawn(move || {
                let names = [
                    format!("folder/up{writer}"),
                    format!("plain/up{writer}"),
                    format!("folder/deeper/up{writer}"),
                ];
                for name in names.iter().cycle() {
                    stored.fetch_add(
                        u32::from(write(&mut Peer::new(server.address()), name)),
                        Ordering::Relaxed,
                    );
                    if over.load(Ordering::Relaxed) {
                        break;
                    }
                }
            });
        }
        // As many rounds as it takes for both to happen often, on a machine of any speed.
        let end = std::time::Instant::now() + SOON;
        let mut rounds = 0;
        while rounds < 2000 || got.load(Ordering::Relaxed) < 200 || refused.load(Ordering::Relaxed) < 50 {
            swap(&root, rounds % 2 == 0);
            swap_folder(&root);
            rounds += 1;
            if std::time::Instant::now() > end {
                break;
            }
        }
        over.store(true, Ordering::Relaxed);
    });
    let counts = [&got, &refused, &stored].map(|count| count.load(Ordering::Relaxed));
    assert!(counts.iter().all(|count| *count > 0), "read, refused, stored: {counts:?}");
    assert!(outside() == before, "written outside: {:?}", outside());

    // Both work normally when nobody swaps.
    swap(&root, true);
    for name in READ {
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq(name, &[]));
        peer.expect_error(2);
    }
    assert!(!write(&mut Peer::new(server.address()), "folder/up"));
    swap(&root, false);
    for name in READ {
        assert_eq!(Client::Tuffet.get(server.address(), name, Options::default()), INSIDE);
    }
    assert!(write(&mut Peer::new(server.address()), "folder/up"));
    assert!(outside() == before);
}
