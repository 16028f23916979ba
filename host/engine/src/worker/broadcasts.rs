//! The sockets of a listener that receive requests to the broadcast addresses of its network.
//!
//! A socket that is bound to an address receives no broadcasts. Recovery loaders and switches that configure themselves ask
//! nobody else. So a listener on an IPv4 address has further sockets, bound to the broadcast addresses. They only receive:
//! what arrives there is handled as if it had arrived at the listening socket, which sends all answers.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use tuffet_udp::{BindOptions, BroadcastNetwork, Socket, broadcast_networks};

/// A socket that receives broadcasts.
pub(super) struct BroadcastSocket {
    pub(super) socket: Socket,
    /// The addresses of this host that the listener answers for. Which one a broadcast is meant for depends on its
    /// sender: the kernel names the address that this host would send to it from.
    pub(super) answers_for: Box<[IpAddr]>,
}

/// Opens the sockets of the listener at `own` in one worker; none if it is in no network with broadcasts, unless its address
/// may come later. `listeners` has the addresses of all listeners.
///
/// An address that cannot be bound is left out: the listener serves everybody who knows its own one.
pub(super) fn open(
    own: SocketAddr,
    options: BindOptions<'_>,
    listeners: &[SocketAddr],
    networks: &[BroadcastNetwork],
) -> Vec<BroadcastSocket> {
    let addresses = addresses(own, options.free_bind, networks);
    let answers_for = answers_for(own, listeners, networks);
    // Other listeners may have addresses in the same network, and each network has the address of all (255.255.255.255).
    let options = BindOptions { shared: true, ..options };
    let bind = |address| Socket::bind((address, own.port()).into(), options).ok();
    let opened = addresses.into_iter().filter_map(bind);
    opened.map(|socket| BroadcastSocket { socket, answers_for: answers_for.clone() }).collect()
}

/// The number of sockets that [`open`] would open now in each worker that answers.
pub(super) fn count(own: SocketAddr, free_bind: bool) -> usize {
    addresses(own, free_bind, &broadcast_networks().unwrap_or_default()).len()
}

/// One worker answers a broadcast. In single-port mode only the kernel knows which of them gets the ACKs.
pub(super) fn answering_workers(single_port: bool, workers: usize) -> usize {
    if single_port { workers } else { 1 }
}

/// Returns the broadcast addresses of the listener at `own`.
fn addresses(own: SocketAddr, free_bind: bool, networks: &[BroadcastNetwork]) -> Vec<Ipv4Addr> {
    let mut addresses: Vec<Ipv4Addr> = Vec::new();
    for network in networks.iter().filter(|its| its.address == own.ip()) {
        addresses.extend(network.broadcasts.iter().chain([&Ipv4Addr::BROADCAST]));
    }
    if addresses.is_empty() && own.is_ipv4() && free_bind && !own.ip().is_unspecified() {
        // The address comes later, and only then the network that it is in is known.
        addresses.push(Ipv4Addr::BROADCAST);
    }
    addresses.sort_unstable();
    addresses.dedup();
    addresses
}

/// Returns the addresses of this host that the listener at `own` answers broadcasts for: its own one, and those in the same
/// network that no listener has. If several listeners are in that network, the first one answers for these.
fn answers_for(own: SocketAddr, listeners: &[SocketAddr], networks: &[BroadcastNetwork]) -> Box<[IpAddr]> {
    let is_at = |network: &BroadcastNetwork, listener: &SocketAddr| {
        listener.ip() == network.address && listener.port() == own.port()
    };
    let its = |network: &&BroadcastNetwork| is_at(network, &own);
    let neighbours = |network: &BroadcastNetwork| {
        let place = (network.first, network.interface.clone());
        networks.iter().filter(move |other| (other.first, &other.interface) == (place.0, &place.1))
    };
    let mut all = vec![own.ip()];
    for network in networks.iter().filter(its) {
        let first = listeners.iter().find(|listener| neighbours(network).any(|other| is_at(other, listener)));
        if first == Some(&own) {
            let free = neighbours(network).filter(|other| !listeners.iter().any(|its| is_at(other, its)));
            all.extend(free.map(|other| IpAddr::from(other.address)));
        }
    }
    all.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(interface: &str, last: u8) -> BroadcastNetwork {
        BroadcastNetwork {
            interface: interface.into(),
            address: [192, 0, 2, last].into(),
            first: [192, 0, 2, 0].into(),
            broadcasts: vec![[192, 0, 2, 255].into()],
        }
    }

    #[test]
    fn each_address_of_a_network_has_one_listener() {
        let networks = [network("lan", 1), network("lan", 5), network("lan", 9), network("dmz", 7)];
        let at = |last: u8, port: u16| SocketAddr::from(([192, 0, 2, last], port));
        let of = |own: SocketAddr, listeners: &[SocketAddr]| -> Vec<u8> {
            let all = answers_for(own, listeners, &networks);
            all.iter().map(|address| if let IpAddr::V4(v4) = address { v4.octets()[3] } else { 0 }).collect()
        };
        assert_eq!(of(at(1, 69), &[at(1, 69)]), [1, 5, 9]);
        assert_eq!(of(at(5, 69), &[at(5, 69)]), [5, 1, 9], "a further address of the interface");
        let two = [at(5, 69), at(1, 69), at(9, 6969), at(7, 69)];
        assert_eq!(of(at(5, 69), &two), [5, 9], "the first listener");
        assert_eq!(of(at(1, 69), &two), [1]);
        assert_eq!(of(at(9, 6969), &two), [9, 1, 5], "another port");
        assert_eq!(of(at(7, 69), &two), [7]);
        assert_eq!(of(at(77, 69), &[at(77, 69)]), [77], "an address that this host does not have");
    }
}
