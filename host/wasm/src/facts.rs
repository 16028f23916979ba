//! The optional facts of a request: where it arrived, and the lease of its client. A plugin gets those that its
//! manifest names (`facts`); others cost nothing.

use super::wit_events::{Arrival, Lease};
use tuffet_config::Fact;
use tuffet_request::Request;

/// The optional facts of a plugin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Facts {
    local_address: bool,
    interface: bool,
    vlan: bool,
    lease: bool,
    /// Whether the plugin gets the values of a lease that identify a machine.
    machine: bool,
}

impl Facts {
    /// The facts that a manifest may name.
    pub const OPTIONAL: [Fact; 4] = [Fact::LocalAddress, Fact::Interface, Fact::Vlan, Fact::Lease];

    /// Returns the facts of a manifest. `client_mac`: whether the plugin may know the MAC addresses of clients.
    pub fn of(facts: &[Fact], client_mac: bool) -> Facts {
        let lease = facts.contains(&Fact::Lease);
        Facts {
            local_address: facts.contains(&Fact::LocalAddress),
            interface: facts.contains(&Fact::Interface),
            vlan: facts.contains(&Fact::Vlan),
            lease,
            machine: lease && client_mac,
        }
    }

    /// Whether a fact about the arrival is included.
    pub fn any_of_arrival(self) -> bool {
        self.local_address || self.interface || self.vlan
    }

    /// Returns where the request arrived, as a plugin with these facts sees it.
    pub fn arrival<'a>(self, request: &'a Request, texts: &'a FactTexts) -> Option<Arrival<'a>> {
        self.any_of_arrival().then(|| Arrival {
            address: texts.local_address.as_deref().filter(|_| self.local_address),
            interface_name: request.interface.as_deref().filter(|_| self.interface),
            vlan: request.vlan.filter(|_| self.vlan),
        })
    }

    /// Returns the lease of the client, as a plugin with these facts sees it.
    pub fn lease<'a>(self, request: &'a Request, texts: &'a FactTexts) -> Option<Lease<'a>> {
        let fact = request.lease.as_deref().filter(|_| self.lease)?;
        let lease = &fact.lease;
        fn if_visible(text: Option<&str>, visible: bool) -> Option<&str> {
            text.filter(|_| visible)
        }
        Some(Lease {
            mac: if_visible(texts.lease_mac.as_deref(), self.machine),
            client_id: if_visible(lease.client_id.as_deref(), self.machine),
            uuid: if_visible(lease.uuid.as_deref(), self.machine),
            hostname: lease.hostname.as_deref(),
            vendor_class: lease.vendor_class.as_deref(),
            architecture: lease.architecture,
            expires: lease.expires,
            age: fact.age.as_secs(),
        })
    }
}

/// The facts that must be formatted as text.
#[derive(Debug, Default)]
pub(super) struct FactTexts {
    local_address: Option<String>,
    lease_mac: Option<String>,
}

impl FactTexts {
    pub fn of(request: &Request) -> FactTexts {
        FactTexts {
            local_address: request.local_address.map(|address| address.to_canonical().to_string()),
            lease_mac: request.lease.as_deref().and_then(|fact| fact.mac()).map(|mac| mac.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::IpAddr;
    use std::time::Duration;
    use tuffet_request::LeaseFact;

    #[test]
    fn each_plugin_gets_the_facts_that_it_requests() {
        let request = Request {
            local_address: Some(IpAddr::from([192, 0, 2, 9])),
            interface: Some("eth0.100".into()),
            vlan: Some(100),
            ..Request::sample("a")
        };
        let texts = FactTexts::of(&request);
        let seen = |facts: &[Fact]| {
            let arrival = Facts::of(facts, true).arrival(&request, &texts);
            arrival.map(|arrival| (arrival.address, arrival.interface_name, arrival.vlan))
        };
        assert_eq!(seen(&[Fact::Path]), None);
        assert_eq!(seen(&[Fact::Path, Fact::LocalAddress]), Some((Some("192.0.2.9"), None, None)));
        assert_eq!(seen(&[Fact::Interface]), Some((None, Some("eth0.100"), None)));
        assert_eq!(seen(&[Fact::Vlan]), Some((None, None, Some(100))));
        assert_eq!(seen(&Facts::OPTIONAL), Some((Some("192.0.2.9"), Some("eth0.100"), Some(100))));
    }

    /// Values that identify a machine need a grant.
    #[test]
    fn a_lease_without_the_grant_names_no_machine() {
        let lease = tuffet_request::Lease {
            hostname: Some("kitchen".into()),
            client_id: Some("01:02".into()),
            expires: Some(7),
            vendor_class: Some("PXEClient".into()),
            architecture: Some(9),
            uuid: Some("00112233".into()),
            ..tuffet_request::Lease::default()
        };
        let lease = Some(Box::new(LeaseFact { lease, age: Duration::from_millis(2900) }));
        let request = Request { lease, ..Request::sample("a") };
        let texts = FactTexts::of(&request);
        let seen = |facts: &[Fact], client_mac| Facts::of(facts, client_mac).lease(&request, &texts);
        let Some(lease) = seen(&[Fact::Lease], false) else { unreachable!("it has one") };
        assert_eq!((lease.mac, lease.client_id, lease.uuid), (None, None, None));
        assert_eq!((lease.hostname, lease.vendor_class), (Some("kitchen"), Some("PXEClient")));
        assert_eq!((lease.architecture, lease.expires, lease.age), (Some(9), Some(7), 2));
        let granted = seen(&[Fact::Lease], true).map(|lease| (lease.client_id, lease.uuid));
        assert_eq!(granted, Some((Some("01:02"), Some("00112233"))));
        assert!(seen(&[Fact::Vlan], true).is_none());
    }
}
