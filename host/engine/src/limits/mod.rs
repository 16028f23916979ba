//! Limits: the checks that admit a request.
//!
//! The kernel spreads the ports of one client over all workers, so all workers share the counts of a client: in
//! tables of a fixed size with atomic cells. No worker waits for a lock, and a flood from a million addresses takes
//! no more memory than a quiet day. The tables are indexed by a keyed hash (SipHash with a random key), so an
//! attacker cannot aim at another client's cells.

mod client_counts;
mod known_clients;
mod refused_clients;
mod token_bucket;

use client_counts::ClientCounts;
pub(crate) use known_clients::KnownClient;
use known_clients::KnownClients;
pub use refused_clients::RefusedClient;
pub(crate) use refused_clients::RefusedClients;
use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, AtomicUsize};
use std::time::{Duration, Instant};
use token_bucket::{ClientBuckets, Filled, TokenBucket};
use tuffet_core::Time;
use tuffet_request::settings::SettingNames;
use tuffet_request::{Bounds, ClientKey};

/// The most datagrams on their way to workers that did not receive them.
const MAX_PASSING: usize = 1024;

/// A place among the datagrams on their way to another worker; free again when it is dropped, wherever that is.
pub struct PassingPlace(Arc<Limiter>);

impl Drop for PassingPlace {
    fn drop(&mut self) {
        self.0.passing.fetch_sub(1, Relaxed);
    }
}

/// The reason why a request is not admitted. It is dropped: a real client repeats it, and the server sends nothing
/// for a spoofed one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
    /// All places are taken (`limits.transfers`).
    Transfers,
    /// Too many requests wait for their decision (`limits.pending`).
    Pending,
    /// Too many summaries wait to be logged.
    Events,
    /// The request rate of all clients is too high (`limits.per-second`).
    PerSecond,
    /// The client's address has too many transfers (`limits.per-client.transfers`).
    ClientTransfers,
    /// Too many requests of the client's address wait for their decision (`limits.per-client.pending`).
    ClientPending,
    /// The request rate of the client's address is too high (`limits.per-client.per-second`).
    ClientPerSecond,
}

impl Refused {
    pub(crate) const COUNT: usize = 7;

    /// In the order of their numbers.
    pub(crate) const ALL: [Refused; Refused::COUNT] = [
        Refused::Transfers,
        Refused::Pending,
        Refused::Events,
        Refused::PerSecond,
        Refused::ClientTransfers,
        Refused::ClientPending,
        Refused::ClientPerSecond,
    ];

    /// The reason in metrics.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Refused::Transfers => "limit-transfers",
            Refused::Pending => "limit-pending",
            Refused::Events => "limit-events",
            Refused::PerSecond => "limit-per-second",
            Refused::ClientTransfers => "limit-client-transfers",
            Refused::ClientPending => "limit-client-pending",
            Refused::ClientPerSecond => "limit-client-per-second",
        }
    }

    /// Its key in the configuration.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Refused::Transfers => "limits.transfers",
            Refused::Pending => "limits.pending",
            Refused::Events => "the limit of outcomes that wait to be logged",
            Refused::PerSecond => "limits.per-second",
            Refused::ClientTransfers => "limits.per-client.transfers",
            Refused::ClientPending => "limits.per-client.pending",
            Refused::ClientPerSecond => "limits.per-client.per-second",
        }
    }

    /// The limit that was reached, for the log.
    pub(crate) fn limit(self, names: SettingNames) -> String {
        match self {
            Refused::Events => self.key().to_owned(),
            _ => names.of(self.key()).to_string(),
        }
    }
}

/// Returns each limit on admission: its name in metrics, and its key in the configuration.
pub fn limit_names() -> impl Iterator<Item = (&'static str, &'static str)> {
    Refused::ALL.into_iter().map(|refused| (refused.as_str(), refused.key()))
}

