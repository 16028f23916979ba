//! Which connections exist. A connection that answers no request is idle, and gives its slot to a new one.
//!
//! A client has a share of the slots. When it has used it up, or all are taken, a new connection closes another: an idle
//! one, the oldest of the client with the most connections, if that has more than the new client; then one that answers
//! a request, the newest, of a client that has at least two more. Without one of these, the new one is closed.
//! So a client with few connections gets its answers, whatever connections others hold.
//!
//! In a flood every new connection asks which one to close. The answer is the last entry of an index, because looking at
//! 10,000 connections takes a millisecond, in which no other connection is accepted and no request begins.

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
    /// By their numbers.
    connections: HashMap<u64, Entry>,
    clients: HashMap<IpAddr, Share>,
    /// The oldest idle connection of each client that has one, by the share of the client: the last entry is closed first.
    idle: BTreeMap<(usize, Reverse<u64>), u64>,
    /// The newest busy connection of each client that has one, likewise.
    busy: BTreeMap<(usize, u64), u64>,
    /// A logical clock: a smaller number is earlier.
    clock: u64,
    listeners: Vec<ListenerConnections>,
    at_limit: LimitCounts,
    at_client_limit: LimitCounts,
}

/// The number of a listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ListenerNumber(usize);

#[derive(Debug)]
struct Entry {
    client: IpAddr,
    listener: ListenerNumber,
    /// When it was accepted, or its last request began or ended.
    changed: u64,
    /// Answers that are not dropped yet.
    answers: usize,
    close: Arc<Notify>,
}

/// The connections of one client: their numbers, by the time of their last change.
#[derive(Debug, Default)]
struct Share {
    idle: BTreeMap<u64, u64>,
    busy: BTreeMap<u64, u64>,
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

/// The connections of a server. Cheap to clone; it counts also while the server drains, and later.
#[derive(Debug, Clone)]
pub struct Connections(Slots);

/// The numbers of connections at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConnectionCounts {
    /// Of each listener, in the order of addition.
    pub listeners: Vec<ListenerConnections>,
    /// What the limit of all connections ([`HttpLimits::connections`](crate::HttpLimits::connections)) has cost.
    pub at_limit: LimitCounts,
    /// What the limit of one client ([`HttpLimits::per_client`](crate::HttpLimits::per_client)) has cost.
    pub at_client_limit: LimitCounts,
}

impl ConnectionCounts {
    /// The open connections of all listeners.
    pub fn open(&self) -> usize {
        self.listeners.iter().map(|its| its.open).sum()
    }
}

/// The connections of one listener.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListenerConnections {
    /// The name of the listener.
    pub listener: Arc<str>,
    /// Its open connections.
    pub open: usize,
}

/// What a limit of connections has cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LimitCounts {
    /// Connections that made room for new ones.
    pub gave_way: u64,
    /// New connections that were closed at once, because none could make room.
    pub refused: u64,
}

impl LimitCounts {
    /// Counts a new connection at the limit: another one made room for it, or it was closed.
    pub(crate) fn count(&mut self, has_room: bool) {
        match has_room {
            true => self.gave_way += 1,
            false => self.refused += 1,
        }
    }
}

impl Connections {
    /// Returns their numbers.
    pub fn count(&self) -> ConnectionCounts {
        let table = self.0.table();
        ConnectionCounts {
            listeners: table.listeners.clone(),
            at_limit: table.at_limit,
            at_client_limit: table.at_client_limit,
        }
    }
}

/// A limit of connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limit {
    All,
    PerClient,
}

impl Limit {
    /// Its key in the configuration of the daemon.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Limit::All => "http.connections",
            Limit::PerClient => "http.connections-per-client",
        }
    }
}

/// Marks a connection as busy, until the answer is dropped.
#[derive(Debug)]
pub(crate) struct Busy(Arc<Slot>);

impl Slots {
    pub(crate) fn new(limit: usize, per_client: usize) -> Slots {
        Slots { table: Arc::default(), limit, per_client }
    }

    /// Returns the connections, to be counted.
    pub(crate) fn connections(&self) -> Connections {
        Connections(self.clone())
    }

    /// Returns the number of the listener with this name.
    pub(crate) fn listener(&self, name: &Arc<str>) -> ListenerNumber {
        let mut table = self.table();
        let known = table.listeners.iter().position(|its| its.listener == *name);
        ListenerNumber(known.unwrap_or_else(|| {
            table.listeners.push(ListenerConnections { listener: Arc::clone(name), open: 0 });
            table.listeners.len() - 1
        }))
    }

