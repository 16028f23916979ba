//! Hundreds of phones ask at once, with settings as they are by default.

use crate::harness::{Answer, Peer, Server, Setup, ack, rrq};
use std::fmt::Write;
use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};

/// Phones that ask at once.
const PHONES: usize = 300;
/// When a phone asks again that got no answer.
const AGAIN: Duration = Duration::from_secs(1);

/// Far more than a slow and busy machine needs for one of the phones: if none is answered any more, the test ends.
const PATIENCE: Duration = Duration::from_secs(60);

/// The address of a machine. All of 127/8 is this one.
pub(super) fn address(number: usize) -> Ipv4Addr {
    Ipv4Addr::from(0x7f01_0000 + number as u32)
}

fn mac(number: usize, between: &str) -> String {
    let [.., a, b, c] = (number as u32).to_be_bytes();
    [0x02, 0, 0x5e, a, b, c].map(|octet| format!("{octet:02x}")).join(between)
}

/// Each phone asks for its name at the same moment, and again whenever nothing comes for a second, as phones do. All
/// must get this content, and none an ERROR.
pub(super) fn storm(server: &Server, name: impl Fn(usize) -> String, content: impl Fn(usize) -> Vec<u8>) {
    let mut phones: Vec<_> = (0..PHONES)
        .map(|phone| {
            let peer = Peer::from(IpAddr::from(address(phone)), server.address());
            (phone, peer, rrq(&name(phone), &[]))
        })
        .collect();
    let (mut left, mut since) = (PHONES, Instant::now());
    while !phones.is_empty() {
        phones.iter_mut().for_each(|(_, peer, request)| peer.ask(request));
        let again = Instant::now() + AGAIN;
        phones.retain_mut(|(phone, peer, _)| {
            match peer
                .receive_within(again.saturating_duration_since(Instant::now()).max(Duration::from_millis(1)))
            {
                Some(Answer::Data(1, payload)) => {
                    assert_eq!(payload, content(*phone), "phone {phone}");
                    peer.send(&ack(1));
                    false
                }
                None => true,
                Some(other) => panic!("phone {phone} got {other:?}: {}", server.log()),
            }
        });
        if phones.len() < left {
            (left, since) = (phones.len(), Instant::now());
        }
        assert!(since.elapsed() < PATIENCE, "{} phones without an answer: {}", phones.len(), server.log());
    }
}

/// `machines` in the settings of the plugin.
fn static_devices(machines: usize) {
    let mut yaml = String::from(
        "policy: { resolve: [mac-map] }\nplugins:\n  mac-map:\n    component: builtin:mac-map\n    grants: [client-mac]\n    \
         settings:\n      root: boot\n      rules:\n      - match: \"SEP*\"\n        devices:\n",
    );
    for machine in 0..machines {
        let _ = writeln!(yaml, "          \"{}\": phones/{}.cfg", mac(machine, ":"), machine % PHONES);
    }
    let setup = (0..PHONES).fold(Setup::new(), |setup, phone| {
        setup.file(&format!("phones/{phone}.cfg"), phone.to_string().as_bytes())
    });
    let server = setup.rest_of_yaml(&yaml).start();
    let step = machines / PHONES.min(machines);
    let machine = |phone: usize| (phone * step) % machines;
    storm(
        &server,
        |phone| format!("SEP{}.cnf.xml", mac(machine(phone), "").to_uppercase()),
        |phone| (machine(phone) % PHONES).to_string().into_bytes(),
    );
}

#[test]
fn mac_map_with_100_devices() {
    static_devices(100);
}

#[test]
fn mac_map_with_8_000_devices() {
    static_devices(8_000);
}

#[test]
fn mac_map_with_100_000_devices() {
    static_devices(100_000);
}

fn dnsmasq(number: usize) -> String {
    let mac = mac(number, ":");
    format!("4102444800 {mac} {} machine-{number} 01:{mac}\n", address(number))
}

fn kea(number: usize) -> String {
    let (address, mac) = (address(number), mac(number, ":"));
    format!("{address},{mac},01:02,3600,4102444800,1,0,0,machine-{number}.example.org,0,,0\n")
}