/// The state of one limit for one client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The key in the configuration.
    pub limit: &'static str,
    /// The limit; `None` if there is none.
    pub most: Option<u64>,
    /// Of a rate, how many requests it admits at once after a pause.
    pub burst: Option<u64>,
    /// How much of it is taken, of `most` or of `burst`.
    pub taken: Option<u64>,
    /// Whether a request would be dropped now.
    pub reached: bool,
}

/// The places of a request in its client's share. The place of its transfer is given back when that is dropped, the
/// pending place when the request is decided; later changes of the limits do not matter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) transfer: Share,
    pub(crate) pending: Share,
}

/// A place that a client has taken of its share.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Share {
    /// Not counted: the table of clients was full.
    #[default]
    Uncounted,
    /// Counted for the client with this hash.
    Counted(NonZeroU64),
}

/// The [`Bounds`] that are no rates, as atomics: workers read each value on its own while a reload changes them, since none
/// depends on another.
#[derive(Debug, Default)]
struct LiveBounds {
    half_open: AtomicUsize,
    client_transfers: AtomicU32,
    client_pending: AtomicU32,
    ipv6_prefix: AtomicU8,
    least_rate: AtomicU64,
    max_duration_ms: AtomicU64,
}

impl LiveBounds {
    fn replace(&self, bounds: &Bounds) {
        self.half_open.store(bounds.half_open, Relaxed);
        self.client_transfers.store(bounds.client_transfers, Relaxed);
        self.client_pending.store(bounds.client_pending, Relaxed);
        self.ipv6_prefix.store(bounds.ipv6_prefix, Relaxed);
        self.least_rate.store(bounds.least_rate, Relaxed);
        let ms = u64::try_from(bounds.max_duration.as_millis()).unwrap_or(u64::MAX);
        self.max_duration_ms.store(ms, Relaxed);
    }
}

/// The limits that all workers share.
#[derive(Debug)]
pub struct Limiter {
    began: Instant,
    hasher: RandomState,
    live: LiveBounds,
    names: SettingNames,
    transfers: ClientCounts,
    pending: ClientCounts,
    all: TokenBucket,
    clients: ClientBuckets,
    errors: TokenBucket,
    known_clients: KnownClients,
    /// Datagrams on their way to workers that did not receive them.
    passing: AtomicUsize,
}

impl Limiter {
    /// Limits for `transfers` at once and `pending` requests, over all workers.
    pub fn new(bounds: &Bounds, transfers: usize, pending: usize) -> Limiter {
        let limiter = Limiter {
            began: Instant::now(),
            hasher: RandomState::new(),
            live: LiveBounds::default(),
            names: bounds.names,
            transfers: ClientCounts::for_clients(transfers),
            pending: ClientCounts::for_clients(pending),
            all: TokenBucket::default(),
            clients: ClientBuckets::default(),
            errors: TokenBucket::default(),
            known_clients: KnownClients::default(),
            passing: AtomicUsize::new(0),
        };
        limiter.replace(bounds);
        limiter
    }

    /// Replaces the limits; places that are taken stay counted.
    pub fn replace(&self, bounds: &Bounds) {
        self.live.replace(bounds);
        self.all.set(bounds.per_second);
        self.clients.set(bounds.client_per_second);
        self.errors.set(bounds.errors_per_second);
    }

    /// How messages name settings.
    pub(crate) fn names(&self) -> SettingNames {
        self.names
    }

    /// Returns a number for the client at this address.
    pub(crate) fn client(&self, peer: &SocketAddr) -> u64 {
        self.hasher.hash_one(ClientKey::of(peer, self.live.ipv6_prefix.load(Relaxed)))
    }

