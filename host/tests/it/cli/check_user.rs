//! `tuffet check` run by root checks with the rights of the server's user.

use crate::harness::{Ran, Setup, compiled, is_root, run, skipped};
use serde_json::Value;
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
    let refused = ["root `boot`", "the user `nobody`, who may not read", "setfacl -m u:nobody:rx"];
    assert_both_refuse(&setup, &yaml, &refused);
    mode(&setup.root().0, 0o755);
    let writable = yaml.replace("path: root", "path: root, writable: true");
    assert_both_refuse(&setup, &writable, &["root `boot`", "may not write", "setfacl -m u:nobody:rwx"]);
    chown(setup.root().0, Some(65534), None).unwrap();
    check_as(&setup, &writable, &[]).assert_good();
}

/// The message names the folder on the way that refuses, also behind a link, and gives just the right that is missing.
#[test]
fn the_folder_that_is_in_the_way() {
    let Some(setup) = setup() else { return };
    let folder = setup.outside();
    for (name, permissions) in [("closed", 0o700), ("closed/tftp", 0o755)] {
        fs::create_dir(folder.path(name)).unwrap();
        mode(&folder.path(name), permissions);
    }
    std::os::unix::fs::symlink("closed/tftp", folder.path("link")).unwrap();
    let closed = folder.path("closed").canonicalize().unwrap().display().to_string();
    for path in ["closed/tftp", "link"] {
        let yaml =
            format!("{BOOT}privileges: {{ user: 65534 }}\n").replace("path: root", &format!("path: {path}"));
        let words = [
            &format!("it lacks the right `x` on the folder {closed} (mode 0700, owner root, group root)"),
            &format!("`setfacl -m u:nobody:x {closed}`"),
        ];
        assert_both_refuse(&setup, &yaml, &words.map(String::as_str));
    }
    let yaml = format!("{BOOT}privileges: {{ user: 65534 }}\n").replace("path: root", "path: link");
    mode(&folder.path("closed"), 0o711);
    check_as(&setup, &yaml, &[]).assert_good();
}

/// An access control list (acl(5)) as the kernel stores it: the owner may do all, this user what is given, others nothing.
fn list(user: u32, rights: u16) -> Vec<u8> {
    let entries: [(u16, u16, u32); 5] =
        [(1, 7, u32::MAX), (2, rights, user), (4, 0, u32::MAX), (16, 7, u32::MAX), (32, 0, u32::MAX)];
    let mut value = 2_u32.to_le_bytes().to_vec();
    for (whom, rights, id) in entries {
        value.extend([whom.to_le_bytes(), rights.to_le_bytes()].concat());
        value.extend(id.to_le_bytes());
    }
    value
}

#[test]
fn access_control_lists_count() {
    let Some(setup) = setup() else { return };
    let set = |rights| {
        let list = list(65534, rights);
        rustix::fs::setxattr(
            setup.root().0,
            "system.posix_acl_access",
            &list,
            rustix::fs::XattrFlags::empty(),
        )
    };
    if set(5).is_err() {
        return skipped("this file system has no access control lists");
    }
    let yaml = format!("{BOOT}privileges: {{ user: 65534 }}\n");
    check_as(&setup, &yaml, &[]).assert_good();
    set(4).unwrap();
    assert_both_refuse(
        &setup,
        &yaml,
        &[
            "it lacks the right `x` on the folder",
            "its access control list, see `getfacl`",
            "setfacl -m u:nobody:x",
        ],
    );
    let mut doctor = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    doctor.args(["doctor", "--no-rate", "--json"]).arg(setup.outside().path("tuffet.yaml"));
    let words = ["closed to the user nobody", "on the folder", "its access control list, see `getfacl`"];
    assert_doctor_finds(&run(&mut doctor), "root boot", &words);
}

