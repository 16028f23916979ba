//! The interface to a service manager such as systemd: sockets, readiness, reloads and the watchdog. Without
//! one, it does nothing.

mod notify;
mod sockets;
mod watchdog;

pub(crate) use notify::Manager;
pub(crate) use sockets::{Inherited, NotInherited};
pub(crate) use watchdog::watch_over;
