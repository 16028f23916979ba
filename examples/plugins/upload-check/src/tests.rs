use tuffet_sdk::{Plugin, parse};

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
    // The second is the point of order 1 with a wrong sign bit, which is no point.
    let settings = r#"{ "root": "", "list": "", "names": ["a["],
        "keys": ["?", "MCowBQYDK2VwAyEAAgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "AAAA"] }"#;
    let problems = parse(settings).and_then(UploadCheck::configure).err().unwrap();
    let pointers: Vec<_> = problems.into_vec().into_iter().map(|problem| problem.pointer).collect();
    assert_eq!(pointers, ["/root", "/list", "/keys/0", "/keys/1", "/keys/2", "/names/0"]);
}
