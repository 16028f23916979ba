//! Why the server cannot start, what to do about it, and the exit code that tells scripts which it was.

use crate::privileges::PrivilegeError;
use crate::systemd::NotInherited;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use tuffet_config::{AdminAddress, ConfigError, EXIT_CONFIG, Listener};
use tuffet_store::RootError;

/// Why the server cannot start or go on.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The configuration is wrong, or a plugin in it. Exit code 64.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A root cannot be opened. Exit code 66.
    #[error(transparent)]
    Root(RootError),
    /// What was given by `--root` is no folder. Exit code 66.
    #[error("--root {}: {error}; name a folder that exists and that this user may enter", path.display())]
    Folder {
        /// What was given.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// Another process has the port. Exit code 69.
    #[error(
        "listener `{name}`: {address} is in use; stop the server that has it (`ss -ulpn` names it) or listen on another port"
    )]
    InUse {
        /// The listener's name.
        name: String,
        /// Its address.
        address: SocketAddr,
    },
    /// The port needs a privilege. Exit code 77.
    #[error(
        "listener `{name}`: {address} needs a privilege; start as root, or once \
         `setcap cap_net_bind_service=+ep $(command -v tuffet)`, or listen on a port from 1024 on"
    )]
    Privilege {
        /// The listener's name.
        name: String,
        /// Its address.
        address: SocketAddr,
    },
    /// The address is not one of this host. Exit code 69.
    #[error(
        "listener `{name}`: {address} cannot be listened on: {error}; `ip address` shows this host's addresses"
    )]
    Address {
        /// The listener's name.
        name: String,
        /// Its address.
        address: SocketAddr,
        /// What the system said.
        error: io::Error,
    },
    /// The admin listener cannot be had. Exit code 69.
    #[error(
        "`admin`: {address} cannot be listened on: {error}; another process may have it (`ss -tlpn` names it), or it \
         is no address of this host; write another `admin.address`"
    )]
    Admin {
        /// Its address.
        address: AdminAddress,
        /// What the system said.
        error: io::Error,
    },
    /// The sockets that the service manager passed do not fit the configuration. Exit code 64.
    #[error(transparent)]
    Inherited(#[from] NotInherited),
    /// Privileges cannot be given up, or without them something cannot be touched. Exit code 77, and 64 where
    /// there is no such user.
    #[error(transparent)]
    Privileges(#[from] PrivilegeError),
    /// The system failed. Exit code 71.
    #[error("{0}: {1}")]
    System(&'static str, io::Error),
}

impl ServeError {
    /// The exit code, after sysexits(3).
    pub fn exit_code(&self) -> u8 {
        match self {
            ServeError::Config(_) | ServeError::Inherited(_) => EXIT_CONFIG,
            ServeError::Root(_) | ServeError::Folder { .. } => 66,
            ServeError::InUse { .. } | ServeError::Address { .. } | ServeError::Admin { .. } => 69,
            ServeError::System(..) => 71,
            ServeError::Privileges(PrivilegeError::Unknown(_)) => EXIT_CONFIG,
            ServeError::Privilege { .. } | ServeError::Privileges(_) => 77,
        }
    }

    pub(super) fn bind(listener: &Listener, error: io::Error) -> Self {
        let (name, address) = (listener.name.clone(), listener.address);
        match error.kind() {
            io::ErrorKind::AddrInUse => ServeError::InUse { name, address },
            io::ErrorKind::PermissionDenied => ServeError::Privilege { name, address },
            _ => ServeError::Address { name, address, error },
        }
    }
}
