//! The decision cache: equal requests get the same decision, for a while.

use std::future::Future;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tokio::time::{Instant, timeout_at};

use super::convert::{Found, Opinion, Otherwise, UploadOpinion};
use super::counters::Counters;
use super::failure::{Cause, Failure};
use tuffet_config::{DecisionCacheConfig, Fact};
use tuffet_request::{Denial, Request, SessionProfile, SessionValues};

/// Bytes of content that weigh as much as one decision.
const CONTENT_UNIT: usize = 1024;

/// The decisions of one hook of one plugin, by the facts that they depend on.
pub(super) struct Decisions<O> {
    config: DecisionCacheConfig,
    decided: Cache<Box<str>, Decided<O>, Weight>,
}

#[derive(Clone)]
struct Decided<O> {
    /// `None` if the plugin abstained.
    opinion: Option<O>,
    until: Instant,
}

#[derive(Clone)]
struct Weight;

/// The weight of a decision, in units of one plain decision.
pub(super) trait Weighty {
    fn weight(&self) -> u64;
    /// The decision in one word, for traces.
    fn word(&self) -> &'static str;
    /// What there is to say beside the word.
    fn detail(&self) -> String;
}

impl Weighty for Opinion {
    fn weight(&self) -> u64 {
        1
    }

    fn word(&self) -> &'static str {
        match self {
            Opinion::Allow(_) => "allow",
            Opinion::Deny(_) => "deny",
            Opinion::Drop => "drop",
        }
    }

    fn detail(&self) -> String {
        match self {
            Opinion::Allow(profile) => profile_of(profile),
            Opinion::Deny(denial) => reason_of(denial),
            Opinion::Drop => String::new(),
        }
    }
}

impl Weighty for UploadOpinion {
    fn weight(&self) -> u64 {
        1
    }

    fn word(&self) -> &'static str {
        match self {
            UploadOpinion::Accept => "accept",
            UploadOpinion::Rename(_) => "rename",
            UploadOpinion::Deny(_) => "deny",
        }
    }

    fn detail(&self) -> String {
        match self {
            UploadOpinion::Accept => String::new(),
            UploadOpinion::Rename(path) => path.clone(),
            UploadOpinion::Deny(denial) => reason_of(denial),
        }
    }
}

impl Weighty for Found {
    fn weight(&self) -> u64 {
        match self {
            Found::Content(content) => 1 + (content.len() / CONTENT_UNIT) as u64,
            Found::Files { files, .. } => 1 + (files.len() / 8) as u64,
            Found::Deny(_) => 1,
        }
    }

    fn word(&self) -> &'static str {
        match self {
            Found::Files { otherwise: Otherwise::NotFound, .. } => "files",
            Found::Files { otherwise: Otherwise::Next, .. } => "files-else-next",
            Found::Content(_) => "content",
            Found::Deny(_) => "deny",
        }
    }

    fn detail(&self) -> String {
        match self {
            Found::Files { files, .. } => {
                let places = files.iter().map(|file| format!("{}:{}", file.root, file.path));
                places.collect::<Vec<_>>().join(", ")
            }
            Found::Content(content) => format!("{} bytes", content.len()),
            Found::Deny(denial) => reason_of(denial),
        }
    }
}

fn profile_of(profile: &SessionProfile) -> String {
    let each = |values: &SessionValues, word: &str| {
        values.iter().map(|(name, value)| format!("{name} {word} {value}")).collect::<Vec<_>>()
    };
    let mut parts = each(&profile.ceilings, "at most");
    parts.extend(profile.bytes.map(|bytes| format!("bytes at most {bytes}")));
    parts.extend(each(&profile.floors, "at least"));
    parts.extend(each(&profile.overrides, "overridden with"));
    parts.extend(profile.burst.map(|burst| format!("burst {burst}")));
    parts.extend(profile.refused.names().map(|name| format!("no {name}")));
    parts.join(", ")
}

fn reason_of(denial: &Denial) -> String {
    if denial.reason.is_empty() { denial.message.clone() } else { denial.reason.clone() }
}

impl<O: Weighty> Weighter<Box<str>, Decided<O>> for Weight {
    fn weight(&self, _: &Box<str>, decided: &Decided<O>) -> u64 {
        decided.opinion.as_ref().map_or(1, Weighty::weight)
    }
}

impl<O: Weighty + Clone> Decisions<O> {
    pub fn new(config: &DecisionCacheConfig) -> Decisions<O> {
        let decided = Cache::with_weighter(config.entries, config.entries as u64, Weight);
        Decisions { config: config.clone(), decided }
    }

