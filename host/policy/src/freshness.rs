//! How long an answer may be kept that a plugin has from elsewhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The longest time that the answer of a call may be kept, in whole seconds. The answers of HTTP servers that a call gets
/// shorten it; whoever keeps the answer of the call reads it afterwards.
#[derive(Debug, Clone)]
pub struct Freshness(Arc<AtomicU64>);

impl Default for Freshness {
    /// Without a limit.
    fn default() -> Self {
        Freshness(Arc::new(AtomicU64::new(u64::MAX)))
    }
}

impl Freshness {
    /// Shortens it to at most this. Zero: the answer is for this request alone.
    pub fn limit(&self, longest: Duration) {
        self.0.fetch_min(longest.as_secs(), Ordering::Relaxed);
    }

    /// Returns it; `None` without a limit.
    pub fn longest(&self) -> Option<Duration> {
        match self.0.load(Ordering::Relaxed) {
            u64::MAX => None,
            seconds => Some(Duration::from_secs(seconds)),
        }
    }

    /// Returns the shorter of this and `ttl`, which is `None` without a limit.
    pub(crate) fn bound(&self, ttl: Option<Duration>) -> Option<Duration> {
        self.longest().into_iter().chain(ttl).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_counts() {
        let [ten, five] = [10, 5].map(Duration::from_secs);
        let freshness = Freshness::default();
        assert_eq!([freshness.bound(None), freshness.bound(Some(ten))], [None, Some(ten)]);
        freshness.clone().limit(five);
        freshness.limit(ten);
        assert_eq!([freshness.bound(None), freshness.bound(Some(ten))], [Some(five); 2]);
        freshness.limit(Duration::ZERO);
        assert_eq!(freshness.bound(Some(ten)), Some(Duration::ZERO));
    }
}
