//! `tuffet serve` when it cannot start.

use crate::harness::{Ran, Setup, is_root, run, skipped, tuffet};
use std::path::Path;
use std::process::Command;

#[test]
fn a_port_in_use() {
    let server = Setup::new().start();
    let (root, address) = (server.root().0, server.address().to_string());
    for workers in ["1", "2"] {
        let arguments =
            ["serve", "--root", root.to_str().unwrap(), "--listen", &address, "--workers", workers];
        tuffet(arguments).assert_fails(69, &["in use", &address, "ss -ulpn"]);
    }
    // The server that uses the port is not harmed.
    server.stop();
}

/// Several workers share the port among themselves, and with no other process.
#[test]
fn a_port_in_use_by_many_workers() {
    let server = Setup::new().workers(4).start();
    let (root, address) = (server.root().0, server.address().to_string());
    for workers in ["1", "4"] {
        let arguments =
            ["serve", "--root", root.to_str().unwrap(), "--listen", &address, "--workers", workers];
        tuffet(arguments).assert_fails(69, &["in use"]);
    }
}

#[test]
fn an_address_of_another_host() {
    // By default it is waited for.
    let yaml = "listeners: [{ address: 192.0.2.77:6969 }]\nroots: [{ name: boot, path: root }]\nstart: all\n";
    let ran = Setup::new().whole_yaml(0, yaml).run_to_its_end();
    ran.assert_fails(69, &["192.0.2.77:6969", "ip address"]);
}

#[test]
fn port_69_without_privilege() {
    let first = std::fs::read_to_string("/proc/sys/net/ipv4/ip_unprivileged_port_start").unwrap_or_default();
    if first.trim().parse::<u16>().is_ok_and(|first| first <= 69) {
        return skipped("port 69 needs no privilege here (ip_unprivileged_port_start)");
    }
    let folder = std::env::temp_dir();
    let alone = ["serve", "--root", folder.to_str().unwrap()];
    let here = [&alone[..], &["--listen", "127.0.0.1:69"]].concat();
    // A folder alone is served at all addresses.
    for (arguments, address) in [(&here[..], "127.0.0.1:69"), (&alone, "[::]:69")] {
        let ran = if is_root() {
            let Some(ran) = as_nobody(arguments) else { return };
            ran
        } else {
            tuffet(arguments)
        };
        ran.assert_fails(77, &[address, "privilege", "setcap cap_net_bind_service"]);
    }
}

/// Runs the server as an unprivileged user, from a place where such a user can run it.
fn as_nobody(arguments: &[&str]) -> Option<Ran> {
    use std::os::unix::fs::PermissionsExt;
    if Command::new("setpriv").arg("--version").output().is_err() {
        skipped("setpriv is not installed");
        return None;
    }
    let folder = tempfile::TempDir::new().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let binary = folder.path().join("tuffet");
    if std::fs::hard_link(env!("CARGO_BIN_EXE_tuffet"), &binary).is_err() {
        std::fs::copy(env!("CARGO_BIN_EXE_tuffet"), &binary).unwrap();
    }
    let nobody =
        ["--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all"];
    Some(run(Command::new("setpriv").args(nobody).arg(&binary).args(arguments).current_dir("/")))
}

#[test]
fn a_folder_that_is_missing() {
    tuffet(["serve", "--root", "/no/such/folder", "--listen", "127.0.0.1:0"])
        .assert_fails(66, &["--root /no/such/folder", "name a folder that exists"]);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    tuffet(["serve", "--root", file.to_str().unwrap(), "--listen", "127.0.0.1:0"])
        .assert_fails(66, &["Cargo.toml"]);
}

#[test]
fn flags_that_are_wrong() {
    let root = std::env::temp_dir();
    let root = root.to_str().unwrap();
    let cases: [(&[&str], &str); 8] = [
        (&["serve", "--no-such-flag"], "--no-such-flag"),
        (&["serve"], "--root"),
        (&["serve", "--root", root, "--listen", "localhost:69"], "`localhost` is not an IP address"),
        (&["serve", "--root", root, "--listen", "127.0.0.1"], "127.0.0.1"),
        (&["serve", "--root", root, "--listen", "127.0.0.1:0", "--workers", "0"], "workers"),
        (&["serve", "--root", root, "--listen", "127.0.0.1:0", "--log", "tuffet=loud"], "--log"),
        (&["serve", "--root", root, "--listen", "127.0.0.1:0", "--log-format", "xml"], "json"),
        (&["serve", "--config", "/no/such/file.yaml"], "/no/such/file.yaml"),
    ];
    for (arguments, words) in cases {
        tuffet(arguments).assert_fails(64, &[words]);
    }
    assert_eq!(tuffet(["no-such-command"]).code(), 64);
    assert_eq!(tuffet(["serve", "--help"]).code(), 0);
    assert_eq!(tuffet(["--version"]).code(), 0);
}

