//! Reads and writes for a transfer, done on threads of its disk.

use super::key::Key;
use super::sink::{Write, Written};
use super::source::NextRead;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::AbortHandle;
use tuffet_request::settings::TimeLimit;
use tuffet_store::{Ahead, Checksum, Disk, Lane, OpenFile, Room, StoreError, Undone};

/// An operation that may wait for a disk.
pub struct DiskWork {
    key: Key,
    operation: DiskOperation,
}

enum DiskOperation {
    Read(Read),
    Write(Box<Write>, TimeLimit),
}

struct Read {
    file: Arc<OpenFile>,
    offset: u64,
    least: usize,
    length: usize,
    room: Option<Room>,
    known: Option<Checksum>,
    /// How long it may take.
    within: Duration,
}

/// The result of an operation, for the transfer or group of its key.
pub enum DiskResult {
    /// The result of a read.
    Read {
        /// The reader.
        key: Key,
        /// The bytes; `None` if the file has changed.
        result: io::Result<Option<Ahead>>,
    },
    /// The result of a write.
    Written {
        /// The transfer.
        key: Key,
        /// The upload, and whether the write succeeded.
        written: Box<Written>,
    },
}

impl DiskWork {
    /// A read for the transfer or group of this key, which waits so long for it; `None` if there is no memory for it, and
    /// none is needed now.
    pub(super) fn read(key: Key, file: Arc<OpenFile>, next: NextRead, within: Duration) -> Option<DiskWork> {
        let NextRead { offset, least, most, known } = next;
        let room = file.disk().room_ahead(most);
        let length = if room.is_some() { most } else { least };
        let read = Read { file, offset, least, length, room, known, within };
        (length > 0).then_some(DiskWork { key, operation: DiskOperation::Read(read) })
    }

    /// A write of the upload of this transfer.
    pub(super) fn write(key: Key, write: Write, limit: TimeLimit) -> DiskWork {
        DiskWork { key, operation: DiskOperation::Write(Box::new(write), limit) }
    }

    /// Runs the operation on a thread of its disk; `post` gets the result.
    pub fn submit(self, post: impl Fn(DiskResult) + Send + Sync + 'static) {
        let (key, post) = (self.key, Arc::new(post));
        let instead = Arc::clone(&post);
        let disk = Arc::clone(self.disk());
        let root = Arc::clone(disk.root());
        match &self.operation {
            DiskOperation::Read(Read { file, within, .. }) => {
                let (client, within) = (file.client(), *within);
                let undone = move |why| instead(DiskResult::Read { key, result: Err(not_done(why, &root)) });
                disk.submit(Lane::Read, client, within, move || post(self.run()), undone);
            }
            DiskOperation::Write(write, limit) => {
                let (client, limit) = (write.upload.client(), *limit);
                let undone = move |why| {
                    let written = Box::new(Written::lost(not_written(why, &root, limit)));
                    instead(DiskResult::Written { key, written });
                };
                disk.submit_anyway(Lane::Write, client, limit.within, move || post(self.run()), undone);
            }
        }
    }

    /// Whether the program supplies or takes the content: [`DiskWork::supply`] then replaces [`DiskWork::submit`].
    pub fn is_supplied(&self) -> bool {
        match &self.operation {
            DiskOperation::Read(read) => read.file.program().is_some(),
            DiskOperation::Write(write, _) => write.upload.is_supplied(),
        }
    }

    /// Runs the operation by a task, which is ended if it takes too long or this future is dropped. Must be called within
    /// a tokio runtime.
    pub async fn supply(self) -> DiskResult {
        let (key, root) = (self.key, Arc::clone(self.disk().root()));
        match self.operation {
            DiskOperation::Read(Read { file, offset, least, length, room, within, .. }) => {
                let read = in_time(within, async move {
                    // Only content of the program gets here: threads read the rest.
                    let file = file.program().ok_or(io::ErrorKind::Unsupported)?;
                    file.read_ahead(offset, least, length, room).await
                });
                let result = read.await.unwrap_or_else(|why| Err(not_done(why, &root)));
                DiskResult::Read { key, result }
            }
            DiskOperation::Write(write, limit) => {
                let written = in_time(limit.within, write.supply()).await;
                let written = written.unwrap_or_else(|why| Written::lost(not_written(why, &root, limit)));
                DiskResult::Written { key, written: Box::new(written) }
            }
        }
    }

    /// Runs the operation. Blocks on the disk.
    pub fn run(self) -> DiskResult {
        let key = self.key;
        match self.operation {
            DiskOperation::Read(Read { file, offset, length, room, known, .. }) => {
                let result = match known {
                    Some(known) => file.read_proven(offset, length, &known, room),
                    None => file.read_ahead(offset, length, room),
                };
                DiskResult::Read { key, result }
            }
            DiskOperation::Write(write, _) => DiskResult::Written { key, written: Box::new(write.run()) },
        }
    }

    fn disk(&self) -> &Arc<Disk> {
        match &self.operation {
            DiskOperation::Read(read) => read.file.disk(),
            DiskOperation::Write(write, _) => write.upload.disk(),
        }
    }
}

/// Runs a future of the program in a task of its own, so that a panic ends that task alone.
async fn in_time<T: Send + 'static>(
    within: Duration,
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, Undone> {
    let task = tokio::spawn(work);
    let _ends = AbortOnDrop(task.abort_handle());
    match tokio::time::timeout(within, task).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(_)) => Err(Undone::Panicked),
        Err(_) => Err(Undone::Late),
    }
}

/// Ends a task that is no longer waited for; after its end it does nothing.
struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The error of a root that does not answer in time.
pub(super) fn unresponsive(root: &str, limit: TimeLimit) -> StoreError {
    let TimeLimit { within, setting } = limit;
    let within = humantime::format_duration(within);
    StoreError::Unresponsive(format!("root `{root}` did not answer within {within} ({setting})"))
}

fn not_written(why: Undone, root: &str, limit: TimeLimit) -> StoreError {
    match why {
        Undone::Late => unresponsive(root, limit),
        why => StoreError::Io(not_done(why, root)),
    }
}

fn not_done(why: Undone, root: &str) -> io::Error {
    io::Error::other(match why {
        Undone::Late => format!("root `{root}` does not answer"),
        Undone::NoThread => format!("the system has no thread for root `{root}`"),
        Undone::Full => format!("too many operations wait for root `{root}`"),
        Undone::Panicked => "a bug: reading or writing panicked".into(),
    })
}
