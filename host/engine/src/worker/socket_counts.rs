//! The numbers of sockets of listeners, and the memory that they request.

use super::listener_spec::{ListenerSpec, TID_BUFFER};
use super::{broadcasts, multicast};
use std::iter::Sum;
use tuffet_request::TidPorts;
use tuffet_udp::KERNEL_BUFFER;

/// TID ports of a listener over all workers, unless configured otherwise.
///
/// Only knowledge of the port proves a client's address: an attacker who forges ACKs has to guess it. Each
/// port is a descriptor and some 2.5 KiB of the kernel's memory.
const DEFAULT_TID_PORTS: u64 = 512;

/// One in this many of a process's descriptors may be TID ports by default: the rest is for files and
/// connections.
const DESCRIPTOR_FRACTION: u64 = 8;

/// The fewest TID ports of a listener in one worker.
const MIN_TID_PORTS: u64 = 4;

/// TID ports of each listener and family in one worker. `configured`: the configured number or range of the listener, for
/// all workers together; without it, the number depends on `descriptors`. A listener of both families counts twice in
/// `listeners`.
pub fn tid_ports(
    configured: Option<TidPorts>,
    listeners: usize,
    workers: usize,
    descriptors: Option<u64>,
) -> u16 {
    let all = match (configured, descriptors) {
        (Some(TidPorts::Count(count)), _) => u64::from(count),
        (Some(TidPorts::Range(range)), _) => u64::from(range.count()),
        (None, None) => DEFAULT_TID_PORTS,
        (None, Some(descriptors)) => {
            DEFAULT_TID_PORTS.min(descriptors / DESCRIPTOR_FRACTION / listeners.max(1) as u64)
        }
    };
    let each = all.div_ceil(workers.max(1) as u64);
    // An operator may configure fewer.
    let least = if configured.is_some() { 1 } else { MIN_TID_PORTS };
    each.clamp(least, u16::MAX.into()) as u16
}

/// UDP sockets, and what they take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SocketUse {
    /// Their number, each a descriptor.
    pub sockets: u64,
    /// How many of them receive requests, without those for broadcasts.
    pub listening: u64,
    /// The requested size of all their receive buffers, in bytes.
    pub receive_buffers: u64,
}

impl Sum for SocketUse {
    fn sum<I: Iterator<Item = SocketUse>>(all: I) -> SocketUse {
        all.fold(SocketUse::default(), |sum, one| SocketUse {
            sockets: sum.sockets + one.sockets,
            listening: sum.listening + one.listening,
            receive_buffers: sum.receive_buffers + one.receive_buffers,
        })
    }
}

/// The sockets of a listener in all workers, if it is opened now; `groups`: whether it has multicast groups. A range of TID
/// ports counts as if none of them were taken.
pub fn sockets_of(listener: &ListenerSpec, workers: usize, groups: bool) -> SocketUse {
    let families = listener.addresses().len();
    let tids = match listener.tid_range {
        _ if listener.single_port => 0,
        Some(range) => usize::from(range.count()),
        None => workers * usize::from(listener.tid_ports),
    };
    let broadcasts = match listener.is_parked() {
        true => 0,
        false => {
            let each = broadcasts::count(listener.address, listener.free_bind);
            each * broadcasts::answering_workers(listener.single_port, workers)
        }
    };
    let groups = if groups { families * multicast::sockets_of(listener) } else { 0 };
    // A listening port receives the requests of all clients, and a group has many clients.
    let (large, small) = (families * workers + groups, families * tids + broadcasts);
    SocketUse {
        sockets: (large + small) as u64,
        listening: (families * workers) as u64,
        receive_buffers: (large * KERNEL_BUFFER + small * TID_BUFFER) as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tid_ports_fit_the_descriptors_unless_they_are_given() {
        assert_eq!(tid_ports(None, 1, 2, None), 256);
        assert_eq!(tid_ports(None, 1, 2, Some(65_536)), 256);
        assert_eq!(tid_ports(None, 2, 2, Some(1_024)), 32);
        assert_eq!(tid_ports(None, 1, 1_000, Some(65_536)), 4);
        assert_eq!(tid_ports(Some(TidPorts::Count(1)), 1, 1, None), 1);
        assert_eq!(tid_ports(Some(TidPorts::Count(65_535)), 1, 2, Some(1_024)), 32_768);
        let range = Some(TidPorts::Range("30000-30010".parse().unwrap()));
        assert_eq!(tid_ports(range, 1, 4, Some(1_024)), 3);
    }

    #[test]
    fn the_sockets_of_each_kind_are_counted() {
        let at = |address: &str| ListenerSpec { tid_ports: 3, ..ListenerSpec::at(address.parse().unwrap()) };
        let count = |listener: &ListenerSpec, groups| sockets_of(listener, 2, groups).sockets;
        let plain = at("127.0.0.1:69");
        assert_eq!((count(&plain, false), count(&plain, true)), (8, 16));
        let buffers = 2 * KERNEL_BUFFER + 6 * TID_BUFFER;
        assert_eq!(sockets_of(&plain, 2, false).receive_buffers, buffers as u64);
        let single = ListenerSpec { single_port: true, ..plain.clone() };
        assert_eq!((count(&single, false), count(&single, true)), (2, 2));
        // The address comes later, and with it broadcasts.
        let later = |spec: ListenerSpec| ListenerSpec { free_bind: true, ..spec };
        assert_eq!((count(&later(plain.clone()), false), count(&later(single), false)), (9, 4));
        let range = ListenerSpec { tid_range: Some("30000-30004".parse().unwrap()), ..plain };
        assert_eq!((count(&range, false), count(&range, true)), (7, 7));
        let both = ListenerSpec { ipv4_too: true, ..at("[::]:69") };
        assert_eq!((count(&both, false), count(&both, true)), (16, 32));
        assert_eq!(count(&ListenerSpec { lacks_ipv6: true, ..both }, true), 16);
    }
}
