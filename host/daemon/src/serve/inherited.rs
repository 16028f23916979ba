//! Assigns the inherited sockets to their uses.

use super::ServeError;
use crate::systemd::Inherited;
use std::net::UdpSocket;
use std::os::unix::net::UnixListener;
use tuffet_config::{AdminAddress, Config};
use tuffet_observe::admin;

/// Inherited sockets, by use.
pub(super) struct AssignedSockets {
    /// For each listener of the configuration.
    pub(super) listeners: Vec<Vec<UdpSocket>>,
    pub(super) admin: Option<admin::Listener>,
    pub(super) control: Option<UnixListener>,
}

/// Returns the number of inherited sockets of each listener. Takes and closes them.
///
/// # Errors
/// A server could not use them.
pub fn count_inherited(config: &Config) -> Result<Vec<usize>, ServeError> {
    let sockets = AssignedSockets::of(config, Inherited::take()?)?;
    Ok(sockets.listeners.iter().map(Vec::len).collect())
}

impl AssignedSockets {
    /// # Errors
    /// The configuration has no use for one of them.
    pub(super) fn of(config: &Config, mut inherited: Inherited) -> Result<AssignedSockets, ServeError> {
        let listeners = inherited.listeners(&config.listeners)?;
        let admin = config.admin.as_ref().and_then(|admin| match &admin.address {
            AdminAddress::Tcp(address) => admin::Listener::inherit_tcp(inherited.tcp(*address)?),
            AdminAddress::Unix(path) => {
                let socket = inherited.unix(path)?;
                admin::Listener::inherit(socket, path, admin.token.is_some())
            }
        });
        let control = config.control.as_deref().and_then(|path| inherited.unix(path));
        let mut addresses: Vec<String> = config
            .listeners
            .iter()
            .map(|listener| {
                let interface = listener.interface.as_ref().map(|name| format!(" on {name}"));
                format!(
                    "listener `{}` on {}{}",
                    listener.name,
                    listener.address,
                    interface.unwrap_or_default()
                )
            })
            .collect();
        addresses.extend(config.admin.as_ref().map(|admin| format!("`admin` on {}", admin.address)));
        addresses.extend(config.control.as_ref().map(|path| format!("`control` on {}", path.display())));
        inherited.finish(&addresses)?;
        let is_ipv6 = |socket: &UdpSocket| socket.local_addr().is_ok_and(|address| address.is_ipv6());
        for (listener, its) in config.listeners.iter().zip(&listeners) {
            let (sockets, workers) = (its.len(), config.workers);
            if sockets > 0 {
                tracing::info!(
                    target: "tuffet::server::given",
                    listener = listener.name, sockets, "using inherited sockets"
                );
            }
            let families = [false, true].map(|ipv6| its.iter().filter(|its| is_ipv6(its) == ipv6).count());
            if sockets > 0 && listener.ipv4_too && families.contains(&0) {
                let (lacks, line) = if families[0] == 0 { ("IPv4", "0.0.0.0") } else { ("IPv6", "[::]") };
                tracing::warn!(
                    target: "tuffet::server::given",
                    listener = listener.name,
                    "there is no inherited socket for {lacks}, so the listener does not serve it; add \
                     `ListenDatagram={line}:{}` to the socket unit, or give the listener the address of one family \
                     (`ipv6-only: true`)",
                    listener.address.port()
                );
            }
            if families.iter().any(|sockets| (1..workers).contains(sockets)) {
                tracing::warn!(
                    target: "tuffet::server::given",
                    listener = listener.name,
                    sockets,
                    workers,
                    "there are fewer inherited sockets than workers, and workers without one are idle for \
                     this listener; set `ReusePort=yes` in the socket unit, and repeat its \
                     `ListenDatagram=` for each worker"
                );
            }
        }
        Ok(AssignedSockets { listeners, admin, control })
    }
}
