//! Listeners: their settings, and conflicts between two of them.

use super::*;

const ROOTS: &str = "roots: [{ name: boot, path: files }]\n";

fn complaints_of(listeners: &str, workers: u16) -> Vec<String> {
    Scene::new().complaints(format!("listeners:\n{listeners}workers: {workers}\n{ROOTS}"))
}

fn is_good(listeners: &str) {
    let loaded = Scene::new().load(&format!("listeners:\n{listeners}workers: 2\n{ROOTS}"));
    loaded.unwrap_or_else(|error| panic!("{listeners}: {error}"));
}

#[track_caller]
fn assert_complains(listeners: &str, parts: &[&str]) {
    let complaints = complaints_of(listeners, 2);
    assert_eq!(complaints.len(), 1, "{complaints:?}");
    for part in parts {
        assert!(complaints[0].contains(part), "{part:?} is missing in {}", complaints[0]);
    }
}

#[test]
fn a_range_of_tid_ports_has_room_for_each_worker_and_for_no_other_listener() {
    is_good("- { address: 127.0.0.1:69, tid-ports: 30000-30010 }\n");
    is_good("- { address: 127.0.0.1:69, tid-ports: 512 }\n");
    is_good(
        "- { address: 127.0.0.1:69, tid-ports: 30000-30001 }\n- { address: 127.0.0.2:69, tid-ports: 30000-30001 }\n",
    );
    is_good(
        "- { address: 0.0.0.0:69, tid-ports: 30000-30001 }\n- { address: \"[::]:69\", tid-ports: 30000-30001 }\n",
    );
    assert_complains(
        "- { address: 127.0.0.1:69, tid-ports: 30000-30000 }\n",
        &["30000-30000 has 1 ports for 2 workers", "lower `workers`"],
    );
    assert_complains(
        "- { name: one, address: 0.0.0.0:69, tid-ports: 30000-30010 }\n- { address: 127.0.0.1:70, tid-ports: 30010-30020 }\n",
        &["3:", "30010-30020 overlaps 30000-30010 of listener `one`"],
    );
    assert_complains(
        "- { address: 0.0.0.0:69, tid-ports: 30000-30010 }\n- { name: two, address: 127.0.0.1:30005 }\n",
        &["2:", "30000-30010 contains 30005, the port of listener `two`"],
    );
    assert_complains(
        "- { address: 0.0.0.0:30000, tid-ports: 30000-30010 }\n",
        &["contains 30000, the port of"],
    );
    for (written, advice) in [
        ("30010-30000", "runs backwards; write 30000-30010"),
        ("30000-70000", "port 70000 is out of range"),
        ("\"512\"", "write the number 512"),
        ("0", "0 is out of range"),
        ("16385", "give a whole number from 1 to 16384"),
        ("[1, 2]", "give a number of ports, or a range such as 30000-30063"),
        ("true", "give a number of ports, or a range such as 30000-30063"),
    ] {
        assert_complains(&format!("- {{ address: 127.0.0.1:69, tid-ports: {written} }}\n"), &[advice]);
    }
}

#[test]
fn interfaces_tell_listeners_with_one_address_apart() {
    is_good(
        "- { name: a, address: 0.0.0.0:69, interface: eth0 }\n- { name: b, address: 0.0.0.0:69, interface: eth1 }\n",
    );
    is_good(
        "- { name: a, address: 0.0.0.0:69, interface: eth0, tid-ports: 30000-30010 }\n\
             - { name: b, address: 0.0.0.0:69, interface: eth1, tid-ports: 30000-30010 }\n",
    );
    assert_complains(
        "- { name: a, address: 0.0.0.0:69, interface: eth0 }\n- { name: b, address: 0.0.0.0:69, interface: eth0 }\n",
        &["0.0.0.0:69 has two listeners; remove one"],
    );
    assert_complains(
        "- { name: a, address: 0.0.0.0:69, interface: eth0 }\n- { name: b, address: 0.0.0.0:69 }\n",
        &["the one without `interface` takes the requests of every interface"],
    );
    assert_complains(
        "- { address: 0.0.0.0:69, interface: \"eth0:1\" }\n",
        &["contains ':'", "ip -brief link"],
    );
    assert_complains("- { address: 0.0.0.0:69, interface: much-too-long-name }\n", &["has 18 bytes"]);
}

/// `[::]` serves IPv4, too, as with other servers, unless somebody else does.
#[test]
fn the_unspecified_address_has_both_families() {
    let ipv4_too = |listeners: &str| {
        let config = Scene::new().load(&format!("listeners:\n{listeners}{ROOTS}")).unwrap();
        config.settings.listeners.iter().map(|listener| listener.ipv4_too).collect::<Vec<_>>()
    };
    assert_eq!(ipv4_too("- { address: \"[::]:69\" }\n- { address: 0.0.0.0:70 }\n"), [true, false]);
    assert_eq!(ipv4_too("- { address: \"[::]:69\" }\n- { address: 192.0.2.1:69 }\n"), [false, false]);
    assert_eq!(ipv4_too("- { address: 0.0.0.0:69 }\n- { address: \"[::]:69\" }\n"), [false, false]);
    assert_eq!(ipv4_too("- { address: \"[::]:69\", ipv6-only: true }\n"), [false]);
    assert_eq!(ipv4_too("- { address: \"[::]:0\" }\n- { address: 0.0.0.0:0 }\n"), [true, false]);
    assert_eq!(
        ipv4_too(
            "- { address: \"[::]:69\", interface: eth0 }\n- { name: b, address: 0.0.0.0:69, interface: eth1 }\n"
        ),
        [true, false]
    );
    assert_complains(
        "- { address: 0.0.0.0:69 }\n- { address: \"[::]:69\", ipv6-only: false }\n",
        &["[::]:69 and 0.0.0.0:69 overlap", "`ipv6-only: true`"],
    );
    assert_complains(
        "- { address: 192.0.2.1:69, ipv6-only: true }\n",
        &["only the address `[::]` has both families", "remove it"],
    );
    assert_complains(
        "- { address: \"[::]:69\", tid-ports: 30000-30010 }\n- { name: two, address: 192.0.2.1:30005 }\n",
        &["contains 30005, the port of listener `two`"],
    );
}

