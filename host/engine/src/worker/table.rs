//! The transfers of a worker: a slab, and an index that finds them by peer and socket.

use super::content::Content;
use super::half_open::Place;
use super::key::Key;
use super::millis::Millis;
use super::progress_check::ProgressCheck;
use super::sockets::SocketId;
use super::ticket::Ticket;
use crate::limits::Share;
use hashbrown::{DefaultHashBuilder, HashTable};
use slab::Slab;
use std::hash::BuildHasher;
use std::net::SocketAddr;
use tuffet_core::{Time, Transfer};
use tuffet_request::events::{Answered, Ending};
use tuffet_request::{Operation, PackedAddress};
use tuffet_store::CommitPoint;
use tuffet_udp::Local;

/// A transfer with the host's data about it.
pub(super) struct Entry {
    pub(super) core: Transfer,
    pub(super) peer: PackedAddress,
    /// The interface and, if the socket has several addresses, the destination address of the request. Answers leave
    /// from there.
    pub(super) local: Option<Local>,
    /// The listening socket that received the request.
    pub(super) listening: SocketId,
    /// The socket that serves it: its TID socket, or `listening` in single-port mode.
    pub(super) tid: SocketId,
    /// Whether the next request from its peer to `listening` gets a transfer of its own.
    pub(super) aside: bool,
    pub(super) epoch: u32,
    pub(super) operation: Operation,
    /// Distinguishes a repeated request from another one.
    pub(super) fingerprint: u64,
    /// When it was last requested, or when the client first answered: until then, the client may have repeated its request.
    pub(super) requested: Millis,
    pub(super) content: Option<Content>,
    /// Present from the decision to the outcome.
    pub(super) ticket: Option<Ticket>,
    pub(super) answered: Answered,
    /// Its place in its client's share.
    pub(super) share: Share,
    /// Whether its client has not answered since the grant.
    pub(super) half_open: bool,
    /// Its place in the list of half-open transfers; `None` once it has made room for another.
    pub(super) place: Option<Place>,
    /// ACKs that came to other TID ports while it was half-open.
    pub(super) misses: u8,
    pub(super) progress_check: ProgressCheck,
    /// Whether its client is a member of a group, on the group thread. Until the membership ends, the transfer stays
    /// silent here, and keeps the port of its client and its place in the limits.
    pub(super) joined: bool,
    pub(super) rare: Option<Box<Rare>>,
}

/// The state of few transfers.
#[derive(Default)]
pub(super) struct Rare {
    /// The earlier transfer of the same client, which ends when the client answers this one.
    pub(super) old: Option<Key>,
    /// The reason why the server ended it, if it did.
    pub(super) ending: Option<Ending>,
    /// Whether it was half-open and made room for another.
    pub(super) gave_way: bool,
    /// Whether the client's host reported that its port is closed.
    pub(super) closed: bool,
    /// Whether the client repeated its request, and had answered nothing that was sent to it.
    pub(super) asked_again: bool,
    /// The commit point of its upload, while that is stored: until then it can be stopped.
    pub(super) commit_point: Option<CommitPoint>,
    /// When it began to wait for a disk, the last time that it did.
    pub(super) stalled: Time,
}

impl Entry {
    /// The address and port of the client.
    pub(super) fn peer(&self) -> SocketAddr {
        self.peer.into()
    }

    /// The state that few transfers have; creates it.
    pub(super) fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    /// As [`Entry::rare`], if it exists.
    pub(super) fn rare_if_present(&mut self) -> Option<&mut Rare> {
        self.rare.as_deref_mut()
    }

    /// Returns whether datagrams of its peer on this socket are for it.
    fn receives_on(&self, socket: SocketId) -> bool {
        self.tid == socket || self.listening == socket && !self.aside
    }
}

#[derive(Default)]
pub(super) struct Table {
    entries: Slab<Entry>,
    /// Indices by the hash of the peer: four bytes each, whatever the size of an address. A peer has few transfers at
    /// once, each with other sockets.
    by_peer: HashTable<u32>,
    hasher: DefaultHashBuilder,
    epoch: u32,
}