    /// Admits a request that arrived at `now`, or returns the reason to drop it.
    pub(crate) fn admit(&self, peer: &SocketAddr, now: Instant) -> Result<Claim, Refused> {
        let client = self.client(peer);
        let now = self.since(now);
        // The excess requests of one client must not count against all.
        if !self.clients.take(client, now) {
            return Err(Refused::ClientPerSecond);
        }
        if !self.all.take(now) {
            return Err(Refused::PerSecond);
        }
        let most = self.live.client_transfers.load(Relaxed);
        let transfer = self.transfers.take(client, most).ok_or(Refused::ClientTransfers)?;
        let most = self.live.client_pending.load(Relaxed);
        let Some(pending) = self.pending.take(client, most) else {
            self.transfer_ended(transfer);
            return Err(Refused::ClientPending);
        };
        Ok(Claim { transfer, pending })
    }

    /// Returns the state of the limits for one client, without taking a place.
    pub fn standing(&self, peer: &SocketAddr) -> [Standing; 4] {
        let client = self.client(peer);
        let now = self.since(Instant::now());
        let places = |refused: Refused, counts: &ClientCounts, most: u32| Standing {
            limit: refused.key(),
            most: Some(u64::from(most)),
            burst: None,
            taken: Some(counts.taken_by(client)),
            reached: counts.taken_by(client) >= u64::from(most),
        };
        let rate = |refused: Refused, most: Option<u64>, filled: Option<Filled>| Standing {
            limit: refused.key(),
            most,
            burst: filled.map(|filled| filled.burst),
            taken: filled.map(|filled| filled.taken),
            reached: filled.is_some_and(|filled| filled.taken >= filled.burst),
        };
        [
            rate(Refused::ClientPerSecond, self.clients.per_second(), self.clients.filled(client, now)),
            rate(Refused::PerSecond, self.all.per_second(), self.all.filled(now)),
            places(Refused::ClientTransfers, &self.transfers, self.live.client_transfers.load(Relaxed)),
            places(Refused::ClientPending, &self.pending, self.live.client_pending.load(Relaxed)),
        ]
    }

    /// Frees the place of a transfer.
    pub(crate) fn transfer_ended(&self, share: Share) {
        self.transfers.give(share);
    }

    /// Frees the pending place of a decided request.
    pub(crate) fn was_decided(&self, share: Share) {
        self.pending.give(share);
    }

    /// Frees both places of a request that was not admitted after all.
    pub(crate) fn withdrawn(&self, claim: Claim) {
        self.transfer_ended(claim.transfer);
        self.was_decided(claim.pending);
    }

    /// Reserves a place for a datagram on its way to a worker that did not receive it; `None` if too many are.
    pub fn pass(self: &Arc<Self>) -> Option<PassingPlace> {
        let taken = self.passing.fetch_add(1, Relaxed);
        let place = PassingPlace(self.clone());
        (taken < MAX_PASSING).then_some(place)
    }

    /// Returns what is known of the client at this address. `now` is the time of a worker's clock.
    pub(crate) fn known_client(&self, client: IpAddr, now: Time) -> KnownClient {
        self.known_clients.of(self.hasher.hash_one(client), minute(now))
    }

    /// Records what a transfer has learnt of the client at this address.
    pub(crate) fn note_client(&self, client: IpAddr, known: KnownClient, now: Time) {
        if known != KnownClient::default() {
            self.known_clients.note(self.hasher.hash_one(client), known, minute(now));
        }
    }

    /// Returns whether an ERROR may be sent to a peer without a transfer; its address may be spoofed.
    pub(crate) fn may_answer(&self, now: Instant) -> bool {
        self.errors.take(self.since(now))
    }

    /// The limit of half-open transfers, for all workers together.
    pub(crate) fn half_open(&self) -> usize {
        self.live.half_open.load(Relaxed)
    }

    /// The least rate of a transfer in bytes per second; 0 for none.
    pub(crate) fn least_rate(&self) -> u64 {
        self.live.least_rate.load(Relaxed)
    }

    /// The longest duration of a transfer.
    pub(crate) fn max_duration(&self) -> Option<Duration> {
        let limit_ms = self.live.max_duration_ms.load(Relaxed);
        (limit_ms > 0).then(|| Duration::from_millis(limit_ms))
    }

