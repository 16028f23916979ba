//! Uploads over existing files: what the new file keeps, and what may not be replaced.

use crate::harness::{Client, Options, Peer, Server, Setup, assert_ended, is_root, skipped, wrq};
use rustix::fs::{XattrFlags, getxattr, setxattr};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;

/// The default user of the server, and a group that it is not a member of.
const SERVER: u32 = 65534;
const STRANGERS: u32 = 54321;

/// Starts a server with dropped privileges and a folder of its own; `None` if root does not run the tests.
fn server(rules: &str, prepare: impl FnOnce(&Path)) -> Option<Server> {
    if !is_root() {
        skipped("giving up privileges needs root to begin with: owners of replaced files are not tested");
        return None;
    }
    let root = format!("{{ name: in, path: root, writable: true, {rules} }}");
    let setup = Setup::new().yaml(&format!("roots: [{root}]\n")).user(Some("65534"));
    fs::set_permissions(setup.outside().0, Permissions::from_mode(0o755)).unwrap();
    let folder = setup.root().0;
    chown(&folder, Some(SERVER), Some(SERVER)).unwrap();
    prepare(&folder);
    Some(setup.start())
}

/// Creates a file with this owner, group and mode.
fn old(path: &Path, owner: u32, group: u32, mode: u32) {
    fs::write(path, "old").unwrap();
    chown(path, Some(owner), Some(group)).unwrap();
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn put(server: &Server, name: &str) {
    Client::Tuffet.put(server.address(), name, b"new", Options::default());
    assert_eq!(server.outcome(name)["outcome"], "stored", "{name}");
}

/// Asserts that it is refused at once, for this reason.
#[track_caller]
fn refused(server: &Server, name: &str, reason: &str) {
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq(name, &[]));
    assert_eq!(peer.expect_error(2), "access denied");
    assert_ended(&server.outcome(name), "denied", reason);
}

/// Returns owner, group and mode.
fn rights(path: &Path) -> (u32, u32, u32) {
    let about = fs::symlink_metadata(path).unwrap();
    (about.uid(), about.gid(), about.mode() & 0o7777)
}

#[test]
fn a_file_keeps_its_permissions() {
    let prepare = |root: &Path| {
        for mode in [0o660, 0o600, 0o664, 0o755, 0o4775, 0o666] {
            old(&root.join(format!("{mode:o}")), SERVER, SERVER, mode);
        }
    };
    let Some(server) = server("overwrite: true", prepare) else { return };
    for mode in [0o660, 0o600, 0o664, 0o755, 0o4775, 0o666] {
        let name = format!("{mode:o}");
        put(&server, &name);
        // A write in place also clears the set-user-ID bit.
        assert_eq!(rights(&server.root().path(&name)), (SERVER, SERVER, mode & 0o777), "{name}");
        assert_eq!(server.root().read(&name), b"new");
    }
}

#[test]
fn a_group_of_the_server_is_kept_and_no_other_gains() {
    let prepare = |root: &Path| {
        old(&root.join("ours"), 0, SERVER, 0o660);
        old(&root.join("ours-and-all"), STRANGERS, SERVER, 0o664);
        old(&root.join("theirs"), SERVER, STRANGERS, 0o660);
        old(&root.join("theirs-and-all"), SERVER, STRANGERS, 0o664);
        old(&root.join("all-but-them"), SERVER, STRANGERS, 0o604);
        old(&root.join("everybody"), 0, STRANGERS, 0o646);
    };
    let Some(server) = server("overwrite: true", prepare) else { return };
    for (name, mode) in [
        ("ours", 0o660),
        ("ours-and-all", 0o664),
        ("theirs", 0o600),
        ("theirs-and-all", 0o644),
        ("all-but-them", 0o600),
        ("everybody", 0o644),
    ] {
        put(&server, name);
        assert_eq!(rights(&server.root().path(name)), (SERVER, SERVER, mode), "{name}");
    }
}

/// A file that the server may write but not read stays so: otherwise it would be served.
#[test]
fn a_file_that_the_server_may_not_read_stays_closed_to_it() {
    let prepare = |root: &Path| old(&root.join("drop"), 0, SERVER, 0o620);
    let Some(server) = server("overwrite: true", prepare) else { return };
    put(&server, "drop");
    assert_eq!(rights(&server.root().path("drop")), (SERVER, SERVER, 0o220));
}

