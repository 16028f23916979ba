//! Sending: sendmmsg(2) across peers, UDP_SEGMENT within a window.

use super::address::{CONTROL_ROOM, ControlBuffer, ControlWriter, to_kernel};
use super::{Local, Socket};
use std::io;
use std::mem::zeroed;
use std::net::SocketAddr;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::time::Duration;

/// Datagrams that the kernel cuts from one message (UDP_MAX_SEGMENTS of older kernels).
pub const MAX_SEGMENTS: usize = 64;

/// Bytes in one message, all its datagrams together: what fits an IP packet before it is cut.
pub const MAX_MESSAGE: usize = 65_000;

/// Messages in one call.
const BATCH: usize = 64;

/// Bytes that may wait for one call.
const ARENA: usize = 1 << 20;

/// How long to wait for room in a full send buffer before the datagrams count as lost.
const PATIENCE: Duration = Duration::from_millis(5);

/// What became of a batch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SendReport {
    /// Datagrams that the kernel did not take; to a peer they look like loss on the path.
    pub lost: u32,
    /// Messages that were sent again in pieces because the kernel refused to cut them.
    pub unsegmented: u32,
}

/// Messages that wait to be sent through one socket.
pub struct SendBatch {
    arena: Box<[u8]>,
    used: usize,
    messages: Vec<Message>,
    addresses: Box<[libc::sockaddr_storage]>,
    controls: Box<[ControlBuffer]>,
    vectors: Box<[libc::iovec]>,
    headers: Box<[libc::mmsghdr]>,
}

#[derive(Debug, Clone)]
struct Message {
    peer: SocketAddr,
    local: Option<Local>,
    bytes: Range<usize>,
    /// Bytes in each datagram but the last.
    segment: usize,
}

// SAFETY: the raw pointers in `headers` and `vectors` are written anew before each call and read by no one
// else; what they point at is owned by the same value.
unsafe impl Send for SendBatch {}

