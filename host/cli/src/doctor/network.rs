//! Checks the network interfaces of the listeners: their state and MTU.

use super::finding::{Finding, Grade};
use super::system::System;
use futures_util::TryStreamExt;
use netlink_packet_route::address::AddressAttribute;
use std::collections::BTreeSet;
use std::net::IpAddr;
use tuffet_config::Config;
use tuffet_request::settings::MaxBlksize;

/// The MTU of Ethernet.
const ETHERNET_MTU: u64 = 1500;

/// The headers of a block in bytes: IP, UDP, and four bytes of TFTP.
const HEADERS_V4: u64 = 32;
const HEADERS_V6: u64 = 52;

/// Returns one finding for each interface that reaches a listener.
pub(super) fn mtu(system: &System, config: &Config) -> Vec<Finding> {
    let addresses = addresses();
    let mut interfaces = BTreeSet::new();
    for listener in &config.settings.listeners {
        let ip = listener.address.ip();
        if let Some(name) = &listener.interface {
            interfaces.insert(name.clone());
        } else if ip.is_unspecified() {
            interfaces.extend(carrying(system));
        } else {
            let its = addresses.iter().filter(|(_, address)| *address == ip);
            interfaces.extend(its.filter_map(|(index, _)| name_of(system, *index)));
        }
    }
    let headers = match config.settings.listeners.iter().any(|listener| listener.address.is_ipv6()) {
        true => HEADERS_V6,
        false => HEADERS_V4,
    };
    let of = |name: &String| of(system, name, headers, config.settings.service.transfer.max_blksize);
    interfaces.iter().filter_map(of).chain(fragments(config)).collect()
}

/// Names the dependency of large blocks on reports of routers, if packets forbid fragments.
fn fragments(config: &Config) -> Option<Finding> {
    let forbidden = config.settings.transfer.dont_fragment
        && config.settings.listeners.iter().any(|its| its.address.is_ipv4());
    let says = "`transfer.dont-fragment: true`: a router with a smaller MTU than the interface drops large blocks, and \
                their clients get nothing if a firewall drops its reports (ICMP \"fragmentation needed\"); let them \
                pass, lower `transfer.max-blksize`, or remove the key";
    forbidden.then(|| Finding::new("fragments", Grade::CouldBeBetter, says))
}

/// Returns the interfaces with a carrier, except loopback.
fn carrying(system: &System) -> Vec<String> {
    let names = system.names("sys/class/net");
    let up = |name: &String| {
        name != "lo"
            && system.text(&format!("sys/class/net/{name}/operstate")).is_some_and(|state| state != "down")
    };
    names.into_iter().filter(up).collect()
}

fn of(system: &System, name: &str, headers: u64, max_blksize: MaxBlksize) -> Option<Finding> {
    let check = format!("interface {name}");
    let mtu = system.number(&format!("sys/class/net/{name}/mtu"))?;
    if system.text(&format!("sys/class/net/{name}/operstate")).is_some_and(|state| state == "down") {
        let says = "the interface is down, so no client reaches the listener through it";
        return Some(Finding::new(check, Grade::Wrong, says).fix(format!("ip link set dev {name} up")));
    }
    let whole = mtu.saturating_sub(headers);
    if mtu < ETHERNET_MTU && max_blksize != MaxBlksize::Auto {
        let says = format!(
            "MTU {mtu}: blocks of more than {whole} bytes are fragmented, those of boot firmware (1468) among them; \
             raise the MTU if the network allows it, else set `transfer: {{ max-blksize: auto }}`"
        );
        return Some(
            Finding::new(check, Grade::CouldBeBetter, says)
                .fix(format!("ip link set dev {name} mtu {ETHERNET_MTU}")),
        );
    }
    let beyond = if matches!(max_blksize, MaxBlksize::Bytes(most) if u64::from(most) > whole) {
        "; larger blocks, if clients request them, are fragmented"
    } else {
        ""
    };
    Some(Finding::good(check, format!("MTU {mtu}: blocks of up to {whole} bytes in one packet{beyond}")))
}

