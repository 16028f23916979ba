//! The folder of the sockets belongs to the server's user, who replaces sockets with links while root starts
//! a server there: no file of root is touched through them.

use crate::harness::{SOON, Server, Setup, is_root, skipped};
use std::fs::{self, Permissions};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

const SOCKETS: &str = "control: run/control\nadmin: { address: \"unix:run/admin\" }\n";
/// How long strace holds the server after each call, so that the swap happens in between.
const HELD: &str = "inject=bind:delay_exit=100ms";

/// Creates a folder that `nobody` may enter, with a file of root beside it.
fn setup(rest: &str) -> Setup {
    let setup = Setup::new().file("a", b"a").rest_of_yaml(&format!("{SOCKETS}{rest}")).user(Some("65534"));
    fs::set_permissions(setup.outside().0, Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(setup.root().0, Permissions::from_mode(0o755)).unwrap();
    setup.outside().write("victim", b"precious");
    fs::set_permissions(setup.outside().path("victim"), Permissions::from_mode(0o604)).unwrap();
    setup
}

fn give(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    chown(folder, Some(65534), Some(65534)).unwrap();
}

fn needs_root() -> bool {
    if !is_root() {
        skipped("sockets in a folder that root gave away need root");
    }
    is_root()
}

fn can_hold() -> bool {
    let mut strace = Command::new("strace");
    strace.args(["-D", "-o", "/dev/null", "-e", "inject=bind:delay_exit=1ms", "true"]);
    let can = strace.stdin(Stdio::null()).output().is_ok_and(|ran| ran.status.success());
    if !can {
        skipped("the server is held between two calls with strace, which does not work here");
    }
    can
}

/// Returns owner, group and mode.
fn about(path: &Path) -> (u32, u32, u32) {
    let about = fs::symlink_metadata(path).unwrap();
    (about.uid(), about.gid(), about.mode() & 0o7777)
}

/// Waits for each socket, and replaces it with a link to the victim.
fn swap_each(server: &Server) -> u32 {
    let end = Instant::now() + SOON;
    let mut swapped = 0;
    for name in ["admin", "control"] {
        let path = server.outside().path("run").join(name);
        let link = server.outside().path("run/.link");
        while !path.symlink_metadata().is_ok_and(|about| about.file_type().is_socket()) {
            // The server may exit before the second one, because the first is gone.
            if Instant::now() > end || server.has_ended() {
                return swapped;
            }
            std::thread::yield_now();
        }
        symlink(server.outside().path("victim"), &link).unwrap();
        fs::rename(&link, &path).unwrap();
        swapped += 1;
    }
    swapped
}

#[test]
fn a_link_in_the_place_of_a_socket_leads_nowhere() {
    if !needs_root() || !can_hold() {
        return;
    }
    for given_before in [true, false] {
        // A single port, since each TID port is bound at the start too, and would be held.
        // A folder from an earlier start, or one that this start creates and gives away.
        let setup = setup("");
        if given_before {
            give(&setup.outside().path("run"));
        }
        let trace = setup.outside().path("trace");
        let words = ["strace", "-D", "-o", trace.to_str().unwrap(), "-e", "trace=bind", "-e", HELD];
        let server = setup.single_port().behind(words.map(str::to_owned).into()).begin();
        let victim = server.outside().path("victim");
        let before = about(&victim);
        assert!(swap_each(&server) > 0, "given before: {given_before}\n{}", server.log());
        let end = Instant::now() + SOON;
        while !server.has_ended() && !server.log().contains("\"serving\"") {
            assert!(Instant::now() < end, "it neither serves nor ends: {}", server.log());
            std::thread::yield_now();
        }
        assert_eq!(about(&victim), before, "given before: {given_before}");
        assert_eq!(fs::read(&victim).unwrap(), b"precious");
    }
}

/// A folder on the way is a link to a folder of root: nothing is created or removed there.
#[test]
fn a_folder_that_is_a_link_leads_nowhere() {
    if !needs_root() {
        return;
    }
    for (rest, words) in [
        ("admin: { address: \"unix:given/way/admin\" }\n", "so the user `nobody` creates the socket"),
        ("sinks: { lines: { file: given/way/lines.jsonl } }\n", "who may not create files in"),
        (
            "sinks: { lines: { stdout: true, spool: { path: given/way/spool } } }\n",
            "given/way/spool: the server runs as the user `nobody`, who may not write there",
        ),
    ] {
        let setup = setup("");
        let of_root = setup.outside().path("of-root");
        fs::create_dir(&of_root).unwrap();
        give(&setup.outside().path("given"));
        symlink(&of_root, setup.outside().path("given/way")).unwrap();
        let yaml = format!("roots: [{{ name: boot, path: root }}]\n{rest}");
        let server = setup.yaml(&yaml).begin();
        server.wait();
        assert!(server.log().contains(words), "{}", server.log());
        assert_eq!(fs::read_dir(&of_root).unwrap().count(), 0, "{rest}");
    }
}

/// Sockets that root creates belong to the server, with permissions for it alone, whoever owns the folder;
/// and the next start replaces those that a crash left.
#[test]
fn sockets_are_the_users_whoever_owns_their_folder() {
    if !needs_root() {
        return;
    }
    for given in [true, false] {
        let setup = setup("");
        let run = setup.outside().path("run");
        fs::create_dir(&run).unwrap();
        if given {
            give(&run);
        }
        // As a crash leaves them.
        for name in ["control", "admin"] {
            drop(std::os::unix::net::UnixListener::bind(run.join(name)).unwrap());
            chown(run.join(name), Some(65534), Some(65534)).unwrap();
        }
        let server = setup.start();
        let due = |mode| (65534, 65534, mode);
        assert_eq!(
            (about(&run.join("control")), about(&run.join("admin"))),
            (due(0o600), due(0o660)),
            "{given}"
        );
        let ran = crate::harness::tuffet(["status", "--control", run.join("control").to_str().unwrap()]);
        ran.assert_good();
        server.stop();
        // The server has removed them if it may.
        assert_eq!(fs::read_dir(&run).unwrap().count(), if given { 0 } else { 2 });
    }
}
