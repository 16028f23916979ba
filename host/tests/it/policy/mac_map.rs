//! `builtin:mac-map`: the MAC address in the requested name chooses the file.

use crate::harness::{Answer, Client, Options, Peer, Server, Setup, assert_moved, each_client, rrq};

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

/// A client that the neighbour table does not contain, as behind a router: the DHCP server knows it.
#[test]
fn by_a_lease() {
    let settings = |leases: &str, grants: &str| {
        format!(
            r#"
policy: {{ resolve: [mac-map] }}
plugins:
  mac-map:
    component: builtin:mac-map
    grants: [client-mac, clock{grants}]
    settings: {{ root: boot, leases: [{leases}], rules: [{{ templates: ["phones/{{mac}}.cfg"] }}] }}
"#
        )
    };
    let dnsmasq = "{ root: boot, path: dhcp/dnsmasq, format: dnsmasq }";
    let kea = "{ root: boot, path: dhcp/kea.csv, format: kea }";
    let isc = "{ root: boot, path: dhcp/dhcpd.leases, format: isc }";
    let start = |yaml: &str| {
        Setup::new()
            .file("phones/02005e100001.cfg", b"one")
            .file("phones/02005e100002.cfg", b"two")
            .file("any.cfg", b"any")
            .file("dhcp/dnsmasq", b"4102444800 02:00:5e:10:00:01 127.0.0.1 one *\n")
            .file(
                "dhcp/kea.csv",
                b"address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state\n\
                  127.0.0.1,02:00:5e:10:00:02,,3600,4102444800,1,0,0,,0\n\
                  192.0.2.1,02:00:5e:10:00:01,,3600,4102444800,1,0,0,,0\n",
            )
            .file(
                "dhcp/dhcpd.leases",
                b"lease 127.0.0.1 {\n  ends 4 2100/01/01 00:00:00;\n  binding state active;\n  \
                  hardware ethernet 02:00:5e:10:00:02;\n}\n",
            )
            .file("dhcp/over", b"1000000000 02:00:5e:10:00:01 127.0.0.1 one *\n")
            .rest_of_yaml(yaml)
            .start()
    };
    let over = dnsmasq.replace("dhcp/dnsmasq", "dhcp/over");
    for (leases, grants, content, by) in [
        (dnsmasq, ", files/boot", "one", Some("mac-map")),
        (kea, ", files/boot", "two", Some("mac-map")),
        (isc, ", files/boot", "two", Some("mac-map")),
        (&over, ", files/boot", "any", None),
        (dnsmasq, "", "any", None),
    ] {
        let mut yaml = settings(leases, grants);
        if grants.is_empty() {
            // `builtin:mac-map` is refused: the server knows its settings.
            let file = format!("{:?}", tuffet_test_guests::component("mac-map"));
            yaml = yaml.replace("builtin:mac-map", &file);
        }
        let server = start(&yaml);
        let got = Client::Tuffet.get(server.address(), "any.cfg", Options::default());
        assert_eq!(String::from_utf8_lossy(&got), content, "{leases} {grants}");
        assert_eq!(server.outcome("any.cfg")["verdict_by"].as_str(), by);
        let refused = "the leases in boot:dhcp/dnsmasq cannot be read: the grant `files/boot`";
        assert_eq!(
            server.log().replace("\\\"", "\"").contains(refused),
            grants.is_empty(),
            "{}",
            server.log()
        );
    }
}

