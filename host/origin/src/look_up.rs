//! Asks an origin for a path: one look-up for all waiting requests.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tuffet_request::ClientKey;
use tuffet_store::RemoteMeta;

use crate::backend::{Condition, version};
use crate::cache::{Cache, Entry};
use crate::core::Core;
use crate::failure::Failure;
use crate::fetch::{Body, fetch_parts, save};
use crate::flight::Pilot;
use crate::invalidation::uploads_begun;
use crate::permits::Permit;
use crate::state::FetchKind;
use crate::version::Version;

/// The part of a file that a request needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Want {
    Meta,
    Content,
}

/// A look-up at the origin.
pub(crate) struct LookUp {
    pub core: Arc<Core>,
    pub cache: Arc<Cache>,
    pub path: Arc<str>,
    /// The cached version, if there is one.
    pub entry: Option<Arc<Entry>>,
    pub want: Want,
    /// The client of the first request.
    pub client: ClientKey,
}

/// The answer of the origin.
enum Answer {
    /// The version in the cache is current.
    Current(Arc<Entry>),
    /// Another version, without its content.
    Meta(RemoteMeta, Version),
    /// Another version, with its content.
    Content(Box<Body>, Version),
    Failed(Failure),
}

/// A fetch to run once the waiting requests have their answer.
struct PendingFetch {
    entry: Arc<Entry>,
    parts: Range<u32>,
    body: Body,
    _permit: Permit,
}

impl LookUp {
    /// Asks the origin, records the answer and wakes the waiting requests; then fetches the content.
    pub async fn run(self, pilot: Pilot<()>) {
        let mut arrival = None;
        let uploads = uploads_begun();
        let outcome = match self.ask().await {
            Answer::Current(entry) => {
                entry.set_validated();
                self.core.learn(&self.path, |slot| slot.set_meta(None));
                save(&self.cache, &entry).await;
                Ok(())
            }
            Answer::Meta(meta, version) => {
                self.core.learn(&self.path, |slot| slot.set_meta(Some((meta, version))));
                self.remove().await;
                Ok(())
            }
            Answer::Content(..) if self.core.is_outdated(&self.path) => Ok(()),
            Answer::Content(body, version) => {
                let made = self.receive(*body, version, uploads).await;
                if made.is_ok() {
                    self.core.learn(&self.path, |slot| slot.set_meta(None));
                }
                made.map(|made| arrival = made)
            }
            Answer::Failed(failure) => {
                if failure == Failure::Absent {
                    // Readers with the file open continue.
                    self.remove().await;
                    self.core.learn(&self.path, |slot| slot.set_absent());
                } else if failure.passes() && !matches!(failure, Failure::Away(_)) {
                    // The breaker handles an unreachable origin.
                    self.core.learn(&self.path, |slot| slot.set_failed(failure.clone()));
                }
                Err(failure)
            }
        };
        if self.core.is_outdated(&self.path) {
            self.remove().await;
            if let Some(PendingFetch { entry, parts, .. }) = arrival.take() {
                // Releases requests that have found the entry since.
                entry.unclaim(&parts, Some(Failure::Changed));
            }
        }
        pilot.land(outcome);
        if let Some(PendingFetch { entry, parts, body, _permit }) = arrival {
            // Fetches the first part of a large file; its readers request the others.
            fetch_parts(self.core, self.cache, entry, parts, Some(body)).await;
        }
    }

