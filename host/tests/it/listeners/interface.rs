//! Listeners of one interface, in a network of the test's own.

use crate::harness::{Network, Ran, Server, Setup, bytes, check_file, run, tuffet};
use serde_json::Value;

/// Another cable from the server's host to the client's, with addresses of its own.
fn second_cable(network: &Network) {
    network.server_ip(&format!("link add other type veth peer name other netns {}", network.client_name()));
    network.server_ip("address add 198.51.100.1/24 dev other");
    network.server_ip("link set other up");
    network.server_ip("address add 2001:db8:1::1/64 dev other nodad");
    network.client_ip("address add 198.51.100.2/24 dev other");
    network.client_ip("address add 2001:db8:1::2/64 dev other nodad");
    network.client_ip("link set other up");
}

fn get(network: &Network, address: &str) -> Ran {
    let mut get = network.on_client(env!("CARGO_BIN_EXE_tuffet"));
    get.args(["get", &format!("tftp://{address}/3000"), "--output", "-", "--timeout", "1"]);
    run(&mut get)
}

#[track_caller]
fn serves(network: &Network, server: &Server, address: &str) -> Value {
    let ran = get(network, address);
    ran.assert_good();
    assert!(ran.stdout == bytes(3000), "{address}");
    let line = server.outcome("3000");
    assert_eq!(line["outcome"], "served");
    line
}

/// Two listeners with one address: each serves its own interface, and all of the addresses that this has at a time.
#[test]
fn each_interface_has_its_listener_whatever_its_addresses() {
    let Some(network) = Network::new("02:00:5e:10:00:1a") else { return };
    second_cable(&network);
    let yaml = "listeners:\n\
                - { name: lan, address: 0.0.0.0:69, interface: cable }\n\
                - { name: lab, address: 0.0.0.0:69, interface: other }\n\
                - { name: six, address: \"[::]:69\", interface: cable }\n\
                roots: [{ name: boot, path: root }]\n";
    let server = Setup::new().sizes(&[3000]).behind(network.on_server()).whole_yaml(3, yaml).start();
    assert_eq!(serves(&network, &server, "192.0.2.1")["listener"], "lan");
    assert_eq!(serves(&network, &server, "198.51.100.1")["listener"], "lab");
    assert_eq!(serves(&network, &server, "[2001:db8::1]")["listener"], "six");

    network.server_ip("address add 192.0.2.77/24 dev cable");
    assert_eq!(serves(&network, &server, "192.0.2.77")["listener"], "lan");
    network.server_ip("address del 192.0.2.1/24 dev cable");
    network.server_ip("address add 192.0.2.1/24 dev cable");
    assert_eq!(serves(&network, &server, "192.0.2.1")["listener"], "lan");
    assert_eq!(server.status()["interfaces"][1]["state"], "present");
}

/// What comes in through another interface reaches no socket, even for an address of the listener's.
#[test]
fn other_interfaces_are_not_served() {
    let Some(network) = Network::new("02:00:5e:10:00:1b") else { return };
    second_cable(&network);
    let yaml = "listeners: [{ name: lan, address: 0.0.0.0:69, interface: cable }]\n\
                roots: [{ name: boot, path: root }]\n";
    let server = Setup::new().sizes(&[3000]).behind(network.on_server()).whole_yaml(1, yaml).start();
    assert_ne!(get(&network, "198.51.100.1").code(), 0, "another interface");
    serves(&network, &server, "192.0.2.1");
    assert_eq!(server.stop(), [] as [Value; 0], "nothing else came to the server");
}