/// As many as at a large site, within the default limits of a plugin.
#[test]
fn many_leases() {
    let client = |number: usize| (format!("10.9.{}.{}", number / 250, number % 250), format!("{number:06x}"));
    let mac = |last: &str| format!("02:00:5e:{}:{}:{}", &last[..2], &last[2..4], &last[4..]);
    let dnsmasq = |number| {
        let (address, last) = client(number);
        format!("4102444800 {} {address} machine-{number} 01:{0}\n", mac(&last))
    };
    let kea = |number| {
        let (address, last) = client(number);
        format!("{address},{},01:02,3600,4102444800,1,0,0,machine-{number}.example.org,0,,0\n", mac(&last))
    };
    let isc = |number| {
        let (address, last) = client(number);
        format!(
            "lease {address} {{\n  starts 4 2026/01/01 00:00:00;\n  ends 4 2100/01/01 00:00:00;\n  \
             cltt 4 2026/01/01 00:00:00;\n  binding state active;\n  next binding state free;\n  \
             rewind binding state free;\n  hardware ethernet {};\n  uid \"\\001\\002\\000^\\020\\000\\001\";\n  \
             client-hostname \"machine-{number}\";\n}}\n",
            mac(&last)
        )
    };
    let head = "address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state,\
                user_context,pool_id\n";
    let all = |lease: &dyn Fn(usize) -> String, many| (0..many).map(lease).collect::<String>();
    let setup = Setup::new()
        .file("dnsmasq", all(&dnsmasq, 50_000).as_bytes())
        .file("kea", (head.to_owned() + &all(&kea, 50_000)).as_bytes())
        .file("isc", all(&isc, 25_000).as_bytes());
    let root = format!("dhcp={}", setup.root().0.display());
    for (format, last) in [("dnsmasq", 49_999), ("kea", 49_999), ("isc", 24_999)] {
        let settings = format!(
            "{{ root: boot, leases: [{{ root: dhcp, path: {format}, format: {format} }}], \
             rules: [{{ templates: [\"{{mac}}\"] }}] }}"
        );
        setup.outside().write("settings.yaml", settings.as_bytes());
        let settings = setup.outside().path("settings.yaml");
        let (address, mac) = client(last);
        let run = || -> u64 {
            let words = ["plugin", "run", "builtin:mac-map", "--path", "x", "--json", "--time", "60s"];
            let more = ["--root", &root, "--root", "boot=/", "--client", &address, "--settings"];
            let grants = ["--grant", "client-mac", "--grant", "clock", "--grant", "files/dhcp"];
            let words = [&words[..], &more, &[settings.to_str().unwrap()], &grants].concat();
            let ran = crate::harness::tuffet(words);
            ran.assert_good();
            let shown: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
            assert_eq!(shown["verdict"]["files"][0], format!("boot:02005e{mac}"), "{shown:#}");
            shown["cpu-us"].as_u64().unwrap()
        };
        // Within the memory limit of a server. The CPU time of a call grows with caches that others use, up to several
        // times on a busy machine, so it shows nothing here: `storms.rs` has the time limit of a server.
        println!("{format}: {} µs of CPU time", run());
    }
}

const PRIVATE: &str = r#"
roots:
  - { name: boot, path: root, writable: true }
  - { name: dhcp, path: dhcp, private: true }
policy: { resolve: [mac-map] }
plugins:
  mac-map:
    component: builtin:mac-map
    grants: [client-mac, files/dhcp]
    settings:
      root: boot
      leases: [{ root: dhcp, path: leases, format: dnsmasq }]
      rules: [{ match: "*.cfg", templates: ["phones/{mac}.cfg"] }]
"#;

/// Plugins read it; clients get nothing of it, whatever they request, nor can a plugin serve it.
#[test]
fn a_private_root_is_for_plugins_alone() {
    let start = |yaml: &str| {
        let setup = Setup::new().file("phones/02005e100001.cfg", b"one");
        setup.outside().write("dhcp/leases", b"0 02:00:5e:10:00:01 127.0.0.1 one *\n");
        setup.outside().write("dhcp/phones/02005e100001.cfg", b"secret");
        setup.yaml(yaml).start()
    };
    let server = start(PRIVATE);
    assert_eq!(Client::Tuffet.get(server.address(), "any.cfg", Options::default()), b"one");
    for name in ["leases", "dhcp/leases", "../dhcp/leases"] {
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq(name, &[]));
        assert!(matches!(peer.receive(), Answer::Error(..)), "{name} is served");
    }
    let server = start(&PRIVATE.replace("root: boot\n", "root: dhcp\n"));
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("any.cfg", &[]));
    peer.expect_error(0);
    server.outcome("any.cfg");
    server.wait_for_log("which is not configured, or private");
}

/// Plugins decide; they are not involved while blocks move.
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
