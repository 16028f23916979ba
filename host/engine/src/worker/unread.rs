//! The sockets with unread datagrams, so that a turn costs nothing for the hundreds without any.

use super::sockets::{SocketId, Sockets};

pub(super) struct Unread {
    /// By socket number.
    all: Vec<State>,
    /// TID sockets with unread datagrams, in the order of their events.
    tids: Vec<SocketId>,
    listening: Vec<SocketId>,
    /// How many of them serve transfers.
    serving: usize,
}

#[derive(Clone, Copy)]
struct State {
    unread: bool,
    listens: bool,
    serves: bool,
}

impl Unread {
    pub(super) fn new(sockets: &Sockets) -> Unread {
        let state = |number| {
            let number = SocketId(number);
            let listens = sockets.get(number).is_some_and(|socket| socket.listens);
            State { unread: false, listens, serves: sockets.serves(number) }
        };
        let all = (0..sockets.len()).map(state).collect();
        Unread { all, tids: Vec::new(), listening: Vec::new(), serving: 0 }
    }

    /// Records whether a socket has unread datagrams.
    pub(super) fn set(&mut self, number: SocketId, unread: bool) {
        let Some(state) = self.all.get_mut(usize::from(number)) else { return };
        if state.unread == unread {
            return;
        }
        state.unread = unread;
        let list = if state.listens { &mut self.listening } else { &mut self.tids };
        if unread {
            list.push(number);
            self.serving += usize::from(state.serves);
        } else {
            list.retain(|other| *other != number);
            self.serving -= usize::from(state.serves);
        }
    }

    pub(super) fn is_set(&self, number: SocketId) -> bool {
        self.all.get(usize::from(number)).is_some_and(|state| state.unread)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tids.is_empty() && self.listening.is_empty()
    }

    /// Returns whether a socket that serves transfers has unread datagrams.
    pub(super) fn has_unread_tid(&self) -> bool {
        self.serving > 0
    }

    /// Takes all of them, TID sockets first: the last ACK of a transfer must be read before the next request
    /// from the same port.
    pub(super) fn take(&mut self, turn: &mut Vec<SocketId>) {
        turn.clear();
        turn.append(&mut self.tids);
        turn.append(&mut self.listening);
        for number in turn {
            self.all[usize::from(*number)].unread = false;
        }
        self.serving = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::super::listener_spec::ListenerSpec;
    use super::super::open_sockets::open_all;
    use super::*;

    #[test]
    fn tid_sockets_come_first_and_each_once() {
        let address = ([127, 0, 0, 1], 0).into();
        let listener = |single_port| ListenerSpec { single_port, tid_ports: 2, ..ListenerSpec::at(address) };
        let sockets = open_all(&mut [listener(false), listener(true)], Vec::new(), 1).unwrap().pop().unwrap();
        let (mut unread, mut turn) = (Unread::new(&sockets), Vec::new());
        unread.set(SocketId(0), true);
        assert!(!unread.has_unread_tid() && !unread.is_empty());
        for number in [2, 3, 2, 1].map(SocketId) {
            unread.set(number, true);
        }
        assert!(unread.has_unread_tid(), "the single port serves, too");
        unread.set(SocketId(1), false);
        assert!(!unread.is_set(SocketId(1)) && unread.is_set(SocketId(2)));
        unread.take(&mut turn);
        assert_eq!(turn, [2, 0, 3].map(SocketId));
        assert!(unread.is_empty() && !unread.has_unread_tid());
        unread.set(SocketId(9), true);
        assert!(unread.is_empty());
    }
}
