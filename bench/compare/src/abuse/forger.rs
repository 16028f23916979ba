//! Somebody who can send in the name of others, and sees none of the answers: how many bytes a victim gets for each
//! byte that is forged.
//!
//! The forger asks in its own name first, which is answered, and so learns TID ports and what is granted. Then it asks
//! in the victim's name, and guesses: ACKs to some of the ports, as if the victim had got what was sent. The victim
//! is a socket of this program that counts.

use crate::abuse::abuser::{Wires, address};
use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;
use tuffet_udp::{BindOptions, Socket};

/// Addresses that ports are learnt from.
const OWN: u32 = 400;

/// Addresses of victims.
const VICTIMS: u32 = 250;

/// Guesses for each request: more would be noticed.
const GUESSES: usize = 7;

/// How long the server has for an answer.
const ANSWER: Duration = Duration::from_millis(20);

/// How long it has where the answer is not seen: a little more than it takes.
const UNSEEN: Duration = Duration::from_millis(3);

/// Headers of IPv4 and UDP.
const HEADERS: u64 = 28;

/// Bytes on the wire, headers included.
#[derive(Clone, Default)]
pub(crate) struct Bytes {
    forged: Arc<AtomicU64>,
    at_victim: Arc<AtomicU64>,
}

impl Bytes {
    /// How many a victim got for each that was forged; `None` before there was one.
    pub(crate) fn factor(&self) -> Option<f64> {
        let forged = self.forged.load(Relaxed);
        (forged > 0).then(|| self.at_victim.load(Relaxed) as f64 / forged as f64)
    }
}

/// `request` has options: it is answered with an OACK, and an ACK 0 with a window. To guess the port again for the next
/// window is worth less than another request.
pub(crate) fn run(wires: &Wires, request: &[u8], bytes: &Bytes) -> io::Result<()> {
    let ports = learn(wires, request)?;
    let mut victims = VecDeque::new();
    for round in 0_usize.. {
        if wires.stop.load(Relaxed) {
            break;
        }
        // Another port each time, open for a while: the same one again would be the same request.
        let victim = victim(OWN + round as u32 % VICTIMS)?;
        let forge = |packet: &[u8], to: SocketAddr| {
            if victim.send_to(packet, to).is_ok() {
                bytes.forged.fetch_add(packet.len() as u64 + HEADERS, Relaxed);
                wires.sent.fetch_add(1, Relaxed);
            }
        };
        forge(request, wires.server);
        thread::sleep(UNSEEN);
        // Other ports each time, spread over all of them.
        for guess in 0..GUESSES.min(ports.len()) {
            forge(&[0, 4, 0, 0], ports[(round * 131 + guess * 37) % ports.len()]);
        }
        victims.push_back(victim);
        if victims.len() > VICTIMS as usize
            && let Some(oldest) = victims.pop_front()
        {
            bytes.at_victim.fetch_add(received(&oldest), Relaxed);
        }
    }
    thread::sleep(ANSWER);
    for victim in &victims {
        bytes.at_victim.fetch_add(received(victim), Relaxed);
    }
    Ok(())
}

/// With a receive buffer that takes a window.
fn victim(number: u32) -> io::Result<UdpSocket> {
    let socket = Socket::bind((address(number), 0).into(), BindOptions::default())?;
    Ok(UdpSocket::from(socket.as_fd().try_clone_to_owned()?))
}

/// TID ports.
fn learn(wires: &Wires, request: &[u8]) -> io::Result<Vec<SocketAddr>> {
    let mut ports = BTreeSet::new();
    for number in 0..OWN {
        let own = UdpSocket::bind((address(number), 0))?;
        own.set_read_timeout(Some(ANSWER))?;
        own.send_to(request, wires.server)?;
        let Ok((_, port)) = own.recv_from(&mut [0; 2_000]) else { continue };
        ports.insert(port);
        // An ERROR ends it.
        own.send_to(b"\0\x05\0\0\0", port)?;
    }
    if ports.is_empty() {
        return Err(io::Error::other("the server answers nothing that ports could be learnt from"));
    }
    Ok(ports.into_iter().collect())
}

fn received(victim: &UdpSocket) -> u64 {
    let (mut room, mut sum) = ([0; 65_536], 0);
    while let Ok((length, _)) = victim.recv_from(&mut room) {
        sum += length as u64 + HEADERS;
    }
    sum
}
