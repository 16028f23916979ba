//! A host that a plugin may send HTTP requests to, and the breaker that spares calls the wait for one that is away.

use std::sync::Arc;
use std::time::{Duration, Instant};

use http::HeaderMap;
use http::header::{AGE, CACHE_CONTROL, HeaderName};
use http_body_util::BodyExt;
use wasmtime_wasi_http::Error;

use super::http::{HttpAnswer, HttpFuture};
use super::http_body::{Reading, Watch, Watched};
use tuffet_config::HttpHost;
use tuffet_policy::{Breaker, BreakerChange, BreakerLimits, Freshness};
use tuffet_request::ClientKey;

/// Longer times in `Cache-Control` count as this: RFC 9111 section 1.2.2.
const LONGEST: Duration = Duration::from_secs(1 << 31);

/// A granted host.
#[derive(Debug)]
pub(crate) struct GrantedHost {
    pub host: HttpHost,
    /// As that of the plugin, but for requests to this host alone: a plugin that answers although its host is away has not
    /// failed, and would have each of its clients wait for the host.
    pub(super) breaker: Arc<Breaker>,
}

/// The call that a request is part of.
#[derive(Debug, Clone)]
pub(crate) struct HttpCaller {
    pub client: ClientKey,
    /// Whether the call is a rehearsal, which changes no breaker.
    pub rehearses: bool,
    /// How long the answer of the call may be kept, if it may be kept at all.
    pub freshness: Option<Freshness>,
}

impl HttpCaller {
    /// A call by the server itself.
    pub const SERVER: HttpCaller =
        HttpCaller { client: ClientKey::SERVER, rehearses: false, freshness: None };
}

impl GrantedHost {
    pub fn new(host: HttpHost, breaker: BreakerLimits) -> Arc<GrantedHost> {
        Arc::new(GrantedHost { host, breaker: Arc::new(Breaker::new(breaker)) })
    }

    /// Has `answer` sent, unless the breaker is open. Notes how long the answer may be kept. `watched` watches its body.
    pub(super) async fn send(
        self: Arc<Self>,
        plugin: Arc<str>,
        caller: HttpCaller,
        watched: Watched,
        answer: HttpFuture,
    ) -> Result<HttpAnswer, Error> {
        let permit = if caller.rehearses {
            self.breaker.refusal(Instant::now()).map_or(Ok(None), Err)
        } else {
            self.breaker.owned_permit(Instant::now(), caller.client).map(Some)
        };
        let freshness = caller.freshness;
        let limit = |time| freshness.iter().for_each(|freshness| freshness.limit(time));
        let permit = permit.map_err(|refusal| {
            limit(Duration::ZERO);
            Error::InternalError(Some(format!("{}: {refusal}", self.host)))
        })?;
        match Box::into_pin(answer).await {
            Ok((answer, rest)) => {
                // An error of the server is not its answer for later requests, unless it says so.
                let its = lasts(answer.headers());
                let otherwise = answer.status().is_server_error().then_some(Duration::ZERO);
                its.or(otherwise).into_iter().for_each(limit);
                let report = Box::new(move |change| self.report(&plugin, change));
                let watch = Watch { permit, report, freshness, reading: Reading::Head };
                let answer = answer.map(|body| watched.body(body, watch).boxed_unsync());
                Ok((answer, rest))
            }
            Err(error) => {
                limit(Duration::ZERO);
                self.report(&plugin, permit.and_then(|permit| permit.failed(Instant::now())));
                Err(error)
            }
        }
    }

    /// Logs a change of the breaker.
    fn report(&self, plugin: &str, change: Option<BreakerChange>) {
        let host = &self.host;
        match change {
            Some(BreakerChange::Opened(back_off)) => tracing::error!(
                target: "tuffet::policy", plugin, failure = "repeated",
                "HTTP requests of a plugin to {host} failed for too many clients in a row: they fail at once for \
                 {back_off:?}, then single ones try it"
            ),
            Some(BreakerChange::Closed) => tracing::info!(
                target: "tuffet::policy", plugin, "{host} answers HTTP requests of a plugin again"
            ),
            None => {}
        }
    }
}

/// How long an answer may be kept for other requests, as a shared cache does: RFC 9111 section 4.2. `None` if it does not
/// say.
fn lasts(headers: &HeaderMap) -> Option<Duration> {
    let texts = |name: HeaderName| headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    let directives = || texts(CACHE_CONTROL).flat_map(|value| value.split(',')).map(str::trim);
    let is = |directive: &str, name: &str| {
        directive.split('=').next().is_some_and(|its| its.trim().eq_ignore_ascii_case(name))
    };
    if ["no-store", "no-cache", "private"].iter().any(|name| directives().any(|its| is(its, name))) {
        return Some(Duration::ZERO);
    }
    let time = ["s-maxage", "max-age"].iter().find_map(|name| directives().find(|its| is(its, name)))?;
    // A time that is no number has passed: section 4.2.1.
    let seconds = time.split('=').nth(1).map_or("", |seconds| seconds.trim().trim_matches('"'));
    let is_number = !seconds.is_empty() && seconds.bytes().all(|byte| byte.is_ascii_digit());
    let seconds = if is_number { seconds.parse().unwrap_or(u64::MAX) } else { 0 };
    let age = texts(AGE).find_map(|age| age.trim().parse().ok()).unwrap_or(0);
    Some(Duration::from_secs(seconds).min(LONGEST).saturating_sub(Duration::from_secs(age)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_long_an_answer_lasts() {
        for (lines, seconds) in [
            (&[][..], None),
            (&[("cache-control", "public")], None),
            (&[("cache-control", "max-age=60")], Some(60)),
            (&[("cache-control", "public, Max-Age = \"60\"")], Some(60)),
            (&[("cache-control", "max-age=60, s-maxage=5")], Some(5)),
            (&[("cache-control", "max-age=60"), ("cache-control", "no-store")], Some(0)),
            (&[("cache-control", "private, max-age=60")], Some(0)),
            (&[("cache-control", "no-cache=\"x\"")], Some(0)),
            (&[("cache-control", "max-age=-1")], Some(0)),
            (&[("cache-control", "max-age")], Some(0)),
            (&[("cache-control", "max-age=99999999999999999999999")], Some(1 << 31)),
            (&[("cache-control", "max-age=60"), ("age", "20")], Some(40)),
            (&[("cache-control", "max-age=60"), ("age", "99")], Some(0)),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in lines {
                headers.append(*name, value.parse().unwrap());
            }
            assert_eq!(lasts(&headers), seconds.map(Duration::from_secs), "{lines:?}");
        }
    }
}
