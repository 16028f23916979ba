//! The compiler starter: starts a compiler for each socket that it receives.

use std::ffi::OsString;
use std::io::{self, IoSliceMut, Write, stdin};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::COMPILER;
use super::answer::{ended, not_started};

/// The interval of checks on a compiler if the kernel has no process descriptors (before Linux 5.3).
const POLL_INTERVAL: Timespec = Timespec { tv_sec: 0, tv_nsec: 10_000_000 };

/// Runs the starter until the server has ended. Standard input is the socket to the server.
pub fn start_compilers(arguments: impl Iterator<Item = OsString>) {
    let arguments: Arc<[OsString]> = arguments.collect();
    while let Ok(Some(socket)) = receive(stdin()) {
        let arguments = Arc::clone(&arguments);
        // Without a thread the socket is closed, and the server refuses the component.
        let _ = thread::Builder::new().spawn(move || attend(socket, &arguments));
    }
}

/// Returns the next socket; `None` when the server has closed its end.
pub(super) fn receive(control: impl AsFd) -> io::Result<Option<UnixStream>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    loop {
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut byte = [0];
        let mut into = [IoSliceMut::new(&mut byte)];
        let received = match recvmsg(&control, &mut into, &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
            Err(Errno::INTR) => continue,
            received => received?,
        };
        if received.bytes == 0 {
            return Ok(None);
        }
        let sockets = ancillary.drain().filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut sockets) => sockets.next(),
            _ => None,
        });
        if let Some(socket) = sockets.last() {
            return Ok(Some(socket.into()));
        }
    }
}

/// Starts a compiler and waits for its end, or kills it when the server has closed the socket.
fn attend(mut socket: UnixStream, arguments: &[OsString]) {
    let end = match start(&socket, arguments).and_then(|compiler| wait(compiler, &socket)) {
        Ok(status) => ended(status),
        Err(error) => not_started(&error),
    };
    // The server may be gone.
    let _ = write!(socket, "\n{end}\n");
}

fn start(socket: &UnixStream, arguments: &[OsString]) -> io::Result<Child> {
    let stream = || socket.try_clone().map(|socket| Stdio::from(OwnedFd::from(socket)));
    Command::new("/proc/self/exe")
        .arg0(COMPILER)
        .args(arguments)
        .stdin(stream()?)
        .stdout(stream()?)
        .stderr(stream()?)
        .spawn()
}

fn wait(mut compiler: Child, socket: &UnixStream) -> io::Result<ExitStatus> {
    let process = pidfd_open(Pid::from_child(&compiler), PidfdFlags::empty()).ok();
    loop {
        if let Some(status) = compiler.try_wait()? {
            return Ok(status);
        }
        // From the socket only its end is awaited, which is always reported.
        let mut awaited = vec![PollFd::new(socket, PollFlags::empty())];
        awaited.extend(process.as_ref().map(|process| PollFd::new(process, PollFlags::IN)));
        let timeout = if process.is_some() { None } else { Some(&POLL_INTERVAL) };
        match poll(&mut awaited, timeout) {
            Ok(_) if awaited[0].revents().intersects(PollFlags::HUP | PollFlags::ERR) => {
                // The compiler may have ended already.
                let _ = compiler.kill();
                return compiler.wait();
            }
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => {
                let _ = compiler.kill();
                let _ = compiler.wait();
                return Err(error.into());
            }
        }
    }
}
