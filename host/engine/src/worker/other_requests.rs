//! Admits requests that no worker serves, those of other protocols: they count against the same limits.

use super::clock::Clock;
use super::counters::{Counters, PublishedCounters, Reports};
use super::ticket::SummaryPermit;
use crate::limits::{Claim, Limiter, Refused};
use parking_lot::Mutex;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;
use tokio::sync::{Notify, mpsc};
use tuffet_core::Time;
use tuffet_request::events::Ended;

/// Admits requests of other protocols.
pub struct OtherRequests {
    limiter: Arc<Limiter>,
    clock: Clock,
    /// The limits of `Capacity`, for these requests alone: workers have tables of a fixed size.
    most_transfers: usize,
    most_pending: usize,
    transfers: AtomicUsize,
    /// Notified when none is left.
    idle: Notify,
    pending: AtomicUsize,
    counted: Mutex<(Counters, Reports)>,
    published: Arc<PublishedCounters>,
}

/// The places of an admitted request, free again when it is dropped.
pub struct OtherPlace {
    of: Arc<OtherRequests>,
    claim: Claim,
    is_pending: bool,
}

impl OtherRequests {
    /// Admits at most `transfers` at once, and `pending` undecided ones.
    pub fn new(
        limiter: Arc<Limiter>,
        transfers: usize,
        pending: usize,
        published: Arc<PublishedCounters>,
    ) -> Arc<OtherRequests> {
        let clock = Clock::since(limiter.began());
        Arc::new(OtherRequests {
            limiter,
            clock,
            most_transfers: transfers,
            most_pending: pending,
            transfers: AtomicUsize::new(0),
            idle: Notify::new(),
            pending: AtomicUsize::new(0),
            counted: Mutex::default(),
            published,
        })
    }

    /// The present on the clock of the workers, with which requests share rates.
    pub fn now(&self) -> Time {
        self.clock.now()
    }

    /// Admits a request, with a place for its end in `summaries`.
    ///
    /// # Errors
    /// The limit that was reached, as settings are named. It is counted, and reported by [`OtherRequests::report`].
    pub fn admit(
        self: &Arc<Self>,
        peer: &SocketAddr,
        summaries: &mpsc::Sender<Ended>,
    ) -> Result<(OtherPlace, SummaryPermit), String> {
        let now = Instant::now();
        self.places(peer, now, summaries).map_err(|refused| {
            self.published.note_refused(refused, peer.ip(), now);
            let (counters, reports) = &mut *self.counted.lock();
            counters.refused[refused as usize] += 1;
            reports.publish(*counters, 0, &self.published);
            refused.limit(self.limiter.names())
        })
    }

    fn places(
        self: &Arc<Self>,
        peer: &SocketAddr,
        now: Instant,
        summaries: &mpsc::Sender<Ended>,
    ) -> Result<(OtherPlace, SummaryPermit), Refused> {
        if self.pending.load(Relaxed) >= self.most_pending {
            return Err(Refused::Pending);
        }
        let claim = self.limiter.admit(peer, now)?;
        let transfers = self.transfers.fetch_add(1, Relaxed);
        self.pending.fetch_add(1, Relaxed);
        let place = OtherPlace { of: Arc::clone(self), claim, is_pending: true };
        if transfers >= self.most_transfers {
            return Err(Refused::Transfers);
        }
        let permit = summaries.clone().try_reserve_owned().map_err(|_| Refused::Events)?;
        Ok((place, permit))
    }

    /// Waits until no request has a place.
    pub async fn idle(&self) {
        loop {
            let idle = self.idle.notified();
            if self.transfers.load(Relaxed) == 0 {
                return;
            }
            idle.await;
        }
    }

    /// Reports what was refused since the last report, if one is due. Call it each second.
    pub fn report(&self) {
        let due = {
            let (counters, reports) = &mut *self.counted.lock();
            reports.due(*counters, self.now())
        };
        if let Some(news) = due {
            news.log(None, &self.published, self.limiter.names());
        }
    }
}

impl OtherPlace {
    /// Frees what an undecided request takes.
    pub fn decided(&mut self) {
        if std::mem::take(&mut self.is_pending) {
            self.of.pending.fetch_sub(1, Relaxed);
            self.of.limiter.was_decided(self.claim.pending);
        }
    }

    /// What has admitted it.
    pub fn admitted_by(&self) -> &Arc<OtherRequests> {
        &self.of
    }
}

impl Drop for OtherPlace {
    fn drop(&mut self) {
        self.decided();
        if self.of.transfers.fetch_sub(1, Relaxed) == 1 {
            self.of.idle.notify_waiters();
        }
        self.of.limiter.transfer_ended(self.claim.transfer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuffet_request::Bounds;

    fn peer(last: u8) -> SocketAddr {
        ([192, 0, 2, last], 80).into()
    }

    #[test]
    fn requests_take_places_of_all_and_of_their_client_and_give_them_back() {
        let bounds = Bounds { client_transfers: 2, client_pending: 2, ..Bounds::none() };
        let limiter = Arc::new(Limiter::new(&bounds, 100, 100));
        let requests = OtherRequests::new(Arc::clone(&limiter), 3, 3, Arc::default());
        let (summaries, _ended) = mpsc::channel(4);
        let admit = |last| requests.admit(&peer(last), &summaries).map(|(place, _)| place);
        let mut first = admit(1).expect("a place");
        let _second = admit(1).expect("a place");
        assert!(admit(1).is_err());
        let third = admit(2).expect("a place");
        assert!(admit(3).is_err());
        first.decided();
        assert!(admit(3).is_err());
        drop(third);
        assert!(admit(3).is_ok());
        // Requests by TFTP find the places of the client taken.
        assert!(limiter.standing(&peer(1)).iter().any(|its| its.taken == Some(2) && its.reached));
        drop(first);
        assert!(admit(1).is_ok());
        let refused: Vec<_> =
            requests.published.by_reason().into_iter().filter(|(_, count)| *count > 0).collect();
        let each = ["limit-transfers", "limit-pending", "limit-client-transfers"].map(|name| (name, 1));
        assert_eq!(refused, each);
        assert_eq!(requests.published.refused_clients().len(), 3);
    }

    #[test]
    fn a_request_needs_a_place_for_its_end() {
        let limiter = Arc::new(Limiter::new(&Bounds::none(), 100, 100));
        let requests = OtherRequests::new(limiter, 10, 10, Arc::default());
        let (summaries, _ended) = mpsc::channel(1);
        let held = requests.admit(&peer(1), &summaries).expect("a place");
        assert!(requests.admit(&peer(2), &summaries).is_err_and(|limit| limit.contains("outcomes")));
        drop(held);
        assert!(requests.admit(&peer(2), &summaries).is_ok());
    }
}
