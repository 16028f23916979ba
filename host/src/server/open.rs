//! The resources that a server opens at its start and that may need a privilege: folders and sockets.
//!
//! The only thread opens them, so that privileges can be dropped for all later threads.

use super::control::Control;
use super::given::Given;
use super::{ServeError, open_roots};
use crate::admin;
use crate::privileges::Account;
use crate::systemd::Inherited;
use std::path::Path;
use tuffet_config::Config;
use tuffet_engine::worker::{ListenerSpec, Sockets, open_all, tid_ports};
use tuffet_store::{Disks, Roots};

/// What is open before the first thread starts. Nothing is read from it yet.
pub(super) struct Opened {
    pub(super) roots: Roots,
    pub(super) disks: Disks,
    /// With the ports that the kernel chose.
    pub(super) listeners: Vec<ListenerSpec>,
    /// Those of each worker.
    pub(super) sockets: Vec<Sockets>,
    pub(super) admin: Option<admin::Listener>,
    pub(super) control: Option<Control>,
}

impl Opened {
    /// Opens all of it, but for what this process inherited; what has a name and is made here is for the user
    /// that the server becomes.
    ///
    /// # Errors
    /// The first that is not to be had. A control socket that is not is only warned of.
    pub(super) fn of(config: &Config, account: Option<&Account>) -> Result<Opened, ServeError> {
        let given = Given::of(config, Inherited::take()?)?;
        let disks = Disks::default();
        let roots = open_roots(config, &disks, None)?;
        let descriptors = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        let mut listeners: Vec<ListenerSpec> = config
            .listeners
            .iter()
            .map(|listener| ListenerSpec {
                address: listener.address,
                single_port: listener.single_port,
                tid_ports: tid_ports(listener.tid_ports, config.listeners.len(), config.workers, descriptors),
                burst: listener.burst,
            })
            .collect();
        let sockets = open_all(&mut listeners, given.listeners, config.workers)
            .map_err(|(number, error)| ServeError::bind(&config.listeners[number], error))?;
        let admin = match (given.admin, &config.admin) {
            (None, Some(its)) => Some(
                admin::Listener::bind(&its.address, account)
                    .map_err(|error| ServeError::Admin { address: its.address.clone(), error })?,
            ),
            (given, _) => given,
        };
        let control = match given.control {
            Some(socket) => Some(Control::inherit(socket)),
            None => config.control.as_deref().and_then(|path| bind_control(path, account)),
        };
        Ok(Opened { roots, disks, listeners, sockets, admin, control })
    }
}

/// The control socket; without one, SIGHUP still reloads.
fn bind_control(path: &Path, account: Option<&Account>) -> Option<Control> {
    let bound = Control::bind(path, account).inspect_err(|error| {
        tracing::warn!(
            socket = %path.display(),
            "no control socket, so `tuffet reload` and `tuffet status` cannot reach this server: {error}; \
             set `control` to another path, or to `none`"
        );
    });
    bound.ok()
}
