//! The section `http`: the same files by HTTP and HTTPS.

use std::net::SocketAddr;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tuffet_request::Protocol;
use tuffet_request::settings::{Ceilings, ListenerRules, OtherListener};
use tuffet_request::units::{ByteCount, plain};

use super::address::{address_schema, name_schema, parse_address, path_schema};
use super::chains::ListenerChains;
use super::resolver::Resolver;
use super::tree::join;

const SECTION: &str = "/http";

/// The same files by HTTP and HTTPS, under the same policy, see [HTTP](http.md). Disabled without this section.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct WrittenHttp {
    /// The addresses on which the server takes requests by HTTP, or by HTTPS where they have `tls`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1))]
    pub listeners: Vec<WrittenHttpListener>,
    /// Concurrent connections of all clients together. At the limit, a new connection closes one that waits for a request, of
    /// the client with the most.
    #[schemars(range(min = 1, max = 65_536))]
    pub connections: usize,
    /// Concurrent connections of one client: an IPv4 address, or an IPv6 network of `limits.per-client.ipv6-prefix` bits.
    #[schemars(range(min = 1, max = 65_536))]
    pub connections_per_client: usize,
    /// The least bytes per second of a client, averaged over a minute in which it could read an answer or send a body. A
    /// slower one loses its connection. 0 disables it.
    #[serde(with = "plain")]
    #[schemars(with = "ByteCount", extend("x-minimum" = "0", "x-maximum" = "1GiB"))]
    pub least_rate: u64,
}

impl Default for WrittenHttp {
    fn default() -> Self {
        WrittenHttp { listeners: Vec::new(), connections: 1024, connections_per_client: 64, least_rate: 1024 }
    }
}

/// An address on which the server takes requests by HTTP.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct WrittenHttpListener {
    /// IP address and TCP port: `0.0.0.0:80`, `[::]:443`. `[::]` serves IPv4, too. Port 0 selects any free port. This machine
    /// need not have the address yet.
    #[schemars(schema_with = "address_schema")]
    pub address: String,
    /// The listener's name in plugins and logs; no listener of the section `listeners` has it. Default: `http:` or `https:`,
    /// and the address as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "name_schema")]
    pub name: Option<String>,
    /// Makes it a listener of HTTPS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<WrittenTls>,
    /// The most bytes per second of each transfer; see `transfer.rate`.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "plain")]
    #[schemars(with = "ByteCount", extend("x-minimum" = "1KiB", "x-maximum" = "4GB"))]
    pub rate: Option<u64>,
    /// The names of the roots that this listener serves, in the order of the section `roots`. Default: all roots that are not
    /// private.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>", length(min = 1), extend("uniqueItems" = true))]
    pub roots: Option<Vec<String>>,
    /// Chains of this listener instead of those of the section `policy`. A missing chain is that of `policy`; an empty
    /// list is an empty chain.
    #[serde(default)]
    pub policy: ListenerChains,
}

/// The files of a listener of HTTPS, as PEM. `tuffet reload` reads them again. TLS 1.2 and 1.3.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct WrittenTls {
    /// The certificate of the server, followed by those between it and its authority.
    #[schemars(schema_with = "path_schema")]
    pub certificate: PathBuf,
    /// The key of the certificate, not encrypted. The user that the server runs as must be able to read it at a reload.
    #[schemars(schema_with = "path_schema")]
    pub key: PathBuf,
    /// The authorities of clients. A client is then asked for a certificate; one with a certificate of another authority is
    /// refused, and one without may connect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "path_schema")]
    pub client_ca: Option<PathBuf>,
}

/// The section `http`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Http {
    /// The listeners, in the order of `Settings::other_listeners`, which have their names; at least one.
    pub listeners: Vec<HttpListener>,
    /// Concurrent connections of all clients.
    pub connections: usize,
    /// Concurrent connections of one client.
    pub connections_per_client: usize,
    /// The least rate of a client in bytes per second; 0: none.
    pub least_rate: u64,
}

