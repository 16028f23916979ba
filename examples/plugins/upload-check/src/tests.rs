use tuffet_sdk::{Acceptance, Plugin, parse, testing};

use crate::UploadCheck;
use crate::list;

#[test]
fn lines_of_sha256sum() {
    let digest = "AB".repeat(32);
    let text = format!("# a comment\n\n{digest}  dist/sw.bin\r\n{digest} *other name\n");
    let entries = list::parse(text.as_bytes()).unwrap();
    assert_eq!(entries.iter().map(list::Entry::name).collect::<Vec<_>>(), ["sw.bin", "other name"]);
    for bad in [
        format!("{digest} one"),
        format!("{digest}  "),
        "short  x".into(),
        format!("{}g  x", "a".repeat(63)),
        "é".repeat(40),
    ] {
        assert_eq!(list::parse(format!("\n{bad}").as_bytes()), Err(2), "{bad}");
    }
    assert_eq!(list::parse(b"\xff"), Err(1));
}

#[test]
fn every_mistake_is_pointed_at() {
    let pointers = |settings: &str| {
        let problems = parse(settings).and_then(UploadCheck::configure).err().unwrap();
        problems.into_vec().into_iter().map(|problem| problem.pointer).collect::<Vec<_>>()
    };
    // The second is the point of order 1 with a wrong sign bit, which is no point.
    let settings = r#"{ "signed": { "root": "", "list": "", "names": ["a["],
        "keys": ["?", "MCowBQYDK2VwAyEAAgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "AAAA"] },
        "formats": [{ "names": [], "magic": ["7f", "7", "xx", "\u00e9"] }, { "names": ["*"], "magic": [] }] }"#;
    let expected = [
        "/formats/0/names",
        "/formats/0/magic/1",
        "/formats/0/magic/2",
        "/formats/0/magic/3",
        "/formats/1/magic",
        "/signed/root",
        "/signed/list",
        "/signed/keys/0",
        "/signed/keys/1",
        "/signed/keys/2",
        "/signed/names/0",
    ];
    assert_eq!(pointers(settings), expected);
    assert_eq!(pointers("{}"), [""]);
}

/// Decides about an upload with this content.
fn decide(plugin: &UploadCheck, path: &str, content: &[u8]) -> Acceptance {
    plugin.decide(&testing::upload("files", path, content))
}

#[test]
fn the_first_bytes_fit_the_name() {
    let settings = r#"{ "formats": [
        { "names": ["**/*.elf"], "magic": ["7f454c46"] },
        { "names": ["**/*.tar"], "offset": 257, "magic": ["7573746172"] },
        { "names": ["**/*.img"], "magic": ["d00dfeed", "27051956"] }] }"#;
    let plugin = parse(settings).and_then(UploadCheck::configure).unwrap();
    let tar = [vec![0; 257], b"ustar\0".to_vec()].concat();
    for (path, content) in [
        ("a/x.elf", &b"\x7fELF..."[..]),
        ("x.tar", &tar),
        ("x.img", b"\x27\x05\x19\x56"),
        ("x.img", b"\xd0\x0d\xfe\xed1"),
    ] {
        assert_eq!(decide(&plugin, path, content), Acceptance::Accept, "{path}");
    }
    for (path, content) in
        [("x.elf", &b"\x7fEL"[..]), ("x.tar", b"ustar"), ("x.img", b"<html>"), ("x.elf", b"")]
    {
        assert!(matches!(decide(&plugin, path, content), Acceptance::Deny(_)), "{path}");
    }
    assert_eq!(decide(&plugin, "x.txt", b"any"), Acceptance::Abstain);
}
