//! Ranged contents are read in pieces, ahead of their transfers and once for all.

use crate::{builder, off, start};
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;
use tokio::sync::Semaphore;
use tuffet::{Bytes, Limits, ReadAt, Root, RootError, Source, Version};
use tuffet_testing::Client;

const PIECE: usize = 64 << 10;
/// Four pieces, the last of which is small.
const SIZE: usize = 3 * PIECE + 1000;

fn content(name: &str) -> Vec<u8> {
    let seed = name.bytes().map(usize::from).sum::<usize>();
    (0..SIZE).map(|n| ((n + seed) % 251) as u8).collect()
}

/// Contents whose bytes and versions differ by name.
#[derive(Clone)]
struct BackEnd {
    reads: Arc<Mutex<Vec<(u64, usize)>>>,
    in_flight: Arc<AtomicUsize>,
    most_in_flight: Arc<AtomicUsize>,
    /// Each read takes a permit and gives it back.
    gate: Arc<Semaphore>,
    opened: Arc<AtomicUsize>,
    ahead: usize,
}

impl BackEnd {
    fn new(permits: usize, ahead: usize) -> BackEnd {
        BackEnd {
            reads: Arc::default(),
            in_flight: Arc::default(),
            most_in_flight: Arc::default(),
            gate: Arc::new(Semaphore::new(permits)),
            opened: Arc::default(),
            ahead,
        }
    }
}

struct Object(BackEnd, Bytes);

impl ReadAt for Object {
    fn read_at(&self, offset: u64, length: usize) -> BoxFuture<'_, io::Result<Bytes>> {
        Box::pin(async move {
            let Object(end, content) = self;
            end.reads.lock().push((offset, length));
            let now = end.in_flight.fetch_add(length, Relaxed) + length;
            end.most_in_flight.fetch_max(now, Relaxed);
            let _permit = end.gate.acquire().await.map_err(io::Error::other)?;
            end.in_flight.fetch_sub(length, Relaxed);
            Ok(content.slice(offset as usize..content.len().min(offset as usize + length)))
        })
    }
}

#[async_trait]
impl Root for BackEnd {
    async fn open(&self, path: &str) -> Result<Source, RootError> {
        self.opened.fetch_add(1, Relaxed);
        let object = Object(self.clone(), content(path).into());
        let source = Source::ranged(SIZE as u64, Version::new(path), object);
        Ok(source.pieces(PIECE, self.ahead))
    }
}

/// Without memory for hot contents.
fn limits(read_ahead: usize) -> Limits {
    Limits { cache: 0, read_ahead: read_ahead as u64, ..Limits::default() }
}

