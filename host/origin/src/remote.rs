//! The public face of an origin with its cache: implements [`Origin`] for the store.

use parking_lot::Mutex;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tuffet_config::OriginSpec;
use tuffet_request::ClientKey;
use tuffet_store::{Arrival, ContentId, Origin, Reach, RemoteFile, RemoteMeta, StoreError, Waited};

use crate::OriginError;
use crate::bypass::Bypass;
use crate::cache::{Cache, Entry, Open, PART, Share};
use crate::core::Core;
use crate::failure::{Failure, NoRoom};
use crate::fetch::{ExpectedVersion, fetch_parts};
use crate::invalidation;
use crate::look::{Inquiry, Located};
use crate::look_up::Want;
use crate::permits::Permit;
use crate::runtime;
use crate::state::{FetchHook, OriginState};

/// The limit of attempts to open a file that eviction keeps removing.
const MAX_OPEN_ATTEMPTS: u32 = 5;

/// The interval for checking whether another client has begun to fetch the bytes, while waiting for a permit.
const PERMIT_POLL: Duration = Duration::from_millis(20);

/// The interval for checking whether the record of a complete file is written.
const RECORD_POLL: Duration = Duration::from_millis(5);

/// The origin of a root, with its cache.
#[derive(Debug)]
pub struct Remote {
    core: Arc<Core>,
}

/// A file in a cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedFile {
    /// Its path.
    pub path: Arc<str>,
    /// Its size, version and time.
    pub meta: RemoteMeta,
    /// The number of cached bytes.
    pub stored: u64,
    /// The time since the origin last confirmed it.
    pub validated: Duration,
    /// When it was last opened, in milliseconds since 1970.
    pub used_unix_ms: u64,
}

impl Remote {
    /// Creates the client of an origin. Starts no threads, and opens no files except the certificate authorities: the
    /// cache and the threads must belong to the final user of the process.
    ///
    /// # Errors
    /// [`OriginError::Client`] and [`OriginError::Ca`]: the specification cannot be used.
    pub fn open(spec: OriginSpec) -> Result<Arc<Self>, OriginError> {
        let core = Arc::new(Core::new(spec)?);
        invalidation::enter(&core);
        Ok(Arc::new(Self { core }))
    }

    /// Opens the cache and starts the threads, once privileges are dropped. The first request would do the same.
    ///
    /// # Errors
    /// [`OriginError::Cache`], [`OriginError::Locked`], [`OriginError::Threads`].
    pub fn start(&self) -> Result<(), OriginError> {
        runtime::handle().map_err(OriginError::Threads)?;
        self.core.cache().map(|_| ())
    }

    /// Returns its current state, without asking the origin.
    pub fn state(&self) -> OriginState {
        let core = &self.core;
        let (cache, cache_error) = core.opened();
        let cache_limit = cache.as_ref().map_or(0, |cache| cache.limit());
        let (cache_bytes, cache_files) = cache.map_or((0, 0), |cache| cache.size());
        OriginState {
            root: Arc::clone(&core.root),
            origin: Arc::clone(&core.origin),
            away: core.reports.away(),
            breaker: core.breaker.state(),
            cache_error,
            cache_bytes,
            cache_files: cache_files as u64,
            cache_limit,
            running: core.reports.running.load(Ordering::Relaxed),
            counts: core.reports.counts(),
        }
    }

    /// Calls `hook` after each request to the origin. Replaces an earlier hook.
    pub fn on_fetch(&self, hook: FetchHook) {
        self.core.reports.set_hook(hook);
    }

    /// Returns the cached files of this origin, sorted by path.
    ///
    /// # Errors
    /// As [`Remote::start`].
    pub fn cached(&self) -> Result<Vec<CachedFile>, OriginError> {
        let mut files: Vec<CachedFile> =
            self.core.cache()?.of(&self.core.identity).iter().map(described).collect();
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(files)
    }

    #[cfg(test)]
    pub(crate) fn permits_held(&self) -> usize {
        self.core.permits.held()
    }

