//! The floor: the least that a server does with UDP sockets to move files by TFTP. One thread and one port; a file in
//! memory; batches of datagrams through `tuffet_udp`, as the server sends them; a table by the client's port. No names, no
//! timers, no policy, no log, no check of what arrives. Its CPU time is what the kernel costs, and the distance of a real
//! server from it is what the server adds.
//!
//! It serves the benchmarks: clients of one address, read requests, a path without loss.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, poll};
use tuffet_measure::program::Failure;
use tuffet_udp::{BindOptions, MAX_MESSAGE, MAX_SEGMENTS, ReceiveBatch, SendBatch, Socket};

/// Bytes before the block in a DATA packet (RFC 1350 section 5).
const HEADER: usize = 4;

/// The block size without an option (RFC 1350).
const BLOCK: usize = 512;

/// The address and the files.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The address to serve at
    #[arg(long, value_name = "ADDRESS")]
    listen: SocketAddr,
    /// The folder of the files
    root: PathBuf,
}

/// Serves until it is stopped.
///
/// # Errors
/// The address cannot be bound, or the socket fails.
pub(crate) fn serve(args: &Args) -> Result<bool, Failure> {
    let socket = Socket::bind(args.listen, BindOptions::default()).map_err(Failure::broken)?;
    match run(&socket, &args.root).map_err(Failure::broken)? {}
}

fn run(socket: &Socket, root: &Path) -> io::Result<Infallible> {
    let mut floor = Floor::new(root);
    let mut requests = ReceiveBatch::new();
    loop {
        match poll(&mut [PollFd::new(socket, PollFlags::IN)], None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        loop {
            let may_have_more = requests.fill(socket)?;
            for received in (0..requests.len()).filter_map(|index| requests.get(index)) {
                floor.take(socket, received.peer, received.payload);
            }
            if !may_have_more {
                break;
            }
        }
        floor.answers.flush(socket);
    }
}

struct Floor<'a> {
    root: &'a Path,
    /// The name and the content of the file that was asked for last.
    file: (Vec<u8>, Arc<[u8]>),
    /// By the client's port.
    transfers: Vec<Transfer>,
    answers: SendBatch,
}

#[derive(Clone)]
struct Transfer {
    content: Arc<[u8]>,
    block: usize,
    window: usize,
    /// Acknowledged blocks.
    done: usize,
}

