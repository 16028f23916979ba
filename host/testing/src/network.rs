//! A network between clients and a server.

use crate::direction::Direction;
use crate::faults::{Delivery, Fate};
use crate::sending::{Sending, Waiting};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs, UdpSocket};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// How often threads check whether the network has ended.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// A client that was silent for this long has ended; its sockets are closed.
const GONE: Duration = Duration::from_secs(300);

/// A network between clients and a server. Clients send their requests to [`Network::address`]; each transfer gets a
/// port of its own towards its client, as with a server that uses TID ports. It ends when it is dropped.
pub struct Network {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    server: SocketAddr,
    /// Where the sockets towards clients are bound, and those towards the server.
    near: IpAddr,
    far: IpAddr,
    /// Sends what comes from a wrong port.
    stranger: Arc<UdpSocket>,
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
    /// When a datagram last passed.
    used: Mutex<Instant>,
}

impl Way {
    fn is_gone(&self) -> bool {
        self.used.lock().elapsed() >= GONE
    }
}

impl Network {
    /// Starts a network in front of a server, with a free port of the loopback interface for clients.
    ///
    /// # Errors
    /// The system has no socket or no thread.
    pub fn start(server: SocketAddr, fate: impl Fate) -> io::Result<Network> {
        Network::between(SocketAddr::new(server.ip(), 0), server, fate)
    }

    /// Starts a network that takes requests at `listen` and passes them to `server`, which may be another host. Port 0 is
    /// any free one.
    ///
    /// # Errors
    /// The address cannot be bound; or the system has no socket or no thread.
    pub fn between(listen: SocketAddr, server: SocketAddr, fate: impl Fate) -> io::Result<Network> {
        let near = listen.ip();
        let far = match server {
            _ if server.ip().is_loopback() => server.ip(),
            SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        };
        let socket = bind(listen)?;
        let address = socket.local_addr()?;
        let stranger = Arc::new(bind((near, 0))?);
        let sending = Sending::start()?;
        let fate = Mutex::new(Box::new(fate) as Box<dyn Fate>);
        let shared = Arc::new(Shared { server, near, far, stranger, fate, sending });
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
        let never = || false;
        self.receive(socket, never, |datagram, client| {
            let known = ways.get(&client).filter(|way| !way.is_gone());
            let way = match known {
                Some(way) => Arc::clone(way),
                None => {
                    ways.retain(|_, way| !way.is_gone());
                    let Ok(way) = self.open(client) else { return };
                    ways.insert(client, Arc::clone(&way));
                    way
                }
            };
            self.pass(&way, Direction::ToServer, datagram, self.server);
        });
    }

    fn open(self: &Arc<Self>, client: SocketAddr) -> io::Result<Arc<Way>> {
        let (near, far) = (Arc::new(bind((self.near, 0))?), Arc::new(bind((self.far, 0))?));
        let used = Mutex::new(Instant::now());
        let way = Arc::new(Way { client, near, far, peer: Mutex::default(), used });
        let spawn = |work: Box<dyn FnOnce() + Send>| {
            thread::Builder::new().name("testing-network".into()).spawn(work).map(drop)
        };
        let (its, here) = (Arc::clone(&way), Arc::clone(self));
        spawn(Box::new(move || {
            here.receive(
                &its.far,
                || its.is_gone(),
                |datagram, peer| {
                    *its.peer.lock() = Some(peer);
                    here.pass(&its, Direction::ToClient, datagram, its.client);
                },
            );
        }))?;
        let (its, here) = (Arc::clone(&way), Arc::clone(self));
        spawn(Box::new(move || {
            here.receive(
                &its.near,
                || its.is_gone(),
                |datagram, _| {
                    let peer = its.peer.lock().unwrap_or(here.server);
                    here.pass(&its, Direction::ToServer, datagram, peer);
                },
            );
        }))?;
        Ok(way)
    }

    /// Calls `take` for each datagram, until the network ends, or `is_over`.
    fn receive(
        &self,
        socket: &UdpSocket,
        is_over: impl Fn() -> bool,
        mut take: impl FnMut(&[u8], SocketAddr),
    ) {
        let mut buffer = vec![0; 65_536];
        while !self.sending.has_ended() && !is_over() {
            // Errors are time-outs, or ports that are closed.
            if let Ok((length, from)) = socket.recv_from(&mut buffer) {
                take(&buffer[..length], from);
            }
        }
    }

    fn pass(&self, way: &Way, direction: Direction, datagram: &[u8], to: SocketAddr) {
        let deliveries = self.fate.lock().of(direction, datagram);
        let now = Instant::now();
        *way.used.lock() = now;
        for Delivery { after, bytes, stranger } in deliveries {
            let by = match direction {
                _ if stranger => &self.stranger,
                Direction::ToServer => &way.far,
                Direction::ToClient => &way.near,
            };
            self.sending.send(Waiting { due: now + after, by: Arc::clone(by), to, bytes });
        }
    }
}

fn bind(address: impl ToSocketAddrs) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind(address)?;
    socket.set_read_timeout(Some(CHECK_INTERVAL))?;
    Ok(socket)
}
