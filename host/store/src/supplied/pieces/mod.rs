//! Ranged contents of the program, read in pieces: ahead of their transfers, and once for all transfers that have equal
//! versions at the same time.
//!
//! How far a transfer reads ahead follows the delay of the back end and the speed of the client (`speed.rs`). All pieces
//! share a budget. A piece stays while a transfer is in it, and then as long as its room is not needed. Transfers that need
//! a piece and find no room wait for it; their clients take turns. While several clients read, what each has read ahead is
//! bounded by its share of the budget.

mod reader;
mod speed;

pub(crate) use reader::PieceReader;

use crate::ContentId;
use bytes::Bytes;
use parking_lot::Mutex;
use reader::Place;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use tuffet_request::{ClientKey, FairQueue};

/// A transfer that has not asked for more of its piece for this long loses it to others that need room, and has it read
/// again. So does one that has not begun a piece for this long that was read ahead for it.
const IDLE: Duration = Duration::from_secs(1);

/// How a content is read: in pieces of this many bytes, so many of them ahead at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) piece: usize,
    pub(crate) depth: usize,
}

impl Default for Reading {
    /// Twice what a client of 300 MB/s takes in 50 ms.
    fn default() -> Reading {
        Reading { piece: 256 << 10, depth: 128 }
    }
}

/// The pieces of all contents. Cheap to clone; clones share them.
#[derive(Clone)]
pub(crate) struct PieceStore(Arc<Mutex<State>>);

struct State {
    /// In bytes.
    budget: usize,
    used: usize,
    pieces: HashMap<PieceId, Piece>,
    /// How many readers each content has. Its pieces go with the last one.
    contents: HashMap<ContentId, usize>,
    /// Those that read, or for which pieces are there that are not used yet.
    clients: HashMap<ClientKey, ReadingClient>,
    /// Readers that wait for room.
    queue: FairQueue<Waiting>,
    /// For tickets and serials.
    next: u64,
}

type PieceId = (ContentId, u64);

struct Piece {
    /// Tells it from one that was given up and read again.
    serial: u64,
    bytes: PieceBytes,
    length: usize,
    /// How many readers are in it.
    readers: usize,
    /// The client for which it was read ahead, until a reader is in it.
    ahead_for: Option<ClientKey>,
    was_read: bool,
    last_used: Instant,
}

#[derive(Default)]
struct ReadingClient {
    readers: usize,
    /// The bytes of the pieces that were read ahead for it and that no reader has entered.
    ahead: usize,
}

/// A reader that waits for room.
struct Waiting {
    ticket: u64,
    /// What it needs.
    piece: PieceId,
    wake: Arc<Notify>,
}

#[derive(Clone)]
enum PieceBytes {
    Loading(Loading),
    Ready(Bytes),
}

/// Tells the bytes of a piece, or why there are none. Fewer bytes than it should have: the content ends or fails there, and
/// the next read tells.
type Loading = watch::Receiver<Option<Loaded>>;
type Loaded = Result<Bytes, Failed>;

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

/// For whom room is made.
#[derive(Debug, Clone, Copy)]
struct Need {
    client: ClientKey,
    /// Whether a transfer waits for the piece. Otherwise only spare room is taken.
    is_demanded: bool,
}

/// The order in which pieces are given up.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// It was read: the one that has not been used for the longest time.
    Read(Instant),
    /// It was read ahead: of the client with the most bytes, the farthest.
    Ahead(Reverse<usize>, Reverse<u64>),
    /// Its transfers are idle.
    Idle(Instant),
}

impl PieceStore {
    pub(crate) fn new(budget: u64) -> PieceStore {
        PieceStore(Arc::new(Mutex::new(State {
            budget: usize::try_from(budget).unwrap_or(usize::MAX),
            used: 0,
            pieces: HashMap::new(),
            contents: HashMap::new(),
            clients: HashMap::new(),
            queue: FairQueue::default(),
            next: 0,
        })))
    }

    pub(crate) fn set_budget(&self, budget: u64) {
        let mut state = self.0.lock();
        state.budget = usize::try_from(budget).unwrap_or(usize::MAX);
        state.wake_next();
    }
}

