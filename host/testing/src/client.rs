//! A plain client: lockstep or windows, with retransmission, and nothing clever.

use crate::packet::{ACK, DATA, ERROR, OACK, READ, WRITE};
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

/// How long it waits for an answer before it repeats its last packet.
const REPEAT: Duration = Duration::from_millis(250);

/// A client of a server (RFC 1350, 2347, 2348, 7440). Blocks the thread that calls it.
#[derive(Debug, Clone)]
pub struct Client {
    server: SocketAddr,
    mode: &'static str,
    options: Vec<(String, String)>,
    patience: Duration,
}

/// Why a transfer failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The server answered with ERROR.
    #[error("ERROR {code}: {message}")]
    Refused {
        /// The code (RFC 1350).
        code: u16,
        /// The message.
        message: String,
    },
    /// The server did not answer in time.
    #[error("no answer")]
    NoAnswer,
    /// The server sent what the protocol forbids.
    #[error("the server broke the protocol: {0}")]
    Protocol(String),
    /// The socket failed.
    #[error("{0}")]
    Socket(String),
}

impl From<io::Error> for ClientError {
    fn from(error: io::Error) -> ClientError {
        ClientError::Socket(error.to_string())
    }
}

impl ClientError {
    /// The code of the server's ERROR, if that is what it is.
    pub fn code(&self) -> Option<u16> {
        match self {
            ClientError::Refused { code, .. } => Some(*code),
            _ => None,
        }
    }
}

/// A transfer: its socket, the port of the server's side, and the last packet.
struct Exchange {
    socket: UdpSocket,
    /// The server's address, and its transfer's once it has answered.
    server: SocketAddr,
    peer: Option<SocketAddr>,
    last: Vec<u8>,
    until: Instant,
    patience: Duration,
}

/// What the server granted.
struct Granted {
    blksize: usize,
    windowsize: u16,
}

impl Client {
    /// A client of this server, without options and with a patience of 20 s.
    pub fn new(server: SocketAddr) -> Client {
        Client { server, mode: "octet", options: Vec::new(), patience: Duration::from_secs(20) }
    }

    /// Transfers text in the mode netascii; contents are as on the wire: a line ends with CR LF (RFC 1350).
    #[must_use]
    pub fn netascii(self) -> Client {
        Client { mode: "netascii", ..self }
    }

    /// Requests an option.
    #[must_use]
    pub fn option(mut self, name: &str, value: impl ToString) -> Client {
        self.options.push((name.to_owned(), value.to_string()));
        self
    }

    /// Requests this block size in bytes (RFC 2348).
    #[must_use]
    pub fn blksize(self, bytes: u16) -> Client {
        self.option("blksize", bytes)
    }

    /// Requests this window in blocks for reads (RFC 7440). Writes go block by block.
    #[must_use]
    pub fn windowsize(self, blocks: u16) -> Client {
        self.option("windowsize", blocks)
    }

