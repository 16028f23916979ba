//! The privileges that a server drops at its start, and the resulting restrictions.

use crate::harness::{
    Answer, Client, Options, Peer, Server, Setup, ack, is_root, own_loopback, rrq, run, skipped, tuffet, wrq,
};
use serde_json::Value;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

/// All sections that start threads or write files: keys, sinks, spools, the admin listener.
const EVERYTHING: &str = r#"
policy: { authorize: [acl], observe: [audit], compiled: cache/deep }
plugins:
  acl: { component: builtin:acl, settings: { deny: [{ names: ["secret"], message: "no" }] } }
  audit: { component: builtin:audit, settings: { sink: lines }, grants: [kv, sinks/lines] }
sinks:
  lines: { file: log/audit.jsonl, rotate: { size: 1MiB }, spool: { bytes: 64KiB } }
state: state
admin: { address: "127.0.0.1:0" }
workers: 2
"#;

/// Opens a setup's folders to every user, and its `root` for writing.
fn open_to_all(setup: Setup) -> Setup {
    fs::set_permissions(setup.outside().0, Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(setup.root().0, Permissions::from_mode(0o777)).unwrap();
    setup
}

fn needs_root() -> bool {
    if !is_root() {
        skipped("giving up privileges needs root to begin with");
    }
    is_root()
}

/// Returns a key of the status of each thread, which must be the same for all.
#[track_caller]
fn each_thread(server: &Server, key: &str) -> String {
    let folder = format!("/proc/{}/task", server.id());
    let mut values: Vec<String> = Vec::new();
    for thread in fs::read_dir(folder).unwrap() {
        // A thread that has ended meanwhile has none.
        let Ok(status) = fs::read_to_string(thread.unwrap().path().join("status")) else { continue };
        let value = status.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
        values.push(value.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    assert!(values.len() > 3, "{values:?}");
    values.sort();
    values.dedup();
    assert_eq!(values.len(), 1, "{key} {values:?}");
    values.remove(0)
}

#[track_caller]
fn assert_given_up(server: &Server, user: &str) {
    let ids = |id: &str| [id; 4].join(" ");
    assert_eq!(each_thread(server, "Uid:"), ids(user));
    for set in ["CapInh:", "CapPrm:", "CapEff:", "CapAmb:"] {
        assert_eq!(each_thread(server, set), "0000000000000000", "{set}");
    }
    assert_eq!(each_thread(server, "NoNewPrivs:"), "1");
    assert_eq!(each_thread(server, "Seccomp:"), "2");
}

fn ask(server: &Server, name: &str) -> Answer {
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq(name, &[]));
    let answer = peer.receive();
    if let Answer::Data(block, _) = answer {
        peer.send(&ack(block));
    }
    answer
}

/// The configurations of README and of the packages, on a machine without a trace of Tuffet; at first by a server that
/// stays root, as authors of plugins start it.
#[test]
fn first_starts_by_root_have_no_warning() {
    if !needs_root() {
        return;
    }
    let unshare = Command::new("unshare").args(["--mount", "true"]).output();
    if !unshare.is_ok_and(|ran| ran.status.success()) {
        return skipped("mount namespaces need CAP_SYS_ADMIN");
    }
    let readme = include_str!("../../../README.md").split_once("```yaml\n").unwrap().1;
    let readme = readme.split_once("```").unwrap().0.replace("./files", "root");
    let packaged = include_str!("../../../examples/systemd/tuffet.yaml").replace("/srv/tftp", "root");
    let machine = tempfile::TempDir::new().unwrap();
    for folder in ["cache", "run", "lib"] {
        fs::create_dir(machine.path().join(folder)).unwrap();
    }
    let shown = machine.path().display();
    let mounts = format!(
        "for it in cache lib; do mount --bind {shown}/$it /var/$it; done; mount --bind {shown}/run /run; \
         exec env -u CACHE_DIRECTORY -u RUNTIME_DIRECTORY \"$@\""
    );
    for (yaml, user) in [(&readme, Some("root")), (&readme, None), (&packaged, None), (&readme, None)] {
        let setup = open_to_all(Setup::new().file("a", b"a").yaml(yaml).user(user));
        let behind = ["unshare", "--mount", "sh", "-ec", &mounts, "sh"].map(str::to_owned);
        let server = setup.behind(behind.into()).start();
        assert_eq!(ask(&server, "a"), Answer::Data(1, b"a".to_vec()));
        server.outcome("a");
        let log = server.log();
        for line in log.lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            assert!(line["level"] == "INFO", "{user:?} {yaml}\n{log}");
        }
    }
    assert!(machine.path().join("cache/tuffet-root/code").is_dir(), "that of root");
    assert!(machine.path().join("cache/tuffet/code").is_dir(), "that of the other user");
}

#[test]
fn root_becomes_another_user_in_every_thread() {
    if !needs_root() {
        return;
    }
    let yaml = format!("roots: [{{ name: boot, path: root, writable: true }}]\n{EVERYTHING}");
    let setup = open_to_all(Setup::new().file("a", b"a").yaml(&yaml).user(Some("65534")));
    fs::create_dir(setup.outside().path("log")).unwrap();
    std::os::unix::fs::chown(setup.outside().path("log"), Some(65534), Some(65534)).unwrap();
    let server = setup.start();
    assert_eq!(ask(&server, "a"), Answer::Data(1, b"a".to_vec()));
    assert_eq!(ask(&server, "secret"), Answer::Error(2, "no".into()));
    Client::Tuffet.put(server.address(), "up", b"up", Options::default());
    assert_given_up(&server, "65534");
    assert_eq!(each_thread(&server, "Groups:"), "65534");
    assert_eq!(each_thread(&server, "CapBnd:"), "0000000000000000");

    // It owns the files that it creates: uploads, keys of plugins, files of sinks, compiled plugins.
    server.outcome("up");
    for made in ["root/up", "state/plugins.redb", "log/audit.jsonl", "cache/deep/code", "control"] {
        let about =
            fs::symlink_metadata(server.outside().path(made)).unwrap_or_else(|e| panic!("{made}: {e}"));
        assert_eq!((about.uid(), about.gid()), (65534, 65534), "{made}");
    }

    // It reports so: in the log, to `tuffet status`, to `tuffet doctor`.
    let line = server.logged("dropped privileges");
    assert_eq!(
        (&line["uid"], &line["capabilities"], &line["seccomp"]),
        (&65534.into(), &"none".into(), &"filter".into())
    );
    let left = &server.status()["privileges"];
    assert_eq!(
        (&left["uid"], &left["capabilities"], &left["no_new_privs"]),
        (&65534.into(), &0.into(), &true.into())
    );
    let config = server.outside().path("tuffet.yaml");
    let yaml = fs::read_to_string(&config).unwrap()
        + "\nlisteners: [{ address: \"127.0.0.1:0\" }]\ncontrol: control\n";
    server.outside().write("doctor.yaml", yaml.as_bytes());
    let file = server.outside().path("doctor.yaml");
    let ran = tuffet(["doctor", "--no-rate", "--json", "--config", file.to_str().unwrap()]);
    let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let running =
        findings.iter().find(|found| found["check"].as_str().unwrap().starts_with("server that runs"));
    let running = running.unwrap_or_else(|| panic!("{report:#}"));
    assert!(
        running["says"].as_str().unwrap().contains("capabilities none, no-new-privs, seccomp"),
        "{running}"
    );

    // A reload, which compiles, opens and writes again, works within the sandbox.
    server.rewrite(&yaml.replace("names: [\"secret\"]", "names: [\"a\"]").replace("listeners:", "# "));
    let ran = server.ask("reload");
    ran.assert_good();
    assert_eq!(ask(&server, "a"), Answer::Error(2, "no".into()));
    assert_given_up(&server, "65534");
    server.stop();
}

/// The default user is not root.
#[test]
fn without_a_word_it_is_not_root() {
    if !needs_root() {
        return;
    }
    let server = open_to_all(Setup::new().file("a", b"a").user(None)).start();
    assert_ne!(each_thread(&server, "Uid:"), "0 0 0 0");
    assert_eq!(ask(&server, "a"), Answer::Data(1, b"a".to_vec()));
}

#[test]
fn root_that_stays_has_no_capability() {
    if !needs_root() {
        return;
    }
    let server = open_to_all(Setup::new().file("a", b"a").user(Some("root"))).start();
    assert_given_up(&server, "0");
    assert_eq!(ask(&server, "a"), Answer::Data(1, b"a".to_vec()));
}

#[test]
fn what_the_user_may_not_touch_is_told_at_the_start() {
    if !needs_root() {
        return;
    }
    let setup = open_to_all(Setup::new());
    let file = setup.outside().path("tuffet.yaml");
    fs::create_dir(setup.outside().path("state")).unwrap();
    fs::set_permissions(setup.root().0, Permissions::from_mode(0o700)).unwrap();
    let yaml = format!(
        "listeners: [{{ address: \"127.0.0.1:0\" }}]\nroots: [{{ name: boot, path: root }}]\n\
         privileges: {{ user: 65534 }}\n{}",
        EVERYTHING.replace("log/audit.jsonl", "audit.jsonl")
    );
    setup.outside().write("tuffet.yaml", yaml.as_bytes());
    let serve = || run(Command::new(env!("CARGO_BIN_EXE_tuffet")).args(["serve", "--config"]).arg(&file));
    // All problems at once, each with its remedy.
    serve().assert_fails(
        77,
        &[
            "root `boot`",
            "the user `nobody`",
            "setfacl -m u:nobody:",
            "chown -R nobody",
            "sink `lines`",
            "create files in",
        ],
    );
    setup.outside().write("tuffet.yaml", yaml.replace("65534", "no-such-user-here").as_bytes());
    serve().assert_fails(64, &["there is no user `no-such-user-here`", "useradd"]);
}

/// By every way: permissions hold for all of them.
#[test]
fn the_files_of_root_are_out_of_reach() {
    if !needs_root() || fs::metadata("/etc/shadow").is_err() {
        return;
    }
    let yaml = |rest: &str| {
        format!(
            r#"
roots: [{{ name: etc, path: /etc }}]
policy: {{ resolve: [map], compiled: cache }}
plugins:
  map:
    component: builtin:mac-map
    settings: {{ root: etc, rules: [{{ match: "by-plugin", templates: ["shadow"] }}] }}
    grants: [client-mac]
{rest}"#
        )
    };
    let server = open_to_all(Setup::new().yaml(&yaml("")).user(Some("65534"))).start();
    assert!(matches!(ask(&server, "passwd"), Answer::Data(..)));
    for name in ["shadow", "by-plugin"] {
        assert!(matches!(ask(&server, name), Answer::Error(..)), "{name}");
    }
    // By a reload that uses it as a secret.
    server.rewrite(&yaml("admin: { address: \"127.0.0.1:0\", token: { file: /etc/shadow } }\n"));
    let ran = server.ask("reload");
    assert_eq!(ran.code(), 1);
    assert!(ran.stderr.contains("/etc/shadow cannot be read: Permission denied"), "{}", ran.stderr);
    assert!(matches!(ask(&server, "passwd"), Answer::Data(..)));
}

#[test]
fn a_reload_stays_within_the_bounds_of_the_start() {
    let elsewhere = tempfile::TempDir::new().unwrap();
    fs::write(elsewhere.path().join("a"), b"elsewhere").unwrap();
    let outside = elsewhere.path().display();
    let setup = Setup::new().file("a", b"here").rest_of_yaml("");
    fs::create_dir_all(setup.outside().path("other")).unwrap();
    let server = setup.start();
    if server.status()["privileges"]["landlock_rules"].is_null() {
        return skipped("this kernel has no Landlock");
    }
    for yaml in [
        format!("roots: [{{ name: boot, path: {outside} }}]\n"),
        format!("roots: [{{ name: boot, path: root }}, {{ name: up, path: {outside}, writable: true }}]\n"),
    ] {
        server.rewrite(&yaml);
        let ran = server.ask("reload");
        assert_eq!(ran.code(), 1, "{}", ran.stderr);
        assert!(
            ran.stderr.contains("restart needed") && ran.stderr.contains("tuffet.yaml:1:"),
            "{}",
            ran.stderr
        );
        assert_eq!(ask(&server, "a"), Answer::Data(1, b"here".to_vec()));
    }
    // Paths beside the configuration work without a restart.
    server.outside().write("other/a", b"other");
    server.rewrite("roots: [{ name: boot, path: other }]\n");
    server.ask("reload").assert_good();
    assert_eq!(ask(&server, "a"), Answer::Data(1, b"other".to_vec()));
    drop(server);

    // So do paths that were announced.
    let rest = format!("privileges: {{ readable: [{outside}], writable: [{outside}] }}\n");
    let server = Setup::new().file("a", b"here").rest_of_yaml(&rest).start();
    server.rewrite(&format!("roots: [{{ name: boot, path: {outside}, writable: true }}]\n{rest}"));
    server.ask("reload").assert_good();
    assert_eq!(ask(&server, "a"), Answer::Data(1, b"elsewhere".to_vec()));
    Client::Tuffet.put(server.address(), "new", b"new", Options::default());
}

/// A release is a folder that a link points to; the next one is beside it.
#[test]
fn the_next_release_is_within_bounds() {
    let place = tempfile::TempDir::new().unwrap();
    for release in ["1", "2"] {
        fs::create_dir_all(place.path().join("releases").join(release)).unwrap();
        fs::write(place.path().join("releases").join(release).join("a"), release).unwrap();
    }
    let link = place.path().join("current");
    std::os::unix::fs::symlink("releases/1", &link).unwrap();
    let server = Setup::new().yaml(&format!("roots: [{{ name: boot, path: {} }}]\n", link.display())).start();
    assert_eq!(ask(&server, "a"), Answer::Data(1, b"1".to_vec()));
    fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("releases/2", &link).unwrap();
    server.ask("reload").assert_good();
    assert_eq!(ask(&server, "a"), Answer::Data(1, b"2".to_vec()));
}

#[test]
fn both_can_be_left_out() {
    let elsewhere = tempfile::TempDir::new().unwrap();
    fs::write(elsewhere.path().join("a"), b"elsewhere").unwrap();
    let off = "privileges: { seccomp: off, landlock: false }\n";
    let server = Setup::new().file("a", b"here").rest_of_yaml(off).start();
    assert_eq!(each_thread(&server, "Seccomp:"), "0");
    assert_eq!(each_thread(&server, "NoNewPrivs:"), "1");
    assert!(server.status()["privileges"]["landlock_rules"].is_null());
    server.rewrite(&format!("roots: [{{ name: boot, path: {} }}]\n{off}", elsewhere.path().display()));
    server.ask("reload").assert_good();
    assert_eq!(ask(&server, "a"), Answer::Data(1, b"elsewhere".to_vec()));
    // They belong to the process, not to a configuration.
    server.rewrite("roots: [{ name: boot, path: root }]\n");
    let ran = server.ask("reload");
    assert!(ran.code() == 1 && ran.stderr.contains("`privileges` cannot change"), "{}", ran.stderr);
}

/// As with `AmbientCapabilities=` of systemd and `setcap`.
#[test]
fn a_capability_is_enough_for_port_69_and_is_given_up() {
    if !needs_root() {
        return;
    }
    if Command::new("setpriv").arg("--version").output().is_err() {
        return skipped("setpriv is not installed");
    }
    let setup = open_to_all(Setup::new().file("a", b"a").user(None));
    // The build folder of the tests may be closed to others.
    let binary = setup.outside().path("tuffet");
    if fs::hard_link(env!("CARGO_BIN_EXE_tuffet"), &binary).is_err() {
        fs::copy(env!("CARGO_BIN_EXE_tuffet"), &binary).unwrap();
    }
    let words = [
        "setpriv",
        "--reuid",
        "65534",
        "--regid",
        "65534",
        "--clear-groups",
        "--inh-caps",
        "+net_bind_service",
        "--ambient-caps",
        "+net_bind_service",
        "sh",
        "-c",
        "shift; exec \"$0\" \"$@\"",
        binary.to_str().unwrap(),
    ];
    let words = words.map(str::to_owned).to_vec();
    let address = format!("{}:69", own_loopback());
    let server = setup.behind(words).listen(&address).start();
    assert_eq!(server.address().port(), 69);
    assert_given_up(&server, "65534");
    assert_eq!(ask(&server, "a"), Answer::Data(1, b"a".to_vec()));
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("b", &[]));
    assert!(matches!(peer.receive(), Answer::Error(..)));
}

