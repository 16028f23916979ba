//! Through `rustix`: a call for each datagram.

use crate::limit::server::Server;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recvfrom, sendto};
use std::io;
use std::net::SocketAddr;

pub(super) fn serve(server: &Server<'_>) -> io::Result<()> {
    let datagram = vec![0; server.shape.size];
    let mut room = [0_u8; 2048];
    while server.wait()? {
        loop {
            let peer = match recvfrom(&server.socket, &mut room[..], RecvFlags::DONTWAIT) {
                Ok((_, _, peer)) => peer,
                Err(Errno::AGAIN) => break,
                Err(error) => return Err(error.into()),
            };
            let Some(Ok(peer)) = peer.map(SocketAddr::try_from) else { continue };
            for _ in 0..server.shape.window {
                let _ = sendto(&server.socket, &datagram, SendFlags::DONTWAIT, &peer);
            }
            server.answered();
        }
    }
    Ok(())
}
