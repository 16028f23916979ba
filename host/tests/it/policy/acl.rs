//! `builtin:acl` in front of real clients.

use crate::harness::{Answer, Client, Options, Peer, Server, Setup, assert_ended, assert_moved, bytes};
use crate::harness::{each_client, rrq, wrq};

const ACL: &str = r#"
policy:
  authorize: [acl]
plugins:
  acl:
    component: builtin:acl
    settings:
      deny:
        - names: ["secret/**"]
          message: "not for you, said the acl"
        - clients: [127.0.0.7]
        - operations: [write]
          names: ["*.bin"]
          message: "no binaries"
      allow:
        - names: ["small/*"]
          max-blksize: 600
          max-windowsize: 2
          max-bytes: 5000
"#;

fn server() -> Server {
    Setup::new()
        .file("secret/plan", b"the plan")
        .file("small/5000", &bytes(5000))
        .file("small/5001", &bytes(5001))
        .file("open", b"for all")
        .yaml(&format!("roots: [{{ name: boot, path: root, writable: true }}]{ACL}"))
        .start()
}

each_client!(denials_in_its_own_words);
fn denials_in_its_own_words(client: Client) {
    let server = server();
    let (ran, content) = client.try_get(server.address(), "secret/plan", Options::default());
    let said = format!("{}{}", String::from_utf8_lossy(&ran.stdout), ran.stderr);
    assert!(client == Client::Curl || said.contains("not for you, said the acl"), "{client}: {said}");
    assert_eq!(content.unwrap_or_default(), b"");
    let line = server.outcome("secret/plan");
    assert_ended(&line, "denied", "deny rule 1");
    assert_eq!((&line["verdict_by"], &line["plugin_calls"]), (&"acl".into(), &1.into()));

    assert_eq!(client.get(server.address(), "open", Options::default()), b"for all");
    let line = server.outcome("open");
    assert_moved(&line, "served", 7, 512, 1);
    assert_eq!((&line["verdict_by"], &line["plugin_calls"]), (&serde_json::Value::Null, &1.into()));
}

#[test]
fn by_operation() {
    let server = server();
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("new.bin", &[]));
    assert_eq!(peer.expect_error(2), "no binaries");
    assert_ended(&server.outcome("new.bin"), "denied", "deny rule 3");
    assert!(!server.root().has("new.bin"));
}

#[test]
fn ceilings() {
    let server = server();
    let options = Options { blksize: Some(1428), windowsize: Some(16), ..Options::default() };
    assert!(Client::Tuffet.get(server.address(), "small/5000", options) == bytes(5000));
    let line = server.outcome("small/5000");
    assert_moved(&line, "served", 5000, 600, 2);
    assert_eq!(line["verdict_by"], "acl");

    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("small/5001", &[]));
    assert_eq!(peer.expect_error(2), "the file is larger than policy allows");
    assert_ended(&server.outcome("small/5001"), "denied", "5001 bytes and policy allows 5000");

    peer.ask(&wrq("small/up", &[("tsize", "5001")]));
    assert_eq!(peer.expect_error(3), "file too large");
    assert_ended(&server.outcome("small/up"), "denied", "limit of 5000 bytes");
}

#[test]
fn a_default_of_deny() {
    let server = Setup::new()
        .file("open", b"x")
        .rest_of_yaml(
            r#"
policy: { default: deny, authorize: [acl] }
plugins:
  acl: { component: "builtin:acl", settings: { allow: [{ names: ["open"] }] } }
"#,
        )
        .start();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("other", &[]));
    let text = peer.expect_error(2);
    assert!(!text.is_empty());
    assert_eq!(server.outcome("other")["outcome"], "denied");
    peer.ask(&rrq("open", &[]));
    peer.expect(Answer::Data(1, b"x".to_vec()));
}

