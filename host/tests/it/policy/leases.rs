//! The leases of DHCP servers as facts, for plugins that ask for them.

use super::facts::{TELL, guest, told};
use crate::harness::{Client, Options, Server, Setup, run, tuffet, until};
use serde_json::{Value, json};
use std::fmt::Write;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::process::Command;

const KEA: &str = "address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state,user_context,pool_id\n";

/// A lease of Kea for 127.0.0.1.
fn kea(hostname: &str) -> String {
    let context =
        r#"{ "ISC": { "client-classes": [ "ALL"&#x2c "VENDOR_CLASS_PXEClient:Arch:00007:UNDI:003016" ] } }"#;
    format!(
        "127.0.0.1,02:00:5e:10:00:01,01:02:00:5e:10:00:01,3600,4102444800,1,0,0,{hostname},0,{context},0\n"
    )
}

/// A server whose plugin answers with the request as it sees it, and that reads this file beside its configuration.
fn server(component: &Path, grants: &str, format: &str, content: &str) -> Server {
    let setup = Setup::new().listen("0.0.0.0:0").yaml(&format!(
        "listeners: [{{ name: all, address: \"127.0.0.1:6969\" }}]\nroots: [{{ name: boot, path: root }}]\n\
         facts: {{ leases: [{{ file: dhcp/leases, format: {format} }}] }}\npolicy: {{ resolve: [tells] }}\nplugins:\n  \
         tells:\n    component: {component:?}\n    grants: [{grants}]\n    limits: {{ time: 20s, wall: 40s }}\n    \
         settings: {TELL}\n"
    ));
    setup.outside().write("dhcp/leases", content.as_bytes());
    setup.start()
}

/// Asks again until the plugin sees this host name.
fn until_named(server: &Server, hostname: &Value) -> Value {
    until(
        &format!("{hostname} is seen"),
        || told(server, [127, 0, 0, 5], "a"),
        |seen| seen["lease"]["hostname"] == *hostname,
    )
}

#[test]
fn a_plugin_that_asks_for_it_gets_the_lease() {
    let folder = tempfile::tempdir().unwrap();
    let asks = guest(folder.path(), "asks", json!({ "facts": ["lease"] }));
    let content = format!("{KEA}{}", kea("kitchen"));
    let all = server(&asks, "client-mac", "kea", &content);
    let seen = told(&all, [127, 0, 0, 5], "a");
    let mut lease = seen["lease"].clone();
    assert!(lease.as_object_mut().unwrap().remove("age").is_some_and(|age| age.is_u64()), "{seen:#}");
    let mut expected = json!({
        "mac": "02:00:5e:10:00:01",
        "client-id": "01:02:00:5e:10:00:01",
        "uuid": null,
        "hostname": "kitchen",
        "vendor-class": "PXEClient:Arch:00007:UNDI:003016",
        "architecture": 7,
        "expires": 4_102_444_800_u64,
    });
    assert_eq!(lease, expected);
    assert_eq!(seen["macs"]["network"], json!([["02:00:5e:10:00:01", "lease-file"]]));

    // Without the grant it names no machine, and without the fact there is nothing.
    let no_grant = told(&server(&asks, "", "kea", &content), [127, 0, 0, 5], "a");
    let mut lease = no_grant["lease"].clone();
    lease.as_object_mut().unwrap().remove("age");
    for machine in ["mac", "client-id"] {
        expected[machine] = Value::Null;
    }
    assert_eq!((lease, &no_grant["macs"]), (expected, &Value::Null));
    let silent = guest(folder.path(), "silent", json!({}));
    let nothing = told(&server(&silent, "client-mac", "kea", &content), [127, 0, 0, 5], "a");
    assert_eq!(nothing["lease"], Value::Null);
}

