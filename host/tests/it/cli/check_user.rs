//! `tuffet check` run by root checks with the rights of the server's user.

use crate::harness::{Ran, Setup, compiled, is_root, run, skipped};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::Command;

const BOOT: &str = "listeners: [{ address: \"127.0.0.1:0\" }]\nroots: [{ name: boot, path: root }]\n";
const KEPT: &str = "state: state\nsinks:\n  lines: { file: log/lines.jsonl, spool: { path: spool } }\n";

fn setup() -> Option<Setup> {
    if !is_root() {
        skipped("to look as another user needs root");
        return None;
    }
    let setup = Setup::new();
    mode(&setup.outside().0, 0o755);
    Some(setup)
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn check_as(setup: &Setup, yaml: &str, arguments: &[&str]) -> Ran {
    let file = setup.outside().path("tuffet.yaml");
    fs::write(&file, yaml).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    run(command.env("CACHE_DIRECTORY", compiled()).arg("check").arg(file).args(arguments))
}

/// The check fails as the start of a server with the same configuration does.
#[track_caller]
fn assert_both_refuse(setup: &Setup, yaml: &str, words: &[&str]) {
    check_as(setup, yaml, &[]).assert_fails(77, words);
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    command.env("CACHE_DIRECTORY", compiled()).args(["serve", "--config"]);
    run(command.arg(setup.outside().path("tuffet.yaml"))).assert_fails(77, words);
}

#[test]
fn roots_and_uploads() {
    let Some(setup) = setup() else { return };
    let yaml = format!("{BOOT}privileges: {{ user: 65534 }}\n");
    check_as(&setup, &yaml, &[]).assert_good();
    mode(&setup.root().0, 0o700);
    assert_both_refuse(&setup, &yaml, &["root `boot`", "the user `nobody`, who may not read", "chmod o+rx"]);
    mode(&setup.root().0, 0o755);
    let writable = yaml.replace("path: root", "path: root, writable: true");
    assert_both_refuse(&setup, &writable, &["root `boot`", "may not write", "chown nobody"]);
    chown(setup.root().0, Some(65534), None).unwrap();
    check_as(&setup, &writable, &[]).assert_good();
}

/// By the flag, by the configuration, or by default.
#[test]
fn whoever_would_serve() {
    let Some(setup) = setup() else { return };
    mode(&setup.root().0, 0o700);
    chown(setup.root().0, Some(65533), None).unwrap();
    check_as(&setup, BOOT, &[]).assert_fails(77, &["root `boot`", "may not read"]);
    check_as(&setup, BOOT, &["--user", "65533"]).assert_good();
    check_as(&setup, &format!("{BOOT}privileges: {{ user: 65533 }}\n"), &["--user", "65534"])
        .assert_fails(77, &["the user `nobody`"]);
    // Root without capabilities is an ordinary user for the files of others.
    check_as(&setup, BOOT, &["--user", "root"]).assert_fails(77, &["the user `root`", "may not read"]);
    check_as(&setup, BOOT, &["--user", "no-such-user-here"]).assert_fails(64, &["useradd"]);
    // The permissions of the group count.
    mode(&setup.root().0, 0o750);
    chown(setup.root().0, Some(0), Some(65532)).unwrap();
    let yaml = |group| format!("{BOOT}privileges: {{ user: 65534, group: {group} }}\n");
    check_as(&setup, &yaml(65532), &[]).assert_good();
    check_as(&setup, &yaml(65531), &[]).assert_fails(77, &["may not read"]);
}

#[test]
fn what_the_server_keeps() {
    let Some(setup) = setup() else { return };
    let yaml = format!("{BOOT}{KEPT}privileges: {{ user: 65534 }}\n");
    fs::create_dir(setup.outside().path("log")).unwrap();
    chown(setup.outside().path("log"), Some(65534), None).unwrap();
    // At the start, root would create missing paths for the user; the check does not.
    check_as(&setup, &yaml, &[]).assert_good();
    for name in ["state", "spool", "log/lines.jsonl"] {
        assert!(!setup.outside().path(name).exists(), "{name}");
    }
    fs::create_dir(setup.outside().path("spool")).unwrap();
    fs::write(setup.outside().path("log/lines.jsonl"), "").unwrap();
    mode(&setup.outside().path("log/lines.jsonl"), 0o644);
    assert_both_refuse(
        &setup,
        &yaml,
        &["spool", "chown -R nobody", "sink `lines`", "log/lines.jsonl: `chown nobody"],
    );
    for name in ["spool", "log/lines.jsonl"] {
        chown(setup.outside().path(name), Some(65534), None).unwrap();
    }
    check_as(&setup, &yaml, &[]).assert_good();
}

/// Below a folder of the user, root creates nothing.
#[test]
fn what_would_be_made_by_the_user() {
    let Some(setup) = setup() else { return };
    fs::create_dir(setup.outside().path("theirs")).unwrap();
    chown(setup.outside().path("theirs"), Some(65533), None).unwrap();
    let yaml =
        format!("{BOOT}{}privileges: {{ user: 65534 }}\n", KEPT.replace("path: spool", "path: theirs/spool"))
            .replace("log/", "");
    check_as(&setup, &yaml, &["--user", "65533"]).assert_good();
    assert_both_refuse(&setup, &yaml, &["theirs/spool", "chown -R nobody"]);
}

/// Read after the start, by the server's user.
#[test]
fn plugins() {
    let Some(setup) = setup() else { return };
    fs::write(setup.outside().path("it.wasm"), fs::read(crate::policy::misbehave()).unwrap()).unwrap();
    mode(&setup.outside().path("it.wasm"), 0o600);
    let yaml = format!(
        "{BOOT}policy: {{ authorize: [it] }}\nplugins: {{ it: {{ component: it.wasm, settings: {{ do: deny }} }} }}\n\
         privileges: {{ user: 65534 }}\n"
    );
    check_as(&setup, &yaml, &[]).assert_fails(64, &["plugin `it`", "it.wasm", "ermission denied"]);
    mode(&setup.outside().path("it.wasm"), 0o644);
    check_as(&setup, &yaml, &[]).assert_good();
}

/// Root reads them before it becomes the user, who reloads.
#[test]
fn secrets_that_a_reload_could_not_read() {
    let Some(setup) = setup() else { return };
    setup.outside().write("token", b"0123456789abcdef");
    mode(&setup.outside().path("token"), 0o600);
    let yaml = format!(
        "{BOOT}admin: {{ address: \"127.0.0.1:0\", token: {{ file: token }} }}\nprivileges: {{ user: 65534 }}\n"
    );
    let ran = check_as(&setup, &yaml, &[]);
    ran.assert_good();
    assert!(
        ran.stderr.contains("warning: reloads would be refused") && ran.stderr.contains("token"),
        "{}",
        ran.stderr
    );
    mode(&setup.outside().path("token"), 0o644);
    let ran = check_as(&setup, &yaml, &[]);
    ran.assert_good();
    assert_eq!(ran.stderr, "");
}

#[test]
fn sockets() {
    let Some(setup) = setup() else { return };
    let yaml = format!(
        "{BOOT}admin: {{ address: \"unix:run/admin\" }}\ncontrol: run/control\nprivileges: {{ user: 65534 }}\n"
    );
    let run = setup.outside().path("run");
    let good = || {
        let ran = check_as(&setup, &yaml, &[]);
        ran.assert_good();
        assert_eq!(ran.stderr, "");
    };
    // Created by root; existing and owned by root; existing and owned by the user.
    good();
    assert!(!run.exists());
    fs::create_dir(&run).unwrap();
    good();
    chown(&run, Some(65534), None).unwrap();
    good();
    chown(&run, Some(65533), None).unwrap();
    check_as(&setup, &yaml, &[])
        .assert_fails(77, &["`admin.address`", "may not create the socket", "chown nobody"]);
    let ran = check_as(&setup, &yaml.replace("unix:run/admin", "127.0.0.1:0"), &[]);
    ran.assert_good();
    assert!(ran.stderr.contains("warning: `control`: `tuffet reload`"), "{}", ran.stderr);
    fs::remove_dir(&run).unwrap();
    fs::create_dir(&run).unwrap();
    fs::write(run.join("admin"), "").unwrap();
    check_as(&setup, &yaml, &[]).assert_fails(77, &["`admin.address`", "is not a socket"]);
}
