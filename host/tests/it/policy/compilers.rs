//! Plugins are compiled in processes of their own, and the server goes on whatever becomes of these.

use super::misbehave;
use crate::harness::{
    Answer, Client, Disk, Options, Peer, Server, Setup, http, is_root, rrq, skipped, until, wait_until,
};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use tempfile::TempDir;

/// The smallest component: it compiles, and has no hook.
const EMPTY: &[u8] = b"\0asm\x0d\0\x01\0";

/// A component with other bytes than any before: with a custom section.
fn another(component: &[u8], number: u8) -> Vec<u8> {
    let mut other = component.to_vec();
    other.extend([0, 3, 1, b'n', number]);
    other
}

/// The configuration with this component beside a bundled plugin.
fn yaml(folder: &Path, component: &str) -> String {
    let policy = format!(
        "policy: {{ authorize: [acl], observe: [OTHER], compiled: '{}' }}\n\
         plugins:\n  acl: {{ component: 'builtin:acl' }}\n",
        folder.display()
    );
    let roots = "roots: [{ name: boot, path: root }]\ncontrol: control\nadmin: { address: '127.0.0.1:0' }\n";
    if component.is_empty() {
        return format!("{roots}{}", policy.replace(", observe: [OTHER]", ""));
    }
    format!("{roots}{}  other: {{ component: '{component}' }}\n", policy.replace("OTHER", "other"))
}

/// A server with a bundled plugin and this code cache.
fn setup(folder: &Path) -> Setup {
    Setup::new().file("open", b"for all").yaml(&yaml(folder, ""))
}

/// Reloads with another component, which is compiled, and refused since it has no hook.
fn reload(server: &Server, folder: &Path, number: u8) -> String {
    server.outside().write("other.wasm", &another(EMPTY, number));
    server.rewrite(&yaml(folder, "other.wasm"));
    let ran = server.ask("reload");
    assert!(!ran.status.success(), "{ran:?}");
    // The lines before it are there, too.
    server.log_line("the reload was refused");
    format!("{}{}", String::from_utf8_lossy(&ran.stdout), ran.stderr)
}

/// Compiled without trouble, so that the missing interface is what is wrong.
#[track_caller]
fn assert_compiled(refusal: &str) {
    assert!(refusal.contains("plugin `other`") && refusal.contains("lifecycle"), "{refusal}");
}

#[track_caller]
fn assert_serves(server: &Server) {
    assert_eq!(Client::Tuffet.get(server.address(), "open", Options::default()), b"for all");
}

/// The children of a process with this name; zombies have none.
fn children(parent: u32, name: &str) -> Vec<u32> {
    let is_it = |id: &u32| {
        let words = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let its_parent = status.lines().find_map(|line| line.strip_prefix("PPid:")).unwrap_or_default();
        its_parent.trim() == parent.to_string()
            && words.split(|byte| *byte == 0).next() == Some(name.as_bytes())
    };
    let all = fs::read_dir("/proc").unwrap();
    let ids = all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    ids.filter(is_it).collect()
}

#[track_caller]
fn starter(server: &Server) -> u32 {
    let starters = children(server.id(), "tuffet-compilers");
    assert_eq!(starters.len(), 1, "{starters:?}");
    starters[0]
}

/// The sockets that a process has open.
fn sockets(id: u32) -> BTreeSet<PathBuf> {
    let open = fs::read_dir(format!("/proc/{id}/fd")).unwrap();
    let open = open.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
    open.filter(|target| target.to_string_lossy().starts_with("socket:")).collect()
}

fn signal(id: u32, signal: Signal) {
    kill_process(Pid::from_raw(id.cast_signed()).unwrap(), signal).unwrap();
}

/// Whether an orphan has ended; not everywhere does somebody wait for it at once.
fn has_ended(id: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    status.is_empty() || status.contains("State:\tZ")
}

