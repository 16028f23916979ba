//! Clients with calls that recently destroyed instances, because they failed or timed out.
//!
//! Such a call costs its plugin an instance. A single client could destroy every new instance while others wait. So
//! debtors leave one idle instance to others.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use tuffet_request::ClientKey;

/// How long a client counts as a debtor.
const DEBT_TIME: Duration = Duration::from_secs(10);
/// The number of debtors that a plugin remembers.
const MAX_DEBTORS: usize = 1024;

/// The debtors of one plugin.
#[derive(Debug, Default)]
pub(super) struct Debtors(HashMap<ClientKey, Instant>);

impl Debtors {
    /// Records that a call of this client cost an instance.
    pub fn add(&mut self, client: ClientKey, now: Instant) {
        if self.0.len() >= MAX_DEBTORS {
            self.0.retain(|_, until| *until > now);
        }
        if self.0.len() < MAX_DEBTORS || self.0.contains_key(&client) {
            self.0.insert(client, now + DEBT_TIME);
        }
    }

    /// Whether a call of this client recently cost an instance.
    pub fn contains(&self, client: ClientKey, now: Instant) -> bool {
        self.0.get(&client).is_some_and(|until| *until > now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_debt_is_forgotten_in_time_and_their_number_is_bounded() {
        let client = |number: u32| ClientKey::of(&(number.to_be_bytes(), 2000).into(), 64);
        let (mut debtors, now) = (Debtors::default(), Instant::now());
        (0..2000).for_each(|number| debtors.add(client(number), now));
        assert_eq!(debtors.0.len(), MAX_DEBTORS);
        assert!(debtors.contains(client(0), now) && !debtors.contains(client(1999), now));
        let later = now + DEBT_TIME;
        assert!(!debtors.contains(client(0), later));
        debtors.add(client(1999), later);
        assert!(debtors.contains(client(1999), later) && debtors.0.len() == 1);
    }
}
