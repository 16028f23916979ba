//! atftpd, dnsmasq, and rules in YAML.

use super::*;
use tuffet_sdk::testing::put_file;
use tuffet_sdk::{Mac, MacAddresses, mac_source};

#[test]
fn atftpd_tries_the_requested_name_first() {
    let map = map("atftpd", "^ppx(.*) linux$1\n(\\w+?)\\.cfg\t$1$0/x\n.* never\n");
    for (name, expected) in [
        ("ppxa", "boot:ppxa boot:linuxa"),
        ("a/b.cfgc", "boot:a/b.cfgc boot:a/bb.cfg/xc"),
        ("other", "boot:other boot:never"),
        // atftpd finds no file of such a name, though Tuffet would.
        ("\\ppxa", "boot:never"),
        ("a\\b", "boot:never"),
        ("b/", "boot:never"),
        ("b/.", "boot:never"),
    ] {
        assert_eq!(read(&map, name), expected);
    }
    assert_eq!(answer(&map, &write("ppxa")), "-");
    // What is rewritten may lead nowhere.
    let nowhere = super::map("atftpd", "a$ ../x\nb$ /\n");
    assert_eq!((read(&nowhere, "a"), read(&nowhere, "b")), ("-".into(), "-".into()));
    assert!(read(&nowhere, "\\a").starts_with("! "));
    // A group that matched nothing cuts the name.
    let cuts = super::map("atftpd", "x(z)?y A$1B\n(a)|(b) [$1|$2]\n");
    for (name, expected) in [("pxyq", "pA"), ("pxzyq", "pAzBq"), ("cbc", "c["), ("cac", "c[a|")] {
        assert_eq!(read(&cuts, name), format!("boot:{name} boot:{expected}"));
    }
    for nothing in ["^a b", ""] {
        assert_eq!(read(&super::map("atftpd", nothing), "c"), "-", "{nothing}");
    }
}

fn from(name: &str, macs: MacAddresses) -> Request {
    let mut request = request(name);
    request.client.macs = Some(macs);
    request
}

#[test]
fn a_folder_of_the_client_is_all_it_has() {
    put_file("boot", "192.0.2.7/a", "");
    put_file("boot", "in/02-00-5e-10-00-0a/a", "");
    put_file("boot", "192.0.2.9", "");
    let by_address = remap(json!({ "root": "boot", "unique-root": "ip", "also-at": [{ "path": "/srv" }] }));
    assert_eq!(read(&by_address, "a"), "boot:192.0.2.7/a");
    assert_eq!(read(&by_address, "/missing"), "boot:192.0.2.7/missing");
    assert_eq!(read(&by_address, "/srv/192.0.2.7/a"), "boot:192.0.2.7/a");
    for other in ["192.0.2.8", "192.0.2.9"] {
        let mut request = request("a");
        request.client.address = other.into();
        assert_eq!(answer(&by_address, &request), "-", "{other}");
    }
    let by_mac = remap(json!({ "root": "boot", "unique-root": "mac", "prefix": "/in/" }));
    let mac = |source: &str| vec![Mac { address: "02:00:5e:10:00:0a".into(), source: source.into() }];
    let known = MacAddresses { network: mac(mac_source::NEIGHBOUR_TABLE), claimed: vec![] };
    assert_eq!(answer(&by_mac, &from("a", known)), "boot:in/02-00-5e-10-00-0a/a");
    // Anybody can request any name.
    let named = MacAddresses { network: vec![], claimed: mac(mac_source::REQUESTED_NAME) };
    assert_eq!(answer(&by_mac, &from("a", named)), "boot:in/a");
    assert_eq!(read(&by_mac, "a"), "boot:in/a");
}

#[test]
fn spelling() {
    let both = remap(json!({ "root": "boot", "lowercase": true, "backslashes": true, "rules": [
        { "match": "^boot/bcd$", "replace": "windows/\\0" },
    ] }));
    assert_eq!(read(&both, "Boot\\BCD"), "boot:windows/boot/bcd");
    assert_eq!(read(&both, "Other"), "boot:other");
    assert_eq!(read(&both, "other"), "-");
}

#[test]
fn rules_of_our_own() {
    let rules = remap(json!({ "root": "boot", "rules": [
        { "match": "^boot/(.*)", "replace": "\\1", "flags": ["ignore-case"] },
        { "unless": "\\.(cfg|bin)$", "deny": "no such kind: \\i", "flags": ["reads-only"] },
        { "match": "--", "replace": "-", "flags": ["repeat"] },
        { "match": "[aeiou]", "replace": "<\\U\\0\\E>", "flags": ["global"] },
        { "match": "^v4", "goto": "end", "flags": ["ipv4-only"] },
        { "match": "stop", "flags": ["stop"] },
        { "match": "^", "replace": "x/" },
        { "match": "Z", "replace": "boot/", "flags": ["restart"], "label": "end" },
    ] }));
    for (name, expected) in [
        ("BOOT/q.cfg", "boot:x/q.cfg"),
        ("q.txt", "! no such kind: 192.0.2.7"),
        ("q----.cfg", "boot:x/q-.cfg"),
        ("ae.cfg", "boot:x/<A><E>.cfg"),
        ("v4.cfg", "-"),
        ("Zv4.cfg", "boot:x/x/b<O><O>t/v4.cfg"),
    ] {
        assert_eq!(read(&rules, name), expected, "{name}");
    }
    assert_eq!(answer(&rules, &write("q.txt")), "boot:x/q.txt");
    let path =
        remap(json!({ "root": "boot", "name": "path", "rules": [{ "match": "^a/", "replace": "b/" }] }));
    assert_eq!(read(&path, "\\a\\c"), "boot:b/c");
    assert_eq!(read(&path, "/c"), "-");
}

#[test]
fn a_map_file_is_read_again() {
    put_file("maps", "tftpd.map", "r a b\n");
    let map = remap(json!({ "root": "boot", "map-file": { "root": "maps", "path": "tftpd.map" } }));
    assert_eq!(read(&map, "a"), "boot:b");
    let found = problems(json!({ "root": "boot", "map-file": { "root": "maps", "path": "other" } }));
    assert_eq!(found, ["/map-file: there is no file maps:other"]);
    put_file("maps", "tftpd.map", "r a b\nx y z\n");
    let found = problems(json!({ "root": "boot", "map-file": { "root": "maps", "path": "tftpd.map" } }));
    assert_eq!(
        found,
        [
            "/map-file: maps:tftpd.map, line 2: there is no operation `x`: a line is OPERATIONS EXPRESSION [REPLACEMENT]"
        ]
    );
}
