//! Multicast (RFC 2090): raw members on the loopback interface, `tuffet get`, and atftp on hosts of its own.

mod atftp;
mod atftpd;
mod capture;
mod client;
mod ends;
mod groups;
mod ipv6;
mod lan;
mod turns;

use crate::harness::{Answer, Peer, Server, Setup, data, rrq};
use std::net::{Ipv4Addr, UdpSocket};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

/// For tests where nothing is lost: a member that a busy machine lets answer late gets no block again.
const PATIENT: &str = "transfer: { retransmit: { floor: 5s, initial: 5s, cap: 5s, give-up: 60s } }\n";

/// For tests of members that say nothing.
const HASTY: &str = "transfer: { retransmit: { give-up: 8s } }\n";

/// The socket of all members of a group on this host: one copy of each block arrives in it.
struct GroupSocket {
    socket: UdpSocket,
    address: Ipv4Addr,
}

impl GroupSocket {
    /// An address and a port that no other test has.
    fn new() -> GroupSocket {
        static COUNT: AtomicU8 = AtomicU8::new(1);
        let [_, _, high, low] = std::process::id().to_be_bytes();
        let address = Ipv4Addr::new(239, high, low, COUNT.fetch_add(1, Ordering::Relaxed));
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
        socket.join_multicast_v4(&address, &Ipv4Addr::LOCALHOST).unwrap();
        GroupSocket { socket, address }
    }

    /// A server with one root whose only group is this one. `more`: further keys of the section.
    fn setup(&self, more: &str) -> Setup {
        self.setup_with(more, "")
    }

    /// As [`GroupSocket::setup`], with further sections.
    fn setup_with(&self, more: &str, rest: &str) -> Setup {
        let port = self.socket.local_addr().unwrap().port();
        let addresses = self.address;
        let times = if rest.contains("transfer:") { "" } else { PATIENT };
        Setup::new().rest_of_yaml(&format!(
            "multicast: {{ addresses: {addresses}, ports: {port}-{port}{more} }}\nworkers: 2\n\
             {times}{rest}"
        ))
    }

    /// The next DATA for the group.
    #[track_caller]
    fn block(&self) -> (u16, Vec<u8>) {
        match self.block_within(Duration::from_secs(20)) {
            Some(block) => block,
            None => panic!("no DATA came"),
        }
    }

    fn block_within(&self, patience: Duration) -> Option<(u16, Vec<u8>)> {
        let mut buffer = [0; 2048];
        self.socket.set_read_timeout(Some(patience)).unwrap();
        let (length, _) = self.socket.recv_from(&mut buffer).ok()?;
        match Answer::read(&buffer[..length]) {
            Answer::Data(block, payload) => Some((block, payload)),
            other => panic!("DATA was due, not {other:?}"),
        }
    }

    #[track_caller]
    fn expect(&self, block: u16, payload: &[u8]) {
        assert_eq!(self.block(), (block, payload.to_vec()), "{:?}", data(block, &[]));
    }

    fn socket_address(&self) -> std::net::SocketAddrV4 {
        std::net::SocketAddrV4::new(self.address, self.socket.local_addr().unwrap().port())
    }

    /// The value of the option for a member.
    fn oack(&self, master: bool) -> Answer {
        let port = self.socket.local_addr().unwrap().port();
        Answer::Oack(format!("multicast={},{port},{}", self.address, u8::from(master)))
    }
}

/// A client that asks for the file as a member of a group.
fn ask(server: &Server, name: &str) -> Peer {
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq(name, &[("multicast", "")]));
    peer
}
