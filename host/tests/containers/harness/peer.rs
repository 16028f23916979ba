//! A client on the host that does as it is told, packet by packet. Nothing here comes from the code that is
//! tested.

use super::SOON;
use std::io::ErrorKind;
use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

pub fn rrq(name: &str) -> Vec<u8> {
    [b"\0\x01", name.as_bytes(), b"\0octet\0"].concat()
}

pub fn wrq(name: &str) -> Vec<u8> {
    [b"\0\x02", name.as_bytes(), b"\0octet\0"].concat()
}

pub fn data(block: u16, payload: &[u8]) -> Vec<u8> {
    [&[0, 3], &block.to_be_bytes()[..], payload].concat()
}

pub fn ack(block: u16) -> Vec<u8> {
    [[0, 4], block.to_be_bytes()].concat()
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Data(u16, Vec<u8>),
    Ack(u16),
    Error(u16, String),
}

/// A socket, and who answered last.
pub struct Peer {
    socket: UdpSocket,
    server: SocketAddr,
    tid: SocketAddr,
    last: Option<Answer>,
}

impl Peer {
    pub fn new(server: SocketAddr) -> Peer {
        let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
        Peer { socket, server, tid: server, last: None }
    }

    /// To the listener.
    pub fn ask(&mut self, packet: &[u8]) {
        (self.tid, self.last) = (self.server, None);
        self.socket.send_to(packet, self.server).unwrap();
    }

    /// To who answered last.
    pub fn send(&self, packet: &[u8]) {
        self.socket.send_to(packet, self.tid).unwrap();
    }

    /// The next packet that is not the last one again.
    #[track_caller]
    pub fn receive(&mut self) -> Answer {
        loop {
            let answer = self.within(SOON).expect("no answer");
            if self.last.as_ref() != Some(&answer) {
                self.last = Some(answer.clone());
                return answer;
            }
        }
    }

    #[track_caller]
    pub fn expect(&mut self, answer: Answer) {
        assert_eq!(self.receive(), answer);
    }

    /// A packet, if one comes this soon.
    pub fn within(&mut self, patience: Duration) -> Option<Answer> {
        let mut buffer = [0; 2048];
        self.socket.set_read_timeout(Some(patience)).unwrap();
        loop {
            match self.socket.recv_from(&mut buffer) {
                Ok((length, from)) => {
                    self.tid = from;
                    return Some(read(&buffer[..length]));
                }
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    return None;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => panic!("{error}"),
            }
        }
    }

    /// Reads a whole file: 512 bytes, lockstep.
    #[track_caller]
    pub fn read(&mut self, name: &str) -> Vec<u8> {
        self.ask(&rrq(name));
        let mut content = Vec::new();
        for block in 1.. {
            let Answer::Data(number, payload) = self.receive() else { panic!("no DATA: {:?}", self.last) };
            assert_eq!(number, block);
            self.send(&ack(block));
            content.extend_from_slice(&payload);
            if payload.len() < 512 {
                break;
            }
        }
        content
    }

    /// Sends these blocks of a file that is being written, each when the one before was acknowledged.
    #[track_caller]
    pub fn write(&mut self, content: &[u8], blocks: impl IntoIterator<Item = u16>) {
        for block in blocks {
            self.send(&block_of(content, block));
            self.expect(Answer::Ack(block));
        }
    }
}

/// The DATA packet of a block; the one behind a last full block is empty.
pub fn block_of(content: &[u8], block: u16) -> Vec<u8> {
    let from = 512 * (usize::from(block) - 1);
    data(block, &content[from..content.len().min(from + 512)])
}

fn read(packet: &[u8]) -> Answer {
    let number = |at: usize| u16::from_be_bytes([packet[at], packet[at + 1]]);
    match number(0) {
        3 => Answer::Data(number(2), packet[4..].to_vec()),
        4 => Answer::Ack(number(2)),
        5 => {
            let text = packet[4..].strip_suffix(b"\0").expect("ERROR ends with a NUL");
            Answer::Error(number(2), String::from_utf8_lossy(text).into_owned())
        }
        _ => panic!("nothing that was asked for: {packet:?}"),
    }
}
