//! A content that is read in pieces, for one transfer.

use super::speed::Speed;
use super::{Failed, IDLE, Loaded, Loading, Need, PieceBytes, PieceId, PieceStore, Reading, Waiting};
use crate::supplied::in_runtime::InRuntime;
use crate::{BoxFuture, ContentId, ReadAt};
use bytes::Bytes;
use parking_lot::Mutex;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout};
use tuffet_request::ClientKey;

/// How long the program may take to read a piece.
const PIECE_TIME: Duration = Duration::from_secs(60);

/// A content that is read in pieces, for one transfer.
pub(crate) struct PieceReader {
    store: PieceStore,
    client: ClientKey,
    source: Arc<SourceOfPieces>,
    depth: u64,
    place: Mutex<Place>,
}

/// Where a reader is.
#[derive(Default)]
pub(super) struct Place {
    /// The number of the piece, and its serial.
    pub(super) piece: Option<(u64, u64)>,
    speed: Speed,
}

/// What a reader finds of a piece.
enum Found {
    Ready(Bytes),
    Loading(Loading),
    /// This reader begins it.
    Begun(Loading),
    NoRoom(Arc<Notify>),
}

impl PieceReader {
    /// A reader of a content for a transfer of this client.
    pub(crate) fn new(
        store: &PieceStore,
        content: ContentId,
        size: u64,
        reading: Reading,
        client: ClientKey,
        program: InRuntime,
    ) -> PieceReader {
        let mut state = store.0.lock();
        *state.contents.entry(content).or_default() += 1;
        state.clients.entry(client).or_default().readers += 1;
        drop(state);
        let store = store.clone();
        let Reading { piece, depth } = reading;
        let source = SourceOfPieces { content, size, piece, program, delay: AtomicU64::new(0) };
        let (depth, place) = (depth as u64, Mutex::default());
        PieceReader { store, client, source: Arc::new(source), depth, place }
    }

    async fn piece(&self, number: u64) -> Result<Bytes, Failed> {
        self.place.lock().speed.needs(number, Instant::now());
        let mut turn = None;
        loop {
            let (mut loading, is_own) = match self.find(number, &mut turn) {
                Found::Ready(bytes) => return Ok(self.got(number, bytes)),
                Found::Loading(loading) => (loading, false),
                Found::Begun(loading) => (loading, true),
                Found::NoRoom(freed) => {
                    // A transfer that has become idle does not say so.
                    let _ = timeout(IDLE / 2, freed.notified()).await;
                    continue;
                }
            };
            drop(turn.take());
            self.read_ahead(number);
            let loaded = match loading.wait_for(Option::is_some).await {
                Ok(loaded) => loaded.clone(),
                // Its task was ended with the runtime.
                Err(_) => None,
            };
            match loaded {
                Some(Ok(bytes)) if bytes.len() < self.source.length(number) => return Ok(bytes),
                // It is there unless it was given up already.
                Some(Ok(bytes)) => {
                    self.store.0.lock().enter(self.source.content, &mut self.place.lock(), number);
                    return Ok(self.got(number, bytes));
                }
                Some(Err(failed)) if is_own => return Err(failed),
                None if is_own => {
                    let text = "reading was ended".into();
                    return Err(Failed { kind: io::ErrorKind::Interrupted, text });
                }
                // The reader of another transfer has failed: this one tries itself.
                Some(Err(_)) | None => {}
            }
        }
    }

    fn got(&self, number: u64, bytes: Bytes) -> Bytes {
        let is_new = self.place.lock().speed.gets(number, Instant::now());
        if is_new {
            self.read_ahead(number);
        }
        bytes
    }

