//! What was done to a datagram.

use crate::direction::Direction;
use crate::wrong::Wrong;
use std::fmt;

/// What was done to a datagram. As text, one line: `to client 5: lost: DATA 3, 512 bytes`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alteration {
    /// The number of the datagram in its direction, from 1.
    pub number: u64,
    /// Its direction.
    pub direction: Direction,
    /// The datagram as it was sent, in a few words.
    pub datagram: String,
    /// What was done, at least one.
    pub faults: Vec<Fault>,
}

/// A fault on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// It was not delivered.
    Lost,
    /// It was delivered twice.
    Doubled,
    /// It was delivered late.
    Reordered,
    /// The client got a wrong answer.
    Wrong(Wrong),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Lost => f.write_str("lost"),
            Fault::Doubled => f.write_str("doubled"),
            Fault::Reordered => f.write_str("late"),
            Fault::Wrong(wrong) => write!(f, "wrong {wrong}"),
        }
    }
}

impl fmt::Display for Alteration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let faults: Vec<String> = self.faults.iter().map(Fault::to_string).collect();
        write!(f, "{} {}: {}: {}", self.direction, self.number, faults.join(", "), self.datagram)
    }
}