    /// Takes a slot for a connection of this client.
    pub(crate) fn take(&self, listener: ListenerNumber, client: IpAddr) -> Taken {
        let mut table = self.table();
        let share = table.share(client);
        let reached = if share >= self.per_client {
            Some((Limit::PerClient, table.oldest_idle_of(client)))
        } else if table.connections.len() >= self.limit {
            Some((Limit::All, table.to_close_for(client)))
        } else {
            None
        };
        let reached = match reached {
            None => None,
            Some((limit, closed)) => {
                table.at(limit).count(closed.is_some());
                match closed {
                    None => return Taken { slot: None, reached: Some(limit) },
                    Some(number) => table.close(number),
                }
                Some(limit)
            }
        };
        let (number, close) = (table.tick(), Arc::new(Notify::new()));
        table.listeners[listener.0].open += 1;
        let entry = Entry { client, listener, changed: number, answers: 0, close: close.clone() };
        table.connections.insert(number, entry);
        table.change(client, |share| share.put(0, number, number));
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
        self.clients.get(&client).map_or(0, Share::count)
    }

    fn at(&mut self, limit: Limit) -> &mut LimitCounts {
        match limit {
            Limit::All => &mut self.at_limit,
            Limit::PerClient => &mut self.at_client_limit,
        }
    }

    fn oldest_idle_of(&self, client: IpAddr) -> Option<u64> {
        self.clients.get(&client)?.idle.values().next().copied()
    }

    /// Returns the connection that makes room for a new one of this client.
    fn to_close_for(&self, client: IpAddr) -> Option<u64> {
        let share = self.share(client);
        let of_largest = self.idle.last_key_value().filter(|((largest, _), _)| *largest > share);
        let idle = of_largest.map(|(_, number)| *number).or_else(|| self.oldest_idle_of(client));
        idle.or_else(|| {
            let of_largest = self.busy.last_key_value().filter(|((largest, _), _)| *largest > share + 1);
            of_largest.map(|(_, number)| *number)
        })
    }

    fn close(&mut self, number: u64) {
        if let Some(entry) = self.remove(number) {
            entry.close.notify_one();
        }
    }

    fn remove(&mut self, number: u64) -> Option<Entry> {
        let entry = self.connections.remove(&number)?;
        self.listeners[entry.listener.0].open -= 1;
        self.change(entry.client, |share| share.take(entry.answers, entry.changed));
        Some(entry)
    }

    /// Changes the connections of a client, and the index with them.
    fn change(&mut self, client: IpAddr, change: impl FnOnce(&mut Share)) {
        let share = self.clients.entry(client).or_default();
        let before = (share.oldest_idle(), share.newest_busy());
        change(share);
        let after = (share.oldest_idle(), share.newest_busy());
        if share.count() == 0 {
            self.clients.remove(&client);
        }
        replace(&mut self.idle, before.0, after.0);
        replace(&mut self.busy, before.1, after.1);
    }
}

/// Replaces an entry of an index.
fn replace<K: Ord>(index: &mut BTreeMap<K, u64>, before: Option<(K, u64)>, after: Option<(K, u64)>) {
    if before != after {
        before.and_then(|(key, _)| index.remove(&key));
        after.and_then(|(key, number)| index.insert(key, number));
    }
}

impl Share {
    fn count(&self) -> usize {
        self.idle.len() + self.busy.len()
    }

    /// Adds a connection with so many answers.
    fn put(&mut self, answers: usize, changed: u64, number: u64) {
        self.of(answers).insert(changed, number);
    }

    /// Removes the connection that has so many answers.
    fn take(&mut self, answers: usize, changed: u64) {
        self.of(answers).remove(&changed);
    }

    /// The connections with and without answers.
    fn of(&mut self, answers: usize) -> &mut BTreeMap<u64, u64> {
        match answers {
            0 => &mut self.idle,
            _ => &mut self.busy,
        }
    }

    fn oldest_idle(&self) -> Option<((usize, Reverse<u64>), u64)> {
        let (changed, number) = self.idle.first_key_value()?;
        Some(((self.count(), Reverse(*changed)), *number))
    }

