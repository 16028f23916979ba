//! Receiving: recvmmsg(2).

use super::address::{CONTROL_ROOM, ControlBuffer, from_kernel, local_of};
use super::{Local, Socket};
use std::io;
use std::mem::zeroed;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;

/// Datagrams in one call.
const BATCH: usize = 32;

/// The longest UDP payload is 65,507 bytes over IPv4; nothing is ever cut.
const ROOM: usize = 65_536;

/// Buffers for a batch of datagrams, used again and again. Pages that no datagram reached cost nothing.
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
    /// Who sent it.
    pub peer: SocketAddr,
    /// Where it was sent to; `None` if the kernel did not say.
    pub local: Option<Local>,
    /// Its bytes.
    pub payload: &'a [u8],
}

// SAFETY: the raw pointers in `headers` and `vectors` are read by the kernel during a call alone; what they
// point at is on the heap, owned by the same value and never reallocated.
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
            filled: 0,
        };
        batch.prepare();
        batch
    }

    /// Receives what has arrived, at most one batch; true if there may be more.
    pub fn fill(&mut self, socket: &Socket) -> io::Result<bool> {
        // The kernel has shortened these lengths in what it filled.
        for header in &mut self.headers[..self.filled] {
            header.msg_hdr.msg_namelen = size_of::<libc::sockaddr_storage>() as libc::socklen_t;
            header.msg_hdr.msg_controllen = CONTROL_ROOM as _;
        }
        self.filled = 0;
        // SAFETY: each header points at its own buffers of the given lengths, which live in `self` and
        // are not touched until the call returns; BATCH headers are there.
        let count = unsafe {
            libc::recvmmsg(
                socket.as_raw_fd(),
                self.headers.as_mut_ptr(),
                BATCH as libc::c_uint,
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
        Ok(self.filled == BATCH)
    }

    /// Points each header at its own buffers, which stay where they are on the heap.
    fn prepare(&mut self) {
        for (index, payload) in self.payloads.chunks_exact_mut(ROOM).enumerate() {
            self.vectors[index] = libc::iovec { iov_base: payload.as_mut_ptr().cast(), iov_len: ROOM };
            let header = &mut self.headers[index].msg_hdr;
            header.msg_name = std::ptr::from_mut(&mut self.addresses[index]).cast();
            header.msg_namelen = size_of::<libc::sockaddr_storage>() as libc::socklen_t;
            header.msg_iov = std::ptr::from_mut(&mut self.vectors[index]);
            header.msg_iovlen = 1;
            header.msg_control = self.controls[index].0.as_mut_ptr().cast();
            header.msg_controllen = CONTROL_ROOM as _;
        }
    }

    /// How many datagrams the last call brought.
    pub fn len(&self) -> usize {
        self.filled
    }

    /// Whether it brought none.
    pub fn is_empty(&self) -> bool {
        self.filled == 0
    }

    /// A datagram of the last batch; `None` past its end or from a peer without an IP address.
    pub fn get(&self, index: usize) -> Option<Received<'_>> {
        if index >= self.filled {
            return None;
        }
        let header = &self.headers[index];
        let peer = from_kernel(&self.addresses[index])?;
        let length = (header.msg_len as usize).min(ROOM);
        let payload = &self.payloads[index * ROOM..index * ROOM + length];
        Some(Received { peer, local: local_of(&header.msg_hdr), payload })
    }
}

impl Default for ReceiveBatch {
    fn default() -> Self {
        ReceiveBatch::new()
    }
}
