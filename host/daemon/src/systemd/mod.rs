//! The interface to a service manager such as systemd: sockets, readiness, reloads and the watchdog. Without
//! one, it does nothing.

mod notify;
mod sockets;
mod unit;
mod watchdog;

pub(crate) use notify::ServiceManager;
pub(crate) use sockets::{InheritError, Inherited, Offered};
pub(crate) use unit::Unit;
pub(crate) use watchdog::feed_watchdog;