impl State {
    /// Reserves room for a piece, and begins it.
    fn begin(&mut self, id: PieceId, length: usize, need: Need) -> Option<watch::Sender<Option<Loaded>>> {
        if !need.is_demanded && !self.may_read_ahead(need.client, length) {
            return None;
        }
        // A piece that is larger than the whole budget is read alone.
        while self.used > 0 && self.used + length > self.budget {
            let victim = self.victim(need)?;
            self.remove(&victim);
        }
        let (sender, receiver) = watch::channel(None);
        self.used += length;
        let bytes = PieceBytes::Loading(receiver);
        let ahead_for = (!need.is_demanded).then_some(need.client);
        if let Some(client) = ahead_for {
            self.clients.entry(client).or_default().ahead += length;
        }
        let (serial, last_used) = (self.number(), Instant::now());
        let piece = Piece { serial, bytes, length, readers: 0, ahead_for, was_read: false, last_used };
        self.pieces.insert(id, piece);
        Some(sender)
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// What each client may have read ahead.
    fn share(&self) -> usize {
        self.budget / self.clients.len().max(1)
    }

    /// Each client may read one piece ahead.
    fn may_read_ahead(&self, client: ClientKey, length: usize) -> bool {
        let ahead = self.ahead_of(client);
        ahead == 0 || ahead + length <= self.share()
    }

    fn ahead_of(&self, client: ClientKey) -> usize {
        self.clients.get(&client).map_or(0, |client| client.ahead)
    }

    /// The piece to give up.
    fn victim(&self, need: Need) -> Option<PieceId> {
        let (now, share) = (Instant::now(), self.share());
        let is_idle = |last: Instant| need.is_demanded && now.saturating_duration_since(last) >= IDLE;
        let rank = |piece: &Piece| match piece {
            Piece { bytes: PieceBytes::Loading(_), .. } => None,
            Piece { readers: 1.., last_used, .. } => is_idle(*last_used).then_some(Rank::Idle(*last_used)),
            Piece { ahead_for: Some(client), serial, length, last_used, .. } => {
                let ahead = self.ahead_of(*client);
                // Each client may have one.
                let is_beyond = *client != need.client && ahead > share.max(*length);
                let is_given_up = is_beyond || is_idle(*last_used);
                is_given_up.then_some(Rank::Ahead(Reverse(ahead), Reverse(*serial)))
            }
            Piece { last_used, .. } => Some(Rank::Read(*last_used)),
        };
        let ranked = self.pieces.iter().filter_map(|(id, piece)| Some((rank(piece)?, *id)));
        ranked.min_by(|one, other| one.0.cmp(&other.0)).map(|(_, id)| id)
    }

    fn remove(&mut self, id: &PieceId) {
        if let Some(piece) = self.pieces.remove(id) {
            self.used -= piece.length;
            self.is_not_ahead(piece.ahead_for, piece.length);
        }
    }

    /// Counts a piece no longer among what was read ahead for a client.
    fn is_not_ahead(&mut self, client: Option<ClientKey>, length: usize) {
        let Some(client) = client else { return };
        if let Some(its) = self.clients.get_mut(&client) {
            its.ahead -= length;
        }
        self.forget_if_gone(client);
    }

    fn forget_if_gone(&mut self, client: ClientKey) {
        if self.clients.get(&client).is_some_and(|its| its.readers == 0 && its.ahead == 0) {
            self.clients.remove(&client);
        }
    }

    /// Moves a reader from one piece to another.
    fn enter(&mut self, content: ContentId, place: &mut Place, number: u64) {
        let Some(piece) = self.pieces.get_mut(&(content, number)) else { return };
        piece.last_used = Instant::now();
        let now = Some((number, piece.serial));
        if place.piece == now {
            return;
        }
        piece.readers += 1;
        let (ahead_for, length) = (piece.ahead_for.take(), piece.length);
        self.is_not_ahead(ahead_for, length);
        self.leave(content, place);
        place.piece = now;
    }

    /// Takes a reader out of its piece.
    fn leave(&mut self, content: ContentId, place: &mut Place) {
        let Some((number, serial)) = place.piece.take() else { return };
        if let Some(piece) = self.pieces.get_mut(&(content, number)).filter(|its| its.serial == serial) {
            piece.readers -= 1;
            piece.was_read = true;
        }
    }

    /// Ends a reader; the pieces of a content go with its last one.
    fn end(&mut self, content: ContentId, client: ClientKey, place: &mut Place) {
        self.leave(content, place);
        if let Some(its) = self.clients.get_mut(&client) {
            its.readers -= 1;
        }
        self.forget_if_gone(client);
        let Some(readers) = self.contents.get_mut(&content) else { return };
        *readers -= 1;
        if *readers > 0 {
            return;
        }
        self.contents.remove(&content);
        let is_its =
            |id: &PieceId, piece: &Piece| id.0 == content && matches!(piece.bytes, PieceBytes::Ready(_));
        let all = self.pieces.iter().filter(|(id, piece)| is_its(id, piece)).map(|(id, _)| *id);
        let all: Vec<PieceId> = all.collect();
        all.iter().for_each(|id| self.remove(id));
    }

    /// The reader whose turn it is to get room.
    fn first(&self) -> Option<&Waiting> {
        let client = self.queue.next(|_| true)?;
        self.queue.line(client).next()
    }

    /// Wakes the reader whose turn it is: there may be room.
    fn wake_next(&self) {
        if let Some(first) = self.first() {
            first.wake.notify_one();
        }
    }

    /// Wakes those that wait for room for a piece that is being read.
    fn wake_for(&mut self, piece: PieceId) {
        let all = self.queue.iter_mut().filter(|waiting| waiting.piece == piece);
        all.for_each(|waiting| waiting.wake.notify_one());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PIECE: usize = 100;

    fn client(number: u8) -> ClientKey {
        ClientKey::of(&([192, 0, 2, number], 2000).into(), 64)
    }

    struct Pieces {
        store: PieceStore,
        content: ContentId,
    }

    impl Pieces {
        /// Room for ten pieces; these clients read.
        fn new(clients: &[u8]) -> Pieces {
            let store = PieceStore::new(10 * PIECE as u64);
            for number in clients {
                store.0.lock().clients.entry(client(*number)).or_default().readers += 1;
            }
            Pieces { store, content: ContentId::unused() }
        }

        /// Reads a piece, if there is room for it.
        fn read(&self, number: u64, by: u8, is_demanded: bool) -> bool {
            let mut state = self.store.0.lock();
            let need = Need { client: client(by), is_demanded };
            let id = (self.content, number);
            let has_begun = state.begin(id, PIECE, need).is_some();
            if let Some(piece) = state.pieces.get_mut(&id) {
                piece.bytes = PieceBytes::Ready(Bytes::new());
            }
            has_begun
        }

        fn read_ahead(&self, numbers: std::ops::Range<u64>, by: u8) -> usize {
            numbers.filter(|number| self.read(*number, by, false)).count()
        }

        fn numbers(&self) -> Vec<u64> {
            let mut numbers: Vec<u64> =
                self.store.0.lock().pieces.keys().map(|(_, number)| *number).collect();
            numbers.sort_unstable();
            numbers
        }
    }

    #[tokio::test(start_paused = true)]
    async fn one_client_reads_ahead_as_far_as_there_is_room() {
        let pieces = Pieces::new(&[1]);
        assert_eq!(pieces.read_ahead(0..20, 1), 10);
        // Its transfers will need them soon.
        assert!(!pieces.read(20, 1, true));
        tokio::time::advance(IDLE).await;
        assert!(!pieces.read(20, 1, false));
        // The farthest goes.
        assert!(pieces.read(20, 1, true));
        assert_eq!(pieces.numbers(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 20]);
    }

    #[test]
    fn clients_have_equal_shares_of_what_is_read_ahead() {
        let pieces = Pieces::new(&[1]);
        assert_eq!(pieces.read_ahead(0..20, 1), 10);
        pieces.store.0.lock().clients.entry(client(2)).or_default().readers += 1;
        // Client 1 is beyond its share now.
        assert_eq!(pieces.read_ahead(100..120, 2), 5);
        assert_eq!(pieces.numbers(), [0, 1, 2, 3, 4, 100, 101, 102, 103, 104]);
        assert_eq!(pieces.read_ahead(20..30, 1), 0);
        // A piece that is used is not ahead any more, and its room is free once it was read.
        let mut place = Place::default();
        let mut state = pieces.store.0.lock();
        state.enter(pieces.content, &mut place, 0);
        state.enter(pieces.content, &mut place, 1);
        assert_eq!(state.ahead_of(client(1)), 3 * PIECE);
        drop(state);
        assert_eq!(pieces.read_ahead(5..10, 1), 1);
        assert_eq!(pieces.numbers(), [1, 2, 3, 4, 5, 100, 101, 102, 103, 104]);
    }

    #[test]
    fn each_of_many_clients_reads_one_piece_ahead() {
        let clients: Vec<u8> = (0..200).collect();
        let pieces = Pieces::new(&clients);
        for client in 0..10 {
            assert_eq!(pieces.read_ahead(10 * u64::from(client)..10 * u64::from(client + 1), client), 1);
        }
        assert!(!pieces.read(100, 10, false) && !pieces.read(100, 10, true));
    }

    #[test]
    fn a_client_is_forgotten_with_its_readers_and_pieces() {
        let pieces = Pieces::new(&[1]);
        let mut state = pieces.store.0.lock();
        state.contents.insert(pieces.content, 1);
        drop(state);
        assert_eq!(pieces.read_ahead(0..3, 1), 3);
        let mut state = pieces.store.0.lock();
        state.end(pieces.content, client(1), &mut Place::default());
        assert!(state.pieces.is_empty() && state.clients.is_empty() && state.contents.is_empty());
        assert_eq!(state.used, 0);
    }
}
