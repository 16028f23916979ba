//! `tuffet doctor` through the binary: on this machine, and on one with a small MTU and without a privilege.

use crate::harness::{
    Network, PATIENCE, Ran, Setup, is_root, own_loopback, run, run_as_it_is, skipped, tuffet,
};
use serde_json::Value;
use std::fs;
use std::net::UdpSocket;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

/// Writes a configuration beside its root, which is `root` below `place`.
fn configuration(setup: &Setup, address: &str, root: &str) -> PathBuf {
    let yaml =
        format!("listeners: [{{ address: \"{address}\" }}]\nroots: [{{ name: boot, path: root{root} }}]\n");
    // If root runs the tests, root owns their folders.
    let yaml = if is_root() { yaml + "privileges: { user: root }\n" } else { yaml };
    setup.outside().write("doctor.yaml", yaml.as_bytes());
    setup.outside().0.join("doctor.yaml")
}

fn report(ran: &Ran) -> Value {
    serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

/// Returns the finding of this check.
#[track_caller]
fn finding(report: &Value, check: &str) -> Value {
    let findings = report["findings"].as_array().unwrap();
    let found = findings.iter().find(|finding| finding["check"] == check);
    found.unwrap_or_else(|| panic!("no `{check}` in {report:#}")).clone()
}

#[test]
fn a_machine_that_serves_is_not_wrong_and_its_rate_is_measured() {
    let setup = Setup::new();
    let file = configuration(&setup, &format!("{}:0", own_loopback()), "");
    let ran = tuffet(["doctor", "--json", "--config", file.to_str().unwrap()]);
    ran.assert_good();
    let report = report(&ran);
    assert_ne!(report["grade"], "wrong");
    for check in ["receive buffers", "UDP segmentation", "open files", "root boot", "rate over loopback"] {
        assert_ne!(finding(&report, check)["grade"], "wrong", "{report:#}");
    }
    let rates = report["rates"].as_array().unwrap();
    let rate =
        |index: usize| (rates[index]["windowsize"].as_u64(), rates[index]["bytes_per_second"].as_u64());
    assert_eq!((rate(0).0, rate(1).0, rates.len()), (Some(1), Some(64), 2));
    assert!(rate(0).1 > Some(0) && rate(1).1 > Some(0), "{rates:?}");
}

#[test]
fn a_port_that_another_has_is_wrong_and_its_holder_is_named() {
    let setup = Setup::new();
    let taken = UdpSocket::bind((own_loopback(), 0)).unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let file = configuration(&setup, &address, "");
    let ran = tuffet(["doctor", "--no-rate", "--config", file.to_str().unwrap()]);
    let text = String::from_utf8_lossy(&ran.stdout);
    assert_eq!(ran.code(), 1, "{text}");
    let held = format!("(process {}) has it", std::process::id());
    let line = text.lines().find(|line| line.contains(&held)).unwrap_or_else(|| panic!("{text}"));
    assert!(line.starts_with("wrong") && line.contains(&format!("port {address}")), "{line}");
    assert!(text.contains("1 wrong\n"), "{text}");
}

#[test]
fn a_server_that_runs_already_is_welcome() {
    let server = Setup::new().start();
    let setup = Setup::new();
    let address = server.address().to_string();
    let file = configuration(&setup, &address, "");
    let ran = tuffet(["doctor", "--no-rate", "--json", "--config", file.to_str().unwrap()]);
    ran.assert_good();
    let found = finding(&report(&ran), &format!("port {address}"));
    assert!(found["says"].as_str().unwrap().contains("a Tuffet serves there already"), "{found}");
}

/// Run like the service, with the sockets of its unit. Nothing needs to be bound then.
#[test]
fn sockets_that_are_passed_need_no_privilege() {
    let setup = Setup::new();
    // Root can open a low port, as systemd does.
    let low =
        UdpSocket::bind((own_loopback(), 69)).or_else(|_| UdpSocket::bind((own_loopback(), 0))).unwrap();
    let address = low.local_addr().unwrap().to_string();
    let file = configuration(&setup, &address, "");
    let pass = "export LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=tuffet.socket; exec \"$@\" 3<&0 0</dev/null";
    let doctor = |file: &PathBuf, inherited: &UdpSocket| {
        let mut command = Command::new("sh");
        command.args(["-c", pass, "sh", env!("CARGO_BIN_EXE_tuffet"), "doctor", "--no-rate", "--json"]);
        command.arg("--config").arg(file).stdin(OwnedFd::from(inherited.try_clone().unwrap()));
        run_as_it_is(&mut command, PATIENCE)
    };
    let ran = doctor(&file, &low);
    ran.assert_good();
    let told = report(&ran);
    let says = |check: &str| finding(&told, check)["says"].as_str().unwrap().to_owned();
    assert!(says(&format!("privilege for {address}")).contains("no privilege is needed"), "{told:#}");
    assert!(says(&format!("port {address}")).starts_with("inherited, 1 for "), "{told:#}");

    // A socket that is not configured would keep the server from starting.
    let other = UdpSocket::bind((own_loopback(), 0)).unwrap();
    let ran = doctor(&file, &other);
    assert_eq!(ran.code(), 1);
    let found = finding(&report(&ran), "inherited sockets");
    assert!(found["says"].as_str().unwrap().contains("inherited, but not in the configuration"), "{found:#}");
}

#[test]
fn uploads_without_room_could_be_better() {
    let setup = Setup::new();
    let root = ", writable: true, max-upload: 900PiB";
    let file = configuration(&setup, &format!("{}:0", own_loopback()), root);
    let ran = tuffet(["doctor", "--no-rate", "--json", "--config", file.to_str().unwrap()]);
    ran.assert_good();
    let found = finding(&report(&ran), "room for uploads into boot");
    assert_eq!(found["grade"], "could-be-better", "{found}");
}

/// Run by root, it looks as the user that the server becomes.
#[test]
fn files_that_the_servers_user_cannot_read_are_named() {
    let setup = Setup::new().file("open/a", b"a").file("open/b", b"b").file("closed/c", b"c");
    let outside = setup.outside();
    let mode = |name: &str, mode| {
        fs::set_permissions(outside.path(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    for name in ["", "root", "root/open"] {
        mode(name, 0o755);
    }
    let user = if is_root() { "privileges: { user: 65534 }\n" } else { "" };
    let yaml = format!(
        "listeners: [{{ address: \"{}:0\" }}]\nroots: [{{ name: boot, path: root }}]\n{user}",
        own_loopback()
    );
    outside.write("doctor.yaml", yaml.as_bytes());
    let file = outside.path("doctor.yaml");
    let found = || {
        let ran = tuffet(["doctor", "--no-rate", "--json", "--config", file.to_str().unwrap()]);
        ran.assert_good();
        finding(&report(&ran), "files of boot")
    };
    mode("root/open/a", 0o644);
    mode("root/open/b", 0o644);
    mode("root/closed", 0o755);
    mode("root/closed/c", 0o644);
    assert_eq!(found()["grade"], "good", "{}", found());
    mode("root/open/b", 0o200);
    mode("root/closed", 0o300);
    let closed = found();
    assert_eq!(closed["grade"], "could-be-better");
    let says = closed["says"].as_str().unwrap();
    assert!(says.contains("cannot read 2 of 4 files and folders: `closed`, `open/b`;"), "{says}");
    let look = closed["commands"][0].as_str().unwrap();
    assert!(look.ends_with("/root ! -readable"), "{look}");
    // Keys beside the files are closed on purpose: no command opens all at once.
    assert!(says.contains("it lacks the right `r` on the folder") && says.contains("on purpose"), "{says}");
    let commands: Vec<&str> =
        closed["commands"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(commands[1].contains("/root/closed") && commands[2].contains("/root/open/b"), "{commands:?}");
    assert!(!commands.iter().any(|command| command.contains("-R") || command.contains("o+")), "{commands:?}");
    mode("root/closed", 0o755);
}

/// Only root and the server's user may ask the server at its control socket.
#[test]
fn a_server_that_may_not_be_asked_is_not_good() {
    if !is_root() || Command::new("setpriv").arg("--version").output().is_err() {
        return skipped("doctor as another user than the server's: needs root and setpriv");
    }
    let server = Setup::new().start();
    let setup = Setup::new();
    let outside = setup.outside();
    fs::set_permissions(outside.path(""), fs::Permissions::from_mode(0o755)).unwrap();
    let control = server.outside().path("control");
    let yaml = format!(
        "listeners: [{{ address: \"{}:0\" }}]\nroots: [{{ name: boot, path: root }}]\ncontrol: {}\n",
        own_loopback(),
        control.display()
    );
    outside.write("doctor.yaml", yaml.as_bytes());
    // The build folder of the tests may be closed to others.
    let binary = outside.path("tuffet");
    if fs::hard_link(env!("CARGO_BIN_EXE_tuffet"), &binary).is_err() {
        fs::copy(env!("CARGO_BIN_EXE_tuffet"), &binary).unwrap();
    }
    let mut doctor = Command::new("setpriv");
    doctor.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&binary);
    let ran =
        run(doctor.args(["doctor", "--no-rate", "--json", "--config"]).arg(outside.path("doctor.yaml")));
    let found = finding(&report(&ran), "server that runs");
    assert_eq!(found["grade"], "unknown", "{found}");
    drop(server);
}

#[test]
fn a_wrong_configuration_is_told_as_by_check() {
    let setup = Setup::new();
    let file = configuration(&setup, "nowhere", "");
    let ran = tuffet(["doctor", "--no-rate", "--config", file.to_str().unwrap()]);
    ran.assert_fails(64, &["doctor.yaml:1"]);
}

#[test]
fn a_small_mtu_and_a_port_without_its_privilege() {
    let Some(network) = Network::new("02:00:5e:10:00:0d") else { return };
    let on_server = network.on_server();
    let there = |words: &[&str]| {
        let mut command = Command::new(&on_server[0]);
        command.args(&on_server[1..]).args(words);
        run(&mut command)
    };
    there(&["ip", "link", "set", "cable", "mtu", "1400"]).assert_good();
    let setup = Setup::new();
    let file = configuration(&setup, "192.0.2.1:69", "");
    let doctor =
        [env!("CARGO_BIN_EXE_tuffet"), "doctor", "--no-rate", "--json", "--config", file.to_str().unwrap()];
    let report_of = |ran: &Ran| (ran.code(), report(ran));

    let (code, with) = report_of(&there(&doctor));
    assert_eq!(code, 0, "{with:#}");
    let interface = finding(&with, "interface cable");
    assert_eq!(interface["grade"], "could-be-better");
    assert_eq!(interface["commands"][0], "ip link set dev cable mtu 1500");
    assert_eq!(finding(&with, "privilege for 192.0.2.1:69")["grade"], "good");
    assert_eq!(finding(&with, "port 192.0.2.1:69")["says"], "free");

    let (code, without) =
        report_of(&there(&[&["setpriv", "--bounding-set=-net_bind_service", "--"], &doctor[..]].concat()));
    assert_eq!(code, 1, "{without:#}");
    let privilege = finding(&without, "privilege for 192.0.2.1:69");
    assert_eq!(privilege["grade"], "wrong");
    let commands = privilege["commands"].as_array().unwrap();
    assert!(commands[0].as_str().unwrap().starts_with("setcap cap_net_bind_service=+ep "), "{commands:?}");

    // The commands fix it.
    there(&["sysctl", "-w", "net.ipv4.ip_unprivileged_port_start=69"]).assert_good();
    assert_eq!(commands[1], "sysctl -w net.ipv4.ip_unprivileged_port_start=69");
    there(&["sh", "-c", interface["commands"][0].as_str().unwrap()]).assert_good();
    let (code, mended) =
        report_of(&there(&[&["setpriv", "--bounding-set=-net_bind_service", "--"], &doctor[..]].concat()));
    assert_eq!(code, 0, "{mended:#}");
    assert_eq!(finding(&mended, "interface cable")["grade"], "good");
    assert_eq!(finding(&mended, "privilege for 192.0.2.1:69")["grade"], "good");
}

/// Open files and UDP memory are compared with what a server takes: sockets of all kinds.
#[test]
fn the_sockets_of_a_server_are_counted_as_it_opens_them() {
    let Some(network) = Network::new("02:00:5e:10:51:01") else { return };
    let rest = "roots: [{ name: boot, path: root }]\nlimits: { transfers: 1 }\n";
    for listeners in [
        "[{ address: 192.0.2.1:6969, tid-ports: 8 }]",
        "[{ address: 192.0.2.1:6969, single-port: true }]",
        "[{ address: 0.0.0.0:6969, tid-ports: 8 }, { address: \"[2001:db8::1]:6969\", tid-ports: 30000-30006 }]",
        "[{ address: \"[::]:6969\", tid-ports: 8 }]",
        // They are not there yet.
        "[{ address: 192.0.2.77:6969, tid-ports: 8 }, { address: 192.0.2.1:6970, interface: late, tid-ports: 8 }]",
    ] {
        for more in ["", "multicast: {}\n"] {
            let yaml = format!("workers: 2\nlisteners: {listeners}\n{rest}{more}");
            let setup = Setup::new().behind(network.on_server());
            let server = setup.whole_yaml(0, &yaml).start();
            let opened = udp_sockets(server.id());
            let file = server.outside().path("doctor.yaml");
            fs::write(&file, &yaml).unwrap();
            let mut doctor = Command::new("ip");
            doctor.args(network.on_server().iter().skip(1)).arg(env!("CARGO_BIN_EXE_tuffet"));
            doctor.args(["doctor", "--no-rate", "--json", "--config"]).arg(&file);
            let found =
                finding(&report(&run(&mut doctor)), "open files")["says"].as_str().unwrap().to_owned();
            // Others, and the file of the transfer.
            let all = opened + 128 + 1;
            assert!(found.ends_with(&format!("it takes up to {all}")), "{opened} with {yaml}: {found}");
        }
    }
}

fn udp_sockets(process: u32) -> usize {
    let tables =
        ["udp", "udp6"].map(|table| fs::read_to_string(format!("/proc/{process}/net/{table}")).unwrap());
    let inodes: Vec<&str> = tables
        .iter()
        .flat_map(|table| table.lines().filter_map(|line| line.split_whitespace().nth(9)))
        .collect();
    let files = fs::read_dir(format!("/proc/{process}/fd")).unwrap();
    let links = files.filter_map(|file| fs::read_link(file.unwrap().path()).ok());
    let sockets = links.filter(|link| {
        let inode = link.to_str().and_then(|link| link.strip_prefix("socket:[")?.strip_suffix(']'));
        inode.is_some_and(|inode| inodes.contains(&inode))
    });
    sockets.count()
}

/// What the unit of systemd forbids is not visible to a shell. Doctor has the lines that permit it.
#[test]
fn what_the_unit_keeps_from_the_server() {
    let setup = Setup::new();
    let outside = setup.outside();
    for folder in ["", "root"] {
        fs::set_permissions(outside.path(folder), fs::Permissions::from_mode(0o755)).unwrap();
    }
    for folder in ["log", "out", "units", "units/boot.service.d"] {
        fs::create_dir(outside.path(folder)).unwrap();
    }
    let yaml = format!(
        "listeners: [{{ address: \"{}:0\" }}]\nroots: [{{ name: boot, path: root, writable: true }}]\nstate: state\n\
         sinks: {{ lines: {{ file: out/lines, spool: {{}} }} }}\nlog: {{ to: {{ file: log/tuffet.log }} }}\n",
        own_loopback()
    );
    outside.write("doctor.yaml", yaml.as_bytes());
    let file = outside.path("doctor.yaml").display().to_string();
    let shipped = include_str!("../../../examples/systemd/tuffet.service");
    let service = shipped.replace("/etc/tuffet/tuffet.yaml", &file).replace("PrivateTmp=yes", "");
    // Whatever it is called.
    outside.write("units/boot.service", service.as_bytes());
    let doctor = |json: &[&str]| {
        let mut doctor = Command::new(env!("CARGO_BIN_EXE_tuffet"));
        doctor.env("SYSTEMD_UNIT_PATH", outside.path("units"));
        run(doctor.args(["doctor", "--no-rate", "--config", &file]).args(json))
    };
    let of_unit = |report: &Value| -> Vec<Value> {
        let findings = report["findings"].as_array().unwrap().iter();
        findings.filter(|finding| finding["check"] == "unit of the server").cloned().collect()
    };
    let real = |name: &str| outside.path("").canonicalize().unwrap().join(name).display().to_string();
    let written = ["root", "log", "out", "state"];
    let ran = doctor(&["--json"]);
    assert_eq!(ran.code(), 1);
    let found = of_unit(&report(&ran));
    for name in written {
        let line = format!("[Service]\nReadWritePaths={}", real(name));
        let its = found.iter().find(|finding| finding["lasting"]["line"] == line.as_str());
        let its = its.unwrap_or_else(|| panic!("{line}: {found:#?}"));
        assert_eq!(its["grade"], "wrong");
        assert_eq!(its["lasting"]["file"], "/etc/systemd/system/boot.service.d/override.conf");
        assert_eq!(its["commands"][0], "systemctl edit boot.service && systemctl restart boot.service");
        let says = its["says"].as_str().unwrap();
        assert!(says.contains("its unit boot.service has `ProtectSystem=strict`"), "{says}");
    }
    let text = String::from_utf8_lossy(&doctor(&[]).stdout).into_owned();
    let lines = format!(
        "to last, in /etc/systemd/system/boot.service.d/override.conf:\n{0:23}[Service]\n{0:23}ReadWritePaths={1}\n",
        "",
        real("root")
    );
    assert!(text.contains(&lines), "{text}");

    // The lines help.
    let paths: Vec<String> = written.map(real).into();
    let drop_in = format!("[Service]\nReadWritePaths={}\n", paths.join(" "));
    outside.write("units/boot.service.d/override.conf", drop_in.as_bytes());
    assert_eq!(of_unit(&report(&doctor(&["--json"]))), [] as [Value; 0]);
}
