//! Fetches contents into the cache.

use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{FutureExt, StreamExt};
use object_store::GetResult;
use tokio::task::spawn_blocking;
use tuffet_request::ClientKey;

use crate::backend::{Condition, version};
use crate::breaker::jittered;
use crate::cache::{Cache, Entry, PART, Writer};
use crate::core::{Clock, Core, FIRST_PAUSE, MAX_ATTEMPTS};
use crate::failure::{Failure, NoRoom, cause};
use crate::invalidation::may_be_replaced;
use crate::state::FetchKind;
use crate::version::Version;

/// The size of a write, if enough bytes have arrived.
const BATCH_BYTES: usize = 256 << 10;
/// A broken download with this much progress gets a fresh count of attempts.
const PROGRESS_BYTES: u64 = 64 << 10;
/// The minimum rate of a download while readers wait for it, averaged over its time-out.
const MIN_BYTES_PER_SECOND: f64 = 1024.0;

/// An answer with its headers; the body follows.
pub(crate) struct Body {
    pub answer: GetResult,
    pub status: Option<u16>,
    pub clock: Clock,
}

/// Fetches claimed parts of a version, at first from `body` if there is one. Readers get the bytes as they arrive.
pub(crate) async fn fetch_parts(
    core: Arc<Core>,
    cache: Arc<Cache>,
    entry: Arc<Entry>,
    parts: Range<u32>,
    body: Option<Body>,
) {
    // Releases waiting readers, regardless of how this task ends.
    let mut claim = Claim::of(&entry, &parts);
    let mut reserved = reserve(&cache, &entry, to_reserve(&entry, &parts)).await;
    if reserved.is_err() && claim.keep_first() {
        reserved = reserve(&cache, &entry, to_reserve(&entry, &claim.parts)).await;
    }
    let parts = claim.parts.clone();
    let bytes = to_reserve(&entry, &parts);
    let result = match &reserved {
        Ok(()) => stream(&core, &cache, &entry, &parts, body).await,
        Err(failure) => Err(failure.clone()),
    };
    if result.is_err() && reserved.is_ok() && bytes > 0 {
        let missing = parts.clone().filter(|part| !entry.is_stored(*part));
        let missing: u64 = missing.map(|part| u64::from(entry.length(part))).sum();
        if entry.unhold(missing) {
            cache.release(missing);
        }
    }
    if reserved.is_ok() {
        save(&cache, &entry).await;
    }
    let failure = result.err();
    if let Some(failure) = &failure {
        if matches!(failure, Failure::Cache(_)) {
            core.unstored(&entry.path, failure);
        }
        if *failure == Failure::Changed || *failure == Failure::Absent || !entry.version.joins() {
            // The missing parts will never arrive.
            let (cache, entry) = (Arc::clone(&cache), Arc::clone(&entry));
            let _ = spawn_blocking(move || cache.remove(&entry)).await;
        }
    }
    // After `Unread`, a reader that has just arrived starts another fetch.
    claim.end(failure.filter(|failure| *failure != Failure::Unread));
    // The file is idle now, and may be evicted.
    cache.release(0);
}

/// Claimed parts. Other readers may wait for them.
struct Claim {
    entry: Arc<Entry>,
    parts: Range<u32>,
    failure: Option<Failure>,
}

impl Claim {
    fn of(entry: &Arc<Entry>, parts: &Range<u32>) -> Claim {
        entry.fetch_begins();
        Claim { entry: Arc::clone(entry), parts: parts.clone(), failure: None }
    }

    /// Leaves all parts but the first to others, and returns whether there were any.
    fn keep_first(&mut self) -> bool {
        let others = self.parts.start + 1..self.parts.end;
        if others.is_empty() {
            return false;
        }
        self.parts.end = others.start;
        self.entry.unclaim(&others, None);
        true
    }

    fn end(mut self, failure: Option<Failure>) {
        self.failure = failure;
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.entry.unclaim(&self.parts, self.failure.take());
        self.entry.fetch_ends();
    }
}

