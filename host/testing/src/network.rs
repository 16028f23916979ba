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

/// The most ports of a server that have an end towards one client; the one used longest ago
/// is closed for another.
const MAX_ENDS: usize = 64;

/// A network between clients and a server. Clients send their requests to [`Network::address`]; each port from which the
/// server answers a client has a port of its own towards this client, so that the answers to a doubled request stay
/// apart (RFC 1350 section 4). It ends when it is dropped.
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

/// The way of one client: requests arrive at the socket of the network, everything else at an [`End`].
struct Way {
    client: SocketAddr,
    /// Towards the server.
    far: Arc<UdpSocket>,
    /// When a datagram last passed.
    used: Mutex<Instant>,
}

/// A port of the server, as the client sees it.
#[derive(Clone)]
struct End {
    peer: SocketAddr,
    /// Towards the client.
    near: Arc<UdpSocket>,
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
        spawn(move || its.take_requests(&socket))?;
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
            self.pass(&way, Direction::ToServer, &way.far, datagram, self.server);
        });
    }

    /// Opens a way, and passes on what the server sends to it.
    fn open(self: &Arc<Self>, client: SocketAddr) -> io::Result<Arc<Way>> {
        let used = Mutex::new(Instant::now());
        let way = Arc::new(Way { client, far: Arc::new(bind((self.far, 0))?), used });
        let (its, here) = (Arc::clone(&way), Arc::clone(self));
        spawn(move || {
            // The last one used is the first.
            let mut ends: Vec<End> = Vec::new();
            here.receive(
                &its.far,
                || its.is_gone(),
                |datagram, peer| {
                    let known = ends.iter().position(|end| end.peer == peer);
                    let end = known.map_or_else(|| here.open_end(&its, peer), |at| Ok(ends.remove(at)));
                    let Ok(end) = end else { return };
                    here.pass(&its, Direction::ToClient, &end.near, datagram, its.client);
                    ends.truncate(MAX_ENDS - 1);
                    ends.insert(0, end);
                },
            );
        })?;
        Ok(way)
    }

    /// Opens an end, and passes on what the client sends to it.
    fn open_end(self: &Arc<Self>, way: &Arc<Way>, peer: SocketAddr) -> io::Result<End> {
        let end = End { peer, near: Arc::new(bind((self.near, 0))?) };
        let (its, here, way) = (end.clone(), Arc::clone(self), Arc::clone(way));
        spawn(move || {
            here.receive(
                &its.near,
                // No longer among the ends of the way.
                || way.is_gone() || Arc::strong_count(&its.near) == 1,
                |datagram, _| here.pass(&way, Direction::ToServer, &way.far, datagram, its.peer),
            );
        })?;
        Ok(end)
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

    /// Sends what becomes of a datagram, by this socket.
    fn pass(&self, way: &Way, direction: Direction, by: &Arc<UdpSocket>, datagram: &[u8], to: SocketAddr) {
        let deliveries = self.fate.lock().of_client(way.client, direction, datagram);
        let now = Instant::now();
        *way.used.lock() = now;
        for Delivery { after, bytes, stranger } in deliveries {
            let by = if stranger { &self.stranger } else { by };
            self.sending.send(Waiting { due: now + after, by: Arc::clone(by), to, bytes });
        }
    }
}

fn bind(address: impl ToSocketAddrs) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind(address)?;
    // As the ends do, whose datagrams it passes on.
    tuffet_udp::fragment(&socket);
    socket.set_read_timeout(Some(CHECK_INTERVAL))?;
    Ok(socket)
}

fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name("testing-network".into()).spawn(work).map(drop)
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_of_the_server_stay_apart() {
        let local = (Ipv4Addr::LOCALHOST, 0);
        let [requests, first, second, client] = [(); 4].map(|()| UdpSocket::bind(local).unwrap());
        let none = |_: Direction, datagram: &[u8]| {
            vec![Delivery { bytes: datagram.to_vec(), ..Delivery::default() }]
        };
        let network = Network::start(requests.local_addr().unwrap(), none).unwrap();
        let mut buffer = [0; 16];
        let mut answer = |socket: &UdpSocket, word: &[u8]| {
            client.send_to(b"request", network.address()).unwrap();
            let (_, from) = requests.recv_from(&mut buffer).unwrap();
            socket.send_to(word, from).unwrap();
            let (length, from) = client.recv_from(&mut buffer).unwrap();
            assert_eq!(&buffer[..length], word);
            from
        };
        let ends = [answer(&first, b"first"), answer(&second, b"second"), answer(&first, b"again")];
        assert_ne!(ends[0], ends[1]);
        assert_eq!(ends[0], ends[2]);

        client.send_to(b"to the first", ends[0]).unwrap();
        let (length, _) = first.recv_from(&mut buffer).unwrap();
        assert_eq!(&buffer[..length], b"to the first");
    }
}