#[test]
fn a_change_of_the_file_shows() {
    let folder = tempfile::tempdir().unwrap();
    let keys = json!({ "facts": ["lease"], "depends-on": ["lease", "path"], "reuse": true });
    let server =
        server(&guest(folder.path(), "cached", keys), "", "dnsmasq", "0 02:00:5e:10:00:01 127.0.0.1 a *\n");
    let first = until_named(&server, &json!("a"));
    assert_eq!(told(&server, [127, 0, 0, 5], "a"), first, "cached");
    // In place, as dnsmasq does, and by a rename.
    let file = server.outside().path("dhcp/leases");
    std::fs::write(&file, "0 02:00:5e:10:00:01 127.0.0.1 b *\n").unwrap();
    let second = until_named(&server, &json!("b"));
    assert_ne!(first["id"], second["id"]);
    server.outside().write("dhcp/next", b"0 02:00:5e:10:00:01 127.0.0.1 c *\n");
    std::fs::rename(server.outside().path("dhcp/next"), &file).unwrap();
    until_named(&server, &json!("c"));
    std::fs::remove_file(&file).unwrap();
    until_named(&server, &Value::Null);
    assert!(server.logged("there is no lease file")["file"].as_str().unwrap().ends_with("dhcp/leases"));
}

#[test]
fn explain_shows_the_lease() {
    let folder = tempfile::tempdir().unwrap();
    let asks = guest(folder.path(), "asks", json!({ "facts": ["lease"] }));
    let server = server(&asks, "client-mac", "kea", &format!("{KEA}{}", kea("kitchen")));
    for live in [false, true] {
        let [config, control] = ["tuffet.yaml", "control"].map(|name| server.outside().path(name));
        let ran = match live {
            true => run(Command::new(env!("CARGO_BIN_EXE_tuffet"))
                .args(["explain", "a", "--json", "--live", "--control"])
                .arg(control)),
            false => tuffet(["explain", "a", "--json", "--config", config.to_str().unwrap()]),
        };
        let shown: Value =
            serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
        let lease = &shown["request"]["lease"];
        assert_eq!(
            (&lease["hostname"], &lease["architecture"], &lease["expires"]),
            (&json!("kitchen"), &json!(7), &json!(4_102_444_800_u64)),
            "{shown:#}"
        );
        assert_eq!(shown["request"]["macs"][0]["source"], "lease-file");
    }
}

#[test]
fn mac_map_needs_no_file_of_its_own() {
    let setup = Setup::new().file("phones/02005e100001.cfg", b"this phone").rest_of_yaml(
        "facts: { leases: [{ file: leases, format: dnsmasq }] }\npolicy: { resolve: [mac-map] }\nplugins:\n  mac-map:\n    \
         component: builtin:mac-map\n    grants: [client-mac]\n    settings: { root: boot, rules: [{ templates: \
         [\"phones/{mac}.cfg\"] }] }\n",
    );
    let lines = (1..=254).map(|host| format!("0 02:00:5e:10:00:01 127.0.0.{host} a *\n"));
    setup.outside().write("leases", lines.collect::<String>().as_bytes());
    let server = setup.start();
    let client = Client::Tuffet;
    let got = client.get(server.address(), "phone.cfg", Options::default());
    let line = server.outcome("phone.cfg");
    if line["client"].as_str().unwrap().starts_with("127.0.0.") {
        assert_eq!(String::from_utf8_lossy(&got), "this phone", "{line:#}");
        assert_eq!(line["mac"], "02:00:5e:10:00:01");
    }
}

/// Requests are answered from what was read last while a hundred thousand leases are written over and over.
#[test]
fn many_leases_that_change_all_the_time() {
    let folder = tempfile::tempdir().unwrap();
    let asks = guest(folder.path(), "asks", json!({ "facts": ["lease"] }));
    let content = |name: &str| {
        let mut content = format!("0 02:00:5e:10:00:01 127.0.0.1 {name} *\n");
        for number in 0..100_000_u32 {
            let address = IpAddr::from(Ipv4Addr::from(0x0a00_0000 + number));
            writeln!(content, "4102444800 02:00:5e:11:00:01 {address} host{number} *").unwrap();
        }
        content
    };
    let server = server(&asks, "", "dnsmasq", &content("first"));
    until_named(&server, &json!("first"));
    let file = server.outside().path("dhcp/leases");
    for name in ["second", "third", "fourth"] {
        std::fs::write(&file, content(name)).unwrap();
        until_named(&server, &json!(name));
    }
}
