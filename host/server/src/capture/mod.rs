//! `tuffet capture`: the datagrams of chosen clients, from the workers to the control connection, and what passes on their
//! connections by HTTP.
//!
//! The server copies its own datagrams, so capturing needs no privilege and no packet socket. One
//! capture at a time; it ends after a time, a number of bytes or datagrams, or when its reader disconnects.

mod pcapng;

use parking_lot::RwLock;
use pcapng::{Direction, PcapngBlocks};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, timeout};
use tuffet_engine::worker::{Mailbox, StreamPlace, Tap, ToWorker};

/// How often the queue is emptied.
const DRAIN_INTERVAL: Duration = Duration::from_millis(20);

/// How long writing a part to the reader may take.
const READER_TIMEOUT: Duration = Duration::from_secs(10);

/// How long starting a worker's copy may take.
const WORKER_TIMEOUT: Duration = Duration::from_secs(2);

/// The size of a part in bytes.
const CHUNK: usize = 256 << 10;

/// The longest segment of a connection that is written as one: with its headers it must fit into an IP packet.
const SEGMENT: usize = 32 << 10;

/// The longest capture.
pub const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// What to capture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaptureSpec {
    /// Addresses with optional ports; if empty, all clients.
    pub clients: Vec<(IpAddr, Option<u16>)>,
    /// The duration of the capture.
    pub milliseconds: u64,
    /// The size of the capture.
    pub bytes: u64,
    /// The number of datagrams; `None`: any.
    pub datagrams: Option<u64>,
}

/// How a capture ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaptureTotals {
    /// Captured datagrams.
    pub datagrams: u64,
    /// The size of the capture.
    pub bytes: u64,
    /// Datagrams lost because the reader was too slow or the queue full.
    pub dropped: u64,
}

/// The captures of a server: one at a time.
#[derive(Clone)]
pub struct Captures {
    mailboxes: Arc<[Arc<Mailbox>]>,
    in_progress: Arc<AtomicBool>,
    /// For those who are no workers.
    tap: Arc<RwLock<Option<Arc<Tap>>>>,
}

impl Captures {
    /// Captures of the workers with these mailboxes.
    pub fn new(mailboxes: &[Arc<Mailbox>]) -> Captures {
        Captures { mailboxes: mailboxes.into(), in_progress: Arc::default(), tap: Arc::default() }
    }

    /// Begins a capture; `None` while another one runs. When this returns, every worker copies datagrams.
    pub async fn begin(&self, spec: &CaptureSpec) -> Option<RunningCapture> {
        if self.in_progress.swap(true, Ordering::Relaxed) {
            return None;
        }
        let tap = Arc::new(Tap::new(spec.clients.clone()));
        *self.tap.write() = Some(Arc::clone(&tap));
        let running = RunningCapture { captures: self.clone(), tap };
        running.post(Some(&running.tap));
        let pings = self.mailboxes.iter().map(|mailbox| {
            let (sender, answer) = oneshot::channel();
            post(mailbox, ToWorker::Ping(sender));
            answer
        });
        // A worker that has stopped does not answer.
        for answer in pings.collect::<Vec<_>>() {
            let _ = timeout(WORKER_TIMEOUT, answer).await;
        }
        Some(running)
    }

    /// Copies bytes that have passed on a connection between a client and the server's end, if a capture wants them.
    pub fn passed(
        &self,
        inbound: bool,
        (client, local): (SocketAddr, SocketAddr),
        place: StreamPlace,
        bytes: &[u8],
    ) {
        if !self.in_progress.load(Ordering::Relaxed) {
            return;
        }
        let tap = self.tap.read();
        let Some(tap) = tap.as_ref().filter(|tap| tap.wants(&client)) else { return };
        let mut before = place.before;
        for segment in bytes.chunks(SEGMENT) {
            tap.put_segment(inbound, (client, local), StreamPlace { before, ..place }, segment);
            before = before.wrapping_add(segment.len() as u32);
        }
    }
}

impl fmt::Debug for Captures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Captures").field("in_progress", &self.in_progress).finish_non_exhaustive()
    }
}

/// A running capture. When it is dropped, the workers stop copying.
pub struct RunningCapture {
    captures: Captures,
    tap: Arc<Tap>,
}

impl Drop for RunningCapture {
    fn drop(&mut self) {
        *self.captures.tap.write() = None;
        self.post(None);
        self.captures.in_progress.store(false, Ordering::Relaxed);
    }
}

impl RunningCapture {
    fn post(&self, tap: Option<&Arc<Tap>>) {
        for mailbox in self.captures.mailboxes.iter() {
            post(mailbox, ToWorker::Tap(tap.map(Arc::clone)));
        }
    }

    /// Writes the capture as parts, each with its length in four bytes, most significant first. A part of length 0 ends
    /// it.
    ///
    /// # Errors
    /// The reader has disconnected, or is too slow.
    pub async fn stream(
        self,
        spec: &CaptureSpec,
        to: &mut (impl AsyncWrite + Unpin),
    ) -> io::Result<CaptureTotals> {
        let end = Instant::now() + Duration::from_millis(spec.milliseconds).min(LONGEST);
        let (mut totals, mut part) = (CaptureTotals::default(), PcapngBlocks::begin());
        loop {
            let mut full = false;
            while part.len() < CHUNK && !full {
                let Some(tapped) = self.tap.take() else { break };
                let direction = if tapped.inbound { Direction::Inbound } else { Direction::Outbound };
                let before = part.len();
                part.packet(tapped.at, direction, (tapped.peer, tapped.local), tapped.place, &tapped.bytes);
                totals.datagrams += 1;
                full = totals.bytes + part.len() as u64 >= spec.bytes
                    || spec.datagrams.is_some_and(|most| totals.datagrams >= most);
                debug_assert!(part.len() > before);
            }
            let over = full || Instant::now() >= end;
            let waits = part.len() >= CHUNK && !over;
            totals.bytes += part.len() as u64;
            write(to, part.bytes()).await?;
            part.clear();
            if over {
                break;
            }
            if !waits {
                sleep(DRAIN_INTERVAL.min(end.saturating_duration_since(Instant::now()))).await;
            }
        }
        totals.dropped = self.tap.dropped();
        drop(self);
        part.statistics(totals.datagrams, totals.dropped);
        totals.bytes += part.len() as u64;
        write(to, part.bytes()).await?;
        timeout(READER_TIMEOUT, to.write_all(&[0; 4])).await??;
        Ok(totals)
    }
}

async fn write(to: &mut (impl AsyncWrite + Unpin), part: &[u8]) -> io::Result<()> {
    let Ok(length) = u32::try_from(part.len()) else { return Err(io::ErrorKind::InvalidData.into()) };
    if length == 0 {
        return Ok(());
    }
    timeout(READER_TIMEOUT, async {
        to.write_all(&length.to_be_bytes()).await?;
        to.write_all(part).await
    })
    .await?
}

fn post(mailbox: &Mailbox, message: ToWorker) {
    if let Err(error) = mailbox.post(message) {
        tracing::error!(target: "tuffet::server::capture", %error, "a worker cannot be woken");
    }
}
