//! Encodes facts of a request: requests with equal facts have the same key.

use std::net::IpAddr;

use tuffet_request::settings::Fact;
use tuffet_request::{Lease, LeaseFact, MacSource, Mode, Operation, Request};

/// Encodes the facts, each with a fixed length or a length prefix, so that neighbours do not run together.
pub(super) fn key(facts: &[Fact], request: &Request) -> Vec<u8> {
    let mut key = Vec::with_capacity(64 + request.path.len());
    for fact in facts {
        match fact {
            Fact::Operation => key.push(match request.operation {
                Operation::Read => 0,
                Operation::Write => 1,
            }),
            Fact::Mode => key.push(match request.mode {
                Mode::Octet => 0,
                Mode::Netascii => 1,
            }),
            Fact::Listener => text(&mut key, &request.listener),
            Fact::Address => address(&mut key, Some(request.client.ip())),
            Fact::Port => key.extend_from_slice(&request.client.port().to_le_bytes()),
            Fact::Mac => {
                count(&mut key, request.macs.len());
                for mac in &request.macs {
                    key.push(match mac.source {
                        MacSource::NeighbourTable => 0,
                        MacSource::RequestedName => 1,
                        MacSource::LeaseFile => 2,
                    });
                    key.extend_from_slice(&mac.address.0);
                }
            }
            Fact::Class => text(&mut key, request.class.as_str()),
            Fact::Requested => {
                text(&mut key, &request.requested);
                // Different bytes may decode to the same name.
                text(&mut key, request.raw_name.as_deref().unwrap_or_default());
                key.push(request.any_case.into());
            }
            Fact::LocalAddress => address(&mut key, request.local_address),
            Fact::Interface => {
                key.push(request.interface.is_some().into());
                text(&mut key, request.interface.as_deref().unwrap_or_default());
            }
            Fact::Vlan => {
                key.push(request.vlan.is_some().into());
                key.extend_from_slice(&request.vlan.unwrap_or_default().to_le_bytes());
            }
            Fact::Labels => {
                let labels = request.calls.labels();
                count(&mut key, labels.len());
                for (plugin, label) in &labels {
                    text(&mut key, plugin);
                    text(&mut key, label.as_str());
                }
            }
            Fact::Lease => lease(&mut key, request.lease.as_deref()),
            Fact::Path => {
                text(&mut key, &request.path);
                key.push(request.unsafe_name.is_some().into());
                key.push(request.any_case.into());
            }
            Fact::Options => {
                count(&mut key, request.options.len());
                for (name, value) in &request.options {
                    text(&mut key, name);
                    text(&mut key, value);
                }
            }
        }
    }
    // Attributes that no fact stands for, of few requests.
    if let Some(protocol) = request.protocol.unless_tftp() {
        text(&mut key, protocol);
    }
    if let Some(certificate) = &request.certificate {
        text(&mut key, &certificate.sha256);
    }
    key
}

fn address(key: &mut Vec<u8>, address: Option<IpAddr>) {
    match address.map(|address| address.to_canonical()) {
        Some(IpAddr::V4(address)) => bytes(key, &address.octets()),
        Some(IpAddr::V6(address)) => bytes(key, &address.octets()),
        None => bytes(key, &[]),
    }
}

/// Encodes a lease without its age, which differs for each request.
fn lease(key: &mut Vec<u8>, fact: Option<&LeaseFact>) {
    key.push(fact.is_some().into());
    let Some(LeaseFact { lease, .. }) = fact else { return };
    let Lease { mac, hostname, client_id, expires, vendor_class, architecture, uuid } = lease;
    let mac = mac.map(|mac| mac.octets());
    bytes(key, mac.as_ref().map_or(&[], |octets| &octets[..]));
    for its in [hostname, client_id, vendor_class, uuid] {
        // None of them is empty.
        text(key, its.as_deref().unwrap_or_default());
    }
    key.extend_from_slice(&expires.unwrap_or(u64::MAX).to_le_bytes());
    key.push(architecture.is_some().into());
    key.extend_from_slice(&architecture.unwrap_or_default().to_le_bytes());
}

fn text(key: &mut Vec<u8>, text: &str) {
    bytes(key, text.as_bytes());
}

