//! The section `listeners`.

use std::net::SocketAddr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::address::{address_schema, name_schema, parse_address};
use super::resolver::Resolver;
use super::tree::join;

/// An address on which the server receives requests.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct WrittenListener {
    /// IP address and UDP port: `0.0.0.0:69`, `[::]:69`. Port 0 selects any free port. Host names are not
    /// resolved.
    #[schemars(schema_with = "address_schema")]
    pub address: String,
    /// The listener's name in plugins and logs. Default: the address as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "name_schema")]
    pub name: Option<String>,
    /// Whether transfers use the listening port instead of TID ports: for clients behind NAT, containers and
    /// load balancers.
    #[serde(default)]
    pub single_port: bool,
    /// The number of TID ports, divided among the workers. The port that serves a transfer is all that its client
    /// proves its address with, so each further one makes forged ACKs less likely to hit it. Each takes a descriptor
    /// and 2.5 KiB of kernel memory. Default: 512; fewer if the process may open less than 4096 files, an eighth of
    /// these for all listeners.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u16", range(min = 1, max = 16384))]
    pub tid_ports: Option<u16>,
    /// The number of blocks of a window that the server sends to one client per millisecond, for clients that
    /// lose faster bursts. Default: the whole window at once; the server then paces a transfer by itself if
    /// it keeps losing blocks at the same place of its windows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u16", range(min = 1, max = 32767))]
    pub burst: Option<u16>,
}

/// A checked listener. None can change while the server runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listener {
    /// Its name for plugins and logs.
    pub name: String,
    /// The address; port 0 is any free one.
    pub address: SocketAddr,
    /// Whether the listening port carries the transfers too.
    pub single_port: bool,
    /// TID ports in all workers together, at least 1; without it, the server chooses.
    pub tid_ports: Option<u16>,
    /// Blocks of a window that go out to one client within a millisecond, at least 1; without it, all.
    pub burst: Option<u16>,
}

impl WrittenListener {
    /// A listener of the flag `--listen`.
    pub(crate) fn at(address: &str) -> WrittenListener {
        let address = address.into();
        WrittenListener { address, name: None, single_port: false, tid_ports: None, burst: None }
    }
}

impl Resolver<'_> {
    pub(crate) fn listeners(&mut self, written: Vec<WrittenListener>) -> Vec<Listener> {
        if written.is_empty() {
            let message = "there is no listener; add `listeners: [{ address: 127.0.0.1:6969 }]`, or give --listen IP:PORT";
            self.wrong("/listeners", message);
        }
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
            let name = written.name.unwrap_or(written.address);
            // Port 0 is a different free port each time.
            if address.port() != 0 && listeners.iter().any(|other| other.address == address) {
                let message = format!("{address} has two listeners; remove one");
                self.wrong(join(&pointer, "address"), message);
            } else if listeners.iter().any(|other| other.name == name) {
                let message = format!("two listeners are named `{name}`; give each a `name` of its own");
                self.wrong(join(&pointer, "name"), message);
            }
            let WrittenListener { single_port, tid_ports, burst, .. } = written;
            listeners.push(Listener { name, address, single_port, tid_ports, burst });
        }
        listeners
    }
}
