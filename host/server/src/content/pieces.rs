//! Ranged contents of the program, read in pieces: ahead of their transfers, and once for all transfers that have equal
//! versions at the same time.
//!
//! A transfer begins with four pieces ahead. Whenever it has to wait for a piece, it reads twice as many ahead, up to the
//! depth of its source: so what is in flight follows the delay of the back end and the speed of the client. All pieces
//! share a budget. A piece stays while a transfer is in it, and then as long as nobody needs its room; a transfer that
//! needs a piece and finds no room waits for its turn.

use super::in_runtime::InRuntime;
use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout};
use tuffet_store::{ContentId, ReadAt, SuppliedFuture};

/// How long the program may take to read a piece.
const PIECE_TIME: Duration = Duration::from_secs(60);

/// How many pieces a transfer reads ahead at first.
const FIRST_AHEAD: u64 = 4;

/// A transfer that has not asked for more of its piece for this long loses it to others that need room, and has it read
/// again.
const IDLE: Duration = Duration::from_secs(1);

/// How a content is read: in pieces of this many bytes, so many of them ahead at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) piece: usize,
    pub(crate) depth: usize,
}

impl Default for Reading {
    fn default() -> Reading {
        Reading { piece: 256 << 10, depth: 32 }
    }
}

/// The pieces of all contents. Cheap to clone; clones share them.
#[derive(Clone)]
pub(crate) struct PieceStore(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    /// Room may have become free, or the turn has changed.
    freed: Notify,
}

struct State {
    /// In bytes.
    budget: usize,
    used: usize,
    pieces: HashMap<PieceId, Piece>,
    /// How many readers each content has. Its pieces go with the last one.
    readers: HashMap<ContentId, usize>,
    /// Readers that wait for room, in order.
    queue: VecDeque<u64>,
    /// For tickets and serials.
    next: u64,
}

type PieceId = (ContentId, u64);

struct Piece {
    /// Tells it from one that was given up and read again.
    serial: u64,
    bytes: Bytes,
    length: usize,
    /// How many readers are in it.
    readers: usize,
    was_read: bool,
    last_used: Instant,
}

enum Bytes {
    Loading(watch::Receiver<Option<Loaded>>),
    Ready(Arc<Vec<u8>>),
}

/// The bytes of a piece, or why there are none. Fewer bytes than it should have: the content ends or fails there, and
/// the next read tells.
type Loaded = Result<Arc<Vec<u8>>, Failed>;

#[derive(Debug, Clone)]
struct Failed {
    kind: io::ErrorKind,
    text: Arc<str>,
}

impl From<Failed> for io::Error {
    fn from(failed: Failed) -> io::Error {
        io::Error::new(failed.kind, &*failed.text)
    }
}

impl PieceStore {
    pub(crate) fn new(budget: u64) -> PieceStore {
        let state = State {
            budget: usize::try_from(budget).unwrap_or(usize::MAX),
            used: 0,
            pieces: HashMap::new(),
            readers: HashMap::new(),
            queue: VecDeque::new(),
            next: 0,
        };
        PieceStore(Arc::new(Shared { state: Mutex::new(state), freed: Notify::new() }))
    }

    pub(crate) fn set_budget(&self, budget: u64) {
        self.0.state.lock().budget = usize::try_from(budget).unwrap_or(usize::MAX);
        self.0.freed.notify_waiters();
    }

    /// Returns a reader of a content that reads it in pieces.
    pub(crate) fn reader(
        &self,
        content: ContentId,
        size: u64,
        reading: Reading,
        program: InRuntime,
    ) -> PieceReader {
        *self.0.state.lock().readers.entry(content).or_default() += 1;
        PieceReader {
            store: self.clone(),
            source: Arc::new(SourceOfPieces { content, size, piece: reading.piece, program }),
            depth: reading.depth as u64,
            place: Mutex::new(Place { piece: None, ahead: FIRST_AHEAD }),
        }
    }
}

