//! The server's side: requests compilers.

use parking_lot::{Condvar, Mutex};
use std::ffi::OsString;
use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use rustix::net::{
    AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType, sendmsg,
    socketpair,
};

use super::STARTER;
use super::answer::{CompileOutcome, STARTER_ENDED, outcome};
use super::work::Header;

/// The time limit of a compiler. Python takes seconds on a server, and minutes on a small, busy board.
const DEADLINE: Duration = Duration::from_secs(300);
/// The maximum number of bytes read from a conversation.
const MAX_ANSWER: u64 = 64 << 10;
/// The component is written in parts of this size, with a check of the deadline between them.
const PART_BYTES: usize = 256 << 10;
/// The maximum number of compilers. Each uses several cores itself; more compilers only take more memory.
const MAX_COMPILERS: usize = 4;

/// The connection to the compiler starter, which ends when this value is dropped.
#[derive(Debug)]
pub struct Compilers {
    control: OwnedFd,
    starter: Option<Mutex<Child>>,
    slots: CompilerSlots,
    deadline: Duration,
}

impl Compilers {
    /// Starts the compiler starter, which passes these arguments on to each compiler. It inherits the privileges of
    /// this process, but no open files.
    ///
    /// # Errors
    /// The program cannot be executed again.
    pub fn start(arguments: impl IntoIterator<Item = OsString>) -> io::Result<Compilers> {
        let (control, starter_end) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        // An upgrade may have put another program at its path.
        let starter = Command::new("/proc/self/exe")
            .arg0(STARTER)
            .args(arguments)
            .env_clear()
            .stdin(starter_end)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Compilers { starter: Some(Mutex::new(starter)), ..Compilers::over(control, DEADLINE) })
    }

    /// Uses a starter at the other end of this socket.
    pub(super) fn over(control: OwnedFd, deadline: Duration) -> Compilers {
        Compilers { control, starter: None, slots: CompilerSlots::new(), deadline }
    }

    /// Lets a process compile this component into the code cache, for an engine with this hash. Blocks.
    pub(crate) fn compile(&self, component: &[u8], hash: u64, pooled: bool) -> CompileOutcome {
        let _slot = self.slots.take();
        let header = Header { hash, pooled, length: component.len() as u64 };
        match self.converse(header, component) {
            Ok(conversation) => outcome(&conversation),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                CompileOutcome::Refused(format!("the compiler did not end within {:?}", self.deadline))
            }
            Err(error) if error.kind() == ErrorKind::InvalidData => CompileOutcome::Unavailable(
                "the output of the compiler does not end; please report it with the component".into(),
            ),
            Err(error) => CompileOutcome::Unavailable(format!("{error}; {STARTER_ENDED}")),
        }
    }

    /// Whether the starter still runs. If it does not, this reaps it.
    pub(crate) fn is_running(&self) -> bool {
        let ended = |starter: &Mutex<Child>| matches!(starter.lock().try_wait(), Ok(Some(_)));
        !self.starter.as_ref().is_some_and(ended)
    }

    /// Returns the output of compiler and starter. The starter kills the compiler when the socket is closed.
    fn converse(&self, header: Header, component: &[u8]) -> io::Result<String> {
        let (mut socket, compiler_end) = UnixStream::pair()?;
        self.hand_over(compiler_end)?;
        let until = Instant::now() + self.deadline;
        // If the compiler stopped reading, its answer has the reason.
        match write(&mut socket, header, component, until) {
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                return Err(error);
            }
            Ok(()) | Err(_) => {}
        }
        let mut conversation = Vec::new();
        loop {
            socket.set_read_timeout(Some(left(until)?))?;
            let mut part = [0; 4096];
            match socket.read(&mut part) {
                Ok(0) => break,
                Ok(count) if conversation.len() as u64 + count as u64 <= MAX_ANSWER => {
                    conversation.extend_from_slice(&part[..count]);
                }
                Ok(_) => return Err(ErrorKind::InvalidData.into()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // The compiler ended without reading everything.
                Err(error) if error.kind() == ErrorKind::ConnectionReset => break,
                Err(error) => return Err(error),
            }
        }
        Ok(String::from_utf8_lossy(&conversation).into_owned())
    }

    fn hand_over(&self, socket: UnixStream) -> io::Result<()> {
        let sockets = [socket.as_fd()];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if !control.push(SendAncillaryMessage::ScmRights(&sockets)) {
            return Err(io::Error::other("no room for a descriptor"));
        }
        sendmsg(
            &self.control,
            &[IoSlice::new(&[0])],
            &mut control,
            SendFlags::NOSIGNAL | SendFlags::DONTWAIT,
        )?;
        Ok(())
    }
}

fn write(socket: &mut UnixStream, header: Header, component: &[u8], until: Instant) -> io::Result<()> {
    socket.set_write_timeout(Some(left(until)?))?;
    socket.write_all(&header.to_bytes())?;
    for part in component.chunks(PART_BYTES) {
        socket.set_write_timeout(Some(left(until)?))?;
        socket.write_all(part)?;
    }
    socket.shutdown(Shutdown::Write)
}

fn left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(left) }
}

/// The free slots for compilers.
#[derive(Debug)]
struct CompilerSlots {
    free: Mutex<usize>,
    freed: Condvar,
}

impl CompilerSlots {
    fn new() -> CompilerSlots {
        let cores = available_parallelism().map_or(1, usize::from);
        CompilerSlots { free: Mutex::new(cores.min(MAX_COMPILERS)), freed: Condvar::new() }
    }

    /// Waits for a free slot.
    fn take(&self) -> CompilerSlot<'_> {
        let mut free = self.free.lock();
        self.freed.wait_while(&mut free, |free| *free == 0);
        *free -= 1;
        CompilerSlot(self)
    }
}

/// A slot, free again when dropped.
struct CompilerSlot<'a>(&'a CompilerSlots);

impl Drop for CompilerSlot<'_> {
    fn drop(&mut self) {
        *self.0.free.lock() += 1;
        self.0.freed.notify_one();
    }
}
