//! Receiving: recvmmsg(2).

use super::address::{CONTROL_ROOM, ControlBuffer, ancillary_data, from_kernel};
use super::{Local, Socket};
use std::io;
use std::mem::zeroed;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::slice::Chunks;

/// Datagrams per call.
const BATCH: usize = 32;

/// The longest UDP payload is 65,507 bytes over IPv4, so nothing is ever truncated.
const ROOM: usize = 65_536;

/// Reusable buffers for a batch of datagrams. Pages that no datagram has reached cost nothing.
pub struct ReceiveBatch {
    payloads: Box<[u8]>,
    addresses: Box<[libc::sockaddr_storage]>,
    controls: Box<[ControlBuffer]>,
    vectors: Box<[libc::iovec]>,
    headers: Box<[libc::mmsghdr]>,
    filled: usize,
}

/// One datagram of a batch.
#[derive(Debug, Clone, Copy)]
pub struct Received<'a> {
    /// The sender.
    pub peer: SocketAddr,
    /// The destination; `None` if the kernel did not report it.
    pub local: Option<Local>,
    /// The bytes; if the kernel coalesced several datagrams of one peer ([`BindOptions::gro`]), those of all
    /// of them.
    ///
    /// [`BindOptions::gro`]: super::BindOptions::gro
    pub payload: &'a [u8],
    /// Bytes in each datagram of a coalesced payload, the last of which may be shorter.
    pub segment: Option<usize>,
}

impl<'a> Received<'a> {
    /// Returns the datagrams of the payload: one, unless the kernel coalesced several. None if it is empty.
    pub fn datagrams(&self) -> Chunks<'a, u8> {
        self.payload.chunks(self.segment.unwrap_or(self.payload.len()).max(1))
    }

    /// Iterates over the datagrams, each with its addresses. An empty payload is one empty datagram: the
    /// kernel does not coalesce these.
    pub fn each(&self) -> impl Iterator<Item = Received<'a>> + use<'a> {
        let Received { peer, local, payload, .. } = *self;
        let empty = payload.is_empty().then_some(payload);
        self.datagrams().chain(empty).map(move |payload| Received { peer, local, payload, segment: None })
    }
}

// SAFETY: the raw pointers in `headers` and `vectors` point into boxes of the same value, which stay in
// place when it moves and are never replaced.
unsafe impl Send for ReceiveBatch {}

impl ReceiveBatch {
    /// Allocates the buffers.
    pub fn new() -> Self {
        // SAFETY: all-zero bytes are valid for these C structures (null pointers, zero lengths).
        let (address, header, vector): (libc::sockaddr_storage, libc::mmsghdr, libc::iovec) =
            unsafe { (zeroed(), zeroed(), zeroed()) };
        let mut batch = ReceiveBatch {
            payloads: vec![0; BATCH * ROOM].into_boxed_slice(),
            addresses: vec![address; BATCH].into_boxed_slice(),
            controls: vec![ControlBuffer([0; CONTROL_ROOM]); BATCH].into_boxed_slice(),
            vectors: vec![vector; BATCH].into_boxed_slice(),
            headers: vec![header; BATCH].into_boxed_slice(),
            filled: BATCH,
        };
        for (index, payload) in batch.payloads.chunks_exact_mut(ROOM).enumerate() {
            batch.vectors[index] = libc::iovec { iov_base: payload.as_mut_ptr().cast(), iov_len: ROOM };
            let header = &mut batch.headers[index].msg_hdr;
            header.msg_name = std::ptr::from_mut(&mut batch.addresses[index]).cast();
            header.msg_iov = std::ptr::from_mut(&mut batch.vectors[index]);
            header.msg_iovlen = 1;
            header.msg_control = batch.controls[index].0.as_mut_ptr().cast();
        }
        batch.renew();
        batch
    }

    /// Resets the headers that the last call filled; the kernel leaves the others unchanged.
    fn renew(&mut self) {
        for header in &mut self.headers[..self.filled] {
            header.msg_hdr.msg_namelen = size_of::<libc::sockaddr_storage>() as libc::socklen_t;
            header.msg_hdr.msg_controllen = CONTROL_ROOM as _;
        }
        self.filled = 0;
    }

    /// Receives the datagrams that have arrived, at most one batch. Returns true if there may be more.
    pub fn fill(&mut self, socket: &Socket) -> io::Result<bool> {
        self.fill_up_to(socket, BATCH)
    }

