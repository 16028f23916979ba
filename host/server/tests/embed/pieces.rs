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
use tuffet::{Limits, ReadAt, Root, RootError, Source, Version};
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

struct Object(BackEnd, Vec<u8>);

impl ReadAt for Object {
    fn read_at<'a>(&'a self, offset: u64, buffer: &'a mut [u8]) -> BoxFuture<'a, io::Result<usize>> {
        Box::pin(async move {
            let Object(end, content) = self;
            end.reads.lock().push((offset, buffer.len()));
            let now = end.in_flight.fetch_add(buffer.len(), Relaxed) + buffer.len();
            end.most_in_flight.fetch_max(now, Relaxed);
            let _permit = end.gate.acquire().await.map_err(io::Error::other)?;
            let content = &content[offset as usize..];
            let length = content.len().min(buffer.len());
            buffer[..length].copy_from_slice(&content[..length]);
            end.in_flight.fetch_sub(buffer.len(), Relaxed);
            Ok(length)
        })
    }
}

#[async_trait]
impl Root for BackEnd {
    async fn open(&self, path: &str) -> Result<Source, RootError> {
        self.opened.fetch_add(1, Relaxed);
        let object = Object(self.clone(), content(path));
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
