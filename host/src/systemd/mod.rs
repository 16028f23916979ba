//! What a service manager such as systemd passes to the server, and is told by it: sockets, readiness, reloads
//! and the watchdog. Without one, nothing of this does anything.

mod notify;
mod sockets;
mod watchdog;

pub(crate) use notify::Manager;
pub(crate) use sockets::{Inherited, NotInherited};
pub(crate) use watchdog::watch_over;
