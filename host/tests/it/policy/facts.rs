//! Facts that a plugin asks for in its manifest: where a request arrived.

use crate::harness::{Client, Network, Options, Server, Setup, check_file, compiled, run, skipped, tuffet};
use serde_json::{Value, json};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the reference guest with this in its manifest.
pub fn guest(folder: &Path, name: &str, keys: Value) -> PathBuf {
    let mut manifest = json!({ "name": name, "grants": [] });
    for grant in ["kv", "files", "sinks", "http", "client-mac", "client-history", "upload", "metrics"] {
        let wish = json!({ "grant": grant, "reason": "tries it", "optional": true });
        manifest["grants"].as_array_mut().unwrap().push(wish);
    }
    manifest.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    let (path, component) = (folder.join(format!("{name}.json")), folder.join(format!("{name}.wasm")));
    std::fs::write(&path, manifest.to_string()).unwrap();
    let built = tuffet_test_guests::component("reference");
    let arguments: [&Path; 7] = [
        "plugin".as_ref(),
        "annotate".as_ref(),
        built.as_ref(),
        "--manifest".as_ref(),
        &path,
        "--output".as_ref(),
        &component,
    ];
    tuffet(arguments).assert_good();
    component
}

pub const TELL: &str = "{ rules: [{ hook: resolve, path: \"*\", do: [[request]], answer: tell }] }";

fn server(component: &Path, more: &str) -> Server {
    Setup::new()
        .listen("0.0.0.0:0")
        .yaml(&format!(
            "listeners: [{{ name: all, address: \"127.0.0.1:6969\" }}]\nroots: [{{ name: boot, path: root }}]\nstate: state\npolicy: {{ resolve: [tells] }}\nplugins:\n  tells:\n    component: {component:?}\n    \
             limits: {{ time: 20s, wall: 40s }}\n    settings: {TELL}\n{more}"
        ))
        .start()
}

/// The request as the plugin sees it that gets what is sent to this address.
pub fn told(server: &Server, address: [u8; 4], path: &str) -> Value {
    let to = SocketAddr::new(IpAddr::V4(Ipv4Addr::from(address)), server.address().port());
    let told: Value = serde_json::from_slice(&Client::Tuffet.get(to, path, Options::default())).unwrap();
    told[0].clone()
}

#[test]
fn a_plugin_that_asks_for_them_gets_address_and_interface() {
    let folder = tempfile::tempdir().unwrap();
    let both = server(&guest(folder.path(), "both", json!({ "facts": ["interface", "local-address"] })), "");
    let arrival = |address: Option<&str>, interface: Option<&str>, vlan: Option<u16>| json!({ "address": address, "interface-name": interface, "vlan": vlan });
    let seen = &told(&both, [127, 0, 0, 5], "a")["arrival"];
    assert_eq!(*seen, arrival(Some("127.0.0.5"), Some("lo"), None));
    let one = server(&guest(folder.path(), "one", json!({ "facts": ["interface"] })), "");
    assert_eq!(told(&one, [127, 0, 0, 5], "a")["arrival"], arrival(None, Some("lo"), None));
    let none = server(&guest(folder.path(), "none", json!({})), "");
    assert_eq!(told(&none, [127, 0, 0, 5], "a")["arrival"], Value::Null);
}

/// As switches send it to a trunk: the client is in VLAN 7 and in none.
#[test]
fn a_plugin_that_asks_for_it_gets_the_vlan() {
    let Some(network) = Network::new("02:00:5e:10:00:1c") else { return };
    let tag = |ip: &dyn Fn(&str), host: u8, id: u16| {
        ip(&format!("link add link cable name tagged type vlan id {id}"));
        ip(&format!("address add 198.51.100.{host}/24 dev tagged"));
        ip("link set tagged up");
    };
    if let Err(why) = network.try_server_ip("link add link cable name tagged type vlan id 7") {
        return skipped(&format!("VLAN devices: {why}"));
    }
    network.server_ip("link del tagged");
    tag(&|words| network.server_ip(words), 1, 7);
    tag(&|words| network.client_ip(words), 2, 7);
    let folder = tempfile::tempdir().unwrap();
    let asks = guest(folder.path(), "asks", json!({ "facts": ["interface", "vlan"] }));
    let server = Setup::new()
        .behind(network.on_server())
        .whole_yaml(
            1,
            &format!(
                "listeners: [{{ name: all, address: \"0.0.0.0:69\" }}]\nroots: [{{ name: boot, path: root }}]\nstate: \
                 state\npolicy: {{ resolve: [tells] }}\nplugins:\n  tells:\n    component: {asks:?}\n    limits: {{ \
                 time: 20s, wall: 40s }}\n    settings: {TELL}\n"
            ),
        )
        .start();
    let seen = |address: &str| -> Value {
        let mut get = network.on_client(env!("CARGO_BIN_EXE_tuffet"));
        let ran = run(get.args(["get", &format!("tftp://{address}/a"), "--output", "-"]));
        ran.assert_good();
        let seen: Value = serde_json::from_slice(&ran.stdout).unwrap();
        seen[0]["arrival"].clone()
    };
    assert_eq!(seen("198.51.100.1"), json!({ "address": null, "interface-name": "tagged", "vlan": 7 }));
    assert_eq!(seen("192.0.2.1"), json!({ "address": null, "interface-name": "cable", "vlan": null }));

    // Another VLAN under the same name, while the server runs.
    network.server_ip("link del tagged");
    network.client_ip("link del tagged");
    tag(&|words| network.server_ip(words), 1, 8);
    tag(&|words| network.client_ip(words), 2, 8);
    assert_eq!(seen("198.51.100.1"), json!({ "address": null, "interface-name": "tagged", "vlan": 8 }));

    let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    let control = server.outside().path("control");
    command.args(["explain", "a", "--json", "--live", "--interface", "tagged", "--control"]).arg(control);
    let ran = run(&mut command);
    let shown: Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    assert_eq!(shown["request"]["vlan"], 8, "{shown:#}");
}