    fn newest_busy(&self) -> Option<((usize, u64), u64)> {
        let (changed, number) = self.busy.last_key_value()?;
        Some(((self.count(), *changed), *number))
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
            let (client, before) = (entry.client, (entry.answers, entry.changed));
            (entry.answers, entry.changed) = (answers(entry.answers), changed);
            let after = entry.answers;
            table.change(client, |share| {
                share.take(before.0, before.1);
                share.put(after, changed, self.number);
            });
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

    fn try_to_take(slots: &Slots, last: u8) -> Taken {
        slots.take(slots.listener(&"web".into()), client(last))
    }

    fn take(slots: &Slots, last: u8) -> Arc<Slot> {
        Arc::new(try_to_take(slots, last).slot.expect("a slot"))
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
        assert_eq!(slots.connections().count().open(), 4);
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
        let refused = try_to_take(&slots, 1);
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
        assert!(try_to_take(&slots, 2).slot.is_none());
        let new = take(&slots, 3);
        assert_eq!(closed(&taken), [1]);
        let _busy = new.begin();
        assert!(try_to_take(&slots, 4).slot.is_none());
    }

    #[test]
    fn a_client_with_many_connections_closes_none_of_a_client_with_few() {
        let slots = Slots::new(3, 3);
        let taken = [1, 1, 2].map(|last| take(&slots, last));
        let _busy = [taken[0].begin(), taken[1].begin()];
        assert!(try_to_take(&slots, 1).slot.is_none());
        assert_eq!(closed(&taken), [] as [usize; 0]);
    }

    #[test]
    fn connections_are_counted_by_listener_and_limit() {
        let slots = Slots::new(3, 2);
        let [web, tls] = ["web", "tls"].map(|name| slots.listener(&name.into()));
        assert_eq!(slots.listener(&"web".into()), web);
        let connections = slots.connections();
        let open = || connections.count().listeners.iter().map(|its| its.open).collect::<Vec<_>>();
        let hold = |listener, last| slots.take(listener, client(last)).slot.map(Arc::new);
        let mut held = [(web, 1), (web, 1), (tls, 2)].map(|(listener, last)| hold(listener, last).unwrap());
        assert_eq!(open(), [2, 1]);
        // At the limit of its client, and at that of all.
        held[0] = hold(tls, 1).unwrap();
        assert_eq!(open(), [1, 2]);
        held[1] = hold(tls, 3).unwrap();
        assert_eq!(open(), [0, 3]);
        let busy = held.each_ref().map(Slot::begin);
        assert!(hold(web, 4).is_none());
        drop(busy);
        let counts = connections.count();
        assert_eq!(counts.open(), 3);
        assert_eq!(counts.at_client_limit, LimitCounts { gave_way: 1, refused: 0 });
        assert_eq!(counts.at_limit, LimitCounts { gave_way: 1, refused: 1 });
        drop(held);
        drop(slots);
        assert_eq!(open(), [0, 0]);
    }

    #[test]
    fn a_dropped_slot_is_free() {
        let slots = Slots::new(1, 1);
        drop(take(&slots, 1));
        let _only = take(&slots, 1);
        let table = slots.table();
        assert_eq!((table.connections.len(), table.clients.len(), table.idle.len()), (1, 1, 1));
    }

    /// The connection that the rules at the top of this file choose, by looking at all of them.
    fn chosen(table: &Table, client: IpAddr) -> Option<u64> {
        let share =
            |entry: &Entry| table.connections.values().filter(|its| its.client == entry.client).count();
        let own = table.connections.values().filter(|its| its.client == client).count();
        let all = || table.connections.iter();
        let idle =
            all().filter(|(_, entry)| entry.answers == 0 && (entry.client == client || share(entry) > own));
        let busy = all().filter(|(_, entry)| entry.answers > 0 && share(entry) > own + 1);
        idle.max_by_key(|(_, entry)| (share(entry), Reverse(entry.changed)))
            .or_else(|| busy.max_by_key(|(_, entry)| (share(entry), entry.changed)))
            .map(|(number, _)| *number)
    }

    #[test]
    fn the_index_knows_the_same_connection_as_a_look_at_all() {
        let slots = Slots::new(40, 12);
        let mut random = fastrand::Rng::with_seed(7);
        let mut held: Vec<(Arc<Slot>, Vec<Busy>)> = Vec::new();
        let (mut idle, mut busy, mut none) = (0, 0, 0);
        for round in 0..20_000 {
            // In turns: most requests end at once, or hardly any.
            let is_slow = round / 1000 % 2 == 1;
            match random.u8(0..16) {
                0..=5 => {
                    // Clients with lower numbers have more connections.
                    let last = random.u8(0..12).min(random.u8(0..12));
                    let expected = chosen(&slots.table(), client(last));
                    assert_eq!(slots.table().to_close_for(client(last)), expected);
                    match expected.map(|number| slots.table().connections[&number].answers) {
                        None => none += 1,
                        Some(0) => idle += 1,
                        Some(_) => busy += 1,
                    }
                    if let Some(slot) = try_to_take(&slots, last).slot.map(Arc::new) {
                        let answers = Vec::from_iter(is_slow.then(|| slot.begin()));
                        held.push((slot, answers));
                    }
                    held.retain(|(slot, _)| slots.table().connections.contains_key(&slot.number));
                }
                6..=14 if !held.is_empty() => {
                    let number = random.usize(0..held.len());
                    let (slot, answers) = &mut held[number];
                    match random.u8(0..16) < if is_slow { 1 } else { 12 } {
                        true => drop(answers.pop()),
                        false => answers.push(slot.begin()),
                    }
                }
                _ if !held.is_empty() => drop(held.swap_remove(random.usize(0..held.len()))),
                _ => {}
            }
        }
        assert!(idle.min(busy).min(none) > 100, "{idle} idle, {busy} busy, {none} without any");
        held.clear();
        let table = slots.table();
        assert!(table.clients.is_empty() && table.idle.is_empty() && table.busy.is_empty());
    }
}
