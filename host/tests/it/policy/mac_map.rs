//! `builtin:mac-map`: the MAC address in the requested name chooses the file.

use crate::harness::{Client, Options, Peer, Server, Setup, assert_moved, each_client, rrq};

const BOTH: &str = r#"
policy:
  authorize: [acl]
  resolve: [mac-map]
plugins:
  acl:
    component: builtin:acl
    settings: { deny: [{ names: ["secret"] }] }
  mac-map:
    component: builtin:mac-map
    grants: [client-mac]
    settings:
      root: boot
      rules:
        - match: "pxelinux.cfg/*"
          devices:
            "00:11:22:33:44:55": machines/kitchen.cfg
            "00-11-22-33-44-66": machines/attic/
        - match: "*.cnf.xml"
          templates: ["phones/{mac}.cfg"]
          fallback: ["phones/default.cfg"]
"#;

fn server() -> Server {
    Setup::new()
        .file("phones/001122334455.cfg", b"phone 55")
        .file("phones/default.cfg", b"any phone")
        .file("machines/kitchen.cfg", b"kitchen")
        .file("machines/attic/pxelinux.cfg/01-00-11-22-33-44-66", b"attic")
        .file("pxelinux.cfg/default", b"default")
        .file("10000 blocks", &[1; 79_999])
        .rest_of_yaml(BOTH)
        .start()
}

each_client!(by_requested_name);
fn by_requested_name(client: Client) {
    let server = server();
    for (name, content, resolved, mac) in [
        ("SEP001122334455.cnf.xml", "phone 55", "phones/001122334455.cfg", Some("00:11:22:33:44:55")),
        ("SEP001122334499.cnf.xml", "any phone", "phones/default.cfg", Some("00:11:22:33:44:99")),
        ("XMLDefault.cnf.xml", "any phone", "phones/default.cfg", None),
        ("pxelinux.cfg/01-00-11-22-33-44-55", "kitchen", "machines/kitchen.cfg", Some("00:11:22:33:44:55")),
        (
            "pxelinux.cfg/01-00-11-22-33-44-66",
            "attic",
            "machines/attic/pxelinux.cfg/01-00-11-22-33-44-66",
            Some("00:11:22:33:44:66"),
        ),
        ("pxelinux.cfg/default", "default", "pxelinux.cfg/default", None),
    ] {
        let got = client.get(server.address(), name, Options::default());
        assert_eq!(String::from_utf8_lossy(&got), content, "{name}");
        let line = server.outcome(name);
        assert_moved(&line, "served", content.len(), 512, 1);
        assert_eq!((&line["resolved"], &line["mac"]), (&format!("boot:{resolved}").into(), &mac.into()));
        let by = line["verdict_by"].as_str();
        assert_eq!(by, (name != "pxelinux.cfg/default").then_some("mac-map"), "{line:#}");
    }
}

#[test]
fn a_machine_without_a_file_is_not_found() {
    let server = server();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("pxelinux.cfg/01-00-11-22-33-44-99", &[]));
    peer.expect_error(1);
    assert_eq!(server.outcome("pxelinux.cfg/01-00-11-22-33-44-99")["outcome"], "not-found");
}

/// Plugins decide; they are not there while blocks move.
#[test]
fn calls_do_not_depend_on_the_size() {
    let server = server();
    let options = Options { blksize: Some(8), ..Options::default() };
    for (name, blocks) in [("pxelinux.cfg/default", 1), ("10000 blocks", 10_000)] {
        let size = server.root().read(name).len();
        assert_eq!(size / 8 + 1, blocks);
        let url = name.replace(' ', "%20");
        assert_eq!(Client::Tuffet.get(server.address(), &url, options).len(), size);
        let line = server.outcome(name);
        assert_moved(&line, "served", size, 8, 1);
        assert_eq!(line["plugin_calls"], 2, "{line:#}");
    }
}
