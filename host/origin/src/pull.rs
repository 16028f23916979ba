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
use crate::core::{ATTEMPTS, Clock, Core};
use crate::failure::{Failure, NoRoom, cause};
use crate::invalidation::uploads_of;
use crate::state::FetchKind;
use crate::version::Version;

/// Bytes that are written at once, if so many are there.
const BATCH: usize = 256 << 10;
/// A download that got so much further counts as a new one when it breaks off.
const PROGRESS: u64 = 64 << 10;
/// Bytes a second that a download must bring while it is waited for, on the average of its time-out.
const SLOWEST: f64 = 1024.0;

/// An answer whose headers have come.
pub(crate) struct Body {
    pub answer: GetResult,
    pub status: Option<u16>,
    pub clock: Clock,
}

/// Fetches claimed parts of a version: from an answer that begins with the first of them, if there is one. Readers get
/// the bytes as they arrive.
pub(crate) async fn pull(
    core: Arc<Core>,
    cache: Arc<Cache>,
    entry: Arc<Entry>,
    parts: Range<u32>,
    body: Option<Body>,
) {
    // Whatever becomes of this task, nobody waits for it in vain.
    let claim = Claim::of(&entry, &parts);
    let bytes = if entry.whole { 0 } else { parts.clone().map(|part| u64::from(entry.length(part))).sum() };
    let reserved = reserve(&cache, &entry, bytes).await;
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
            // What is missing will never come.
            let (cache, entry) = (Arc::clone(&cache), Arc::clone(&entry));
            let _ = spawn_blocking(move || cache.remove(&entry)).await;
        }
    }
    // Who comes just now has it fetched again.
    claim.end(failure.filter(|failure| *failure != Failure::Unread));
    // From now on it may make room.
    cache.release(0);
}

/// Claimed parts, which others wait for.
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

/// Writes the record of a file, if that is possible: without one the file is fetched again after a restart.
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

/// Receives parts, in as many requests as it takes.
async fn stream(
    core: &Arc<Core>,
    cache: &Arc<Cache>,
    entry: &Arc<Entry>,
    parts: &Range<u32>,
    mut body: Option<Body>,
) -> Result<(), Failure> {
    let end = (u64::from(parts.end) * PART).min(entry.meta.size);
    let first = parts.start;
    let (room, opened, wanted) = (Arc::clone(cache), Arc::clone(entry), Wanted::of(entry));
    let writer = spawn_blocking(move || Writer::open(&room, &opened, first)).await;
    let writer = writer.unwrap_or_else(|_| Err(io::ErrorKind::Other.into()));
    let Some(mut writer) = writer.map_err(|error| cache.explain(&error, None))? else {
        // It was removed.
        return Err(Failure::Changed);
    };
    let mut attempt = 1;
    loop {
        let from = writer.at();
        let Body { answer, status, clock } = match body.take() {
            Some(body) => body,
            // An upload may have replaced it by bytes under the same ETag.
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
        // The answer itself has been judged: the origin is there.
        core.reports.failures.fetch_add(u64::from(failure.passes()), Ordering::Relaxed);
        attempt = if received >= PROGRESS { 1 } else { attempt + 1 };
        if !failure.passes() || attempt > ATTEMPTS || !entry.version.joins() {
            return Err(failure);
        }
        tokio::time::sleep(jittered(Duration::from_millis(100) * 2u32.pow(attempt))).await;
    }
}

/// A version of a file.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    pub path: Arc<str>,
    pub version: Version,
    pub size: u64,
    /// As in [`Entry::uploads`].
    pub uploads: u64,
}

impl Wanted {
    pub fn of(entry: &Entry) -> Self {
        let (path, version) = (Arc::clone(&entry.path), entry.version.clone());
        Self { path, version, size: entry.meta.size, uploads: entry.uploads }
    }
}

/// Fetches some bytes of a version into memory.
pub(crate) async fn piece(
    core: &Arc<Core>,
    wanted: &Wanted,
    client: ClientKey,
    range: Range<u64>,
) -> Result<Vec<u8>, Failure> {
    let _place = core.places.take(client).await;
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
            // The whole file, for each piece.
            false => Err(Failure::NoRanges),
        };
        let received = range.start + bytes.len() as u64 - from;
        clock.end(core, status, received, result.as_ref().err());
        let Err(failure) = result else { return Ok(bytes) };
        // The answer itself has been judged: the origin is there.
        core.reports.failures.fetch_add(u64::from(failure.passes()), Ordering::Relaxed);
        attempt += 1;
        if !failure.passes() || attempt > ATTEMPTS {
            return Err(failure);
        }
        tokio::time::sleep(jittered(Duration::from_millis(100) * 2u32.pow(attempt))).await;
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

/// Asks for bytes of a version, and makes sure that they are of this version.
async fn ask(core: &Arc<Core>, file: &Wanted, range: Range<u64>) -> Result<Body, Failure> {
    let Wanted { path, version: wanted, size, uploads } = file;
    if !wanted.joins() {
        // Another answer may have other bytes.
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
                    && uploads_of(core, path).load(Ordering::Acquire) == *uploads =>
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
            // The range is not in the file any more.
            Err(_) if status == Some(416) => Err(Failure::Changed),
            Err(failure) => Err(failure),
        };
    }
}

/// The bytes of an answer, up to those that are wanted.
struct Receiver {
    stream: BoxStream<'static, object_store::Result<Bytes>>,
    /// The longest time without a byte.
    within: Duration,
    skip: u64,
    left: u64,
    /// The time that was spent waiting since the rate was last judged, and what came meanwhile.
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

    /// Whether it brings too little: a few bytes now and then would hold its place for ever.
    fn drips(&mut self, bytes: usize) -> bool {
        self.came += bytes;
        if self.waited < self.within {
            return false;
        }
        let drips = (self.came as f64) < SLOWEST * self.waited.as_secs_f64();
        (self.waited, self.came) = (Duration::ZERO, 0);
        drips
    }

    /// The bytes that are there, at least one; `None` at the end.
    async fn next(&mut self) -> Result<Vec<Bytes>, Failure> {
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while self.left > 0 && bytes < BATCH {
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
                    // Both are at most the length of the piece.
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
                // What came before is kept; the stream has ended.
                Some(Err(_)) => break,
                None if batch.is_empty() => return Err(failing("the download ended early".into())),
                None => break,
            }
        }
        if self.left > 0 && self.drips(bytes) {
            return Err(failing(format!("less than {SLOWEST} bytes a second within {:?}", self.within)));
        }
        Ok(batch)
    }
}

fn failing(why: String) -> Failure {
    Failure::Failing(why.into())
}

/// Writes what is received. The writer is lost if a thread was.
async fn receive(
    core: &Core,
    cache: &Arc<Cache>,
    entry: &Entry,
    mut writer: Writer,
    receiver: &mut Receiver,
) -> (Option<Writer>, Result<(), Failure>) {
    let mut read = Instant::now();
    while receiver.left > 0 {
        // A client that asks again soon finds it arriving.
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
