//! Clients that keep their transfers open as long as possible: they answer every packet, but late.
//!
//! A client is an address and a port; all clients of a port share a socket. An answer depends only on the packet: an
//! ACK for DATA, the next DATA for an ACK or OACK.

use crate::abuse::attack::{Attack, from, number_of};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};
use tuffet_core::Packet;
use tuffet_udp::{Local, ReceiveBatch, SendBatch, Socket};

/// The behaviour of the clients.
pub(crate) struct Clients {
    pub(crate) request: Vec<u8>,
    pub(crate) count: u32,
    pub(crate) addresses: u32,
    /// The delay before each answer.
    pub(crate) wait: Duration,
    /// The size of the blocks that they write.
    pub(crate) blksize: usize,
    /// Whether all of them start over every second, even after a finished transfer.
    pub(crate) again: bool,
}

/// The interval between retransmissions of an unanswered request.
const AGAIN: Duration = Duration::from_secs(1);

/// Requests per second: more at once would only overflow the server's buffer.
const REQUESTS: f64 = 20_000.0;

struct PendingAnswer {
    due: Instant,
    client: usize,
    peer: SocketAddr,
    packet: Vec<u8>,
}

/// Client `n` has socket `n / addresses` and address `n % addresses`.
pub(crate) fn run(attack: &Attack, sockets: &[Socket], clients: &Clients) {
    let (mut batch, mut received) = (SendBatch::new(), ReceiveBatch::new());
    let mut last: Vec<Option<u16>> = vec![None; clients.count as usize];
    let mut waiting: VecDeque<PendingAnswer> = VecDeque::new();
    let addresses = clients.addresses as usize;
    let (mut began, mut asked, mut sent) = (Instant::now(), 0_usize, 0_u64);
    let mut send = |client: usize, peer: SocketAddr, packet: &[u8]| {
        let socket = &sockets[client / addresses];
        if let Some(room) = batch.room(packet.len()) {
            room.copy_from_slice(packet);
            let local = from((client % addresses) as u32);
            batch.push(peer, Some(local), packet.len(), packet.len());
        }
        batch.flush(socket);
        sent += 1;
        attack.sent.store(sent, Relaxed);
    };
    while !attack.stop.load(Relaxed) {
        // Clients without an answer repeat their requests, in rounds.
        let due = (began.elapsed().as_secs_f64() * REQUESTS) as usize;
        while asked < due.min(last.len()) {
            if last[asked].is_none() {
                send(asked, attack.server, &clients.request);
            }
            asked += 1;
        }
        if asked >= last.len() && began.elapsed() > AGAIN {
            (began, asked) = (Instant::now(), 0);
            if clients.again {
                last.fill(None);
            }
        }
        let now = Instant::now();
        while waiting.front().is_some_and(|answer| answer.due <= now) {
            let Some(answer) = waiting.pop_front() else { break };
            send(answer.client, answer.peer, &answer.packet);
        }
        for (port, socket) in sockets.iter().enumerate() {
            // An error is about an earlier datagram.
            let _ = received.fill(socket);
            for datagram in (0..received.len()).filter_map(|index| received.get(index)) {
                let Some(address) = datagram.local.and_then(|local: Local| local.address) else { continue };
                let Some(number) = number_of(address).filter(|number| *number < clients.addresses) else {
                    continue;
                };
                let client = port * addresses + number as usize;
                let Some(last) = last.get_mut(client) else { continue };
                let Some((block, packet)) = answer_to(datagram.payload, clients.blksize) else { continue };
                // Retransmitted packets get no second answer.
                if *last != Some(block) {
                    *last = Some(block);
                    waiting.push_back(PendingAnswer {
                        due: now + clients.wait,
                        client,
                        peer: datagram.peer,
                        packet,
                    });
                }
            }
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Returns the block number of a packet and the answer to it.
fn answer_to(payload: &[u8], blksize: usize) -> Option<(u16, Vec<u8>)> {
    match Packet::parse(payload).ok()? {
        Packet::Data { block, .. } => Some((block, [&[0, 4], &block.to_be_bytes()[..]].concat())),
        Packet::Ack { block } => Some((block, data(block.wrapping_add(1), blksize))),
        Packet::Oack(_) => Some((0, data(1, blksize))),
        Packet::Request(_) | Packet::Error { .. } => None,
    }
}

fn data(block: u16, blksize: usize) -> Vec<u8> {
    [&[0, 3], &block.to_be_bytes()[..], &vec![b'x'; blksize]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_acknowledge_and_writers_go_on_for_ever() {
        assert_eq!(answer_to(b"\0\x03\0\x07abc", 8), Some((7, b"\0\x04\0\x07".to_vec())));
        assert_eq!(answer_to(b"\0\x04\xff\xff", 2), Some((0xffff, b"\0\x03\0\0xx".to_vec())));
        assert_eq!(answer_to(b"\0\x06blksize\x008\0", 2), Some((0, b"\0\x03\0\x01xx".to_vec())));
        assert_eq!(answer_to(b"\0\x05\0\x01no\0", 2), None);
    }
}
