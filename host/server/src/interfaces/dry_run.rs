//! What listeners would wait for, without binding them: another server may have their ports.

use tuffet_engine::worker::Missing;
use tuffet_request::settings::Listener;
use tuffet_udp::{has_ipv6, interface_index, is_assigned};

/// Returns what a listener would wait for if it were bound now.
pub fn would_wait_for(listener: &Listener) -> Option<Missing> {
    let Listener { address, interface, .. } = listener;
    if address.is_ipv6() && !listener.ipv4_too && !has_ipv6() {
        return Some(Missing::Ipv6);
    }
    if let Some(interface) = interface
        && matches!(interface_index(interface), Ok(None))
    {
        return Some(Missing::Interface);
    }
    let is_there = listener.free_bind || address.ip().is_unspecified();
    (!is_there && !is_assigned(*address, interface.as_deref())).then_some(Missing::Address)
}

/// Describes what a listener waits for, to an operator.
pub fn describe(listener: &Listener, missing: Missing) -> String {
    let Listener { name, address, interface, .. } = listener;
    match (missing, interface) {
        (Missing::Interface, interface) => format!(
            "listener `{name}`: this machine has no interface `{}`; the server starts, and the listener serves as soon as \
             the interface exists",
            interface.as_deref().unwrap_or_default()
        ),
        (Missing::Address, _) => format!(
            "listener `{name}`: this machine does not have the address {}; the server starts, and the listener serves as \
             soon as it does",
            address.ip()
        ),
        (Missing::Ipv6, _) => format!(
            "listener `{name}`: this machine has no IPv6, so nothing is served on {address}; the server starts without it"
        ),
    }
}