#[test]
fn an_interface_that_is_made_again_is_bound_again() {
    let Some(network) = Network::new("02:00:5e:10:00:1c") else { return };
    second_cable(&network);
    let yaml = "listeners:\n\
                - { name: lan, address: 0.0.0.0:69, interface: cable }\n\
                - { name: lab, address: 0.0.0.0:69, interface: other }\n\
                - { name: six, address: \"[::]:69\", interface: other }\n\
                - { name: range, address: 198.51.100.1:6969, interface: other, tid-ports: 30000-30007 }\n\
                - { name: own, address: 198.51.100.1:6971, interface: other }\n\
                - { name: single, address: 0.0.0.0:6970, interface: other, single-port: true }\n\
                roots: [{ name: boot, path: root }]\n";
    let server = Setup::new().sizes(&[3000]).behind(network.on_server()).whole_yaml(6, yaml).start();
    let serves_all = || {
        let listeners = [
            ("198.51.100.1", "lab"),
            ("[2001:db8:1::1]", "six"),
            ("198.51.100.1:6969", "range"),
            ("198.51.100.1:6971", "own"),
            ("198.51.100.1:6970", "single"),
        ];
        for (address, name) in listeners {
            assert_eq!(serves(&network, &server, address)["listener"], name);
        }
    };
    serves_all();
    network.server_ip("link del other");
    server.log_line("the interface `other` of listener `lab` is gone");
    assert_eq!(server.status()["interfaces"][1]["state"], "gone");
    let reasons = server.live()["reasons"].clone();
    assert!(reasons.to_string().contains("`other` of listener `lab` is gone"), "{reasons:#}");
    second_cable(&network);
    for name in ["lab", "six", "range", "own", "single"] {
        let line = server.log_line("interface recreated; listener rebound");
        assert_eq!(line["listener"], name);
    }
    let states = server.status()["interfaces"].clone();
    assert!(states.as_array().unwrap().iter().all(|its| its["state"] == "present"), "{states:#}");
    serves_all();
    // The other listener is as before, and the two serve one interface each.
    assert_eq!(serves(&network, &server, "192.0.2.1")["listener"], "lan");
}

#[test]
fn an_interface_that_is_not_there_is_an_error_with_its_name() {
    let yaml = "start: all\n\
                listeners: [{ name: lan, address: 127.0.0.1:0, interface: no-such-one }]\n\
                roots: [{ name: boot, path: root }]\n";
    let ran = Setup::new().whole_yaml(1, yaml).run_to_its_end();
    ran.assert_fails(69, &["listener `lan`", "no interface `no-such-one`", "ip -brief link"]);
}

#[test]
fn check_and_doctor_name_a_missing_interface() {
    let setup = Setup::new();
    let yaml = "listeners: [{ name: lan, address: 127.0.0.1:0, interface: no-such-one }]\n\
                roots: [{ name: boot, path: root }]\n";
    setup.outside().write("checked.yaml", yaml.as_bytes());
    let file = setup.outside().path("checked.yaml");
    let file = file.to_str().unwrap();
    let ran = check_file(file);
    ran.assert_good();
    assert!(ran.stderr.contains("warning: listener `lan`: this machine has no interface"), "{}", ran.stderr);
    let ran = tuffet(["doctor", "--no-rate", "--config", file]);
    let text = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.code() == 1 && text.contains("this machine has no interface `no-such-one`"), "{text}");
}

/// The server starts without the address, which need not be there even where everything must, and serves it once the
/// machine has it.
#[test]
fn an_address_that_comes_later() {
    let Some(network) = Network::new("02:00:5e:10:00:1d") else { return };
    let yaml = |free| {
        format!(
            "start: all\nlisteners: [{{ name: lan, address: 192.0.2.50:69{free} }}]\nroots: [{{ name: boot, path: root }}]\n"
        )
    };
    let setup = |free| Setup::new().sizes(&[3000]).behind(network.on_server()).whole_yaml(1, &yaml(free));
    setup("").run_to_its_end().assert_fails(69, &["192.0.2.50:69", "`free-bind: true`"]);
    let server = setup(", free-bind: true").start();
    network.server_ip("address add 192.0.2.50/24 dev cable");
    serves(&network, &server, "192.0.2.50");
    network.server_ip("address del 192.0.2.50/24 dev cable");
    network.server_ip("address add 192.0.2.50/24 dev cable");
    serves(&network, &server, "192.0.2.50");
}