#[test]
fn listeners_that_overlap() {
    let both = |one: &str, other: &str| format!("- {{ address: '{one}' }}\n- {{ address: '{other}' }}\n");
    for (one, other) in
        [("127.0.0.1:6969", "0.0.0.0:6969"), ("0.0.0.0:6969", "127.0.0.1:6969"), ("[::]:6969", "[::1]:6969")]
    {
        assert_complains(&both(one, other), &["overlap", "keep one of them"]);
    }
    for (one, other) in [
        ("127.0.0.1:6969", "127.0.0.2:6969"),
        ("127.0.0.1:6969", "0.0.0.0:6970"),
        ("0.0.0.0:6969", "[::]:6969"),
        ("127.0.0.1:0", "0.0.0.0:0"),
    ] {
        is_good(&both(one, other));
    }
}

#[test]
fn a_profile_names_networks_and_classes_that_exist() {
    let complaints = |profiles: &str| Scene::new().complaints(minimal(&format!("profiles: {profiles}\n")));
    for (profiles, advice) in [
        ("[{ clients: [10.0.0.1/8], burst: 1 }]", "3:24: `10.0.0.1/8` has bits beyond its prefix"),
        ("[{ clients: [lan] }]", "write it as 10.0.0.0/8"),
        ("[{ classes: [u-bot] }]", "unknown class `u-bot`; did you mean `u-boot`?"),
        ("[{ clients: [] }]", "the list is empty"),
        ("[{ max-blksize: 7 }]", "7 is out of range"),
        ("[{ max-blksize: most }]", "`most` is not a block size; give a number from 8 to 65464, or auto"),
        ("[{ max-blksize: \"1468\" }]", "write the number 1468, or auto"),
        ("[{ max-blksize: [1] }]", "give a number of bytes, or auto"),
        ("[{ rate: 1000 }]", "1000 is out of range; give 1KiB to 4GB"),
        ("[{ rate: fast }]", "`fast` is invalid; give a size in bytes"),
        ("[{ name: a, total-rate: 1000 }]", "1000 is out of range; give 1KiB to 4GB"),
        ("[{ total-rate: 1MB }]", "3:26: a profile with `total-rate` needs a `name`, by which metrics"),
        ("[{ name: a }, { name: b }, { name: a }]", "two profiles are named `a`; rename one"),
        ("[{ name: a b }]", "the name `a b` contains ' '"),
        ("[{ options: { blksize: no } }]", "did you mean"),
        ("[{ options: { multicast: refuse } }]", "unknown key `multicast`"),
        ("[{ retransmit: { initial: 2h } }]", "2h is out of range"),
        ("[{ retransmit: { first: 2s } }]", "unknown key `first`"),
        ("[{ retransmit: { initial: 2s, cap: 1s } }]", "`initial` (2s) is above `cap` (1s); lower one"),
        (
            "[{ retransmit: { initial: 5s } }]",
            "3:37: `initial` (5s) is above `cap` (4s); missing times come from `transfer.retransmit`",
        ),
        (
            "[{}, { retransmit: { give-up: 1s } }]",
            "`cap` (4s) is above `give-up` (1s); missing times come from",
        ),
    ] {
        let complaints = complaints(profiles);
        assert_eq!(complaints.len(), 1, "{profiles}: {complaints:?}");
        let fits = complaints[0].contains(advice)
            || advice == "did you mean" && complaints[0].contains("`acknowledge` and `refuse`");
        assert!(fits, "{profiles}: {complaints:?}");
    }
}

#[test]
fn a_reload_may_change_negotiation_but_no_socket() {
    let load = |listener: &str| {
        Scene::new()
            .load(&format!("listeners: [{{ name: lan, address: 127.0.0.1:69{listener} }}]\n{ROOTS}"))
            .unwrap()
    };
    let now = load("");
    for same in [
        ", burst: 3",
        ", rate: 1MB",
        ", max-blksize: auto",
        ", max-windowsize: 4",
        ", options: { tsize: refuse }",
        ", roots: [boot]",
        ", policy: { observe: [] }",
    ] {
        assert!(!now.needs_restart(&load(same)).contains(&"listeners"), "{same}");
    }
    for other in [", tid-ports: 9", ", interface: lo", ", free-bind: true", ", single-port: true"] {
        assert!(now.needs_restart(&load(other)).contains(&"listeners"), "{other}");
    }
}

#[test]
fn the_roots_of_a_listener_exist_and_are_not_private() {
    let roots = "roots: [{ name: boot, path: files }, { name: dhcp, path: dhcp, private: true }]\n";
    let complaints = |names: &str| {
        let yaml = format!("listeners: [{{ address: 127.0.0.1:69, roots: {names} }}]\n{roots}");
        Scene::new().complaints(yaml)
    };
    for (names, advice) in [
        ("[boot, bot]", "1:52: unknown root `bot`; did you mean `boot`? Known here: `boot`"),
        ("[dhcp]", "`dhcp` is a private root, from which no client gets anything"),
        ("[]", "the list is empty"),
        ("[boot, boot]", "is in the list twice"),
    ] {
        let complaints = complaints(names);
        assert!(complaints.len() == 1 && complaints[0].contains(advice), "{names}: {complaints:?}");
    }
}