    /// The number of remembered decisions.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.decided.len()
    }

    /// The decision of before, if there is one that still holds.
    pub fn peek(&self, request: &Request) -> Option<Option<O>> {
        let decided = self.decided.peek(&*key(&self.config.key, request))?;
        (decided.until > Instant::now()).then_some(decided.opinion)
    }

    /// The decision of before, or the one that `decide` comes to. Of several that ask the same at once one
    /// decides and the others wait for it, at most until `until`. Failures are not remembered.
    pub async fn get(
        &self,
        request: &Request,
        counters: &Counters,
        until: Instant,
        decide: impl Future<Output = Result<Option<O>, Failure>>,
    ) -> Result<Option<O>, Failure> {
        let key = key(&self.config.key, request);
        let stale = |decided: &Decided<O>| decided.until <= Instant::now();
        self.decided.remove_if(&*key, stale);
        let mut decided_here = false;
        let decide = async {
            decided_here = true;
            counters.miss();
            let opinion = decide.await?;
            Ok(Decided { opinion, until: Instant::now() + self.config.ttl })
        };
        let decided = timeout_at(until, self.decided.get_or_insert_async(&key, decide)).await;
        let decided = decided.unwrap_or_else(|_| {
            Err(Failure::new(
                Cause::Busy,
                "the time of the chain was over while another request waited for the same decision",
            ))
        })?;
        if !decided_here {
            counters.hit();
        }
        Ok(decided.opinion)
    }
}

/// The facts, with nothing in them that could be taken for the end of one: no name and no option of a
/// request has a NUL in it.
fn key(facts: &[Fact], request: &Request) -> Box<str> {
    use std::fmt::Write;
    let mut key = String::with_capacity(64);
    for fact in facts.iter() {
        let written = match fact {
            Fact::Operation => write!(key, "{}", request.operation),
            Fact::Mode => write!(key, "{:?}", request.mode),
            Fact::Listener => write!(key, "{}", request.listener),
            Fact::Address => write!(key, "{}", request.client.ip().to_canonical()),
            Fact::Port => write!(key, "{}", request.client.port()),
            Fact::Mac => {
                request.macs.iter().try_for_each(|mac| write!(key, "{:?}={}\0", mac.source, mac.address))
            }
            Fact::Class => write!(key, "{}", request.class),
            Fact::Requested => write!(key, "{}", request.requested),
            Fact::Path => write!(key, "{}", request.path),
            Fact::Options => {
                request.options.iter().try_for_each(|(name, value)| write!(key, "{name}\0{value}\0"))
            }
        };
        debug_assert!(written.is_ok(), "a string takes everything");
        key.push('\0');
    }
    key.into_boxed_str()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuffet_request::{ClientClass, MacAddress, MacFact, MacSource, Mode, Operation};

    fn request() -> Request {
        Request { requested: "/a".into(), ..Request::sample("a") }
    }

    #[test]
    fn each_fact_tells_requests_apart_and_no_other_does() {
        let mac = MacFact { address: MacAddress([2; 6]), source: MacSource::RequestedName };
        let plain = ClientClass::guess(Operation::Read, "a", &[]);
        let changed = [
            (Fact::Operation, Request { operation: Operation::Write, ..request() }),
            (Fact::Mode, Request { mode: Mode::Netascii, ..request() }),
            (Fact::Listener, Request { listener: "wan".into(), ..request() }),
            (
                Fact::Address,
                Request { client: "192.0.2.2:2000".parse().unwrap_or(request().client), ..request() },
            ),
            (
                Fact::Port,
                Request { client: "192.0.2.1:2001".parse().unwrap_or(request().client), ..request() },
            ),
            (Fact::Mac, Request { macs: vec![mac], ..request() }),
            (Fact::Class, Request { class: plain, ..request() }),
            (Fact::Requested, Request { requested: "//a".into(), ..request() }),
            (Fact::Path, Request { path: "b".into(), ..request() }),
            (Fact::Options, Request { options: vec![("blksize".into(), "8".into())], ..request() }),
        ];
        for (fact, _) in &changed {
            let facts = [*fact];
            for (other, changed) in &changed {
                let same = key(&facts, changed) == key(&facts, &request());
                assert_eq!(same, fact != other, "{fact:?} of a request with another {other:?}");
            }
        }
    }

    #[test]
    fn neighbouring_facts_do_not_run_together() {
        let facts = [Fact::Listener, Fact::Path];
        let one = Request { listener: "a".into(), path: "bc".into(), ..request() };
        let other = Request { listener: "ab".into(), path: "c".into(), ..request() };
        assert_ne!(key(&facts, &one), key(&facts, &other));
    }
}