/// Runs `tuffet` in a folder, with an installed configuration below it, or none.
fn with_installed(folder: &Path, arguments: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    run(command.env("CONFIGURATION_DIRECTORY", folder.join("etc")).args(arguments).current_dir(folder))
}

#[test]
fn nothing_to_serve() {
    let folder = tempfile::TempDir::new().unwrap();
    let ran = with_installed(folder.path(), &["serve"]);
    ran.assert_fails(64, &["`tuffet serve --config FILE`", "`tuffet serve --root DIR --listen 0.0.0.0:69`"]);
    std::fs::create_dir(folder.path().join("etc")).unwrap();
    std::fs::write(folder.path().join("etc/tuffet.yaml"), "").unwrap();
    let installed = folder.path().join("etc/tuffet.yaml").display().to_string();
    let named = format!("`tuffet serve --config {installed}`");
    with_installed(folder.path(), &["serve"]).assert_fails(64, &[&format!("write {named};")]);
    std::fs::write(folder.path().join("tuffet.yaml"), "").unwrap();
    let both = format!("write `tuffet serve --config tuffet.yaml` or {named};");
    with_installed(folder.path(), &["serve"]).assert_fails(64, &[&both]);
    // A file that is not there, and a folder.
    for config in ["no.yaml", "etc"] {
        with_installed(folder.path(), &["serve", "--config", config]).assert_fails(64, &[config, &named]);
    }
    // An invalid one was meant all the same.
    let ran = with_installed(folder.path(), &["serve", "--config", "tuffet.yaml"]);
    ran.assert_fails(64, &["tuffet.yaml"]);
    assert!(!ran.stderr.contains(&installed), "{}", ran.stderr);
}

#[test]
fn what_has_no_flag() {
    let folder = tempfile::TempDir::new().unwrap();
    with_installed(folder.path(), &["serve", "x.yaml"])
        .assert_fails(64, &["x.yaml: ", "`tuffet serve --config x.yaml`"]);
    with_installed(folder.path(), &["serve", "."])
        .assert_fails(64, &["`tuffet serve --root . --listen 0.0.0.0:69`"]);
}

/// A server says at its start that it does not read the installed configuration.
#[test]
fn another_configuration_than_the_installed_one() {
    const SAYS: &str = "the installed configuration is not read";
    for with_file in [true, false] {
        let setup = Setup::new();
        let etc = setup.outside().path("etc");
        std::fs::create_dir(&etc).unwrap();
        std::fs::write(etc.join("tuffet.yaml"), "").unwrap();
        let setup = if with_file { setup.rest_of_yaml("") } else { setup };
        let server = setup.variable("CONFIGURATION_DIRECTORY", etc.to_str().unwrap()).start();
        let log = server.log();
        let line = log.lines().find(|line| line.contains(SAYS)).unwrap_or_else(|| panic!("{log}"));
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(
            (line["level"].as_str(), line["installed"].as_str()),
            (Some("INFO"), etc.join("tuffet.yaml").to_str())
        );
        let own = server.outside().path("tuffet.yaml");
        assert_eq!(line["config"].as_str(), if with_file { own.to_str() } else { Some("flags alone") });
        server.stop();
    }
    // The installed one itself.
    let setup = Setup::new().rest_of_yaml("");
    let folder = setup.outside().0;
    let server = setup.variable("CONFIGURATION_DIRECTORY", folder.to_str().unwrap()).start();
    assert!(!server.log().contains(SAYS), "{}", server.log());
}

/// The text format is for people: one line per outcome, and no escape sequences outside of a terminal.
#[test]
fn the_text_log() {
    use crate::harness::{Answer, Peer, ack, rrq};
    let setup =
        Setup::new().file("a", b"x").flag("--log").flag("warn,tuffet::transfer=info,tuffet::server=info");
    let server = setup.start();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("a", &[]));
    peer.expect(Answer::Data(1, b"x".to_vec()));
    peer.send(&ack(1));
    server.outcome("a");
    assert!(!server.log().contains('\u{1b}'));
}
