//! The decision cache: equal requests get the same decision.
//!
//! The operator names the facts that make requests equal, for some time; or the plugin's manifest names all facts that
//! its decisions depend on, and they hold for the generation.

use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tokio::time::{Instant, timeout_at};

use super::content::PluginContent;
use super::counters::Counters;
use super::fact::Fact;
use super::failure::{Cause, Failure};
use super::opinion::{Found, Opinion, Otherwise, Selection, UploadOpinion};
use super::text::one_line;
use tuffet_request::{
    Denial, Lease, LeaseFact, MacSource, Mode, Operation, Request, SessionProfile, SessionValues,
};

/// Bytes of content that weigh as much as one decision.
const CONTENT_UNIT: u64 = 1024;

/// Decisions of one hook that are cached because the manifest names what they depend on.
const DECLARED_ENTRIES: usize = 10_000;

/// The decisions of one hook of one plugin, by the facts that they depend on.
pub struct Decisions<O> {
    facts: Vec<Fact>,
    /// `None` if they hold for the generation.
    ttl: Option<Duration>,
    decided: Cache<Key, Decided<O>, Weight>,
}

/// The facts of a request, encoded so that different facts have different keys.
type Key = Box<[u8]>;

#[derive(Clone)]
struct Decided<O> {
    /// `None` if the plugin abstained.
    opinion: Option<O>,
    /// `None` if it holds for the generation.
    until: Option<Instant>,
}

impl<O> Decided<O> {
    fn is_stale(&self) -> bool {
        self.until.is_some_and(|until| until <= Instant::now())
    }
}

#[derive(Clone)]
struct Weight;

/// A decision that can be cached and shown.
pub trait Weighty {
    /// Its weight in the cache, in units of one plain decision.
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
            Opinion::Drop(_) => "drop",
        }
    }

    fn detail(&self) -> String {
        match self {
            Opinion::Allow(profile) => profile_of(profile),
            Opinion::Deny(denial) => reason_of(denial),
            Opinion::Drop(reason) => reason.clone(),
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
            UploadOpinion::Rename(to) if to.next_free => format!("{}, or the next free name", to.path),
            UploadOpinion::Rename(to) => to.path.clone(),
            UploadOpinion::Deny(denial) => reason_of(denial),
        }
    }
}

impl Weighty for Found {
    fn weight(&self) -> u64 {
        match self {
            Found::Serve(Selection { files, otherwise, .. }) => {
                let content = match otherwise {
                    Otherwise::Content(content) => content.len() / CONTENT_UNIT,
                    Otherwise::NotFound | Otherwise::Next | Otherwise::Rendering(_) => 0,
                };
                1 + (files.len() / 8) as u64 + content
            }
            Found::Deny(_) | Found::Drop(_) => 1,
        }
    }

    fn word(&self) -> &'static str {
        match self {
            Found::Serve(Selection { files, otherwise, .. }) => match otherwise {
                Otherwise::NotFound => "files",
                Otherwise::Next => "files-else-next",
                Otherwise::Content(_) if files.is_empty() => "content",
                Otherwise::Content(_) => "files-else-content",
                Otherwise::Rendering(_) if files.is_empty() => "rendered",
                Otherwise::Rendering(_) => "files-else-rendered",
            },
            Found::Deny(_) => "deny",
            Found::Drop(_) => "drop",
        }
    }

    fn detail(&self) -> String {
        match self {
            Found::Serve(Selection { files, otherwise, profile }) => {
                let mut parts: Vec<String> =
                    files.iter().map(|file| format!("{}:{}", file.root, file.path)).collect();
                match otherwise {
                    Otherwise::NotFound | Otherwise::Next => {}
                    Otherwise::Content(content) => parts.push(content_of(content)),
                    Otherwise::Rendering(key) => parts.push(one_line(key, 200)),
                }
                let profile = profile.as_ref().map(profile_of).filter(|profile| !profile.is_empty());
                parts.extend(profile);
                parts.join(", ")
            }
            Found::Deny(denial) => reason_of(denial),
            Found::Drop(reason) => reason.clone(),
        }
    }
}

fn content_of(content: &PluginContent) -> String {
    match (content.len(), content.name()) {
        (bytes, None) => format!("{bytes} bytes"),
        (bytes, Some(name)) => format!("{bytes} bytes, {name}"),
    }
}