fn bytes(key: &mut Vec<u8>, bytes: &[u8]) {
    count(key, bytes.len());
    key.extend_from_slice(bytes);
}

fn count(key: &mut Vec<u8>, count: usize) {
    key.extend_from_slice(&(count as u64).to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tuffet_request::names::NameError;
    use tuffet_request::{Call, ClientClass, MacAddress, MacFact, MacSource, Mode, Operation};

    fn request() -> Request {
        Request { requested: "/a".into(), ..Request::sample("a") }
    }

    #[test]
    fn each_fact_tells_requests_apart_and_no_other_does() {
        let mac = MacFact { address: MacAddress([2; 6]), source: MacSource::RequestedName };
        let plain = ClientClass::guess(Operation::Read, "a", &[]);
        let lease = |lease| Some(Box::new(LeaseFact { lease, age: Duration::ZERO }));
        let labelled = |plugin, label: &str| {
            let request = request();
            request.calls.note(Call::labelling(plugin, label.parse().unwrap()));
            request
        };
        let hostname = Some("kitchen".to_owned());
        let changed = [
            (Fact::Operation, Request { operation: Operation::Write, ..request() }),
            (Fact::Mode, Request { mode: Mode::Netascii, ..request() }),
            (Fact::Listener, Request { listener: "wan".into(), ..request() }),
            (
                Fact::Address,
                Request { client: "192.0.2.2:2000".parse().unwrap_or(request().client), ..request() },
            ),
            (
                Fact::Port,
                Request { client: "192.0.2.1:2001".parse().unwrap_or(request().client), ..request() },
            ),
            (Fact::Mac, Request { macs: vec![mac], ..request() }),
            (Fact::Class, Request { class: plain, ..request() }),
            (Fact::Requested, Request { requested: "//a".into(), ..request() }),
            (Fact::Requested, Request { raw_name: Some("2fe9".into()), ..request() }),
            (Fact::Path, Request { path: "b".into(), ..request() }),
            (Fact::Path, Request { unsafe_name: Some(NameError::DriveLetter), ..request() }),
            (Fact::LocalAddress, Request { local_address: Some([192, 0, 2, 9].into()), ..request() }),
            (Fact::Interface, Request { interface: Some("eth0".into()), ..request() }),
            (Fact::Vlan, Request { vlan: Some(0), ..request() }),
            (Fact::Labels, labelled("a", "canary")),
            (Fact::Labels, labelled("b", "canary")),
            (Fact::Labels, labelled("a", "stable")),
            (Fact::Lease, Request { lease: lease(Lease::default()), ..request() }),
            (
                Fact::Lease,
                Request { lease: lease(Lease { expires: Some(7), ..Lease::default() }), ..request() },
            ),
            (Fact::Lease, Request { lease: lease(Lease { hostname, ..Lease::default() }), ..request() }),
            (Fact::Options, Request { options: vec![("blksize".into(), "8".into())], ..request() }),
        ];
        for (fact, _) in &changed {
            let facts = [*fact];
            for (other, changed) in &changed {
                let same = key(&facts, changed) == key(&facts, &request());
                assert_eq!(same, fact != other, "{fact:?} of a request with another {other:?}");
            }
        }
    }

    #[test]
    fn the_age_of_a_lease_tells_no_requests_apart() {
        let aged = |seconds| {
            let age = Duration::from_secs(seconds);
            let lease = Some(Box::new(LeaseFact { lease: Lease::default(), age }));
            key(&[Fact::Lease], &Request { lease, ..request() })
        };
        assert_eq!(aged(0), aged(1));
    }

    #[test]
    fn neighbouring_facts_do_not_run_together() {
        let facts = [Fact::Listener, Fact::Path];
        let one = Request { listener: "a".into(), path: "bc".into(), ..request() };
        let other = Request { listener: "ab".into(), path: "c".into(), ..request() };
        assert_ne!(key(&facts, &one), key(&facts, &other));
    }

    /// A plugin that judges names judges them in another way then.
    #[test]
    fn names_in_any_case_are_other_names() {
        for fact in [Fact::Path, Fact::Requested] {
            let any_case = Request { any_case: true, ..request() };
            assert_ne!(key(&[fact], &any_case), key(&[fact], &request()));
        }
    }
}