#[test]
fn they_have_no_more_rights_than_the_server_and_end_with_it() {
    let folder = TempDir::new().unwrap();
    let server = setup(folder.path()).start();
    let starter = starter(&server);
    let of = |id: u32, key: &str| {
        let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
        let value = status.lines().find_map(|line| line.strip_prefix(key)).unwrap();
        value.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for key in ["Uid:", "Gid:", "Groups:", "CapPrm:", "CapEff:", "CapBnd:", "NoNewPrivs:", "Seccomp:"] {
        assert_eq!(of(starter, key), of(server.id(), key), "{key}");
    }
    assert_eq!((of(starter, "NoNewPrivs:"), of(starter, "Seccomp:")), ("1".into(), "2".into()));
    // No socket of the server is open there.
    let (of_server, of_starter) = (sockets(server.id()), sockets(starter));
    assert!(!of_server.is_empty() && of_starter.is_disjoint(&of_server), "{of_starter:?} {of_server:?}");
    // A signal for all processes of a service is for the server.
    signal(starter, Signal::TERM);
    signal(starter, Signal::HUP);
    assert_compiled(&reload(&server, folder.path(), 1));
    server.stop();
    wait_until("the starter ends", || has_ended(starter));
}

/// As where the kernel ends it for its memory.
#[test]
fn one_that_is_killed_is_a_problem_of_its_component() {
    let folder = TempDir::new().unwrap();
    let server = setup(folder.path()).start();
    let starter = starter(&server);
    let large = fs::read(misbehave()).unwrap();
    server.outside().write("other.wasm", &another(&large, 1));
    server.rewrite(&yaml(folder.path(), "other.wasm"));
    let ran = thread::scope(|scope| {
        let ran = scope.spawn(|| server.ask("reload"));
        let compiler =
            until("a compiler begins", || children(starter, "tuffet-compile").pop(), Option::is_some)
                .unwrap();
        signal(compiler, Signal::KILL);
        ran.join().unwrap()
    });
    let refusal = format!("{}{}", String::from_utf8_lossy(&ran.stdout), ran.stderr);
    assert!(refusal.contains("plugin `other`") && refusal.contains("killed by signal 9"), "{refusal}");
    assert_serves(&server);
    assert_compiled(&reload(&server, folder.path(), 2));
    assert_eq!(children(starter, "tuffet-compile"), [0; 0], "none is left");
}

/// As where the kernel ends it for its memory: the server never compiles itself, and says why nothing new is loaded.
#[test]
fn without_their_starter_nothing_new_is_loaded() {
    let folder = TempDir::new().unwrap();
    let server = setup(folder.path()).start();
    let starter = starter(&server);
    assert_eq!(server.status()["compilers"], true);
    signal(starter, Signal::KILL);
    for number in [1, 2] {
        let refusal = reload(&server, folder.path(), number);
        assert!(refusal.contains("plugin `other`") && refusal.contains("restart the server"), "{refusal}");
        assert!(!refusal.contains("lifecycle"), "it was compiled: {refusal}");
    }
    wait_until("the status knows it", || server.status()["compilers"] == false);
    let metrics = server.metrics();
    assert!(metrics.contains("\ntuffet_compilers_available 0\n"), "{metrics}");
    let ready = http(server.admin(), "/readyz", &[]).json();
    assert!(ready["degraded"].to_string().contains("compilers"), "{ready:#}");
    assert!(!Path::new(&format!("/proc/{starter}")).exists(), "no zombie is left");
    assert_serves(&server);
    // What is in the cache can be loaded.
    server.rewrite(&yaml(folder.path(), ""));
    server.ask("reload").assert_good();
}

#[test]
fn a_server_whose_compilers_hang_serves_and_ends() {
    let folder = TempDir::new().unwrap();
    let server = setup(folder.path()).start();
    let starter = starter(&server);
    signal(starter, Signal::STOP);
    server.outside().write("other.wasm", &another(EMPTY, 1));
    server.rewrite(&yaml(folder.path(), "other.wasm"));
    let before = sockets(server.id());
    server.hang_up();
    wait_until("a compiler is asked for", || sockets(server.id()).len() > before.len());
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("open", &[]));
    assert_eq!(peer.receive(), Answer::Data(1, b"for all".to_vec()));
    drop(peer);
    server.terminate();
    server.wait();
    signal(starter, Signal::CONT);
    wait_until("the starter ends", || has_ended(starter));
}

#[test]
fn a_full_cache_is_named_until_it_has_room() {
    let Some(disk) = Disk::new("size=64m") else { return };
    let server = setup(&disk.path("cache")).start();
    let filler = disk.fill();
    let refusal = reload(&server, &disk.path("cache"), 1);
    assert!(
        refusal.contains("no process could compile it") && refusal.contains("policy.compiled"),
        "{refusal}"
    );
    assert_serves(&server);
    fs::remove_file(filler).unwrap();
    assert_compiled(&reload(&server, &disk.path("cache"), 1));
}

#[test]
fn one_that_cannot_be_written_to_is_named() {
    let folder = TempDir::new().unwrap();
    let cache = folder.path().join("cache");
    let server = setup(&cache).start();
    let digests = cache.join("digests");
    fs::set_permissions(&digests, Permissions::from_mode(0o500)).unwrap();
    let refusal = reload(&server, &cache, 1);
    assert!(refusal.contains("(policy.compiled) cannot be written to"), "{refusal}");
    fs::set_permissions(&digests, Permissions::from_mode(0o700)).unwrap();
}

/// Runs a copy of the program, and then this.
fn behind(folder: &Path, then: &str) -> Vec<String> {
    let script =
        format!("cp \"$1\" '{0}/tuffet' && shift && {then} && exec '{0}/tuffet' \"$@\"", folder.display());
    ["sh", "-c", &script, "sh"].map(str::to_owned).into()
}

#[test]
fn a_program_that_was_replaced_compiles_with_the_old_one() {
    let folder = TempDir::new().unwrap();
    let cache = folder.path().join("cache");
    let server = setup(&cache).behind(behind(folder.path(), "true")).start();
    fs::remove_file(folder.path().join("tuffet")).unwrap();
    fs::write(folder.path().join("tuffet"), "another version").unwrap();
    assert_compiled(&reload(&server, &cache, 1));
}

#[test]
fn a_program_that_its_user_may_not_execute_does_not_start() {
    if !is_root() {
        skipped("changing the user needs root");
        return;
    }
    let folder = TempDir::new().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let setup = Setup::new().file("open", b"for all").yaml(&yaml(Path::new("cache"), "")).user(Some("65534"));
    for open in [setup.outside().0, setup.root().0] {
        fs::set_permissions(open, Permissions::from_mode(0o755)).unwrap();
    }
    let only_root = format!("chmod 700 '{}/tuffet'", folder.path().display());
    let ran = setup.behind(behind(folder.path(), &only_root)).run_to_its_end();
    ran.assert_fails(71, &["cannot start this program as a compiler", "compiled: none"]);
}