    /// As [`ReceiveBatch::fill`], at most `most` datagrams. Unless that many arrived, the call ends with an
    /// empty receive, which costs a third of a datagram: a caller that expects one should ask for one.
    pub fn fill_up_to(&mut self, socket: &Socket, most: usize) -> io::Result<bool> {
        let most = most.clamp(1, BATCH);
        self.renew();
        // SAFETY: each header points at its own buffers of the given lengths, which live in `self`, stay
        // in place (`new` made them) and are not touched until the call returns; `most` headers are there.
        let count = unsafe {
            libc::recvmmsg(
                socket.as_raw_fd(),
                self.headers.as_mut_ptr(),
                most as libc::c_uint,
                libc::MSG_DONTWAIT,
                std::ptr::null_mut(),
            )
        };
        if count < 0 {
            let error = io::Error::last_os_error();
            return match error.kind() {
                io::ErrorKind::WouldBlock => Ok(false),
                io::ErrorKind::Interrupted => Ok(true),
                _ => Err(error),
            };
        }
        self.filled = count as usize;
        Ok(self.filled == most)
    }

    /// Returns the number of datagrams of the last call.
    pub fn len(&self) -> usize {
        self.filled
    }

    /// Returns whether the last call received none.
    pub fn is_empty(&self) -> bool {
        self.filled == 0
    }

    /// Returns a datagram of the last batch; `None` past its end or from a peer without an IP address.
    pub fn get(&self, index: usize) -> Option<Received<'_>> {
        if index >= self.filled {
            return None;
        }
        let header = &self.headers[index];
        let peer = from_kernel(&self.addresses[index])?;
        let length = (header.msg_len as usize).min(ROOM);
        let payload = &self.payloads[index * ROOM..index * ROOM + length];
        let ancillary = ancillary_data(&header.msg_hdr);
        Some(Received { peer, local: ancillary.local, payload, segment: ancillary.segment })
    }
}

impl Default for ReceiveBatch {
    fn default() -> Self {
        ReceiveBatch::new()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BindOptions, SendBatch};
    use super::*;

    /// Sends twenty full datagrams and a short one as one message, which the kernel segments.
    fn sent_to(gro: bool) -> (Vec<Vec<u8>>, usize) {
        let loopback = "127.0.0.1:0".parse().unwrap();
        let from = Socket::bind(loopback, BindOptions::default()).unwrap();
        let to =
            Socket::bind(loopback, BindOptions { gro, tell_local: gro, ..BindOptions::default() }).unwrap();
        let mut sender = SendBatch::new();
        let length = 20 * 1_404 + 5;
        for (index, byte) in sender.room(length).unwrap().iter_mut().enumerate() {
            *byte = (index / 1_404) as u8;
        }
        sender.push(to.local(), None, length, 1_404);
        assert_eq!(sender.flush(&from).lost, 0);
        let (mut batch, mut datagrams, mut buffers) = (ReceiveBatch::new(), Vec::new(), 0);
        while datagrams.len() < 21 {
            let mut ready = [rustix::event::PollFd::new(&to, rustix::event::PollFlags::IN)];
            let patience = rustix::event::Timespec { tv_sec: 5, tv_nsec: 0 };
            assert_eq!(rustix::event::poll(&mut ready, Some(&patience)), Ok(1), "{}", datagrams.len());
            batch.fill(&to).unwrap();
            for received in (0..batch.len()).filter_map(|index| batch.get(index)) {
                assert_eq!(received.peer, from.local());
                let ancillary = received.local.and_then(|local| local.address);
                assert_eq!(ancillary, gro.then_some(from.local().ip()));
                datagrams.extend(received.datagrams().map(<[u8]>::to_vec));
                buffers += 1;
            }
        }
        (datagrams, buffers)
    }

    #[test]
    fn a_window_comes_whole_where_the_kernel_may_coalesce() {
        let (datagrams, buffers) = sent_to(true);
        assert_eq!(buffers, 1);
        assert_eq!(sent_to(false), (datagrams.clone(), 21));
        assert_eq!(datagrams[20], [20; 5]);
        for (number, datagram) in datagrams[..20].iter().enumerate() {
            assert_eq!(datagram, &[number as u8; 1_404]);
        }
    }

    #[test]
    fn an_empty_datagram_is_one_without_bytes() {
        for segment in [None, Some(100)] {
            let peer = "127.0.0.1:1".parse().unwrap();
            let received = Received { peer, local: None, payload: &[], segment };
            assert_eq!(received.datagrams().count(), 0);
            assert_eq!(received.each().map(|it| it.payload.len()).collect::<Vec<_>>(), [0]);
        }
    }
}
