//! The sockets and addresses of groups.

use super::super::opening::{ListenerSpec, OpenError, Share};
use super::super::sockets::Sockets;
use std::net::{Ipv4Addr, SocketAddr};
use tuffet_udp::{BindOptions, Socket};

/// Sockets of each listener. Each group has one of them, and several groups may share one.
const SOCKETS: usize = 8;

/// Opens the sockets of all groups. A listener gets none if its groups would be of no use: in single-port mode, over
/// IPv6, or with fixed TID ports, which all belong to the workers.
///
/// # Errors
/// The error, with the number of the listener.
pub fn open_group_sockets(
    listeners: &[ListenerSpec],
    enabled: impl Fn(usize) -> bool,
    ttl: u8,
) -> Result<Sockets, (usize, OpenError)> {
    let mut sockets = Sockets::new();
    for (number, listener) in listeners.iter().enumerate() {
        let mut tids = Vec::new();
        let usable = !listener.single_port && listener.address.is_ipv4() && listener.tid_range.is_none();
        if usable && enabled(number) {
            for _ in 0..SOCKETS {
                let opened = open(listener, ttl).map_err(|error| (number, error.into()))?;
                tids.push(opened);
            }
        }
        sockets
            .add_listener(Share { listening: Vec::new(), tids })
            .map_err(|error| (number, OpenError::from(error)))?;
    }
    Ok(sockets)
}

fn open(listener: &ListenerSpec, ttl: u8) -> std::io::Result<Socket> {
    let address = SocketAddr::new(listener.address.ip(), 0);
    let options = BindOptions {
        interface: listener.interface.as_deref(),
        free_bind: listener.free_bind,
        tell_local: address.ip().is_unspecified(),
        ..BindOptions::default()
    };
    let socket = Socket::bind(address, options)?;
    socket.set_multicast_ttl(ttl)?;
    Ok(socket)
}

/// The addresses that no group has.
pub(super) struct Pool {
    free: Vec<SocketAddr>,
}

impl Pool {
    /// Each address with each port. Consecutive groups differ in both: some clients receive all groups of a port.
    pub(super) fn new(addresses: &[Ipv4Addr], ports: &[u16]) -> Pool {
        let (many, each) = (addresses.len(), ports.len());
        let pair = |index: usize| {
            let address = index % many;
            SocketAddr::from((addresses[address], ports[(index / many + address) % each]))
        };
        Pool { free: (0..many * each).rev().map(pair).collect() }
    }

    pub(super) fn take(&mut self) -> Option<SocketAddr> {
        self.free.pop()
    }

    /// The address is used again last: late members of its group may still listen there.
    pub(super) fn give_back(&mut self, address: SocketAddr) {
        self.free.insert(0, address);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_address_and_port_is_handed_out_once() {
        let addresses: Vec<Ipv4Addr> = (0..4).map(|last| Ipv4Addr::new(239, 255, 0, last)).collect();
        let ports = [1758, 1759, 1760];
        let mut pool = Pool::new(&addresses, &ports);
        let all: Vec<SocketAddr> = std::iter::from_fn(|| pool.take()).collect();
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), 12);
        assert_eq!(all[0].to_string(), "239.255.0.0:1758");
        assert_eq!(all[1].to_string(), "239.255.0.1:1759");
        pool.give_back(all[3]);
        assert_eq!(pool.take(), Some(all[3]));
    }
}