    async fn ask(&self) -> Answer {
        let core = &self.core;
        let vouched = self.entry.as_ref().filter(|entry| !entry.is_perhaps_replaced());
        let known = vouched.map(|entry| &entry.version).filter(|version| version.is_known());
        // A GET would send a newer version of a large file whole.
        let large = self.entry.as_ref().is_some_and(|entry| !entry.whole);
        let mut head = (self.want == Want::Meta || large) && !core.no_head.load(Ordering::Relaxed);
        let (result, status, clock) = loop {
            let kind = match (known, head) {
                (Some(_), _) => FetchKind::Revalidate,
                (None, true) => FetchKind::LookUp,
                (None, false) => FetchKind::Whole,
            };
            let ask =
                || core.backend.get(&self.path, Condition { unless: known, head, ..Condition::default() });
            let ended = core.attempts(&self.path, kind, ask).await;
            if head && matches!(ended, (Err(Failure::Useless(_)), Some(405 | 501), _)) {
                core.no_head.store(true, Ordering::Relaxed);
                head = false;
                continue;
            }
            break ended;
        };
        let answer = match (result, &self.entry) {
            (Ok(answer), _) => answer,
            (Err(Failure::NotModified), Some(entry)) => return Answer::Current(Arc::clone(entry)),
            (Err(failure), _) => return Answer::Failed(failure),
        };
        let (version, size) = (version(&answer.meta), answer.meta.size);
        // Some servers ignore conditions.
        let same = |entry: &&Arc<Entry>| entry.version == version && entry.meta.size == size;
        if let Some(entry) = vouched.filter(same) {
            clock.end(core, status, 0, None);
            return Answer::Current(Arc::clone(entry));
        }
        if head {
            clock.end(core, status, 0, None);
            let modified_unix_ms = u64::try_from(answer.meta.last_modified.timestamp_millis()).unwrap_or(0);
            return Answer::Meta(RemoteMeta { size, version: version.name(), modified_unix_ms }, version);
        }
        Answer::Content(Box::new(Body { answer, status, clock }), version)
    }

    /// Makes room for a content in the cache; `None` if it is not fetched now, or is empty.
    async fn receive(
        &self,
        body: Body,
        version: Version,
        uploads: u64,
    ) -> Result<Option<PendingFetch>, Failure> {
        let core = &self.core;
        if !version.is_known() && !core.unversioned.swap(true, Ordering::Relaxed) {
            tracing::warn!(target: "tuffet::origin",
                root = &*core.root,
                origin = &*core.origin,
                "the origin sends neither ETag nor Last-Modified: files are fetched again each time, always whole, and \
                 a broken download cannot be resumed"
            );
        }
        // Other clients may wait for the same file, and must not wait for the turn of this client. Without a permit,
        // the readers start the fetch. A file without a strong version must come from this answer.
        let permit = match version.joins() {
            true => core.permits.try_take(self.client),
            false => match timeout(core.backend.timeout, core.permits.take(self.client)).await {
                Ok(permit) => Some(permit),
                Err(_) => {
                    body.clock.end(core, body.status, 0, None);
                    return Err(Failure::Failing("its client waits for its turn".into()));
                }
            },
        };
        let meta = &body.answer.meta;
        let (size, modified) = (meta.size, u64::try_from(meta.last_modified.timestamp_millis()).unwrap_or(0));
        let whole = size <= core.spec.whole || !version.joins() || core.no_ranges.load(Ordering::Relaxed);
        let made = {
            let (core, cache, path) = (Arc::clone(core), Arc::clone(&self.cache), Arc::clone(&self.path));
            spawn_blocking(move || {
                cache.create((&core.identity, &path), version, size, modified, whole, uploads)
            })
            .await
        };
        match made.unwrap_or_else(|_| Err(Failure::Cache("the cache failed".into()))) {
            Ok((entry, parts)) => match (parts, permit) {
                (Some(parts), Some(_permit)) => Ok(Some(PendingFetch { entry, parts, body, _permit })),
                (parts, _) => {
                    body.clock.end(core, body.status, 0, None);
                    parts.iter().for_each(|parts| entry.unclaim(parts, None));
                    self.cache.release(0);
                    save(&self.cache, &entry).await;
                    Ok(None)
                }
            },
            Err(failure) => {
                if matches!(failure, Failure::Cache(_)) {
                    core.reports.unstored.fetch_add(1, Ordering::Relaxed);
                }
                body.clock.end(core, body.status, 0, Some(&failure));
                Err(failure)
            }
        }
    }

    /// Removes the outdated version from the cache.
    async fn remove(&self) {
        if let Some(entry) = self.cache.find(&self.core.key(&self.path)) {
            let cache = Arc::clone(&self.cache);
            let _ = spawn_blocking(move || cache.remove(&entry)).await;
        }
    }
}
