//! Notifications to the service manager: sd_notify(3).

use sd_notify::NotifyState;
use std::env;
use std::ffi::OsString;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a message may wait for room in the manager's socket.
const PATIENCE: Duration = Duration::from_secs(1);

/// The time of stopping in addition to the transfers: sinks and telemetry are flushed.
const AFTER_DRAIN: Duration = Duration::from_secs(10);

/// The service manager, if there is one. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Manager(Option<Arc<Socket>>);

#[derive(Debug)]
struct Socket {
    address: SocketAddr,
    /// Kept open: later the process may not be permitted to reach the address.
    connected: Mutex<Option<UnixDatagram>>,
    /// Whether a failure has been logged.
    complained: AtomicBool,
}

impl Manager {
    /// Reads `NOTIFY_SOCKET`: a path, or an abstract name that begins with `@`.
    pub(crate) fn of_process() -> Manager {
        match env::var_os("NOTIFY_SOCKET") {
            Some(name) if !name.is_empty() => Manager::at(&name),
            _ => Manager::default(),
        }
    }

    fn at(name: &OsString) -> Manager {
        let address = match name.as_bytes() {
            [b'@', its @ ..] => SocketAddr::from_abstract_name(its),
            [b'/', ..] => SocketAddr::from_pathname(name),
            _ => Err(io::Error::other("it is no path, and no abstract name (`@NAME`)")),
        };
        match address {
            Ok(address) => {
                let socket = Socket { address, connected: Mutex::default(), complained: false.into() };
                let _ = socket.connect().map_err(|error| socket.complain(&error));
                Manager(Some(Arc::new(socket)))
            }
            Err(error) => {
                tracing::warn!(
                    target: "tuffet::systemd::notify",
                    NOTIFY_SOCKET = %name.display(), %error, "the service manager cannot be notified"
                );
                Manager::default()
            }
        }
    }

    /// Reports that the server answers requests.
    pub fn ready(&self, status: &str) {
        self.tell(&[NotifyState::Ready, NotifyState::Status(status)]);
    }

    /// Reports that a reload begins; [`Manager::ready`] ends it.
    pub(crate) fn reloading(&self) {
        match NotifyState::monotonic_usec_now() {
            Ok(now) => self.tell(&[NotifyState::Reloading, now]),
            // Without a time systemd does not match it with the reload that it requested.
            Err(error) => {
                tracing::warn!(
                    target: "tuffet::systemd::notify",
                    %error,
                    "the service manager is not notified of the reload: the clock cannot be read"
                )
            }
        }
    }

    /// Reports the shutdown: the process ends with the last transfer, at most so much later.
    pub(crate) fn stopping(&self, patience: Duration, status: &str) {
        let most = u32::try_from((patience + AFTER_DRAIN).as_micros()).unwrap_or(u32::MAX);
        self.tell(&[
            NotifyState::Stopping,
            NotifyState::ExtendTimeoutUsec(most),
            NotifyState::Status(status),
        ]);
    }

    /// Reports that the process is alive.
    pub(super) fn alive(&self) {
        self.tell(&[NotifyState::Watchdog]);
    }

    /// Sets the status text of the unit.
    pub(super) fn status(&self, status: &str) {
        self.tell(&[NotifyState::Status(status)]);
    }

    /// Returns the manager's watchdog interval; `None` without a watchdog.
    pub(super) fn watchdog(&self) -> Option<Duration> {
        self.0.as_ref()?;
        sd_notify::watchdog_enabled().filter(|interval| !interval.is_zero())
    }

    fn tell(&self, states: &[NotifyState<'_>]) {
        let Some(socket) = &self.0 else { return };
        let mut message = String::new();
        for state in states {
            // One line each: a status must not inject other states.
            message += &state.to_string().replace('\n', " ");
            message.push('\n');
        }
        match socket.send(message.as_bytes()) {
            Ok(()) => socket.complained.store(false, Ordering::Relaxed),
            Err(error) => socket.complain(&error),
        }
    }
}

impl Socket {
    fn connect(&self) -> io::Result<()> {
        let socket = UnixDatagram::unbound()?;
        socket.connect_addr(&self.address)?;
        socket.set_write_timeout(Some(PATIENCE))?;
        *self.lock() = Some(socket);
        Ok(())
    }

    fn send(&self, message: &[u8]) -> io::Result<()> {
        let sent = self.lock().as_ref().map(|socket| socket.send(message));
        if let Some(Ok(_)) = sent {
            return Ok(());
        }
        // The manager may have created its socket again.
        self.connect()?;
        self.lock().as_ref().map_or(Ok(0), |socket| socket.send(message)).map(drop)
    }

    fn complain(&self, error: &io::Error) {
        if !self.complained.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                target: "tuffet::systemd::notify",
                NOTIFY_SOCKET = ?self.address, %error, "the service manager accepts no notification"
            );
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<UnixDatagram>> {
        self.connected.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(socket: &UnixDatagram) -> String {
        socket.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let mut room = [0; 500];
        let length = socket.recv(&mut room).unwrap();
        String::from_utf8(room[..length].to_vec()).unwrap()
    }

    #[test]
    fn a_manager_is_reached_by_path_and_by_abstract_name_and_after_it_began_anew() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("notify");
        let abstract_name = format!("tuffet-test-{}", fastrand::u64(..));
        let address = SocketAddr::from_abstract_name(&abstract_name).unwrap();
        let there = UnixDatagram::bind_addr(&address).unwrap();
        let manager = Manager::at(&format!("@{abstract_name}").into());
        manager.ready("serving\nWATCHDOG=1");
        assert_eq!(heard(&there), "READY=1\nSTATUS=serving WATCHDOG=1\n");

        let there = UnixDatagram::bind(&path).unwrap();
        let manager = Manager::at(&path.clone().into());
        manager.stopping(Duration::from_secs(2), "stopping");
        assert_eq!(heard(&there), "STOPPING=1\nEXTEND_TIMEOUT_USEC=12000000\nSTATUS=stopping\n");
        drop(there);
        std::fs::remove_file(&path).unwrap();
        manager.alive();
        let there = UnixDatagram::bind(&path).unwrap();
        manager.reloading();
        let received = heard(&there);
        assert!(received.starts_with("RELOADING=1\nMONOTONIC_USEC="), "{received}");
    }

    #[test]
    fn what_is_no_address_is_left_alone() {
        for name in ["relative", "vsock:2:1234", "@"] {
            Manager::at(&name.into()).ready("nobody hears this");
        }
    }
}
