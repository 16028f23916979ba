//! The attributes of a request: facts that have no field of their own. docs/plugins.md has the register.
//!
//! A plugin names those that it wants in its manifest (`facts`). The others cost it nothing: each attribute is two texts
//! that are copied into its memory at each call.

use tuffet_config::Fact;
use tuffet_request::{Lease, LeaseFact, Request};

/// The facts that a plugin gets as attributes beside those that every plugin gets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Facts {
    local_address: bool,
    interface: bool,
    vlan: bool,
    lease: bool,
    /// What names a machine in the lease.
    machine: bool,
}

impl Facts {
    /// Those that a manifest may name.
    pub const OPTIONAL: [Fact; 4] = [Fact::LocalAddress, Fact::Interface, Fact::Vlan, Fact::Lease];

    /// `client_mac`: whether the plugin may know the MAC addresses of clients.
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

    /// Whether any of them says where a request arrived.
    pub fn any_of_arrival(self) -> bool {
        self.local_address || self.interface || self.vlan
    }

    /// The attributes of a request that a plugin with these facts gets, each made of its name and its value.
    pub fn of_request<'a, T>(
        self,
        request: &'a Request,
        texts: &'a Texts,
        pair: impl Fn(&'static str, &'a str) -> T,
    ) -> Vec<T> {
        let mut pairs = Vec::new();
        let mut add = |wanted: bool, name, value: Option<&'a str>| {
            pairs.extend(value.filter(|_| wanted).map(|value| pair(name, value)));
        };
        add(self.local_address, "local-address", texts.local_address.as_deref());
        add(true, "raw-name", request.raw_name.as_deref());
        add(self.interface, "interface", request.interface.as_deref());
        add(self.vlan, "vlan", texts.vlan.as_deref());
        if let (true, Some((fact, texts))) = (self.lease, request.lease.as_deref().zip(texts.lease.as_ref()))
        {
            let Lease { hostname, client_id, vendor_class, uuid, .. } = &fact.lease;
            add(self.machine, "lease-mac", texts.mac.as_deref());
            add(self.machine, "lease-client-id", client_id.as_deref());
            add(self.machine, "lease-uuid", uuid.as_deref());
            add(true, "lease-hostname", hostname.as_deref());
            add(true, "lease-vendor-class", vendor_class.as_deref());
            add(true, "lease-architecture", texts.architecture.as_deref());
            add(true, "lease-expires", texts.expires.as_deref());
            add(true, "lease-age", Some(&texts.age));
        }
        pairs
    }
}

/// The values that must be formatted first.
#[derive(Debug, Default)]
pub(super) struct Texts {
    local_address: Option<String>,
    vlan: Option<String>,
    lease: Option<LeaseTexts>,
}

#[derive(Debug)]
struct LeaseTexts {
    mac: Option<String>,
    architecture: Option<String>,
    expires: Option<String>,
    age: String,
}

impl Texts {
    pub fn of(request: &Request) -> Texts {
        let lease = |fact: &LeaseFact| LeaseTexts {
            mac: fact.mac().map(|mac| mac.to_string()),
            architecture: fact.lease.architecture.map(|number| number.to_string()),
            expires: fact.lease.expires.map(|seconds| seconds.to_string()),
            age: fact.age.as_secs().to_string(),
        };
        Texts {
            local_address: request.local_address.map(|address| address.to_canonical().to_string()),
            vlan: request.vlan.map(|id| id.to_string()),
            lease: request.lease.as_deref().map(lease),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::IpAddr;
    use std::time::Duration;

    fn names(request: &Request, facts: &[Fact], client_mac: bool) -> Vec<&'static str> {
        Facts::of(facts, client_mac).of_request(request, &Texts::of(request), |name, _| name)
    }

    #[test]
    fn each_plugin_gets_what_it_asked_for_and_raw_name() {
        let mut request = Request::sample("a");
        assert_eq!(names(&request, &Facts::OPTIONAL, true), [""; 0]);
        request.local_address = Some(IpAddr::from([192, 0, 2, 9]));
        request.interface = Some("eth0.100".into());
        request.vlan = Some(100);
        for raw_name in [None, Some("ff".into())] {
            request.raw_name = raw_name;
            let raw: &[&str] = if request.raw_name.is_some() { &["raw-name"] } else { &[] };
            assert_eq!(names(&request, &[], true), raw);
            assert_eq!(
                names(&request, &[Fact::Path, Fact::LocalAddress], true),
                [&["local-address"], raw].concat()
            );
            assert_eq!(names(&request, &[Fact::Interface], true), [raw, &["interface"]].concat());
            assert_eq!(names(&request, &[Fact::Vlan], true), [raw, &["vlan"]].concat());
            let all = [&["local-address"], raw, &["interface", "vlan"]].concat();
            assert_eq!(names(&request, &Facts::OPTIONAL, true), all);
        }
    }

    /// The operator grants what names a machine.
    #[test]
    fn a_lease_without_the_grant_names_no_machine() {
        let lease = Lease {
            hostname: Some("kitchen".into()),
            client_id: Some("01:02".into()),
            expires: Some(7),
            vendor_class: Some("PXEClient".into()),
            architecture: Some(7),
            uuid: Some("00112233".into()),
            ..Lease::default()
        };
        let mut request = Request::sample("a");
        request.lease = Some(Box::new(LeaseFact { lease, age: Duration::from_millis(2900) }));
        let rest =
            ["lease-hostname", "lease-vendor-class", "lease-architecture", "lease-expires", "lease-age"];
        assert_eq!(names(&request, &[Fact::Lease], false), rest);
        assert_eq!(
            names(&request, &[Fact::Lease], true),
            [&["lease-client-id", "lease-uuid"], &rest[..]].concat()
        );
        assert_eq!(names(&request, &[Fact::Vlan], true), [""; 0]);
        let texts = Texts::of(&request);
        let values = Facts::of(&[Fact::Lease], false).of_request(&request, &texts, |_, value| value);
        assert_eq!(values, ["kitchen", "PXEClient", "7", "7", "2"]);
    }
}
