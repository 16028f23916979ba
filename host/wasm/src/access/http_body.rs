//! The body of an answer to a plugin: only its end shows that the host has answered, and that what the plugin makes of it
//! may be kept.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use http_body::{Body, Frame, SizeHint};
use parking_lot::Mutex;
use wasmtime_wasi_http::{Error, WasiBody};

use tuffet_policy::{Breaker, BreakerChange, Freshness, Permit};

/// What waits for the end of a body.
pub(super) struct Watch {
    /// That of the request; a rehearsal has none.
    pub permit: Option<Permit<Arc<Breaker>>>,
    /// Logs a change of the breaker.
    pub report: Box<dyn FnOnce(Option<BreakerChange>) + Send>,
    /// How long the answer of the call may be kept, if it may be kept at all.
    pub freshness: Option<Freshness>,
    pub reading: Reading,
}

/// How far the plugin has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// Status and headers alone.
    Head,
    /// Some of the body, maybe.
    Begun,
    /// The plugin waits for the host.
    Waits,
}

/// The watch of one body: with the body, and with the call that reads it, which may end before a plugin drops the body.
#[derive(Clone, Default)]
pub(super) struct Watched(Arc<Mutex<Option<Watch>>>);

impl Watched {
    /// Returns the body whose end is waited for from now on.
    pub fn body(self, body: WasiBody, watch: Watch) -> WatchedBody {
        *self.0.lock() = Some(watch);
        let body = WatchedBody { body, watched: self };
        if body.is_end_stream() {
            body.watched.end(true);
        }
        body
    }

    /// The body has ended, or is broken.
    fn end(&self, whole: bool) {
        if let Some(watch) = self.0.lock().take() {
            watch.settle(whole, whole);
        }
    }

    /// The reading has ended. A plugin that waited for the host has given up. Otherwise it needs no more, and the host has
    /// answered; but an answer of which a part is missing is for this request alone.
    pub fn abandon(&self) {
        if let Some(watch) = self.0.lock().take() {
            let reading = watch.reading;
            watch.settle(reading != Reading::Waits, reading == Reading::Head);
        }
    }

    fn note(&self, reading: Reading) {
        if let Some(watch) = &mut *self.0.lock() {
            watch.reading = reading;
        }
    }
}

impl Watch {
    /// Reports whether the host has answered, and whether the answer of the call may be kept as the headers say.
    fn settle(self, answered: bool, keeps: bool) {
        let change = self
            .permit
            .and_then(|permit| if answered { permit.succeeded() } else { permit.failed(Instant::now()) });
        (self.report)(change);
        if let Some(freshness) = self.freshness.filter(|_| !keeps) {
            freshness.limit(Duration::ZERO);
        }
    }
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watched").finish_non_exhaustive()
    }
}

/// The body of an answer.
pub(super) struct WatchedBody {
    body: WasiBody,
    watched: Watched,
}

