//! A plain TFTP server for the tests: the server role of the core, a thread and a socket per transfer,
//! contents generated from the names.

use std::net::{SocketAddr, UdpSocket};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use tuffet_core::{
    DATA_HEADER, ErrorCode, Limits, MAX_CONTROL, Operation, Output, Packet, Settings, Time, Timing, Transfer,
    data_header,
};

/// The files written to the server, by name.
pub type Stored = Arc<Mutex<Vec<(String, Vec<u8>)>>>;

/// The bytes of the file `NAME-LENGTH`.
pub fn content(name: &str) -> Option<Vec<u8>> {
    let length = name.rsplit_once('-')?.1.parse::<usize>().ok()?;
    Some((0..length).map(|index| (index * 7 + index / 251) as u8).collect())
}

/// Serves on a free port until the process ends.
pub fn serve() -> (SocketAddr, Stored) {
    serve_with(Timing::default())
}

/// As [`serve`], but repeats nothing within five seconds. A client that reuses its port cannot distinguish a
/// retransmission of its last transfer from an answer to its next request.
pub fn serve_patiently() -> (SocketAddr, Stored) {
    let seconds = Duration::from_secs;
    serve_with(Timing::new(seconds(5), seconds(5), seconds(5), seconds(30), seconds(5)))
}

fn serve_with(timing: Timing) -> (SocketAddr, Stored) {
    let listener = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let stored = Stored::default();
    let written = stored.clone();
    thread::spawn(move || {
        let mut buffer = [0; 2048];
        while let Ok((length, peer)) = listener.recv_from(&mut buffer) {
            let (request, written) = (buffer[..length].to_vec(), written.clone());
            thread::spawn(move || run(&request, peer, &written, timing));
        }
    });
    (address, stored)
}

/// The sockets of ended transfers stay open. If a port were reused at once, it could receive the last ACK of
/// the previous transfer from the same client.
static ENDED: Mutex<Vec<UdpSocket>> = Mutex::new(Vec::new());

fn run(request: &[u8], peer: SocketAddr, stored: &Stored, timing: Timing) {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    ENDED.lock().unwrap().push(socket.try_clone().unwrap());
    let Ok(Packet::Request(request)) = Packet::parse(request) else { return };
    let name = String::from_utf8_lossy(request.name).into_owned();
    let start = Instant::now();
    let now = || Time::from_micros(start.elapsed().as_micros() as u64);
    let mut transfer = Transfer::server(now(), request.operation, Settings { timing, ..Settings::default() });
    let (requested, reads) = (request.options.requested(), request.operation == Operation::Read);
    let bytes = if reads { content(&name) } else { Some(Vec::new()) };
    let size = if reads { bytes.as_ref().map(|bytes| bytes.len() as u64) } else { requested.tsize };
    let mut bytes = match bytes {
        Some(bytes) => {
            transfer.handle_grant(now(), &requested, &Limits::default(), size);
            bytes
        }
        None => {
            transfer.fail(ErrorCode::FileNotFound, "no such file here");
            Vec::new()
        }
    };
    let mut datagram = vec![0; 65_536];
    let mut length = 0;
    loop {
        match transfer.poll(now()) {
            Output::Control(control) => {
                let mut packet = [0; MAX_CONTROL];
                let length = control.encode(&mut packet).unwrap();
                socket.send_to(&packet[..length], peer).unwrap();
            }
            Output::Send(blocks) => {
                for position in blocks.first..blocks.first + u64::from(blocks.count) {
                    let (offset, length) = transfer.range(position, bytes.len() as u64);
                    let mut packet = data_header(transfer.wire(position)).to_vec();
                    packet.extend(&bytes[offset as usize..][..length.into()]);
                    socket.send_to(&packet, peer).unwrap();
                }
            }
            Output::Accept { .. } => bytes.extend(&datagram[DATA_HEADER..length]),
            Output::Store { .. } => {
                stored.lock().unwrap().push((name.clone(), std::mem::take(&mut bytes)));
                transfer.handle_stored(now());
            }
            Output::Timeout(until) => {
                let wait = until.since(now()).max(Duration::from_millis(1));
                socket.set_read_timeout(Some(wait)).unwrap();
                match socket.recv_from(&mut datagram) {
                    // From another peer.
                    Ok((_, from)) if from != peer => {}
                    Ok((received, _)) => {
                        length = received;
                        let _ = transfer.handle_datagram(now(), &datagram[..length]);
                    }
                    Err(_) => transfer.handle_timeout(now()),
                }
            }
            Output::Closed => return,
            Output::Request | Output::Finished(_) => {}
        }
    }
}
