//! Decides which requests may join a multicast group (RFC 2090).

use std::collections::HashMap;
use std::sync::Arc;
use tuffet_request::settings::{Listener, Settings};
use tuffet_request::{Mode, Operation, Request, TidPorts};

/// The name of the option (RFC 2090).
const OPTION: &str = "multicast";

/// Which clients may join a group. Fixed at the start, like the sockets of groups.
#[derive(Debug, Clone, Default)]
pub(crate) struct GroupAdmission {
    /// The listeners with groups, and whether they serve clients with IPv4 and IPv6 addresses.
    listeners: Arc<HashMap<String, [bool; 2]>>,
}

impl GroupAdmission {
    pub(crate) fn of(settings: &Settings) -> GroupAdmission {
        let Some(multicast) = &settings.multicast else { return GroupAdmission::default() };
        let listeners = settings.listeners.iter().zip(&multicast.listeners);
        // The engine opens no group sockets for other listeners.
        let useful = |listener: &Listener| {
            !listener.single_port && !matches!(listener.tid_ports, Some(TidPorts::Range(_)))
        };
        let enabled = listeners.filter(|(listener, enabled)| **enabled && useful(listener));
        let enabled = enabled.map(|(it, _)| {
            (it.name.to_string(), [it.address.is_ipv4() || it.ipv4_too, it.address.is_ipv6()])
        });
        GroupAdmission { listeners: Arc::new(enabled.collect()) }
    }

    /// Returns whether a client requests a group.
    pub(crate) fn is_requested(request: &Request) -> bool {
        request.options.iter().any(|(name, _)| name == OPTION)
    }

    /// Returns whether a request may join a group: the client requests it, and the bytes on the wire are those of the
    /// file.
    pub(crate) fn admit(&self, request: &Request) -> bool {
        !self.listeners.is_empty()
            && request.operation == Operation::Read
            && request.mode == Mode::Octet
            // An inherited IPv6 socket may have IPv4 clients, which a group socket does not reach.
            && self
                .listeners
                .get(&*request.listener)
                .is_some_and(|families| families[usize::from(request.client.is_ipv6())])
            && GroupAdmission::is_requested(request)
    }
}
