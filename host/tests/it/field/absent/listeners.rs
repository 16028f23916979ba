//! Interfaces and addresses that come later.

use super::{ROOTS, assert_unprivileged, get, on, problems, serves, warned};
use crate::harness::{Network, run, skipped, wait_until};
use rustix::process::{Pid, Signal, kill_process};
use std::process::{Command, Stdio};

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
    network.plug_in();
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
    network.plug_in();
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
            network.plug_in();
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
        network.plug_in();
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
    network.plug_in();
    server.log_line("the interface exists now; the listener serves it");
    serves(&network, &server, "198.51.100.1:71", "both");

    network.server_ip("address del 192.0.2.50/24 dev cable");
    warned(&server, "this machine no longer has the address 192.0.2.50 of listener `late`");
    network.server_ip("address add 192.0.2.50/24 dev cable");
    server.log_line("this machine has the address; the listener serves it");
    serves(&network, &server, "192.0.2.50", "late");
}
