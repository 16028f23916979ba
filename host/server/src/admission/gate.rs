//! Runs `accept-upload` before publishing an upload, which is complete and on disk by then.

use crate::content::Outstanding;
use crate::generation::{Generation, within};
use futures_util::FutureExt;
use std::io;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;
use tokio::runtime::Handle;

use tokio::time::timeout;
use tuffet_engine::worker::{Gate, Key, Stored, ToWorker};
use tuffet_policy::{Destination, UploadVerdict};
use tuffet_request::events::{CompactRecord, DecisionRecord};
use tuffet_request::settings::TimeLimit;
use tuffet_request::{ClientKey, Trail, What};
use tuffet_store::{Disk, Lane, StoreError, Undone, Upload};

impl Gate for Generation {
    fn pass(
        &self,
        upload: Upload,
        record: Arc<CompactRecord>,
        limit: TimeLimit,
    ) -> Pin<Box<dyn Future<Output = Stored> + Send + '_>> {
        Box::pin(async move {
            let mut record = record.expand();
            // After a panic the client must still get an answer.
            let asking = AssertUnwindSafe(self.ask(upload, &mut record, limit)).catch_unwind();
            let result = asking.await.unwrap_or_else(|_| Err(panicked()));
            Stored { result, record: Some(Arc::new(CompactRecord::from(&record))) }
        })
    }
}

impl Generation {
    /// Calls the `accept-upload` chain and executes its decision. Updates the record accordingly.
    async fn ask(
        &self,
        upload: Upload,
        record: &mut DecisionRecord,
        limit: TimeLimit,
    ) -> Result<(), StoreError> {
        let disk = &UploadDisk::of(&upload, limit);
        let seal = move || upload.seal().map(|sealed| (upload, sealed));
        let (mut upload, sealed) = on_disk(disk, seal).await?;
        let outstanding = &self.files.outstanding;
        let call = outstanding.call();
        let accepting = self.policy.accept_upload(&record.request, &upload, sealed);
        let Some(accepted) = outstanding.until_stopped(accepting).await else {
            return refuse(disk, upload, StoreError::STOPPED).await;
        };
        drop(call);
        record.plugin_calls += accepted.calls;
        if accepted.by.is_some() {
            record.verdict_by = accepted.by;
        }
        let began = Instant::now();
        let result = match accepted.answer {
            Ok(UploadVerdict::Abstain | UploadVerdict::Accept) => {
                publish(outstanding, disk, upload, false, record).await
            }
            // A root of the program finds a free name itself.
            Ok(UploadVerdict::Rename(to)) if to.next_free && disk.disk.is_some() => {
                let (roots, root) = (self.files.roots.clone(), upload.root().to_owned());
                let stored = on_disk(disk, move || roots.commit_as_free(upload, &to)).await;
                stored.map(|path| record.resolved = Some(format!("{root}:{path}").into()))
            }
            Ok(UploadVerdict::Rename(Destination { path, next_free })) => {
                record.resolved = Some(format!("{}:{path}", upload.root()).into());
                let roots = self.files.roots.clone();
                match on_disk(disk, move || roots.redirect(&mut upload, &path).map(|()| upload)).await {
                    Ok(upload) => publish(outstanding, disk, upload, next_free, record).await,
                    Err(error) => Err(error),
                }
            }
            Ok(UploadVerdict::Deny(denial)) => refuse(disk, upload, StoreError::Refused(denial)).await,
            Err(no_answer) => refuse(disk, upload, StoreError::Unjudged(no_answer.reason())).await,
        };
        note(record.request.trail.as_deref(), began, &result);
        result
    }
}

impl Generation {
    /// Has the `accept-upload` chain judge a complete upload of another protocol, if there is one, and publishes it.
    pub(super) async fn store(
        self: &Arc<Self>,
        upload: Upload,
        record: Arc<CompactRecord>,
        limit: TimeLimit,
    ) -> Stored {
        if self.policy.gates_uploads(record.listener()) {
            return self.pass(upload, record, limit).await;
        }
        let began = Instant::now();
        let (root, path) = (upload.root().to_owned(), upload.path().to_owned());
        let disk = UploadDisk::of(&upload, limit);
        let stored = make_visible(&self.files.outstanding, &disk, upload, false).await;
        finish(&record, began, (&root, &path), stored)
    }
}

/// Publishes an upload without a chain.
pub(super) fn commit(
    runtime: &Handle,
    outstanding: &Outstanding,
    limit: TimeLimit,
    upload: Upload,
    record: Arc<CompactRecord>,
    key: Key,
    post: impl Fn(ToWorker) + Send + Sync + 'static,
) {
    let its = UploadDisk::of(&upload, limit);
    let Some(disk) = its.disk.clone() else {
        let outstanding = outstanding.clone();
        runtime.spawn(async move {
            let began = Instant::now();
            let (root, path) = (upload.root().to_owned(), upload.path().to_owned());
            let stored = make_visible(&outstanding, &its, upload, false).await;
            let stored = finish(&record, began, (&root, &path), stored);
            post(ToWorker::Stored { key, stored });
        });
        return;
    };
    let post = Arc::new(post);
    let (instead, root) = (Arc::clone(&post), Arc::clone(disk.root()));
    let work = move || {
        let began = Instant::now();
        let (root, path) = (upload.root().to_owned(), upload.path().to_owned());
        let stored = finish(&record, began, (&root, &path), upload.commit_as_stored());
        post(ToWorker::Stored { key, stored });
    };
    let undone = move |why| {
        let result = Err(not_stored(why, &root, limit));
        instead(ToWorker::Stored { key, stored: Stored { result, record: None } });
    };
    disk.submit_anyway(Lane::Store, its.client, limit.within, work, undone);
}

