//! What happens to datagrams on their way.

use crate::alteration::{Alteration, Fault};
use crate::direction::Direction;
use crate::exchange::Exchanges;
use crate::packet::{describe, is_error};
use crate::wrong::{Answer, Wrong};
use fastrand::Rng;
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

/// How much later a reordered datagram is delivered.
const LATE: Duration = Duration::from_millis(5);

/// One delivery of a datagram.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Delivery {
    /// How long after its arrival.
    pub after: Duration,
    /// The bytes that are delivered.
    pub bytes: Vec<u8>,
    /// Whether it comes from a port that has nothing to do with the transfer.
    pub stranger: bool,
}

/// Decides what happens to each datagram. A closure is one, too.
pub trait Fate: Send + 'static {
    /// Returns the deliveries of a datagram: none to lose it, two to double it.
    fn of(&mut self, direction: Direction, datagram: &[u8]) -> Vec<Delivery>;

    /// The same with the address of the client, for fates that depend on what has passed before. [`Network`] and the
    /// virtual network call this one.
    ///
    /// [`Network`]: crate::Network
    fn of_client(&mut self, client: SocketAddr, direction: Direction, datagram: &[u8]) -> Vec<Delivery> {
        let _ = client;
        self.of(direction, datagram)
    }
}

impl<F: FnMut(Direction, &[u8]) -> Vec<Delivery> + Send + 'static> Fate for F {
    fn of(&mut self, direction: Direction, datagram: &[u8]) -> Vec<Delivery> {
        self(direction, datagram)
    }
}

/// Gets each alteration.
type Listener = Arc<dyn Fn(&Alteration) + Send + Sync>;

/// Faults at random, by a seed. Probabilities are 0 to 1, for each datagram in each direction. The fate of a datagram
/// follows from the seed and its number in its direction: one fault does not change the others, and neither does the
/// traffic in the other direction.
#[derive(Clone)]
pub struct Faults {
    to_server: Stream,
    to_client: Stream,
    lose: f64,
    double: f64,
    reorder: f64,
    delay: Duration,
    jitter: Duration,
    wrong: Vec<(Wrong, f64)>,
    exchanges: Exchanges,
    listener: Option<Listener>,
}

/// The choices of one direction.
#[derive(Debug, Clone)]
struct Stream {
    random: Rng,
    count: u64,
}

impl Faults {
    /// A network without faults whose later choices follow from this seed.
    pub fn seeded(seed: u64) -> Faults {
        let mut random = Rng::with_seed(seed);
        let to_client = Stream { random: random.fork(), count: 0 };
        Faults {
            to_server: Stream { random, count: 0 },
            to_client,
            lose: 0.0,
            double: 0.0,
            reorder: 0.0,
            delay: Duration::ZERO,
            jitter: Duration::ZERO,
            wrong: Vec::new(),
            exchanges: Exchanges::default(),
            listener: None,
        }
    }

    /// Loses datagrams with this probability.
    #[must_use]
    pub fn lose(self, lose: f64) -> Faults {
        Faults { lose, ..self }
    }

    /// Doubles datagrams with this probability.
    #[must_use]
    pub fn double(self, double: f64) -> Faults {
        Faults { double, ..self }
    }

    /// Delivers datagrams after the next ones with this probability: 5 ms later than the others.
    #[must_use]
    pub fn reorder(self, reorder: f64) -> Faults {
        Faults { reorder, ..self }
    }

    /// Delivers all datagrams this much later.
    #[must_use]
    pub fn delay(self, delay: Duration) -> Faults {
        Faults { delay, ..self }
    }

    /// Delivers each datagram later by a random time, at most this.
    #[must_use]
    pub fn jitter(self, jitter: Duration) -> Faults {
        Faults { jitter, ..self }
    }

    /// Gives clients this wrong answer with this probability. Of several for one datagram, the first counts. A client can
    /// tell each of them, whatever the network does besides; where it could not, it gets none.
    #[must_use]
    pub fn wrong(mut self, wrong: Wrong, probability: f64) -> Faults {
        self.wrong.push((wrong, probability));
        self
    }

