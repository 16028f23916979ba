//! Opens content that the program supplies. It may take its time, and occupies no thread.

use super::open_file::{CandidateCursor, Opened, require_room, resolved, wire};
use super::refusals::{failed, overloaded, refused};
use crate::content::{OpenSink, OpenedSource, RootError, SuppliedRoot};
use crate::generation::{Files, Generation};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;
use tuffet_engine::worker::{Content, Decision, NetasciiFile, Sink};
use tuffet_request::catch_panic_async;
use tuffet_request::{ClientKey, Mode, Operation, Request};
use tuffet_store::{Disk, MemoryBytes, OpenFile, Roots, StoreError, SuppliedContent, Upload};

/// The longest wait for a small content before its transfer begins.
const SMALL_TIME: Duration = Duration::from_millis(500);

/// The longest load of a content into memory.
const LOAD_TIME: Duration = Duration::from_secs(60);

/// The largest window of a stream in bytes: two pieces that are read ahead hold what the client may still request.
const STREAM_WINDOW: u32 = 256 << 10;

/// Opens content of a hook that the program supplies, within the limit of opening files.
pub(super) async fn open_content(
    generation: &Generation,
    request: &Request,
    file: &Arc<OpenFile>,
    resolved: &Arc<str>,
) -> Result<Opened, Decision> {
    let source = OpenedSource::File(Arc::clone(file));
    let opening = catch_panic_async(generation.files.supplied(request, source, Arc::clone(resolved)));
    match timeout(generation.open_time, opening).await {
        Ok(Ok(Ok(opened))) => Ok(opened),
        Ok(Ok(Err(error))) => Err(refused(&error)),
        Ok(Err(panicked)) => Err(failed(format!("the content cannot be opened: {panicked}"))),
        Err(_) => Err(overloaded(format!("the content was not opened {}", generation.within_open_time()))),
    }
}

impl CandidateCursor {
    pub(super) async fn open_supplied(
        &self,
        files: &Files,
        client: ClientKey,
        supplied: &SuppliedRoot,
        disk: &Arc<Disk>,
    ) -> Result<Opened, StoreError> {
        let SuppliedRoot { name, root, scope } = supplied;
        let Some((_, path)) = self.current() else { return Err(StoreError::NotFound) };
        let path = &*Roots::path_for_program(path)?;
        let request = self.candidates().request();
        match request.operation {
            Operation::Read => {
                let source = root.open(path).await.map_err(|error: RootError| error.into_store(name))?;
                let opened = files.sources.open(source, *scope, client, Some(disk), path);
                files.supplied(request, opened, resolved(name, path)).await
            }
            Operation::Write => {
                let upload = self.begin_supplied_upload(files, client, supplied, path).await?;
                let sink = Sink::new(upload, request.mode == Mode::Netascii, files.upload_times);
                Ok(Opened::new(Content::Upload(Box::new(sink)), resolved(name, path)))
            }
        }
    }
}

impl CandidateCursor {
    /// Begins an upload to this path of a root of the program.
    pub(super) async fn begin_supplied_upload(
        &self,
        files: &Files,
        client: ClientKey,
        supplied: &SuppliedRoot,
        path: &str,
    ) -> Result<Upload, StoreError> {
        let SuppliedRoot { name, root, .. } = supplied;
        let limit = files.roots.judge_supplied(name)?;
        let limit = self.profile().bytes.map_or(limit, |most| most.min(limit));
        require_room(self.candidates().request(), self.announced(), limit)?;
        let writing = files.uploads.begin(name, path, client)?;
        let sink = root.create(path).await.map_err(|error| error.into_store(name))?;
        let counted = files.outstanding.sink();
        let turns = files.commit_turns.clone();
        let sink = OpenSink::new(sink, counted, turns, Arc::clone(name), resolved(name, path));
        let mut upload = files.roots.create_supplied(name, path, Box::new(sink))?;
        upload.count(writing);
        upload.lower_limit(limit);
        Ok(upload)
    }
}

impl Files {
    /// Returns the content of an opened source, from memory if it is hot.
    pub(super) async fn supplied(
        &self,
        request: &Request,
        opened: OpenedSource,
        resolved: Arc<str>,
    ) -> Result<Opened, StoreError> {
        let file = match opened {
            OpenedSource::Bytes(bytes) => return Ok(Opened::new(wire(request.mode, &bytes), resolved)),
            OpenedSource::File(file) => file,
        };
        let sequential = file.is_sequential().then_some(STREAM_WINDOW);
        let content = match request.mode {
            Mode::Octet if file.is_sequential() => Content::file(file),
            Mode::Octet => match self.in_memory(&file).await {
                Some(bytes) => Content::Bytes(bytes),
                None => Content::file(file),
            },
            Mode::Netascii => Content::Netascii(Box::new(NetasciiFile::new(file, None))),
        };
        Ok(Opened::new(content, resolved).with_window(sequential))
    }

    /// Loads a content into memory, unless that takes too long or the server ends.
    fn load<F: Future>(&self, loading: F) -> impl Future<Output = Option<F::Output>> + use<F> {
        let outstanding = self.outstanding.clone();
        async move { outstanding.until_stopped(timeout(LOAD_TIME, loading)).await?.ok() }
    }

    /// Returns a content that is in memory, or that the program supplies at once. A slow or failing program is left to
    /// the transfer: it reads by pieces, and learns of errors.
    async fn in_memory(&self, file: &Arc<OpenFile>) -> Option<MemoryBytes> {
        // The worker reads everything else from the page cache.
        match self.cache.supplied(file.program()?) {
            SuppliedContent::Hot(bytes) => Some(bytes),
            // In a task of its own: others may wait for the same content, and later requests find it.
            SuppliedContent::Small(reading) => {
                let read = tokio::spawn(self.load(reading));
                timeout(SMALL_TIME, read).await.ok()?.ok()??
            }
            SuppliedContent::Load(loading) => {
                drop(tokio::spawn(self.load(loading)));
                None
            }
            SuppliedContent::Cold => None,
        }
    }
}
