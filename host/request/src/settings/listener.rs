//! An address on which the server receives requests.

use super::Ceilings;
use crate::{Protocol, TidPorts};
use std::net::SocketAddr;

/// An address on which the server receives requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listener {
    /// Its name for policy and logs; unique.
    pub name: String,
    /// The address; port 0 is any free one.
    pub address: SocketAddr,
    /// Whether `address`, which is `[::]`, stands for all addresses of IPv4, too.
    pub ipv4_too: bool,
    /// The only network interface that it serves; `None` for all.
    pub interface: Option<String>,
    /// Whether this host may not have the address yet.
    pub free_bind: bool,
    /// Whether the listening port also carries the transfers: for clients behind NAT, containers and load balancers.
    pub single_port: bool,
    /// The TID ports over all workers; `None` lets the server choose.
    pub tid_ports: Option<TidPorts>,
    /// What it serves, and how it negotiates, unless [`ServiceSettings::listeners`](super::ServiceSettings::listeners) says
    /// something else.
    pub rules: ListenerRules,
}

/// A listener of another protocol, as policy knows it: who speaks the protocol has its sockets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherListener {
    /// Its name for policy and logs; unique among all listeners.
    pub name: String,
    /// The protocol.
    pub protocol: Protocol,
    /// What it serves, unless [`ServiceSettings::listeners`](super::ServiceSettings::listeners) says something else. Of the
    /// ceilings, the rate alone counts.
    pub rules: ListenerRules,
}

/// What a listener serves, and how it negotiates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListenerRules {
    /// The negotiation settings for its clients.
    pub ceilings: Ceilings,
    /// The names of the roots that it serves; `None` for all.
    pub roots: Option<Vec<String>>,
}

impl Listener {
    /// Creates a listener with the defaults.
    pub fn at(name: &str, address: SocketAddr) -> Listener {
        Listener {
            name: name.into(),
            address,
            ipv4_too: false,
            interface: None,
            free_bind: false,
            single_port: false,
            tid_ports: None,
            rules: ListenerRules::default(),
        }
    }
}