impl SendBatch {
    /// Allocates the buffers.
    pub fn new() -> Self {
        // SAFETY: all-zero bytes are valid for these C structures (null pointers, zero lengths).
        let (address, header, vector): (libc::sockaddr_storage, libc::mmsghdr, libc::iovec) =
            unsafe { (zeroed(), zeroed(), zeroed()) };
        SendBatch {
            arena: vec![0; ARENA].into_boxed_slice(),
            used: 0,
            messages: Vec::with_capacity(BATCH),
            addresses: vec![address; BATCH].into_boxed_slice(),
            controls: vec![ControlBuffer([0; CONTROL_ROOM]); BATCH].into_boxed_slice(),
            vectors: vec![vector; BATCH].into_boxed_slice(),
            headers: vec![header; BATCH].into_boxed_slice(),
        }
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Whether a message of `length` bytes still fits; if not, flush first.
    pub fn has_room(&self, length: usize) -> bool {
        self.messages.len() < BATCH && self.used + length <= self.arena.len()
    }

    /// Room for the bytes of the next message, `length` of them; `None` if they do not fit. Nothing is
    /// sent before [`SendBatch::push`].
    pub fn room(&mut self, length: usize) -> Option<&mut [u8]> {
        if self.messages.len() >= BATCH {
            return None;
        }
        self.arena.get_mut(self.used..self.used + length)
    }

    /// Queues the first `length` bytes of the room as datagrams of `segment` bytes and a shorter last
    /// one. At most [`MAX_SEGMENTS`] of them and [`MAX_MESSAGE`] bytes, unless it is a single datagram.
    pub fn push(&mut self, peer: SocketAddr, local: Option<Local>, length: usize, segment: usize) {
        debug_assert!(self.messages.len() < BATCH && self.used + length <= self.arena.len());
        let bytes = self.used..self.used + length;
        self.used = bytes.end;
        self.messages.push(Message { peer, local, bytes, segment: segment.max(1) });
    }

    /// Sends all that waits. A full send buffer is waited for shortly; then datagrams count as lost and
    /// the protocol sends them again.
    pub fn flush(&mut self, socket: &Socket) -> SendReport {
        let mut report = SendReport::default();
        let mut messages = std::mem::take(&mut self.messages);
        let mut rest = &messages[..];
        while let Some(first) = rest.first() {
            if first.datagrams() > 1 && !self.segmented(socket, first) {
                report.lost += self.send_plain(socket, first);
                rest = &rest[1..];
                continue;
            }
            match self.send(socket, rest) {
                Ok(sent) => rest = &rest[sent.max(1)..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if !wait_writable(socket) {
                        report.lost += rest.iter().map(Message::datagrams).sum::<u32>();
                        break;
                    }
                }
                Err(error) => {
                    let message = &rest[0];
                    if self.segmented(socket, message) && refuses_segments(&error) {
                        // A device without checksum offload refuses all, a small MTU only large ones.
                        let limit =
                            if error.raw_os_error() == Some(libc::EIO) { 0 } else { message.segment - 1 };
                        socket.segment_limit.set(limit);
                        report.unsegmented += 1;
                        report.lost += self.send_plain(socket, message);
                    } else {
                        report.lost += message.datagrams();
                    }
                    rest = &rest[1..];
                }
            }
        }
        messages.clear();
        self.messages = messages;
        self.used = 0;
        report
    }

    /// Sends messages up to the first that fails or that has to be cut here; an error tells of the first
    /// of all.
    fn send(&mut self, socket: &Socket, messages: &[Message]) -> io::Result<usize> {
        let whole = |message: &&Message| message.datagrams() == 1 || self.segmented(socket, message);
        let count = messages.iter().take(BATCH).take_while(whole).count();
        for (index, message) in messages[..count].iter().enumerate() {
            let segment = (message.datagrams() > 1).then_some(message.segment);
            self.prepare(index, message.bytes.clone(), &message.peer, message.local, segment);
        }
        self.submit(socket, count)
    }

    /// One datagram at a time, where the kernel does not cut; how many were lost.
    fn send_plain(&mut self, socket: &Socket, message: &Message) -> u32 {
        let mut at = message.bytes.start;
        while at < message.bytes.end {
            let mut count = 0;
            let mut end = at;
            while count < BATCH && end < message.bytes.end {
                let next = (end + message.segment).min(message.bytes.end);
                self.prepare(count, end..next, &message.peer, message.local, None);
                end = next;
                count += 1;
            }
            match self.submit(socket, count) {
                Ok(sent) => at = (at + sent.max(1) * message.segment).min(message.bytes.end),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && wait_writable(socket) => {}
                Err(_) => return (message.bytes.end - at).div_ceil(message.segment) as u32,
            }
        }
        0
    }

    fn prepare(
        &mut self,
        index: usize,
        bytes: Range<usize>,
        peer: &SocketAddr,
        local: Option<Local>,
        segment: Option<usize>,
    ) {
        let payload = &mut self.arena[bytes];
        self.vectors[index] = libc::iovec { iov_base: payload.as_mut_ptr().cast(), iov_len: payload.len() };
        let mut control = ControlWriter::new(&mut self.controls[index]);
        if let Some(local) = local {
            control.source(&local);
        }
        if let Some(segment) = segment {
            control.segment(segment as u16);
        }
        let used = control.finish();
        let header = &mut self.headers[index].msg_hdr;
        header.msg_namelen = to_kernel(peer, &mut self.addresses[index]);
        header.msg_name = std::ptr::from_mut(&mut self.addresses[index]).cast();
        header.msg_iov = std::ptr::from_mut(&mut self.vectors[index]);
        header.msg_iovlen = 1;
        header.msg_control =
            if used == 0 { std::ptr::null_mut() } else { self.controls[index].0.as_mut_ptr().cast() };
        header.msg_controllen = used as _;
    }

    fn submit(&mut self, socket: &Socket, count: usize) -> io::Result<usize> {
        // SAFETY: the first `count` headers were prepared just now; each points at its own address,
        // control and payload bytes in `self`, which live and stay in place through the call.
        let sent = unsafe {
            libc::sendmmsg(
                socket.as_raw_fd(),
                self.headers.as_mut_ptr(),
                count as libc::c_uint,
                libc::MSG_DONTWAIT,
            )
        };
        if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(sent as usize) }
    }

    fn segmented(&self, socket: &Socket, message: &Message) -> bool {
        message.segment <= socket.segment_limit.get()
    }
}

impl Default for SendBatch {
    fn default() -> Self {
        SendBatch::new()
    }
}

impl Message {
    fn datagrams(&self) -> u32 {
        self.bytes.len().div_ceil(self.segment).max(1) as u32
    }
}

/// The errors by which kernels refuse UDP_SEGMENT: no checksum offload (EIO), segments beyond the MTU
/// (EINVAL, EMSGSIZE), no such option (ENOPROTOOPT).
fn refuses_segments(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EIO | libc::EINVAL | libc::EMSGSIZE | libc::ENOPROTOOPT))
}

