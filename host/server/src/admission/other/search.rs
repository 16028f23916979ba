//! Searches what a request by another protocol asks for.

use super::super::open_file::{CandidateCursor, EMPTY, begin_upload, resolved};
use super::super::refusals::NotOpened;
use super::super::root_access::{open_on_disk, open_root, within_open_time};
use super::super::search::Search;
use crate::content::OpenedSource;
use crate::generation::Generation;
use crate::negotiation::Bounds;
use std::sync::Arc;
use tuffet_engine::worker::Decision;
use tuffet_policy::PluginContent;
use tuffet_request::events::{DecisionRecord, Ending, Outcome};
use tuffet_request::{ErrorCode, Operation, SessionProfile};
use tuffet_store::{OpenFile, Roots, StoreError, Upload};

/// What was opened for a request.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) resolved: Arc<str>,
    pub(super) body: Body,
    /// Of an upload: as announced.
    pub(super) size: Option<u64>,
}

/// The bytes to be sent, or what takes them.
#[derive(Debug)]
pub(super) enum Body {
    Read(OpenedSource),
    Write(Box<Upload>),
}

impl Found {
    fn read(resolved: Arc<str>, source: OpenedSource) -> Found {
        let size = match &source {
            OpenedSource::Bytes(bytes) => bytes.len() as u64,
            OpenedSource::File(file) => file.size(),
        };
        Found { resolved, body: Body::Read(source), size: Some(size) }
    }

    fn file(file: OpenFile) -> Found {
        Found::read(resolved(file.root(), file.path()), OpenedSource::File(Arc::new(file)))
    }

    fn write(upload: Upload, announced: Option<u64>) -> Found {
        let resolved = resolved(upload.root(), upload.path());
        Found { resolved, body: Body::Write(Box::new(upload)), size: announced }
    }
}

/// Opens what another protocol reads or writes at once.
pub(super) struct OtherProtocol<'a> {
    generation: &'a Arc<Generation>,
    record: &'a mut DecisionRecord,
}

impl<'a> OtherProtocol<'a> {
    pub(super) fn new(generation: &'a Arc<Generation>, record: &'a mut DecisionRecord) -> OtherProtocol<'a> {
        OtherProtocol { generation, record }
    }
}

impl Search for OtherProtocol<'_> {
    type Opened = Found;
    type Served = (Found, Bounds);

    fn record(&mut self) -> Option<&mut DecisionRecord> {
        Some(self.record)
    }

    async fn open(&mut self, cursor: &CandidateCursor) -> Result<Found, NotOpened> {
        let (generation, files) = (self.generation, &self.generation.files);
        let Some((root, path)) = cursor.current() else { return Err(cursor.nowhere().into()) };
        let request = cursor.candidates().request();
        let (operation, client) = (request.operation, generation.client_of(request));
        let Some(disk) = files.roots.disk(root) else {
            return Err(StoreError::UnknownRoot(root.to_string()).into());
        };
        if let Some(supplied) = files.supplied.get(root) {
            let path = &*Roots::path_for_program(path)?;
            return match operation {
                Operation::Read => {
                    let source = Box::pin(open_root(generation, &supplied, path)).await?;
                    let source = files.sources.open(source, supplied.scope, client, Some(disk), path);
                    Ok(Found::read(resolved(root, path), source))
                }
                Operation::Write => {
                    let creating =
                        async { Ok(cursor.begin_supplied_upload(files, client, &supplied, path).await?) };
                    let upload =
                        Box::pin(within_open_time(generation, root, cursor.began(), creating)).await?;
                    Ok(Found::write(upload, cursor.announced()))
                }
            };
        }
        // A handover to a thread of the disk would cost more than the open.
        if operation == Operation::Read
            && let Some(file) = files.roots.open_now(root, path, client)
        {
            return Ok(Found::file(file));
        }
        let (its, all) = (cursor.clone(), Arc::clone(generation));
        let open = move |reach| {
            let Some((root, path)) = its.current() else { return Err(its.nowhere()) };
            match operation {
                Operation::Read => {
                    let file = all.files.roots.open_within(root, path, client, reach)?;
                    Ok(file.map(Found::file))
                }
                Operation::Write => {
                    let upload = begin_upload(&all.files, &its, client)?;
                    Ok(Some(Found::write(upload, its.announced())))
                }
            }
        };
        Box::pin(open_on_disk(generation, disk, (operation, client), cursor.began(), open)).await
    }

    async fn open_content(&mut self, content: &Arc<PluginContent>) -> Result<Found, Decision> {
        if self.record.request.operation == Operation::Write {
            return Err(Decision::Refuse {
                code: ErrorCode::NotDefined,
                message: "policy failure".into(),
                ending: Ending::new(Outcome::Failed, "policy answered a write request with content"),
            });
        }
        let source = match content.file() {
            Some(file) => OpenedSource::File(Arc::clone(file)),
            None => OpenedSource::Bytes(content.bytes().cloned().unwrap_or_default()),
        };
        Ok(Found::read(Arc::clone(content.resolved()), source))
    }

    fn empty(&mut self) -> Found {
        Found::read(EMPTY.into(), OpenedSource::Bytes([].into()))
    }

    fn resolved(opened: &Found) -> Arc<str> {
        Arc::clone(&opened.resolved)
    }

    fn size(opened: &Found) -> Option<u64> {
        opened.size
    }

    /// Floors of policy are those of options of TFTP, which other protocols do not have.
    fn serve(&mut self, opened: Found, profile: SessionProfile) -> Result<(Found, Bounds), Decision> {
        let record = &mut *self.record;
        let bounds = self.generation.negotiation.bounds(&record.request, &record.requested_options, &profile);
        record.resolved = Some(Arc::clone(&opened.resolved));
        record.rate = bounds.limits.rate;
        Ok((opened, bounds))
    }
}
