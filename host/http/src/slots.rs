//! Which connections exist. A connection that answers no request is idle, and gives its slot to a new one.
//!
//! A client has a share of the slots. When it has used it up, or all are taken, a new connection closes another: an idle
//! one, the oldest of the client with the most connections, if that has more than the new client; then one that answers
//! a request, the newest, of a client that has at least two more. Without one of these, the new one is closed.
//! So a client with few connections gets its answers, whatever connections others hold.

use parking_lot::{Mutex, MutexGuard};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::Arc;
use tokio::sync::Notify;

/// The slots of a server. Cheap to clone; clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Slots {
    table: Arc<Mutex<Table>>,
    limit: usize,
    per_client: usize,
}

#[derive(Debug, Default)]
struct Table {
    connections: BTreeMap<u64, Entry>,
    shares: HashMap<IpAddr, usize>,
    /// A logical clock: a smaller number is earlier.
    clock: u64,
}

#[derive(Debug)]
struct Entry {
    client: IpAddr,
    /// When it was accepted, or its last request began or ended.
    changed: u64,
    /// Answers that are not dropped yet.
    answers: usize,
    close: Arc<Notify>,
}

/// The slot of one connection, freed on drop.
#[derive(Debug)]
pub(crate) struct Slot {
    slots: Slots,
    number: u64,
    close: Arc<Notify>,
}

/// The slot of a new connection.
#[derive(Debug)]
pub(crate) struct Taken {
    /// `None` if there is none for this client.
    pub(crate) slot: Option<Slot>,
    /// The limit for which another connection was closed, or the new one is.
    pub(crate) reached: Option<Limit>,
}

/// A limit of connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limit {
    All,
    PerClient,
}

/// Marks a connection as busy, until the answer is dropped.
#[derive(Debug)]
pub(crate) struct Busy(Arc<Slot>);

impl Slots {
    pub(crate) fn new(limit: usize, per_client: usize) -> Slots {
        Slots { table: Arc::default(), limit, per_client }
    }

    /// The number of connections.
    pub(crate) fn taken(&self) -> usize {
        self.table().connections.len()
    }

    /// Takes a slot for a connection of this client.
    pub(crate) fn take(&self, client: IpAddr) -> Taken {
        let mut table = self.table();
        let share = table.share(client);
        let reached = if share >= self.per_client {
            Some((Limit::PerClient, table.oldest_idle(|entry| entry.client == client)))
        } else if table.connections.len() >= self.limit {
            let closed = table
                .oldest_idle(|entry| entry.client == client || table.share(entry.client) > share)
                .or_else(|| table.newest_busy(share + 1));
            Some((Limit::All, closed))
        } else {
            None
        };
        let reached = match reached {
            None => None,
            Some((limit, None)) => return Taken { slot: None, reached: Some(limit) },
            Some((limit, Some(number))) => {
                table.close(number);
                Some(limit)
            }
        };
        let (number, close) = (table.tick(), Arc::new(Notify::new()));
        table.connections.insert(number, Entry { client, changed: number, answers: 0, close: close.clone() });
        *table.shares.entry(client).or_default() += 1;
        Taken { slot: Some(Slot { slots: self.clone(), number, close }), reached }
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

    fn share(&self, client: IpAddr) -> usize {
        self.shares.get(&client).copied().unwrap_or(0)
    }

    /// Of the idle ones that may be closed, the oldest of the client with the most connections.
    fn oldest_idle(&self, may_close: impl Fn(&Entry) -> bool) -> Option<u64> {
        let idle = self.connections.iter().filter(|(_, entry)| entry.answers == 0 && may_close(entry));
        idle.max_by_key(|(_, entry)| (self.share(entry.client), Reverse(entry.changed)))
            .map(|(number, _)| *number)
    }

    /// Of the busy ones whose client has more connections than this, the newest of the client with the most.
    fn newest_busy(&self, share: usize) -> Option<u64> {
        let busy = self.connections.iter().filter(|(_, entry)| self.share(entry.client) > share);
        busy.max_by_key(|(_, entry)| (self.share(entry.client), entry.changed)).map(|(number, _)| *number)
    }

    fn close(&mut self, number: u64) {
        if let Some(entry) = self.remove(number) {
            entry.close.notify_one();
        }
    }

    fn remove(&mut self, number: u64) -> Option<Entry> {
        let entry = self.connections.remove(&number)?;
        if let Some(share) = self.shares.get_mut(&entry.client) {
            *share -= 1;
            if *share == 0 {
                self.shares.remove(&entry.client);
            }
        }
        Some(entry)
    }
}

impl Slot {
    /// Marks the connection as busy.
    pub(crate) fn begin(self: &Arc<Slot>) -> Busy {
        self.change(|answers| answers + 1);
        Busy(Arc::clone(self))
    }

