//! Replaces the service of a running server.

use crate::builder::{BuildError, Service};
use crate::events::Flush;
use crate::generation::CurrentGeneration;
use crate::leases::Leases;
use crate::status::Status;
use parking_lot::Mutex;
use std::sync::Arc;
use tokio::task::spawn_blocking;
use tuffet_engine::limits::Limiter;
use tuffet_policy::PluginRecords;
use tuffet_request::settings::{Limits, Settings};
use tuffet_store::{Disks, Uploads};

/// Replaces the service of a running server. Cheap to clone.
#[derive(Clone)]
pub struct Replacer(pub(crate) Arc<Replaceable>);

/// The replaceable parts of a server.
pub(crate) struct Replaceable {
    pub(crate) generation: CurrentGeneration,
    pub(crate) status: Status,
    pub(crate) limiter: Arc<Limiter>,
    pub(crate) uploads: Uploads,
    pub(crate) disks: Disks,
    pub(crate) records: PluginRecords,
    /// Those of the server, with the current service.
    pub(crate) settings: Mutex<Settings>,
    /// One replacement at a time.
    pub(crate) replacing: tokio::sync::Mutex<()>,
    /// Sends what has ended to the observers that are replaced.
    pub(crate) flush: Flush,
}

/// Why a server keeps what it has.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplaceError {
    /// The new parts cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// There is nothing to replace.
    #[error("the server has ended: start another one")]
    Ended,
}

impl Replacer {
    /// Replaces the service, all or nothing; returns the number of the new generation. New requests see it; running
    /// requests and transfers keep what they began with, except that the new observers get what happens from now on. The
    /// observers before get what had happened.
    ///
    /// # Errors
    /// The new service cannot be built: the server then keeps the one it has. Or it has ended.
    pub async fn replace(&self, service: Service) -> Result<u64, ReplaceError> {
        let its = &*self.0;
        if its.flush.is_closed() {
            return Err(ReplaceError::Ended);
        }
        let _one_at_a_time = its.replacing.lock().await;
        let before = its.settings.lock().clone();
        let limits_before = before.service.limits;
        let Service { settings, mut parts } = service;
        let settings = Settings { service: settings, ..before };
        parts.check(&settings)?;
        let (bounds, limits) = (settings.bounds(), settings.service.limits);
        let now = its.generation.get();
        let (disks, known) = (its.disks.clone(), now.leases.clone());
        let files = settings.service.lease_files.clone();
        let opening = spawn_blocking(move || {
            let roots = parts.open(&disks)?;
            Ok::<_, BuildError>((parts, roots, Leases::of(&files, Some(&known))))
        });
        let opened = opening.await;
        let (parts, roots, leases) =
            opened.unwrap_or_else(|_| Err(BuildError::Usage("a bug: opening the roots panicked".into())))?;
        let policy = parts.into_policy(&its.records, &now.files.sources, bounds.ipv6_prefix);
        let cache_limits = |limits: Limits| (limits.cache, limits.cache_max_age);
        let cache = match cache_limits(limits_before) == cache_limits(limits) {
            true => now.files.cache.clone(),
            false => now.files.cache.resized(limits.cache, limits.cache_max_age),
        };
        let next = now.next(&settings, roots, policy, leases, cache);
        let number = next.number;
        if !its.flush.flush().await {
            return Err(ReplaceError::Ended);
        }
        // The other roots were swept before.
        let roots = &next.files.roots;
        roots.take_effect();
        next.negotiation.take_effect();
        roots.sweep_again_in_background(|name| roots.is_new_for_uploads(name, &now.files.roots));
        its.generation.replace(next);
        its.limiter.replace(&bounds);
        now.files.sources.set_read_ahead(limits.read_ahead);
        its.uploads.replace(bounds.uploads_per_name);
        its.status.reloaded(number, its.generation.get().policy.plugins());
        *its.settings.lock() = settings;
        Ok(number)
    }
}