    /// Calls a function for each datagram that is lost, doubled, reordered or answered wrongly, before its fate is carried
    /// out. Delay and jitter alone count as none of these.
    #[must_use]
    pub fn tell(self, listener: impl Fn(&Alteration) + Send + Sync + 'static) -> Faults {
        Faults { listener: Some(Arc::new(listener)), ..self }
    }

    /// Returns the wrong answer to a client, if it gets one. `draws`: for each of them, whether it is its turn.
    fn answer(&mut self, client: SocketAddr, draws: &[bool], datagram: &[u8]) -> Option<(Wrong, Answer)> {
        // A refusal is no transfer that could be disturbed.
        if is_error(datagram) {
            return None;
        }
        let exchange = self.exchanges.of(client);
        let due = self.wrong.iter().zip(draws).filter(|(_, is_due)| **is_due);
        let answer = due
            .map(|((wrong, _), _)| *wrong)
            .find_map(|wrong| Some((wrong, wrong.answer(datagram, exchange)?)));
        exchange.requested = None;
        answer
    }
}

impl Fate for Faults {
    /// As for one client alone.
    fn of(&mut self, direction: Direction, datagram: &[u8]) -> Vec<Delivery> {
        self.of_client((Ipv4Addr::UNSPECIFIED, 0).into(), direction, datagram)
    }

    fn of_client(&mut self, client: SocketAddr, direction: Direction, datagram: &[u8]) -> Vec<Delivery> {
        let stream = match direction {
            Direction::ToServer => &mut self.to_server,
            Direction::ToClient => &mut self.to_client,
        };
        stream.count += 1;
        let number = stream.count;
        // Always as many choices, so that one fault does not change the others.
        let random = &mut stream.random;
        let [lost, doubled, late] = [self.lose, self.double, self.reorder].map(|p| random.f64() < p);
        let jitters = [random.f64(), random.f64()].map(|share| self.jitter.mul_f64(share));
        let draws: Vec<bool> = self.wrong.iter().map(|(_, p)| random.f64() < *p).collect();

        let mut faults = Vec::new();
        let base = self.delay + if late { LATE } else { Duration::ZERO };
        let [first, second] = jitters.map(|jitter| base + jitter);
        let delivery = |after, bytes: &[u8]| Delivery { after, bytes: bytes.to_vec(), stranger: false };
        let mut deliveries = vec![delivery(first, datagram)];
        if direction == Direction::ToServer && !self.wrong.is_empty() {
            self.exchanges.of(client).sent(datagram);
        }
        if direction == Direction::ToClient
            && !lost
            && let Some((wrong, answer)) = self.answer(client, &draws, datagram)
        {
            faults.push(Fault::Wrong(wrong));
            match answer {
                Answer::Instead(bytes) => deliveries = vec![delivery(first, &bytes)],
                Answer::Before(bytes) => deliveries.insert(0, delivery(first, &bytes)),
                Answer::Stranger => deliveries.push(Delivery { stranger: true, ..delivery(first, datagram) }),
            }
        }
        if direction == Direction::ToClient && !self.wrong.is_empty() {
            self.exchanges.of(client).answered(datagram);
        }
        if lost {
            faults.push(Fault::Lost);
            deliveries.clear();
        } else if doubled {
            faults.push(Fault::Doubled);
            let copies: Vec<Delivery> =
                deliveries.iter().map(|it| Delivery { after: second, ..it.clone() }).collect();
            deliveries.extend(copies);
        }
        if late && !lost {
            faults.push(Fault::Reordered);
        }
        if let Some(listener) = self.listener.as_ref().filter(|_| !faults.is_empty()) {
            listener(&Alteration { number, direction, datagram: describe(datagram), faults });
        }
        deliveries
    }
}