/// The end of a rendering that did not fail.
impl Weighty for Result<Arc<PluginContent>, Denial> {
    fn weight(&self) -> u64 {
        1
    }

    fn word(&self) -> &'static str {
        if self.is_ok() { "content" } else { "deny" }
    }

    fn detail(&self) -> String {
        match self {
            Ok(content) => content_of(content),
            Err(denial) => reason_of(denial),
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
    parts.extend(profile.rate.map(|rate| format!("rate at most {rate}")));
    parts.extend(profile.refused.names().map(|name| format!("no {name}")));
    parts.join(", ")
}

fn reason_of(denial: &Denial) -> String {
    if denial.reason.is_empty() { denial.message.clone() } else { denial.reason.clone() }
}

impl<O: Weighty> Weighter<Key, Decided<O>> for Weight {
    fn weight(&self, _: &Key, decided: &Decided<O>) -> u64 {
        decided.opinion.as_ref().map_or(1, Weighty::weight)
    }
}

impl<O: Weighty + Clone> Decisions<O> {
    /// A cache of decisions that depend on these facts, in the operator's word, and that hold for this time.
    pub fn configured(facts: &[Fact], ttl: Duration, entries: usize) -> Decisions<O> {
        Decisions::new(facts.to_vec(), Some(ttl), entries)
    }

    /// A cache of decisions that depend on these facts and on nothing else.
    pub fn declared(facts: &[Fact]) -> Decisions<O> {
        Decisions::new(facts.to_vec(), None, DECLARED_ENTRIES)
    }

    fn new(mut facts: Vec<Fact>, ttl: Option<Duration>, entries: usize) -> Decisions<O> {
        // An answer to a read request may be none to a write request, whatever the plugin looks at.
        if !facts.contains(&Fact::Operation) {
            facts.push(Fact::Operation);
        }
        Decisions { facts, ttl, decided: Cache::with_weighter(entries, entries as u64, Weight) }
    }

    /// The number of remembered decisions.
    pub fn count(&self) -> usize {
        self.decided.len()
    }

    /// The key of a request.
    pub(crate) fn key(&self, request: &Request) -> Vec<u8> {
        key(&self.facts, request)
    }

    /// Returns the cached decision for a request that is only explained. One that holds for the generation would hide
    /// the log lines of the plugin, which comes to the same one if it is called.
    pub(crate) fn peek(&self, request: &Request) -> Option<Option<O>> {
        self.ttl?;
        let decided = self.decided.peek(&*self.key(request))?;
        (!decided.is_stale()).then_some(decided.opinion)
    }

    /// Returns the cached decision, if there is one that still holds.
    pub(crate) fn known(&self, key: &[u8]) -> Option<Option<O>> {
        let decided = self.decided.get(key)?;
        (!decided.is_stale()).then_some(decided.opinion)
    }

    /// Returns the cached decision, or the one that `decide` comes to. Of several requests with the same key one
    /// decides and the others wait for it, at most until `until`. Failures are not cached.
    pub(crate) async fn decide(
        &self,
        key: Vec<u8>,
        counters: &Counters,
        until: Instant,
        decide: impl Future<Output = Result<Option<O>, Failure>>,
    ) -> Result<Option<O>, Failure> {
        let key = key.into_boxed_slice();
        self.decided.remove_if(&key, Decided::is_stale);
        let mut decided_here = false;
        let decide = async {
            decided_here = true;
            counters.miss();
            let opinion = decide.await?;
            Ok(Decided { opinion, until: self.ttl.map(|ttl| Instant::now() + ttl) })
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

/// Encodes the facts. Each has a fixed length or states it, so that neighbours do not run together.
fn key(facts: &[Fact], request: &Request) -> Vec<u8> {
    let mut key = Vec::with_capacity(64 + request.path.len());
    for fact in facts {
        match fact {
            Fact::Operation => key.push(match request.operation {
                Operation::Read => 0,
                Operation::Write => 1,
            }),
            Fact::Mode => key.push(match request.mode {
                Mode::Octet => 0,
                Mode::Netascii => 1,
            }),
            Fact::Listener => text(&mut key, &request.listener),
            Fact::Address => address(&mut key, Some(request.client.ip())),
            Fact::Port => key.extend_from_slice(&request.client.port().to_le_bytes()),
            Fact::Mac => {
                count(&mut key, request.macs.len());
                for mac in &request.macs {
                    key.push(match mac.source {
                        MacSource::NeighbourTable => 0,
                        MacSource::RequestedName => 1,
                        MacSource::LeaseFile => 2,
                    });
                    key.extend_from_slice(&mac.address.0);
                }
            }
            Fact::Class => text(&mut key, request.class.as_str()),
            Fact::Requested => {
                text(&mut key, &request.requested);
                // Other bytes may be read as the same name.
                text(&mut key, request.raw_name.as_deref().unwrap_or_default());
            }
            Fact::LocalAddress => address(&mut key, request.local_address),
            Fact::Interface => {
                key.push(request.interface.is_some().into());
                text(&mut key, request.interface.as_deref().unwrap_or_default());
            }
            Fact::Vlan => {
                key.push(request.vlan.is_some().into());
                key.extend_from_slice(&request.vlan.unwrap_or_default().to_le_bytes());
            }
            Fact::Lease => lease(&mut key, request.lease.as_deref()),
            Fact::Path => text(&mut key, &request.path),
            Fact::Options => {
                count(&mut key, request.options.len());
                for (name, value) in &request.options {
                    text(&mut key, name);
                    text(&mut key, value);
                }
            }
        }
    }
    key
}

fn address(key: &mut Vec<u8>, address: Option<IpAddr>) {
    match address.map(|address| address.to_canonical()) {
        Some(IpAddr::V4(address)) => bytes(key, &address.octets()),
        Some(IpAddr::V6(address)) => bytes(key, &address.octets()),
        None => bytes(key, &[]),
    }
}

/// Without its age, which is another for each request.
fn lease(key: &mut Vec<u8>, fact: Option<&LeaseFact>) {
    key.push(fact.is_some().into());
    let Some(LeaseFact { lease, .. }) = fact else { return };
    let Lease { mac, hostname, client_id, expires, vendor_class, architecture, uuid } = lease;
    let mac = mac.map(|mac| mac.octets());
    bytes(key, mac.as_ref().map_or(&[], |octets| &octets[..]));
    for its in [hostname, client_id, vendor_class, uuid] {
        // None of them is empty.
        text(key, its.as_deref().unwrap_or_default());
    }
    key.extend_from_slice(&expires.unwrap_or(u64::MAX).to_le_bytes());
    key.push(architecture.is_some().into());
    key.extend_from_slice(&architecture.unwrap_or_default().to_le_bytes());
}

fn text(key: &mut Vec<u8>, text: &str) {
    bytes(key, text.as_bytes());
}

fn bytes(key: &mut Vec<u8>, bytes: &[u8]) {
    count(key, bytes.len());
    key.extend_from_slice(bytes);
}

fn count(key: &mut Vec<u8>, count: usize) {
    key.extend_from_slice(&(count as u64).to_le_bytes());
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
        let lease = |lease| Some(Box::new(LeaseFact { lease, age: Duration::ZERO }));
        let hostname = Some("kitchen".to_owned());
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
            (Fact::Requested, Request { raw_name: Some("2fe9".into()), ..request() }),
            (Fact::Path, Request { path: "b".into(), ..request() }),
            (Fact::LocalAddress, Request { local_address: Some([192, 0, 2, 9].into()), ..request() }),
            (Fact::Interface, Request { interface: Some("eth0".into()), ..request() }),
            (Fact::Vlan, Request { vlan: Some(0), ..request() }),
            (Fact::Lease, Request { lease: lease(Lease::default()), ..request() }),
            (
                Fact::Lease,
                Request { lease: lease(Lease { expires: Some(7), ..Lease::default() }), ..request() },
            ),
            (Fact::Lease, Request { lease: lease(Lease { hostname, ..Lease::default() }), ..request() }),
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
    fn the_age_of_a_lease_tells_no_requests_apart() {
        let aged = |seconds| {
            let age = Duration::from_secs(seconds);
            let lease = Some(Box::new(LeaseFact { lease: Lease::default(), age }));
            key(&[Fact::Lease], &Request { lease, ..request() })
        };
        assert_eq!(aged(0), aged(1));
    }

    #[test]
    fn neighbouring_facts_do_not_run_together() {
        let facts = [Fact::Listener, Fact::Path];
        let one = Request { listener: "a".into(), path: "bc".into(), ..request() };
        let other = Request { listener: "ab".into(), path: "c".into(), ..request() };
        assert_ne!(key(&facts, &one), key(&facts, &other));
    }
}
