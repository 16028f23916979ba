//! Sending: sendmmsg(2) across peers, UDP_SEGMENT within a window.

use super::control::{CONTROL_ROOM, ControlBuffer, ControlWriter, to_kernel};
use crate::message::{MAX_SEGMENTS, Piece, SEND_BATCH};
use crate::source::Source;
use std::io;
use std::mem::zeroed;
use std::os::fd::AsRawFd;

/// What a sending call needs beside the bytes.
pub(crate) struct Sender {
    addresses: Box<[libc::sockaddr_storage]>,
    controls: Box<[ControlBuffer]>,
    vectors: Box<[libc::iovec]>,
    headers: Box<[libc::mmsghdr]>,
}

// SAFETY: the raw pointers in `headers` and `vectors` are written anew before each call and read by no one
// else.
unsafe impl Send for Sender {}

impl Sender {
    pub(crate) fn new() -> Self {
        // SAFETY: all-zero bytes are valid for these C structures (null pointers, zero lengths).
        let (address, header, vector): (libc::sockaddr_storage, libc::mmsghdr, libc::iovec) =
            unsafe { (zeroed(), zeroed(), zeroed()) };
        Sender {
            addresses: vec![address; SEND_BATCH].into_boxed_slice(),
            controls: vec![ControlBuffer([0; CONTROL_ROOM]); SEND_BATCH].into_boxed_slice(),
            vectors: vec![vector; SEND_BATCH * 2 * MAX_SEGMENTS].into_boxed_slice(),
            headers: vec![header; SEND_BATCH].into_boxed_slice(),
        }
    }

    /// Sends at most [`SEND_BATCH`] pieces, each as one message, up to the first that fails; returns their number. An
    /// error is that of the very first.
    pub(crate) fn send<'a>(
        &mut self,
        socket: &socket2::Socket,
        arena: &[u8],
        pieces: impl Iterator<Item = Piece<'a>>,
    ) -> io::Result<usize> {
        let (mut count, mut vector) = (0, 0);
        for piece in pieces {
            vector = self.prepare(count, vector, arena, &piece);
            count += 1;
        }
        // SAFETY: the first `count` headers were prepared just now; each points at its own address, control
        // and vectors in `self`, and these at bytes of `arena` or of a content that its message holds, which is
        // borrowed for 'a. All live and stay in place through the call, which only reads the bytes.
        let sent = unsafe {
            sendmmsg(socket.as_raw_fd(), self.headers.as_mut_ptr(), count as libc::c_uint, libc::MSG_DONTWAIT)
        };
        if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(sent as usize) }
    }

    /// Describes a piece to the kernel in one header, from the given index of the vectors on; returns the next free
    /// index.
    fn prepare(&mut self, index: usize, vector: usize, arena: &[u8], piece: &Piece<'_>) -> usize {
        let message = piece.message;
        let mut control = ControlWriter::new(&mut self.controls[index]);
        if let Some(source) = message.local.as_ref().and_then(|local| Source::of(local, &message.peer)) {
            control.source(source);
        }
        if piece.datagrams.len() > 1 {
            control.segment(message.segment as u16);
        }
        let used = control.finish();
        let mut end = vector;
        piece.parts(arena, |bytes| {
            self.vectors[end] = vector_of(bytes);
            end += 1;
        });
        let header = &mut self.headers[index].msg_hdr;
        header.msg_namelen = to_kernel(&message.peer, &mut self.addresses[index]);
        header.msg_name = std::ptr::from_mut(&mut self.addresses[index]).cast();
        header.msg_iov = std::ptr::from_mut(&mut self.vectors[vector]);
        header.msg_iovlen = (end - vector) as _;
        header.msg_control =
            if used == 0 { std::ptr::null_mut() } else { self.controls[index].0.as_mut_ptr().cast() };
        header.msg_controllen = used as _;
        end
    }
}

#[cfg(not(target_env = "musl"))]
use libc::sendmmsg;

/// sendmmsg(2). That of musl is a loop of sendmsg(2): POSIX gives three fields narrower types than the kernel, and musl
/// does not rely on zeroes behind them. Here they are zeroed when they are made, and nothing writes them.
///
/// # Safety
/// As for sendmmsg(2), and the padding of each header and control message is zero.
#[cfg(target_env = "musl")]
unsafe fn sendmmsg(
    socket: libc::c_int,
    headers: *mut libc::mmsghdr,
    count: libc::c_uint,
    flags: libc::c_int,
) -> libc::c_long {
    const { assert!(cfg!(target_endian = "little"), "the padding stands behind the value") };
    // SAFETY: the caller keeps what sendmmsg(2) asks for.
    unsafe { libc::syscall(libc::SYS_sendmmsg, socket, headers, count, flags) }
}

/// A vector for sending: the kernel only reads the bytes.
fn vector_of(bytes: &[u8]) -> libc::iovec {
    libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() }
}