impl fmt::Debug for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Faults")
            .field("lose", &self.lose)
            .field("double", &self.double)
            .field("reorder", &self.reorder)
            .field("delay", &self.delay)
            .field("jitter", &self.jitter)
            .field("wrong", &self.wrong)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parking_lot::Mutex;

    /// The fates of datagrams to the client, with `others` to the server between them.
    fn fates(faults: Faults, others: usize) -> Vec<usize> {
        let mut faults = faults;
        (0..200_u8)
            .map(|number| {
                (0..others).for_each(|_| drop(faults.of(Direction::ToServer, b"\0\x04\0\x01")));
                faults.of(Direction::ToClient, &[0, 3, 0, number, 7]).len()
            })
            .collect()
    }

    #[test]
    fn a_fate_follows_from_the_seed_and_the_number_alone() {
        let faults = || Faults::seeded(3).lose(0.2).double(0.2);
        assert_eq!(fates(faults(), 0), fates(faults(), 3));
        assert_ne!(fates(faults(), 0), fates(Faults::seeded(4).lose(0.2).double(0.2), 0));
        let lost = |fates: Vec<usize>| -> Vec<usize> { (0..200).filter(|n| fates[*n] == 0).collect() };
        assert_eq!(lost(fates(faults(), 0)), lost(fates(faults().double(0.0).reorder(0.5), 0)));
    }

    /// What passes for one client says nothing about another one, nor about its next transfer.
    #[test]
    fn wrong_answers_follow_from_what_has_passed() {
        let [one, other] = [1, 2].map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
        let data = |number: u8, byte| [0, 3, 0, number, byte];
        let (request, ack) = (b"\0\x01boot\0octet\0", b"\0\x04\0\x01");
        let mut faults = Faults::seeded(1).wrong(Wrong::Block, 1.0);
        let to_client = |faults: &mut Faults, client, datagram: &[u8]| -> Vec<Vec<u8>> {
            let all = faults.of_client(client, Direction::ToClient, datagram);
            all.into_iter().map(|its| its.bytes).collect()
        };
        faults.of_client(one, Direction::ToServer, request);
        faults.of_client(other, Direction::ToServer, request);
        to_client(&mut faults, one, &data(1, 1));
        to_client(&mut faults, other, &data(1, 2));
        // The right bytes of the block before: a client may lack it.
        assert_eq!(to_client(&mut faults, one, &data(2, 3)), [data(1, 1), data(2, 3)]);
        assert_eq!(to_client(&mut faults, other, &data(2, 4)), [data(1, 2), data(2, 4)]);
        // Repeated after the block behind it was sent: the one before is not at hand.
        to_client(&mut faults, one, &data(3, 5));
        assert_eq!(to_client(&mut faults, one, &data(2, 3)), [data(2, 3)]);
        faults.of_client(one, Direction::ToServer, request);
        assert_eq!(to_client(&mut faults, one, &data(3, 6)), [data(3, 6)]);

        // A client that has answered nothing takes any port for that of its transfer.
        let mut faults = Faults::seeded(1).wrong(Wrong::Tid, 1.0);
        faults.of_client(one, Direction::ToServer, request);
        assert_eq!(to_client(&mut faults, one, &data(1, 1)).len(), 1);
        assert_eq!(to_client(&mut faults, one, &data(1, 1)).len(), 1);
        faults.of_client(one, Direction::ToServer, ack);
        assert_eq!(to_client(&mut faults, one, &data(2, 1)).len(), 2);
    }

    #[test]
    fn what_was_done_is_told() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let its = Arc::clone(&told);
        let mut faults = Faults::seeded(1)
            .double(1.0)
            .wrong(Wrong::Oack, 1.0)
            .wrong(Wrong::Tid, 1.0)
            .wrong(Wrong::Block, 1.0)
            .tell(move |alteration| its.lock().push(alteration.to_string()));
        faults.of(Direction::ToServer, b"\0\x01boot\0octet\0");
        let deliveries = faults.of(Direction::ToClient, b"\0\x03\0\x01abc");
        assert!(deliveries.iter().all(|it| it.bytes == b"\0\x06windowsize\x004\0"), "{deliveries:?}");
        faults.of(Direction::ToServer, b"\0\x04\0\x01");
        let deliveries = faults.of(Direction::ToClient, b"\0\x03\0\x02abc");
        let strangers: Vec<bool> = deliveries.iter().map(|it| it.stranger).collect();
        assert_eq!(strangers, [false, true, false, true]);
        let lines = [
            "to server 1: doubled: RRQ boot",
            "to client 1: wrong oack, doubled: DATA 1, 3 bytes",
            "to server 2: doubled: ACK 1",
            "to client 2: wrong tid, doubled: DATA 2, 3 bytes",
        ];
        assert_eq!(*told.lock(), lines);
    }
}
