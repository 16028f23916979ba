//! The other side: clients that request the next window as soon as they have received one.

use crate::limit::shape::Shape;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tuffet_udp::{BindOptions, ReceiveBatch, SendBatch, Socket};

/// The time without a datagram before a client repeats its request: one was dropped.
const PATIENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// All clients of a shape, in one thread.
pub(crate) struct Clients<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) server: SocketAddr,
    /// Datagrams received.
    pub(crate) received: &'a AtomicU64,
    /// Windows requested again.
    pub(crate) repeats: &'a AtomicU64,
    pub(crate) stop: &'a AtomicBool,
}

struct Client {
    socket: Socket,
    /// Missing datagrams of the current window.
    missing: usize,
}

impl Clients<'_> {
    /// Sends requests until it must stop.
    pub(crate) fn ask(&self) -> io::Result<()> {
        let any = SocketAddr::new(self.server.ip(), 0);
        let options = BindOptions { gro: self.shape.gro, ..BindOptions::default() };
        let mut clients = (0..self.shape.clients)
            .map(|_| Ok(Client { socket: Socket::bind(any, options)?, missing: 0 }))
            .collect::<io::Result<Vec<Client>>>()?;
        let (mut data, mut requests) = (ReceiveBatch::new(), SendBatch::new());
        for client in &mut clients {
            self.request(client, &mut requests);
        }
        while !self.stop.load(Ordering::Relaxed) {
            let ready = ready(&clients)?;
            for &index in &ready {
                self.receive(&mut clients[index], &mut data, &mut requests)?;
            }
            if ready.is_empty() {
                for client in &mut clients {
                    self.repeats.fetch_add(1, Ordering::Relaxed);
                    self.request(client, &mut requests);
                }
            }
        }
        Ok(())
    }

    fn receive(
        &self,
        client: &mut Client,
        data: &mut ReceiveBatch,
        requests: &mut SendBatch,
    ) -> io::Result<()> {
        loop {
            let more = data.fill(&client.socket)?;
            let datagrams =
                |index| data.get(index).map_or(0, |got| got.payload.len().div_ceil(self.shape.size));
            let count: usize = (0..data.len()).map(datagrams).sum();
            self.received.fetch_add(count as u64, Ordering::Relaxed);
            client.missing = client.missing.saturating_sub(count);
            if client.missing == 0 && count > 0 {
                self.request(client, requests);
            }
            if !more {
                return Ok(());
            }
        }
    }

    fn request(&self, client: &mut Client, requests: &mut SendBatch) {
        client.missing = self.shape.window;
        requests.push(self.server, None, 4, 4);
        requests.flush(&client.socket);
    }
}

fn ready(clients: &[Client]) -> io::Result<Vec<usize>> {
    let mut waited: Vec<PollFd<'_>> =
        clients.iter().map(|client| PollFd::new(&client.socket, PollFlags::IN)).collect();
    match poll(&mut waited, Some(&PATIENCE)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    Ok((0..clients.len()).filter(|&index| !waited[index].revents().is_empty()).collect())
}