    fn find<'a>(&'a self, number: u64, turn: &mut Option<Turn<'a>>) -> Found {
        let mut state = self.store.0.lock();
        let id = (self.source.content, number);
        if let Some(piece) = state.pieces.get(&id) {
            let bytes = piece.bytes.clone();
            state.enter(self.source.content, &mut self.place.lock(), number);
            state.wake_next();
            return match bytes {
                PieceBytes::Ready(bytes) => Found::Ready(bytes),
                PieceBytes::Loading(loading) => Found::Loading(loading),
            };
        }
        // What it has read is the first that it gives up, for the first of those who wait.
        state.leave(self.source.content, &mut self.place.lock());
        let is_next = match (&turn, state.first()) {
            (_, None) => true,
            (Some(turn), Some(first)) => turn.ticket == first.ticket,
            (None, Some(_)) => false,
        };
        let need = Need { client: self.client, is_demanded: true };
        let begun = is_next.then(|| state.begin(id, self.source.length(number), need)).flatten();
        let Some(sender) = begun else {
            if turn.is_none() {
                let (ticket, wake) = (state.number(), Arc::default());
                let waiting = Waiting { ticket, piece: id, wake: Arc::clone(&wake) };
                state.queue.push(self.client, waiting);
                *turn = Some(Turn { reader: self, ticket, wake });
            }
            if !is_next {
                state.wake_next();
            }
            return Found::NoRoom(turn.as_ref().map(|turn| Arc::clone(&turn.wake)).unwrap_or_default());
        };
        if turn.is_some() {
            // It has had its turn: the next one is of another client.
            state.queue.pop(|_| true);
        }
        state.wake_for(id);
        state.enter(self.source.content, &mut self.place.lock(), number);
        let loading = sender.subscribe();
        drop(state);
        self.load(number, sender);
        Found::Begun(loading)
    }

    /// Begins pieces behind this one.
    fn read_ahead(&self, number: u64) {
        let pieces = self.source.size.div_ceil(self.source.piece as u64);
        let ahead = self.place.lock().speed.pieces_ahead(self.source.delay()).min(self.depth);
        let last = number.saturating_add(ahead).min(pieces.saturating_sub(1));
        let need = Need { client: self.client, is_demanded: false };
        let mut begun = Vec::new();
        let mut state = self.store.0.lock();
        for next in number + 1..=last {
            // Whoever waits for room comes first.
            if !state.queue.is_empty() {
                break;
            }
            let id = (self.source.content, next);
            if state.pieces.contains_key(&id) {
                continue;
            }
            match state.begin(id, self.source.length(next), need) {
                Some(sender) => begun.push((next, sender)),
                None => break,
            }
        }
        drop(state);
        for (next, sender) in begun {
            self.load(next, sender);
        }
    }

    /// Reads a piece in a task: it goes on if the transfer ends, for others.
    fn load(&self, number: u64, sender: watch::Sender<Option<Loaded>>) {
        let (store, source) = (self.store.clone(), Arc::clone(&self.source));
        tokio::spawn(async move {
            let id = (source.content, number);
            // Also if this task is ended.
            let mut unfinished = Unfinished { store: &store, id: Some(id) };
            let began = Instant::now();
            let loaded = timeout(PIECE_TIME, source.read(number)).await.unwrap_or_else(|_| {
                let text = format!("no answer within {}", humantime::format_duration(PIECE_TIME)).into();
                Err(Failed { kind: io::ErrorKind::TimedOut, text })
            });
            if let Ok(bytes) = &loaded
                && bytes.len() == source.length(number)
            {
                source.took(began.elapsed());
                let mut state = store.0.lock();
                let is_wanted = state.contents.contains_key(&source.content);
                if let Some(piece) = state.pieces.get_mut(&id).filter(|_| is_wanted) {
                    piece.bytes = PieceBytes::Ready(bytes.clone());
                    unfinished.id = None;
                    state.wake_next();
                }
            }
            drop(unfinished);
            sender.send_replace(Some(loaded));
        });
    }
}

impl ReadAt for PieceReader {
    /// Returns the rest of a piece, as far as it is requested.
    fn read_at(&self, offset: u64, length: usize) -> BoxFuture<'_, io::Result<Bytes>> {
        Box::pin(async move {
            let number = offset / self.source.piece as u64;
            let start = (offset % self.source.piece as u64) as usize;
            let piece = self.piece(number).await?;
            // The content ends or fails within the piece: the program tells which.
            if start >= piece.len() && offset < self.source.size {
                return self.source.program.read_at(offset, length).await;
            }
            let start = start.min(piece.len());
            Ok(piece.slice(start..piece.len().min(start.saturating_add(length))))
        })
    }
}

impl Drop for PieceReader {
    fn drop(&mut self) {
        let mut state = self.store.0.lock();
        state.end(self.source.content, self.client, self.place.get_mut());
        state.wake_next();
    }
}

/// A content that the program supplies, and its pieces.
struct SourceOfPieces {
    content: ContentId,
    size: u64,
    piece: usize,
    program: InRuntime,
    /// The smoothed time that a read takes, in nanoseconds; 0: unknown.
    delay: AtomicU64,
}

impl SourceOfPieces {
    fn length(&self, number: u64) -> usize {
        let start = number * self.piece as u64;
        usize::try_from(self.size.saturating_sub(start)).unwrap_or(usize::MAX).min(self.piece)
    }

    async fn read(&self, number: u64) -> Loaded {
        let (start, length) = (number * self.piece as u64, self.length(number));
        let (mut parts, mut filled) = (Vec::new(), 0);
        while filled < length {
            match self.program.read_at(start + filled as u64, length - filled).await {
                Ok(part) if part.is_empty() => break,
                Ok(part) => {
                    filled += part.len();
                    parts.push(part);
                }
                // What there is counts; the next read tells why there is no more.
                Err(_) if filled > 0 => break,
                Err(error) => return Err(Failed { kind: error.kind(), text: error.to_string().into() }),
            }
        }
        Ok(match <[Bytes; 1]>::try_from(parts) {
            Ok([whole]) => whole,
            Err(parts) => parts.concat().into(),
        })
    }

    fn delay(&self) -> Option<Duration> {
        match self.delay.load(Relaxed) {
            0 => None,
            delay => Some(Duration::from_nanos(delay)),
        }
    }

    /// Notes how long a read took.
    fn took(&self, time: Duration) {
        let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).max(1);
        let smoothed = match self.delay.load(Relaxed) {
            0 => time,
            // Of two that end together, one counts.
            before => before - before / 4 + time / 4,
        };
        self.delay.store(smoothed.max(1), Relaxed);
    }
}

/// A place in the queue for room.
struct Turn<'a> {
    reader: &'a PieceReader,
    ticket: u64,
    wake: Arc<Notify>,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.reader.store.0.lock();
        state.queue.retain(self.reader.client, |waiting| waiting.ticket != self.ticket);
        state.wake_next();
    }
}

/// A piece that is being read, removed if that fails.
struct Unfinished<'a> {
    store: &'a PieceStore,
    id: Option<PieceId>,
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        if let Some(id) = &self.id {
            let mut state = self.store.0.lock();
            state.remove(id);
            state.wake_next();
        }
    }
}
