//! The clients that each limit has refused most: a few counters for each limit (Misra and Gries), so that a flood from a
//! million addresses takes no more memory than one client.
//!
//! A worker counts, others read. Neither waits: during a read, the worker leaves out a request.

use super::Refused;
use parking_lot::Mutex;
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// Clients with a counter, for each limit. A client with more than one in `CLIENTS + 1` of the requests has one for certain.
const CLIENTS: usize = 8;

/// How long a client is named after the last of its requests was refused.
const NAMED_FOR: Duration = Duration::from_secs(60);

/// Requests of a client that a limit refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusedClient {
    /// The address.
    pub client: IpAddr,
    /// How many requests, at least, since the limit began to refuse them.
    pub requests: u64,
    /// When the last one was refused.
    pub last: Instant,
}

/// The counters of a worker.
#[derive(Debug, Default)]
pub(crate) struct RefusedClients(Mutex<[Counters; Refused::COUNT]>);

#[derive(Debug, Default, Clone, Copy)]
struct Counters {
    clients: [Option<RefusedClient>; CLIENTS],
    /// As `clients`, of the requests since the last report alone.
    news: [Option<RefusedClient>; CLIENTS],
}

impl RefusedClients {
    /// Counts a refused request.
    pub(crate) fn note(&self, refused: Refused, client: IpAddr, now: Instant) {
        let Some(mut all) = self.0.try_lock() else { return };
        let client = client.to_canonical();
        let Counters { clients, news } = &mut all[refused as usize];
        for old in clients.iter_mut() {
            old.take_if(|old| now.saturating_duration_since(old.last) > NAMED_FOR);
        }
        count(clients, client, now);
        count(news, client, now);
    }

    /// Returns the client of most requests that this limit has refused since the last call, and its number of requests.
    pub(crate) fn take_busiest(&self, refused: Refused) -> Option<RefusedClient> {
        let news = std::mem::take(&mut self.0.lock()[refused as usize].news);
        news.into_iter().flatten().max_by_key(|its| its.requests)
    }

    /// Returns the clients that this limit has refused in the last minute.
    pub(crate) fn recent(&self, refused: Refused, now: Instant) -> impl Iterator<Item = RefusedClient> {
        let clients = self.0.lock()[refused as usize].clients;
        clients.into_iter().flatten().filter(move |its| now.saturating_duration_since(its.last) <= NAMED_FOR)
    }
}

fn count(counters: &mut [Option<RefusedClient>; CLIENTS], client: IpAddr, now: Instant) {
    if let Some(own) = counters.iter_mut().flatten().find(|its| its.client == client) {
        (own.requests, own.last) = (own.requests + 1, now);
        return;
    }
    if let Some(free) = counters.iter_mut().find(|its| its.is_none()) {
        *free = Some(RefusedClient { client, requests: 1, last: now });
        return;
    }
    // Each has one less: what remains was refused more often than all others.
    for its in counters {
        if let Some(one) = its {
            one.requests -= 1;
            its.take_if(|its| its.requests == 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(number: u32) -> IpAddr {
        IpAddr::from(number.to_be_bytes())
    }

    #[test]
    fn the_client_with_most_requests_is_named_in_a_flood_of_others() {
        let (refused, now) = (RefusedClients::default(), Instant::now());
        let mut random = fastrand::Rng::with_seed(7);
        for number in 0..40_000 {
            let loud = number % 4 == 0;
            let client = if loud { address(42) } else { address(random.u32(100..)) };
            refused.note(Refused::ClientTransfers, client, now);
        }
        let named = refused.take_busiest(Refused::ClientTransfers).unwrap();
        assert_eq!(named.client, address(42));
        assert!((1..=10_000).contains(&named.requests), "{}", named.requests);
        assert_eq!(refused.take_busiest(Refused::ClientTransfers), None, "it was reported");
        assert_eq!(refused.take_busiest(Refused::PerSecond), None, "another limit");
        let recent = refused.recent(Refused::ClientTransfers, now);
        assert_eq!(recent.max_by_key(|its| its.requests).map(|its| its.client), Some(address(42)));
    }

    #[test]
    fn one_client_is_counted_exactly_and_forgotten() {
        let (refused, now) = (RefusedClients::default(), Instant::now());
        for _ in 0..12 {
            refused.note(Refused::Pending, address(1), now);
        }
        let one = RefusedClient { client: address(1), requests: 12, last: now };
        assert_eq!(refused.recent(Refused::Pending, now).collect::<Vec<_>>(), [one]);
        let later = now + NAMED_FOR + Duration::from_secs(1);
        assert_eq!(refused.recent(Refused::Pending, later).count(), 0);
        refused.note(Refused::Pending, address(1), later);
        assert_eq!(refused.recent(Refused::Pending, later).map(|its| its.requests).collect::<Vec<_>>(), [1]);
    }
}