impl State {
    /// Reserves room for a piece, and begins it. `demanded`: a transfer waits for it; otherwise only room of pieces that
    /// were read is taken.
    fn begin(&mut self, id: PieceId, length: usize, demanded: bool) -> Option<watch::Sender<Option<Loaded>>> {
        // A piece that is larger than the whole budget is read alone.
        while self.used > 0 && self.used + length > self.budget {
            let victim = self.victim(demanded)?;
            self.remove(&victim);
        }
        let (sender, receiver) = watch::channel(None);
        self.used += length;
        let bytes = Bytes::Loading(receiver);
        let last_used = Instant::now();
        let serial = self.number();
        self.pieces.insert(id, Piece { serial, bytes, length, readers: 0, was_read: false, last_used });
        Some(sender)
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// The piece to give up: the one that nobody has used for the longest time; rather one that was read.
    fn victim(&self, demanded: bool) -> Option<PieceId> {
        let candidates = self.pieces.iter().filter(|(_, piece)| {
            let is_idle = piece.readers == 0 || demanded && piece.last_used.elapsed() >= IDLE;
            matches!(piece.bytes, Bytes::Ready(_)) && is_idle && (demanded || piece.was_read)
        });
        let rank = |piece: &Piece| (piece.readers > 0, !piece.was_read, piece.last_used);
        candidates.min_by_key(|(_, piece)| rank(piece)).map(|(id, _)| *id)
    }

    fn remove(&mut self, id: &PieceId) {
        if let Some(piece) = self.pieces.remove(id) {
            self.used -= piece.length;
        }
    }

    /// Moves a reader from one piece to another.
    fn enter(&mut self, content: ContentId, place: &mut Place, number: u64) {
        let Some(piece) = self.pieces.get_mut(&(content, number)) else { return };
        piece.last_used = Instant::now();
        let now = Some((number, piece.serial));
        if place.piece != now {
            piece.readers += 1;
            self.leave(content, place);
            place.piece = now;
        }
    }

    /// Returns whether the reader was in a piece.
    fn leave(&mut self, content: ContentId, place: &mut Place) -> bool {
        let Some((number, serial)) = place.piece.take() else { return false };
        if let Some(piece) = self.pieces.get_mut(&(content, number)).filter(|its| its.serial == serial) {
            piece.readers -= 1;
            piece.was_read = true;
        }
        true
    }
}

/// A content that the program supplies, and its pieces.
struct SourceOfPieces {
    content: ContentId,
    size: u64,
    piece: usize,
    program: InRuntime,
}

impl SourceOfPieces {
    fn length(&self, number: u64) -> usize {
        let start = number * self.piece as u64;
        usize::try_from(self.size.saturating_sub(start)).unwrap_or(usize::MAX).min(self.piece)
    }

