//! Errors of a start, with their remedies, and exit codes for scripts.

use crate::privileges::PrivilegeError;
use crate::systemd::InheritError;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use tuffet_config::{AdminAddress, Config, ConfigError, EXIT_CONFIG, Listener};
use tuffet_engine::worker::{Missing, OpenError};
use tuffet_request::PortRange;
use tuffet_server::BuildError;
use tuffet_server::origins::OriginFailure;
use tuffet_server::server::StartError;
use tuffet_store::RootError;

/// Why the server cannot start or continue.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The configuration, or a plugin in it, is invalid. Exit code 64.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A root cannot be opened. Exit code 66.
    #[error(transparent)]
    Root(RootError),
    /// The origin of a root, or its cache, cannot be used. Exit code 66.
    #[error("{0}")]
    Origin(String),
    /// The argument of `--root` is not a folder. Exit code 66.
    #[error("--root {}: {error}; name a folder that exists and that this user may enter", path.display())]
    Folder {
        /// The argument.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// Another process uses the port. Exit code 69.
    #[error(
        "listener `{name}`: {address} is in use; stop the server that uses it \
         (`ss -ulpn` names it) or listen on another port"
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
    /// This host does not have the address, or not its family. Exit code 69.
    #[error("listener `{name}`: cannot listen on {address}: {error}{}", advice(error))]
    Address {
        /// The listener's name.
        name: String,
        /// Its address.
        address: SocketAddr,
        /// The system's error.
        error: io::Error,
    },
    /// There is no such interface. Exit code 69.
    #[error(
        "listener `{name}`: this machine has no interface `{interface}`; `ip -brief link` shows its interfaces; with \
         `start: available` the server waits for it"
    )]
    Interface {
        /// The listener's name.
        name: String,
        /// The interface.
        interface: String,
    },
    /// The kernel is older than 5.7 and binds to interfaces only for root. Exit code 77.
    #[error(
        "listener `{name}`: this kernel lets only CAP_NET_RAW bind to the interface `{interface}` (before Linux 5.7); \
         start as root"
    )]
    InterfacePrivilege {
        /// The listener's name.
        name: String,
        /// The interface.
        interface: String,
    },
    /// Other processes use too many TID ports of the range. Exit code 69.
    #[error(
        "listener `{name}`: {free} of the TID ports {range} are free, and {workers} workers need one each; stop the \
         processes that use them (`ss -ulpn` names them), or give another range in `listeners[].tid-ports`"
    )]
    TidPorts {
        /// The listener's name.
        name: String,
        /// The configured ports.
        range: PortRange,
        /// How many of them are free.
        free: usize,
        /// Workers that need one each.
        workers: usize,
    },
    /// The admin listener cannot be opened. Exit code 69.
    #[error(
        "`admin`: cannot listen on {address}: {error}; another process may use it (`ss -tlpn` names it), or this \
         host does not have the address; write another `admin.address`"
    )]
    Admin {
        /// Its address.
        address: AdminAddress,
        /// The system's error.
        error: io::Error,
    },
    /// A listener of HTTP cannot be bound. Exit code 69.
    #[error(
        "listener `{listener}` of `http`: cannot listen on {address}: {error}; if another process uses the port, \
         `ss -tlpn` names it: stop it, or write another `address`"
    )]
    Http {
        /// Its name.
        listener: String,
        /// Its address.
        address: SocketAddr,
        /// The system's error.
        error: io::Error,
    },
    /// The inherited sockets do not match the configuration. Exit code 64.
    #[error(transparent)]
    Inherited(#[from] InheritError),
    /// Privileges cannot be dropped, or the server's user lacks access without them. Exit code 77, or 64 if
    /// the user does not exist.
    #[error(transparent)]
    Privileges(#[from] PrivilegeError),
    /// The request to explain is invalid. Exit code 64.
    #[error("{0}")]
    Request(String),
    /// The system failed. Exit code 71.
    #[error("{0}: {1}")]
    System(&'static str, io::Error),
}

impl From<StartError> for ServeError {
    fn from(StartError { part, error }: StartError) -> Self {
        ServeError::System(part, error)
    }
}

impl From<OriginFailure> for ServeError {
    fn from(failure: OriginFailure) -> Self {
        ServeError::Origin(failure.to_string())
    }
}

impl ServeError {
    /// Returns the exit code, from sysexits(3).
    pub fn exit_code(&self) -> u8 {
        match self {
            ServeError::Config(_) | ServeError::Inherited(_) | ServeError::Request(_) => EXIT_CONFIG,
            ServeError::Root(_) | ServeError::Origin(_) | ServeError::Folder { .. } => 66,
            ServeError::InUse { .. }
            | ServeError::Address { .. }
            | ServeError::Interface { .. }
            | ServeError::TidPorts { .. }
            | ServeError::Admin { .. }
            | ServeError::Http { .. } => 69,
            ServeError::System(..) => 71,
            ServeError::Privileges(PrivilegeError::UnknownUser(_)) => EXIT_CONFIG,
            ServeError::Privilege { .. }
            | ServeError::InterfacePrivilege { .. }
            | ServeError::Privileges(_) => 77,
        }
    }

    pub(super) fn build(config: &Config, error: BuildError) -> Self {
        match error {
            BuildError::Listener { number, error, .. } => {
                ServeError::open(&config.settings.listeners[number], error)
            }
            BuildError::Root(error) => ServeError::Root(error),
            error => ServeError::System("the server cannot be built", io::Error::other(error)),
        }
    }

    /// The error of a listener that may not wait.
    pub(super) fn missing(listener: &Listener, missing: Missing) -> Self {
        let code = match missing {
            Missing::Interface => libc::ENODEV,
            Missing::Address => libc::EADDRNOTAVAIL,
            Missing::Ipv6 => libc::EAFNOSUPPORT,
        };
        ServeError::open(listener, OpenError::Socket(io::Error::from_raw_os_error(code)))
    }

    fn open(listener: &Listener, error: OpenError) -> Self {
        let (name, address) = (listener.name.clone(), listener.address);
        let error = match error {
            OpenError::Socket(error) => error,
            OpenError::TidRange { range, free, workers } => {
                return ServeError::TidPorts { name, range, free, workers };
            }
            other => io::Error::other(other),
        };
        match (&listener.interface, error.raw_os_error()) {
            (Some(interface), Some(libc::ENODEV)) => {
                return ServeError::Interface { name, interface: interface.clone() };
            }
            // A missing privilege for the port is EACCES instead.
            (Some(interface), Some(libc::EPERM)) => {
                return ServeError::InterfacePrivilege { name, interface: interface.clone() };
            }
            _ => {}
        }
        match error.kind() {
            io::ErrorKind::AddrInUse => ServeError::InUse { name, address },
            io::ErrorKind::PermissionDenied => ServeError::Privilege { name, address },
            _ => ServeError::Address { name, address, error },
        }
    }
}

/// Returns what helps against an error of binding an address.
fn advice(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EADDRNOTAVAIL) => {
            "; `ip address` shows this host's addresses; with `start: available` the server waits for one that comes later, \
             and `free-bind: true` says that its absence is normal"
        }
        Some(libc::EAFNOSUPPORT) => {
            "; IPv6 is switched off on this machine (`ipv6.disable=1` of the kernel, or a container without it): listen on \
             an IPv4 address, or write `start: available`, with which `[::]` serves IPv4 alone"
        }
        // A link-local address without its interface.
        Some(libc::EINVAL) => "; a link-local address needs the `interface` of the listener",
        _ => "; `ip address` shows this host's addresses",
    }
}
