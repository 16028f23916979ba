//! Content that a plugin makes in parts, while clients read what there is of it.
//!
//! The bytes are in a file without a name, in memory. Readers open it as a file whose bytes arrive, as those of an
//! origin do: a worker never waits for a part, and a content that ends early ends its transfers with an error.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use rustix::fs::{MemfdFlags, memfd_create};
use tokio::time::Instant;

use super::call::Asker;
use super::convert;
use super::failure::{Cause, Failure};
use super::plugin::Plugin;
use super::renderings::PluginContent;
use tuffet_store::{Arrival, ContentId, OpenFile, RemoteFile, RemoteMeta, Waited};

/// The longest part that a plugin is asked for, in bytes.
const PART: u64 = 1 << 20;
/// How long a plugin without a free instance is asked again for a part.
const BUSY: Duration = Duration::from_secs(30);
/// The pause before that.
const PAUSE: Duration = Duration::from_millis(100);

/// A content as the plugin announced it.
#[derive(Debug, Clone)]
pub(super) struct Announced {
    pub name: Option<String>,
    pub size: u64,
    pub ttl: Option<Duration>,
}

/// The memory that the contents of a plugin may take, all together.
#[derive(Debug)]
pub(super) struct Rooms {
    most: u64,
    taken: AtomicU64,
}

/// A part of it, given back with the content.
#[derive(Debug)]
struct Room {
    rooms: Arc<Rooms>,
    bytes: u64,
}

impl Rooms {
    pub fn new(most: u64) -> Arc<Rooms> {
        Arc::new(Rooms { most, taken: AtomicU64::new(0) })
    }

    fn take(self: &Arc<Self>, bytes: u64) -> Option<Room> {
        let fits = |taken: u64| taken.checked_add(bytes).filter(|sum| *sum <= self.most);
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).ok()?;
        Some(Room { rooms: Arc::clone(self), bytes })
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.rooms.taken.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// The bytes of a content, as they arrive. Its readers own it: without any, nothing more is made.
#[derive(Debug)]
pub(super) struct Parts {
    file: Arc<File>,
    size: u64,
    arrived: AtomicU64,
    failed: Mutex<Option<String>>,
    changed: Condvar,
    _room: Option<Room>,
}

impl Parts {
    fn create(size: u64, room: Option<Room>) -> io::Result<Parts> {
        let file = Arc::new(File::from(memfd_create("tuffet-content", MemfdFlags::CLOEXEC)?));
        file.set_len(size)?;
        Ok(Parts {
            file,
            size,
            arrived: AtomicU64::new(0),
            failed: Mutex::default(),
            changed: Condvar::new(),
            _room: room,
        })
    }

    pub fn has_failed(&self) -> bool {
        self.failure().is_some()
    }

    fn failure(&self) -> MutexGuard<'_, Option<String>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the bytes that follow those so far.
    fn take(&self, bytes: &[u8]) -> io::Result<u64> {
        let offset = self.arrived.load(Ordering::Relaxed);
        self.file.write_all_at(bytes, offset)?;
        let arrived = offset + bytes.len() as u64;
        let failed = self.failure();
        self.arrived.store(arrived, Ordering::Release);
        drop(failed);
        self.changed.notify_all();
        Ok(arrived)
    }

    fn fail(&self, why: String) {
        self.failure().get_or_insert(why);
        self.changed.notify_all();
    }
}

impl Arrival for Parts {
    fn arrived(&self, offset: u64, length: u64) -> u64 {
        self.arrived.load(Ordering::Acquire).saturating_sub(offset).min(length)
    }

