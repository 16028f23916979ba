//! Memory for the bytes of uploads that wait for a slow disk: bounded in sum for each root, and shared by clients.

use super::Disk;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Weak};
use tuffet_request::ClientKey;

/// The limit of bytes in memory, per root, that uploads have received and the disk has not taken. Each upload may have
/// a few more without asking ([`RoomBehind`]).
const MAX_WRITE_BEHIND_BYTES: u64 = 64 << 20;

/// The bytes of uploads that wait for one disk.
#[derive(Default)]
pub(super) struct WriteBehind {
    held: AtomicU64,
    /// The number of clients that hold some of them.
    holders: AtomicU64,
    clients: Mutex<Clients>,
    /// Blocks that were dropped for lack of room.
    dropped: AtomicU64,
}

#[derive(Default)]
struct Clients {
    by_key: HashMap<ClientKey, Weak<Holder>>,
    /// The number of entries at which those of clients without an upload are removed.
    limit: usize,
}

/// What one client holds.
#[derive(Default)]
struct Holder(AtomicU64);

/// Room for bytes of one upload that wait for the disk, freed on drop.
///
/// A client holds at most an equal share of the room: of N clients that hold some, each gets one part of N + 1. A client
/// that holds more, because fewer shared the room before, gets no more until the disk has taken enough.
pub struct RoomBehind {
    disk: Arc<Disk>,
    holder: Arc<Holder>,
    bytes: u64,
}

impl WriteBehind {
    pub(super) fn held(&self) -> u64 {
        self.held.load(Relaxed)
    }

    pub(super) fn dropped(&self) -> u64 {
        self.dropped.load(Relaxed)
    }

    fn holder(&self, client: ClientKey) -> Arc<Holder> {
        let mut clients = self.clients.lock();
        if let Some(holder) = clients.by_key.get(&client).and_then(Weak::upgrade) {
            return holder;
        }
        if clients.by_key.len() >= clients.limit {
            clients.by_key.retain(|_, holder| holder.strong_count() > 0);
            clients.limit = 64.max(2 * clients.by_key.len());
        }
        let holder = Arc::new(Holder::default());
        clients.by_key.insert(client, Arc::downgrade(&holder));
        holder
    }

    fn take(&self, holder: &Holder, bytes: u64) -> bool {
        let its = holder.0.load(Relaxed);
        let others = self.holders.load(Relaxed).saturating_sub(u64::from(its > 0));
        if its + bytes > MAX_WRITE_BEHIND_BYTES / (others + 2) {
            return false;
        }
        let more = |held: u64| (held + bytes <= MAX_WRITE_BEHIND_BYTES).then_some(held + bytes);
        if self.held.fetch_update(Relaxed, Relaxed, more).is_err() {
            return false;
        }
        if holder.0.fetch_add(bytes, Relaxed) == 0 {
            self.holders.fetch_add(1, Relaxed);
        }
        true
    }

    fn free(&self, holder: &Holder, bytes: u64) {
        if bytes == 0 {
            return;
        }
        self.held.fetch_sub(bytes, Relaxed);
        if holder.0.fetch_sub(bytes, Relaxed) == bytes {
            self.holders.fetch_sub(1, Relaxed);
        }
    }
}

impl Disk {
    /// Returns the room of an upload of this client, which has no bytes yet. Takes a short lock.
    pub fn room_behind(self: &Arc<Self>, client: ClientKey) -> RoomBehind {
        RoomBehind { holder: self.behind.holder(client), disk: Arc::clone(self), bytes: 0 }
    }

    /// Counts a block of an upload that was dropped for lack of room.
    pub fn count_dropped_block(&self) {
        self.behind.dropped.fetch_add(1, Relaxed);
    }
}

impl RoomBehind {
    /// The bytes that it has room for.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Makes room for so many more bytes, unless the client has its share, or all of the room is taken. Takes no lock.
    #[must_use]
    pub fn grow(&mut self, bytes: u64) -> bool {
        let has_grown = self.disk.behind.take(&self.holder, bytes);
        if has_grown {
            self.bytes += bytes;
        }
        has_grown
    }

    /// Keeps room for at most so many bytes.
    pub fn shrink_to(&mut self, bytes: u64) {
        if bytes < self.bytes {
            self.disk.behind.free(&self.holder, self.bytes - bytes);
            self.bytes = bytes;
        }
    }

    /// Moves room for up to so many bytes to a part of its own.
    pub fn split(&mut self, bytes: u64) -> RoomBehind {
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        RoomBehind { disk: Arc::clone(&self.disk), holder: Arc::clone(&self.holder), bytes }
    }

    /// Whether so much of the room is taken that memory should not be kept for later.
    pub fn is_scarce(&self) -> bool {
        self.disk.behind.held() > MAX_WRITE_BEHIND_BYTES / 8
    }
}

impl Drop for RoomBehind {
    fn drop(&mut self) {
        self.shrink_to(0);
    }
}

impl fmt::Debug for RoomBehind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RoomBehind").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    const PIECE: u64 = 32 << 10;

    fn client(last: u8) -> ClientKey {
        ClientKey::of(&(Ipv4Addr::new(192, 0, 2, last), 69).into(), 64)
    }

    /// Takes room for new uploads until there is none.
    fn fill(disk: &Arc<Disk>, last: u8) -> Vec<RoomBehind> {
        std::iter::repeat_with(|| disk.room_behind(client(last)))
            .map_while(|mut room| room.grow(PIECE).then_some(room))
            .collect()
    }

    #[test]
    fn clients_share_the_room() {
        let disk = Arc::new(Disk::new("root", None));
        let first = fill(&disk, 1);
        assert_eq!(
            first.len() as u64 * PIECE,
            MAX_WRITE_BEHIND_BYTES / 2,
            "alone, with any number of uploads"
        );
        let second = fill(&disk, 2);
        assert_eq!(second.len() as u64, MAX_WRITE_BEHIND_BYTES / 3 / PIECE);
        assert_eq!(fill(&disk, 1).len(), 0, "above its share");
        // The sum is the limit, until the first one is down to its share.
        let third = fill(&disk, 3);
        assert!(disk.behind.held() > MAX_WRITE_BEHIND_BYTES - PIECE && third.len() < second.len());
        drop(first);
        assert_eq!(fill(&disk, 1).len() as u64, MAX_WRITE_BEHIND_BYTES / 4 / PIECE);
        drop((second, third));
        assert_eq!((disk.behind.held(), disk.behind.holders.load(Relaxed)), (0, 0));
    }

    #[test]
    fn a_part_goes_with_its_bytes() {
        let disk = Arc::new(Disk::new("root", None));
        let mut room = disk.room_behind(client(1));
        assert!(room.grow(2 * PIECE));
        let part = room.split(PIECE + 1);
        assert_eq!((room.bytes(), part.bytes()), (PIECE - 1, PIECE + 1));
        drop(room);
        assert_eq!((disk.behind.held(), disk.behind.holders.load(Relaxed)), (PIECE + 1, 1));
        drop(part);
        assert_eq!((disk.behind.held(), disk.behind.holders.load(Relaxed)), (0, 0));
        for number in 0..1000 {
            let _ = disk.room_behind(ClientKey::of(&(Ipv4Addr::from(number), 69).into(), 64));
        }
        assert!(disk.behind.clients.lock().by_key.len() <= 64, "of clients that have left");
    }
}
