//! Receiving: recvmmsg(2).

use super::control::{CONTROL_ROOM, ControlBuffer, ancillary_data};
use crate::address::from_kernel;
use crate::message::{RECEIVE_BATCH, ROOM};
use crate::received::Received;
use std::io;
use std::mem::zeroed;
use std::os::fd::AsRawFd;

/// The buffers of a receiving call. Pages never touched by a datagram cost nothing.
pub(crate) struct Receiver {
    payloads: Box<[u8]>,
    addresses: Box<[libc::sockaddr_storage]>,
    controls: Box<[ControlBuffer]>,
    vectors: Box<[libc::iovec]>,
    headers: Box<[libc::mmsghdr]>,
    filled: usize,
}

// SAFETY: the raw pointers in `headers` and `vectors` point into boxes of the same value, which stay in
// place when it moves and are never replaced.
unsafe impl Send for Receiver {}

impl Receiver {
    pub(crate) fn new() -> Self {
        // SAFETY: all-zero bytes are valid for these C structures (null pointers, zero lengths).
        let (address, header, vector): (libc::sockaddr_storage, libc::mmsghdr, libc::iovec) =
            unsafe { (zeroed(), zeroed(), zeroed()) };
        let mut receiver = Receiver {
            payloads: vec![0; RECEIVE_BATCH * ROOM].into_boxed_slice(),
            addresses: vec![address; RECEIVE_BATCH].into_boxed_slice(),
            controls: vec![ControlBuffer([0; CONTROL_ROOM]); RECEIVE_BATCH].into_boxed_slice(),
            vectors: vec![vector; RECEIVE_BATCH].into_boxed_slice(),
            headers: vec![header; RECEIVE_BATCH].into_boxed_slice(),
            filled: RECEIVE_BATCH,
        };
        for (index, payload) in receiver.payloads.chunks_exact_mut(ROOM).enumerate() {
            receiver.vectors[index] = libc::iovec { iov_base: payload.as_mut_ptr().cast(), iov_len: ROOM };
            let header = &mut receiver.headers[index].msg_hdr;
            header.msg_name = std::ptr::from_mut(&mut receiver.addresses[index]).cast();
            header.msg_iov = std::ptr::from_mut(&mut receiver.vectors[index]);
            header.msg_iovlen = 1;
            header.msg_control = receiver.controls[index].0.as_mut_ptr().cast();
        }
        receiver.renew();
        receiver
    }

    /// Resets the headers that the last call filled; the kernel leaves the others unchanged.
    fn renew(&mut self) {
        for header in &mut self.headers[..self.filled] {
            header.msg_hdr.msg_namelen = size_of::<libc::sockaddr_storage>() as libc::socklen_t;
            header.msg_hdr.msg_controllen = CONTROL_ROOM as _;
        }
        self.filled = 0;
    }

    /// Receives at most `most` datagrams. Returns true if there may be more.
    pub(crate) fn receive(&mut self, socket: &socket2::Socket, most: usize) -> io::Result<bool> {
        self.renew();
        let most = most.min(RECEIVE_BATCH);
        // SAFETY: each header points at its own buffers of the given lengths, which live in `self`, stay
        // in place (`new` made them) and are not touched until the call returns; `most` headers are there.
        let count = unsafe {
            libc::recvmmsg(
                socket.as_raw_fd(),
                self.headers.as_mut_ptr(),
                most as libc::c_uint,
                // Another integer type with musl.
                libc::MSG_DONTWAIT as _,
                std::ptr::null_mut(),
            )
        };
        if count < 0 {
            return Err(io::Error::last_os_error());
        }
        self.filled = count as usize;
        Ok(self.filled == most)
    }

    pub(crate) fn len(&self) -> usize {
        self.filled
    }

    /// Returns a datagram of the last call; `None` past its end or from a peer without an IP address.
    pub(crate) fn get(&self, index: usize) -> Option<Received<'_>> {
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