/// The result of storing an upload that was to get this name of a root, under another one if it has that.
fn finish(
    record: &Arc<CompactRecord>,
    began: Instant,
    (root, path): (&str, &str),
    stored: Result<String, StoreError>,
) -> Stored {
    let renamed = stored.as_ref().ok().filter(|stored| **stored != path).map(|stored| {
        let mut record = record.expand();
        record.resolved = Some(format!("{root}:{stored}").into());
        Arc::new(CompactRecord::from(&record))
    });
    let result = stored.map(drop);
    note(record.trail(), began, &result);
    Stored { result, record: renamed }
}

/// Removes an upload before its client gets the ERROR.
async fn refuse(disk: &UploadDisk, upload: Upload, why: StoreError) -> Result<(), StoreError> {
    on_disk(disk, move || {
        drop(upload);
        Err(why)
    })
    .await
}

/// Makes an upload visible under its path, and notes another one that it gets.
async fn publish(
    outstanding: &Outstanding,
    disk: &UploadDisk,
    upload: Upload,
    next_free: bool,
    record: &mut DecisionRecord,
) -> Result<(), StoreError> {
    let (root, path) = (upload.root().to_owned(), upload.path().to_owned());
    let stored = make_visible(outstanding, disk, upload, next_free).await?;
    if stored != path {
        record.resolved = Some(format!("{root}:{stored}").into());
    }
    Ok(())
}

/// Makes an upload visible under its path, or the next free name in a root of the program; returns the path used. A commit
/// of the program that fails, panics or is cut off drops the upload, and so aborts it.
async fn make_visible(
    outstanding: &Outstanding,
    disk: &UploadDisk,
    upload: Upload,
    next_free: bool,
) -> Result<String, StoreError> {
    if disk.disk.is_some() {
        return on_disk(disk, move || upload.commit_as_stored()).await;
    }
    let (root, limit) = (upload.root().to_owned(), disk.limit);
    let storing = AssertUnwindSafe(upload.commit_supplied(next_free)).catch_unwind();
    match outstanding.until_stopped(timeout(limit.within, storing)).await {
        Some(Ok(Ok(result))) => result,
        Some(Ok(Err(_))) => Err(panicked()),
        Some(Err(_)) => {
            let why = format!("root `{root}` did not store the upload {}", within(limit));
            Err(StoreError::Unresponsive(why))
        }
        None => Err(StoreError::STOPPED),
    }
}

/// Adds the result of storing an upload to its trace.
fn note(trail: Option<&Trail>, began: Instant, stored: &Result<(), StoreError>) {
    if let Some(trail) = trail {
        let stored = stored.as_ref().map_err(ToString::to_string);
        trail.step(began, What::Store(stored.copied()));
    }
}

/// The disk that an upload waits for, the client whose share of its threads the upload takes, and how long each operation
/// may take.
struct UploadDisk {
    /// `None` if the program takes the upload: then only its commit waits.
    disk: Option<Arc<Disk>>,
    client: ClientKey,
    limit: TimeLimit,
}

impl UploadDisk {
    fn of(upload: &Upload, limit: TimeLimit) -> UploadDisk {
        let disk = (!upload.is_supplied()).then(|| Arc::clone(upload.disk()));
        UploadDisk { disk, client: upload.client(), limit }
    }
}

/// Runs `work` for a client on a thread of the disk, or on this one if the upload has none.
async fn on_disk<T: Send + 'static>(
    its: &UploadDisk,
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let Some(disk) = &its.disk else { return work() };
    let stored = disk.run_anyway(Lane::Store, its.client, its.limit.within, work).await;
    stored.unwrap_or_else(|why| Err(not_stored(why, disk.root(), its.limit)))
}

fn not_stored(why: Undone, root: &str, limit: TimeLimit) -> StoreError {
    match why {
        Undone::Panicked => panicked(),
        Undone::Late | Undone::NoThread | Undone::Full => StoreError::Unresponsive(format!(
            "root `{root}` did not store the upload {}; it may become visible later",
            within(limit)
        )),
    }
}

fn panicked() -> StoreError {
    StoreError::Io(io::Error::other("a bug: storing the upload panicked"))
}

/// Why bytes of an upload were not written.
pub(super) fn not_written(why: Undone, root: &str, limit: TimeLimit) -> StoreError {
    match why {
        Undone::Panicked => panicked(),
        Undone::Late | Undone::NoThread | Undone::Full => {
            StoreError::Unresponsive(format!("root `{root}` did not write the upload {}", within(limit)))
        }
    }
}
