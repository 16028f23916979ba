//! Several transfers over one path.

use super::{Peer, Time};

/// The ends of several transfers at one end of a path: each datagram carries the number of its transfer in front.
pub struct Several<P>(pub Vec<P>);

impl<P: Peer> Several<P> {
    fn with(&mut self, number: usize, out: &mut Vec<Vec<u8>>, act: impl FnOnce(&mut P, &mut Vec<Vec<u8>>)) {
        let Some(peer) = self.0.get_mut(number) else { return };
        let mut own = Vec::new();
        act(peer, &mut own);
        for mut datagram in own {
            datagram.insert(0, number as u8);
            out.push(datagram);
        }
    }
}

impl<P: Peer> Peer for Several<P> {
    fn deadline(&self) -> Time {
        self.0.iter().map(Peer::deadline).min().unwrap_or(Time::NEVER)
    }

    fn wake(&mut self, now: Time, out: &mut Vec<Vec<u8>>) {
        for number in 0..self.0.len() {
            if self.0[number].deadline() <= now {
                self.with(number, out, |peer, out| peer.wake(now, out));
            }
        }
    }

    fn receive(&mut self, now: Time, datagram: &[u8], out: &mut Vec<Vec<u8>>) {
        let Some((&number, datagram)) = datagram.split_first() else { return };
        self.with(number.into(), out, |peer, out| peer.receive(now, datagram, out));
    }
}