/// Keys, spools, compiled plugins and the control socket belong to the server alone, even in folders that
/// others may enter.
#[test]
fn what_it_keeps_is_closed_to_other_users() {
    let setup = Setup::new().file("a", b"a").rest_of_yaml(EVERYTHING);
    for folder in ["state", "log"] {
        fs::create_dir(setup.outside().path(folder)).unwrap();
        fs::set_permissions(setup.outside().path(folder), Permissions::from_mode(0o755)).unwrap();
    }
    let server = setup.start();
    assert_eq!(ask(&server, "a"), Answer::Data(1, b"a".to_vec()));
    server.outcome("a");
    let mode = |place: &Path| fs::symlink_metadata(place).unwrap().mode() & 0o777;
    let outside = server.outside().0;
    for (place, due) in [
        ("state/plugins.redb", 0o600),
        ("state/sinks/lines.spool", 0o700),
        ("cache/deep", 0o700),
        ("control", 0o600),
    ] {
        assert_eq!(mode(&outside.join(place)), due, "{place}");
    }
    if !is_root() || Command::new("setpriv").arg("--version").output().is_err() {
        return skipped("to be another user needs root and setpriv");
    }
    fs::set_permissions(&outside, Permissions::from_mode(0o755)).unwrap();
    let other = |words: &[&str]| {
        let user = ["--reuid", "65533", "--regid", "65533", "--clear-groups"];
        run(Command::new("setpriv").args(user).args(words).current_dir(&outside)).code()
    };
    assert_eq!(other(&["test", "-r", "tuffet.yaml"]), 0, "others do come as far as this");
    for place in ["state/plugins.redb", "state/sinks/lines.spool", "cache/deep/code", "control"] {
        for right in ["-r", "-w"] {
            assert_eq!(other(&["test", right, place]), 1, "{right} {place}");
        }
    }
}