    fn wait(&self, offset: u64, length: u64, within: Duration) -> io::Result<Waited> {
        let end = std::time::Instant::now() + within;
        let mut failed = self.failure();
        loop {
            if self.arrived(offset, length) == length {
                return Ok(Waited::Arrived);
            }
            if let Some(why) = &*failed {
                return Err(io::Error::other(why.clone()));
            }
            let left = end.saturating_duration_since(std::time::Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            let waited = self.changed.wait_timeout(failed, left);
            failed = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Opens a content, and has the plugin make it unless this is a rehearsal.
///
/// # Errors
/// There is no room for it; or the system has no memory.
pub(super) fn begin(
    plugin: &Arc<Plugin>,
    key: &Arc<str>,
    announced: &Announced,
    asker: Asker,
) -> Result<PluginContent, Failure> {
    let size = announced.size;
    let rehearses = asker.rehearsal.is_some();
    let room = match rehearses {
        true => None,
        false => Some(plugin.renderings.room(|rooms| rooms.take(size)).ok_or_else(|| {
            let detail = format!("there is no room for {size} bytes of content in parts (limits.parts)");
            Failure::new(Cause::Busy, detail)
        })?),
    };
    let no_memory =
        |error: io::Error| Failure::new(Cause::Busy, format!("no memory for content in parts: {error}"));
    let parts = Arc::new(Parts::create(size, room).map_err(no_memory)?);
    let arrival: Arc<dyn Arrival> = Arc::clone(&parts) as _;
    let meta = RemoteMeta { size, version: Arc::clone(key), modified_unix_ms: 0 };
    let (file, content) = (Arc::clone(&parts.file), ContentId::unused());
    let found = RemoteFile { file, content, meta, arrival: Some(arrival), place: None };
    let maker: Arc<str> = format!("plugin {}", plugin.name).into();
    let file = OpenFile::made(found, &maker).map_err(|error| no_memory(io::Error::other(error)))?;
    let content = PluginContent::in_parts(announced.name.as_deref(), Arc::new(file), &parts);
    if !rehearses {
        let filling = Filling { parts: Arc::downgrade(&parts) };
        let asker = Asker { probes: false, patience: None, ..asker };
        tokio::spawn(fill(Arc::clone(plugin), Arc::clone(key), filling, asker));
    }
    Ok(content)
}

/// The bytes of the next part to ask for, of so many that are left.
pub(super) fn part_length(max_content: u64, left: u64) -> u32 {
    PART.min(max_content).min(left).max(1) as u32
}

/// A content that is being made. However that ends, nobody waits for the rest.
struct Filling {
    parts: Weak<Parts>,
}

impl Drop for Filling {
    fn drop(&mut self) {
        if let Some(parts) = self.parts.upgrade().filter(|parts| parts.arrived(0, parts.size) < parts.size) {
            parts.fail("the server ended the rendering".into());
        }
    }
}

async fn fill(plugin: Arc<Plugin>, key: Arc<str>, filling: Filling, asker: Asker) {
    let mut offset = 0;
    let mut busy_since: Option<Instant> = None;
    loop {
        // Without readers the rest is not needed.
        let Some(size) = filling.parts.upgrade().map(|parts| parts.size) else { return };
        if offset == size {
            return;
        }
        let length = part_length(plugin.limits.content, size - offset);
        let call = async |asker| {
            let part = plugin.part(&key, offset, length, asker).await?;
            convert::part(part, offset, length)
        };
        let failed = match Box::pin(plugin.guarded("render", asker.clone(), None, call)).await {
            Ok(Ok(bytes)) => {
                busy_since = None;
                let Some(parts) = filling.parts.upgrade() else { return };
                match parts.take(&bytes) {
                    Ok(arrived) => {
                        offset = arrived;
                        continue;
                    }
                    Err(error) => format!("no memory for it: {error}"),
                }
            }
            Ok(Err(denial)) => format!("it refused the part at byte {offset}: {}", denial.reason),
            Err(failure) if failure.cause == Cause::Busy => {
                if busy_since.get_or_insert_with(Instant::now).elapsed() < BUSY {
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
                failure.detail
            }
            Err(failure) => failure.detail,
        };
        if plugin.access.notes.take() {
            tracing::warn!(
                target: "tuffet::policy",
                plugin = %plugin.name,
                hook = "render",
                failure = "part",
                "a plugin failed in the middle of a content, at byte {offset} of {size}: {failed}"
            );
        }
        if let Some(parts) = filling.parts.upgrade() {
            parts.fail(failed);
        }
        return;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_get_what_has_arrived_and_learn_of_a_failure() {
        let parts = Arc::new(Parts::create(10, None).unwrap());
        assert_eq!(parts.take(b"12345").unwrap(), 5);
        assert_eq!((parts.arrived(0, 10), parts.arrived(4, 10), parts.arrived(7, 1)), (5, 1, 0));
        assert_eq!(parts.wait(0, 5, Duration::ZERO).unwrap(), Waited::Arrived);
        assert_eq!(parts.wait(0, 6, Duration::ZERO).unwrap_err().kind(), io::ErrorKind::TimedOut);
        let waits = Arc::clone(&parts);
        let waiting = std::thread::spawn(move || waits.wait(5, 5, Duration::from_secs(60)));
        parts.take(b"67890").unwrap();
        assert_eq!(waiting.join().unwrap().unwrap(), Waited::Arrived);

        let parts = Arc::new(Parts::create(10, None).unwrap());
        parts.take(b"1").unwrap();
        let waits = Arc::clone(&parts);
        let waiting = std::thread::spawn(move || waits.wait(0, 2, Duration::from_secs(60)));
        drop(Filling { parts: Arc::downgrade(&parts) });
        assert_eq!(waiting.join().unwrap().unwrap_err().to_string(), "the server ended the rendering");
        assert!(parts.has_failed());
        assert_eq!(parts.wait(0, 1, Duration::ZERO).unwrap(), Waited::Arrived, "what is there is there");
    }

    #[test]
    fn room_is_bounded_and_given_back() {
        let rooms = Rooms::new(10);
        let six = rooms.take(6);
        assert!(six.is_some() && rooms.take(5).is_none() && rooms.take(u64::MAX).is_none());
        let four = rooms.take(4);
        assert!(four.is_some());
        drop(six);
        assert!(rooms.take(6).is_some());
    }
}
