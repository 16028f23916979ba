//! `netboot`: shim's files in the folder that it was loaded from, and GRUB's optional lists.

use super::{assert_explains, content, explain, not_found, write};
use crate::harness::{Answer, Peer, Server, Setup, ack, rrq};
use serde_json::json;

fn server(netboot: &str, rest: &str) -> Server {
    Setup::new()
        .file("EFI/debian/shimx64.efi", b"shim")
        .file("EFI/debian/grubx64.efi", b"grub")
        .file("EFI/debian/mmx64.efi", b"mok manager of debian")
        .file("mmx64.efi", b"mok manager")
        .file("grub/x86_64-efi/command.lst", b"commands")
        .yaml(&format!(
            "roots: [{{ name: boot, path: root, writable: true }}, {{ name: more, path: root/grub, case: insensitive }}]\n\
             {netboot}{rest}"
        ))
        .start()
}

/// As the client with this last number in its address.
fn read(server: &Server, client: u8, name: &str) -> Answer {
    let mut peer = Peer::from([127, 0, 3, client], server.address());
    peer.ask(&rrq(name, &[]));
    let answer = peer.receive();
    if let Answer::Data(1, _) = answer {
        peer.send(&ack(1));
    }
    answer
}

const SHIM: &str = "netboot: { shim-folder: true }\n";

#[test]
fn shim_finds_its_files_in_the_folder_that_it_was_loaded_from() {
    let server = server(SHIM, "");
    assert_eq!(read(&server, 1, "grubx64.efi"), not_found(), "nothing was loaded so far");
    assert_eq!(server.outcome("grubx64.efi")["tried"], json!(["boot:grubx64.efi", "more:grubx64.efi"]));
    assert_eq!(read(&server, 1, "/EFI/debian/shimx64.efi"), content(b"shim"));
    assert_eq!(read(&server, 1, "grubx64.efi"), content(b"grub"));
    let line = server.outcome("EFI/debian/grubx64.efi");
    assert_eq!(
        (&line["resolved"], &line["shim_folder"]),
        (&json!("boot:EFI/debian/grubx64.efi"), &json!("EFI/debian"))
    );
    assert_eq!(read(&server, 1, "\\grubx64.efi"), content(b"grub"));
    // The name itself comes first.
    assert_eq!(read(&server, 1, "mmx64.efi"), content(b"mok manager"));
    assert_eq!(server.outcome("mmx64.efi")["shim_folder"], json!(null));
    // Neither here nor there.
    assert_eq!(read(&server, 1, "revocations_sbat.efi"), not_found());
    let tried = [
        "boot:revocations_sbat.efi",
        "more:revocations_sbat.efi",
        "boot:EFI/debian/revocations_sbat.efi",
        "more:EFI/debian/revocations_sbat.efi",
    ];
    assert_eq!(server.outcome("revocations_sbat.efi")["tried"], json!(tried));
    // Other names, folders and clients.
    for (client, name) in [(1, "shimx64.efi"), (1, "x/grubx64.efi"), (2, "grubx64.efi")] {
        assert_eq!(read(&server, client, name), not_found(), "{name}");
    }
    assert_explains(
        &explain(&server, &["--client", "127.0.3.1", "grubx64.efi"]),
        0,
        &["path \"EFI/debian/grubx64.efi\"", "last folder of the client EFI/debian (netboot.shim-folder)"],
    );
    let explained = explain(&server, &["--client", "127.0.3.2", "grubx64.efi"]);
    assert_explains(&explained, 1, &["not-found"]);
    // A reload remembers.
    server.hang_up();
    server.logged("reloaded");
    assert_eq!(read(&server, 1, "grubx64.efi"), content(b"grub"));
}

#[test]
fn policy_judges_the_further_place() {
    let rest = r#"policy: { authorize: [acl] }
plugins:
  acl:
    component: builtin:acl
    settings: { deny: [{ names: ["EFI/debian/grub*"], message: "not for you" }] }
"#;
    let server = server(SHIM, rest);
    assert_eq!(read(&server, 1, "EFI/debian/shimx64.efi"), content(b"shim"));
    assert_eq!(read(&server, 1, "grubx64.efi"), Answer::Error(2, "not for you".into()));
    assert_eq!(server.outcome("EFI/debian/grubx64.efi")["verdict_by"], "acl");
}

#[test]
fn missing_lists_are_empty() {
    let server = server("netboot: { empty-lists: true }\n", "");
    for name in ["grub/x86_64-efi/fs.lst", "/grub/x86_64-efi/CRYPTO.LST", "none/terminal.lst"] {
        assert_eq!(read(&server, 1, name), content(b""), "{name}");
        let line = server.any_outcome();
        assert_eq!((&line["outcome"], &line["resolved"]), (&json!("served"), &json!("empty")), "{name}");
        assert_eq!(line["tried"].as_array().map(Vec::len), Some(2), "{line}");
    }
    assert_eq!(read(&server, 1, "grub/x86_64-efi/command.lst"), content(b"commands"));
    for name in ["grub/fs.lst.x", "grub/fslst"] {
        assert_eq!(read(&server, 1, name), not_found(), "{name}");
    }
    assert!(matches!(read(&server, 1, "../fs.lst"), Answer::Error(2, _)));
    assert_eq!(write(&server, "new.lst"), Answer::Ack(1));
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("fs.lst", &[("blksize", "1428")]));
    peer.expect(Answer::Oack("blksize=1428".into()));
    let explained = explain(&server, &["fs.lst"]);
    assert_explains(&explained, 0, &["boot:fs.lst: no such file", "granted: empty, 0 bytes"]);
}

#[test]
fn nothing_of_it_is_on_by_default() {
    let server = server("", "");
    assert_eq!(read(&server, 1, "EFI/debian/shimx64.efi"), content(b"shim"));
    for name in ["grubx64.efi", "grub/x86_64-efi/fs.lst"] {
        assert_eq!(read(&server, 1, name), not_found(), "{name}");
    }
}