#[test]
fn decisions_that_depend_on_the_address_are_cached_for_each_address() {
    let folder = tempfile::tempdir().unwrap();
    let keys = json!({ "facts": ["local-address"], "depends-on": ["local-address", "path"], "reuse": true });
    let server = server(&guest(folder.path(), "cached", keys), "");
    let first = told(&server, [127, 0, 0, 5], "a");
    let other = told(&server, [127, 0, 0, 6], "a");
    assert_eq!(other["arrival"]["address"], "127.0.0.6");
    assert_ne!(first["id"], other["id"]);
    assert_eq!(told(&server, [127, 0, 0, 5], "a"), first, "cached");
    let undeclared = json!({ "facts": ["interface"], "depends-on": ["path"], "reuse": true });
    let path = folder.path().join("undeclared.json");
    let mut manifest = json!({ "name": "undeclared" });
    manifest.as_object_mut().unwrap().extend(undeclared.as_object().unwrap().clone());
    std::fs::write(&path, manifest.to_string()).unwrap();
    let component = folder.path().join("cached.wasm");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    command.args(["plugin", "annotate"]).arg(component).arg("--manifest").arg(path);
    let refused = run(&mut command);
    assert!(refused.stderr.contains("its depends-on does not name it"), "{refused:?}");
}

#[test]
fn explain_and_the_tools_have_them_too() {
    let folder = tempfile::tempdir().unwrap();
    let component = guest(folder.path(), "tools", json!({ "facts": ["interface", "local-address"] }));
    let its = server(&component, "");
    let file = its.outside().path("tuffet.yaml");
    let words = ["explain", "--json", "--config", file.to_str().unwrap(), "a"];
    let ran = tuffet([&words[..], &["--local-address", "192.0.2.9", "--interface", "eth0.100"]].concat());
    let shown: Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    assert_eq!(
        (&shown["request"]["local_address"], &shown["request"]["interface"]),
        (&json!("192.0.2.9"), &json!("eth0.100"))
    );

    let settings = folder.path().join("settings.yaml");
    std::fs::write(&settings, TELL).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    command
        .env("CACHE_DIRECTORY", compiled())
        .args(["plugin", "run"])
        .arg(component)
        .arg("--settings")
        .arg(settings);
    command.args([
        "--hook",
        "resolve",
        "--path",
        "a",
        "--local-address",
        "192.0.2.9",
        "--interface",
        "eth0.100",
        "--json",
    ]);
    let ran = run(&mut command);
    let shown: Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    let request: Value =
        serde_json::from_str(shown["verdict"]["content"].as_str().unwrap_or_default()).unwrap();
    let expected = json!({ "address": "192.0.2.9", "interface-name": "eth0.100", "vlan": null });
    assert_eq!(request[0]["arrival"], expected);
}

#[test]
fn a_key_of_the_operator_without_a_fact_is_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let component = guest(folder.path(), "keyed", json!({ "facts": ["interface"] }));
    let its = server(&component, "    cache: { ttl: 1s, key: [path] }\n");
    let checked = check_file(its.outside().path("tuffet.yaml"));
    let shown = checked.stderr.clone() + &String::from_utf8_lossy(&checked.stdout);
    assert!(shown.contains("asks for the fact `interface`, and `cache.key` does not name it"), "{shown}");
}