/// A listener of HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpListener {
    /// Its name.
    pub name: String,
    /// The address; port 0 is any free one.
    pub address: SocketAddr,
    /// The files of HTTPS; `None` for HTTP.
    pub tls: Option<Tls>,
}

/// The files of a listener of HTTPS; absolute paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tls {
    /// The certificates.
    pub certificate: PathBuf,
    /// The key.
    pub key: PathBuf,
    /// The authorities of clients.
    pub client_ca: Option<PathBuf>,
}

/// What policy and the roots need of a listener, beside its place.
pub(crate) type PlacedListener = (String, OtherListener, ListenerChains);

impl Resolver<'_> {
    /// Returns the section, and its listeners with their places in the file.
    pub(crate) fn http(&mut self, written: WrittenHttp) -> (Http, Vec<PlacedListener>) {
        let WrittenHttp { listeners, connections, connections_per_client, least_rate } = written;
        if listeners.is_empty() {
            let message =
                "there is no listener; add `listeners: [{ address: 0.0.0.0:80 }]`, or remove `http`";
            self.wrong(SECTION, message);
        }
        let (mut all, mut placed): (Vec<HttpListener>, Vec<PlacedListener>) = (Vec::new(), Vec::new());
        for (index, written) in listeners.into_iter().enumerate() {
            let pointer = format!("{SECTION}/listeners/{index}");
            let address = match parse_address(&written.address) {
                Ok(address) => address,
                Err(complaint) => {
                    self.wrong(join(&pointer, "address"), complaint);
                    continue;
                }
            };
            if address.port() != 0 && all.iter().any(|other| other.address == address) {
                let message = format!("{address} has two listeners of HTTP; remove one");
                self.wrong(join(&pointer, "address"), message);
            }
            let tls = written.tls.map(|tls| Tls {
                certificate: self.absolute(&tls.certificate),
                key: self.absolute(&tls.key),
                client_ca: tls.client_ca.map(|path| self.absolute(&path)),
            });
            // A reload reads them again.
            let files =
                tls.iter().flat_map(|tls| [Some(&tls.certificate), Some(&tls.key), tls.client_ca.as_ref()]);
            self.files.extend(files.flatten().cloned());
            let scheme = if tls.is_some() { "https" } else { "http" };
            let name = written.name.unwrap_or_else(|| format!("{scheme}:{}", written.address));
            let rules = ListenerRules {
                ceilings: Ceilings { rate: written.rate, ..Ceilings::default() },
                roots: written.roots,
            };
            let listener = OtherListener { name: name.clone(), protocol: Protocol::Http, rules };
            placed.push((pointer, listener, written.policy));
            all.push(HttpListener { name, address, tls });
        }
        (Http { listeners: all, connections, connections_per_client, least_rate }, placed)
    }

    /// Refuses listeners of HTTP with the name of another one.
    pub(crate) fn own_names(&mut self, placed: &[PlacedListener], before: &[String]) {
        for (index, (pointer, listener, _)) in placed.iter().enumerate() {
            let others = placed[..index].iter().map(|(_, other, _)| &other.name);
            if others.chain(before).any(|other| *other == listener.name) {
                let message =
                    format!("two listeners are named `{}`; give each its own `name`", listener.name);
                self.wrong(join(pointer, "name"), message);
            }
        }
    }
}

impl Http {
    /// Whether the two differ in what cannot change while the server runs: sockets, names and limits.
    pub(crate) fn is_fixed_differently(now: Option<&Http>, next: Option<&Http>) -> bool {
        let fixed = |http: Option<&Http>| {
            http.map(|http| {
                let sockets = http.listeners.iter();
                let sockets: Vec<_> =
                    sockets.map(|its| (its.name.clone(), its.address, its.tls.is_some())).collect();
                (sockets, http.connections, http.connections_per_client, http.least_rate)
            })
        };
        fixed(now) != fixed(next)
    }
}
