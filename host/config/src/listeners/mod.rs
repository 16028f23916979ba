//! The section `listeners`.

mod families;
mod overlap;

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use tuffet_request::key_order::place;
use tuffet_request::settings::{Ceilings, Listener, ListenerRules};
use tuffet_request::{RootSpec, TidPorts};

use super::address::{address_schema, interface_schema, name_schema, parse_address};
use super::chains::ListenerChains;
use super::resolver::Resolver;
use super::suggest::{closest, unknown};
use super::tree::join;
use families::Place;

/// An address on which the server receives requests.
// Not `Listener` itself: the name and `ipv6-only` follow from addresses, also those of other listeners.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(transform = by_topic)]
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
    #[schemars(with = "TidPorts")]
    pub tid_ports: Option<TidPorts>,
    /// The negotiation settings for its clients.
    #[serde(flatten)]
    pub ceilings: Ceilings,
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

/// Returns whether the listeners differ in sockets or names, which cannot change while the server runs.
pub(crate) fn sockets_differ(now: &[Listener], next: &[Listener]) -> bool {
    let sockets = |listeners: &[Listener]| -> Vec<Listener> {
        listeners.iter().map(|its| Listener { rules: ListenerRules::default(), ..its.clone() }).collect()
    };
    sockets(now) != sockets(next)
}

fn by_topic(schema: &mut Schema) {
    place(schema, "max-blksize", "rate");
    place(schema, "max-windowsize", "max-blksize");
    place(schema, "options", "max-windowsize");
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
            ceilings: Ceilings::default(),
            roots: None,
            policy: ListenerChains::default(),
        }
    }
}

impl Resolver<'_> {
    /// Returns the listeners, and the chains of each.
    pub(crate) fn listeners(
        &mut self,
        written: Vec<WrittenListener>,
    ) -> (Vec<Listener>, Vec<ListenerChains>) {
        if written.is_empty() {
            let message = "there is no listener; add `listeners: [{ address: 127.0.0.1:6969 }]`, or give --listen IP:PORT";
            self.wrong("/listeners", message);
        }
        let places = written.iter().filter_map(Place::of).collect::<Vec<_>>();
        let (mut listeners, mut chains) = (Vec::new(), Vec::new());
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
            let WrittenListener { interface, free_bind, single_port, tid_ports, ceilings, roots, .. } =
                written;
            let name = written.name.unwrap_or(written.address);
            let listener = Listener {
                name,
                address,
                ipv4_too,
                interface,
                free_bind,
                single_port,
                tid_ports,
                rules: ListenerRules { ceilings, roots },
            };
            self.no_overlap(&pointer, &listener, &listeners);
            listeners.push(listener);
            chains.push(written.policy);
        }
        (listeners, chains)
    }

    /// Refuses roots of the listener at this pointer that do not exist, or are private.
    pub(crate) fn roots_of_listener(&mut self, listener: &str, rules: &ListenerRules, roots: &[RootSpec]) {
        for (index, name) in rules.roots.iter().flatten().enumerate() {
            let pointer = format!("{listener}/roots/{index}");
            match roots.iter().find(|root| root.name == *name) {
                Some(root) if root.private => {
                    let message = format!(
                        "`{name}` is a private root, from which no client gets anything; remove it, or set \
                         `private: false`"
                    );
                    self.wrong(pointer, message);
                }
                Some(_) => {}
                None => {
                    let known = || roots.iter().filter(|root| !root.private).map(|root| root.name.as_str());
                    self.wrong(pointer, unknown("root", name, closest(name, known()), known()));
                }
            }
        }
    }
}
