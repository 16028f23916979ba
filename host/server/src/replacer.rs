//! Replaces what a running server serves and asks.

use crate::builder::{BuildError, Builder};
use crate::events::Flush;
use crate::generation::CurrentGeneration;
use crate::leases::Leases;
use crate::status::Status;
use parking_lot::Mutex;
use std::sync::Arc;
use tokio::task::spawn_blocking;
use tuffet_engine::limits::Limiter;
use tuffet_policy::PluginRecords;
use tuffet_request::settings::{Listener, Settings};
use tuffet_store::{Disks, Uploads};

/// Replaces roots, hooks and settings of a running server. Cheap to clone.
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
    /// Those of the current generation.
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
    /// This cannot change while the server runs.
    #[error("`{0}` cannot change while the server runs: start another server")]
    Fixed(&'static str),
    /// There is nothing to replace.
    #[error("the server has ended: start another one")]
    Ended,
}

impl Replacer {
    /// Replaces roots, hooks and settings, all or nothing; returns the number of the new generation. New requests see
    /// them; running requests and transfers keep what they began with, except that the new observers get what happens from
    /// now on. The observers before get what had happened. A builder without listeners keeps the listeners;
    /// with them, only their ceilings and roots may differ. Workers stay.
    ///
    /// # Errors
    /// The new parts cannot be built, or differ in what cannot change: the server then keeps what it has. Or it has ended.
    pub async fn replace(&self, builder: Builder) -> Result<u64, ReplaceError> {
        let its = &*self.0;
        if its.flush.is_closed() {
            return Err(ReplaceError::Ended);
        }
        let _one_at_a_time = its.replacing.lock().await;
        let before = its.settings.lock().clone();
        let mut builder = builder.on_sockets_of(&before);
        builder.check(true)?;
        let settings = builder.built().clone();
        if let Some(what) = first_fixed(&before, &settings) {
            return Err(ReplaceError::Fixed(what));
        }
        let now = its.generation.get();
        let (disks, known, files) = (its.disks.clone(), now.leases.clone(), settings.lease_files.clone());
        let opening = spawn_blocking(move || {
            let (roots, _) = builder.open(&disks)?;
            Ok::<_, BuildError>((builder, roots, Leases::of(&files, Some(&known))))
        });
        let opened = opening.await;
        let (builder, roots, leases) =
            opened.unwrap_or_else(|_| Err(BuildError::Usage("a bug: opening the roots panicked".into())))?;
        let policy = builder.into_policy(&its.records, &now.files.sources);
        let cache_limits = |settings: &Settings| (settings.limits.cache, settings.limits.cache_max_age);
        let cache = match cache_limits(&before) == cache_limits(&settings) {
            true => now.files.cache.clone(),
            false => now.files.cache.resized(settings.limits.cache, settings.limits.cache_max_age),
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
        its.limiter.replace(&settings.bounds());
        now.files.sources.set_read_ahead(settings.limits.read_ahead);
        its.uploads.replace(settings.bounds().uploads_per_name);
        its.status.reloaded(number, its.generation.get().policy.plugins());
        *its.settings.lock() = settings;
        Ok(number)
    }
}

/// Returns the first setting that differs and is fixed.
fn first_fixed(before: &Settings, next: &Settings) -> Option<&'static str> {
    let sockets = |listeners: &[Listener]| -> Vec<Listener> {
        let alone = |its: &Listener| Listener { ceilings: Default::default(), roots: None, ..its.clone() };
        listeners.iter().map(alone).collect()
    };
    let fixed = [
        ("listeners", sockets(&before.listeners) != sockets(&next.listeners)),
        ("limits.transfers", before.limits.transfers != next.limits.transfers),
        ("limits.pending", before.limits.pending != next.limits.pending),
        ("limits.events", before.limits.events != next.limits.events),
        ("transfer.dont_fragment", before.transfer.dont_fragment != next.transfer.dont_fragment),
        ("transfer.rollover", before.transfer.rollover != next.transfer.rollover),
        ("transfer.retransmit", before.transfer.retransmit != next.transfer.retransmit),
    ];
    fixed.into_iter().find(|(_, differs)| *differs).map(|(what, _)| what)
}