    /// Opens a file for the server itself.
    ///
    /// # Errors
    /// As [`Origin::open`].
    pub fn get(&self, path: &str) -> Result<RemoteFile, StoreError> {
        let opened = self.open(path, ClientKey::SERVER, Reach::Origin)?;
        // `Reach::Origin` always gives an answer.
        opened.ok_or(StoreError::NotFound)
    }

    /// Fetches a whole file into the cache if necessary, and returns its size. `within` is the longest time without
    /// progress.
    ///
    /// # Errors
    /// As [`Origin::open`]; `Unreachable` also if the file changes at the origin during the download.
    pub fn warm(&self, path: &str, within: Duration) -> Result<u64, StoreError> {
        let unreachable =
            |why: String| StoreError::Unreachable { origin: Arc::clone(&self.core.origin), why };
        let file = self.get(path)?;
        if let Some(arrival) = &file.arrival {
            let mut at = 0;
            while at < file.meta.size {
                match arrival.wait(at, PART, within) {
                    Ok(Waited::Arrived) => at = at.saturating_add(PART),
                    Ok(Waited::Changed) => {
                        return Err(unreachable("the origin has another version now".into()));
                    }
                    Ok(Waited::NoRoom) => return Err(unreachable("its cache has no room now".into())),
                    Err(error) => return Err(unreachable(error.to_string())),
                }
            }
        }
        self.settle(path, within);
        Ok(file.meta.size)
    }

    /// Waits until the record of a file is written, which happens after its last byte. The process may end then.
    fn settle(&self, path: &str, within: Duration) {
        let Ok(cache) = self.core.cache() else { return };
        let Some(entry) = cache.find(&self.core.key(path)) else { return };
        let began = Instant::now();
        while entry.is_claimed() && began.elapsed() < within {
            thread::sleep(RECORD_POLL);
        }
    }

    /// Removes a file from the cache. Its transfers continue, except those that wait for further bytes. Returns whether
    /// the file was cached.
    ///
    /// # Errors
    /// As [`Remote::start`].
    pub fn remove(&self, path: &str) -> Result<bool, OriginError> {
        let cache = self.core.cache()?;
        self.core.forget(path);
        let Some(entry) = cache.find(&self.core.key(path)) else { return Ok(false) };
        cache.remove(&entry);
        Ok(true)
    }

    fn opened(&self, path: &str, client: ClientKey, reach: Reach) -> Result<Option<RemoteFile>, Failure> {
        let cache = self.core.cache_for_request()?;
        let inquiry = Inquiry { want: Want::Content, client, reach };
        for _ in 0..MAX_OPEN_ATTEMPTS {
            let uploads = invalidation::uploads_begun();
            let entry = match self.core.look(&cache, path, inquiry) {
                Ok(Some(Located::Entry(entry))) => entry,
                Ok(Some(Located::Meta(_))) => continue,
                Ok(None) => return Ok(None),
                Err(failure) => {
                    let Failure::NoRoom(no_room) = &failure else { return Err(failure) };
                    self.core.unstored(path, &failure);
                    return self.bypass(&cache, path, (client, uploads), no_room).map(Some);
                }
            };
            let Some(share) = cache.share(client, &entry) else {
                // The client has its share; its bytes must come over the network.
                if reach != Reach::Origin {
                    return Ok(None);
                }
                let why = "its client has as much of the cache as one may have; enlarge `cache.bytes`";
                let found = Some((entry.meta.clone(), entry.version.clone()));
                let file =
                    self.bypass(&cache, path, (client, entry.uploads), &NoRoom { why: why.into(), found })?;
                return Ok(Some(RemoteFile { content: entry.content, ..file }));
            };
            let opened = cache.open_entry(&entry).map_err(|error| cache.explain(&error, None))?;
            let Some(open) = opened else {
                // The file was evicted, or removed by hand.
                cache.remove(&entry);
                continue;
            };
            let arriving = Arriving::new(&self.core, &cache, entry, client);
            let entry = &arriving.entry;
            let within_reach = reach == Reach::Origin;
            // After a restart, a small file can be verified at once.
            if entry.meta.size <= PART && entry.stored().0 && !entry.is_complete() {
                let within = if within_reach { self.core.backend.timeout } else { Duration::ZERO };
                let _ = arriving.wait(0, entry.meta.size, within);
                if entry.is_removed() {
                    continue;
                }
            }
            // The store reads small files at once, so an incomplete one needs a thread that may wait for the network.
            if !within_reach && entry.meta.size <= PART && !entry.is_complete() {
                return Ok(None);
            }
            let (file, content, meta) = (Arc::clone(&open.file), entry.content, entry.meta.clone());
            let arrival = (!entry.is_complete()).then(|| Arc::new(arriving) as Arc<dyn Arrival>);
            let place = Some(Box::new(CacheHold { _open: open, _share: share }) as _);
            return Ok(Some(RemoteFile { file, content, meta, arrival, place }));
        }
        Err(Failure::Failing("its cache is too small for the files that are requested".into()))
    }