#[test]
fn what_could_not_be_written_in_place_is_not_replaced() {
    let prepare = |root: &Path| {
        old(&root.join("root"), 0, 0, 0o444);
        old(&root.join("own"), SERVER, SERVER, 0o444);
        old(&root.join("group"), 0, SERVER, 0o640);
    };
    let Some(server) = server("overwrite: true", prepare) else { return };
    let before = ["root", "own", "group"].map(|name| rights(&server.root().path(name)));
    for name in ["root", "own", "group"] {
        refused(&server, name, "this user may not write it");
        assert_eq!(server.root().read(name), b"old");
    }
    assert_eq!(before, ["root", "own", "group"].map(|name| rights(&server.root().path(name))));
    server.stop();
    assert_eq!(server.root().names(), ["group", "own", "root"]);
}

/// Returns a list of POSIX ACLs in the kernel's form: version 2, then tag, permissions and ID of each entry.
fn list(user: (u32, u16), group: u16, mask: u16, other: u16) -> Vec<u8> {
    let nobody = u32::MAX;
    let entries = [
        (0x01, 6, nobody),
        (0x02, user.1, user.0),
        (0x04, group, nobody),
        (0x10, mask, nobody),
        (0x20, other, nobody),
    ];
    let mut bytes = 2_u32.to_le_bytes().to_vec();
    for (tag, permissions, id) in entries {
        bytes.extend([tag as u16, permissions].iter().flat_map(|half| half.to_le_bytes()));
        bytes.extend(u32::to_le_bytes(id));
    }
    bytes
}

const ACCESS: &str = "system.posix_acl_access";

fn attribute(path: &Path, name: &str) -> Option<Vec<u8>> {
    let mut value = vec![0; 1024];
    let length = getxattr(path, name, value.as_mut_slice()).ok()?;
    value.truncate(length);
    Some(value)
}

fn set(path: &Path, name: &str, value: &[u8]) -> bool {
    setxattr(path, name, value, XattrFlags::empty()).is_ok()
}

#[test]
fn lists_and_attributes_are_kept_and_what_the_folder_hands_down_is_not() {
    let (mine, handed_down) = (list((1234, 6), 4, 6, 0), list((4321, 7), 7, 7, 7));
    let mut possible = true;
    let prepare = |root: &Path| {
        for (name, group) in [("listed", SERVER), ("lost", STRANGERS), ("plain", SERVER)] {
            old(&root.join(name), SERVER, group, 0o640);
            possible &= set(&root.join(name), "user.note", name.as_bytes());
        }
        for name in ["listed", "lost"] {
            possible &= set(&root.join(name), ACCESS, &mine);
        }
        possible &= set(root, "system.posix_acl_default", &handed_down);
    };
    let Some(server) = server("overwrite: true", prepare) else { return };
    if !possible {
        return skipped("the file system of temporary files has no access control lists");
    }
    for name in ["listed", "lost", "plain"] {
        put(&server, name);
        assert_eq!(attribute(&server.root().path(name), "user.note").as_deref(), Some(name.as_bytes()));
    }
    let [listed, lost, plain] = ["listed", "lost", "plain"].map(|name| server.root().path(name));
    assert_eq!((attribute(&listed, ACCESS), rights(&listed)), (Some(mine), (SERVER, SERVER, 0o660)));
    // Its group has changed, and the entries do not apply to the new one.
    assert_eq!((attribute(&lost, ACCESS), rights(&lost)), (None, (SERVER, SERVER, 0o600)));
    assert_eq!((attribute(&plain, ACCESS), rights(&plain)), (None, (SERVER, SERVER, 0o640)));
    // A new file gets the folder's default.
    put(&server, "fresh");
    assert!(attribute(&server.root().path("fresh"), ACCESS).is_some());
    assert_eq!(rights(&server.root().path("fresh")).2, 0o644);
}

/// Nobody can read the new content before it has its permissions.
#[test]
fn the_temporary_file_is_no_more_open_than_the_old_one() {
    let prepare = |root: &Path| old(&root.join("closed"), SERVER, SERVER, 0o660);
    let Some(server) = server("overwrite: true", prepare) else { return };
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("closed", &[]));
    peer.expect(crate::harness::Answer::Ack(0));
    let names = server.root().names();
    let temporary = names.iter().find(|name| name.starts_with(".tuffet-")).unwrap();
    assert_eq!(rights(&server.root().path(temporary)).2, 0o600);
    peer.write_on(b"new", 512);
    assert_eq!(rights(&server.root().path("closed")), (SERVER, SERVER, 0o660));
}

