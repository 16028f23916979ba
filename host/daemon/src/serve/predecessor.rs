//! The server that this one succeeds: it hands its sockets over ([`super::handover`]).

use super::handover::{MAX_SOCKETS, STEP_TIMEOUT, TakeOver, Taken, read_line, write_line};
use super::reply::Reply;
use crate::privileges::Account;
use crate::systemd::{Inherited, Offered};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use std::io::{self, IoSliceMut, Write};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;

/// A server that waits until this one answers requests.
pub(super) struct Predecessor {
    link: UnixStream,
    /// The positions of the sockets that this server uses.
    taken: Vec<usize>,
    /// The connection for datagrams.
    datagrams: OwnedFd,
}

impl Predecessor {
    /// Asks the server with this control socket for its sockets. A server that does not stop by itself is asked only if
    /// this one is to `replace` it. `None` if there is no such server, or it gives none; a warning says why.
    pub(super) fn find(
        control: &Path,
        replace: bool,
        account: Option<&Account>,
    ) -> Option<(Predecessor, Inherited)> {
        let asked = ask(control, replace, account).and_then(|answer| {
            let Some((link, mut sockets)) = answer else { return Ok(None) };
            let datagrams = sockets.pop().ok_or(io::ErrorKind::InvalidData)?.socket;
            let predecessor = Predecessor { link, taken: Vec::new(), datagrams };
            Ok(Some((predecessor, Inherited::handed_over(sockets)?)))
        });
        asked.unwrap_or_else(|error| {
            tracing::warn!(
                target: "tuffet::server::predecessor",
                socket = %control.display(), %error,
                "the running server hands no sockets over"
            );
            None
        })
    }

    /// Returns the connection for datagrams, twice: to send and to receive.
    ///
    /// # Errors
    /// The process has no descriptors left.
    pub(super) fn datagrams(&self) -> io::Result<(OwnedFd, OwnedFd)> {
        Ok((self.datagrams.try_clone()?, self.datagrams.try_clone()?))
    }

    /// Records which sockets are used.
    pub(super) fn takes(&mut self, taken: Vec<usize>) {
        self.taken = taken;
    }

    /// Tells the predecessor that this server answers requests. Returns a connection that is closed when it has ended.
    ///
    /// # Errors
    /// It has ended.
    pub(super) fn replaced(mut self) -> io::Result<UnixStream> {
        write_line(&mut self.link, &Taken(self.taken))?;
        Ok(self.link)
    }
}

/// `None` without a server, or if it serves and is not to be replaced.
fn ask(
    control: &Path,
    replace: bool,
    account: Option<&Account>,
) -> io::Result<Option<(UnixStream, Vec<Offered>)>> {
    let mut link = match UnixStream::connect(control) {
        Ok(link) => link,
        // No server, or a socket left by a dead one.
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let owner = rustix::net::sockopt::socket_peercred(&link)?.uid;
    let is_trusted = owner.is_root()
        || owner == rustix::process::geteuid()
        || account.is_some_and(|account| account.uid.as_raw() == owner.as_raw());
    if !is_trusted {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("it belongs to the user {}, who is neither root nor the server's user", owner.as_raw()),
        ));
    }
    link.set_read_timeout(Some(STEP_TIMEOUT))?;
    link.set_write_timeout(Some(STEP_TIMEOUT))?;
    link.write_all(format!("take-over {}\n", serde_json::json!(TakeOver { replace })).as_bytes())?;
    let interfaces = match read_line(&mut link)? {
        Reply::Offered(interfaces) => interfaces,
        Reply::Serving => return Ok(None),
        Reply::Busy => return Err(io::Error::other("another server is already succeeding it")),
        // An earlier version.
        _ => return Ok(None),
    };
    let sockets = interfaces.into_iter().take(MAX_SOCKETS);
    let sockets = sockets.map(|interface| Ok(Offered { socket: receive_socket(&link)?, interface }));
    let sockets = sockets.collect::<io::Result<Vec<Offered>>>()?;
    Ok(Some((link, sockets)))
}

/// Receives one byte with a descriptor.
fn receive_socket(link: &UnixStream) -> io::Result<OwnedFd> {
    let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut room);
    let mut byte = [0];
    let received = recvmsg(link, &mut [IoSliceMut::new(&mut byte)], &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
    let mut messages = ancillary.drain();
    match messages.next() {
        Some(RecvAncillaryMessage::ScmRights(mut descriptors)) if received.bytes == 1 => {
            descriptors.next().ok_or_else(|| io::ErrorKind::InvalidData.into())
        }
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}
