//! The addresses of listeners: whether this machine has them.
//!
//! Sockets are bound to an address that the machine does not have yet (IP_FREEBIND), and the kernel delivers to them once
//! it has it. So there is nothing to do but to report it.

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::sync::Arc;
use tuffet_engine::worker::{ListenerSpec, Missing};
use tuffet_request::settings::Listener;
use tuffet_udp::{interface_index, is_assigned};

/// The address of a listener.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressState {
    /// The name of the listener.
    pub listener: String,
    /// The address, with the port.
    pub address: SocketAddr,
    /// The state of the address.
    pub state: AddressStatus,
}

/// Whether this machine has the address of a listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AddressStatus {
    /// It does.
    Present,
    /// It has not had it so far.
    Absent,
    /// It has lost it.
    Gone,
    /// It has no IPv6, so the listener has no sockets.
    NoIpv6,
}

impl AddressState {
    /// Describes the problem; `None` without a problem.
    pub fn problem(&self) -> Option<String> {
        let AddressState { listener, address, state } = self;
        let ip = address.ip();
        match state {
            AddressStatus::Present => None,
            AddressStatus::Absent => Some(format!(
                "this machine does not have the address {ip} of listener `{listener}` yet; the listener serves as soon as \
                 it does"
            )),
            AddressStatus::Gone => {
                Some(format!("this machine no longer has the address {ip} of listener `{listener}`"))
            }
            AddressStatus::NoIpv6 => Some(format!(
                "this machine has no IPv6, so listener `{listener}` on {address} is not served; restart the server once \
                 it has"
            )),
        }
    }
}

/// The addresses of all listeners that are bound to one. Cheap to clone; clones share it.
#[derive(Debug, Clone, Default)]
pub struct Addresses(Arc<Mutex<Vec<WatchedAddress>>>);

#[derive(Debug)]
struct WatchedAddress {
    interface: Option<String>,
    /// Whether the machine has had it.
    was_there: bool,
    current: AddressState,
}

impl Addresses {
    /// Call it right after binding the sockets. `inherited`: whether the sockets of a listener were bound by another
    /// process, which decided about its address.
    pub fn of(
        listeners: &[Listener],
        bound: &[ListenerSpec],
        inherited: impl Fn(usize) -> bool,
    ) -> Addresses {
        let watched = listeners.iter().zip(bound).enumerate().filter_map(|(number, (listener, bound))| {
            let mut address = bound.address;
            address.set_port(if address.port() == 0 { listener.address.port() } else { address.port() });
            let state = match bound.missing {
                Some(Missing::Ipv6) => AddressStatus::NoIpv6,
                Some(Missing::Address) => AddressStatus::Absent,
                Some(Missing::Interface) | None => AddressStatus::Present,
            };
            let is_fixed = address.ip().is_unspecified() || address.ip().is_loopback();
            if state == AddressStatus::Present && (is_fixed || listener.free_bind || inherited(number)) {
                return None;
            }
            let current = AddressState { listener: listener.name.clone(), address, state };
            let was_there = bound.missing.is_none();
            let watched = WatchedAddress { interface: listener.interface.clone(), was_there, current };
            if state != AddressStatus::Present {
                watched.log();
            }
            Some(watched)
        });
        Addresses(Arc::new(Mutex::new(watched.collect())))
    }

    /// Returns the current states.
    pub fn states(&self) -> Vec<AddressState> {
        self.0.lock().iter().map(|watched| watched.current.clone()).collect()
    }

    /// Asks the kernel for each address, and logs each change.
    pub(super) fn look(&self) {
        self.check(|interface| interface_index(interface).ok().flatten().is_some(), is_assigned);
    }

    fn check(&self, exists: impl Fn(&str) -> bool, is_assigned: impl Fn(SocketAddr, Option<&str>) -> bool) {
        for watched in self.0.lock().iter_mut() {
            let interface = watched.interface.as_deref();
            // Without the interface, that is what is missing.
            if watched.current.state == AddressStatus::NoIpv6 || interface.is_some_and(|its| !exists(its)) {
                continue;
            }
            let next = match is_assigned(watched.current.address, interface) {
                true => AddressStatus::Present,
                false if watched.was_there => AddressStatus::Gone,
                false => AddressStatus::Absent,
            };
            watched.was_there |= next == AddressStatus::Present;
            if next != watched.current.state {
                watched.current.state = next;
                watched.log();
            }
        }
    }
}

impl WatchedAddress {
    /// Logs a problem, or its end.
    fn log(&self) {
        let AddressState { listener, address, .. } = &self.current;
        match self.current.problem() {
            Some(problem) => {
                tracing::warn!(target: "tuffet::interfaces", listener, %address, "{problem}");
            }
            None => tracing::info!(
                target: "tuffet::interfaces",
                listener, %address, "this machine has the address; the listener serves it"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_come_late_and_vanish() {
        let listener = |address: &str| Listener::at("lan", address.parse().unwrap());
        let settings = [listener("192.0.2.9:69"), listener("0.0.0.0:69"), listener("[2001:db8::1]:69")];
        let mut bound: Vec<ListenerSpec> =
            settings.iter().map(|listener| ListenerSpec::at(listener.address)).collect();
        bound[0].missing = Some(Missing::Address);
        bound[2].missing = Some(Missing::Ipv6);
        let addresses = Addresses::of(&settings, &bound, |_| false);
        let states = || addresses.states().iter().map(|its| its.state).collect::<Vec<_>>();
        let look = |there| addresses.check(|_| true, |_, _| there);
        assert_eq!(states(), [AddressStatus::Absent, AddressStatus::NoIpv6]);
        for (there, state) in [
            (false, AddressStatus::Absent),
            (true, AddressStatus::Present),
            (false, AddressStatus::Gone),
            (true, AddressStatus::Present),
        ] {
            look(there);
            assert_eq!(states(), [state, AddressStatus::NoIpv6]);
        }
        assert_eq!(addresses.states()[0].problem(), None);
        assert!(Addresses::of(&settings[1..2], &bound[1..2], |_| false).states().is_empty());
    }

    #[test]
    fn while_the_interface_is_missing_nothing_is_said_of_the_address() {
        let mut settings = Listener::at("lan", "192.0.2.9:69".parse().unwrap());
        settings.interface = Some("eth9".into());
        let bound = ListenerSpec { missing: Some(Missing::Interface), ..ListenerSpec::at(settings.address) };
        let addresses = Addresses::of(&[settings], &[bound], |_| false);
        addresses.check(|_| false, |_, _| false);
        assert_eq!(addresses.states()[0].state, AddressStatus::Present);
        addresses.check(|_| true, |_, _| false);
        assert_eq!(addresses.states()[0].state, AddressStatus::Absent);
    }
}