fn isc(number: usize) -> String {
    format!(
        "lease {} {{\n  starts 4 2026/01/01 00:00:00;\n  ends 4 2100/01/01 00:00:00;\n  \
         cltt 4 2026/01/01 00:00:00;\n  binding state active;\n  next binding state free;\n  \
         rewind binding state free;\n  hardware ethernet {};\n  uid \"\\001\\002\\000^\\020\\000\\001\";\n  \
         client-hostname \"machine-{number}\";\n}}\n",
        address(number),
        mac(number, ":")
    )
}

/// A lease for each of so many machines, in a file that the plugin reads.
fn leases(format: &str, head: &str, lease: fn(usize) -> String) {
    for machines in [100, 8_000, 100_000] {
        let machines = machines.max(PHONES);
        let setup = (0..PHONES).fold(Setup::new(), |setup, phone| {
            setup.file(&format!("phones/{}.cfg", mac(phone, "")), phone.to_string().as_bytes())
        });
        // A build without optimisation copies a file into the memory of a plugin byte by byte, four times as long as the
        // plugin computes for it: on a busy machine the largest files take more than the default limits.
        let slow = cfg!(debug_assertions) && machines > 50_000;
        let (chain, limits) =
            if slow { (", time-limit: 10s", "limits: { time: 2s, wall: 5s }\n    ") } else { ("", "") };
        let content: String = std::iter::once(head.to_owned()).chain((0..machines).map(lease)).collect();
        let yaml = format!(
            "policy: {{ resolve: [mac-map]{chain} }}\nplugins:\n  mac-map:\n    component: builtin:mac-map\n    \
             grants: [client-mac, clock, files/boot]\n    {limits}settings: {{ root: boot, leases: [{{ root: boot, path: leases, \
             format: {format} }}], rules: [{{ match: any.cfg, templates: [\"phones/{{mac}}.cfg\"] }}] }}\n"
        );
        let server = setup.file("leases", content.as_bytes()).rest_of_yaml(&yaml).start();
        let phones = |phone: usize| phone.to_string().into_bytes();
        storm(&server, |_| "any.cfg".into(), phones);
        // The DHCP server writes it anew meanwhile.
        server.root().write("leases", (content + "\n").as_bytes());
        storm(&server, |_| "any.cfg".into(), phones);
    }
}

#[test]
fn mac_map_with_leases_of_dnsmasq() {
    leases("dnsmasq", "", dnsmasq);
}

#[test]
fn mac_map_with_leases_of_kea() {
    let head = "address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state,\
                user_context,pool_id\n";
    leases("kea", head, kea);
}

#[test]
fn mac_map_with_leases_of_isc_dhcpd() {
    leases("isc", "", isc);
}

/// A configuration for each of so many devices, rendered from an inventory.
fn template(machines: usize) {
    let mut inventory = String::from("defaults: { domain: example.org }\ndevices:\n");
    for machine in 0..machines {
        let _ = writeln!(
            inventory,
            "  phone-{machine}:\n    mac: \"{}\"\n    address: {}\n    vars: {{ extension: \"{machine}\" }}",
            mac(machine, ":"),
            address(machine)
        );
    }
    let server = Setup::new()
        .file("inventory.yaml", inventory.as_bytes())
        .file("phone.j2", b"{{ extension }}@{{ domain }}\n")
        .rest_of_yaml(
            "policy: { resolve: [template] }\nplugins:\n  template:\n    component: builtin:template\n    \
             grants: [client-mac, files/boot]\n    settings: { root: boot, inventory: inventory.yaml, rules: [{ match: \
             \"SEP*\", template: phone.j2 }] }\n",
        )
        .start();
    let step = machines / PHONES.min(machines);
    let machine = |phone: usize| (phone * step) % machines;
    storm(
        &server,
        |phone| format!("SEP{}.cnf.xml", mac(machine(phone), "").to_uppercase()),
        |phone| format!("{}@example.org\n", machine(phone)).into_bytes(),
    );
}

#[test]
fn template_with_100_devices() {
    template(100);
}

#[test]
fn template_with_8_000_devices() {
    template(8_000);
}

#[test]
fn template_with_100_000_devices() {
    template(100_000);
}
