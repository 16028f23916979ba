//! Chooses the connection to close when a new one arrives.
//!
//! A probe must get its answer whatever other connections exist, so a new connection never waits. When all slots are
//! taken, it closes one connection: of the peer with the most connections, the one with the oldest request. Only a new
//! request counts as activity, so idle connections, slow senders and slow readers are closed first. Viewers of the live
//! view are spared; the feed has a separate limit, below the number of slots, with a share for each peer.

use crate::peer::Peer;
use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::Notify;

/// The connections of the listener, at most `max_connections`. Cheap to clone; clones share them.
#[derive(Clone)]
pub(super) struct Connections {
    table: Arc<Mutex<Table>>,
    max_connections: usize,
}

#[derive(Default)]
struct Table {
    connections: BTreeMap<u64, Entry>,
    /// A logical clock: a smaller number is earlier.
    clock: u64,
}

struct Entry {
    peer: Peer,
    /// Time of the last request, or of the acceptance.
    active: u64,
    watches: bool,
    close: Arc<Notify>,
}

/// The slot of one connection, freed on drop.
pub(super) struct ConnectionSlot {
    connections: Connections,
    number: u64,
    peer: Peer,
    close: Arc<Notify>,
}

/// Keeps the connection of a viewer from being closed.
pub(super) struct ViewerGuard(Arc<ConnectionSlot>);

impl Connections {
    pub(super) fn new(max_connections: usize) -> Connections {
        Connections { table: Arc::default(), max_connections }
    }

    /// Takes a slot for a new connection; closes another connection if all are taken.
    pub(super) fn take(&self, peer: Peer) -> ConnectionSlot {
        let mut table = self.table();
        if table.connections.len() >= self.max_connections
            && let Some(number) = table.to_close()
            && let Some(closed) = table.connections.remove(&number)
        {
            closed.close.notify_one();
        }
        let active = table.tick();
        let close = Arc::new(Notify::new());
        table.connections.insert(active, Entry { peer, active, watches: false, close: close.clone() });
        ConnectionSlot { connections: self.clone(), number: active, peer, close }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock()
    }
}

impl Table {
    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    fn to_close(&self) -> Option<u64> {
        let closable = || self.connections.iter().filter(|(_, connection)| !connection.watches);
        let share = |peer: Peer| closable().filter(|(_, other)| other.peer == peer).count();
        let first = closable().min_by_key(|(_, its)| (usize::MAX - share(its.peer), its.active));
        first.map(|(number, _)| *number)
    }
}

impl ConnectionSlot {
    /// Records that a request has arrived.
    pub(super) fn mark_used(&self) {
        self.change(|connection, now| connection.active = now);
    }

    /// Returns what closes the connection of a viewer whose seat another peer takes.
    pub(super) fn seat(&self) -> (Peer, Arc<Notify>) {
        (self.peer, self.close.clone())
    }

    /// Marks the connection as a viewer's, until the answer is dropped.
    pub(super) fn watch(self: Arc<ConnectionSlot>) -> ViewerGuard {
        self.change(|connection, _| connection.watches = true);
        ViewerGuard(self)
    }

    /// Waits until another connection needs the slot.
    pub(super) async fn needed(&self) {
        self.close.notified().await;
    }

    fn change(&self, change: impl FnOnce(&mut Entry, u64)) {
        let mut table = self.connections.table();
        let now = table.tick();
        // Absent if it was closed for another one, and its task has not noticed yet.
        if let Some(connection) = table.connections.get_mut(&self.number) {
            change(connection, now);
        }
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.connections.table().connections.remove(&self.number);
    }
}

impl Drop for ViewerGuard {
    fn drop(&mut self) {
        self.0.change(|connection, _| connection.watches = false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::net::IpAddr;
    use std::pin::pin;
    use std::task::{Context, Waker};

    fn peer(last: u8) -> Peer {
        Peer::of(IpAddr::from([192, 0, 2, last]))
    }

    fn is_closed(slot: &ConnectionSlot) -> bool {
        pin!(slot.needed()).poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    /// Returns the numbers of the closed connections.
    fn closed(connections: &[Arc<ConnectionSlot>]) -> Vec<usize> {
        (0..connections.len()).filter(|number| is_closed(&connections[*number])).collect()
    }

    #[test]
    fn the_connection_with_the_oldest_request_is_closed() {
        let connections = Connections::new(3);
        let taken: Vec<_> = (0..3).map(|_| Arc::new(connections.take(peer(1)))).collect();
        taken[0].mark_used();
        assert_eq!(closed(&taken), [] as [usize; 0]);
        let _new = connections.take(peer(1));
        assert_eq!(closed(&taken), [1]);
        // It has lost its slot; a new request does not change that.
        taken[1].mark_used();
        let _newer = connections.take(peer(1));
        assert_eq!(closed(&taken), [2]);
    }

    #[test]
    fn the_peer_with_the_most_connections_loses_one() {
        let connections = Connections::new(4);
        let taken: Vec<_> = [1, 2, 2, 2].map(|last| Arc::new(connections.take(peer(last)))).into();
        let _new = connections.take(peer(3));
        assert_eq!(closed(&taken), [1]);
    }

    #[test]
    fn viewers_are_spared_while_they_watch() {
        let connections = Connections::new(2);
        let taken: Vec<_> = (0..2).map(|_| Arc::new(connections.take(peer(1)))).collect();
        let watching = [taken[0].clone().watch(), taken[1].clone().watch()];
        // Without a connection to close, the limit is exceeded.
        let other = connections.take(peer(2));
        assert_eq!(closed(&taken), [] as [usize; 0]);
        drop(other);
        drop(watching);
        let _new = connections.take(peer(2));
        assert_eq!(closed(&taken), [0]);
    }

    #[test]
    fn a_dropped_slot_is_free() {
        let connections = Connections::new(1);
        drop(connections.take(peer(1)));
        let only = connections.take(peer(1));
        assert!(!is_closed(&only) && connections.table().connections.len() == 1);
    }
}
