//! Trees full of links: a container file that links `/usr/lib/PXELINUX/pxelinux.0`, links to mounted images, links that
//! name their own tree by its absolute path.

use crate::harness::{Answer, Peer, Server, Setup, ack, assert_ended, check_in, rrq, run, tuffet, wrq};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

const OF_LIBRARY: &[u8] = b"pxelinux.0 of the package";
const OF_IMAGE: &[u8] = b"the kernel of a mounted image";

/// A root `root` and, beside it, the folders `lib`, `images` and `forbidden`.
fn setup(keys: &str) -> Setup {
    let setup = Setup::new().file("own/file", b"own");
    let outside = setup.outside();
    outside.write("lib/PXELINUX/pxelinux.0", OF_LIBRARY);
    outside.write("images/one/vmlinuz", OF_IMAGE);
    outside.write("forbidden/file", b"secret");
    for (link, target) in [
        ("pxelinux.0", "lib/PXELINUX/pxelinux.0"),
        ("one", "images/one"),
        ("own-file", "root/own/file"),
        ("own-folder", "root/own"),
        ("forbidden", "forbidden/file"),
        ("later", "later"),
    ] {
        symlink(outside.path(target), setup.root().path(link)).unwrap();
    }
    symlink("../images/one", setup.root().path("relative")).unwrap();
    setup.yaml(&format!("roots: [{{ name: boot, path: root, {keys} }}]\n"))
}

fn read(server: &Server, name: &str) -> Vec<u8> {
    let content = Peer::new(server.address()).read_plainly(name);
    assert_ended(&server.outcome(name), "served", "");
    content
}

/// The ERROR tells the client nothing; the log has the reason.
#[track_caller]
fn assert_refused(server: &Server, name: &str, reason: &[&str]) {
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq(name, &[]));
    assert_eq!(peer.receive(), Answer::Error(2, "access denied".into()), "{name}");
    let line = server.outcome(name);
    reason.iter().for_each(|part| assert_ended(&line, "denied", part));
}

#[test]
fn absolute_links_that_stay_in_the_root_are_followed() {
    let server = setup("writable: true").start();
    assert_eq!(read(&server, "own-file"), b"own");
    assert_eq!(read(&server, "own-folder/file"), b"own");
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("own-folder/new", &[]));
    peer.expect(Answer::Ack(0));
    peer.write_on(b"stored", 512);
    assert_ended(&server.outcome("own-folder/new"), "stored", "");
    assert_eq!(server.root().read("own/new"), b"stored");
}

#[test]
fn a_link_that_leads_out_is_refused_and_named_with_the_remedy() {
    let server = setup("").start();
    let outside = server.outside();
    let shown = |name: &str| outside.path(name).display().to_string();
    let (file, folder) = (shown("lib/PXELINUX/pxelinux.0"), shown("lib/PXELINUX"));
    let leads = format!("the link `pxelinux.0` leads out of its root, to {file};");
    let remedy = format!("allow links into {folder} (`links` of the root)");
    assert_refused(&server, "pxelinux.0", &[&leads, &remedy]);
    for name in ["one/vmlinuz", "relative/vmlinuz"] {
        assert_refused(&server, name, &[&format!("allow links into {} (", shown("images/one"))]);
    }
}

#[test]
fn links_into_named_folders_are_followed_and_nothing_else() {
    let server =
        setup("links: [lib/PXELINUX, images], writable: true, overwrite: true, write: { links: follow }")
            .start();
    assert_eq!(read(&server, "pxelinux.0"), OF_LIBRARY);
    for name in ["one/vmlinuz", "relative/vmlinuz"] {
        assert_eq!(read(&server, name), OF_IMAGE, "{name}");
    }
    assert_refused(&server, "forbidden", &["the link `forbidden` leads out of its root, to"]);
    // Links in a folder of `links` are confined likewise.
    symlink("../../forbidden/file", server.outside().path("images/one/out")).unwrap();
    symlink("/etc/passwd", server.outside().path("images/one/passwd")).unwrap();
    symlink("/proc/self/root", server.outside().path("images/one/magic")).unwrap();
    for name in ["one/out", "one/passwd", "one/magic/etc/passwd"] {
        assert_refused(&server, name, &["leads out of its root"]);
    }
    // They are read only, whatever `write.links` says.
    for name in ["pxelinux.0", "one/new", "one/vmlinuz"] {
        let mut peer = Peer::new(server.address());
        peer.ask(&wrq(name, &[]));
        assert_eq!(peer.receive(), Answer::Error(2, "access denied".into()), "{name}");
        assert_ended(&server.outcome(name), "denied", "take no uploads");
    }
    assert_eq!(server.outside().read("lib/PXELINUX/pxelinux.0"), OF_LIBRARY);
    // A change there is served at once, as one in the root.
    server.outside().write("images/one/vmlinuz", b"another kernel");
    assert_eq!(read(&server, "one/vmlinuz"), b"another kernel");
}

#[test]
fn spelling_goes_through_links() {
    let server = setup("links: [images], case: insensitive").start();
    let mut peer = Peer::new(server.address());
    assert_eq!(peer.read_plainly("ONE/VMLINUZ"), OF_IMAGE);
    assert_ended(&server.outcome("one/vmlinuz"), "served", "");
}

#[test]
fn explain_says_where_a_link_leads() {
    let server = setup("links: [images]").start();
    let explained = |name: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
        command.args(["explain", "--live", "--control"]).arg(server.outside().path("control")).arg(name);
        let ran = run(&mut command);
        assert!(ran.stderr.is_empty(), "{ran:?}");
        String::from_utf8(ran.stdout).unwrap()
    };
    let text = explained("one/vmlinuz");
    let due = format!("a link leads into {} (roots[].links)", server.outside().path("images").display());
    assert!(text.contains(&due), "{text}");
    let text = explained("pxelinux.0");
    assert!(
        text.contains("the link `pxelinux.0` leads out of its root, to")
            && text.contains("`links` of the root"),
        "{text}"
    );
}