/// The bytes that parts take of the cache. A file that is fetched whole has its room.
fn to_reserve(entry: &Entry, parts: &Range<u32>) -> u64 {
    if entry.whole { 0 } else { parts.clone().map(|part| u64::from(entry.length(part))).sum() }
}

async fn reserve(cache: &Arc<Cache>, entry: &Arc<Entry>, bytes: u64) -> Result<(), Failure> {
    if bytes == 0 {
        return Ok(());
    }
    let (cache, entry) = (Arc::clone(cache), Arc::clone(entry));
    let reserved = spawn_blocking(move || {
        let reserved = cache.reserve(bytes);
        if reserved && !entry.hold(bytes) {
            cache.release(bytes);
        }
        reserved
    });
    match reserved.await {
        Ok(true) => Ok(()),
        Ok(false) => Err(NoRoom::full_of_open_files(None)),
        Err(_) => Err(Failure::Cache("the cache failed".into())),
    }
}

/// Writes the record of a file if possible. Without a record, the file is fetched again after a restart.
pub(crate) async fn save(cache: &Arc<Cache>, entry: &Arc<Entry>) {
    let (saving, saved) = (Arc::clone(cache), Arc::clone(entry));
    if let Ok(Err(error)) = spawn_blocking(move || saving.make_room_for(|| saving.save(&saved))).await {
        tracing::warn!(target: "tuffet::origin",
            file = &*entry.path,
            error = &*cache.explain(&error, None).reason(),
            "the index of a cache cannot be written; after a restart the file is fetched again"
        );
    }
}

/// Receives parts, with as many requests as necessary.
async fn stream(
    core: &Arc<Core>,
    cache: &Arc<Cache>,
    entry: &Arc<Entry>,
    parts: &Range<u32>,
    mut body: Option<Body>,
) -> Result<(), Failure> {
    let end = (u64::from(parts.end) * PART).min(entry.meta.size);
    let first = parts.start;
    let (room, opened, wanted) = (Arc::clone(cache), Arc::clone(entry), ExpectedVersion::of(entry));
    let writer = spawn_blocking(move || Writer::open(&room, &opened, first)).await;
    let writer = writer.unwrap_or_else(|_| Err(io::ErrorKind::Other.into()));
    let Some(mut writer) = writer.map_err(|error| cache.explain(&error, None))? else {
        // The file was removed from the cache.
        return Err(Failure::Changed);
    };
    let mut attempt = 1;
    loop {
        let from = writer.at();
        let Body { answer, status, clock } = match body.take() {
            Some(body) => body,
            // An upload may have replaced it with another content under the same ETag.
            None if entry.is_removed() => return Err(Failure::Changed),
            None => ask(core, &wanted, from..end).await?,
        };
        if core.no_ranges.load(Ordering::Relaxed) {
            entry.set_streamed();
        }
        let skip = from.saturating_sub(answer.range.start);
        let mut receiver = Receiver::new(answer.into_stream(), core.backend.timeout, skip, end - from);
        let (back, result) = receive(core, cache, entry, writer, &mut receiver).await;
        let received = end - from - receiver.left;
        clock.end(core, status, received, result.as_ref().err());
        let Some(back) = back else {
            return Err(result.err().unwrap_or_else(|| Failure::Cache("the cache failed".into())));
        };
        writer = back;
        let Err(failure) = result else { return Ok(()) };
        // `attempts` has already reported the answer itself: the origin is reachable.
        core.reports.failures.fetch_add(u64::from(failure.passes()), Ordering::Relaxed);
        attempt = if received >= PROGRESS_BYTES { 1 } else { attempt + 1 };
        if !failure.passes() || attempt > MAX_ATTEMPTS || !entry.version.joins() {
            return Err(failure);
        }
        tokio::time::sleep(jittered(FIRST_PAUSE * 2u32.pow(attempt))).await;
    }
}

