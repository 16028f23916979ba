//! `also-at`: absolute names, as clients of a server without a root folder ask for them.

use super::{assert_explains, content, explain, not_found, read, write};
use crate::harness::{Answer, Server, Setup, assert_ended};

fn server() -> Server {
    let setup = Setup::new().file("kernel", b"of boot").file("secret/plan", b"the plan");
    let outside = setup.outside();
    outside.write("images/disk", b"of images");
    outside.write("images/kernel", b"of images");
    outside.write("incoming/.keep", b"");
    outside.write("last/kernel", b"of last");
    outside.write("last/only", b"of last");
    setup
        .yaml(
            r#"
roots:
  - { name: boot, path: root, also-at: [/tftpboot] }
  - { name: images, path: images, also-at: [/srv/images/, "/tftpboot/images"] }
  - { name: incoming, path: incoming, also-at: [/srv/in], writable: true }
  - { name: last, path: last, also-at: [/tftpboot] }
policy: { authorize: [acl] }
plugins:
  acl:
    component: builtin:acl
    settings: { deny: [{ names: ["secret/**"], message: "not for you" }] }
"#,
        )
        .start()
}

#[test]
fn absolute_names_below_a_prefix_lead_to_its_roots() {
    let server = server();
    for (name, found) in [
        ("/tftpboot/kernel", &b"of boot"[..]),
        ("\\tftpboot\\kernel", b"of boot"),
        ("//tftpboot//./kernel", b"of boot"),
        ("/tftpboot/only", b"of last"),
        ("/srv/images/kernel", b"of images"),
        // The longest prefix counts.
        ("/tftpboot/images/kernel", b"of images"),
        ("kernel", b"of boot"),
        ("/kernel", b"of boot"),
        ("/disk", b"of images"),
    ] {
        assert_eq!(read(&server, name), content(found), "{name}");
    }
    for name in [
        // Roots without the prefix do not count.
        "/tftpboot/disk",
        "/srv/images/only",
        "/tftpboot/images/only",
        // Whole parts, from the beginning, of an absolute name.
        "/tftpbootkernel",
        "/tftpboot-evil/kernel",
        "/x/tftpboot/kernel",
        "tftpboot/kernel",
        "/tftpboot",
        "/tftpboot/",
        "/tftpboot/tftpboot/kernel",
    ] {
        assert_eq!(read(&server, name), not_found(), "{name}");
    }
    for name in ["/tftpboot/../kernel", "/srv/images/../in/x", "/tftpboot/c\n"] {
        assert!(matches!(read(&server, name), Answer::Error(2, _)), "{name}");
    }
}

#[test]
fn rules_about_names_hold_below_a_prefix() {
    let server = server();
    for name in ["secret/plan", "/secret/plan", "/tftpboot/secret/plan", "\\tftpboot\\secret/plan"] {
        assert_eq!(read(&server, name), Answer::Error(2, "not for you".into()), "{name}");
        assert_ended(&server.outcome("secret/plan"), "denied", "");
    }
}

#[test]
fn uploads_go_to_the_root_with_the_prefix() {
    let server = server();
    assert_eq!(write(&server, "/srv/in/new"), Answer::Ack(1));
    assert_eq!(server.outside().read("incoming/new"), b"written");
    assert_eq!(server.outcome("new")["resolved"], "incoming:new");
    assert!(matches!(write(&server, "/tftpboot/new"), Answer::Error(2, _)), "no writable root has it");
}

#[test]
fn an_explanation_names_the_prefix() {
    let server = server();
    let explained = explain(&server, &["/tftpboot/images/kernel"]);
    assert_explains(&explained, 0, &["path \"kernel\" below /tftpboot/images (also-at)", "images:kernel"]);
    let explained = explain(&server, &["/tftpboot/disk"]);
    assert_explains(&explained, 1, &["boot:disk", "last:disk"]);
    assert_eq!(read(&server, "/tftpboot/none"), not_found());
    let line = server.outcome("none");
    assert_eq!(line["tried"], serde_json::json!(["boot:none", "last:none"]));
}
