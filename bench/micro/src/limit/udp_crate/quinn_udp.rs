//! Through `quinn-udp`.

use crate::limit::server::Server;
use quinn_udp::{BATCH_SIZE, RecvMeta, Transmit, UdpSocketState};
use std::io::{self, IoSliceMut};

pub(super) fn serve(server: &Server<'_>) -> io::Result<()> {
    let socket = || (&server.socket).into();
    let state = UdpSocketState::new(socket())?;
    let window = vec![0; server.shape.size * server.shape.window];
    let mut rooms = vec![[0_u8; 2048]; BATCH_SIZE];
    let mut metas = [RecvMeta::default(); BATCH_SIZE];
    while server.wait()? {
        loop {
            let mut slices: Vec<IoSliceMut<'_>> =
                rooms.iter_mut().map(|room| IoSliceMut::new(room)).collect();
            let count = match state.recv(socket(), &mut slices, &mut metas) {
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            };
            for meta in &metas[..count] {
                // A coalesced buffer contains several requests of one client.
                for _ in 0..meta.len.div_ceil(meta.stride.max(1)) {
                    let mut contents = &window[..];
                    for datagrams in server.shape.messages() {
                        let (now, later) = contents.split_at(datagrams * server.shape.size);
                        contents = later;
                        let segment_size = (datagrams > 1).then_some(server.shape.size);
                        let transmit = Transmit {
                            destination: meta.addr,
                            ecn: None,
                            contents: now,
                            segment_size,
                            src_ip: None,
                        };
                        // Datagrams that the kernel refuses are lost, as on any path.
                        let _ = state.try_send(socket(), &transmit);
                    }
                    server.answered();
                }
            }
            if count < BATCH_SIZE {
                break;
            }
        }
    }
    Ok(())
}
