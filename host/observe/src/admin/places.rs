//! Chooses the connection to close when a new one arrives.
//!
//! A probe must get its answer whatever other connections exist, so a new connection never waits. When all
//! places are taken, one is closed: of the peer with the most connections, the one that has been quiet
//! longest. Everything but a new request counts as quiet: an idle connection, one whose request arrives byte
//! by byte, and one that reads its answer slowly. Viewers of the live view are spared; the feed has its own
//! limit, below the number of places, and drops viewers that do not read.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// The other end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Peer {
    /// An address; for IPv6 the network of 64 bits, in which one host can have every address.
    Network(IpAddr),
    /// A local user of the socket in the file system; `None` if unknown.
    User(Option<u32>),
}

impl Peer {
    pub(super) fn of(address: IpAddr) -> Peer {
        Peer::Network(match address.to_canonical() {
            IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
            v4 => v4,
        })
    }
}

/// All places. Cheap to clone; clones share them.
#[derive(Clone)]
pub(super) struct Places {
    table: Arc<Mutex<Table>>,
    most: usize,
}

#[derive(Default)]
struct Table {
    connections: BTreeMap<u64, Connection>,
    /// A logical clock: a smaller number is earlier.
    clock: u64,
}

struct Connection {
    peer: Peer,
    /// When it last began a request, or was accepted.
    active: u64,
    watches: bool,
    close: Arc<Notify>,
}

/// The place of one connection, freed on drop.
pub(super) struct Place {
    places: Places,
    number: u64,
    close: Arc<Notify>,
}

/// Keeps the place of a viewer from being closed.
pub(super) struct Watching(Arc<Place>);

impl Places {
    pub(super) fn new(most: usize) -> Places {
        Places { table: Arc::default(), most }
    }

    /// Takes a place for a new connection; closes another if all are taken.
    pub(super) fn take(&self, peer: Peer) -> Place {
        let mut table = self.table();
        if table.connections.len() >= self.most
            && let Some(number) = table.least_missed()
            && let Some(closed) = table.connections.remove(&number)
        {
            closed.close.notify_one();
        }
        let active = table.tick();
        let close = Arc::new(Notify::new());
        table.connections.insert(active, Connection { peer, active, watches: false, close: close.clone() });
        Place { places: self.clone(), number: active, close }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    fn least_missed(&self) -> Option<u64> {
        let closable = || self.connections.iter().filter(|(_, connection)| !connection.watches);
        let share = |peer: Peer| closable().filter(|(_, other)| other.peer == peer).count();
        let first = closable().min_by_key(|(_, its)| (usize::MAX - share(its.peer), its.active));
        first.map(|(number, _)| *number)
    }
}

impl Place {
    /// Records that a request has arrived.
    pub(super) fn is_used(&self) {
        self.change(|connection, now| connection.active = now);
    }

    /// Marks the connection as a viewer's, until the answer is dropped.
    pub(super) fn watch(self: Arc<Place>) -> Watching {
        self.change(|connection, _| connection.watches = true);
        Watching(self)
    }

    /// Waits until the place is needed for another connection.
    pub(super) async fn needed(&self) {
        self.close.notified().await;
    }

    fn change(&self, change: impl FnOnce(&mut Connection, u64)) {
        let mut table = self.places.table();
        let now = table.tick();
        // Absent if it was closed for another, and its task has not noticed yet.
        if let Some(connection) = table.connections.get_mut(&self.number) {
            change(connection, now);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.table().connections.remove(&self.number);
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.0.change(|connection, _| connection.watches = false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Waker};

    fn peer(last: u8) -> Peer {
        Peer::of(IpAddr::from([192, 0, 2, last]))
    }

    fn is_closed(place: &Place) -> bool {
        pin!(place.needed()).poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    /// Returns the numbers of the closed places.
    fn closed(places: &[Arc<Place>]) -> Vec<usize> {
        (0..places.len()).filter(|number| is_closed(&places[*number])).collect()
    }

    #[test]
    fn the_one_that_was_quiet_for_longest_makes_room() {
        let places = Places::new(3);
        let taken: Vec<_> = (0..3).map(|_| Arc::new(places.take(peer(1)))).collect();
        taken[0].is_used();
        assert_eq!(closed(&taken), [] as [usize; 0]);
        let _new = places.take(peer(1));
        assert_eq!(closed(&taken), [1]);
        // It has lost its place, whatever it does now.
        taken[1].is_used();
        let _newer = places.take(peer(1));
        assert_eq!(closed(&taken), [2]);
    }

    #[test]
    fn of_the_peer_with_the_most() {
        let places = Places::new(4);
        let taken: Vec<_> = [1, 2, 2, 2].map(|last| Arc::new(places.take(peer(last)))).into();
        let _new = places.take(peer(3));
        assert_eq!(closed(&taken), [1]);
        let near =
            |last: u64| Peer::of(IpAddr::V6(Ipv6Addr::from_bits(0x2001_0db8 << 96 | u128::from(last))));
        assert_eq!(near(1), near(u64::MAX));
        assert_ne!(peer(1), peer(2));
        assert_eq!(Peer::of("::ffff:192.0.2.1".parse().unwrap()), peer(1));
    }

    #[test]
    fn viewers_are_spared_while_they_watch() {
        let places = Places::new(2);
        let taken: Vec<_> = (0..2).map(|_| Arc::new(places.take(peer(1)))).collect();
        let watching = [taken[0].clone().watch(), taken[1].clone().watch()];
        // Without a connection to close, there is one more.
        let other = places.take(peer(2));
        assert_eq!(closed(&taken), [] as [usize; 0]);
        drop(other);
        drop(watching);
        let _new = places.take(peer(2));
        assert_eq!(closed(&taken), [0]);
    }

    #[test]
    fn a_place_that_is_left_is_free() {
        let places = Places::new(1);
        drop(places.take(peer(1)));
        let only = places.take(peer(1));
        assert!(!is_closed(&only) && places.table().connections.len() == 1);
    }
}
