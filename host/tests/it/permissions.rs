//! What the operating system refuses: the line says to whom, where on the path, which right, and why.

use crate::harness::{Answer, Peer, Server, Setup, error, is_root, rrq, run, skipped, wrq};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// The server's user.
const NOBODY: &str = "65534";

fn setup() -> Option<Setup> {
    if !is_root() {
        skipped("permissions of another user: needs root");
        return None;
    }
    let setup = Setup::new()
        .file("private", b"key")
        .file("closed/deep/file", b"x")
        .file("listed", b"x")
        .file("kept/.keep", b"")
        .yaml("roots: [{ name: boot, path: root, writable: true }]\n")
        .user(Some(NOBODY));
    for (path, mode) in [
        ("", 0o755),
        ("root", 0o777),
        ("root/private", 0o600),
        ("root/closed", 0o700),
        ("root/listed", 0o644),
        ("root/kept", 0o755),
    ] {
        fs::set_permissions(setup.outside().path(path), Permissions::from_mode(mode)).unwrap();
    }
    Some(setup)
}

#[track_caller]
fn assert_refused(server: &Server, packet: &[u8], path: &str, parts: &[&str]) {
    let mut peer = Peer::new(server.address());
    peer.ask(packet);
    match peer.receive() {
        Answer::Error(2, text) => assert_eq!(text, "access denied", "nothing of the server's"),
        other => {
            peer.send(&error(0, "enough"));
            panic!("{path}: {other:?}");
        }
    }
    let line = server.outcome(path);
    assert_eq!(line["outcome"], "failed", "{line:#}");
    let detail = line["detail"].as_str().unwrap();
    assert!(parts.iter().all(|part| detail.contains(part)), "{parts:?} in {detail}");
}

#[test]
fn the_user_the_place_the_right_and_the_cause_are_named() {
    let Some(setup) = setup() else { return };
    let root = setup.root().0.canonicalize().unwrap().display().to_string();
    let listed = setup.root().path("listed");
    let has_lists = Command::new("setfacl").args(["-m", "u:65534:---"]).arg(&listed).output();
    let has_lists = has_lists.is_ok_and(|ran| ran.status.success());
    let server = setup.start();
    let user = "forbids it to the user ";
    assert_refused(
        &server,
        &rrq("private", &[]),
        "private",
        &[
            user,
            &format!(
                "it lacks the right `r` on the file {root}/private (mode 0600, owner root, group root); `"
            ),
            &format!("r {root}/private`"),
        ],
    );
    assert_refused(
        &server,
        &rrq("closed/deep/file", &[]),
        "closed/deep/file",
        &[
            user,
            &format!(
                "it lacks the right `x` on the folder {root}/closed (mode 0700, owner root, group root); `"
            ),
        ],
    );
    assert_refused(
        &server,
        &wrq("kept/new", &[]),
        "kept/new",
        &[
            user,
            &format!(
                "it lacks the right `w` on the folder {root}/kept (mode 0755, owner root, group root); `"
            ),
        ],
    );
    if has_lists {
        assert_refused(
            &server,
            &rrq("listed", &[]),
            "listed",
            &[user, &format!("on the file {root}/listed (its access control list, see `getfacl`)")],
        );
    } else {
        skipped("access control lists: setfacl is not installed, or the file system has none");
    }
    let socket = server.outside().path("control");
    let mut explain = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    explain.args(["explain", "--live", "--control"]).arg(socket).arg("private");
    let ran = run(&mut explain);
    let text = String::from_utf8_lossy(&ran.stdout);
    assert!(text.contains(&format!("it lacks the right `r` on the file {root}/private")), "{text}");
}

/// A disk with errors becomes read-only while the server runs. To change a mode or an owner would not help.
#[test]
fn an_upload_to_a_mount_that_became_read_only() {
    let Some(setup) = setup() else { return };
    let root = setup.root().0;
    let script = "mount --bind \"$1\" \"$1\"; shift; exec \"$@\"";
    let behind = ["unshare", "--mount", "--propagation", "private", "sh", "-ec", script, "sh"];
    let behind = behind.into_iter().map(str::to_owned).chain([root.display().to_string()]);
    let server = setup.behind(behind.collect()).start();
    let mut upload = Peer::new(server.address());
    upload.ask(&wrq("first", &[]));
    upload.expect(Answer::Ack(0));
    upload.write_on(b"content", 512);
    assert_eq!(server.outcome("first")["outcome"], "stored");
    let mut remount = Command::new("nsenter");
    remount.args([&format!("--mount=/proc/{}/ns/mnt", server.id()), "mount", "-o", "remount,ro,bind"]);
    run(remount.arg(&root)).assert_good();
    let real = root.canonicalize().unwrap().display().to_string();
    let place = format!("it lacks the right `w` on the folder {real} (mounted read-only); mount it writable");
    let remedy = format!("`ReadWritePaths={real}`");
    assert_refused(&server, &wrq("second", &[]), "second", &["forbids it to the user ", &place, &remedy]);
    assert_eq!(Peer::new(server.address()).read_plainly("first"), b"content");
}

/// The command that the line has gives just that right.
#[test]
fn the_command_in_the_line_opens_the_file() {
    let Some(setup) = setup() else { return };
    let server = setup.start();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("private", &[]));
    peer.expect_error(2);
    let detail = server.outcome("private")["detail"].as_str().unwrap().to_owned();
    let command = detail.rsplit_once("; `").unwrap().1.trim_end_matches('`');
    if command.starts_with("setfacl") && Command::new("setfacl").arg("--version").output().is_err() {
        return skipped("the command of the line: setfacl is not installed");
    }
    let ran = Command::new("sh").args(["-c", command]).output().unwrap();
    assert!(ran.status.success(), "{command}: {ran:?}");
    assert_eq!(Peer::new(server.address()).read_plainly("private"), b"key", "{command}");
    let mode = fs::metadata(server.root().path("private")).unwrap().permissions().mode();
    assert_eq!(mode & 0o007, 0, "others have nothing: {mode:o}");
}
