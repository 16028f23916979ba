//! The most recent requests: a late copy of a port's earlier request must not end the transfer of its current
//! one. iPXE and U-Boot request several names from one port, and most of them are answered within a
//! millisecond.

use super::requests::MAX_DUPLICATE_DELAY;
use tuffet_core::Time;

/// Slots in the table, one for each remainder of a fingerprint. A later request replaces an earlier one: in a flood
/// the server forgets requests, and then serves their copies.
const REQUESTS: usize = 1024;

/// Fingerprints of requests and their times of arrival.
pub(super) struct RecentRequests {
    requests: Box<[Option<(u64, Time)>]>,
}

impl Default for RecentRequests {
    fn default() -> Self {
        RecentRequests { requests: vec![None; REQUESTS].into_boxed_slice() }
    }
}

impl RecentRequests {
    /// Records a request.
    pub(super) fn note(&mut self, fingerprint: u64, now: Time) {
        self.requests[slot(fingerprint)] = Some((fingerprint, now));
    }

    /// Returns whether the request arrived so recently that another one may be its copy.
    pub(super) fn is_recent(&self, fingerprint: u64, now: Time) -> bool {
        let noted = self.requests[slot(fingerprint)];
        noted.is_some_and(|(which, when)| which == fingerprint && now.since(when) < MAX_DUPLICATE_DELAY)
    }
}

fn slot(fingerprint: u64) -> usize {
    (fingerprint % REQUESTS as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_known_for_a_while() {
        let at = |ms: u64| Time::from_micros(ms * 1_000);
        let mut recent = RecentRequests::default();
        assert!(!recent.is_recent(7, at(0)));
        recent.note(7, at(100));
        assert!(recent.is_recent(7, at(599)));
        assert!(!recent.is_recent(7, at(600)));
        assert!(!recent.is_recent(7 + REQUESTS as u64, at(101)), "another one of the same slot");
        recent.note(7 + REQUESTS as u64, at(102));
        assert!(!recent.is_recent(7, at(103)), "forgotten");
    }
}
