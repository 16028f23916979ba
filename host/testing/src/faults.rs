//! What happens to datagrams on their way.

use fastrand::Rng;
use std::time::Duration;

/// The direction of a datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the client to the server.
    ToServer,
    /// From the server to the client.
    ToClient,
}

/// One delivery of a datagram.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// How long after its arrival.
    pub after: Duration,
    /// The bytes that are delivered.
    pub bytes: Vec<u8>,
}

/// Decides what happens to each datagram. A closure is one, too.
pub trait Fate: Send + 'static {
    /// Returns the deliveries of a datagram: none to lose it, two to double it.
    fn of(&mut self, direction: Direction, datagram: &[u8]) -> Vec<Delivery>;
}

impl<F: FnMut(Direction, &[u8]) -> Vec<Delivery> + Send + 'static> Fate for F {
    fn of(&mut self, direction: Direction, datagram: &[u8]) -> Vec<Delivery> {
        self(direction, datagram)
    }
}

/// Faults at random, by a seed. Probabilities are 0 to 1, for each datagram in each direction.
#[derive(Debug, Clone)]
pub struct Faults {
    random: Rng,
    lose: f64,
    double: f64,
    reorder: f64,
    delay: Duration,
}

impl Faults {
    /// A network without faults whose later choices follow from this seed.
    pub fn seeded(seed: u64) -> Faults {
        let random = Rng::with_seed(seed);
        Faults { random, lose: 0.0, double: 0.0, reorder: 0.0, delay: Duration::ZERO }
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
}

impl Fate for Faults {
    fn of(&mut self, _: Direction, datagram: &[u8]) -> Vec<Delivery> {
        // Always as many choices, so that one fault does not change the others.
        let [lost, doubled, late] = [self.lose, self.double, self.reorder].map(|p| self.random.f64() < p);
        let after = self.delay + if late { Duration::from_millis(5) } else { Duration::ZERO };
        let deliveries = if lost { 0 } else { 1 + usize::from(doubled) };
        vec![Delivery { after, bytes: datagram.to_vec() }; deliveries]
    }
}