    /// Opens a file without room in the cache.
    fn bypass(
        &self,
        cache: &Cache,
        path: &str,
        (client, uploads): (ClientKey, u64),
        no_room: &NoRoom,
    ) -> Result<RemoteFile, Failure> {
        let failure = || Failure::NoRoom(Arc::new(no_room.clone()));
        let (meta, version) = no_room.found.clone().ok_or_else(failure)?;
        let wanted = ExpectedVersion { path: path.into(), version, size: meta.size, uploads };
        let bypass = Bypass::new(&self.core, wanted, client).ok_or_else(failure)?;
        let (content, arrival) = (ContentId::unused(), Some(Arc::new(bypass) as _));
        Ok(RemoteFile { file: cache.empty_file(), content, meta, arrival, place: None })
    }
}

/// Keeps a content in the cache for a reader.
#[derive(Debug)]
struct CacheHold {
    _open: Open,
    _share: Share,
}

impl Origin for Remote {
    fn open(&self, path: &str, client: ClientKey, reach: Reach) -> Result<Option<RemoteFile>, StoreError> {
        self.opened(path, client, reach).map_err(|failure| failure.into_store(&self.core.origin))
    }

    fn look_up(&self, path: &str, reach: Reach) -> Result<Option<RemoteMeta>, StoreError> {
        let cache = self.core.cache_for_request();
        // A look-up starts no download, so it needs no client.
        let inquiry = Inquiry { want: Want::Meta, client: ClientKey::SERVER, reach };
        match cache.and_then(|cache| self.core.look(&cache, path, inquiry)) {
            Ok(Some(Located::Meta(meta))) => Ok(Some(meta)),
            Ok(Some(Located::Entry(entry))) => Ok(Some(entry.meta.clone())),
            Ok(None) => Ok(None),
            Err(Failure::NoRoom(no_room)) if no_room.found.is_some() => {
                Ok(no_room.found.as_ref().map(|(meta, _)| meta.clone()))
            }
            Err(failure) => Err(failure.into_store(&self.core.origin)),
        }
    }

    fn store(&self, path: &str, content: &File, size: u64, overwrite: bool) -> Result<(), StoreError> {
        self.core.store(path, content, size, overwrite).map_err(|failure| match failure {
            // A permanent refusal, so that the client does not retry forever.
            Failure::Useless(why) => {
                StoreError::RefusedByOrigin { origin: Arc::clone(&self.core.origin), why: why.to_string() }
            }
            other => other.into_store(&self.core.origin),
        })
    }
}

/// A reader of an incomplete version.
#[derive(Debug)]
struct Arriving {
    core: Arc<Core>,
    cache: Arc<Cache>,
    entry: Arc<Entry>,
    client: ClientKey,
    /// Whether the lack of room in the cache has been counted for this reader.
    unstored: AtomicBool,
}

impl Arriving {
    fn new(core: &Arc<Core>, cache: &Arc<Cache>, entry: Arc<Entry>, client: ClientKey) -> Self {
        entry.reader_comes();
        let unstored = AtomicBool::new(false);
        Self { core: Arc::clone(core), cache: Arc::clone(cache), entry, client, unstored }
    }

