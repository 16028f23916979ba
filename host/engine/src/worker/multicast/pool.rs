//! The sockets and addresses of groups.

use super::super::listener_spec::ListenerSpec;
use super::super::open_sockets::OpenError;
use super::super::sockets::{ListenerSockets, Sockets};
use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr};
use tuffet_udp::{BindOptions, Socket};

/// Sockets of each listener and family. Each group has one of them, and several groups may share one.
const SOCKETS: usize = 8;

/// Sockets of each family of a listener. It gets none if it cannot have groups: in single-port mode, or with fixed TID
/// ports, which all belong to the workers.
pub(in super::super) fn sockets_of(listener: &ListenerSpec) -> usize {
    if listener.single_port || listener.tid_range.is_some() { 0 } else { SOCKETS }
}

/// Opens the sockets of all groups.
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
        if enabled(number) {
            for address in listener.addresses() {
                for _ in 0..sockets_of(listener) {
                    let opened = open(listener, address, ttl).map_err(|error| (number, error.into()))?;
                    tids.push(opened);
                }
            }
        }
        sockets
            .add_listener(ListenerSockets { tids, ..ListenerSockets::default() })
            .map_err(|error| (number, OpenError::from(error)))?;
    }
    Ok(sockets)
}

fn open(listener: &ListenerSpec, mut address: SocketAddr, ttl: u8) -> std::io::Result<Socket> {
    address.set_port(0);
    let options = BindOptions { tell_local: address.ip().is_unspecified(), ..listener.place() };
    let socket = Socket::bind(address, options)?;
    socket.set_multicast_ttl(ttl)?;
    Ok(socket)
}

/// The free addresses of groups.
pub(super) struct Pool {
    v4: VecDeque<SocketAddr>,
    v6: VecDeque<SocketAddr>,
}

impl Pool {
    /// Combines each address with each port. Consecutive groups of a family differ in both: some clients receive all
    /// groups of a port.
    pub(super) fn new(addresses: &[IpAddr], ports: &[u16]) -> Pool {
        let (v4, v6): (Vec<IpAddr>, Vec<IpAddr>) = addresses.iter().partition(|address| address.is_ipv4());
        let [v4, v6] = [v4, v6].map(|addresses| {
            let (many, each) = (addresses.len(), ports.len());
            let pair = |index: usize| {
                let address = index % many;
                SocketAddr::from((addresses[address], ports[(index / many + address) % each]))
            };
            (0..many * each).map(pair).collect()
        });
        Pool { v4, v6 }
    }

    /// Takes an address of the same family as the client's.
    pub(super) fn take(&mut self, client: &SocketAddr) -> Option<SocketAddr> {
        self.of(client).pop_front()
    }

    /// Returns an address, which is reused last: late members of its group may still listen there.
    pub(super) fn give_back(&mut self, address: SocketAddr) {
        self.of(&address).push_back(address);
    }

    fn of(&mut self, address: &SocketAddr) -> &mut VecDeque<SocketAddr> {
        if address.is_ipv4() { &mut self.v4 } else { &mut self.v6 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::net::{Ipv4Addr, Ipv6Addr};

    #[test]
    fn each_address_and_port_is_handed_out_once() {
        let v4 = (0..4).map(|last| IpAddr::from(Ipv4Addr::new(239, 255, 0, last)));
        let v6 = (0..2).map(|last| IpAddr::from(Ipv6Addr::new(0xff15, 0, 0, 0, 0, 0, 0x8000, last)));
        let addresses: Vec<IpAddr> = v4.chain(v6).collect();
        let ports = [1758, 1759, 1760];
        let mut pool = Pool::new(&addresses, &ports);
        let client = SocketAddr::from(([192, 0, 2, 1], 1024));
        let all: Vec<SocketAddr> = std::iter::from_fn(|| pool.take(&client)).collect();
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), 12);
        assert_eq!(all[0].to_string(), "239.255.0.0:1758");
        assert_eq!(all[1].to_string(), "239.255.0.1:1759");
        pool.give_back(all[3]);
        assert_eq!(pool.take(&client), Some(all[3]));

        let client = SocketAddr::from((Ipv6Addr::LOCALHOST, 1024));
        let all: Vec<SocketAddr> = std::iter::from_fn(|| pool.take(&client)).collect();
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), 6);
        assert_eq!(all[0].to_string(), "[ff15::8000:0]:1758");
        assert_eq!(all[1].to_string(), "[ff15::8000:1]:1759");
        assert!(Pool::new(&[], &ports).take(&client).is_none());
    }
}
