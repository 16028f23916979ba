//! Notifications to the service manager: sd_notify(3).

use parking_lot::Mutex;
use sd_notify::NotifyState;
use std::env;
use std::ffi::OsString;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a message may wait for room in the manager's socket.
const SEND_TIMEOUT: Duration = Duration::from_secs(1);

/// The time to flush sinks and telemetry after the transfers.
const FLUSH_TIME: Duration = Duration::from_secs(10);

/// The service manager, if there is one. Clones share its socket.
#[derive(Debug, Clone, Default)]
pub(crate) struct ServiceManager(Option<Arc<Socket>>);

#[derive(Debug)]
struct Socket {
    address: SocketAddr,
    /// Kept open: without privileges the process may no longer reach the address.
    connected: Mutex<Option<UnixDatagram>>,
    /// Whether a failure has been logged.
    failure_logged: AtomicBool,
    /// Whether another process is the service now.
    is_silent: AtomicBool,
}

impl ServiceManager {
    /// Reads `NOTIFY_SOCKET`: a path, or an abstract name that begins with `@`.
    pub(crate) fn of_process() -> ServiceManager {
        match env::var_os("NOTIFY_SOCKET") {
            Some(name) if !name.is_empty() => ServiceManager::at_address(&name),
            _ => ServiceManager::default(),
        }
    }

    fn at_address(name: &OsString) -> ServiceManager {
        let address = match name.as_bytes() {
            [b'@', its @ ..] => SocketAddr::from_abstract_name(its),
            [b'/', ..] => SocketAddr::from_pathname(name),
            _ => Err(io::Error::other("it is neither a path nor an abstract name (`@NAME`)")),
        };
        match address {
            Ok(address) => {
                let socket = Socket {
                    address,
                    connected: Mutex::default(),
                    failure_logged: false.into(),
                    is_silent: false.into(),
                };
                let _ = socket.connect().map_err(|error| socket.log_failure(&error));
                ServiceManager(Some(Arc::new(socket)))
            }
            Err(error) => {
                tracing::warn!(
                    target: "tuffet::systemd::notify",
                    NOTIFY_SOCKET = %name.display(), %error, "the service manager cannot be notified"
                );
                ServiceManager::default()
            }
        }
    }

    /// Reports that the server answers requests.
    pub fn ready(&self, status: &str) {
        self.notify(&[NotifyState::Ready, NotifyState::Status(status)]);
    }

    /// Reports that a reload begins; [`Manager::ready`] ends it.
    pub(crate) fn reloading(&self) {
        match NotifyState::monotonic_usec_now() {
            Ok(now) => self.notify(&[NotifyState::Reloading, now]),
            // Without the time, systemd does not match the message with its request.
            Err(error) => {
                tracing::warn!(
                    target: "tuffet::systemd::notify",
                    %error,
                    "the service manager is not notified of the reload: the clock cannot be read"
                )
            }
        }
    }

    /// Reports the shutdown: the process ends with the last transfer, at most `patience` later.
    pub(crate) fn stopping(&self, patience: Duration, status: &str) {
        let most = u32::try_from((patience + FLUSH_TIME).as_micros()).unwrap_or(u32::MAX);
        self.notify(&[
            NotifyState::Stopping,
            NotifyState::ExtendTimeoutUsec(most),
            NotifyState::Status(status),
        ]);
    }

    /// Reports that the process is alive.
    pub(super) fn alive(&self) {
        self.notify(&[NotifyState::Watchdog]);
    }

    /// Sets the status text of the unit.
    pub(super) fn status(&self, status: &str) {
        self.notify(&[NotifyState::Status(status)]);
    }

    /// Returns the manager's watchdog interval; `None` without a watchdog.
    pub(super) fn watchdog(&self) -> Option<Duration> {
        self.0.as_ref()?;
        sd_notify::watchdog_enabled().filter(|interval| !interval.is_zero())
    }

    /// Stops all notifications: another process is the service now.
    pub(crate) fn fall_silent(&self) {
        if let Some(socket) = &self.0 {
            socket.is_silent.store(true, Ordering::Relaxed);
        }
    }

    fn notify(&self, states: &[NotifyState<'_>]) {
        let Some(socket) = self.0.as_ref().filter(|socket| !socket.is_silent.load(Ordering::Relaxed)) else {
            return;
        };
        let mut message = String::new();
        for state in states {
            // A status with line feeds must not inject other states.
            message += &state.to_string().replace('\n', " ");
            message.push('\n');
        }
        match socket.send(message.as_bytes()) {
            Ok(()) => socket.failure_logged.store(false, Ordering::Relaxed),
            Err(error) => socket.log_failure(&error),
        }
    }
}

impl Socket {
    fn connect(&self) -> io::Result<()> {
        let socket = UnixDatagram::unbound()?;
        socket.connect_addr(&self.address)?;
        socket.set_write_timeout(Some(SEND_TIMEOUT))?;
        *self.lock() = Some(socket);
        Ok(())
    }

    fn send(&self, message: &[u8]) -> io::Result<()> {
        let sent = self.lock().as_ref().map(|socket| socket.send(message));
        if let Some(Ok(_)) = sent {
            return Ok(());
        }
        // The manager may have recreated its socket.
        self.connect()?;
        self.lock().as_ref().map_or(Ok(0), |socket| socket.send(message)).map(drop)
    }

    fn log_failure(&self, error: &io::Error) {
        if !self.failure_logged.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                target: "tuffet::systemd::notify",
                NOTIFY_SOCKET = ?self.address, %error, "the service manager accepts no notification"
            );
        }
    }

    fn lock(&self) -> parking_lot::MutexGuard<'_, Option<UnixDatagram>> {
        self.connected.lock()
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
    fn a_manager_is_reached_by_path_by_abstract_name_and_after_its_restart() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("notify");
        let abstract_name = format!("tuffet-test-{}", fastrand::u64(..));
        let address = SocketAddr::from_abstract_name(&abstract_name).unwrap();
        let there = UnixDatagram::bind_addr(&address).unwrap();
        let manager = ServiceManager::at_address(&format!("@{abstract_name}").into());
        manager.ready("serving\nWATCHDOG=1");
        assert_eq!(heard(&there), "READY=1\nSTATUS=serving WATCHDOG=1\n");

        let there = UnixDatagram::bind(&path).unwrap();
        let manager = ServiceManager::at_address(&path.clone().into());
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
    fn invalid_addresses_are_ignored() {
        for name in ["relative", "vsock:2:1234", "@"] {
            ServiceManager::at_address(&name.into()).ready("sent to no socket");
        }
    }
}
