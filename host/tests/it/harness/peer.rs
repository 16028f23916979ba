//! A scripted client: one UDP socket, packet by packet.

use super::{Answer, SOON, ack, data, rrq, times};
use std::collections::HashSet;
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::time::Duration;

/// A socket and its destination: the listener at first, then the source of the last answer.
pub struct Peer {
    socket: UdpSocket,
    listener: SocketAddr,
    tid: Option<SocketAddr>,
    /// What was received since the last question, to overlook what comes again; `None` to see it all.
    received: Option<HashSet<Vec<u8>>>,
}

impl Peer {
    /// Overlooks packets that come a second time: on a busy machine this peer may be so slow that the
    /// server repeats them.
    pub fn new(listener: SocketAddr) -> Peer {
        let any: IpAddr =
            if listener.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
        Peer::from(any, listener)
    }

    /// With an address of its own.
    pub fn from(address: impl Into<IpAddr>, listener: SocketAddr) -> Peer {
        times::note();
        let socket = UdpSocket::bind((address.into(), 0)).unwrap();
        Peer { socket, listener, tid: None, received: Some(HashSet::new()) }
    }

    /// Through this socket, which may be on another host.
    pub fn through(socket: UdpSocket, listener: SocketAddr) -> Peer {
        times::note();
        Peer { socket, listener, tid: None, received: Some(HashSet::new()) }
    }

    /// With another one's port, at another address: that one was made by [`Peer::from`].
    pub fn with_port_of(other: &Peer, address: impl Into<IpAddr>) -> Peer {
        let socket = UdpSocket::bind((address.into(), other.socket.local_addr().unwrap().port())).unwrap();
        Peer { socket, listener: other.listener, tid: None, received: Some(HashSet::new()) }
    }

    /// Sees every packet, for servers that repeat nothing on their own.
    pub fn strict(listener: SocketAddr) -> Peer {
        Peer { received: None, ..Peer::new(listener) }
    }

    /// May ask a broadcast address.
    pub fn broadcasting(listener: SocketAddr) -> Peer {
        let peer = Peer::new(listener);
        peer.socket.set_broadcast(true).unwrap();
        peer
    }

    /// To the listener, as requests go; what answers becomes the TID.
    pub fn ask(&mut self, packet: &[u8]) {
        self.tid = None;
        self.received.as_mut().map(HashSet::clear);
        self.socket.send_to(packet, self.listener).unwrap();
    }

    /// To the listener, while the transfer goes on.
    pub fn ask_meanwhile(&self, packet: &[u8]) {
        self.socket.send_to(packet, self.listener).unwrap();
    }

    /// To the TID.
    #[track_caller]
    pub fn send(&self, packet: &[u8]) {
        let tid = self.tid.expect("something was answered");
        self.socket.send_to(packet, tid).unwrap();
    }

    /// To anywhere.
    pub fn send_to(&self, packet: &[u8], to: SocketAddr) {
        self.socket.send_to(packet, to).unwrap();
    }

    /// The next packet from the host that was asked; which port it came from is [`Peer::tid`].
    #[track_caller]
    pub fn receive(&mut self) -> Answer {
        loop {
            let packet = self.packet_within(SOON).unwrap_or_else(|| panic!("no answer"));
            let is_new = self.received.as_mut().is_none_or(|received| received.insert(packet.clone()));
            if is_new {
                return Answer::read(&packet);
            }
        }
    }

    #[track_caller]
    pub fn expect(&mut self, answer: Answer) {
        assert_eq!(self.receive(), answer);
    }

    /// The next packet must be an ERROR with this code; its text.
    #[track_caller]
    pub fn expect_error(&mut self, code: u16) -> String {
        match self.receive() {
            Answer::Error(got, text) if got == code => text,
            other => panic!("ERROR {code} was due, not {other:?}"),
        }
    }

    /// A packet, new or not, if one comes this soon.
    pub fn receive_within(&mut self, patience: Duration) -> Option<Answer> {
        self.packet_within(patience).map(|packet| Answer::read(&packet))
    }

    /// Only the host that was asked, and never from a second TID.
    fn may_answer(&self, from: SocketAddr) -> bool {
        let everyone = self.socket.broadcast().is_ok_and(|on| on);
        self.tid.map_or(everyone || from.ip() == self.listener.ip(), |tid| tid == from)
    }

    fn packet_within(&mut self, patience: Duration) -> Option<Vec<u8>> {
        let mut buffer = vec![0; 70_000];
        self.socket.set_read_timeout(Some(patience)).unwrap();
        loop {
            match self.socket.recv_from(&mut buffer) {
                // What another server had to say to whoever had this port before.
                Ok((_, from)) if !self.may_answer(from) => {}
                Ok((length, from)) => {
                    self.tid = Some(from);
                    buffer.truncate(length);
                    return Some(buffer);
                }
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    return None;
                }
                // The machine was stopped and goes on.
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => panic!("{error}"),
            }
        }
    }

    /// Who answered last.
    #[track_caller]
    pub fn tid(&self) -> SocketAddr {
        self.tid.expect("something was answered")
    }

    /// Reads a whole file in the plain way: 512 bytes, lockstep.
    #[track_caller]
    pub fn read_plainly(&mut self, name: &str) -> Vec<u8> {
        self.ask(&rrq(name, &[]));
        self.read_on(1)
    }

    /// Goes on with a plain read whose next block is this.
    #[track_caller]
    pub fn read_on(&mut self, mut next: u16) -> Vec<u8> {
        let mut content = Vec::new();
        loop {
            match self.receive() {
                Answer::Data(block, payload) if block == next => {
                    content.extend_from_slice(&payload);
                    self.send(&ack(block));
                    next = next.wrapping_add(1);
                    if payload.len() < 512 {
                        return content;
                    }
                }
                other => panic!("block {next} was due, not {other:?}"),
            }
        }
    }

    /// Goes on with a plain write after its ACK 0 or OACK, up to the last ACK.
    #[track_caller]
    pub fn write_on(&mut self, content: &[u8], blksize: usize) {
        let mut blocks: Vec<&[u8]> = content.chunks(blksize).collect();
        if content.len().is_multiple_of(blksize) {
            blocks.push(b"");
        }
        self.write_rest((1_u16..).zip(blocks));
    }

    /// Goes on with a plain write from these blocks on.
    #[track_caller]
    pub fn write_rest<'a>(&mut self, blocks: impl Iterator<Item = (u16, &'a [u8])>) {
        for (block, payload) in blocks {
            self.send(&data(block, payload));
            self.expect(Answer::Ack(block));
        }
    }
}
