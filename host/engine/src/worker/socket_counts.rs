//! The numbers of sockets of a worker, and the memory that they request.

use super::listener_spec::TID_BUFFER;
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

/// Sockets of one listener and family in one worker.
pub fn sockets_per_worker(single_port: bool, tid_ports: u16) -> u64 {
    1 + if single_port { 0 } else { u64::from(tid_ports) }
}

/// Requested size of all receive buffers of one listener and family in one worker, in bytes.
pub fn receive_buffers_per_worker(single_port: bool, tid_ports: u16) -> u64 {
    let tids = sockets_per_worker(single_port, tid_ports) - 1;
    KERNEL_BUFFER as u64 + tids * TID_BUFFER as u64
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
        assert_eq!((sockets_per_worker(true, 9), sockets_per_worker(false, 9)), (1, 10));
    }
}