    /// When it was created, before the workers that share it.
    pub(crate) fn began(&self) -> Instant {
        self.began
    }

    fn since(&self, now: Instant) -> u64 {
        u64::try_from(now.saturating_duration_since(self.began).as_nanos()).unwrap_or(u64::MAX / 2)
    }
}

/// Minutes since the start of the server.
fn minute(now: Time) -> u64 {
    now.as_micros() / 60_000_000
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuffet_request::PerSecond;

    fn bounds() -> Bounds {
        Bounds { client_transfers: 3, client_pending: 2, ..Bounds::none() }
    }

    fn peer(last: u8, port: u16) -> SocketAddr {
        ([192, 0, 2, last], port).into()
    }

    #[test]
    fn one_client_has_its_share_whatever_its_ports_and_others_have_theirs() {
        let limiter = Limiter::new(&bounds(), 100, 100);
        let now = Instant::now();
        let first = limiter.admit(&peer(1, 1), now).unwrap();
        let second = limiter.admit(&peer(1, 2), now).unwrap();
        assert_eq!(limiter.admit(&peer(1, 3), now), Err(Refused::ClientPending));
        assert!(limiter.admit(&peer(2, 1), now).is_ok());
        limiter.was_decided(first.pending);
        limiter.was_decided(second.pending);
        let third = limiter.admit(&peer(1, 3), now).unwrap();
        assert_eq!(limiter.admit(&peer(1, 4), now), Err(Refused::ClientTransfers));
        limiter.transfer_ended(first.transfer);
        let fourth = limiter.admit(&peer(1, 4), now).unwrap();
        // A refused request leaves nothing behind.
        limiter.withdrawn(third);
        limiter.withdrawn(fourth);
        limiter.transfer_ended(second.transfer);
        assert_eq!((limiter.transfers.taken(), limiter.pending.taken()), (1, 1), "the other client's");
    }

    #[test]
    fn the_excess_of_one_client_does_not_count_against_all() {
        let rate = |per_second, burst| Some(PerSecond { per_second, burst });
        let limiter = Limiter::new(
            &Bounds { per_second: rate(1, 5), client_per_second: rate(1, 2), ..Bounds::none() },
            1000,
            1000,
        );
        let now = Instant::now();
        for port in 1..=100 {
            let refused = limiter.admit(&peer(1, port), now).err();
            assert_eq!(refused, (port > 2).then_some(Refused::ClientPerSecond));
        }
        let others: Vec<_> = (2..=6).map(|last| limiter.admit(&peer(last, 1), now).err()).collect();
        assert_eq!(others, [None, None, None, Some(Refused::PerSecond), Some(Refused::PerSecond)]);
        let later = now + Duration::from_secs(1);
        assert!(limiter.admit(&peer(1, 200), later).is_ok());
        assert_eq!(limiter.admit(&peer(7, 1), later).err(), Some(Refused::PerSecond));
    }

    #[test]
    fn limits_are_replaced_and_taken_places_stay_counted() {
        let limiter = Limiter::new(&bounds(), 100, 100);
        let now = Instant::now();
        let claims: Vec<_> = (0..2).map(|port| limiter.admit(&peer(1, port), now).unwrap()).collect();
        limiter.replace(&Bounds { client_transfers: 1, client_pending: 50, ipv6_prefix: 128, ..bounds() });
        assert_eq!(limiter.admit(&peer(1, 9), now), Err(Refused::ClientTransfers));
        claims.into_iter().for_each(|claim| limiter.withdrawn(claim));
        assert!(limiter.admit(&peer(1, 9), now).is_ok());
    }

    #[test]
    fn reasons_have_names_of_their_own() {
        for (number, reason) in Refused::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, number);
            assert!(reason.as_str().starts_with("limit-"));
        }
        let mut names = Refused::ALL.map(Refused::as_str);
        names.sort_unstable();
        assert!(names.array_windows().all(|[one, next]| one != next));
    }
}
