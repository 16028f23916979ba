//! A queue that serves clients in turn.

use std::collections::{HashMap, VecDeque};

use crate::ClientKey;

/// Waiting items, with a line for each client. The lines are served round robin, so a client with few items never waits
/// for all items of a client with many.
#[derive(Debug)]
pub struct FairQueue<T> {
    /// No line is empty.
    lines: HashMap<ClientKey, VecDeque<T>>,
    /// The clients with waiting items, the next one first.
    order: VecDeque<ClientKey>,
    len: usize,
}

impl<T> Default for FairQueue<T> {
    fn default() -> Self {
        FairQueue { lines: HashMap::new(), order: VecDeque::new(), len: 0 }
    }
}

impl<T> FairQueue<T> {
    /// The number of waiting items.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Puts an item at the end of its client's line.
    pub fn push(&mut self, client: ClientKey, item: T) {
        let line = self.lines.entry(client).or_default();
        if line.is_empty() {
            self.order.push_back(client);
        }
        line.push_back(item);
        self.len += 1;
    }

    /// Puts an item before all others.
    pub fn push_first(&mut self, client: ClientKey, item: T) {
        self.lines.entry(client).or_default().push_front(item);
        self.order.retain(|other| *other != client);
        self.order.push_front(client);
        self.len += 1;
    }

    /// The first client in turn that `may` be served.
    pub fn next(&self, mut may: impl FnMut(ClientKey) -> bool) -> Option<ClientKey> {
        self.order.iter().copied().find(|client| may(*client))
    }

    /// Takes the next item of the first client in turn that `may` be served. The client then goes to the end.
    pub fn pop(&mut self, mut may: impl FnMut(ClientKey) -> bool) -> Option<(ClientKey, T)> {
        let position = self.order.iter().position(|client| may(*client))?;
        let client = self.order.remove(position)?;
        let line = self.lines.get_mut(&client)?;
        let item = line.pop_front()?;
        self.len -= 1;
        if line.is_empty() {
            self.lines.remove(&client);
        } else {
            self.order.push_back(client);
        }
        Some((client, item))
    }

    /// Removes the newest item of a client. Chooses the longest of the lines whose newest item `may` be removed.
    pub fn shed(&mut self, may: impl Fn(&T) -> bool) -> Option<(ClientKey, T)> {
        let lines = self.lines.iter().filter(|(_, line)| line.back().is_some_and(&may));
        let client = lines.max_by_key(|(_, line)| line.len()).map(|(client, _)| *client)?;
        let item = self.lines.get_mut(&client)?.pop_back()?;
        self.len -= 1;
        self.forget_if_empty(client);
        Some((client, item))
    }

    /// Removes the items of a client that `keep` rejects.
    pub fn retain(&mut self, client: ClientKey, keep: impl FnMut(&T) -> bool) {
        let Some(line) = self.lines.get_mut(&client) else { return };
        let before = line.len();
        line.retain(keep);
        self.len -= before - line.len();
        self.forget_if_empty(client);
    }

    /// The waiting items of a client.
    pub fn line(&self, client: ClientKey) -> impl Iterator<Item = &T> {
        self.lines.get(&client).into_iter().flatten()
    }

    /// All waiting items, in no particular order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.lines.values_mut().flatten()
    }

    /// Takes all waiting items, in no particular order.
    pub fn drain(&mut self) -> impl Iterator<Item = T> + use<T> {
        std::mem::take(self).lines.into_values().flatten()
    }

    fn forget_if_empty(&mut self, client: ClientKey) {
        if self.lines.get(&client).is_some_and(VecDeque::is_empty) {
            self.lines.remove(&client);
            self.order.retain(|other| *other != client);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(number: u8) -> ClientKey {
        ClientKey::of(&([192, 0, 2, number], 2000).into(), 64)
    }

    fn queue(items: &[(u8, u32)]) -> FairQueue<u32> {
        let mut queue = FairQueue::default();
        items.iter().for_each(|(number, item)| queue.push(client(*number), *item));
        queue
    }

    fn drain(queue: &mut FairQueue<u32>, may: impl Fn(ClientKey) -> bool) -> Vec<u32> {
        std::iter::from_fn(|| queue.pop(&may)).map(|(_, item)| item).collect()
    }

    #[test]
    fn clients_take_turns() {
        let mut queue = queue(&[(1, 10), (1, 11), (1, 12), (2, 20), (3, 30), (2, 21)]);
        assert_eq!(queue.len(), 6);
        assert_eq!(drain(&mut queue, |_| true), [10, 20, 30, 11, 21, 12]);
        assert!(queue.is_empty() && queue.next(|_| true).is_none());
    }

    #[test]
    fn a_client_that_may_not_be_served_keeps_its_turn() {
        let mut queue = queue(&[(1, 10), (2, 20), (1, 11)]);
        assert_eq!(drain(&mut queue, |its| its != client(1)), [20]);
        queue.push(client(3), 30);
        assert_eq!(drain(&mut queue, |_| true), [10, 30, 11]);
    }

    #[test]
    fn an_urgent_item_precedes_all_others() {
        let mut queue = queue(&[(1, 10), (2, 20), (2, 21)]);
        queue.push_first(client(2), 29);
        assert_eq!(drain(&mut queue, |_| true), [29, 10, 20, 21]);
    }

    #[test]
    fn the_longest_line_loses_its_newest_item() {
        let mut queue = queue(&[(1, 10), (2, 20), (2, 21), (3, 30)]);
        assert_eq!(queue.shed(|_| true), Some((client(2), 21)));
        assert_eq!(queue.shed(|item| *item == 30), Some((client(3), 30)));
        assert_eq!(queue.shed(|_| false), None);
        queue.retain(client(1), |_| false);
        assert_eq!((queue.len(), queue.line(client(2)).count()), (1, 1));
        assert_eq!(drain(&mut queue, |_| true), [20]);
    }
}
