//! A generation: a loaded configuration for deciding requests; a reload replaces it.

use crate::groups::GroupAdmission;
use crate::last_folders::LastFolders;
use crate::leases::Leases;
use crate::negotiation::Negotiation;
use crate::routes::Routes;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tuffet_config::Config;
use tuffet_policy::Policy;
use tuffet_request::{ClientKey, Request};
use tuffet_store::{FileCache, Roots, Uploads};

/// The source and destination of files.
#[derive(Clone)]
pub struct Files {
    /// The open roots.
    pub roots: Roots,
    /// The hot files in memory.
    pub cache: FileCache,
    /// The limits of uploads.
    pub uploads: Uploads,
    /// Whose clients may join multicast groups.
    pub(crate) groups: GroupAdmission,
}

/// What boot loaders get beyond the files that they ask for.
pub(crate) struct Netboot {
    /// Whether a missing list of GRUB is empty.
    pub(crate) empty_lists: bool,
    /// Where shim was loaded from, if it is to find its files there.
    pub(crate) shim_folders: Option<LastFolders>,
}

impl Netboot {
    /// `before` is that of the generation before: its clients are remembered.
    pub fn of(config: &Config, before: Option<&Netboot>) -> Netboot {
        let last_folders =
            || before.and_then(|before| before.shim_folders.clone()).unwrap_or_else(LastFolders::new);
        Netboot {
            empty_lists: config.netboot.empty_lists,
            shim_folders: config.netboot.shim_folder.then(last_folders),
        }
    }
}

/// The state for deciding requests. A request and its transfer keep their generation to the end.
pub struct Generation {
    /// 1 for the configuration that the server started with.
    pub number: u64,
    /// The files that are served.
    pub files: Files,
    /// The plugins and chains.
    pub policy: Arc<Policy>,
    pub(crate) netboot: Netboot,
    /// Who has leased which address.
    pub leases: Leases,
    /// What transfers may negotiate.
    pub(crate) negotiation: Negotiation,
    /// How long opening a file may take.
    pub(crate) open_time: Duration,
    /// The bits of an IPv6 address that tell clients apart.
    pub(crate) ipv6_prefix: u8,
    /// How long requests are still answered after the signal that stops the server.
    pub drain_delay: Duration,
    /// How long running transfers may continue afterwards.
    pub drain: Duration,
}

impl Generation {
    /// The first generation of a server.
    pub fn first(config: &Config, roots: Roots, policy: Policy, uploads: Uploads) -> Generation {
        let cache = FileCache::new(config.limits.cache, config.limits.cache_max_age);
        Generation {
            number: 1,
            files: Files { roots, cache, uploads, groups: GroupAdmission::of(config) },
            policy: Arc::new(policy),
            netboot: Netboot::of(config, None),
            leases: Leases::of(&config.lease_files, None),
            negotiation: Negotiation::of(config, Routes::default()),
            open_time: config.limits.open_time,
            ipv6_prefix: config.bounds().ipv6_prefix,
            drain_delay: config.drain_delay,
            drain: config.drain,
        }
    }

    /// The generation after this one. It keeps what does not depend on the configuration; `cache` is this one's unless its
    /// bounds change.
    pub fn next(
        &self,
        config: &Config,
        roots: Roots,
        policy: Policy,
        leases: Leases,
        cache: FileCache,
    ) -> Generation {
        let Files { uploads, groups, .. } = &self.files;
        Generation {
            number: self.number + 1,
            files: Files { roots, cache, uploads: uploads.clone(), groups: groups.clone() },
            policy: Arc::new(policy),
            netboot: Netboot::of(config, Some(&self.netboot)),
            leases,
            negotiation: Negotiation::of(config, self.negotiation.routes().clone()),
            open_time: config.limits.open_time,
            ipv6_prefix: config.bounds().ipv6_prefix,
            drain_delay: config.drain_delay,
            drain: config.drain,
        }
    }

    /// The client of a request, for shares.
    pub(crate) fn client_of(&self, request: &Request) -> ClientKey {
        ClientKey::of(&request.client, self.ipv6_prefix)
    }
}

/// The generation of new requests. Cheap to clone.
#[derive(Clone)]
pub struct CurrentGeneration(Arc<RwLock<Arc<Generation>>>);

impl CurrentGeneration {
    /// Starts with this generation.
    pub fn new(first: Generation) -> CurrentGeneration {
        CurrentGeneration(Arc::new(RwLock::new(Arc::new(first))))
    }

    /// Returns the generation of new requests.
    pub fn get(&self) -> Arc<Generation> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the generation. The previous one is dropped with its last request.
    pub fn replace(&self, next: Generation) {
        let before =
            std::mem::replace(&mut *self.0.write().unwrap_or_else(PoisonError::into_inner), Arc::new(next));
        // Outside of the lock: this may drop the last reference to plugins and folders.
        drop(before);
    }
}
