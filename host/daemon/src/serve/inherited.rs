//! Assigns the inherited sockets to their uses.

use super::ServeError;
use crate::privileges::Account;
use crate::socket_file::SocketFile;
use crate::systemd::Inherited;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::net::UnixListener;
use tuffet_config::{AdminAddress, Config};
use tuffet_engine::worker::BoundSockets;
use tuffet_observe::admin;

/// Inherited sockets, by use.
pub(super) struct AssignedSockets {
    /// For each listener of the configuration.
    pub(super) listeners: Vec<BoundSockets>,
    /// With its file, if that becomes this server's.
    pub(super) admin: Option<(admin::Listener, Option<SocketFile>)>,
    pub(super) control: Option<(UnixListener, Option<SocketFile>)>,
    /// For each listener of HTTP.
    pub(super) http: Vec<Option<TcpListener>>,
}

/// Returns the number of inherited sockets of each listener. Takes and closes them.
///
/// # Errors
/// A server could not use them.
pub fn count_inherited(config: &Config) -> Result<Vec<usize>, ServeError> {
    let sockets = AssignedSockets::of(config, Inherited::take()?)?;
    Ok(sockets.listeners.iter().map(|its| its.sockets.len()).collect())
}

impl AssignedSockets {
    /// # Errors
    /// The configuration has no use for one of them.
    pub(super) fn of(config: &Config, mut inherited: Inherited) -> Result<AssignedSockets, ServeError> {
        let listeners = inherited.listeners(&config.settings.listeners)?;
        let admin = config.admin.as_ref().and_then(|admin| match &admin.address {
            AdminAddress::Tcp(address) => admin::Listener::inherit_tcp(inherited.tcp(*address)?),
            AdminAddress::Unix(path) => {
                let socket = inherited.unix(path)?;
                admin::Listener::inherit(socket, path, admin.token.is_some())
            }
        });
        let admin = admin.map(|admin| (admin, None));
        let http_listeners = config.http.iter().flat_map(|http| &http.listeners);
        let http: Vec<_> = http_listeners.clone().map(|its| inherited.tcp(its.address)).collect();
        let control = config.control.as_deref().and_then(|path| Some((inherited.unix(path)?, None)));
        let mut addresses: Vec<String> = config
            .settings
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
        addresses
            .extend(http_listeners.map(|its| format!("listener `{}` of HTTP on {}", its.name, its.address)));
        addresses.extend(config.admin.as_ref().map(|admin| format!("`admin` on {}", admin.address)));
        addresses.extend(config.control.as_ref().map(|path| format!("`control` on {}", path.display())));
        inherited.finish(&addresses)?;
        let is_ipv6 = |socket: &UdpSocket| socket.local_addr().is_ok_and(|address| address.is_ipv6());
        for (listener, its) in config.settings.listeners.iter().zip(&listeners) {
            let (sockets, workers) = (its.len(), config.settings.workers);
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
        let bound = |sockets| BoundSockets { sockets, handed_over: false };
        let listeners = listeners.into_iter().map(bound).collect();
        Ok(AssignedSockets { listeners, admin, control, http })
    }

    /// Adds what another server hands over, for all that has no socket yet. Returns the positions of the sockets that are
    /// used.
    ///
    /// # Errors
    /// A socket receives both IPv4 and IPv6.
    pub(super) fn add_handed_over(
        &mut self,
        config: &Config,
        mut from: Inherited,
        account: Option<&Account>,
    ) -> Result<Vec<usize>, ServeError> {
        let all = from.positions();
        for (bound, sockets) in self.listeners.iter_mut().zip(from.listeners(&config.settings.listeners)?) {
            // The service manager passes the same sockets to each server.
            if bound.sockets.is_empty() && !sockets.is_empty() {
                *bound = BoundSockets { sockets, handed_over: true };
            }
        }
        let has_none: Vec<bool> = self.listeners.iter().map(|bound| bound.sockets.is_empty()).collect();
        let needs = |number| has_none.get(number).copied().unwrap_or_default();
        for (number, socket) in from.parked(&config.settings.listeners, needs) {
            if let Some(bound) = self.listeners.get_mut(number) {
                bound.sockets.push(socket);
                bound.handed_over = true;
            }
        }
        let file = |path| Some(SocketFile::taken_over(path, account));
        if self.admin.is_none() {
            self.admin = config.admin.as_ref().and_then(|admin| match &admin.address {
                AdminAddress::Tcp(address) => {
                    Some((admin::Listener::inherit_tcp(from.tcp(*address)?)?, None))
                }
                AdminAddress::Unix(path) => Some((admin::Listener::unix(from.unix(path)?, path), file(path))),
            });
        }
        if self.control.is_none() {
            self.control = config.control.as_deref().and_then(|path| Some((from.unix(path)?, file(path))));
        }
        for (socket, its) in self.http.iter_mut().zip(config.http.iter().flat_map(|http| &http.listeners)) {
            if socket.is_none() {
                *socket = from.tcp(its.address);
            }
        }
        let unused = from.positions();
        Ok(all.into_iter().filter(|position| !unused.contains(position)).collect())
    }
}
