//! Refuses listeners with conflicting ports.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use super::families::{addresses, are_apart};
use crate::resolver::Resolver;
use crate::tree::join;
use tuffet_request::TidPorts;
use tuffet_request::settings::Listener;

/// Returns whether a datagram might belong to both listeners: the addresses overlap, and no interface distinguishes
/// them.
fn share_datagrams(one: &Listener, other: &Listener) -> bool {
    let share = |one: IpAddr, other: IpAddr| {
        one.is_ipv4() == other.is_ipv4() && (one == other || one.is_unspecified() || other.is_unspecified())
    };
    !are_apart(one.interface.as_deref(), other.interface.as_deref())
        && addresses(one).any(|one| addresses(other).any(|other| share(one, other)))
}

fn unspecified(address: SocketAddr) -> IpAddr {
    if address.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() }
}

impl Resolver<'_> {
    /// Refuses a listener with the port or TID ports of an earlier one.
    pub(super) fn no_overlap(&mut self, pointer: &str, listener: &Listener, before: &[Listener]) {
        let address = listener.address;
        // Port 0 is a different free port each time.
        let has_its_port = |other: &&Listener| {
            address.port() != 0 && other.address.port() == address.port() && share_datagrams(other, listener)
        };
        if let Some(other) = before.iter().find(has_its_port) {
            let message = match (other.address == address, &listener.interface, &other.interface) {
                (true, Some(_), None) | (true, None, Some(_)) => format!(
                    "{address} has two listeners, and the one without `interface` takes the requests of every \
                     interface; give it an `interface`, too, or another port"
                ),
                (true, ..) => format!("{address} has two listeners; remove one"),
                (false, ..) if other.address.is_ipv4() != address.is_ipv4() => format!(
                    "{address} and {} overlap: `[::]` takes the requests to the IPv4 addresses of this machine, too; \
                     remove the IPv4 listener, or write `ipv6-only: true` for `[::]`",
                    other.address
                ),
                (false, ..) => format!(
                    "{address} and {} overlap: {} takes the requests to every address of this machine, and the \
                     second listener would find its port in use; keep one of them, or choose another port",
                    other.address,
                    SocketAddr::new(unspecified(address), address.port())
                ),
            };
            self.wrong(join(pointer, "address"), message);
        } else if before.iter().any(|other| other.name == listener.name) {
            let message = format!("two listeners are named `{}`; give each its own `name`", listener.name);
            self.wrong(join(pointer, "name"), message);
        }
    }

    /// Refuses ranges of TID ports that contain a port in use, or have too few ports for the workers.
    pub(crate) fn tid_ranges(&mut self, listeners: &[Listener], workers: usize) {
        for (index, listener) in listeners.iter().enumerate() {
            let Some(TidPorts::Range(range)) = listener.tid_ports.filter(|_| !listener.single_port) else {
                continue;
            };
            let pointer = format!("/listeners/{index}/tid-ports");
            let near = |other: &&Listener| share_datagrams(other, listener);
            if usize::from(range.count()) < workers {
                let message = format!(
                    "{range} has {} ports for {workers} workers, and each needs its own; widen the range, or \
                     lower `workers`",
                    range.count()
                );
                self.wrong(&pointer, message);
            }
            if let Some(other) =
                listeners.iter().filter(near).find(|other| range.contains(other.address.port()))
            {
                let (port, name) = (other.address.port(), &other.name);
                let message =
                    format!("{range} contains {port}, the port of listener `{name}`; choose ports beside it");
                self.wrong(&pointer, message);
            }
            let has_its_ports = |other: &&Listener| match other.tid_ports {
                Some(TidPorts::Range(its)) => !other.single_port && its.overlaps(range),
                _ => false,
            };
            if let Some(other) = listeners[..index].iter().filter(near).find(has_its_ports)
                && let Some(TidPorts::Range(its)) = other.tid_ports
            {
                let message = format!(
                    "{range} overlaps {its} of listener `{}`, and a port belongs to one of them; choose ranges without \
                     a common port",
                    other.name
                );
                self.wrong(&pointer, message);
            }
        }
    }
}