/// The version of a file that answers must have.
#[derive(Debug, Clone)]
pub(crate) struct ExpectedVersion {
    pub path: Arc<str>,
    pub version: Version,
    pub size: u64,
    /// As in [`Entry::uploads`].
    pub uploads: u64,
}

impl ExpectedVersion {
    pub fn of(entry: &Entry) -> Self {
        let (path, version) = (Arc::clone(&entry.path), entry.version.clone());
        Self { path, version, size: entry.meta.size, uploads: entry.uploads }
    }
}

/// Fetches some bytes of a version into memory.
pub(crate) async fn fetch_piece(
    core: &Arc<Core>,
    wanted: &ExpectedVersion,
    client: ClientKey,
    range: Range<u64>,
) -> Result<Vec<u8>, Failure> {
    let _permit = core.permits.take(client).await;
    let mut bytes = Vec::new();
    let mut attempt = 1;
    loop {
        let from = range.start + bytes.len() as u64;
        let Body { answer, status, clock } = ask(core, wanted, from..range.end).await?;
        let result = match answer.range.start == from {
            true => {
                let left = range.end - from;
                let stream = answer.into_stream();
                let mut receiver = Receiver::new(stream, core.backend.timeout, 0, left);
                collect(core, &mut receiver, &mut bytes).await
            }
            // Otherwise each piece would fetch the whole file.
            false => Err(Failure::NoRanges),
        };
        let received = range.start + bytes.len() as u64 - from;
        clock.end(core, status, received, result.as_ref().err());
        let Err(failure) = result else { return Ok(bytes) };
        // `attempts` has already reported the answer itself: the origin is reachable.
        core.reports.failures.fetch_add(u64::from(failure.passes()), Ordering::Relaxed);
        attempt += 1;
        if !failure.passes() || attempt > MAX_ATTEMPTS {
            return Err(failure);
        }
        tokio::time::sleep(jittered(FIRST_PAUSE * 2u32.pow(attempt))).await;
    }
}

async fn collect(core: &Core, receiver: &mut Receiver, bytes: &mut Vec<u8>) -> Result<(), Failure> {
    while receiver.left > 0 {
        for piece in receiver.next().await? {
            core.reports.received.fetch_add(piece.len() as u64, Ordering::Relaxed);
            bytes.extend_from_slice(&piece);
        }
    }
    Ok(())
}

/// Requests bytes of a version, and checks that the answer has this version.
async fn ask(core: &Arc<Core>, file: &ExpectedVersion, range: Range<u64>) -> Result<Body, Failure> {
    let ExpectedVersion { path, version: wanted, size, uploads } = file;
    if !wanted.joins() {
        // Another answer may have different bytes.
        return Err(Failure::Changed);
    }
    let all = 0..*size;
    loop {
        let ranged = range != all && !core.no_ranges.load(Ordering::Relaxed);
        let kind = if ranged { FetchKind::Range } else { FetchKind::Whole };
        let part = ranged.then_some(&range);
        let attempt = || {
            let condition = Condition { only: Some(wanted), range: part.cloned(), ..Condition::default() };
            core.backend.get(path, condition)
        };
        let (result, status, clock) = core.attempts(path, kind, attempt).await;
        return match result {
            Ok(answer)
                if version(&answer.meta) == *wanted
                    && answer.meta.size == *size
                    && !may_be_replaced(core, path, *uploads) =>
            {
                Ok(Body { answer, status, clock })
            }
            Ok(_) => {
                clock.end(core, status, 0, Some(&Failure::Changed));
                Err(Failure::Changed)
            }
            Err(Failure::NoRanges) => {
                core.no_ranges.store(true, Ordering::Relaxed);
                continue;
            }
            // The file has become shorter than the range.
            Err(_) if status == Some(416) => Err(Failure::Changed),
            Err(failure) => Err(failure),
        };
    }
}

/// The requested bytes of an answer.
struct Receiver {
    stream: BoxStream<'static, object_store::Result<Bytes>>,
    /// The longest time without a byte.
    within: Duration,
    skip: u64,
    left: u64,
    /// The time spent waiting since the last check of the rate, and the bytes received in it.
    waited: Duration,
    came: usize,
}