impl Body for WatchedBody {
    type Data = <WasiBody as Body>::Data;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        match &frame {
            Poll::Pending => self.watched.note(Reading::Waits),
            Poll::Ready(None) => self.watched.end(true),
            Poll::Ready(Some(Err(_))) => self.watched.end(false),
            // Whoever knows the length, or has the trailers, may not ask for more.
            Poll::Ready(Some(Ok(frame))) if frame.is_trailers() || self.body.is_end_stream() => {
                self.watched.end(true);
            }
            Poll::Ready(Some(Ok(_))) => self.watched.note(Reading::Begun),
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for WatchedBody {
    fn drop(&mut self) {
        self.watched.abandon();
    }
}

#[cfg(test)]
mod tests {
    use super::super::http::{BodyFuture, HttpFuture};
    use super::super::http_host::{GrantedHost, HttpCaller};
    use super::*;
    use bytes::Bytes;
    use futures_util::StreamExt;
    use futures_util::future::poll_immediate;
    use futures_util::stream::{iter, pending};
    use http::Response;
    use http_body_util::{BodyExt, Empty, StreamBody};
    use tuffet_policy::BreakerLimits;
    use tuffet_request::ClientKey;

    const SECOND: Duration = Duration::from_secs(1);

    /// An answer that may be kept for a minute, of a host that is away after one failure.
    struct Exchange {
        host: Arc<GrantedHost>,
        freshness: Freshness,
        watched: Watched,
        body: WasiBody,
    }

    async fn exchange(host: &Arc<GrantedHost>, body: WasiBody) -> Exchange {
        let (freshness, watched) = (Freshness::default(), Watched::default());
        let caller = HttpCaller { freshness: Some(freshness.clone()), ..HttpCaller::SERVER };
        let answer = Response::builder().header("cache-control", "max-age=60").body(body).unwrap();
        let answer: HttpFuture = Box::new(async { Ok((answer, Box::new(async { Ok(()) }) as BodyFuture)) });
        let sent = Arc::clone(host).send("it".into(), caller, watched.clone(), answer).await;
        Exchange { host: Arc::clone(host), freshness, watched, body: sent.unwrap().0.into_body() }
    }

    fn host() -> Arc<GrantedHost> {
        let limits = BreakerLimits { failures: 1, back_off: SECOND, cap: SECOND };
        GrantedHost::new("a.example".parse().unwrap(), limits)
    }

    fn data() -> Result<Frame<Bytes>, Error> {
        Ok(Frame::data(Bytes::from_static(b"half")))
    }

    /// An answer of these frames, whose end comes if `ends`.
    async fn answer<const N: usize>(frames: [Result<Frame<Bytes>, Error>; N], ends: bool) -> Exchange {
        let rest = pending().take(if ends { 0 } else { 1 });
        exchange(&host(), StreamBody::new(iter(frames).chain(rest)).boxed_unsync()).await
    }

    impl Exchange {
        /// Reads for as long as something is there.
        async fn read(&mut self) {
            while let Some(Some(Ok(_))) = poll_immediate(self.body.frame()).await {}
        }

        /// Whether the host counts as away, and for how many seconds the answer may be kept.
        fn result(&self) -> (bool, u64) {
            let longest = self.freshness.longest().unwrap_or_default();
            (self.host.breaker.is_open(), longest.as_secs())
        }
    }

    #[tokio::test]
    async fn a_whole_body_is_an_answer() {
        let mut it = answer([data(), data()], true).await;
        it.read().await;
        it.body = WasiBody::default();
        assert_eq!(it.result(), (false, 60));
    }

    #[tokio::test]
    async fn a_body_that_breaks_is_none() {
        let mut it = answer([data(), Err(Error::ConnectionTerminated)], true).await;
        it.read().await;
        assert_eq!(it.result(), (true, 0));
    }

    #[tokio::test]
    async fn nor_is_one_that_the_plugin_waited_for_in_vain() {
        let mut it = answer([data()], false).await;
        it.read().await;
        assert_eq!(it.result(), (false, 60), "it may go on");
        it.body = WasiBody::default();
        assert_eq!(it.result(), (true, 0));
    }

    /// A plugin with a garbage collector drops it some time later.
    #[tokio::test]
    async fn the_end_of_the_call_is_the_end_of_its_bodies() {
        let mut it = answer([], false).await;
        it.read().await;
        it.watched.abandon();
        assert_eq!(it.result(), (true, 0));
    }

    #[tokio::test]
    async fn what_a_plugin_does_not_need_is_no_failure() {
        let it = answer([data()], false).await;
        it.watched.abandon();
        assert_eq!(it.result(), (false, 60));
        let mut it = answer([data()], false).await;
        assert!(it.body.frame().await.is_some());
        it.watched.abandon();
        assert_eq!(it.result(), (false, 0), "what follows from a part is no answer for others");
    }

    /// The next probe need not wait until a plugin drops an answer without content.
    #[tokio::test]
    async fn an_empty_body_ends_with_its_head() {
        let host = host();
        let permit = host.breaker.owned_permit(Instant::now(), ClientKey::SERVER).unwrap();
        permit.failed(Instant::now().checked_sub(2 * SECOND).unwrap());
        assert!(host.breaker.is_open());
        let it = exchange(&host, Empty::new().map_err(|never| match never {}).boxed_unsync()).await;
        assert_eq!(it.result(), (false, 60));
    }
}