/// Root reads them all. The server would start, and each routed phone would get the default file.
#[test]
fn what_the_server_reads_later() {
    let Some(setup) = setup() else { return };
    let folder = setup.outside();
    fs::create_dir(folder.path("dhcp")).unwrap();
    let written = [
        ("dhcp/leases", "0 02:00:5e:10:00:01 192.0.2.1 a *\n"),
        ("root/inventory.yaml", "devices: {}\n"),
        ("root/phone.j2", ""),
    ];
    for (name, text) in written {
        folder.write(name, text.as_bytes());
        mode(&folder.path(name), 0o600);
    }
    let yaml = format!(
        "{BOOT}facts: {{ leases: [{{ file: dhcp/leases, format: dnsmasq }}] }}\nprivileges: {{ user: 65534 }}\n\
         policy: {{ resolve: [phones] }}\nplugins:\n  phones:\n    component: builtin:template\n    grants: [client-mac, \
         files/boot]\n    settings: {{ root: boot, inventory: inventory.yaml, rules: [{{ match: '*.cfg', template: phone.j2 }}] }}\n"
    );
    // Each check compiles the plugin: no other user may write to the folder for compiled plugins.
    let ran = check_as(&setup, &yaml, &["--strict"]);
    ran.assert_fails(1, &["with --strict, warnings are problems"]);
    let path = |name: &str| folder.path(name).display().to_string();
    for line in [
        format!(
            "tuffet.yaml:3:27: {}: the server runs as the user `nobody`, who may not read this lease file",
            path("dhcp/leases")
        ),
        format!(
            "`setfacl -m u:nobody:r {}`; if a program replaces the file, also `setfacl -d -m u:nobody:r {}`",
            path("dhcp/leases"),
            path("dhcp")
        ),
        format!(
            "{}: the server runs as the user `nobody`, who may not read this inventory",
            path("root/inventory.yaml")
        ),
        format!(
            "{}: the server runs as the user `nobody`, who may not read this template",
            path("root/phone.j2")
        ),
    ] {
        assert!(ran.stderr.contains(&line), "{line} is missing in {}", ran.stderr);
    }
    for (name, _) in written {
        mode(&folder.path(name), 0o644);
    }
    let ran = check_as(&setup, &yaml, &["--strict"]);
    assert_eq!((ran.code(), &*ran.stderr), (0, ""));
}

#[test]
fn a_map_that_the_plugin_could_not_read() {
    let Some(setup) = setup() else { return };
    setup.root().write("map", b"r ^a$ b\n");
    mode(&setup.root().path("map"), 0o600);
    let yaml = format!(
        "{BOOT}privileges: {{ user: 65534 }}\npolicy: {{ resolve: [map] }}\nplugins:\n  map:\n    component: builtin:remap\n    \
         grants: [files/boot]\n    settings: {{ root: boot, map-file: {{ root: boot, path: map }} }}\n"
    );
    check_as(&setup, &yaml, &[]).assert_fails(
        77,
        &["who may not read this map, so the plugin cannot be loaded", "setfacl -m u:nobody:r"],
    );
    mode(&setup.root().path("map"), 0o644);
    check_as(&setup, &yaml, &[]).assert_good();
}

/// Runs a command of Tuffet about the configuration where this folder is mounted read-only.
fn with_read_only(folder: &Path, setup: &Setup, command: &[&str]) -> Option<Ran> {
    let mut unshare = Command::new("unshare");
    unshare.args(["--mount", "--propagation", "private", "sh", "-ec"]);
    unshare.args(["mount --bind \"$1\" \"$1\"; mount -o remount,ro,bind \"$1\"; shift; exec \"$@\"", "sh"]);
    unshare.arg(folder).arg(env!("CARGO_BIN_EXE_tuffet")).args(command);
    let ran = run(unshare.arg(setup.outside().path("tuffet.yaml")).env("CACHE_DIRECTORY", compiled()));
    if ran.stderr.contains("unshare") || ran.stderr.contains("mount: ") {
        skipped("mounting a file system needs more rights");
        return None;
    }
    Some(ran)
}

/// The finding of doctor with these words.
#[track_caller]
fn assert_doctor_finds(ran: &Ran, check: &str, words: &[&str]) {
    assert_eq!(ran.code(), 1, "{}", ran.stderr);
    let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let is_it = |finding: &&Value| {
        let says = finding["says"].as_str().unwrap();
        finding["check"] == check && words.iter().all(|word| says.contains(word))
    };
    let found = findings.iter().find(is_it).unwrap_or_else(|| panic!("{check}, {words:?}: {report:#}"));
    assert_eq!(found["grade"], "wrong");
    // No mode and no owner is the cause.
    assert!(!found.to_string().contains("chmod") && !found.to_string().contains("chown"), "{found}");
}

/// A mount or a unit may forbid what permissions allow.
#[test]
fn uploads_to_a_read_only_mount() {
    let Some(setup) = setup() else { return };
    let yaml =
        format!("{BOOT}privileges: {{ user: 65534 }}\n").replace("path: root", "path: root, writable: true");
    chown(setup.root().0, Some(65534), None).unwrap();
    check_as(&setup, &yaml, &[]).assert_good();
    let Some(ran) = with_read_only(&setup.root().0, &setup, &["check"]) else { return };
    let words = ["may not write", "(mounted read-only)", "findmnt -T", "ReadWritePaths="];
    ran.assert_fails(77, &[&["root `boot`"], &words[..]].concat());
    let Some(ran) = with_read_only(&setup.root().0, &setup, &["doctor", "--no-rate", "--json"]) else {
        return;
    };
    assert_doctor_finds(
        &ran,
        "uploads into boot",
        &["closed to the user nobody", words[1], words[2], words[3]],
    );
}

