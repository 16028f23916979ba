//! What is not there when the server starts: interfaces, addresses, folders of roots, IPv6. Routers whose bridge comes up
//! late, boards with a USB network adapter or a USB disk, containers without IPv6.
//!
//! Each server is started by root and serves as another user, in its sandbox, so nothing that is done late has a privilege.

use crate::harness::{
    Network, Peer, Ran, Server, Setup, bytes, is_root, rrq, run, skipped, tuffet, wait_until,
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs::{self, Permissions};
use std::net::{SocketAddr, UdpSocket};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

const ROOTS: &str = "roots: [{ name: boot, path: root }]\n";

/// A second cable between the hosts, which comes and goes.
fn plug_in(network: &Network) {
    network.server_ip(&format!("link add late type veth peer name late netns {}", network.client_name()));
    network.server_ip("address add 198.51.100.1/24 dev late");
    network.server_ip("address add 2001:db8:1::1/64 dev late nodad");
    network.client_ip("address add 198.51.100.2/24 dev late");
    network.client_ip("address add 2001:db8:1::2/64 dev late nodad");
    network.client_ip("link set late up");
    network.server_ip("link set late up");
    // The kernel takes a moment to notice that the link works.
    for host in [network.on_server()[3].as_str(), network.client_name()] {
        let mut show = Command::new("ip");
        show.args(["-n", host, "link", "show", "late"]);
        wait_until("the link is up", || String::from_utf8_lossy(&run(&mut show).stdout).contains("state UP"));
    }
}

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

#[test]
fn interfaces_that_come_later_are_served_on_privileged_ports() {
    let Some(network) = Network::new("02:00:5e:10:49:01") else { return };
    // Of one port on several interfaces; one of them is the loopback interface.
    let yaml = format!(
        "workers: 2\nlisteners:\n\
         - {{ name: lan, address: 0.0.0.0:69, interface: cable }}\n\
         - {{ name: local, address: 0.0.0.0:69, interface: lo, tid-ports: 30000-30007 }}\n\
         - {{ name: late, address: 0.0.0.0:69, interface: late, tid-ports: 30000-30007 }}\n\
         - {{ name: never, address: 0.0.0.0:69, interface: never, tid-ports: 30000-30007 }}\n\
         - {{ name: six, address: \"[::]:69\", interface: late }}\n\
         - {{ name: own, address: 198.51.100.1:70, interface: late }}\n\
         - {{ name: single, address: \"[::]:71\", interface: late, single-port: true }}\n\
         {ROOTS}"
    );
    let server = on(&network, 2, &yaml).start();
    for (listener, interface) in [("late", "late"), ("never", "never"), ("six", "late"), ("own", "late")] {
        let said = format!("the interface `{interface}` of listener `{listener}` does not exist yet");
        let line = warned(&server, &said);
        assert_eq!((&line["listener"], &line["interface"]), (&listener.into(), &interface.into()));
        assert!(problems(&server).contains(&said), "{}", problems(&server));
    }
    assert_unprivileged(&server);
    serves(&network, &server, "192.0.2.1", "lan");
    let status = server.status()["interfaces"].clone();
    assert_eq!((&status[0]["state"], &status[2]["state"]), (&"present".into(), &"absent".into()));
    let metrics = server.metrics();
    assert!(metrics.contains("tuffet_listener_missing{listener=\"late\"} 1"), "{metrics}");
    assert!(metrics.contains("tuffet_listener_missing{listener=\"lan\"} 0"));
    // A reload changes nothing about them.
    server.ask("reload").assert_good();

    let serves_all = || {
        serves(&network, &server, "198.51.100.1", "late");
        serves(&network, &server, "[2001:db8:1::1]", "six");
        serves(&network, &server, "198.51.100.1:70", "own");
        serves(&network, &server, "198.51.100.1:71", "single");
        serves(&network, &server, "[2001:db8:1::1]:71", "single");
    };
    plug_in(&network);
    for listener in ["late", "six", "own", "single"] {
        let line = server.log_line("the interface exists now; the listener serves it");
        assert_eq!(line["listener"], listener);
    }
    serves_all();
    serves(&network, &server, "192.0.2.1", "lan");
    assert!(server.metrics().contains("tuffet_listener_missing{listener=\"late\"} 0"));
    // It vanishes and comes back.
    network.server_ip("link del late");
    warned(&server, "the interface `late` of listener `late` is gone");
    plug_in(&network);
    for _ in 0..4 {
        server.log_line("interface recreated; listener rebound");
    }
    serves_all();
    let mut local = Command::new("ip");
    local.args(network.on_server().iter().skip(1)).arg(env!("CARGO_BIN_EXE_tuffet"));
    local.args(["get", "tftp://127.0.0.1/3000", "--output", "-", "--timeout", "1"]);
    run(&mut local).assert_good();
    assert_eq!(server.outcome("3000")["listener"], "local");
    assert!(problems(&server).contains("`never` of listener `never`"));
    assert_unprivileged(&server);
}

/// The only listener waits, beside dnsmasq, which does the same with `bind-dynamic`.
#[test]
fn a_server_without_any_interface_waits_as_dnsmasq_does() {
    for theirs in [true, false] {
        let Some(network) = Network::new("02:00:5e:10:49:03") else { return };
        let yaml = format!("listeners: [{{ address: 0.0.0.0:69, interface: late }}]\n{ROOTS}");
        let setup = on(&network, 0, &yaml);
        if !theirs {
            let server = setup.start();
            warned(&server, "the interface `late` of listener `0.0.0.0:69` does not exist yet");
            plug_in(&network);
            wait_until("Tuffet serves the interface", || get(&network, "198.51.100.1").code() == 0);
            continue;
        }
        if Command::new("dnsmasq").arg("--version").output().is_err() {
            skipped("dnsmasq is not installed");
            continue;
        }
        let mut words = network.on_server().into_iter();
        let mut dnsmasq = Command::new(words.next().unwrap());
        dnsmasq.args(words).args(["dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--port=0"]);
        dnsmasq.args(["--user=root", "--pid-file", "--enable-tftp", "--bind-dynamic", "--interface=late"]);
        dnsmasq.arg(format!("--tftp-root={}", setup.root().0.display()));
        let mut dnsmasq = dnsmasq.stderr(Stdio::null()).spawn().unwrap();
        plug_in(&network);
        wait_until("dnsmasq serves the interface", || get(&network, "198.51.100.1").code() == 0);
        kill_process(Pid::from_child(&dnsmasq), Signal::TERM).unwrap();
        dnsmasq.wait().unwrap();
    }
}

#[test]
fn addresses_that_come_later_are_served_and_reported() {
    let Some(network) = Network::new("02:00:5e:10:49:04") else { return };
    let yaml = format!(
        "listeners:\n\
         - {{ name: lan, address: 0.0.0.0:70 }}\n\
         - {{ name: late, address: 192.0.2.50:69 }}\n\
         - {{ name: six, address: \"[2001:db8::50]:69\" }}\n\
         - {{ name: both, address: 198.51.100.1:71, interface: late }}\n\
         - {{ name: vip, address: 192.0.2.60:69, free-bind: true }}\n\
         {ROOTS}"
    );
    let server = on(&network, 1, &yaml).start();
    warned(&server, "this machine does not have the address 192.0.2.50 of listener `late` yet");
    warned(&server, "this machine does not have the address 2001:db8::50 of listener `six` yet");
    serves(&network, &server, "192.0.2.1:70", "lan");
    assert!(problems(&server).contains("192.0.2.50 of listener `late`"), "{}", problems(&server));
    assert!(!problems(&server).contains("vip"), "{}", problems(&server));
    assert!(server.metrics().contains("tuffet_listener_missing{listener=\"late\"} 1"));

    network.server_ip("address add 192.0.2.50/24 dev cable");
    network.server_ip("address add 192.0.2.60/24 dev cable");
    network.server_ip("address add 2001:db8::50/64 dev cable nodad");
    for _ in 0..2 {
        server.log_line("this machine has the address; the listener serves it");
    }
    serves(&network, &server, "192.0.2.50", "late");
    serves(&network, &server, "192.0.2.60", "vip");
    serves(&network, &server, "[2001:db8::50]", "six");
    assert!(server.metrics().contains("tuffet_listener_missing{listener=\"late\"} 0"));
    plug_in(&network);
    server.log_line("the interface exists now; the listener serves it");
    serves(&network, &server, "198.51.100.1:71", "both");

    network.server_ip("address del 192.0.2.50/24 dev cable");
    warned(&server, "this machine no longer has the address 192.0.2.50 of listener `late`");
    network.server_ip("address add 192.0.2.50/24 dev cable");
    server.log_line("this machine has the address; the listener serves it");
    serves(&network, &server, "192.0.2.50", "late");
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

/// `[::]` is both families, with their own addresses in every line.
#[test]
fn the_unspecified_address_of_ipv6_serves_both_families() {
    let Some(network) = Network::new("02:00:5e:10:49:07") else { return };
    for (single, workers) in [("", 1), (", single-port: true", 2), (", tid-ports: 30000-30007", 2)] {
        let yaml = format!(
            "workers: {workers}\nlisteners: [{{ name: all, address: \"[::]:69\"{single} }}]\n{ROOTS}"
        );
        let server = on(&network, 1, &yaml).start();
        for address in ["192.0.2.1", "[2001:db8::1]"] {
            let ran = get(&network, address);
            ran.assert_good();
            let line = server.outcome("3000");
            let client = if address.starts_with('[') { "[2001:db8::2]:" } else { "192.0.2.2:" };
            assert!(line["client"].as_str().unwrap().starts_with(client), "{line}");
            assert_eq!(
                line["mac"].as_str().or(line["arp_mac"].as_str()).unwrap_or("02:00:5e:10:49:07"),
                "02:00:5e:10:49:07"
            );
        }
        assert_eq!(server.stop(), [] as [Value; 0]);
    }
    // IPv6 alone takes a word, or a listener of IPv4 with the port.
    let yaml = format!("listeners: [{{ name: six, address: \"[::]:69\", ipv6-only: true }}]\n{ROOTS}");
    let server = on(&network, 1, &yaml).start();
    serves(&network, &server, "[2001:db8::1]", "six");
    assert_ne!(get(&network, "192.0.2.1").code(), 0);
    drop(server);
    let yaml = format!(
        "listeners:\n- {{ name: six, address: \"[::]:69\" }}\n- {{ name: four, address: 192.0.2.1:69 }}\n{ROOTS}"
    );
    let server = on(&network, 2, &yaml).start();
    serves(&network, &server, "[2001:db8::1]", "six");
    serves(&network, &server, "192.0.2.1", "four");
    drop(server);
    // By the flag, on a port that the kernel chooses.
    let server = unprivileged(ROOTS).behind(network.on_server()).listen("[::]:0").start();
    let port = server.address().port();
    serves(&network, &server, &format!("192.0.2.1:{port}"), "[::]:0");
    serves(&network, &server, &format!("[2001:db8::1]:{port}"), "[::]:0");
}

/// With IPv6 switched off by `net.ipv6.conf.all.disable_ipv6`, and with a kernel that has none.
#[test]
fn without_ipv6_the_same_configuration_serves_ipv4() {
    let yaml = format!(
        "listeners:\n- {{ name: all, address: \"[::]:69\" }}\n- {{ name: six, address: \"[2001:db8::1]:6969\" }}\n{ROOTS}"
    );
    for behind in [&["sysctl"][..], &["family"]] {
        let Some(network) = Network::new("02:00:5e:10:49:08") else { return };
        let mut setup = on(&network, 1, &yaml);
        if behind == ["sysctl"] {
            let mut off = Command::new("ip");
            off.args(network.on_server().iter().skip(1)).args(["sh", "-c"]);
            let all =
                "for of in all default lo cable; do echo 1 >/proc/sys/net/ipv6/conf/$of/disable_ipv6; done";
            run(off.arg(all)).assert_good();
        } else {
            let Some(without) = without_family() else { return };
            setup = setup.behind(network.on_server().into_iter().chain(without).collect());
        }
        let server = setup.start();
        let line = server.log_line("IPv6 is switched off on this machine; the listener serves IPv4 alone");
        assert_eq!(line["listener"], "all");
        serves(&network, &server, "192.0.2.1", "all");
        assert!(problems(&server).contains("of listener `six`") || problems(&server).contains("`six`"));
        assert_unprivileged(&server);
    }
}

/// A command prefix for a machine whose kernel has no IPv6: `socket` fails as there.
fn without_family() -> Option<Vec<String>> {
    const SCRIPT: &str = "
import ctypes, os, platform, struct, sys
number = {'x86_64': 41, 'aarch64': 198}[platform.machine()]
def op(code, k, yes=0, no=0): return struct.pack('HBBI', code, yes, no, k)
# If the call is socket(AF_INET6, ...), it fails with EAFNOSUPPORT.
code = op(0x20, 0) + op(0x15, number, 0, 3) + op(0x20, 16) + op(0x15, 10, 0, 1) + op(0x06, 0x50000 | 97) + op(0x06, 0x7fff0000)
buffer = ctypes.create_string_buffer(code, len(code))
class Program(ctypes.Structure):
    _fields_ = [('length', ctypes.c_ushort), ('filter', ctypes.c_void_p)]
program = Program(len(code) // 8, ctypes.addressof(buffer))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.byref(program), 0, 0) == 0, ctypes.get_errno()
os.execv(sys.argv[1], sys.argv[1:])
";
    let python = Command::new("python3").arg("--version").output();
    if !python.is_ok_and(|ran| ran.status.success()) {
        skipped("python3 is not installed, and takes IPv6 away");
        return None;
    }
    Some(["python3", "-c", SCRIPT].map(str::to_owned).into())
}

/// The folder of a root is made later, or mounted over a folder that is empty at the start.
#[test]
fn roots_that_come_later_are_served() {
    if !is_root() {
        return skipped("mounting a file system needs root");
    }
    let yaml = "roots:\n\
                - { name: boot, path: root }\n\
                - { name: made, path: media/disk/tftp, writable: true }\n\
                - { name: mounted, path: mnt/usb }\n\
                - { name: link, path: link }\n";
    let setup = unprivileged(yaml);
    let outside = setup.outside();
    for folder in ["media", "mnt", "mnt/usb", "far", "far/usb"] {
        fs::create_dir(outside.path(folder)).unwrap();
    }
    std::os::unix::fs::symlink("far/usb/tftp", outside.path("link")).unwrap();
    let behind = ["unshare", "--mount", "--propagation", "private"].map(str::to_owned);
    let server = setup.behind(behind.into()).start();
    for root in ["made", "link"] {
        let line = warned(&server, &format!("root `{root}`: the folder "));
        assert_eq!(line["root"], root);
        assert!(problems(&server).contains(&format!("the folder of `{root}` does not exist yet")));
        assert!(server.metrics().contains(&format!("tuffet_root_missing{{root=\"{root}\"}} 1")));
    }
    assert!(server.metrics().contains("tuffet_root_missing{root=\"boot\"} 0"));
    let ask = |name: &str| {
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq(name, &[]));
        peer
    };
    // Meanwhile the others are searched as ever, and what none has is missing, as with other servers.
    assert_eq!(Peer::new(server.address()).read_plainly("3000"), bytes(3000));
    server.outcome("3000");
    ask("first").expect_error(1);
    let line = server.outcome("first");
    assert!(
        line["detail"].as_str().unwrap().contains("the folder of the root made does not exist yet"),
        "{line}"
    );

    let mut make = Command::new("nsenter");
    make.args([&format!("--mount=/proc/{}/ns/mnt", server.id()), "sh", "-ec"]);
    make.arg(
        "cd \"$1\"; mount -t tmpfs none mnt/usb; echo one >mnt/usb/first\n\
         mount -t tmpfs none far/usb; mkdir far/usb/tftp; echo two >far/usb/tftp/second\n\
         mkdir -p media/disk; mkdir -m 777 media/disk/tftp; echo three >media/disk/tftp/third",
    );
    run(make.arg("sh").arg(&outside.0)).assert_good();
    for _ in ["made", "link"] {
        server.logged("the folder of a root exists now; the root is served from now on");
    }
    server.logged("the folder of a root was replaced; requests get the new one from now on");
    for (name, content) in [("first", "one\n"), ("second", "two\n"), ("third", "three\n")] {
        assert_eq!(Peer::new(server.address()).read_plainly(name), content.as_bytes(), "{name}");
        assert_eq!(server.outcome(name)["outcome"], "served");
    }
    let mut upload = Peer::new(server.address());
    upload.ask(&crate::harness::wrq("up", &[]));
    upload.expect(crate::harness::Answer::Ack(0));
    upload.write_on(b"content", 512);
    assert_eq!(server.outcome("up")["outcome"], "stored");
    assert!(server.metrics().contains("tuffet_root_missing{root=\"made\"} 0"));
    wait_until("the server is ready", || problems(&server) == "[]");
    assert_unprivileged(&server);
}

/// The only root is missing, and a reload brings another one.
#[test]
fn a_reload_brings_a_root_that_is_missing() {
    let yaml = |more: &str| format!("roots:\n- {{ name: late, path: late/one }}\n{more}");
    let setup = unprivileged(&yaml(""));
    fs::create_dir(setup.outside().path("late")).unwrap();
    let server = setup.start();
    warned(&server, "root `late`: the folder ");
    server.rewrite(&yaml("- { name: later, path: late/two }\n"));
    server.ask("reload").assert_good();
    warned(&server, "root `late`: the folder ");
    warned(&server, "root `later`: the folder ");
    for (folder, file) in [("late/one", "a"), ("late/two", "b")] {
        fs::create_dir(server.outside().path(folder)).unwrap();
        fs::write(server.outside().path(folder).join(file), file).unwrap();
        server.logged("the folder of a root exists now; the root is served from now on");
        assert_eq!(Peer::new(server.address()).read_plainly(file), file.as_bytes());
    }
}

#[test]
fn check_names_what_would_be_waited_for() {
    let setup = Setup::new();
    let file = setup.outside().path("checked.yaml");
    let yaml = "listeners:\n\
                - { name: lan, address: 127.0.0.1:0, interface: no-such-one }\n\
                - { name: vip, address: 192.0.2.77:69 }\n\
                roots: [{ name: boot, path: root }, { name: usb, path: nowhere }]\n";
    fs::write(&file, yaml).unwrap();
    let ran = tuffet(["check", file.to_str().unwrap()]);
    ran.assert_good();
    for warning in [
        "warning: listener `lan`: this machine has no interface `no-such-one`; the server starts",
        "warning: listener `vip`: this machine does not have the address 192.0.2.77; the server starts",
        "warning: root `usb`: the folder ",
    ] {
        assert!(ran.stderr.contains(warning), "{warning}: {}", ran.stderr);
    }
    fs::write(&file, format!("start: all\n{}", yaml.replace("nowhere", "root"))).unwrap();
    tuffet(["check", file.to_str().unwrap()]).assert_fails(69, &["no interface `no-such-one`"]);
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

/// systemd passes a socket for each family.
#[test]
fn inherited_sockets_of_both_families_belong_to_one_listener() {
    let six = socket2::Socket::new(socket2::Domain::IPV6, socket2::Type::DGRAM, None).unwrap();
    six.set_only_v6(true).unwrap();
    six.bind(&"[::]:0".parse::<SocketAddr>().unwrap().into()).unwrap();
    let port = six.local_addr().unwrap().as_socket().unwrap().port();
    let Ok(four) = UdpSocket::bind(("0.0.0.0", port)) else { return };
    let listen = format!("[::]:{port}");
    let server = Setup::new()
        .sizes(&[3000])
        .workers(1)
        .listen(&listen)
        .inherits("six", UdpSocket::from(six))
        .inherits("four", four)
        .start();
    for address in ["127.0.0.1", "::1"] {
        let mut peer = Peer::new((address.parse::<std::net::IpAddr>().unwrap(), port).into());
        assert_eq!(peer.read_plainly("3000"), bytes(3000));
        assert_eq!(server.outcome("3000")["listener"], listen.as_str());
    }
}
