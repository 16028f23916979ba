//! Whether the other end of a stream socket reads what it is sent.
//!
//! A write succeeds as long as the buffers of both kernels have room: a few kilobytes a second fit for a quarter of an
//! hour. Flow control tells more. A TCP receiver offers room up to an edge (bytes acknowledged plus window), which only
//! moves on as its program reads; for a socket in the file system the kernel counts what is unread.

use std::mem::{offset_of, size_of};
use std::os::fd::{AsFd, AsRawFd};
use std::time::{Duration, Instant};

/// The progress of a reader. Of a stream that is no socket of these kinds, and of TCP before Linux 5.4, nothing is
/// known: its reader never counts as idle.
#[derive(Debug, Default)]
pub struct ReadProgress {
    last: Option<(Instant, Position)>,
}

#[derive(Debug, Clone, Copy)]
enum Position {
    Tcp {
        acknowledged: u64,
        /// The end of the room that the receiver offers.
        edge: u64,
        /// The unit of its window in bytes.
        unit: u64,
    },
    Local {
        unread: u64,
    },
}

impl ReadProgress {
    /// Returns for how long the reader has read nothing of what it was sent. Must be called before each write.
    pub fn idle_for(&mut self, socket: impl AsFd, now: Instant) -> Duration {
        let position = Position::of(&socket);
        match (self.last, position) {
            (Some((since, last)), Some(position)) if !last.has_moved(position) => {
                now.saturating_duration_since(since)
            }
            (_, position) => {
                self.last = position.map(|position| (now, position));
                Duration::ZERO
            }
        }
    }

    /// Must be called after each write.
    pub fn written(&mut self, socket: impl AsFd) {
        if let Some((_, Position::Local { unread })) = &mut self.last
            && let Some(Position::Local { unread: now }) = Position::of(&socket)
        {
            *unread = now;
        }
    }
}

impl Position {
    fn of(socket: &impl AsFd) -> Option<Position> {
        tcp(socket).or_else(|| unread(socket).map(|unread| Position::Local { unread }))
    }

    fn has_moved(self, now: Position) -> bool {
        match (self, now) {
            // A receiver rounds its window up, which moves the edge a little even without a read.
            (
                Position::Tcp { acknowledged, edge, unit },
                Position::Tcp { acknowledged: later, edge: moved, .. },
            ) => moved.saturating_sub(edge) >= later.saturating_sub(acknowledged) / 2 + unit,
            (Position::Local { unread }, Position::Local { unread: now }) => now == 0 || now < unread,
            _ => true,
        }
    }
}

/// `tcpi_snd_wnd` since Linux 5.4; `None` if this is no TCP socket, or if the kernel does not know it.
fn tcp(socket: &impl AsFd) -> Option<Position> {
    // SAFETY: `tcp_info` consists of integers, for which zero bytes are valid.
    let mut info: libc::tcp_info = unsafe { std::mem::zeroed() };
    let mut length = size_of::<libc::tcp_info>() as libc::socklen_t;
    // SAFETY: `info` lives through the call, and `length` is its size; the kernel writes at most as much (tcp(7)).
    let result = unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            std::ptr::from_mut(&mut info).cast(),
            &raw mut length,
        )
    };
    let needed = offset_of!(libc::tcp_info, tcpi_snd_wnd) + size_of::<u32>();
    (result == 0 && length as usize >= needed).then(|| Position::Tcp {
        acknowledged: info.tcpi_bytes_acked,
        edge: info.tcpi_bytes_acked.saturating_add(info.tcpi_snd_wnd.into()),
        // The scale factors of both directions, in an order that depends on the machine.
        unit: 1 << (info.tcpi_snd_rcv_wscale & 15).max(info.tcpi_snd_rcv_wscale >> 4),
    })
}

/// What the other end of a socket in the file system has not read, with the kernel's own bytes for it (SIOCOUTQ); `None`
/// for sockets of other kinds, where the same call counts what is not acknowledged.
fn unread(socket: &impl AsFd) -> Option<u64> {
    let fd = socket.as_fd();
    if socket2::SockRef::from(&fd).domain().ok()? != socket2::Domain::UNIX {
        return None;
    }
    let mut unread: libc::c_int = 0;
    // SAFETY: `unread` lives through the call; the request writes one int (unix(7)).
    let result = unsafe { libc::ioctl(fd.as_raw_fd(), libc::TIOCOUTQ, &raw mut unread) };
    (result == 0).then(|| u64::try_from(unread).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{self, Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::os::unix::net::UnixStream;

    /// Writes 2,500 bytes a second for this time, in a clock of its own; returns for how long nothing was read at most.
    fn idle_after(
        seconds: u64,
        ours: &mut (impl Write + AsFd),
        mut reads: impl FnMut(),
    ) -> io::Result<Duration> {
        let (mut progress, start) = (ReadProgress::default(), Instant::now());
        let mut idle = Duration::ZERO;
        for second in 0..seconds {
            idle = idle.max(progress.idle_for(&*ours, start + Duration::from_secs(second)));
            ours.write_all(&[7; 2500])?;
            progress.written(&*ours);
            reads();
        }
        Ok(idle)
    }

    fn check<S: Read + Write + AsFd>(pair: impl Fn() -> (S, S)) {
        // A receiver may widen its window at first, whether anybody reads or not.
        let (mut ours, _theirs) = pair();
        let idle = idle_after(19, &mut ours, || {}).unwrap();
        assert!(idle >= Duration::from_secs(12), "{idle:?}");
        // It reads all events each few seconds.
        for pause in [1, 5] {
            let (mut ours, mut theirs) = pair();
            let mut second = 0;
            let idle = idle_after(32, &mut ours, || {
                second += 1;
                if second % pause == 0 {
                    theirs.read_exact(&mut vec![0; 2500 * pause]).unwrap();
                }
            });
            let idle = idle.unwrap();
            assert!(idle <= Duration::from_secs(pause as u64 + 2), "{pause}: {idle:?}");
        }
    }

    #[test]
    fn a_reader_of_tcp_is_told_from_one_that_reads_nothing() {
        check(|| {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let theirs = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let ours = listener.accept().unwrap().0;
            ours.set_nodelay(true).unwrap();
            (ours, theirs)
        });
    }

    #[test]
    fn a_reader_of_a_local_socket_is_told_from_one_that_reads_nothing() {
        check(|| UnixStream::pair().unwrap());
    }

    #[test]
    fn nothing_is_known_of_a_file() {
        let mut progress = ReadProgress::default();
        let file = std::fs::File::open("/dev/null").unwrap();
        let start = Instant::now();
        progress.idle_for(&file, start);
        assert_eq!(progress.idle_for(&file, start + Duration::from_secs(99)), Duration::ZERO);
    }
}