    async fn read(&self, number: u64) -> Loaded {
        let start = number * self.piece as u64;
        let mut bytes = vec![0; self.length(number)];
        let mut filled = 0;
        while filled < bytes.len() {
            let room = bytes.len() - filled;
            match self.program.read_at(start + filled as u64, &mut bytes[filled..]).await {
                Ok(0) => break,
                Ok(read) if read > room => {
                    let text = format!("{read} bytes were read into a buffer of {room}").into();
                    return Err(Failed { kind: io::ErrorKind::Other, text });
                }
                Ok(read) => filled += read,
                // What there is counts; the next read tells why there is no more.
                Err(_) if filled > 0 => break,
                Err(error) => return Err(Failed { kind: error.kind(), text: error.to_string().into() }),
            }
        }
        bytes.truncate(filled);
        Ok(Arc::new(bytes))
    }
}

/// Where a reader is.
struct Place {
    /// The number of the piece, and its serial.
    piece: Option<(u64, u64)>,
    /// How many pieces it has read ahead.
    ahead: u64,
}

/// A content that is read in pieces, for one transfer.
pub(crate) struct PieceReader {
    store: PieceStore,
    source: Arc<SourceOfPieces>,
    depth: u64,
    place: Mutex<Place>,
}

/// What a reader finds of a piece.
enum Found {
    Ready(Arc<Vec<u8>>),
    Loading(watch::Receiver<Option<Loaded>>),
    /// This reader begins it.
    Begun(watch::Receiver<Option<Loaded>>),
    NoRoom,
}

impl PieceReader {
    async fn piece(&self, number: u64) -> Result<Arc<Vec<u8>>, Failed> {
        let mut turn = None;
        let mut has_waited = false;
        loop {
            let freed = self.store.0.freed.notified();
            tokio::pin!(freed);
            freed.as_mut().enable();
            let (mut loading, is_own) = match self.find(number, &mut turn) {
                Found::Ready(bytes) => {
                    self.read_ahead(number, has_waited);
                    return Ok(bytes);
                }
                Found::Loading(loading) => (loading, false),
                Found::Begun(loading) => (loading, true),
                Found::NoRoom => {
                    // A transfer that has become idle tells nobody.
                    let _ = timeout(IDLE / 2, freed).await;
                    continue;
                }
            };
            drop(turn.take());
            has_waited = true;
            self.read_ahead(number, false);
            let loaded = match loading.wait_for(Option::is_some).await {
                Ok(loaded) => loaded.clone(),
                // Its task was ended with the runtime.
                Err(_) => None,
            };
            match loaded {
                Some(Ok(bytes)) if bytes.len() < self.source.length(number) => return Ok(bytes),
                // It is there unless it was given up already.
                Some(Ok(bytes)) => {
                    let mut state = self.store.0.state.lock();
                    state.enter(self.source.content, &mut self.place.lock(), number);
                    drop(state);
                    self.read_ahead(number, true);
                    return Ok(bytes);
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

    fn find<'a>(&'a self, number: u64, turn: &mut Option<Turn<'a>>) -> Found {
        let mut state = self.store.0.state.lock();
        let id = (self.source.content, number);
        if let Some(piece) = state.pieces.get(&id) {
            let found = match &piece.bytes {
                Bytes::Ready(bytes) => Found::Ready(bytes.clone()),
                Bytes::Loading(loading) => Found::Loading(loading.clone()),
            };
            state.enter(self.source.content, &mut self.place.lock(), number);
            let is_awaited = !state.queue.is_empty();
            drop(state);
            if is_awaited {
                self.store.0.freed.notify_waiters();
            }
            return found;
        }
        // What it has read is the first that it gives up, for the first of those who wait.
        let has_left = state.leave(self.source.content, &mut self.place.lock());
        let is_next = match (&turn, state.queue.front()) {
            (_, None) => true,
            (Some(turn), Some(first)) => turn.ticket == *first,
            (None, Some(_)) => false,
        };
        let begun = is_next.then(|| state.begin(id, self.source.length(number), true)).flatten();
        let Some(sender) = begun else {
            if turn.is_none() {
                let ticket = state.number();
                state.queue.push_back(ticket);
                *turn = Some(Turn { store: &self.store, ticket });
            }
            drop(state);
            if has_left {
                self.store.0.freed.notify_waiters();
            }
            return Found::NoRoom;
        };
        state.enter(self.source.content, &mut self.place.lock(), number);
        let loading = sender.subscribe();
        drop(state);
        self.load(number, sender);
        Found::Begun(loading)
    }

    /// Begins pieces behind this one. `more`: the transfer had to wait.
    fn read_ahead(&self, number: u64, more: bool) {
        let pieces = self.source.size.div_ceil(self.source.piece as u64);
        let mut begun = Vec::new();
        let mut state = self.store.0.state.lock();
        let mut place = self.place.lock();
        if more {
            place.ahead = (place.ahead * 2).min(self.depth);
        }
        let last = number.saturating_add(place.ahead.min(self.depth)).min(pieces.saturating_sub(1));
        // Whoever waits for room comes first.
        for next in number + 1..=last {
            if !state.queue.is_empty() {
                break;
            }
            let id = (self.source.content, next);
            if state.pieces.contains_key(&id) {
                continue;
            }
            match state.begin(id, self.source.length(next), false) {
                Some(sender) => begun.push((next, sender)),
                None => break,
            }
        }
        drop((place, state));
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
            let loaded = timeout(PIECE_TIME, source.read(number)).await.unwrap_or_else(|_| {
                let text = format!("no answer within {}", humantime::format_duration(PIECE_TIME)).into();
                Err(Failed { kind: io::ErrorKind::TimedOut, text })
            });
            if let Ok(bytes) = &loaded
                && bytes.len() == source.length(number)
            {
                let mut state = store.0.state.lock();
                let is_wanted = state.readers.contains_key(&source.content);
                if let Some(piece) = state.pieces.get_mut(&id).filter(|_| is_wanted) {
                    piece.bytes = Bytes::Ready(bytes.clone());
                    unfinished.id = None;
                }
            }
            drop(unfinished);
            sender.send_replace(Some(loaded));
            store.0.freed.notify_waiters();
        });
    }
}

impl ReadAt for PieceReader {
    fn read_at<'a>(&'a self, offset: u64, buffer: &'a mut [u8]) -> SuppliedFuture<'a, io::Result<usize>> {
        Box::pin(async move {
            let number = offset / self.source.piece as u64;
            let start = (offset % self.source.piece as u64) as usize;
            let piece = self.piece(number).await?;
            let bytes = piece.get(start..).unwrap_or_default();
            // The content ends or fails within the piece: the program tells which.
            if bytes.is_empty() && offset < self.source.size {
                return self.source.program.read_at(offset, buffer).await;
            }
            let length = bytes.len().min(buffer.len());
            buffer[..length].copy_from_slice(&bytes[..length]);
            Ok(length)
        })
    }
}

impl Drop for PieceReader {
    fn drop(&mut self) {
        let mut state = self.store.0.state.lock();
        let content = self.source.content;
        state.leave(content, self.place.get_mut());
        if let Some(readers) = state.readers.get_mut(&content) {
            *readers -= 1;
            if *readers == 0 {
                state.readers.remove(&content);
                let all = state
                    .pieces
                    .iter()
                    .filter(|((its, _), piece)| *its == content && matches!(piece.bytes, Bytes::Ready(_)));
                let all: Vec<PieceId> = all.map(|(id, _)| *id).collect();
                all.iter().for_each(|id| state.remove(id));
            }
        }
        drop(state);
        self.store.0.freed.notify_waiters();
    }
}

/// A place in the queue for room.
struct Turn<'a> {
    store: &'a PieceStore,
    ticket: u64,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.store.0.state.lock().queue.retain(|ticket| *ticket != self.ticket);
        self.store.0.freed.notify_waiters();
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
            self.store.0.state.lock().remove(id);
        }
    }
}
