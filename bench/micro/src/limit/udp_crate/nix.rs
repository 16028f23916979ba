//! Through `nix`.

use crate::limit::server::Server;
use nix::errno::Errno;
use nix::sys::socket::{ControlMessage, MsgFlags, MultiHeaders, SockaddrIn, recvmmsg, sendmmsg};
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::AsRawFd;

/// Messages in a call.
const BATCH: usize = 64;

pub(super) fn serve(server: &Server<'_>) -> io::Result<()> {
    let fd = server.socket.as_raw_fd();
    let size = server.shape.size;
    let segment = size as u16;
    let window = vec![0; size * server.shape.window];
    let mut rooms = vec![[0_u8; 2048]; BATCH];
    let mut peers = Vec::with_capacity(BATCH);
    while server.wait()? {
        peers.clear();
        {
            let mut headers = MultiHeaders::<SockaddrIn>::preallocate(BATCH, None);
            let mut slices: Vec<[IoSliceMut<'_>; 1]> =
                rooms.iter_mut().map(|room| [IoSliceMut::new(room)]).collect();
            match recvmmsg(fd, &mut headers, slices.iter_mut(), MsgFlags::MSG_DONTWAIT, None) {
                Ok(received) => peers.extend(received.filter_map(|message| message.address)),
                Err(Errno::EAGAIN) => continue,
                Err(error) => return Err(error.into()),
            }
        }
        let (mut slices, mut addresses, mut gso) = (Vec::new(), Vec::new(), false);
        for peer in &peers {
            let mut contents = &window[..];
            for datagrams in server.shape.messages() {
                let (now, later) = contents.split_at(datagrams * size);
                contents = later;
                gso |= datagrams > 1;
                slices.push([IoSlice::new(now)]);
                addresses.push(Some(*peer));
            }
            server.answered();
        }
        let control = [ControlMessage::UdpGsoSegments(&segment)];
        let control = if gso { &control[..] } else { &[] };
        for (slices, addresses) in slices.chunks(BATCH).zip(addresses.chunks(BATCH)) {
            let space = gso.then(|| nix::cmsg_space!(u16));
            let mut headers = MultiHeaders::<SockaddrIn>::preallocate(BATCH, space);
            let sent = sendmmsg(fd, &mut headers, slices, addresses, control, MsgFlags::MSG_DONTWAIT);
            // Datagrams that the kernel refuses are lost, as on any path.
            drop(sent);
        }
    }
    Ok(())
}
