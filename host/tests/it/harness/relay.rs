//! A path that loses datagrams, by a seed, in both directions.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A relay before a single-port server: each client has a socket of its own behind it. Stopped on drop.
pub struct Relay {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    lost: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl Relay {
    /// Starts a relay that loses one datagram in `one_in`.
    pub fn new(server: SocketAddr, one_in: u32, seed: u64) -> Relay {
        let front = socket();
        let mut relay = Relay {
            address: front.local_addr().unwrap(),
            stop: Arc::default(),
            lost: Arc::default(),
            thread: None,
        };
        let mut path = Path {
            front,
            server,
            behind: HashMap::new(),
            one_in,
            random: fastrand::Rng::with_seed(seed),
            lost: relay.lost.clone(),
        };
        let stop = relay.stop.clone();
        relay.thread = Some(thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                path.wait();
                path.forward();
                path.back();
            }
        }));
        relay
    }

    /// Returns the address for clients.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the number of datagrams lost so far.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Path {
    front: UdpSocket,
    server: SocketAddr,
    behind: HashMap<SocketAddr, UdpSocket>,
    one_in: u32,
    random: fastrand::Rng,
    lost: Arc<AtomicU64>,
}

impl Path {
    /// Waits for a datagram, or until it is time to check `stop`.
    fn wait(&self) {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let sockets = std::iter::once(&self.front).chain(self.behind.values());
        let mut polled: Vec<PollFd<'_>> = sockets.map(|socket| PollFd::new(socket, PollFlags::IN)).collect();
        let moment = Timespec::try_from(Duration::from_millis(50)).expect("a short time");
        let _ = poll(&mut polled, Some(&moment));
    }

    fn forward(&mut self) {
        while let Some((datagram, client)) = receive(&self.front) {
            let behind = self.behind.entry(client).or_insert_with(socket);
            let behind = behind.try_clone().unwrap();
            if !self.loses() {
                let _ = behind.send_to(&datagram, self.server);
            }
        }
    }

    fn back(&mut self) {
        let pairs: Vec<(SocketAddr, UdpSocket)> =
            self.behind.iter().map(|(client, socket)| (*client, socket.try_clone().unwrap())).collect();
        for (client, socket) in pairs {
            while let Some((datagram, _)) = receive(&socket) {
                if !self.loses() {
                    let _ = self.front.send_to(&datagram, client);
                }
            }
        }
    }

    fn loses(&mut self) -> bool {
        let loses = self.random.u32(..self.one_in) == 0;
        self.lost.fetch_add(u64::from(loses), Ordering::Relaxed);
        loses
    }
}

fn socket() -> UdpSocket {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    socket.set_nonblocking(true).unwrap();
    socket
}

fn receive(socket: &UdpSocket) -> Option<(Vec<u8>, SocketAddr)> {
    let mut buffer = vec![0; 70_000];
    loop {
        match socket.recv_from(&mut buffer) {
            Ok((length, from)) => {
                buffer.truncate(length);
                return Some((buffer, from));
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => return None,
            // An ICMP error from a client that is gone.
            Err(_) => {}
        }
    }
}
