//! The process above the server (`tuffet serve --restartable`), as the server sees it. It is connected to standard input;
//! each message is one byte.
//!
//! The parent process itself is [`super::supervise`].

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{broadcast, oneshot};
use tokio::time::timeout;

/// From the server: it answers no more requests, and another process may do so.
pub(super) const DRAINING: u8 = b'd';
/// From the server: start the next one.
pub(super) const RESTART: u8 = b'r';
/// From the parent: the next server ended before it answered requests.
pub(super) const FAILED: u8 = b'f';

/// How long the next server may take to start.
const START_TIMEOUT: Duration = Duration::from_secs(16 * 60);

/// The process above this one. Clones share the connection.
#[derive(Clone)]
pub(super) struct Parent {
    connection: Arc<UnixStream>,
    /// Whether the next server answers requests.
    restarts: broadcast::Sender<bool>,
}

impl Parent {
    /// Takes the connection. The receiver is told when the parent ends. Must be called within a runtime.
    ///
    /// # Errors
    /// Standard input is no connection.
    pub(super) fn of_standard_input() -> io::Result<(Parent, oneshot::Receiver<()>)> {
        let connection = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
        connection.peer_addr()?;
        let (restarts, _) = broadcast::channel(4);
        let (end, ended) = oneshot::channel();
        let (reader, tell) = (connection.try_clone()?, restarts.clone());
        // Not in the runtime: its shutdown need not wait for the parent.
        std::thread::Builder::new().name("tuffet-parent".into()).spawn(move || {
            let mut byte = [0];
            while (&reader).read_exact(&mut byte).is_ok() {
                if byte == [FAILED] {
                    let _ = tell.send(false);
                }
            }
            let _ = end.send(());
        })?;
        Ok((Parent { connection: Arc::new(connection), restarts }, ended))
    }

    /// Tells the parent that this server answers no more requests, and clients that the next one does so.
    pub(super) fn draining(&self) {
        self.send(DRAINING);
    }

    /// Tells those who asked for a restart that the next server answers requests.
    pub(super) fn is_replaced(&self) {
        let _ = self.restarts.send(true);
    }

    /// Has the next server started, and waits until it answers requests.
    ///
    /// # Errors
    /// It cannot start; this one goes on.
    pub(super) async fn restart(&self) -> Result<(), String> {
        let mut restarts = self.restarts.subscribe();
        self.send(RESTART);
        match timeout(START_TIMEOUT, restarts.recv()).await {
            Ok(Ok(true)) => Ok(()),
            Ok(_) => Err("the new server could not start, and this one goes on; the log says why".into()),
            Err(_) => Err("the new server has not started yet; this one goes on until it has".into()),
        }
    }

    fn send(&self, byte: u8) {
        // A parent that is gone needs no messages.
        let _ = (&*self.connection).write_all(&[byte]);
    }
}
