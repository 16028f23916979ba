//! A generation: the state of one loaded configuration. A reload replaces it.

use crate::content::{CommitTurns, OpenRoots, Outstanding, SourceOpener, SuppliedRoots};
use crate::groups::GroupAdmission;
use crate::last_folders::LastFolders;
use crate::leases::Leases;
use crate::negotiation::Negotiation;
use crate::recent_opens::RecentOpens;
use parking_lot::RwLock;
use std::sync::Arc;
use std::time::Duration;
use tuffet_engine::worker::UploadTimes;
use tuffet_policy::Policy;
use tuffet_request::settings::{self, ServiceSettings, SettingNames, Settings, TimeLimit};
use tuffet_request::{ClientKey, Request};
use tuffet_store::{FileCache, Roots, Uploads};

/// The source and destination of files.
#[derive(Clone)]
pub struct Files {
    /// The open roots.
    pub roots: Roots,
    /// The hot files in memory.
    pub cache: FileCache,
    /// The files that were opened a moment ago.
    pub(crate) recent_opens: Arc<RecentOpens>,
    /// The limits of uploads.
    pub uploads: Uploads,
    /// How long writing and storing an upload may take.
    pub(crate) upload_times: UploadTimes,
    /// The turns of sinks that are committed.
    pub(crate) commit_turns: CommitTurns,
    /// Decides which requests may join multicast groups.
    pub(crate) groups: GroupAdmission,
    /// The roots that the program implements.
    pub(crate) supplied: SuppliedRoots,
    /// Opens what the program supplies.
    pub(crate) sources: SourceOpener,
    /// What the program does for the server.
    pub(crate) outstanding: Outstanding,
}

/// Special treatment of boot loaders.
pub(crate) struct Netboot {
    /// Whether a missing list of GRUB is served as an empty file.
    pub(crate) empty_lists: bool,
    /// Whether what old ROMs append to a name is cut.
    pub(crate) name_tails: bool,
    /// The last folder of each client, if files of shim are also searched there.
    pub(crate) shim_folders: Option<LastFolders>,
}

impl Netboot {
    /// `before`: that of the previous generation; its clients are kept.
    pub fn of(netboot: &settings::Netboot, before: Option<&Netboot>) -> Netboot {
        let last_folders =
            || before.and_then(|before| before.shim_folders.clone()).unwrap_or_else(LastFolders::new);
        Netboot {
            empty_lists: netboot.empty_lists,
            name_tails: netboot.name_tails,
            shim_folders: netboot.shim_folder.then(last_folders),
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
    /// The DHCP leases of clients.
    pub leases: Leases,
    /// The bounds of negotiation.
    pub(crate) negotiation: Negotiation,
    /// How long opening a file may take.
    pub(crate) open_time: Duration,
    /// How messages name settings.
    pub(crate) names: SettingNames,
    /// The prefix length that identifies an IPv6 client.
    pub(crate) ipv6_prefix: u8,
}

impl Generation {
    /// The first generation of a server.
    pub(crate) fn first(
        settings: &Settings,
        roots: OpenRoots,
        sources: SourceOpener,
        policy: Policy,
        uploads: Uploads,
    ) -> Generation {
        let OpenRoots { roots, supplied } = roots;
        roots.take_effect();
        let ServiceSettings { netboot, limits, lease_files, .. } = &settings.service;
        let cache = FileCache::new(limits.cache, limits.cache_max_age);
        Generation {
            number: 1,
            files: Files {
                roots,
                cache,
                recent_opens: Arc::default(),
                uploads,
                upload_times: UploadTimes::of(settings),
                commit_turns: CommitTurns::default(),
                groups: GroupAdmission::of(settings),
                supplied,
                sources,
                outstanding: Outstanding::default(),
            },
            policy: Arc::new(policy),
            netboot: Netboot::of(netboot, None),
            leases: Leases::of(lease_files, None),
            negotiation: Negotiation::of(settings, None),
            open_time: limits.open_time,
            names: settings.names,
            ipv6_prefix: settings.bounds().ipv6_prefix,
        }
    }

    /// Creates the next generation. It keeps state that does not depend on the configuration; `cache`: this one's,
    /// unless its bounds change.
    pub(crate) fn next(
        &self,
        settings: &Settings,
        roots: OpenRoots,
        policy: Policy,
        leases: Leases,
        cache: FileCache,
    ) -> Generation {
        let ServiceSettings { netboot, limits, .. } = &settings.service;
        let files = &self.files;
        let OpenRoots { roots, supplied } = roots;
        Generation {
            number: self.number + 1,
            files: Files {
                roots,
                cache,
                recent_opens: Arc::default(),
                supplied,
                upload_times: UploadTimes::of(settings),
                ..files.clone()
            },
            policy: Arc::new(policy),
            netboot: Netboot::of(netboot, Some(&self.netboot)),
            leases,
            negotiation: Negotiation::of(settings, Some(&self.negotiation)),
            open_time: limits.open_time,
            names: settings.names,
            ipv6_prefix: settings.bounds().ipv6_prefix,
        }
    }

    /// Whether the name of a request is looked up before policy is asked.
    pub(crate) fn looks_up_names(&self) -> bool {
        self.files.roots.any_case() || self.netboot.shim_folders.is_some()
    }

    /// Whether a request at this listener asks policy, or looks its name up, before a file is opened.
    pub(crate) fn needs_policy(&self, listener: &str) -> bool {
        !self.policy.is_empty(listener) || self.looks_up_names()
    }

    /// How long opening a file may take, for messages.
    pub(crate) fn within_open_time(&self) -> String {
        within(self.open_limit())
    }

    pub(crate) fn open_limit(&self) -> TimeLimit {
        TimeLimit { within: self.open_time, setting: self.names.of("limits.open-time") }
    }

    /// Returns the key of a request's client, for fair shares.
    pub(crate) fn client_of(&self, request: &Request) -> ClientKey {
        ClientKey::of(&request.client, self.ipv6_prefix)
    }
}

/// A time limit and its setting, for messages.
pub(crate) fn within(limit: TimeLimit) -> String {
    format!("within {} ({})", humantime::format_duration(limit.within), limit.setting)
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
        Arc::clone(&self.0.read())
    }

    /// Replaces the generation. The previous one is dropped with its last request.
    pub fn replace(&self, next: Generation) {
        let before = std::mem::replace(&mut *self.0.write(), Arc::new(next));
        // Outside of the lock: this may drop the last reference to plugins and folders.
        drop(before);
    }
}
