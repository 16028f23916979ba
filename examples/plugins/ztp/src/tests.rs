use tuffet_sdk::{Plugin, parse};

use crate::Ztp;

#[test]
fn every_mistake_is_pointed_at() {
    let settings = r#"{ "root": "", "bootfiles": ["a["], "devices": {
        "a": { "maker": "cisco" },
        "b_c": { "maker": "arista", "address": "here", "mac": "00:11" , "file": "/x" },
        "access-sw1": { "maker": "cisco", "address": "192.0.2.1" },
        "access-sw2": { "maker": "netgear", "address": "192.0.2.2" },
        "x": { "maker": "arista", "mac": "00:1C:73:00:00:01" },
        "y": { "maker": "juniper", "mac": "00-1c-73-00-00-01" },
        "z": { "maker": "juniper", "address": "192.0.2.1" } } }"#;
    let problems = parse(settings).and_then(Ztp::configure).err().unwrap();
    let shown: Vec<_> =
        problems.into_vec().into_iter().map(|its| format!("{}: {}", its.pointer, its.message)).collect();
    let expected = [
        "/root: write",
        "/bootfiles/0: ",
        "/devices/a: write the `address`",
        "/devices/access-sw2: access-sw1 asks for access-s.cfg, too",
        "/devices/b_c: \"b_c\" is no host name",
        "/devices/b_c/address: ",
        "/devices/b_c/mac: ",
        "/devices/b_c/file: ",
        "/devices/y: x has the same MAC address",
        "/devices/z: access-sw1 has the same address",
    ];
    assert_eq!(shown.len(), expected.len(), "{shown:#?}");
    for (shown, expected) in shown.iter().zip(expected) {
        assert!(shown.starts_with(expected), "{shown:?} should start with {expected:?}");
    }
}
