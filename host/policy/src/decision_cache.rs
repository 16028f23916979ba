//! The decision cache: equal requests get the same decision.
//!
//! The facts that make requests equal are either configured, with a time to live, or declared in the plugin's manifest;
//! declared ones are valid until the next reload.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tokio::time::{Instant, timeout_at};

use super::answers::{Answer, Labelled};
use super::counters::Counters;
use super::fact_key::key;
use super::failure::{Cause, Failure};
use super::freshness::Freshness;
use tuffet_request::Request;
use tuffet_request::settings::Fact;

/// The capacity of a cache with declared facts.
const DECLARED_ENTRIES: usize = 10_000;

/// The decisions of one hook of one plugin, by the facts that they depend on.
pub struct DecisionCache<A> {
    facts: Vec<Fact>,
    /// `None`: until the next reload.
    ttl: Option<Duration>,
    cache: Cache<Key, CachedDecision<A>, Weight>,
}

/// The facts of a request, encoded so that different facts have different keys.
type Key = Box<[u8]>;

#[derive(Clone)]
struct CachedDecision<A> {
    answer: Labelled<A>,
    /// `None`: until the next reload.
    until: Option<Instant>,
    /// Whether it is for the request alone that it was made for.
    private: bool,
}

impl<A> CachedDecision<A> {
    fn is_stale(&self) -> bool {
        self.private || self.until.is_some_and(|until| until <= Instant::now())
    }
}

#[derive(Clone)]
struct Weight;

impl<A: Answer> Weighter<Key, CachedDecision<A>> for Weight {
    fn weight(&self, _: &Key, decided: &CachedDecision<A>) -> u64 {
        decided.answer.answer.weight()
    }
}

impl<A: Answer> DecisionCache<A> {
    /// A cache as configured: decisions depend on these facts, and are valid for this time.
    pub fn configured(facts: &[Fact], ttl: Duration, entries: usize) -> DecisionCache<A> {
        DecisionCache::new(facts.to_vec(), Some(ttl), entries)
    }

    /// A cache as declared by the plugin: decisions depend on these facts alone.
    pub fn declared(facts: &[Fact]) -> DecisionCache<A> {
        DecisionCache::new(facts.to_vec(), None, DECLARED_ENTRIES)
    }

    fn new(mut facts: Vec<Fact>, ttl: Option<Duration>, entries: usize) -> DecisionCache<A> {
        // An answer to a read request may be invalid for a write request, whatever the plugin depends on.
        if !facts.contains(&Fact::Operation) {
            facts.push(Fact::Operation);
        }
        DecisionCache { facts, ttl, cache: Cache::with_weighter(entries, entries as u64, Weight) }
    }

    /// The number of remembered decisions.
    pub fn count(&self) -> usize {
        self.cache.len()
    }

    /// The key of a request.
    pub(crate) fn key(&self, request: &Request) -> Vec<u8> {
        key(&self.facts, request)
    }

    /// Returns the cached decision for a rehearsal. Without a time to live, the plugin is called instead: it decides
    /// the same, and its log lines are visible.
    pub(crate) fn peek(&self, request: &Request) -> Option<Labelled<A>> {
        self.ttl?;
        let decided = self.cache.peek(&*self.key(request))?;
        (!decided.is_stale()).then_some(decided.answer)
    }

    /// Returns the cached decision, if it is still valid.
    pub(crate) fn get(&self, key: &[u8]) -> Option<Labelled<A>> {
        let decided = self.cache.get(key)?;
        (!decided.is_stale()).then_some(decided.answer)
    }

    /// Returns the cached decision, or the result of `decide`. Of several requests with the same key, one decides and
    /// the others wait for it, at most until `until`. Failures are not cached, and a decision no longer than `freshness`
    /// allows: if that is not at all, those that waited decide, too.
    pub(crate) async fn decide(
        &self,
        key: Vec<u8>,
        counters: &Counters,
        until: Instant,
        freshness: Freshness,
        decide: impl Future<Output = Result<Labelled<A>, Failure>>,
    ) -> Result<Labelled<A>, Failure> {
        let key = key.into_boxed_slice();
        self.cache.remove_if(&key, CachedDecision::is_stale);
        let mut decided_here = false;
        let mut decide = pin!(decide);
        let first = async {
            decided_here = true;
            counters.miss();
            let answer = decide.as_mut().await?;
            let ttl = freshness.bound(self.ttl);
            let until = ttl.and_then(|ttl| Instant::now().checked_add(ttl));
            Ok(CachedDecision { answer, until, private: ttl == Some(Duration::ZERO) })
        };
        let decided = timeout_at(until, self.cache.get_or_insert_async(&key, first)).await;
        let decided = decided.unwrap_or_else(|_| {
            Err(Failure::new(
                Cause::Busy,
                "the time limit of the chain passed while another request waited for the same decision",
            ))
        })?;
        if !decided_here && decided.private {
            counters.miss();
            return decide.await;
        }
        if !decided_here {
            counters.hit();
        }
        Ok(decided.answer)
    }
}