fn wait_writable(socket: &Socket) -> bool {
    let mut ready = [rustix::event::PollFd::new(socket, rustix::event::PollFlags::OUT)];
    let patience = rustix::event::Timespec { tv_sec: 0, tv_nsec: PATIENCE.as_nanos() as _ };
    rustix::event::poll(&mut ready, Some(&patience)).is_ok_and(|count| count > 0)
}

#[cfg(test)]
mod tests {
    use super::super::{BindOptions, ReceiveBatch};
    use super::*;

    fn pair() -> (Socket, Socket) {
        let bind = || Socket::bind("127.0.0.1:0".parse().unwrap(), BindOptions::default()).unwrap();
        (bind(), bind())
    }

    fn receive(socket: &Socket, wanted: usize) -> Vec<Vec<u8>> {
        let (mut batch, mut got) = (ReceiveBatch::new(), Vec::new());
        while got.len() < wanted {
            let mut ready = [rustix::event::PollFd::new(socket, rustix::event::PollFlags::IN)];
            let patience = rustix::event::Timespec { tv_sec: 5, tv_nsec: 0 };
            assert_eq!(rustix::event::poll(&mut ready, Some(&patience)), Ok(1), "only {} came", got.len());
            batch.fill(socket).unwrap();
            got.extend((0..batch.len()).map(|index| batch.get(index).unwrap().payload.to_vec()));
        }
        got
    }

    fn window(batch: &mut SendBatch, peer: SocketAddr, segment: usize, length: usize) -> Vec<Vec<u8>> {
        let room = batch.room(length).unwrap();
        room.iter_mut().enumerate().for_each(|(index, byte)| *byte = (index % 251) as u8);
        let datagrams = room.chunks(segment).map(<[u8]>::to_vec).collect();
        batch.push(peer, None, length, segment);
        datagrams
    }

    #[test]
    fn a_window_arrives_as_its_datagrams_with_and_without_segmentation() {
        for plain in [false, true] {
            let (from, to) = pair();
            if plain {
                from.disable_segmentation();
            }
            let mut batch = SendBatch::new();
            let sent = window(&mut batch, to.local(), 1_404, 20 * 1_404 + 5);
            assert_eq!(batch.flush(&from), SendReport::default());
            assert_eq!(receive(&to, sent.len()), sent);
        }
    }

    #[test]
    fn segments_that_the_kernel_refuses_are_sent_in_pieces_from_then_on() {
        let (from, to) = pair();
        let mut batch = SendBatch::new();
        // 65 segments are more than UDP_MAX_SEGMENTS was for years; where a kernel takes them, the
        // message is beyond what an IP packet holds, and that is refused everywhere.
        let sent = window(&mut batch, to.local(), 600, 600 * 129);
        let report = batch.flush(&from);
        assert_eq!((report.lost, report.unsegmented), (0, 1));
        assert_eq!(receive(&to, sent.len()), sent);
        assert_eq!(from.segment_limit.get(), 599);
    }

    #[test]
    fn many_peers_in_one_batch() {
        let (from, _) = pair();
        let peers: Vec<Socket> = (0..20).map(|_| pair().0).collect();
        let mut batch = SendBatch::new();
        let sent: Vec<_> = peers
            .iter()
            .enumerate()
            .map(|(index, peer)| window(&mut batch, peer.local(), 100, 100 + index))
            .collect();
        assert_eq!(batch.flush(&from), SendReport::default());
        for (peer, sent) in peers.iter().zip(sent) {
            assert_eq!(receive(peer, sent.len()), sent);
        }
    }

    #[test]
    fn answers_leave_from_the_address_that_was_asked() {
        let server = Socket::bind("0.0.0.0:0".parse().unwrap(), BindOptions::default()).unwrap();
        let client = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        client.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        let asked: SocketAddr = (std::net::Ipv4Addr::new(127, 0, 0, 9), server.local().port()).into();
        client.send_to(b"ping", asked).unwrap();
        let mut received = ReceiveBatch::new();
        let mut ready = [rustix::event::PollFd::new(&server, rustix::event::PollFlags::IN)];
        rustix::event::poll(&mut ready, None).unwrap();
        received.fill(&server).unwrap();
        let datagram = received.get(0).unwrap();
        assert_eq!(datagram.local.and_then(|local| local.address), Some(asked.ip()));
        let mut batch = SendBatch::new();
        batch.room(4).unwrap().copy_from_slice(b"pong");
        batch.push(datagram.peer, datagram.local, 4, 4);
        assert_eq!(batch.flush(&server), SendReport::default());
        assert_eq!(client.recv_from(&mut [0; 8]).unwrap().1, asked);
    }
}