/// Returns the addresses of the interfaces by index; none if the kernel cannot be queried.
fn addresses() -> Vec<(u32, IpAddr)> {
    let Ok(runtime) = tuffet_daemon::control_runtime() else { return Vec::new() };
    runtime.block_on(async {
        let Ok((connection, handle, _)) = rtnetlink::new_connection() else { return Vec::new() };
        tokio::spawn(connection);
        let mut found = Vec::new();
        let mut messages = handle.address().get().execute();
        while let Ok(Some(message)) = messages.try_next().await {
            for attribute in &message.attributes {
                // The IPv4 address of a point-to-point interface is `Local`; otherwise both are the same.
                if let AddressAttribute::Local(ip) | AddressAttribute::Address(ip) = attribute {
                    found.push((message.header.index, *ip));
                }
            }
        }
        found
    })
}

fn name_of(system: &System, index: u32) -> Option<String> {
    let names = system.names("sys/class/net");
    names
        .into_iter()
        .find(|name| system.number(&format!("sys/class/net/{name}/ifindex")) == Some(u64::from(index)))
}

#[cfg(test)]
mod tests {
    use super::super::system::fake;
    use super::*;

    #[test]
    fn packets_smaller_than_usual_and_interfaces_that_are_down() {
        let (_folder, system) = fake(&[
            ("sys/class/net/lo/mtu", "65536"),
            ("sys/class/net/lo/operstate", "unknown"),
            ("sys/class/net/tun0/mtu", "1400"),
            ("sys/class/net/tun0/operstate", "unknown"),
            ("sys/class/net/eth0/mtu", "1500"),
            ("sys/class/net/eth0/operstate", "up"),
            ("sys/class/net/eth1/mtu", "1500"),
            ("sys/class/net/eth1/operstate", "down"),
        ]);
        assert_eq!(carrying(&system), ["eth0", "tun0"]);
        let found = of(&system, "tun0", HEADERS_V4, MaxBlksize::Bytes(65_464)).unwrap();
        assert_eq!(found.grade, Grade::CouldBeBetter);
        assert!(found.says.contains("max-blksize: auto"), "{}", found.says);
        assert_eq!(found.commands, ["ip link set dev tun0 mtu 1500"]);
        assert_eq!(of(&system, "eth1", HEADERS_V4, MaxBlksize::Bytes(1_468)).unwrap().grade, Grade::Wrong);
        let good = of(&system, "eth0", HEADERS_V4, MaxBlksize::Bytes(1_468)).unwrap();
        assert_eq!((good.grade, good.says.contains("fragments")), (Grade::Good, false));
        assert!(of(&system, "eth0", HEADERS_V6, MaxBlksize::Bytes(1_468)).unwrap().says.contains("1448"));
    }

    #[test]
    fn forbidden_fragments_are_named() {
        let found = |yaml: &str| {
            fragments(&Config::read(yaml.as_bytes(), "test", &tuffet_config::Overrides::default()).unwrap())
        };
        let listeners = |address: &str| {
            format!("listeners: [{{ address: \"{address}\" }}]\nroots: [{{ name: all, path: / }}]\n")
        };
        let forbidden = "transfer: { dont-fragment: true }\n";
        assert!(found(&listeners("192.0.2.1:69")).is_none());
        assert!(found(&(listeners("[::]:69") + forbidden)).is_none(), "IPv6 has no such bit");
        let finding = found(&(listeners("192.0.2.1:69") + forbidden)).unwrap();
        assert!(finding.says.contains("fragmentation needed"), "{}", finding.says);
    }

    #[test]
    fn loopback_has_its_address() {
        assert!(addresses().iter().any(|(_, address)| address.is_loopback()));
    }
}