/// "Only from this subnet", whatever allows elsewhere; and classes and names in any case.
#[test]
fn only_from_a_subnet() {
    let server = Setup::new()
        .file("images/a.img", b"image")
        .file("open", b"x")
        .rest_of_yaml(
            r#"
policy: { authorize: [acl] }
plugins:
  acl:
    component: builtin:acl
    settings:
      case: insensitive
      deny:
        - { names: ["IMAGES/**"], except-clients: [127.0.0.0/24], message: "only from the lab" }
        - { classes: [grub], message: "no GRUB" }
        - { names: ["/*.XML"], message: "not at the top" }
      allow: [{}]
"#,
        )
        .start();
    let mut inside = Peer::from([127, 0, 0, 9], server.address());
    inside.ask(&rrq("images/a.img", &[]));
    inside.expect(Answer::Data(1, b"image".to_vec()));
    let mut outside = Peer::from([127, 0, 1, 9], server.address());
    outside.ask(&rrq("images/a.img", &[]));
    assert_eq!(outside.expect_error(2), "only from the lab");
    outside.ask(&rrq("open", &[("blksize", "1024"), ("tsize", "0")]));
    assert_eq!(outside.expect_error(2), "no GRUB");
    outside.ask(&rrq("a.xml", &[]));
    assert_eq!(outside.expect_error(2), "not at the top");
    outside.ask(&rrq("phones/a.xml", &[]));
    outside.expect_error(1);
}

/// A class that the server does not know never matches, so it is refused.
#[test]
fn an_unknown_class_is_named() {
    let yaml = "policy: { authorize: [acl] }\nplugins: { acl: { component: \"builtin:acl\", settings: { deny: [{ classes: [uboot] }] } } }\n";
    let ran = Setup::new().rest_of_yaml(yaml).run_to_its_end();
    ran.assert_fails(64, &["`uboot`", "u-boot"]);
}

/// By what a lease says, and never by the name that a client asks for, unless the settings say so.
#[test]
fn rules_for_mac_addresses_believe_the_network() {
    let server = |sources: &str| {
        let setup = Setup::new().file("a", b"for some").file("01-00-0c-29-00-00-09", b"for some").rest_of_yaml(
            &format!(
                "facts: {{ leases: [{{ file: leases, format: dnsmasq }}] }}\npolicy: {{ authorize: [acl] }}\nplugins:\n  \
                 acl:\n    component: builtin:acl\n    settings:\n{sources}      deny:\n        - macs: [\"00:0c:29\"]\n          \
                 message: not for this manufacturer\n        - names: [a]\n          except-macs: [\"02:00:5e:10:00:01\"]\n          \
                 message: for one alone\n"
            ),
        );
        let leases = "0 00:0c:29:01:02:03 127.0.0.3 a *\n0 02:00:5e:10:00:01 127.0.0.4 b *\n";
        setup.outside().write("leases", leases.as_bytes());
        setup.start()
    };
    let ask = |server: &Server, address: [u8; 4], name: &str| {
        let mut peer = Peer::from(address, server.address());
        peer.ask(&rrq(name, &[]));
        peer.receive()
    };
    let served = Answer::Data(1, b"for some".to_vec());
    let denied = |message: &str| Answer::Error(2, message.to_owned());
    let by_network = server("");
    assert_eq!(ask(&by_network, [127, 0, 0, 3], "a"), denied("not for this manufacturer"));
    assert_eq!(by_network.outcome("a")["detail"], "deny rule 1");
    assert_eq!(ask(&by_network, [127, 0, 0, 4], "a"), served);
    assert_eq!(ask(&by_network, [127, 0, 0, 5], "a"), denied("for one alone"));
    let claim = "01-00-0c-29-00-00-09";
    assert_eq!(ask(&by_network, [127, 0, 0, 5], claim), served);
    let by_claim = server("      sources: [requested-name]\n");
    assert_eq!(ask(&by_claim, [127, 0, 0, 5], claim), denied("not for this manufacturer"));
    assert_eq!(ask(&by_claim, [127, 0, 0, 3], claim), denied("not for this manufacturer"));
}
