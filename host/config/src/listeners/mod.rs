//! The section `listeners`.

mod families;
mod overlap;
mod roots;
mod tid_ports;

use std::net::SocketAddr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tuffet_request::TidPorts;
use tuffet_request::settings::{self, Ceilings, ListenerRules, MaxBlksize, OptionRules};
use tuffet_request::units::{ByteCount, plain};

use super::address::{address_schema, interface_schema, name_schema, parse_address};
use super::chains::ListenerChains;
use super::resolver::Resolver;
use super::tree::join;
use families::Place;
use tid_ports::WrittenTidPorts;

/// An address on which the server receives requests.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct WrittenListener {
    /// IP address and UDP port: `0.0.0.0:69`, `[::]:69`. `[::]` serves IPv4, too; see `ipv6-only`. Port 0 selects any
    /// free port. Host names are not resolved. The server waits for an address that this machine does not have yet.
    #[schemars(schema_with = "address_schema")]
    pub address: String,
    /// The listener's name in plugins and logs. Default: the address as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "name_schema")]
    pub name: Option<String>,
    /// Whether the address `[::]` serves IPv6 alone. Default: it serves IPv4, too, unless another listener has an IPv4
    /// address with this port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ipv6_only: Option<bool>,
    /// The network interface that the listener is bound to (SO_BINDTODEVICE), such as `eth0`: with the address
    /// `0.0.0.0:69` or `[::]:69` it serves all addresses of the interface, also those that the interface gets
    /// later, and no other interface. Several listeners may have one address, each with another interface. The
    /// server waits for an interface that does not exist yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "interface_schema")]
    pub interface: Option<String>,
    /// Whether it is normal that this machine does not have the address, such as one that keepalived moves between
    /// machines. Then neither `start: all` nor readiness needs it. The server serves it whenever the machine has it.
    #[serde(default)]
    pub free_bind: bool,
    /// Whether transfers use the listening port instead of TID ports: for clients behind NAT, containers and
    /// load balancers.
    #[serde(default)]
    pub single_port: bool,
    /// The TID ports, divided among the workers: a number of ports that the kernel chooses, or a range such as
    /// `30000-30063`, for firewalls. At the start, the server skips ports of the range that are in use, and names them
    /// in a warning; each worker needs one. A client proves its address only by knowing the port of its transfer, so
    /// more ports make forged ACKs less likely to hit one. Each takes a descriptor and 2.5 KiB of kernel memory.
    /// Default: 512. If the process may open fewer than 4096 files, an eighth of these for all listeners.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "WrittenTidPorts")]
    pub tid_ports: Option<WrittenTidPorts>,
    /// The number of blocks of a window that the server sends to one client per millisecond, for clients that
    /// lose faster bursts. Default: the whole window at once; the server then paces a transfer by itself if
    /// it keeps losing blocks at the same place of its windows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u16", range(min = 1, max = 32767))]
    pub burst: Option<u16>,
    /// The most bytes of file data per second, for each transfer of this listener; instead of `transfer.rate`.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "plain")]
    #[schemars(with = "ByteCount", extend("x-minimum" = "1KiB", "x-maximum" = "4GB"))]
    pub rate: Option<u64>,
    /// The largest granted block size of this listener, in bytes, or `auto`; instead of `transfer.max-blksize`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "MaxBlksize")]
    pub max_blksize: Option<MaxBlksize>,
    /// The largest granted window of this listener, in blocks; instead of `transfer.max-windowsize`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u16", range(min = 1, max = 32767))]
    pub max_windowsize: Option<u16>,
    /// Which options the server acknowledges at this listener; missing options are as in `transfer.options`.
    #[serde(default)]
    pub options: OptionRules,
    /// The names of the roots that this listener serves, in the order of the section `roots`. No plugin can answer its
    /// clients with a file of another root. Default: all roots that are not private.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>", length(min = 1), extend("uniqueItems" = true))]
    pub roots: Option<Vec<String>>,
    /// Chains of this listener instead of those of the section `policy`. A missing chain is that of `policy`; an empty
    /// list is an empty chain.
    #[serde(default)]
    pub policy: ListenerChains,
}

