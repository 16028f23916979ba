//! Through `tuffet_udp`, as the server does: receives all waiting requests before it sends the answers.

use crate::limit::server::Server;
use crate::limit::shape::Send;
use std::io;
use std::net::SocketAddr;
use tuffet_udp::{ReceiveBatch, SendBatch};

pub(super) fn serve(server: &Server<'_>) -> io::Result<()> {
    let (mut requests, mut answers) = (ReceiveBatch::new(), SendBatch::new());
    if server.shape.send == Send::Plain {
        server.socket.disable_segmentation();
    }
    while server.wait()? {
        while requests.fill(&server.socket)? {
            answer(server, &requests, &mut answers);
        }
        answer(server, &requests, &mut answers);
        answers.flush(&server.socket);
    }
    Ok(())
}

fn answer(server: &Server<'_>, requests: &ReceiveBatch, answers: &mut SendBatch) {
    for request in (0..requests.len()).filter_map(|index| requests.get(index)) {
        window(server, request.peer, answers);
        server.answered();
    }
}

fn window(server: &Server<'_>, peer: SocketAddr, answers: &mut SendBatch) {
    let size = server.shape.size;
    for datagrams in server.shape.messages() {
        if !answers.has_room(datagrams * size) {
            answers.flush(&server.socket);
        }
        // The room keeps the bytes of earlier messages: only the kernel copies anything here.
        answers.push(peer, None, datagrams * size, size);
    }
}