    /// Whether there is no answer that is not dropped yet.
    pub(crate) fn is_idle(&self) -> bool {
        self.slots.table().connections.get(&self.number).is_none_or(|entry| entry.answers == 0)
    }

    /// Waits until another connection needs the slot.
    pub(crate) async fn needed(&self) {
        self.close.notified().await;
    }

    fn change(&self, answers: impl FnOnce(usize) -> usize) {
        let mut table = self.slots.table();
        let changed = table.tick();
        // Absent if it was closed for another one, and its task has not noticed yet.
        if let Some(entry) = table.connections.get_mut(&self.number) {
            (entry.answers, entry.changed) = (answers(entry.answers), changed);
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.slots.table().remove(self.number);
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.change(|answers| answers - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::task::{Context, Waker};

    fn client(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    fn take(slots: &Slots, last: u8) -> Arc<Slot> {
        Arc::new(slots.take(client(last)).slot.expect("a slot"))
    }

    /// Returns the numbers of the closed connections.
    fn closed(connections: &[Arc<Slot>]) -> Vec<usize> {
        let is_closed =
            |slot: &Slot| pin!(slot.needed()).poll(&mut Context::from_waker(Waker::noop())).is_ready();
        (0..connections.len()).filter(|number| is_closed(&connections[*number])).collect()
    }

    #[test]
    fn the_oldest_idle_connection_of_the_largest_share_is_closed() {
        let slots = Slots::new(4, 4);
        let taken = [1, 2, 2, 2].map(|last| take(&slots, last));
        // Its request has ended: another one is the oldest.
        drop(taken[1].begin());
        let _new = take(&slots, 3);
        assert_eq!(closed(&taken), [2]);
        let _new = take(&slots, 4);
        assert_eq!(closed(&taken), [3]);
        assert_eq!(slots.taken(), 4);
        // One connection each: the oldest idle one of another goes.
        let _new = take(&slots, 5);
        assert_eq!(closed(&taken), [0]);
    }

    #[test]
    fn a_client_that_has_used_up_its_share_closes_its_own() {
        let slots = Slots::new(9, 2);
        let taken = [1, 1, 2].map(|last| take(&slots, last));
        let busy = taken[0].begin();
        let third = take(&slots, 1);
        assert_eq!(closed(&taken), [1]);
        let also_busy = third.begin();
        let refused = slots.take(client(1));
        assert!(refused.slot.is_none() && refused.reached == Some(Limit::PerClient));
        drop((busy, also_busy));
        let _fourth = take(&slots, 1);
        assert_eq!(closed(&taken), [0]);
    }

    #[test]
    fn a_busy_connection_is_closed_for_a_client_with_at_least_two_fewer() {
        let slots = Slots::new(3, 3);
        let taken = [1, 1, 2].map(|last| take(&slots, last));
        let _busy = taken.each_ref().map(Slot::begin);
        // It would have as many as client 1.
        assert!(slots.take(client(2)).slot.is_none());
        let new = take(&slots, 3);
        assert_eq!(closed(&taken), [1]);
        let _busy = new.begin();
        assert!(slots.take(client(4)).slot.is_none());
    }

    #[test]
    fn a_client_with_many_connections_closes_none_of_a_client_with_few() {
        let slots = Slots::new(3, 3);
        let taken = [1, 1, 2].map(|last| take(&slots, last));
        let _busy = [taken[0].begin(), taken[1].begin()];
        assert!(slots.take(client(1)).slot.is_none());
        assert_eq!(closed(&taken), [] as [usize; 0]);
    }

    #[test]
    fn a_dropped_slot_is_free() {
        let slots = Slots::new(1, 1);
        drop(take(&slots, 1));
        let _only = take(&slots, 1);
        assert_eq!((slots.taken(), slots.table().shares.len()), (1, 1));
    }
}
