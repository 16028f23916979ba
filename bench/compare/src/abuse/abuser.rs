//! Runs abusers in a separate thread.

use crate::abuse::attack::{Attack, address, from};
use crate::abuse::forger;
use crate::abuse::kind::Abuse;
use crate::abuse::slow_clients;
use socket2::{Domain, Protocol, Type};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tuffet_udp::{BindOptions, SendBatch, Socket};

/// Source ports of a flood, at each of its addresses.
const PORTS: usize = 1_024;

/// Source ports of a flood from one address: a request from the same port would be a retransmission.
const PORTS_OF_ONE: usize = 16_384;

/// Consecutive packets from one socket, if there are many addresses.
const BATCH: usize = 32;

/// A running attack; dropping it ends it.
pub(crate) struct Abusers {
    stop: Arc<AtomicBool>,
    sent: Arc<AtomicU64>,
    forged: forger::Bytes,
    thread: Option<JoinHandle<()>>,
}

impl Abusers {
    /// Starts the attack on the core that the caller is pinned to.
    ///
    /// # Errors A socket cannot be opened.
    pub(crate) fn start(server: SocketAddr, abuse: Abuse) -> Result<Abusers, String> {
        let (stop, sent) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let forged = forger::Bytes::default();
        let attack = Attack { server, stop: Arc::clone(&stop), sent: Arc::clone(&sent) };
        let sockets = |count: usize, tell_local| {
            let any = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
            let options = BindOptions { tell_local, ..BindOptions::default() };
            let sockets = (0..count).map(|_| Socket::bind(any, options)).collect::<Result<Vec<_>, _>>();
            sockets.map_err(|error| format!("{count} sockets for abusers: {error}; raise `ulimit -n`"))
        };
        let thread = match abuse {
            Abuse::Flood { packet, per_second, addresses } => {
                let sockets = sockets(if addresses == 1 { PORTS_OF_ONE } else { PORTS }, false)?;
                thread::spawn(move || flood(&attack, &sockets, &packet, per_second, addresses))
            }
            Abuse::PortZero { packet, per_second } => {
                let socket = raw().map_err(|error| format!("a raw socket (root has them): {error}"))?;
                thread::spawn(move || port_zero(&attack, &socket, &packet, per_second))
            }
            Abuse::Clients { request, count, addresses, wait_ms, blksize, again } => {
                let ports = count.div_ceil(addresses) as usize;
                let clients = slow_clients::Clients {
                    request,
                    count,
                    addresses,
                    wait: Duration::from_millis(wait_ms),
                    blksize: blksize.into(),
                    again,
                };
                let sockets = sockets(ports, true)?;
                thread::spawn(move || slow_clients::run(&attack, &sockets, &clients))
            }
            Abuse::Forger { request } => {
                let forged = forged.clone();
                thread::spawn(move || {
                    if let Err(error) = forger::run(&attack, &request, &forged) {
                        eprintln!("tuffet-abuse: forged ACKs: {error}");
                    }
                })
            }
        };
        Ok(Abusers { stop, sent, forged, thread: Some(thread) })
    }

    /// Returns the number of packets sent.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Relaxed)
    }

    /// Ends the attack. Returns how many bytes the victims got for each forged byte, if the attack forges.
    pub(crate) fn stop(mut self) -> Option<f64> {
        self.end();
        self.forged.factor()
    }

    fn end(&mut self) {
        self.stop.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Abusers {
    fn drop(&mut self) {
        self.end();
    }
}

fn raw() -> io::Result<socket2::Socket> {
    let socket = socket2::Socket::new(Domain::IPV4, Type::RAW, Some(Protocol::UDP))?;
    socket.bind(&SocketAddr::from((address(0), 0)).into())?;
    Ok(socket)
}

/// Sends packets from port 0 at a rate.
fn port_zero(attack: &Attack, socket: &socket2::Socket, packet: &[u8], per_second: f64) {
    let length = (8 + packet.len() as u16).to_be_bytes();
    // No checksum (RFC 768).
    let header = [&[0; 2], &attack.server.port().to_be_bytes(), &length[..], &[0; 2]].concat();
    let (datagram, to) = ([&header, packet].concat(), attack.server.into());
    let (began, mut number) = (Instant::now(), 0_u64);
    while !attack.stop.load(Relaxed) {
        if number > (began.elapsed().as_secs_f64() * per_second) as u64 {
            thread::sleep(Duration::from_micros(500));
            continue;
        }
        // A flood may fill the send buffer.
        let _ = socket.send_to(&datagram, &to);
        number += 1;
        attack.sent.store(number, Relaxed);
    }
}

/// Sends packets at a rate, each from another address and port until all are used.
fn flood(attack: &Attack, sockets: &[Socket], packet: &[u8], per_second: f64, addresses: u32) {
    let mut batch = SendBatch::new();
    let (began, mut number) = (Instant::now(), 0_u64);
    // With one address, each packet needs another port. At a low rate, packets do not wait for a batch.
    let in_a_row = BATCH.min(addresses as usize).min((per_second / 100.0) as usize).max(1);
    while !attack.stop.load(Relaxed) {
        let due = (began.elapsed().as_secs_f64() * per_second) as u64;
        if number + (in_a_row as u64) > due {
            thread::sleep(Duration::from_micros(500));
            continue;
        }
        let socket = &sockets[(number as usize / in_a_row) % sockets.len()];
        for _ in 0..in_a_row {
            if !batch.has_room(packet.len()) {
                batch.flush(socket);
            }
            if let Some(room) = batch.room(packet.len()) {
                room.copy_from_slice(packet);
                let local = from((number % u64::from(addresses)) as u32);
                batch.push(attack.server, Some(local), packet.len(), packet.len());
            }
            number += 1;
        }
        batch.flush(socket);
        attack.sent.store(number, Relaxed);
    }
}
