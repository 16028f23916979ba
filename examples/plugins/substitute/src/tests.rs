use tuffet_sdk::{Plugin, parse};

use crate::Substitute;
use crate::replace::{Replacement, replace};

fn replaced(text: &str, pairs: &[(&str, &str)]) -> String {
    let replacements: Vec<_> =
        pairs.iter().map(|(from, to)| Replacement { from: (*from).into(), to: (*to).into() }).collect();
    String::from_utf8(replace(text.as_bytes(), &replacements, 1 << 16).unwrap()).unwrap()
}

#[test]
fn names_are_replaced_as_a_whole() {
    let boot = |text: &str| replaced(text, &[("boot.hq", "NEW")]);
    for (text, expected) in [
        ("boot.hq", "NEW"),
        ("http://BOOT.hq/x", "http://NEW/x"),
        ("boot.hq:8080 (tftp,boot.hq)", "NEW:8080 (tftp,NEW)"),
        ("boot.hq. And boot.hq.", "NEW. And NEW."),
        (
            "netboot.hq a.boot.hq boot.hq.example boot.hq-2 boot.hqx",
            "netboot.hq a.boot.hq boot.hq.example boot.hq-2 boot.hqx",
        ),
    ] {
        assert_eq!(boot(text), expected);
    }
    let address = |text: &str| replaced(text, &[("10.0.0.1", "10.9.9.9")]);
    assert_eq!(
        address("10.0.0.1 10.0.0.10 110.0.0.1 10.0.0.1::a"),
        "10.9.9.9 10.0.0.10 110.0.0.1 10.9.9.9::a"
    );
    assert_eq!(replaced("[2001:db8::1] 2001:db8::1:2", &[("2001:db8::1", "::9")]), "[::9] 2001:db8::1:2");
}

#[test]
fn nothing_is_replaced_twice() {
    assert_eq!(replaced("a b", &[("a", "b"), ("b", "a")]), "b a");
    assert_eq!(replaced("a", &[("a", "a.a")]), "a.a");
}

#[test]
fn the_result_is_bounded_and_need_not_be_text() {
    let its = [Replacement { from: "a".into(), to: "longer".into() }];
    assert_eq!(replace(b"a a", &its, 13).unwrap(), b"longer longer");
    assert_eq!(replace(b"a a", &its, 12), None);
    assert_eq!(replace(b"\xff a\0", &its, 100).unwrap(), b"\xff longer\0");
}

#[test]
fn every_mistake_is_pointed_at() {
    let settings = r#"{ "root": "", "match": ["a["], "limit": 2000000, "sites": [
        { "clients": ["here"], "replace": { "http://a": "b", "a": "b c" } } ] }"#;
    let problems = parse(settings).and_then(Substitute::configure).err().unwrap();
    let pointers: Vec<_> = problems.into_vec().into_iter().map(|problem| problem.pointer).collect();
    let expected = [
        "/root",
        "/match/0",
        "/limit",
        "/sites/0/clients/0",
        "/sites/0/replace/a",
        "/sites/0/replace/http:~1~1a",
    ];
    assert_eq!(pointers, expected);
}