impl Table {
    /// Creates a table with room for `count` transfers.
    pub(super) fn with_room(count: usize) -> Table {
        Table { entries: Slab::with_capacity(count), ..Table::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn get_mut(&mut self, index: u32) -> Option<&mut Entry> {
        self.entries.get_mut(index as usize)
    }

    /// Returns the entry of `key`, if it is still the same one.
    pub(super) fn by_key(&mut self, key: Key) -> Option<&mut Entry> {
        self.get_mut(key.index).filter(|entry| entry.epoch == key.epoch)
    }

    /// Finds the transfer of a datagram from `peer` on `socket`.
    pub(super) fn find(&self, socket: SocketId, peer: &SocketAddr) -> Option<u32> {
        let peer = PackedAddress::from(*peer);
        let is = |entry: &Entry| entry.peer == peer && entry.receives_on(socket);
        let found = |index: &u32| self.entries.get(*index as usize).is_some_and(is);
        self.by_peer.find(self.hasher.hash_one(peer), found).copied()
    }

    pub(super) fn indices(&self) -> Vec<u32> {
        self.entries.iter().map(|(index, _)| index as u32).collect()
    }

    /// Adds a transfer; its peer must have no other one on its sockets.
    pub(super) fn insert(&mut self, mut entry: Entry) -> Key {
        self.epoch = self.epoch.wrapping_add(1);
        entry.epoch = self.epoch;
        let peer = entry.peer;
        let Table { entries, by_peer, hasher, .. } = self;
        let index = entries.insert(entry) as u32;
        let hash = |index: &u32| entries.get(*index as usize).map_or(0, |entry| hasher.hash_one(entry.peer));
        by_peer.insert_unique(hasher.hash_one(peer), index, hash);
        Key { index, epoch: self.epoch }
    }

    pub(super) fn remove(&mut self, index: u32) -> Option<Entry> {
        let entry = self.entries.try_remove(index as usize)?;
        let hash = self.hasher.hash_one(entry.peer);
        if let Ok(found) = self.by_peer.find_entry(hash, |other| *other == index) {
            found.remove();
        }
        Some(entry)
    }

    /// Releases the listening port of a transfer that has a TID socket: the next request from its peer gets
    /// its own transfer. Returns `None` if there is no TID socket.
    pub(super) fn step_aside(&mut self, index: u32) -> Option<Key> {
        let entry = self.get_mut(index).filter(|entry| entry.tid != entry.listening)?;
        entry.aside = true;
        Some(Key { index, epoch: entry.epoch })
    }

    pub(super) fn fingerprint(&self, peer: &SocketAddr, request: &[u8]) -> u64 {
        self.hasher.hash_one((peer, request))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuffet_core::Settings;

    fn entry(listening: SocketId, tid: SocketId, port: u16) -> Entry {
        Entry {
            core: Transfer::server(Time::default(), Operation::Read, Settings::default()),
            peer: SocketAddr::from(([192, 0, 2, 1], port)).into(),
            local: None,
            listening,
            tid,
            aside: false,
            epoch: 0,
            operation: Operation::Read,
            fingerprint: 0,
            requested: Time::default().into(),
            content: None,
            ticket: None,
            answered: Answered::Undecided,
            share: Share::default(),
            half_open: false,
            place: None,
            misses: 0,
            progress_check: ProgressCheck::new(Time::default()),
            joined: false,
            rare: None,
        }
    }

    #[test]
    fn ten_thousand_entries_are_small() {
        let own = size_of::<Entry>() - size_of::<Transfer>();
        assert!(own <= 160, "{own} beside the state of the protocol");
    }

    #[test]
    fn found_by_either_address_until_removed() {
        let mut table = Table::default();
        let keys: Vec<Key> =
            (0..2_000).map(|port| table.insert(entry(SocketId(0), SocketId(1 + port % 3), port))).collect();
        for (port, key) in (0_u16..).zip(&keys) {
            let peer = ([192, 0, 2, 1], port).into();
            assert_eq!(table.find(SocketId(0), &peer), Some(key.index));
            assert_eq!(table.find(SocketId(1 + port % 3), &peer), Some(key.index));
            assert_eq!(table.find(SocketId(9), &peer), None);
        }
        for key in &keys {
            assert!(table.remove(key.index).is_some());
            assert!(table.remove(key.index).is_none());
        }
        assert_eq!((table.len(), table.by_peer.len()), (0, 0));
        let again = table.insert(entry(SocketId(5), SocketId(5), 7));
        assert!(table.by_key(keys[again.index as usize]).is_none(), "an old key names no new transfer");
        assert!(table.by_key(again).is_some());
    }

    #[test]
    fn one_that_stepped_aside_keeps_its_tid_alone() {
        let mut table = Table::default();
        let peer = ([192, 0, 2, 1], 7).into();
        let old = table.insert(entry(SocketId(0), SocketId(1), 7));
        assert_eq!(table.step_aside(old.index), Some(old));
        assert_eq!((table.find(SocketId(0), &peer), table.find(SocketId(1), &peer)), (None, Some(old.index)));
        let new = table.insert(entry(SocketId(0), SocketId(2), 7));
        assert_eq!(table.find(SocketId(0), &peer), Some(new.index));
        assert!(table.remove(old.index).is_some());
        assert_eq!((table.find(SocketId(0), &peer), table.find(SocketId(1), &peer)), (Some(new.index), None));
        let single = table.insert(entry(SocketId(5), SocketId(5), 7));
        assert_eq!(table.step_aside(single.index), None);
        assert_eq!(table.find(SocketId(5), &peer), Some(single.index));
    }
}