impl Receiver {
    fn new(
        stream: BoxStream<'static, object_store::Result<Bytes>>,
        within: Duration,
        skip: u64,
        left: u64,
    ) -> Self {
        Self { stream, within, skip, left, waited: Duration::ZERO, came: 0 }
    }

    /// Whether the rate is too low. A trickle of bytes must not hold a permit forever.
    fn drips(&mut self, bytes: usize) -> bool {
        self.came += bytes;
        if self.waited < self.within {
            return false;
        }
        let drips = (self.came as f64) < MIN_BYTES_PER_SECOND * self.waited.as_secs_f64();
        (self.waited, self.came) = (Duration::ZERO, 0);
        drips
    }

    /// Waits for at least one byte, and returns all bytes that have arrived.
    async fn next(&mut self) -> Result<Vec<Bytes>, Failure> {
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while self.left > 0 && bytes < BATCH_BYTES {
            let next = match self.stream.next().now_or_never() {
                Some(next) => next,
                None if !batch.is_empty() => break,
                None => {
                    let began = Instant::now();
                    let next = tokio::time::timeout(self.within, self.stream.next()).await;
                    self.waited += began.elapsed();
                    match next {
                        Ok(next) => next,
                        Err(_) => return Err(failing(format!("no byte within {:?}", self.within))),
                    }
                }
            };
            match next {
                Some(Ok(mut piece)) => {
                    let skipped = (piece.len() as u64).min(self.skip);
                    self.skip -= skipped;
                    // At most the length of the piece.
                    let mut piece = piece.split_off(skipped as usize);
                    piece.truncate(usize::try_from(self.left).unwrap_or(usize::MAX));
                    if !piece.is_empty() {
                        self.left -= piece.len() as u64;
                        bytes += piece.len();
                        batch.push(piece);
                    }
                }
                Some(Err(error)) if batch.is_empty() => {
                    return Err(failing(format!("the download broke off: {}", cause(&error))));
                }
                // Return the bytes received before; the stream has ended.
                Some(Err(_)) => break,
                None if batch.is_empty() => return Err(failing("the download ended early".into())),
                None => break,
            }
        }
        if self.left > 0 && self.drips(bytes) {
            return Err(failing(format!(
                "less than {MIN_BYTES_PER_SECOND} bytes a second within {:?}",
                self.within
            )));
        }
        Ok(batch)
    }
}

fn failing(why: String) -> Failure {
    Failure::Failing(why.into())
}

/// Writes received bytes. Returns the writer unless its thread panicked.
async fn receive(
    core: &Core,
    cache: &Arc<Cache>,
    entry: &Entry,
    mut writer: Writer,
    receiver: &mut Receiver,
) -> (Option<Writer>, Result<(), Failure>) {
    let mut read = Instant::now();
    while receiver.left > 0 {
        // Keep fetching for a while: a client that retries soon finds the file arriving.
        if entry.is_read() {
            read = Instant::now();
        } else if read.elapsed() >= receiver.within {
            return (Some(writer), Err(Failure::Unread));
        }
        let batch = match receiver.next().await {
            Ok(batch) => batch,
            Err(failure) => return (Some(writer), Err(failure)),
        };
        let bytes: usize = batch.iter().map(Bytes::len).sum();
        core.reports.received.fetch_add(bytes as u64, Ordering::Relaxed);
        let room = Arc::clone(cache);
        let written = spawn_blocking(move || {
            let result = batch.iter().try_for_each(|piece| {
                let start = writer.at();
                room.make_room_for(|| writer.write(&piece[(writer.at() - start) as usize..]))
            });
            (writer, result)
        });
        let Ok((back, result)) = written.await else {
            return (None, Err(Failure::Cache("the cache failed".into())));
        };
        writer = back;
        if let Err(error) = result {
            return (Some(writer), Err(cache.explain(&error, None)));
        }
    }
    (Some(writer), Ok(()))
}