/// A checked listener. Its sockets cannot change while the server runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listener {
    /// Its name for plugins and logs.
    pub name: String,
    /// The address; port 0 is any free one.
    pub address: SocketAddr,
    /// Whether `address`, which is `[::]`, stands for all addresses of IPv4, too.
    pub ipv4_too: bool,
    /// The only interface that it serves; `None` for all.
    pub interface: Option<String>,
    /// Whether this host may not have the address yet.
    pub free_bind: bool,
    /// Whether the listening port also carries the transfers.
    pub single_port: bool,
    /// The TID ports over all workers; `None` lets the server choose.
    pub tid_ports: Option<TidPorts>,
    /// The negotiation settings for its clients. A reload may change these and the following fields.
    pub ceilings: Ceilings,
    /// The roots that it serves; `None` for all.
    pub roots: Option<Vec<String>>,
    /// Its own chains.
    pub chains: ListenerChains,
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
            ceilings: Ceilings::default(),
            roots: None,
            chains: ListenerChains::default(),
        }
    }

    /// Returns it as the server takes it.
    pub(crate) fn settings(&self) -> settings::Listener {
        settings::Listener {
            name: self.name.clone(),
            address: self.address,
            ipv4_too: self.ipv4_too,
            interface: self.interface.clone(),
            free_bind: self.free_bind,
            single_port: self.single_port,
            tid_ports: self.tid_ports,
            rules: ListenerRules { ceilings: self.ceilings, roots: self.roots.clone() },
        }
    }

    fn has_sockets_of(&self, other: &Listener) -> bool {
        let Listener { name, address, ipv4_too, interface, free_bind, single_port, tid_ports, .. } = self;
        (name, address, interface) == (&other.name, &other.address, &other.interface)
            && *ipv4_too == other.ipv4_too
            && (free_bind, single_port, tid_ports) == (&other.free_bind, &other.single_port, &other.tid_ports)
    }
}

/// Returns whether the listeners differ in sockets or names, which cannot change while the server runs.
pub(crate) fn sockets_differ(now: &[Listener], next: &[Listener]) -> bool {
    now.len() != next.len() || !now.iter().zip(next).all(|(now, next)| now.has_sockets_of(next))
}

impl WrittenListener {
    /// Creates the listener for a flag `--listen`.
    pub(crate) fn at(address: &str) -> WrittenListener {
        let address = address.into();
        WrittenListener {
            address,
            name: None,
            ipv6_only: None,
            interface: None,
            free_bind: false,
            single_port: false,
            tid_ports: None,
            burst: None,
            rate: None,
            max_blksize: None,
            max_windowsize: None,
            options: OptionRules::default(),
            roots: None,
            policy: ListenerChains::default(),
        }
    }
}

impl Resolver<'_> {
    pub(crate) fn listeners(&mut self, written: Vec<WrittenListener>) -> Vec<Listener> {
        if written.is_empty() {
            let message = "there is no listener; add `listeners: [{ address: 127.0.0.1:6969 }]`, or give --listen IP:PORT";
            self.wrong("/listeners", message);
        }
        let places = written.iter().filter_map(Place::of).collect::<Vec<_>>();
        let mut listeners: Vec<Listener> = Vec::new();
        for (index, written) in written.into_iter().enumerate() {
            let pointer = format!("/listeners/{index}");
            let address = match parse_address(&written.address) {
                Ok(address) => address,
                Err(complaint) => {
                    self.wrong(join(&pointer, "address"), complaint);
                    continue;
                }
            };
            let ipv4_too = self.ipv4_too(&pointer, &written, &places);
            let WrittenListener { interface, free_bind, single_port, burst, rate, .. } = written;
            let WrittenListener { max_blksize, max_windowsize, options, roots, policy: chains, .. } = written;
            let ceilings = Ceilings { max_blksize, max_windowsize, burst, rate, options };
            let tid_ports = written.tid_ports.map(|WrittenTidPorts(ports)| ports);
            let name = written.name.unwrap_or(written.address);
            let listener = Listener {
                name,
                address,
                ipv4_too,
                interface,
                free_bind,
                single_port,
                tid_ports,
                ceilings,
                roots,
                chains,
            };
            self.no_overlap(&pointer, &listener, &listeners);
            listeners.push(listener);
        }
        listeners
    }
}
