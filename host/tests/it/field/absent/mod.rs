//! What is not there when the server starts: interfaces, addresses, folders of roots, IPv6. Routers whose bridge comes up
//! late, boards with a USB network adapter or a USB disk, containers without IPv6.
//!
//! Each server is started by root and serves as another user, in its sandbox, so nothing that is done late has a privilege.

mod families;
mod listeners;
mod roots;

use crate::harness::{Network, Peer, Ran, Server, Setup, bytes, check_in, run};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

const ROOTS: &str = "roots: [{ name: boot, path: root }]\n";

/// A server that drops its privileges, with a file of 3,000 bytes.
fn unprivileged(yaml: &str) -> Setup {
    let setup = Setup::new().sizes(&[3000]).user(Some("65534")).yaml(yaml);
    fs::set_permissions(setup.outside().0, Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(setup.root().0, Permissions::from_mode(0o755)).unwrap();
    setup
}

fn on(network: &Network, listeners: usize, yaml: &str) -> Setup {
    unprivileged(yaml).behind(network.on_server()).whole_yaml(listeners, yaml)
}

fn get(network: &Network, address: &str) -> Ran {
    let mut get = network.on_client(env!("CARGO_BIN_EXE_tuffet"));
    get.args(["get", &format!("tftp://{address}/3000"), "--output", "-", "--timeout", "1"]);
    run(&mut get)
}

/// Clients are served, by the listener of this name.
#[track_caller]
fn serves(network: &Network, server: &Server, address: &str, listener: &str) {
    let ran = get(network, address);
    ran.assert_good();
    assert!(ran.stdout == bytes(3000), "{address}");
    let line = server.outcome("3000");
    assert_eq!((&line["outcome"], &line["listener"]), (&"served".into(), &listener.into()));
    assert!(!line.to_string().contains("::ffff:"), "{line}");
}

#[track_caller]
fn assert_unprivileged(server: &Server) {
    for thread in fs::read_dir(format!("/proc/{}/task", server.id())).unwrap() {
        let Ok(status) = fs::read_to_string(thread.unwrap().path().join("status")) else { continue };
        let of =
            |key: &str| status.lines().find_map(|line| line.strip_prefix(key)).unwrap().trim().to_owned();
        for set in ["CapInh:", "CapPrm:", "CapEff:", "CapAmb:", "CapBnd:"] {
            assert_eq!(of(set), "0000000000000000", "{set}");
        }
        assert_eq!((of("Seccomp:").as_str(), of("NoNewPrivs:").as_str()), ("2", "1"));
    }
}

fn problems(server: &Server) -> String {
    server.live()["reasons"].to_string()
}

#[track_caller]
fn warned(server: &Server, beginning: &str) -> Value {
    let line = server.log_line(beginning);
    assert_eq!(line["level"], "WARN", "{line}");
    line
}

/// `start: all` is for those who prefer no server to a part of one. Each error has its own advice.
#[test]
fn all_or_nothing_by_choice() {
    let Some(network) = Network::new("02:00:5e:10:49:05") else { return };
    for (listener, code, parts) in [
        ("address: 0.0.0.0:69, interface: late", 69, &["no interface `late`", "`start: available`"][..]),
        ("address: 192.0.2.50:69", 69, &["192.0.2.50:69", "`start: available`", "`free-bind: true`"]),
    ] {
        let yaml = format!("start: all\nlisteners: [{{ name: lan, {listener} }}]\n{ROOTS}");
        let setup = on(&network, 0, &yaml);
        fs::write(setup.outside().path("checked.yaml"), &yaml).unwrap();
        let mut check = Command::new("ip");
        check.args(network.on_server().iter().skip(1)).args([env!("CARGO_BIN_EXE_tuffet"), "check"]);
        run(check.arg(setup.outside().path("checked.yaml"))).assert_fails(code, parts);
        setup.run_to_its_end().assert_fails(code, parts);
    }
    let yaml = "start: all\nlisteners: [{ address: 0.0.0.0:69 }]\nroots: [{ name: boot, path: nowhere }]\n";
    on(&network, 0, yaml).run_to_its_end().assert_fails(64, &["there is no folder"]);
}

/// What can never work still ends the start.
#[test]
fn mistakes_end_the_start() {
    let Some(network) = Network::new("02:00:5e:10:49:06") else { return };
    let fails = |listener: &str, code, parts: &[&str]| {
        let yaml = format!("listeners: [{{ name: lan, {listener} }}]\n{ROOTS}");
        on(&network, 0, &yaml).run_to_its_end().assert_fails(code, parts);
    };
    fails("address: 0.0.0.0:69, interface: much-too-long-name", 64, &["much-too-long-name", "18 bytes"]);
    // Another server has the port, of all interfaces and so also of those to come.
    let yaml = format!("listeners: [{{ address: 0.0.0.0:69 }}]\n{ROOTS}");
    let other = on(&network, 1, &yaml).start();
    fails("address: 0.0.0.0:69", 69, &["0.0.0.0:69 is in use"]);
    fails("address: 0.0.0.0:69, interface: late", 69, &["0.0.0.0:69 is in use"]);
    drop(other);
    let file = Setup::new().file("file", b"");
    let path = file.root().path("file").display().to_string();
    let yaml = format!("listeners: [{{ address: 127.0.0.1:0 }}]\nroots: [{{ name: boot, path: {path} }}]\n");
    unprivileged(&yaml).whole_yaml(1, &yaml).run_to_its_end().assert_fails(64, &["is not a folder"]);
}

#[test]
fn check_names_what_would_be_waited_for() {
    let setup = Setup::new();
    let yaml = "listeners:\n\
                - { name: lan, address: 127.0.0.1:0, interface: no-such-one }\n\
                - { name: vip, address: 192.0.2.77:69 }\n\
                roots: [{ name: boot, path: root }, { name: usb, path: nowhere }]\n";
    let ran = check_in(&setup.outside(), yaml);
    ran.assert_good();
    for warning in [
        "warning: listener `lan`: this machine has no interface `no-such-one`; the server starts",
        "warning: listener `vip`: this machine does not have the address 192.0.2.77; the server starts",
        "warning: root `usb`: the folder ",
    ] {
        assert!(ran.stderr.contains(warning), "{warning}: {}", ran.stderr);
    }
    check_in(&setup.outside(), &format!("start: all\n{}", yaml.replace("nowhere", "root")))
        .assert_fails(69, &["no interface `no-such-one`"]);
}

/// Scripts ask dnsmasq for statistics by SIGUSR1, and for a new log file by SIGUSR2.
#[test]
fn signals_of_other_servers_do_not_end_this_one() {
    let server = Setup::new().sizes(&[3000]).start();
    let process = Pid::from_raw(server.id() as i32).unwrap();
    for (signal, name) in [(Signal::USR1, "SIGUSR1"), (Signal::USR2, "SIGUSR2")] {
        kill_process(process, signal).unwrap();
        let line = server.log_line("the signal has no meaning for this server and is ignored");
        assert_eq!((&line["signal"], &line["level"]), (&name.into(), &"INFO".into()));
    }
    assert_eq!(Peer::new(server.address()).read_plainly("3000"), bytes(3000));
}