/// The permissions of the file decide about access; it exists while the server runs.
#[test]
fn the_admin_listener_is_a_file() {
    use std::io::{Read, Write};
    let server = Setup::new().rest_of_yaml("admin: { address: \"unix:run/admin\" }\n").start();
    let path = server.outside().path("run/admin");
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o660);
    let mut stream = std::os::unix::net::UnixStream::connect(&path).unwrap();
    stream.write_all(b"GET /livez HTTP/1.1\r\nHost: any.name\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    server.stop();
    assert!(!path.exists());
}

/// The start creates the folder of `state` as root, so a check that becomes the server's user finds nothing wrong with it.
#[test]
fn a_check_knows_that_root_will_make_the_state() {
    if !needs_root() {
        return;
    }
    let setup = open_to_all(Setup::new().user(Some("65534")));
    let yaml = format!(
        "listeners: [{{ address: \"{}:0\" }}]\nroots: [{{ name: boot, path: root }}]\nstate: state\ncontrol: none\n\
         privileges: {{ user: 65534 }}\nsinks: {{ log: {{ stdout: true }} }}\npolicy: {{ observe: [audit], compiled: none }}\n\
         plugins: {{ audit: {{ component: builtin:audit, grants: [kv, sinks/log], settings: {{ sink: log }} }} }}\n",
        own_loopback()
    );
    for kv in ["", "kv: { nats: { servers: nats://127.0.0.1:1, bucket: it } }\n"] {
        setup.outside().write("check.yaml", format!("{yaml}{kv}").as_bytes());
        let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
        let ran = run(command.args(["check", "check.yaml"]).current_dir(setup.outside().0));
        ran.assert_good();
        let told = String::from_utf8(ran.stdout.clone()).unwrap() + &ran.stderr;
        assert!(!told.contains("cannot be created"), "{kv}{told}");
    }
    assert!(!setup.outside().path("state").exists());
}