/// A disk that is mounted later does not keep the server from starting, and needs no reload.
#[test]
fn a_missing_folder_is_named_and_waited_for() {
    let setup = setup("links: [later]");
    let ran = check_in(
        &setup.outside(),
        "listeners: [{ address: '127.0.0.1:0' }]\nroots: [{ name: boot, path: root, links: [later] }]\n",
    );
    ran.assert_good();
    let later = setup.outside().path("later").display().to_string();
    assert!(ran.stderr.contains(&format!("there is no folder {later}")), "{}", ran.stderr);
    assert!(ran.stderr.contains("tuffet.yaml:2:"), "{}", ran.stderr);
    let server = setup.start();
    let line = server.log_line("a folder that links may lead to cannot be opened");
    assert_eq!((&line["root"], &line["path"]), (&"boot".into(), &later.into()));
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("later/file", &[]));
    assert_eq!(peer.receive(), Answer::Error(1, "file not found".into()));
    assert_ended(&server.outcome("later/file"), "failed", "the link `later` leads into");
    server.outside().write("later/file", b"at last");
    server.log_line("a folder that links may lead to is open");
    assert_eq!(read(&server, "later/file"), b"at last");
}

#[test]
fn a_reload_changes_the_folders() {
    let server = setup("links: [images, lib/PXELINUX]").start();
    assert_eq!(read(&server, "pxelinux.0"), OF_LIBRARY);
    server.rewrite("roots: [{ name: boot, path: root, links: [images] }]\n");
    server.ask("reload").assert_good();
    assert_refused(&server, "pxelinux.0", &["the link `pxelinux.0` leads out of its root, to"]);
    assert_eq!(read(&server, "one/vmlinuz"), OF_IMAGE);
}

/// Images are replaced as a whole, by a rename or by a mount.
#[test]
fn a_replaced_folder_is_followed_if_the_root_says_so() {
    for (keys, due) in [("links: [images]", OF_IMAGE), ("links: [images], follow: true", b"a new kernel")] {
        let server = setup(keys).start();
        assert_eq!(read(&server, "one/vmlinuz"), OF_IMAGE);
        let outside = server.outside();
        outside.write("next/one/vmlinuz", b"a new kernel");
        fs::rename(outside.path("images"), outside.path("before")).unwrap();
        fs::rename(outside.path("next"), outside.path("images")).unwrap();
        let message = match due == OF_IMAGE {
            true => "the path of a folder that links may lead to leads to another folder",
            false => "a folder that links may lead to was replaced",
        };
        server.log_line(message);
        assert_eq!(read(&server, "one/vmlinuz"), due, "{keys}");
    }
}

/// Puts a link in the place of another one, in one step.
fn put_link(target: &Path, at: &Path) {
    let next = at.with_extension("next");
    symlink(target, &next).unwrap();
    fs::rename(next, at).unwrap();
}

/// Somebody who may write in the root and in a folder of `links` swaps links while clients read.
#[test]
fn swapped_links_lead_nowhere_else() {
    let server = setup("links: [images]").start();
    let outside = server.outside();
    outside.write("forbidden/vmlinuz", b"secret");
    let (link, inner) = (server.root().path("swapped"), outside.path("images/swapped"));
    let mut served = 0;
    std::thread::scope(|scope| {
        let reading = scope.spawn(|| {
            let (mut served, mut peer) = (0, Peer::new(server.address()));
            for round in 0..600 {
                let name = if round % 2 == 0 { "swapped/vmlinuz" } else { "images/swapped/vmlinuz" };
                peer.ask(&rrq(name, &[]));
                match peer.receive() {
                    Answer::Data(1, content) => {
                        assert_eq!(content, OF_IMAGE);
                        peer.send(&ack(1));
                        served += 1;
                    }
                    Answer::Error(1 | 2, _) => {}
                    other => panic!("{other:?}"),
                }
            }
            served
        });
        symlink(outside.path("images"), server.root().path("images")).unwrap();
        let mut is_bad = false;
        while !reading.is_finished() {
            is_bad = !is_bad;
            put_link(&outside.path(if is_bad { "forbidden" } else { "images/one" }), &link);
            put_link(Path::new(if is_bad { "../forbidden" } else { "one" }), &inner);
        }
        served = reading.join().unwrap();
    });
    // At rest, both are served again.
    put_link(&outside.path("images/one"), &link);
    assert_eq!(Peer::new(server.address()).read_plainly("swapped/vmlinuz"), OF_IMAGE, "{served} before");
}

/// The import writes the folders that the links of a tree lead to, and what dnsmasq serves is served.
#[test]
fn an_import_names_the_folders() {
    let setup = setup("");
    let outside = setup.outside();
    let root = format!("--tftp-root={}", setup.root().0.display());
    let ran = tuffet(["import", "dnsmasq", "-C", "/dev/null", "-u", "root", "--enable-tftp", &root]);
    let yaml = String::from_utf8(ran.stdout.clone()).unwrap();
    let folders =
        ["forbidden", "images/one", "lib/PXELINUX"].map(|name| outside.path(name).display().to_string());
    assert!(yaml.contains(&format!("links: [{}]", folders.join(", "))), "{yaml}{}", ran.stderr);
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    let server = setup.yaml(&yaml).start();
    assert_eq!(read(&server, "pxelinux.0"), OF_LIBRARY);
    assert_eq!(read(&server, "one/vmlinuz"), OF_IMAGE);
    assert_eq!(read(&server, "own-file"), b"own");
}
