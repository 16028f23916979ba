//! The most recent requests: a late copy of a port's earlier request must not end the transfer of its current
//! one. iPXE and U-Boot request several names from one port, and most of them are answered within a
//! millisecond.

use super::requests::DOUBLED;
use tuffet_core::Time;

/// One place for each remainder of a fingerprint. A later request replaces an earlier one: in a flood the
/// server forgets requests, and then serves their copies.
const PLACES: usize = 1024;

/// Fingerprints of requests and their times of arrival.
pub(super) struct Recent {
    places: Box<[Option<(u64, Time)>]>,
}

impl Default for Recent {
    fn default() -> Self {
        Recent { places: vec![None; PLACES].into_boxed_slice() }
    }
}

impl Recent {
    /// Records a request.
    pub(super) fn note(&mut self, fingerprint: u64, now: Time) {
        self.places[place(fingerprint)] = Some((fingerprint, now));
    }

    /// Returns whether the request arrived so recently that another one may be its copy.
    pub(super) fn came_lately(&self, fingerprint: u64, now: Time) -> bool {
        let noted = self.places[place(fingerprint)];
        noted.is_some_and(|(which, when)| which == fingerprint && now.since(when) < DOUBLED)
    }
}

fn place(fingerprint: u64) -> usize {
    (fingerprint % PLACES as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_known_for_a_while() {
        let at = |ms: u64| Time::from_micros(ms * 1_000);
        let mut recent = Recent::default();
        assert!(!recent.came_lately(7, at(0)));
        recent.note(7, at(100));
        assert!(recent.came_lately(7, at(599)));
        assert!(!recent.came_lately(7, at(600)));
        assert!(!recent.came_lately(7 + PLACES as u64, at(101)), "another one of the same place");
        recent.note(7 + PLACES as u64, at(102));
        assert!(!recent.came_lately(7, at(103)), "forgotten");
    }
}
