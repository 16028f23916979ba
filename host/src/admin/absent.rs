//! Takes the place of the admin listener in a build without the feature `admin`: none is ever bound.

mod pulse;

pub(crate) use pulse::Pulse;

use crate::fleet::Servers;
use crate::privileges::Account;
use crate::watch::{Feed, Watch};
use std::io;
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::Arc;
use tuffet_config::{Admin, AdminAddress, AdminToken};

/// There is none. A configuration with `admin` is refused before.
pub(crate) enum Listener {}

impl Listener {
    /// # Errors
    /// Always.
    pub(crate) fn bind(_: &AdminAddress, _: Option<&Account>) -> io::Result<Listener> {
        Err(io::Error::new(io::ErrorKind::Unsupported, crate::features::ADMIN.missing()))
    }

    pub(crate) fn inherit_tcp(_: TcpListener) -> Option<Listener> {
        None
    }

    pub(crate) fn inherit(_: UnixListener, _: &Path, _: bool) -> Option<Listener> {
        None
    }

    pub(crate) fn address(&self) -> io::Result<AdminAddress> {
        match *self {}
    }

    pub(crate) async fn run(self, _: AdminState) {
        match self {}
    }
}

/// Nobody looks.
#[derive(Debug, Clone)]
pub(crate) struct Access;

impl Access {
    pub(crate) fn of(_: Option<&Admin>) -> Access {
        Access
    }

    pub(crate) fn replace(&self, _: Option<AdminToken>) {}
}

/// What would be shown.
pub(crate) struct AdminState {
    pub(crate) watch: Watch,
    pub(crate) feed: Feed,
    pub(crate) servers: Option<Feed<Servers>>,
    pub(crate) pulse: Arc<Pulse>,
    pub(crate) access: Access,
}
