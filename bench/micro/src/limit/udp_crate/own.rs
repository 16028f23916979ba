//! Through `tuffet_udp`, as the server does: receives all waiting requests before it sends the answers.

use crate::limit::server::Server;
use crate::limit::shape::Send;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use tuffet_udp::{ReceiveBatch, SendBatch};

/// The size of the file in bytes, larger than a core's caches; and the header of a DATA packet (RFC 1350).
const FILE: usize = 10 << 20;
const HEADER: usize = 4;

pub(super) fn serve(server: &Server<'_>) -> io::Result<()> {
    let (mut requests, mut answers) = (ReceiveBatch::new(), SendBatch::new());
    if server.shape.send == Send::Plain {
        server.socket.disable_segmentation();
    }
    let mut file = (server.shape.send == Send::File).then(File::new);
    while server.wait()? {
        while requests.fill(&server.socket)? {
            answer(server, &requests, &mut answers, &mut file);
        }
        answer(server, &requests, &mut answers, &mut file);
        answers.flush(&server.socket);
    }
    Ok(())
}

/// A file in memory, and the offset of the next window.
struct File {
    content: Arc<[u8]>,
    at: usize,
}

impl File {
    fn new() -> File {
        File { content: vec![69; FILE].into(), at: 0 }
    }

    /// Returns the offset of the next window, far from the last one, as with another client.
    fn window(&mut self, length: usize) -> usize {
        self.at = (self.at + FILE / 8 + length) % (FILE - length);
        self.at
    }
}

fn answer(server: &Server<'_>, requests: &ReceiveBatch, answers: &mut SendBatch, file: &mut Option<File>) {
    for request in (0..requests.len()).filter_map(|index| requests.get(index)) {
        match file {
            Some(file) => gathered(server, request.peer, answers, file),
            None => window(server, request.peer, answers),
        }
        server.answered();
    }
}

fn window(server: &Server<'_>, peer: SocketAddr, answers: &mut SendBatch) {
    let size = server.shape.size;
    for datagrams in server.shape.messages() {
        if !answers.has_room(datagrams * size) {
            answers.flush(&server.socket);
        }
        // The buffer keeps the bytes of earlier messages, so that only the kernel copies.
        answers.push(peer, None, datagrams * size, size);
    }
}

fn gathered(server: &Server<'_>, peer: SocketAddr, answers: &mut SendBatch, file: &mut File) {
    let (size, block) = (server.shape.size, server.shape.size - HEADER);
    let mut at = file.window(server.shape.window * block);
    for datagrams in server.shape.messages() {
        if !answers.has_room(datagrams * HEADER) {
            answers.flush(&server.socket);
        }
        let range = at..at + datagrams * block;
        at = range.end;
        answers.push_gathered(peer, None, (datagrams * HEADER, HEADER), size, (&file.content, range));
    }
}
