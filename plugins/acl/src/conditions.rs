//! The conditions of a rule: a rule applies if all of them hold. A condition that is left out always holds.

use std::net::IpAddr;

use ipnet::IpNet;
use tuffet_sdk::{Glob, Operation, Problems, Protocol, Request};

use crate::certificate::CertificatePattern;
use crate::mac::{self, MacPrefix, Source};

#[derive(Debug, Default)]
pub(crate) struct Conditions {
    pub clients: Option<Vec<IpNet>>,
    /// Clients for whom the rule does not hold.
    pub except_clients: Vec<IpNet>,
    pub macs: Option<Vec<MacPrefix>>,
    /// As `except_clients`. A client without a known address is none of these.
    pub except_macs: Vec<MacPrefix>,
    /// Where `macs` and `except_macs` may be learnt.
    pub sources: Vec<Source>,
    pub classes: Option<Vec<String>>,
    pub operations: Option<Vec<Operation>>,
    pub names: Option<Vec<Glob>>,
    pub listeners: Option<Vec<String>>,
    pub protocols: Option<Vec<Protocol>>,
    pub certificates: Option<Vec<CertificatePattern>>,
    /// As `except_clients`. A client without a certificate is none of these.
    pub except_certificates: Vec<CertificatePattern>,
}

impl Conditions {
    /// `client` is the parsed address of the request.
    pub fn match_request(&self, request: &Request, client: IpAddr) -> bool {
        holds(&self.clients, |subnet| subnet.contains(&client))
            && !self.except_clients.iter().any(|subnet| subnet.contains(&client))
            && self.match_macs(request)
            && holds(&self.classes, |class| *class == request.client.class)
            && holds(&self.operations, |operation| *operation == request.operation)
            && holds(&self.names, |glob| request.matches(glob))
            && holds(&self.listeners, |listener| *listener == request.listener)
            && holds(&self.protocols, |protocol| *protocol == request.protocol())
            && holds(&self.certificates, |pattern| pattern.matches(request))
            && !self.except_certificates.iter().any(|pattern| pattern.matches(request))
    }
}

impl Conditions {
    fn match_macs(&self, request: &Request) -> bool {
        // Without such conditions the plugin need not know the addresses.
        let has = |prefixes: &[MacPrefix]| mac::has_any(request, prefixes, &self.sources);
        self.macs.as_deref().is_none_or(has) && (self.except_macs.is_empty() || !has(&self.except_macs))
    }
}

fn holds<T>(any_of: &Option<Vec<T>>, test: impl Fn(&T) -> bool) -> bool {
    any_of.as_ref().is_none_or(|list| list.iter().any(test))
}

/// Checks each entry of a list with `parse`, and that a list, if present, is not empty.
pub(crate) fn check_list<T>(
    problems: &mut Problems,
    pointer: &str,
    list: Option<Vec<String>>,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Option<Vec<T>> {
    let list = list?;
    check_not_empty(problems, pointer, &list);
    let entries = list.iter().enumerate();
    Some(entries.filter_map(|(i, entry)| problems.check(format!("{pointer}/{i}"), parse(entry))).collect())
}

pub(crate) fn check_not_empty<T>(problems: &mut Problems, pointer: &str, list: &[T]) {
    if list.is_empty() {
        problems
            .add(pointer, "an empty list matches nothing: fill it, or leave the key out to match everything");
    }
}

/// A subnet, or a bare address for a subnet of one.
pub(crate) fn parse_subnet(text: &str) -> Result<IpNet, String> {
    let Some(subnet) = text.parse().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from)) else {
        return Err(format!(
            "{text:?} is neither a subnet such as 192.0.2.0/24 or 2001:db8::/32 nor an IP address"
        ));
    };
    if subnet.addr() != subnet.network() {
        return Err(format!(
            "{text} has address bits behind the prefix: write {} for the subnet or {} for the one address",
            subnet.trunc(),
            subnet.addr()
        ));
    }
    if let IpNet::V6(v6) = subnet
        && let Some(v4) = v6.addr().to_ipv4_mapped()
    {
        return Err(format!("IPv4 clients are matched by IPv4 subnets: write {v4} with its IPv4 prefix"));
    }
    Ok(subnet)
}