    /// Waits for a permit to fetch these bytes; `None` if another reader fetches them. The bytes are claimed
    /// afterwards, because other clients may read the same file, and must not wait for the turn of this client.
    fn permit(&self, offset: u64, length: u64, within: Duration) -> io::Result<Option<Permit>> {
        if !self.entry.wants_fetch(offset, length) {
            return Ok(None);
        }
        let began = Instant::now();
        runtime::handle()?.block_on(async {
            let mut permit = pin!(self.core.permits.take(self.client));
            loop {
                let given = tokio::time::timeout(PERMIT_POLL, &mut permit).await;
                // Another client may have got its turn first, and fetches them.
                if !self.entry.wants_fetch(offset, length) {
                    return Ok(None);
                }
                match given {
                    Ok(permit) => return Ok(Some(permit)),
                    Err(_) if began.elapsed() >= within => return Err(io::ErrorKind::TimedOut.into()),
                    Err(_) => {}
                }
            }
        })
    }

    fn fetch(&self, parts: Range<u32>, permit: Option<Permit>) {
        let Ok(runtime) = runtime::handle() else {
            return self.entry.unclaim(&parts, Some(Failure::Cache("no threads".into())));
        };
        let (core, cache, entry) = (Arc::clone(&self.core), Arc::clone(&self.cache), Arc::clone(&self.entry));
        let client = self.client;
        runtime.spawn(async move {
            let permit = match permit {
                Some(permit) => permit,
                None => core.permits.take(client).await,
            };
            fetch_parts(core, cache, entry, parts, None).await;
            drop(permit);
        });
    }
}

impl Drop for Arriving {
    fn drop(&mut self) {
        self.entry.reader_leaves();
    }
}

impl Arrival for Arriving {
    fn arrived(&self, offset: u64, length: u64) -> u64 {
        self.entry.arrived(offset, length)
    }

    fn wait(&self, offset: u64, length: u64, within: Duration) -> io::Result<Waited> {
        let began = Instant::now();
        let permit = Mutex::new(self.permit(offset, length, within)?);
        let within = within.saturating_sub(began.elapsed());
        let fetch = |parts: Range<u32>| {
            let behind = parts.end;
            self.fetch(parts, permit.lock().take());
            // Prefetch the next ones.
            if let Some(permit) = self.core.permits.try_take(self.client)
                && let Some(next) = self.entry.claim(behind)
            {
                self.fetch(next, Some(permit));
            }
        };
        let damaged = |part: u32| {
            self.core.reports.damaged.fetch_add(1, Ordering::Relaxed);
            if !self.entry.whole {
                let length = u64::from(self.entry.length(part));
                if self.entry.unhold(length) {
                    self.cache.release(length);
                }
            }
            if !self.entry.version.joins() {
                // It can only be fetched again as a whole.
                self.cache.remove(&self.entry);
            }
            tracing::warn!(target: "tuffet::origin",
                root = &*self.core.root,
                file = &*self.entry.path,
                part,
                "a part of a cached file is damaged; it is fetched again"
            );
        };
        self.entry.wait(offset, length, within, &fetch, &damaged)
    }

    fn read_past(&self, offset: u64, length: u64, within: Duration) -> io::Result<Option<Vec<u8>>> {
        let no_room = || NoRoom::full_of_open_files(None);
        if !self.unstored.swap(true, Ordering::Relaxed) {
            self.core.unstored(&self.entry.path, &no_room());
        }
        match Bypass::new(&self.core, ExpectedVersion::of(&self.entry), self.client) {
            Some(bypass) => bypass.read_past(offset, length, within),
            None => Err(no_room().into_io()),
        }
    }
}

fn described(entry: &Arc<Entry>) -> CachedFile {
    CachedFile {
        path: Arc::clone(&entry.path),
        meta: entry.meta.clone(),
        stored: entry.stored().1,
        validated: entry.validated().age(),
        used_unix_ms: entry.used(),
    }
}
