//! The resources that a server opens at its start and that may need a privilege: folders and sockets.
//!
//! The only thread opens them, so that privileges can be dropped for all later threads.

use super::control::Control;
use super::http::HttpSockets;
use super::inherited::AssignedSockets;
use super::predecessor::Predecessor;
use super::{ServeError, open_roots};
use crate::privileges::Account;
use crate::socket_file::{SocketFile, bind_file};
use crate::systemd::Inherited;
use std::io;
use std::path::Path;
use std::sync::Arc;
use tuffet_config::{AdminAddress, Config};
use tuffet_engine::worker::ListenerSpec;
use tuffet_observe::admin;
use tuffet_server::Server;
use tuffet_server::daemon::{BuilderParts, ServerParts, ServiceParts};
use tuffet_server::origins::{Origins, PendingOrigins};
use tuffet_store::Disks;

/// The resources opened before the first thread starts. Nothing is read from them yet.
pub(super) struct Opened {
    pub(super) server: Server,
    /// The listeners of HTTP.
    pub(super) http: HttpSockets,
    /// The clients of the roots' origins.
    pub(super) origins: Origins,
    /// Started once privileges are dropped.
    pub(super) next: PendingOrigins,
    /// With its file, unless inherited.
    pub(super) admin: Option<(admin::Listener, Option<SocketFile>)>,
    pub(super) control: Option<Control>,
    /// The server that hands over, until this one answers requests.
    pub(super) predecessor: Option<Predecessor>,
}

impl Opened {
    /// Opens all resources that the process did not inherit. New sockets in the file system belong to the account.
    ///
    /// # Errors
    /// The first resource that cannot be opened. A failed control socket is only a warning.
    ///
    /// A stopping server with the same control socket hands its sockets over; with `replace`, one that serves does so, too.
    pub(super) fn of(
        config: &Config,
        account: Option<&Account>,
        replace: bool,
    ) -> Result<Opened, ServeError> {
        let mut inherited = AssignedSockets::of(config, Inherited::take()?)?;
        let handed_over =
            config.control.as_deref().and_then(|control| Predecessor::find(control, replace, account));
        let predecessor = match handed_over {
            Some((mut predecessor, sockets)) => {
                predecessor.takes(inherited.add_handed_over(config, sockets, account)?);
                Some(predecessor)
            }
            None => None,
        };
        let disks = Disks::default();
        let origins = Origins::default();
        let next = origins.open(&config.origins)?;
        let roots = open_roots(config, &disks, None, &next)?;
        let server = Server::builder()
            .settings(config.settings.clone(), inherited.listeners)
            .open_roots(roots)
            .disks(disks)
            .state(Arc::new(origins.clone()))
            .bind()
            .map_err(|error| ServeError::build(config, error))?;
        warn_of_taken_ports(config, server.listeners());
        let http = HttpSockets::open(config, inherited.http)?;
        let admin = match (inherited.admin, &config.admin) {
            (None, Some(its)) => Some(
                bind_admin(&its.address, account)
                    .map_err(|error| ServeError::Admin { address: its.address.clone(), error })?,
            ),
            (inherited, _) => inherited,
        };
        let control = match inherited.control {
            Some((socket, file)) => Some(Control::inherit(socket, file)),
            None => config.control.as_deref().and_then(|path| bind_control(path, account)),
        };
        Ok(Opened { server, http, origins, next, admin, control, predecessor })
    }
}

/// Binds the admin listener; a socket in the file system belongs to this user.
fn bind_admin(
    address: &AdminAddress,
    account: Option<&Account>,
) -> io::Result<(admin::Listener, Option<SocketFile>)> {
    match address {
        AdminAddress::Tcp(address) => Ok((admin::Listener::bind_tcp(*address)?, None)),
        AdminAddress::Unix(path) => {
            let (socket, file) = bind_file(path, 0o660, account)?;
            Ok((admin::Listener::unix(socket, path), Some(file)))
        }
    }
}

/// Warns about TID ports that other processes use; lists at most `MAX_NAMED` of them.
fn warn_of_taken_ports(config: &Config, listeners: &[ListenerSpec]) {
    const MAX_NAMED: usize = 20;
    for (listener, opened) in config.settings.listeners.iter().zip(listeners) {
        let (Some(range), false) = (opened.tid_range, opened.taken.is_empty()) else { continue };
        let named: Vec<String> = opened.taken.iter().take(MAX_NAMED).map(u16::to_string).collect();
        let more = match opened.taken.len().saturating_sub(MAX_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        tracing::warn!(
            target: "tuffet::server::open",
            listener = listener.name,
            "TID ports used by other processes are skipped: {}{more}; {} of {range} remain \
             (`ss -ulpn` names the processes)",
            named.join(", "),
            usize::from(range.count()) - opened.taken.len()
        );
    }
}

/// Binds the control socket; without it, SIGHUP still reloads.
fn bind_control(path: &Path, account: Option<&Account>) -> Option<Control> {
    let bound = Control::bind(path, account).inspect_err(|error| {
        tracing::warn!(
            target: "tuffet::server::open",
            socket = %path.display(),
            "no control socket, so `tuffet reload` and `tuffet status` cannot reach this server: {error}; \
             set `control` to another path, or to `none`"
        );
    });
    bound.ok()
}
