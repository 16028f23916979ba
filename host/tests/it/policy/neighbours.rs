//! The MAC address from the kernel's neighbour table: a client on the same cable, in a network of the
//! test's own.

use crate::harness::{Network, Setup, assert_moved, run};

const MAC: &str = "02:00:5e:10:00:0a";

#[test]
fn a_client_on_the_cable_is_known_by_its_card() {
    let Some(network) = Network::new(MAC) else { return };
    let server = Setup::new()
        .file("phones/02005e10000a.cfg", b"this phone")
        .file("phones/001122334455.cfg", b"the other")
        .rest_of_yaml(
            r#"
policy: { resolve: [mac-map] }
plugins:
  mac-map:
    component: builtin:mac-map
    grants: [client-mac]
    settings: { root: boot, rules: [{ templates: ["phones/{mac}.cfg"] }] }
"#,
        )
        .behind(network.on_server())
        .listen("0.0.0.0:6969")
        .listen("[2001:db8::1]:6970")
        .start();
    // The last client claims another address in its name; the table takes precedence.
    for (url, path, client) in [
        ("tftp://192.0.2.1:6969/phone.cfg", "phone.cfg", "192.0.2.2:"),
        ("tftp://[2001:db8::1]:6970/phone.cfg", "phone.cfg", "[2001:db8::2]:"),
        ("tftp://192.0.2.1:6969/SEP001122334455.cnf.xml", "SEP001122334455.cnf.xml", "192.0.2.2:"),
    ] {
        let mut get = network.on_client(env!("CARGO_BIN_EXE_tuffet"));
        let ran = run(get.args(["get", url, "--output", "-"]));
        ran.assert_good();
        assert_eq!(String::from_utf8_lossy(&ran.stdout), "this phone", "{url}");
        let line = server.outcome(path);
        assert_moved(&line, "served", 10, 1428, 16);
        assert_eq!((&line["mac"], &line["verdict_by"]), (&MAC.into(), &"mac-map".into()), "{line:#}");
        assert!(line["client"].as_str().unwrap().starts_with(client), "{line:#}");
    }
}