fn patient(server: SocketAddr) -> Client {
    Client::new(server).blksize(1400).patience(Duration::from_secs(60))
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_versions_are_read_once_by_all_at_the_same_time() {
    const CLIENTS: usize = 40;
    let end = BackEnd::new(0, 2);
    let (handle, server) = start(builder().root("back end", end.clone()).limits(limits(1 << 20)));
    let clients = (0..CLIENTS).map(|_| tokio::task::spawn_blocking(move || patient(server).get("x")));
    let clients: Vec<_> = clients.collect();
    // Nothing is read before all of them have begun.
    while end.opened.load(Relaxed) < CLIENTS {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    end.gate.add_permits(100);
    for client in clients {
        assert!(client.await.unwrap().unwrap() == content("x"));
    }
    let mut reads = std::mem::take(&mut *end.reads.lock());
    reads.sort_unstable();
    let expected = [0, 1, 2, 3].map(|n| (n * PIECE as u64, PIECE.min(SIZE - n as usize * PIECE)));
    assert_eq!(reads, expected);
    handle.drain(Duration::ZERO).await;
}

/// Beyond the memory for reading ahead, transfers wait for room; they never read less than a piece.
#[tokio::test(flavor = "multi_thread")]
async fn readers_wait_for_room() {
    const CLIENTS: usize = 30;
    let end = BackEnd::new(100, 8);
    let (handle, server) = start(builder().root("back end", end.clone()).limits(limits(4 * PIECE)));
    let clients = (0..CLIENTS).map(|number| {
        let name = format!("{number}");
        tokio::task::spawn_blocking(move || patient(server).get(&name).map(|got| got == content(&name)))
    });
    for client in clients.collect::<Vec<_>>() {
        assert!(client.await.unwrap().unwrap());
    }
    assert!(end.most_in_flight.load(Relaxed) <= 4 * PIECE);
    let reads = std::mem::take(&mut *end.reads.lock());
    let is_piece = |(offset, length): &(u64, usize)| {
        *offset % PIECE as u64 == 0 && *length == PIECE.min(SIZE - *offset as usize)
    };
    assert!(reads.iter().all(is_piece), "{reads:?}");
    handle.drain(Duration::ZERO).await;
}

/// One that has stopped gives its room up, and has its piece read again when it goes on.
#[tokio::test(flavor = "multi_thread")]
async fn a_transfer_that_stops_holds_up_nobody() {
    let end = BackEnd::new(100, 1);
    let (handle, server) = start(builder().root("back end", end.clone()).limits(limits(PIECE)));
    off(move || {
        let stopped = UdpSocket::bind("127.0.0.1:0").unwrap();
        stopped.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stopped.send_to(b"\0\x01a\0octet\0", server).unwrap();
        let mut room = [0; 600];
        let (length, tid) = stopped.recv_from(&mut room).unwrap();
        assert_eq!(room[..length], [&[0, 3, 0, 1], &content("a")[..512]].concat());
        for _ in 0..2 {
            assert!(patient(server).get("b").unwrap() == content("b"));
        }
        for block in 1..=(SIZE / 512) as u16 {
            stopped.send_to(&[[0, 4], block.to_be_bytes()].concat(), tid).unwrap();
            let next = block + 1;
            loop {
                let (length, _) = stopped.recv_from(&mut room).unwrap();
                // Repetitions of the first block.
                if room[2..4] == next.to_be_bytes() {
                    let start = usize::from(block) * 512;
                    assert!(room[4..length] == content("a")[start..(start + 512).min(SIZE)]);
                    break;
                }
            }
        }
    })
    .await;
    handle.drain(Duration::ZERO).await;
}

/// Reads in lockstep as a client of this address.
fn get_from(client: [u8; 4], server: SocketAddr, name: &str) -> Vec<u8> {
    let socket = UdpSocket::bind(SocketAddr::from((client, 0))).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    socket.send_to(format!("\0\x01{name}\0octet\0").as_bytes(), server).unwrap();
    let (mut content, mut packet) = (Vec::new(), [0; 600]);
    loop {
        let (length, tid) = socket.recv_from(&mut packet).unwrap();
        let block = (content.len() / 512 + 1) as u16;
        if packet[..2] == [0, 3] && packet[2..4] == block.to_be_bytes() {
            content.extend_from_slice(&packet[4..length]);
            socket.send_to(&[&[0, 4], &packet[2..4]].concat(), tid).unwrap();
            if length < 516 {
                return content;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_with_many_transfers_holds_up_no_other() {
    const TRANSFERS: usize = 24;
    let end = BackEnd::new(0, 1);
    let (handle, server) = start(builder().root("back end", end.clone()).limits(limits(2 * PIECE)));
    let many = (0..TRANSFERS).map(|number| {
        let name = format!("many {number}");
        tokio::task::spawn_blocking(move || patient(server).get(&name).map(|got| got == content(&name)))
    });
    let many: Vec<_> = many.collect();
    // They have begun, and wait for room.
    while end.opened.load(Relaxed) < TRANSFERS {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let one = tokio::task::spawn_blocking(move || get_from([127, 0, 0, 2], server, "one"));
    while end.opened.load(Relaxed) < TRANSFERS + 1 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    end.gate.add_permits(1000);
    assert!(one.await.unwrap() == content("one"));
    let reads = end.reads.lock().len();
    for client in many {
        assert!(client.await.unwrap().unwrap());
    }
    let all = end.reads.lock().len();
    assert!(reads < all / 2, "the one client had its 4 pieces after {reads} of {all} reads");
    handle.drain(Duration::ZERO).await;
}

/// A back end that takes half a second for each read.
#[derive(Clone)]
struct Far {
    content: Bytes,
    in_flight: Arc<AtomicUsize>,
    most_in_flight: Arc<AtomicUsize>,
    /// At the end of the first read.
    first_in_flight: Arc<AtomicUsize>,
}

impl ReadAt for Far {
    fn read_at(&self, offset: u64, length: usize) -> BoxFuture<'_, io::Result<Bytes>> {
        Box::pin(async move {
            self.most_in_flight.fetch_max(self.in_flight.fetch_add(1, Relaxed) + 1, Relaxed);
            tokio::time::sleep(Duration::from_millis(500)).await;
            let now = self.in_flight.fetch_sub(1, Relaxed);
            let _ = self.first_in_flight.compare_exchange(0, now, Relaxed, Relaxed);
            Ok(self.content.slice(offset as usize..offset as usize + length))
        })
    }
}

#[async_trait]
impl Root for Far {
    async fn open(&self, _: &str) -> Result<Source, RootError> {
        let source = Source::ranged(self.content.len() as u64, Version::new("1"), self.clone());
        Ok(source.pieces(PIECE, 64))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transfer_that_proves_fast_reads_far_ahead() {
    let content: Bytes = (0..128 * PIECE).map(|n| (n % 249) as u8).collect();
    let far = Far {
        content: content.clone(),
        in_flight: Arc::default(),
        most_in_flight: Arc::default(),
        first_in_flight: Arc::default(),
    };
    let (handle, server) = start(builder().root("back end", far.clone()).limits(limits(16 << 20)));
    let got = off(move || patient(server).windowsize(16).get("x").unwrap()).await;
    assert!(got == content);
    let (first, most) = (far.first_in_flight.load(Relaxed), far.most_in_flight.load(Relaxed));
    assert!(first <= 17, "{first} pieces before anything was known of the client");
    assert!((30..=65).contains(&most), "{most} pieces at once");
    handle.drain(Duration::ZERO).await;
}
