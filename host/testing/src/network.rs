//! A network between clients and a server.

use crate::faults::{Direction, Fate};
use crate::sending::{Sending, Waiting};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// How often threads check whether the network has ended.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// A network between clients and a server. Clients send their requests to [`Network::address`]; each transfer gets a
/// port of its own towards its client, as with a server that uses TID ports. It ends when it is dropped.
pub struct Network {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    server: SocketAddr,
    /// Where the sockets of the network are bound.
    host: IpAddr,
    fate: Mutex<Box<dyn Fate>>,
    sending: Sending,
}

/// The way of one client: requests arrive at the socket of the network, everything else at `near`.
struct Way {
    client: SocketAddr,
    /// Towards the client.
    near: Arc<UdpSocket>,
    /// Towards the server.
    far: Arc<UdpSocket>,
    /// The address of the transfer at the server, once it has answered.
    peer: Mutex<Option<SocketAddr>>,
}

impl Network {
    /// Starts a network in front of a server, with a free port of the loopback interface for clients.
    ///
    /// # Errors
    /// The system has no socket or no thread.
    pub fn start(server: SocketAddr, fate: impl Fate) -> io::Result<Network> {
        let host = server.ip();
        let socket = Arc::new(bind(host)?);
        let address = socket.local_addr()?;
        let sending = Sending::start()?;
        let shared = Arc::new(Shared { server, host, fate: Mutex::new(Box::new(fate)), sending });
        let its = Arc::clone(&shared);
        thread::Builder::new().name("testing-network".into()).spawn(move || its.take_requests(&socket))?;
        Ok(Network { address, shared })
    }

    /// Where clients send their requests.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        self.shared.sending.end();
    }
}

impl Shared {
    /// Passes requests on, and opens a way for each new client.
    fn take_requests(self: &Arc<Self>, socket: &UdpSocket) {
        let mut ways: HashMap<SocketAddr, Arc<Way>> = HashMap::new();
        self.receive(socket, |datagram, client| {
            let way = match ways.get(&client) {
                Some(way) => Arc::clone(way),
                None => {
                    let Ok(way) = self.open(client) else { return };
                    ways.insert(client, Arc::clone(&way));
                    way
                }
            };
            self.pass(Direction::ToServer, datagram, &way.far, self.server);
        });
    }

    fn open(self: &Arc<Self>, client: SocketAddr) -> io::Result<Arc<Way>> {
        let (near, far) = (Arc::new(bind(self.host)?), Arc::new(bind(self.host)?));
        let way = Arc::new(Way { client, near, far, peer: Mutex::default() });
        let spawn = |work: Box<dyn FnOnce() + Send>| {
            thread::Builder::new().name("testing-network".into()).spawn(work).map(drop)
        };
        let (its, here) = (Arc::clone(&way), Arc::clone(self));
        spawn(Box::new(move || {
            here.receive(&its.far, |datagram, peer| {
                *its.peer.lock() = Some(peer);
                here.pass(Direction::ToClient, datagram, &its.near, its.client);
            });
        }))?;
        let (its, here) = (Arc::clone(&way), Arc::clone(self));
        spawn(Box::new(move || {
            here.receive(&its.near, |datagram, _| {
                let peer = its.peer.lock().unwrap_or(here.server);
                here.pass(Direction::ToServer, datagram, &its.far, peer);
            });
        }))?;
        Ok(way)
    }

    /// Calls `take` for each datagram, until the network ends.
    fn receive(&self, socket: &UdpSocket, mut take: impl FnMut(&[u8], SocketAddr)) {
        let mut buffer = vec![0; 65_536];
        while !self.sending.has_ended() {
            // Errors are time-outs, or ports that are closed.
            if let Ok((length, from)) = socket.recv_from(&mut buffer) {
                take(&buffer[..length], from);
            }
        }
    }

    fn pass(&self, direction: Direction, datagram: &[u8], by: &Arc<UdpSocket>, to: SocketAddr) {
        let deliveries = self.fate.lock().of(direction, datagram);
        let now = Instant::now();
        for delivery in deliveries {
            let due = now + delivery.after;
            self.sending.send(Waiting { due, by: Arc::clone(by), to, bytes: delivery.bytes });
        }
    }
}

fn bind(host: IpAddr) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind((host, 0))?;
    socket.set_read_timeout(Some(CHECK_INTERVAL))?;
    Ok(socket)
}