/// To change its owner would not help.
#[test]
fn a_log_and_a_spool_on_a_read_only_mount() {
    let Some(setup) = setup() else { return };
    let kept = setup.outside().path("kept");
    fs::create_dir(&kept).unwrap();
    chown(&kept, Some(65534), None).unwrap();
    fs::write(kept.join("old.log"), "").unwrap();
    chown(kept.join("old.log"), Some(65534), None).unwrap();
    for (section, begin) in [
        ("log: { to: { file: kept/new.log } }\n", "log: "),
        ("log: { to: { file: kept/old.log } }\n", "log: "),
        ("sinks: { lines: { file: kept/lines } }\n", "sink `lines`: "),
        ("state: kept/state\nsinks: { lines: { http: { url: \"http://127.0.0.1:9\" }, spool: {} } }\n", ""),
    ] {
        let yaml = format!("{BOOT}{section}privileges: {{ user: 65534 }}\n");
        check_as(&setup, &yaml, &[]).assert_good();
        let folder = kept.canonicalize().unwrap().display().to_string();
        let words =
            [begin, "the user `nobody`, who may not", &folder, "(mounted read-only)", "ReadWritePaths="];
        let Some(ran) = with_read_only(&kept, &setup, &["check"]) else { return };
        ran.assert_fails(77, &words);
        assert!(!ran.stderr.contains("chown"), "{}", ran.stderr);
        let Some(ran) = with_read_only(&kept, &setup, &["serve", "--config"]) else { return };
        ran.assert_fails(77, &words);
        let Some(ran) = with_read_only(&kept, &setup, &["doctor", "--no-rate", "--json"]) else { return };
        assert_doctor_finds(&ran, "files of the server", &words);
    }
    // Without a change of user, it is the same.
    chown(&kept, Some(0), None).unwrap();
    let yaml = format!("{BOOT}log: {{ to: {{ file: kept/new.log }} }}\nprivileges: {{ user: root }}\n");
    fs::write(setup.outside().path("tuffet.yaml"), yaml).unwrap();
    let Some(ran) = with_read_only(&kept, &setup, &["serve", "--config"]) else { return };
    ran.assert_fails(77, &["log: ", "the user `root`", "(mounted read-only)", "ReadWritePaths="]);
}

/// What the unit of systemd forbids is not visible to a shell. The unit is found by the file that its command names.
#[test]
fn the_unit_that_starts_the_server() {
    let Some(setup) = setup() else { return };
    let folder = setup.outside();
    let (yaml, units) = (BOOT.replace("path: root", "path: root, writable: true"), folder.path("units"));
    fs::create_dir_all(units.join("tuffet.service.d")).unwrap();
    chown(setup.root().0, Some(65533), None).unwrap();
    let file = folder.path("tuffet.yaml").display().to_string();
    fs::write(&file, &yaml).unwrap();
    let shipped = include_str!("../../../../examples/systemd/tuffet.service");
    let service = shipped
        .replace("/etc/tuffet/tuffet.yaml", &file)
        .replace("=tuffet\nGroup=tuffet", "=65533\nGroup=65533");
    fs::write(units.join("tuffet.service"), service.replace("PrivateTmp=yes", "")).unwrap();
    let check = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
        command.env("CACHE_DIRECTORY", compiled()).env("SYSTEMD_UNIT_PATH", &units);
        run(command.args(["check", &file]).args(arguments))
    };
    let root = setup.root().0.display().to_string();
    let ran = check(&[]);
    ran.assert_good();
    let said = format!(
        "root `boot`: uploads into {root} would be refused: its unit tuffet.service has `ProtectSystem=strict`; write \
         `ReadWritePaths={root}` below `[Service]` in `systemctl edit tuffet.service`"
    );
    assert!(ran.stderr.contains(&said), "{}", ran.stderr);
    check(&["--strict"]).assert_fails(1, &[&said]);
    let drop_in = units.join("tuffet.service.d/override.conf");
    fs::write(&drop_in, format!("[Service]\nReadWritePaths={root}\n")).unwrap();
    let ran = check(&["--strict"]);
    assert_eq!((ran.code(), &*ran.stderr), (0, ""), "checked as the user of the unit");
    fs::write(&drop_in, format!("[Service]\nReadWritePaths={root}\nUser=65532\n")).unwrap();
    check(&[]).assert_fails(77, &["the user `65532`, who may not write", "setfacl -m u:65532:rwx"]);
    fs::write(&drop_in, format!("[Service]\nInaccessiblePaths={root}\n")).unwrap();
    check(&["--strict"]).assert_fails(1, &["the server does not see", "InaccessiblePaths="]);
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