/// Commands that only check leave nothing that the server could not use: `check` and the plugin tools create
/// no folder of compiled plugins if root would serve as another user, and touch none of another user's.
#[test]
fn root_that_only_looks_makes_no_folder_of_compiled_plugins() {
    if !needs_root() {
        return;
    }
    let setup = open_to_all(Setup::new().user(Some("65534")));
    let folder = setup.outside().path("kept");
    let yaml = |user: &str| {
        let listens = format!("listeners: [{{ address: \"{}:0\" }}]\n", own_loopback());
        format!(
            "{listens}roots: [{{ name: boot, path: root }}]\npolicy: {{ authorize: [acl] }}\nplugins: {{ acl: {{ component: \
             \"builtin:acl\" }} }}\nprivileges: {{ user: {user} }}\n"
        )
    };
    let tuffet = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
        run(command.args(words).env("CACHE_DIRECTORY", &folder).current_dir(setup.outside().0)).assert_good();
    };
    let look = || {
        setup.outside().write("check.yaml", yaml("65534").as_bytes());
        tuffet(&["check", "check.yaml"]);
        tuffet(&["plugin", "check", "builtin:acl"]);
        tuffet(&["plugin", "inspect", "builtin:acl"]);
    };
    look();
    assert!(!folder.exists());

    // A folder of the server's user, as it or systemd creates it: nothing is put into it.
    fs::create_dir(&folder).unwrap();
    std::os::unix::fs::chown(&folder, Some(65534), Some(65534)).unwrap();
    look();
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    fs::remove_dir(&folder).unwrap();
    // Nor into one that root created to give it away.
    fs::create_dir(&folder).unwrap();
    look();
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    fs::remove_dir(&folder).unwrap();

    // If root would stay root, it is created, and used from then on by root.
    setup.outside().write("check.yaml", yaml("root").as_bytes());
    tuffet(&["check", "check.yaml"]);
    let code = || fs::read_dir(folder.join("code/modules")).unwrap().count();
    assert_eq!((fs::metadata(&folder).unwrap().uid(), code()), (0, 1));
    look();
    assert_eq!(code(), 1);
}