#[test]
fn the_permissions_of_new_files_are_a_setting() {
    for (rules, due) in [
        ("overwrite: false", 0o644),
        ("overwrite: true", 0o644),
        ("write: { mode: \"0640\" }", 0o640),
        // Regardless of the umask.
        ("overwrite: true, write: { mode: \"0666\" }", 0o666),
        ("overwrite: true, write: { mode: \"440\" }", 0o440),
    ] {
        let Some(server) = server(rules, |_| {}) else { return };
        put(&server, "new");
        assert_eq!(rights(&server.root().path("new")), (SERVER, SERVER, due), "{rules}");
    }
}

/// Creates a link of each kind, and their targets.
fn links(root: &Path) {
    fs::create_dir(root.join("sub")).unwrap();
    chown(root.join("sub"), Some(SERVER), Some(SERVER)).unwrap();
    old(&root.join("sub/file"), SERVER, SERVER, 0o660);
    old(&root.join("../outside"), SERVER, SERVER, 0o666);
    symlink("sub/file", root.join("link")).unwrap();
    symlink("link", root.join("chain")).unwrap();
    symlink("nowhere", root.join("dangling")).unwrap();
    symlink("../outside", root.join("out")).unwrap();
    symlink("sub", root.join("folder")).unwrap();
}

const LINKS: [&str; 5] = ["link", "chain", "dangling", "out", "folder"];

#[test]
fn links_are_refused_unless_configured_otherwise() {
    for rules in ["overwrite: true", "overwrite: true, write: { links: refuse }"] {
        let Some(server) = server(rules, links) else { return };
        for name in LINKS {
            refused(&server, name, "symbolic link and its root has `links: refuse` for uploads");
            assert!(server.root().path(name).is_symlink());
        }
        assert_eq!(
            (server.root().read("sub/file"), server.outside().read("outside")),
            (b"old".into(), b"old".into())
        );
        // Links in the path to a file are the operator's decision.
        put(&server, "folder/file");
        assert_eq!(server.root().read("sub/file"), b"new");
    }
}

#[test]
fn links_can_be_replaced() {
    let Some(server) = server("overwrite: true, write: { links: replace }", links) else { return };
    for name in LINKS {
        put(&server, name);
        assert_eq!(rights(&server.root().path(name)), (SERVER, SERVER, 0o644), "{name}");
        assert_eq!(server.root().read(name), b"new");
    }
    assert_eq!(
        (server.root().read("sub/file"), server.outside().read("outside")),
        (b"old".into(), b"old".into())
    );
}

#[test]
fn links_can_be_followed_below_the_root() {
    let Some(server) = server("overwrite: true, write: { links: follow }", links) else { return };
    for name in ["link", "chain"] {
        fs::write(server.root().path("sub/file"), "old").unwrap();
        Client::Tuffet.put(server.address(), name, b"new", Options::default());
        let outcome = server.outcome(name);
        assert_eq!((&outcome["outcome"], &outcome["resolved"]), (&"stored".into(), &"in:sub/file".into()));
        assert!(server.root().path(name).is_symlink());
        assert_eq!(server.root().read("sub/file"), b"new");
        assert_eq!(rights(&server.root().path("sub/file")), (SERVER, SERVER, 0o660));
    }
    refused(&server, "dangling", "leads nowhere");
    refused(&server, "out", "out of its root");
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("folder", &[]));
    assert_eq!(peer.expect_error(2), "not a regular file");
    assert_eq!(server.outside().read("outside"), b"old");
    assert!(!server.root().has("nowhere"));
}

/// Files are not written in place, so hard links to the old one keep its content.
#[test]
fn other_names_keep_the_old_content() {
    let prepare = |root: &Path| {
        old(&root.join("name"), SERVER, SERVER, 0o660);
        fs::hard_link(root.join("name"), root.join("other")).unwrap();
    };
    let Some(server) = server("overwrite: true", prepare) else { return };
    put(&server, "name");
    assert_eq!((server.root().read("name"), server.root().read("other")), (b"new".into(), b"old".into()));
    assert_eq!(rights(&server.root().path("name")), (SERVER, SERVER, 0o660));
}

/// Temporary files get their permissions before they are renamed.
#[test]
fn what_a_crash_leaves_goes_whatever_its_permissions() {
    let prepare = |root: &Path| {
        for mode in [0o600, 0o440, 0o220] {
            old(&root.join(format!(".tuffet-0000000000000{mode:o}.part")), SERVER, SERVER, mode);
        }
    };
    let Some(server) = server("overwrite: true", prepare) else { return };
    let line = server.logged("removed unfinished uploads of an earlier server");
    assert_eq!(line["removed"], 3, "{line}");
    assert_eq!(server.root().names(), [""; 0]);
}