    /// Gives up after this time without an answer.
    #[must_use]
    pub fn patience(self, patience: Duration) -> Client {
        Client { patience, ..self }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// The server refused it or does not answer.
    pub fn get(&self, name: &str) -> Result<Vec<u8>, ClientError> {
        let mut exchange = self.begin(READ, name)?;
        let (mut content, mut next) = (Vec::new(), 1_u16);
        let mut granted = Granted { blksize: 512, windowsize: 1 };
        let mut in_window = 0;
        loop {
            let packet = exchange.receive()?;
            match packet[1] {
                OACK if content.is_empty() && next == 1 => {
                    granted = granted_by(&packet)?;
                    exchange.send(acknowledgement(0))?;
                }
                DATA if number(&packet) == next => {
                    let block = &packet[4..];
                    content.extend_from_slice(block);
                    in_window += 1;
                    let ends = block.len() < granted.blksize;
                    if ends || in_window == granted.windowsize {
                        in_window = 0;
                        exchange.send(acknowledgement(next))?;
                    }
                    if ends {
                        return Ok(content);
                    }
                    next = next.wrapping_add(1);
                }
                // A gap: the last block before it is acknowledged (RFC 7440). A copy: its ACK was lost.
                DATA => {
                    let is_copy = number(&packet) == next.wrapping_sub(1);
                    if is_copy || in_window > 0 {
                        in_window = 0;
                        exchange.send(acknowledgement(next.wrapping_sub(1)))?;
                    }
                }
                OACK | ACK => {}
                code => return Err(ClientError::Protocol(format!("opcode {code} in a read"))),
            }
        }
    }

    /// Writes a file.
    ///
    /// # Errors
    /// As [`Client::get`].
    pub fn put(&self, name: &str, content: &[u8]) -> Result<(), ClientError> {
        let mut exchange = self.begin(WRITE, name)?;
        let (mut acked, mut blksize, mut began) = (0_u64, 512, false);
        loop {
            let packet = exchange.receive()?;
            match packet[1] {
                OACK if !began => blksize = granted_by(&packet)?.blksize,
                ACK if number(&packet) == acked as u16 => {}
                OACK | ACK => continue,
                code => return Err(ClientError::Protocol(format!("opcode {code} in a write"))),
            }
            began = true;
            let offset = acked as usize * blksize;
            if acked as usize > content.len() / blksize {
                return Ok(());
            }
            acked += 1;
            let block = &content[offset..content.len().min(offset + blksize)];
            let [high, low] = (acked as u16).to_be_bytes();
            exchange.send([&[0, DATA, high, low], block].concat())?;
        }
    }

    /// Sends a read request once, and returns whether any answer comes within the patience.
    ///
    /// # Errors
    /// The socket failed.
    pub fn is_answered(&self, name: &str) -> Result<bool, ClientError> {
        let mut exchange = self.begin(READ, name)?;
        exchange.last.clear();
        match exchange.receive() {
            Err(ClientError::NoAnswer) => Ok(false),
            Ok(_) | Err(ClientError::Refused { .. }) => Ok(true),
            Err(error) => Err(error),
        }
    }

    fn begin(&self, opcode: u8, name: &str) -> Result<Exchange, ClientError> {
        let any: SocketAddr = match self.server {
            SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
            SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
        };
        let mut request = vec![0, opcode];
        let requested = self.options.iter().filter(|(name, _)| opcode == READ || name != "windowsize");
        let options = requested.flat_map(|(name, value)| [name.as_str(), value.as_str()]);
        for text in [name, self.mode].into_iter().chain(options) {
            request.extend_from_slice(text.as_bytes());
            request.push(0);
        }
        let socket = UdpSocket::bind(any)?;
        // As TFTP clients of old: routers with a smaller MTU fragment what is too large for them.
        tuffet_udp::fragment(&socket);
        let mut exchange = Exchange {
            socket,
            server: self.server,
            peer: None,
            last: Vec::new(),
            until: Instant::now() + self.patience,
            patience: self.patience,
        };
        exchange.send(request)?;
        Ok(exchange)
    }
}

impl Exchange {
    fn send(&mut self, packet: Vec<u8>) -> Result<(), ClientError> {
        self.socket.send_to(&packet, self.peer.unwrap_or(self.server))?;
        self.last = packet;
        Ok(())
    }

    /// Returns the next packet of the server, and repeats the last packet while none comes.
    fn receive(&mut self) -> Result<Vec<u8>, ClientError> {
        let mut buffer = vec![0; 65_536];
        loop {
            let left = self.until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ClientError::NoAnswer);
            }
            self.socket.set_read_timeout(Some(left.min(REPEAT)))?;
            let (length, peer) = match self.socket.recv_from(&mut buffer) {
                Ok(received) => received,
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    if !self.last.is_empty() {
                        self.socket.send_to(&self.last, self.peer.unwrap_or(self.server))?;
                    }
                    continue;
                }
                // The port is closed: the server may still start.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => continue,
                Err(error) => return Err(error.into()),
            };
            if length < 4 || *self.peer.get_or_insert(peer) != peer {
                continue;
            }
            self.until = Instant::now() + self.patience;
            let packet = buffer[..length].to_vec();
            if packet[1] == ERROR {
                let message = packet[4..].split(|byte| *byte == 0).next().unwrap_or_default();
                let message = String::from_utf8_lossy(message).into_owned();
                return Err(ClientError::Refused { code: number(&packet), message });
            }
            return Ok(packet);
        }
    }
}

fn number(packet: &[u8]) -> u16 {
    u16::from_be_bytes([packet[2], packet[3]])
}

fn acknowledgement(block: u16) -> Vec<u8> {
    let [high, low] = block.to_be_bytes();
    vec![0, ACK, high, low]
}

fn granted_by(oack: &[u8]) -> Result<Granted, ClientError> {
    let mut granted = Granted { blksize: 512, windowsize: 1 };
    let texts: Vec<String> =
        oack[2..].split(|byte| *byte == 0).map(|text| String::from_utf8_lossy(text).into_owned()).collect();
    for pair in texts.chunks_exact(2) {
        let wrong = || ClientError::Protocol(format!("the option {}={}", pair[0], pair[1]));
        match pair[0].to_ascii_lowercase().as_str() {
            "blksize" => {
                let possible = |bytes: &usize| (8..=65464).contains(bytes);
                granted.blksize = pair[1].parse().ok().filter(possible).ok_or_else(wrong)?;
            }
            "windowsize" => {
                granted.windowsize = pair[1].parse().ok().filter(|blocks| *blocks > 0).ok_or_else(wrong)?;
            }
            _ => {}
        }
    }
    Ok(granted)
}
