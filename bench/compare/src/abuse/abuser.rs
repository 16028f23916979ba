//! Abusers in a thread of their own.

use crate::abuse::forger;
use crate::abuse::kind::Abuse;
use crate::abuse::patient;
use socket2::{Domain, Protocol, Type};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tuffet_udp::{BindOptions, Local, SendBatch, Socket};

/// The first address of abusers; 127.200.0.0/13 is theirs.
const FIRST: u32 = 0x7fc8_0000;

/// Ports that a flood comes from, at each of its addresses.
const PORTS: usize = 1_024;

/// Ports of a flood from one address: the same port again would be the same request again.
const PORTS_OF_ONE: usize = 16_384;

/// Packets that one socket sends in a row where there are many addresses.
const BATCH: usize = 32;

/// Goes on until it is dropped.
pub(crate) struct Abusers {
    stop: Arc<AtomicBool>,
    sent: Arc<AtomicU64>,
    forged: forger::Bytes,
    thread: Option<JoinHandle<()>>,
}

/// What a thread of abusers is told, and tells.
pub(crate) struct Wires {
    pub(crate) server: SocketAddr,
    pub(crate) stop: Arc<AtomicBool>,
    /// Packets.
    pub(crate) sent: Arc<AtomicU64>,
}

impl Abusers {
    /// Begins. In the core that the caller is pinned to.
    ///
    /// # Errors
    /// When sockets cannot be had.
    pub(crate) fn start(server: SocketAddr, abuse: Abuse) -> Result<Abusers, String> {
        let (stop, sent) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let forged = forger::Bytes::default();
        let wires = Wires { server, stop: Arc::clone(&stop), sent: Arc::clone(&sent) };
        let sockets = |count: usize, tell_local| {
            let any = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
            let options = BindOptions { tell_local, ..BindOptions::default() };
            let sockets = (0..count).map(|_| Socket::bind(any, options)).collect::<Result<Vec<_>, _>>();
            sockets.map_err(|error| format!("{count} sockets for abusers: {error}; raise `ulimit -n`"))
        };
        let thread = match abuse {
            Abuse::Flood { packet, per_second, addresses } => {
                let sockets = sockets(if addresses == 1 { PORTS_OF_ONE } else { PORTS }, false)?;
                thread::spawn(move || flood(&wires, &sockets, &packet, per_second, addresses))
            }
            Abuse::PortZero { packet, per_second } => {
                let socket = raw().map_err(|error| format!("a raw socket (root has them): {error}"))?;
                thread::spawn(move || port_zero(&wires, &socket, &packet, per_second))
            }
            Abuse::Clients { request, count, addresses, wait_ms, blksize, again } => {
                let ports = count.div_ceil(addresses) as usize;
                let clients = patient::Clients {
                    request,
                    count,
                    addresses,
                    wait: Duration::from_millis(wait_ms),
                    blksize: blksize.into(),
                    again,
                };
                let sockets = sockets(ports, true)?;
                thread::spawn(move || patient::run(&wires, &sockets, &clients))
            }
            Abuse::Forger { request } => {
                let forged = forged.clone();
                thread::spawn(move || {
                    if let Err(error) = forger::run(&wires, &request, &forged) {
                        eprintln!("tuffet-abuse: forged ACKs: {error}");
                    }
                })
            }
        };
        Ok(Abusers { stop, sent, forged, thread: Some(thread) })
    }

    /// Packets that were sent.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Relaxed)
    }

    /// Ends, and says how many bytes a victim got for each that was forged, where that was done.
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

/// Sends at a rate, each time from port 0.
fn port_zero(wires: &Wires, socket: &socket2::Socket, packet: &[u8], per_second: f64) {
    let length = (8 + packet.len() as u16).to_be_bytes();
    // No checksum (RFC 768).
    let header = [&[0; 2], &wires.server.port().to_be_bytes(), &length[..], &[0; 2]].concat();
    let (datagram, to) = ([&header, packet].concat(), wires.server.into());
    let (began, mut number) = (Instant::now(), 0_u64);
    while !wires.stop.load(Relaxed) {
        if number > (began.elapsed().as_secs_f64() * per_second) as u64 {
            thread::sleep(Duration::from_micros(500));
            continue;
        }
        // A full buffer is part of a flood.
        let _ = socket.send_to(&datagram, &to);
        number += 1;
        wires.sent.store(number, Relaxed);
    }
}

/// The address of this number.
pub(crate) fn address(number: u32) -> Ipv4Addr {
    Ipv4Addr::from(FIRST + number)
}

/// From the address of this number.
pub(crate) fn from(number: u32) -> Local {
    let address = IpAddr::V4(address(number));
    Local { address: Some(address), interface: 0, copied: false }
}

/// The number of an address.
pub(crate) fn number_of(address: IpAddr) -> Option<u32> {
    match address {
        IpAddr::V4(v4) => v4.to_bits().checked_sub(FIRST),
        IpAddr::V6(_) => None,
    }
}

/// Sends at a rate. Each packet has an address and port of its own for as long as there are any.
fn flood(wires: &Wires, sockets: &[Socket], packet: &[u8], per_second: f64, addresses: u32) {
    let mut batch = SendBatch::new();
    let (began, mut number) = (Instant::now(), 0_u64);
    // With one address, each packet needs another port; at a low rate, none waits for a batch.
    let in_a_row = BATCH.min(addresses as usize).min((per_second / 100.0) as usize).max(1);
    while !wires.stop.load(Relaxed) {
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
                batch.push(wires.server, Some(local), packet.len(), packet.len());
            }
            number += 1;
        }
        batch.flush(socket);
        wires.sent.store(number, Relaxed);
    }
}
