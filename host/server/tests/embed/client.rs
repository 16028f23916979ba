//! A plain client: one block at a time, no options unless asked.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

/// How long it waits for an answer. A server in the same process answers at once, unless it does on purpose not.
const PATIENCE: Duration = Duration::from_secs(20);

/// An ERROR packet: its code and its message.
#[derive(Debug, PartialEq, Eq)]
pub struct Refused(pub u16, pub String);

fn socket() -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket
}

fn request(opcode: u8, name: &str, options: &[(&str, &str)]) -> Vec<u8> {
    let mut packet = vec![0, opcode];
    for text in [name, "octet"].into_iter().chain(options.iter().flat_map(|(name, value)| [*name, *value])) {
        packet.extend_from_slice(text.as_bytes());
        packet.push(0);
    }
    packet
}

fn refusal(packet: &[u8]) -> Refused {
    let message = packet[4..].split(|byte| *byte == 0).next().unwrap_or_default();
    Refused(u16::from_be_bytes([packet[2], packet[3]]), String::from_utf8_lossy(message).into_owned())
}

/// Reads a file in blocks of 512.
pub fn get(server: SocketAddr, name: &str) -> Result<Vec<u8>, Refused> {
    get_with(server, name, &[], 512)
}

/// Reads a file with these options, which include the block size if it is not 512.
pub fn get_with(
    server: SocketAddr,
    name: &str,
    options: &[(&str, &str)],
    blksize: usize,
) -> Result<Vec<u8>, Refused> {
    let socket = socket();
    socket.send_to(&request(1, name, options), server).unwrap();
    let (mut content, mut buffer, mut next) = (Vec::new(), vec![0; 65_536], 1_u16);
    loop {
        let (length, peer) = socket.recv_from(&mut buffer).expect("an answer");
        match buffer[1] {
            6 => drop(socket.send_to(&[0, 4, 0, 0], peer).unwrap()),
            5 => return Err(refusal(&buffer[..length])),
            _ => {
                if buffer[2..4] != next.to_be_bytes() {
                    continue;
                }
                content.extend_from_slice(&buffer[4..length]);
                socket.send_to(&[0, 4, buffer[2], buffer[3]], peer).unwrap();
                next = next.wrapping_add(1);
                if length < blksize + 4 {
                    return Ok(content);
                }
            }
        }
    }
}

/// Sends a request and returns whether any answer comes within this time.
pub fn is_answered(server: SocketAddr, name: &str, within: Duration) -> bool {
    let socket = socket();
    socket.set_read_timeout(Some(within)).unwrap();
    socket.send_to(&request(1, name, &[]), server).unwrap();
    match socket.recv_from(&mut [0; 600]) {
        Ok(_) => true,
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => false,
        Err(error) => panic!("{error}"),
    }
}

/// Writes a file in blocks of 512.
pub fn put(server: SocketAddr, name: &str, content: &[u8]) -> Result<(), Refused> {
    let socket = socket();
    socket.send_to(&request(2, name, &[]), server).unwrap();
    let (mut buffer, mut acked) = ([0; 600], 0_u16);
    let blocks = content.len() / 512 + 1;
    loop {
        let (length, peer) = socket.recv_from(&mut buffer).expect("an answer");
        if buffer[1] == 5 {
            return Err(refusal(&buffer[..length]));
        }
        if buffer[2..4] != acked.to_be_bytes() {
            continue;
        }
        if usize::from(acked) == blocks {
            return Ok(());
        }
        let offset = usize::from(acked) * 512;
        acked += 1;
        let [high, low] = acked.to_be_bytes();
        let block = &content[offset..content.len().min(offset + 512)];
        socket.send_to(&[&[0, 3, high, low], block].concat(), peer).unwrap();
    }
}
