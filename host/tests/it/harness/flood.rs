//! Spoofed requests from many addresses, which never answer.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tuffet_udp::{BindOptions, Local, SendBatch, Socket};

/// Packets per call.
const BATCH: u32 = 32;

/// A flood that continues until it is dropped.
pub struct Flood {
    stop: Arc<AtomicBool>,
    sent: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl Flood {
    /// Sends `packet` at this rate per second, from this many addresses of 127.0.0.0/8 in turn, each time
    /// from the next of 16 ports.
    pub fn start(server: SocketAddr, packet: Vec<u8>, per_second: u32, addresses: u32) -> Flood {
        let (stop, sent) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let any = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
        let sockets: Vec<Socket> =
            (0..16).map(|_| Socket::bind(any, BindOptions::default()).unwrap()).collect();
        let (its_stop, its_sent) = (stop.clone(), sent.clone());
        let thread = thread::spawn(move || {
            let mut batch = SendBatch::new();
            let (began, mut number) = (Instant::now(), 0_u32);
            while !its_stop.load(Ordering::Relaxed) {
                let due = (began.elapsed().as_secs_f64() * f64::from(per_second)) as u64;
                if due < u64::from(number) + u64::from(BATCH) {
                    thread::sleep(Duration::from_millis(1));
                    continue;
                }
                for _ in 0..BATCH {
                    // 127.200.0.0 and up: no server is there.
                    let address = Ipv4Addr::from(0x7fc8_0000 + number % addresses);
                    let local = Local { address: Some(address.into()), interface: 0, copied: false };
                    if !batch.has_room(packet.len()) {
                        batch.flush(&sockets[0]);
                    }
                    batch.room(packet.len()).unwrap().copy_from_slice(&packet);
                    batch.push(server, Some(local), packet.len(), packet.len());
                    number = number.wrapping_add(1);
                }
                batch.flush(&sockets[(number / BATCH) as usize % sockets.len()]);
                its_sent.fetch_add(BATCH.into(), Ordering::Relaxed);
            }
        });
        Flood { stop, sent, thread: Some(thread) }
    }

    /// Returns the number of packets sent.
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }
}

impl Drop for Flood {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