impl<'a> Floor<'a> {
    fn new(root: &'a Path) -> Floor<'a> {
        let none: Arc<[u8]> = [].into();
        let unused = Transfer { content: Arc::clone(&none), block: BLOCK, window: 1, done: 0 };
        let transfers = vec![unused; usize::from(u16::MAX) + 1];
        Floor { root, file: (Vec::new(), none), transfers, answers: SendBatch::new() }
    }

    fn take(&mut self, socket: &Socket, peer: SocketAddr, datagram: &[u8]) {
        match *datagram {
            [0, 1, ref request @ ..] => self.begin(socket, peer, request),
            [0, 4, high, low] => {
                let transfer = &mut self.transfers[usize::from(peer.port())];
                let acknowledged = u16::from_be_bytes([high, low]);
                // The 16 bits of the wire, after what is acknowledged (RFC 1350 leaves the wrap to practice).
                transfer.done += usize::from(acknowledged.wrapping_sub(transfer.done as u16));
                self.send_window(socket, peer);
            }
            _ => {}
        }
    }

    /// Answers a request: with an OACK if it has options (RFC 2347), otherwise with the first block.
    fn begin(&mut self, socket: &Socket, peer: SocketAddr, request: &[u8]) {
        let mut words = request.split(|byte| *byte == 0);
        let name = words.next().unwrap_or_default();
        if self.file.0 != name {
            let path = self.root.join(String::from_utf8_lossy(name).trim_start_matches('/'));
            self.file = (name.to_vec(), std::fs::read(path).unwrap_or_default().into());
        }
        let content = Arc::clone(&self.file.1);
        let (mut transfer, mut oack) = (Transfer { content, block: BLOCK, window: 1, done: 0 }, vec![0, 6]);
        // After the mode.
        let mut words = words.skip(1);
        while let (Some(option), Some(value)) = (words.next(), words.next()) {
            let number = std::str::from_utf8(value).ok().and_then(|value| value.parse().ok()).unwrap_or(0);
            match option {
                b"blksize" => transfer.block = usize::clamp(number, 8, MAX_MESSAGE - HEADER),
                b"windowsize" => transfer.window = usize::clamp(number, 1, usize::from(u16::MAX)),
                b"tsize" => {
                    oack.extend_from_slice(format!("tsize\0{}\0", transfer.content.len()).as_bytes());
                    continue;
                }
                _ => continue,
            }
            for word in [option, value] {
                oack.extend_from_slice(word);
                oack.push(0);
            }
        }
        self.transfers[usize::from(peer.port())] = transfer;
        if oack.len() == 2 {
            return self.send_window(socket, peer);
        }
        if !self.answers.has_room(oack.len()) {
            self.answers.flush(socket);
        }
        if let Some(room) = self.answers.room(oack.len()) {
            room.copy_from_slice(&oack);
            self.answers.push(peer, None, oack.len(), oack.len());
        }
    }

    /// Queues the window after the acknowledged blocks, in the fewest messages.
    fn send_window(&mut self, socket: &Socket, peer: SocketAddr) {
        let Transfer { content, block, window, done } = &self.transfers[usize::from(peer.port())];
        // The last block is shorter than the others, and may be empty.
        let blocks = content.len() / block + 1;
        let segment = block + HEADER;
        let most = (MAX_MESSAGE / segment).clamp(1, MAX_SEGMENTS);
        let (mut next, last) = (*done, (done + window).min(blocks));
        while next < last {
            let count = most.min(last - next);
            let headers = count * HEADER;
            if !self.answers.has_room(headers) {
                self.answers.flush(socket);
            }
            let Some(room) = self.answers.room(headers) else { return };
            for (number, header) in (next + 1..).zip(room.chunks_exact_mut(HEADER)) {
                let [high, low] = (number as u16).to_be_bytes();
                header.copy_from_slice(&[0, 3, high, low]);
            }
            let range = next * block..((next + count) * block).min(content.len());
            self.answers.push_gathered(peer, None, (headers, HEADER), segment, (content, range));
            next += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::UdpSocket;

    /// A client that knows no loss: the loopback interface loses none of so few packets.
    fn get(server: SocketAddr, request: &[u8], block: usize, window: usize) -> Vec<u8> {
        let client = UdpSocket::bind("127.0.0.1:0").unwrap();
        client.connect(server).unwrap();
        client.send(request).unwrap();
        let (mut content, mut number, mut packet) = (Vec::new(), 0_u16, vec![0; 66_000]);
        loop {
            let length = client.recv(&mut packet).unwrap();
            if packet[1] == 3 {
                number += 1;
                assert_eq!(packet[..4], [0, 3, (number >> 8) as u8, number as u8]);
                content.extend_from_slice(&packet[4..length]);
            }
            let ended = packet[1] == 3 && length < block + HEADER;
            if ended || packet[1] == 6 || usize::from(number) % window == 0 {
                client.send(&[0, 4, (number >> 8) as u8, number as u8]).unwrap();
            }
            if ended {
                return content;
            }
        }
    }

    #[test]
    fn files_arrive_whole() {
        let folder = tempfile::tempdir().unwrap();
        for size in [0, 511, 512, 5_000] {
            std::fs::write(folder.path().join(size.to_string()), vec![size as u8; size]).unwrap();
        }
        let socket = Socket::bind(SocketAddr::from(([127, 0, 0, 1], 0)), BindOptions::default()).unwrap();
        let (server, root) = (socket.local(), folder.path().to_owned());
        // It ends with the process of the test.
        std::thread::spawn(move || run(&socket, &root));
        for size in [0, 511, 512, 5_000] {
            let plain = format!("\0\x01{size}\0octet\0");
            assert_eq!(get(server, plain.as_bytes(), BLOCK, 1), vec![size as u8; size], "{size}");
            let options = format!("{plain}tsize\x000\0blksize\x00100\0windowsize\x007\0");
            assert_eq!(get(server, options.as_bytes(), 100, 7), vec![size as u8; size], "{size}");
        }
    }
}
