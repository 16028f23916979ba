//! Somebody who can send in the name of others, and sees none of the answers: how many bytes a victim gets for each
//! byte that is forged.
//!
//! The forger asks in its own name first, which is answered, and so learns TID ports and what is granted. Then it asks
//! in the victim's name, and guesses: ACKs to some of the ports, as if the victim had got what was sent. The victim
//! is a socket of this program that counts.

use crate::abuser::{Wires, address};
use std::collections::BTreeSet;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;
use tuffet_core::Packet;

/// Addresses that ports are learnt from.
const OWN: u32 = 400;

/// Guesses for each request: more would be noticed.
const GUESSES: usize = 7;

/// Windows that are asked for in the same way.
const WINDOWS: u16 = 6;

/// How long an answer is given.
const ANSWER: Duration = Duration::from_millis(20);

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

/// `request` has options: it is answered with an OACK.
pub(crate) fn run(wires: &Wires, request: &[u8], bytes: &Bytes) -> io::Result<()> {
    let (ports, window) = learn(wires, request)?;
    let mut victims = Vec::new();
    for number in 0..128 {
        let victim = UdpSocket::bind((address(OWN + number), 0))?;
        victim.set_nonblocking(true)?;
        victims.push(victim);
    }
    let mut round = 0_usize;
    while !wires.stop.load(Relaxed) {
        let victim = &victims[round % victims.len()];
        let forge = |packet: &[u8], to: SocketAddr| {
            if victim.send_to(packet, to).is_ok() {
                bytes.forged.fetch_add(packet.len() as u64 + HEADERS, Relaxed);
                wires.sent.fetch_add(1, Relaxed);
            }
        };
        forge(request, wires.server);
        thread::sleep(ANSWER);
        for block in (0..=WINDOWS).map(|window_number| window_number.wrapping_mul(window)) {
            let [high, low] = block.to_be_bytes();
            // Other ports each time, spread over all of them.
            for guess in 0..GUESSES.min(ports.len()) {
                let port = ports[(round * 131 + guess * 37) % ports.len()];
                forge(&[0, 4, high, low], port);
            }
            thread::sleep(Duration::from_millis(2));
        }
        round += 1;
        for victim in &victims {
            bytes.at_victim.fetch_add(received(victim), Relaxed);
        }
    }
    thread::sleep(ANSWER);
    victims.iter().for_each(|victim| drop(bytes.at_victim.fetch_add(received(victim), Relaxed)));
    Ok(())
}

/// TID ports, and the blocks in a window.
fn learn(wires: &Wires, request: &[u8]) -> io::Result<(Vec<SocketAddr>, u16)> {
    let (mut ports, mut window) = (BTreeSet::new(), 1);
    for number in 0..OWN {
        let own = UdpSocket::bind((address(number), 0))?;
        own.set_read_timeout(Some(ANSWER))?;
        own.send_to(request, wires.server)?;
        let mut room = [0; 2_000];
        let Ok((length, port)) = own.recv_from(&mut room) else { continue };
        ports.insert(port);
        if let Ok(Packet::Oack(options)) = Packet::parse(&room[..length]) {
            window = options.asked().window_size();
        }
        // An ERROR ends it.
        own.send_to(b"\0\x05\0\0\0", port)?;
    }
    if ports.is_empty() {
        return Err(io::Error::other("the server answers nothing that ports could be learnt from"));
    }
    Ok((ports.into_iter().collect(), window))
}

fn received(victim: &UdpSocket) -> u64 {
    let (mut room, mut sum) = ([0; 65_536], 0);
    while let Ok((length, _)) = victim.recv_from(&mut room) {
        sum += length as u64 + HEADERS;
    }
    sum
}
