//! `builtin:template`: content rendered for the requesting device.

use crate::harness::{Answer, Client, Options, Peer, Server, Setup, assert_moved, each_client, rrq};

const INVENTORY: &[u8] = br#"
defaults: { ntp: 192.0.2.5 }
devices:
  kitchen: { mac: 02-00-5E-10-00-01, vars: { extension: 101 } }
  attic: { names: [attic.cfg], vars: { extension: 102, ntp: 192.0.2.6 } }
  hall: { address: 127.0.0.1 }
"#;

fn server() -> Server {
    Setup::new()
        .file("inventory.yaml", INVENTORY)
        .file("phone.j2", b"{% include 'head.j2' %}ntp {{ ntp }}\nextension {{ extension }}\n")
        .file("head.j2", b"# {{ device.name }}\n")
        .file("hall.cfg", b"a file")
        .file("kernel", b"another")
        .rest_of_yaml(
            r#"
policy: { resolve: [template] }
plugins:
  template:
    component: builtin:template
    grants: [files/boot, client-mac]
    limits: { time: 20s, wall: 40s }
    settings: { root: boot, inventory: inventory.yaml, rules: [{ match: "*.cfg", template: phone.j2 }] }
"#,
        )
        .start()
}

each_client!(devices_get_their_own);
fn devices_get_their_own(client: Client) {
    let server = server();
    for (name, device, expected) in [
        ("01-02-00-5e-10-00-01.cfg", "kitchen", "# kitchen\nntp 192.0.2.5\nextension 101\n"),
        ("attic.cfg", "attic", "# attic\nntp 192.0.2.6\nextension 102\n"),
    ] {
        let got = client.get(server.address(), name, Options::default());
        assert_eq!(String::from_utf8_lossy(&got), expected, "{name}");
        let line = server.outcome(name);
        assert_moved(&line, "served", expected.len(), 512, 1);
        let content = format!("content/phone.j2 for {device}").into();
        assert_eq!((&line["resolved"], &line["verdict_by"]), (&content, &"template".into()));
    }
    assert_eq!(client.get(server.address(), "kernel", Options::default()), b"another");
}

#[test]
fn a_missing_variable_denies_until_it_is_there() {
    let server = server();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("hall.cfg", &[]));
    assert_eq!(peer.receive(), Answer::Error(0, "the configuration cannot be made".into()));
    let line = server.outcome("hall.cfg");
    assert_eq!(line["outcome"], "denied");
    assert_eq!(
        line["detail"],
        "boot:phone.j2 line 2: undefined value in `extension {{ extension }}`, for device hall"
    );
    let mended = String::from_utf8_lossy(INVENTORY).replace("{ ntp: 192.0.2.5 }", "{ ntp: a, extension: b }");
    server.root().write("inventory.yaml", mended.as_bytes());
    let got = Client::Tuffet.get(server.address(), "hall.cfg", Options::default());
    assert_eq!(String::from_utf8_lossy(&got), "# hall\nntp a\nextension b\n");
    // An unknown device gets the file.
    let unknown = mended.replace("127.0.0.1", "192.0.2.1");
    server.root().write("inventory.yaml", unknown.as_bytes());
    assert_eq!(Client::Tuffet.get(server.address(), "hall.cfg", Options::default()), b"a file");
}
