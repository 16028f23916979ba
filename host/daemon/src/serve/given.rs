//! The sockets that were opened before this process began, by their use.

use super::ServeError;
use crate::systemd::Inherited;
use std::net::UdpSocket;
use std::os::unix::net::UnixListener;
use tuffet_config::{AdminAddress, Config};
use tuffet_observe::admin;

/// Sockets that are already bound.
pub(super) struct Given {
    /// For each listener of the configuration.
    pub(super) listeners: Vec<Vec<UdpSocket>>,
    pub(super) admin: Option<admin::Listener>,
    pub(super) control: Option<UnixListener>,
}

/// For each listener, how many sockets this process inherited. Takes them: they are closed again.
///
/// # Errors
/// What would keep a server from using them.
pub fn inherited(config: &Config) -> Result<Vec<usize>, ServeError> {
    let given = Given::of(config, Inherited::take()?)?;
    Ok(given.listeners.iter().map(Vec::len).collect())
}

impl Given {
    /// # Errors
    /// There is one that the configuration does not know.
    pub(super) fn of(config: &Config, mut inherited: Inherited) -> Result<Given, ServeError> {
        let listeners = inherited.listeners(&config.listeners)?;
        let admin = config.admin.as_ref().and_then(|admin| match &admin.address {
            AdminAddress::Tcp(address) => admin::Listener::inherit_tcp(inherited.tcp(*address)?),
            AdminAddress::Unix(path) => {
                let socket = inherited.unix(path)?;
                admin::Listener::inherit(socket, path, admin.token.is_some())
            }
        });
        let control = config.control.as_deref().and_then(|path| inherited.unix(path));
        let mut places: Vec<String> = config
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
        places.extend(config.admin.as_ref().map(|admin| format!("`admin` on {}", admin.address)));
        places.extend(config.control.as_ref().map(|path| format!("`control` on {}", path.display())));
        inherited.finish(&places)?;
        for (listener, sockets) in config.listeners.iter().zip(&listeners) {
            let (sockets, workers) = (sockets.len(), config.workers);
            if sockets > 0 {
                tracing::info!(
                    target: "tuffet::server::given",
                    listener = listener.name, sockets, "inherited; it is not bound again"
                );
            }
            if (1..workers).contains(&sockets) {
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
        Ok(Given { listeners, admin, control })
    }
}
