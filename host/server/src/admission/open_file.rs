//! Opens the file of a transfer. Blocks on the disk.

use super::candidates::Candidates;
use super::refusals::denied;
use crate::generation::{Files, Generation};
use crate::negotiation::Bounds;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use tuffet_core::netascii::Encoder;
use tuffet_core::{Limits, OptionSet};
use tuffet_engine::worker::{Content, Decision, NetasciiFile, Sink, granted_options};
use tuffet_policy::PluginContent;
use tuffet_request::events::{DecisionRecord, Ending, Outcome};
use tuffet_request::{ClientKey, Denial, ErrorCode, Mode, Operation, Request, SessionProfile, SessionValues};
use tuffet_store::{Identity, OpenFile, Reach, StoreError, Upload};

/// Grants a transfer of opened content.
///
/// # Errors
/// The negotiated values are below the floors of policy.
pub(super) fn granted(
    generation: &Generation,
    record: &mut DecisionRecord,
    opened: Opened,
    profile: &SessionProfile,
) -> Result<Decision, Decision> {
    let Bounds { limits, settings, .. } = generation.negotiate(record, profile, opened.most_window)?;
    let Opened { content, resolved, identity, .. } = opened;
    record.resolved = Some(resolved);
    record.rate = limits.rate;
    // The master client sets the pace of a group.
    let has_rate = limits.rate.is_some() || limits.total_rate.is_some();
    let group = identity.filter(|_| !profile.refused.has_multicast() && !has_rate);
    Ok(Decision::Grant { content, limits, settings, group })
}

/// Limits the window to this many bytes.
fn limit_window(limits: &mut Limits, requested: &OptionSet, most: u32) {
    let block = requested.block_size().min(limits.blksize.max(512)).max(1);
    let blocks = u16::try_from(most / u32::from(block)).unwrap_or(u16::MAX).max(1);
    limits.windowsize = limits.windowsize.min(blocks);
}

impl Generation {
    /// Returns the bounds of the negotiation. `most_window`: the largest window in bytes, if the content limits it.
    ///
    /// # Errors
    /// The negotiated values are below the floors of policy.
    pub(super) fn negotiate(
        &self,
        record: &DecisionRecord,
        profile: &SessionProfile,
        most_window: Option<u32>,
    ) -> Result<Bounds, Decision> {
        let mut bounds = self.negotiation.bounds(&record.request, &record.requested_options, profile);
        if let Some(most) = most_window {
            limit_window(&mut bounds.limits, &record.requested_options, most);
        }
        let SessionValues { blksize, windowsize, .. } = profile.floors;
        if blksize.is_none() && windowsize.is_none() {
            return Ok(bounds);
        }
        // How many others share a rate at this moment must not decide whether the request is denied.
        let alone = Limits { total_rate: None, ..bounds.limits.clone() };
        let options =
            granted_options(record.request.operation, &record.requested_options, record.size, &alone);
        let values =
            [("blksize", options.block_size(), blksize), ("windowsize", options.window_size(), windowsize)];
        match values.into_iter().find(|(_, negotiated, floor)| floor.is_some_and(|floor| *negotiated < floor))
        {
            Some((name, negotiated, Some(floor))) => Err(denied(Denial {
                code: ErrorCode::OptionRefused,
                message: format!("a {name} of at least {floor} is required"),
                reason: format!(
                    "the client negotiated a {name} of {negotiated}, and policy requires at least {floor}"
                ),
            })),
            _ => Ok(bounds),
        }
    }
}

/// What the log calls empty content for a missing optional file.
pub(super) const EMPTY: &str = "empty";

/// The content of a transfer.
pub(super) struct Opened {
    content: Content,
    /// For the log: `ROOT:PATH`, or `content/NAME` or `content` from a plugin.
    resolved: Arc<str>,
    /// The file's identity, if its client may join a multicast group.
    identity: Option<Box<Identity>>,
    /// The largest window in bytes, if the content limits it.
    most_window: Option<u32>,
}

impl Opened {
    pub(super) fn new(content: Content, resolved: Arc<str>) -> Opened {
        Opened { content, resolved, identity: None, most_window: None }
    }

    /// Limits the window to this many bytes.
    #[must_use]
    pub(super) fn with_window(self, most_window: Option<u32>) -> Opened {
        Opened { most_window, ..self }
    }

    /// Empty content for a missing optional file.
    pub(super) fn empty() -> Opened {
        Opened::new(Content::Bytes(Arc::<[u8]>::from([]).into()), EMPTY.into())
    }

    /// Bytes of the file, before encoding.
    pub(super) fn size(&self) -> Option<u64> {
        self.content.source_size()
    }

    /// Bytes on the wire, if known.
    pub(super) fn wire_size(&self) -> Option<u64> {
        self.content.size()
    }

    pub(super) fn resolved(&self) -> Arc<str> {
        Arc::clone(&self.resolved)
    }
}

/// A cursor over the candidates: the first existing file is opened.
#[derive(Clone)]
pub(super) struct CandidateCursor {
    candidates: Arc<Candidates>,
    /// The number of tried candidates.
    tried_count: usize,
    announced: Option<u64>,
    profile: SessionProfile,
    /// When the first candidate was tried.
    began: Instant,
    /// When the request arrived, or the last hook that was called for it returned, which may have replaced the file: a
    /// file whose open began earlier may not be served.
    openable_from: Instant,
}

impl CandidateCursor {
    /// `before`: absent candidates.
    pub(super) fn new(
        candidates: Candidates,
        before: Option<&CandidateCursor>,
        record: &DecisionRecord,
        profile: SessionProfile,
    ) -> CandidateCursor {
        let candidates = match before {
            Some(before) => candidates.after(&before.candidates),
            None => candidates,
        };
        let began = Instant::now();
        let hooks_were_called = record.plugin_calls as usize > record.request.calls.count_cached();
        CandidateCursor {
            candidates: Arc::new(candidates),
            tried_count: before.map_or(0, |before| before.candidates.count()),
            announced: record.requested_options.tsize,
            profile,
            began,
            openable_from: if hooks_were_called { began } else { record.received },
        }
    }

    pub(super) fn candidates(&self) -> &Arc<Candidates> {
        &self.candidates
    }

    /// The number of tried candidates.
    pub(super) fn tried_count(&self) -> usize {
        self.tried_count
    }

    /// The size of an upload as announced by its client.
    pub(super) fn announced(&self) -> Option<u64> {
        self.announced
    }

    pub(super) fn profile(&self) -> &SessionProfile {
        &self.profile
    }

    /// When the first candidate was tried.
    pub(super) fn began(&self) -> Instant {
        self.began
    }

    /// Whether policy's ceiling caused the error.
    pub(super) fn is_of_policy(&self, error: &StoreError) -> bool {
        matches!(error, StoreError::TooLarge { limit } if self.profile.bytes == Some(*limit))
    }

    /// The error without any candidate.
    pub(super) fn nowhere(&self) -> StoreError {
        match self.candidates.request().operation {
            Operation::Write => StoreError::ReadOnly,
            Operation::Read => StoreError::NotFound,
        }
    }

    /// Advances to the next candidate; `false` after the last one.
    pub(super) fn advance(&mut self) -> bool {
        let has_next = self.tried_count < self.candidates.count();
        self.tried_count += usize::from(has_next);
        has_next
    }

    /// The current candidate: its root, and the path in it.
    pub(super) fn current(&self) -> Option<(&Arc<str>, &str)> {
        self.candidates.get(self.tried_count.checked_sub(1)?)
    }

    /// The root of the current candidate.
    pub(super) fn root(&self) -> &str {
        self.current().map_or("", |(root, _)| root)
    }

    /// Notes which candidates were tried.
    pub(super) fn note_tried(&self, record: &mut DecisionRecord) {
        record.tried = self.candidates.tried(self.tried_count).map(Arc::new);
    }

    /// Returns the current candidate if another request has opened it since this one may open it, and it is in memory.
    pub(super) fn opened_since(&self, files: &Files) -> Option<Opened> {
        let request = self.candidates.request();
        if request.operation != Operation::Read || request.mode != Mode::Octet {
            return None;
        }
        let (root, path) = self.current()?;
        let (resolved, identity) = files.recent_opens.find(root, path, self.openable_from)?;
        let content = Content::Bytes(files.cache.known(&identity)?);
        let identity = files.groups.admit(request).then(|| Box::new(identity.of_content()));
        Some(Opened { identity, ..Opened::new(content, resolved) })
    }

    /// Opens the current candidate; `None` if that is beyond the `reach`. Blocks on the disk.
    pub(super) fn open(
        &self,
        files: &Files,
        client: ClientKey,
        reach: Reach,
    ) -> Result<Option<Opened>, StoreError> {
        let Some((root, path)) = self.current() else { return Err(self.nowhere()) };
        let request = self.candidates.request();
        match request.operation {
            Operation::Read => {
                let began = Instant::now();
                let Some(file) = files.roots.open_within(root, path, client, reach)? else { return Ok(None) };
                files.content_of(request, file, self.announced.is_some(), began).map(Some)
            }
            Operation::Write => {
                let most = self.profile.bytes;
                files.open_write((request, client), root, path, self.announced, most).map(Some)
            }
        }
    }
}

impl Files {
    /// `sized`: whether the client requested the size. `began`: when the open began.
    fn content_of(
        &self,
        request: &Request,
        file: OpenFile,
        sized: bool,
        began: Instant,
    ) -> Result<Opened, StoreError> {
        let resolved = resolved(file.root(), file.path());
        let identity = self.groups.admit(request).then(|| Box::new(file.identity().of_content()));
        let file = Arc::new(file);
        let content = match request.mode {
            Mode::Octet => match self.cache.content(&file).map_err(|error| file.unreadable(error))? {
                Some(bytes) => {
                    if file.is_in_folder() {
                        self.recent_opens.note(&file, Arc::clone(&resolved), began);
                    }
                    Content::Bytes(bytes)
                }
                None => Content::file(file),
            },
            Mode::Netascii => {
                let size = if sized { self.cache.wire_size(&file, Encoder::growth) } else { Ok(None) };
                let size = size.map_err(|error| file.unreadable(error))?;
                Content::Netascii(Box::new(NetasciiFile::new(file, size)))
            }
        };
        Ok(Opened { identity, ..Opened::new(content, resolved) })
    }

    fn open_write(
        &self,
        (request, client): (&Request, ClientKey),
        root: &str,
        path: &str,
        announced: Option<u64>,
        most: Option<u64>,
    ) -> Result<Opened, StoreError> {
        let upload = self.begin_upload((request, client), root, path, announced, most)?;
        let resolved = resolved(upload.root(), upload.path());
        let sink = Sink::new(upload, request.mode == Mode::Netascii, self.upload_times);
        Ok(Opened::new(Content::Upload(Box::new(sink)), resolved))
    }

    fn begin_upload(
        &self,
        (request, client): (&Request, ClientKey),
        root: &str,
        path: &str,
        announced: Option<u64>,
        most: Option<u64>,
    ) -> Result<Upload, StoreError> {
        let writing = self.uploads.begin(root, path, client)?;
        let mut upload = self.roots.create(Some(root), path)?;
        upload.count(writing);
        if let Some(most) = most {
            upload.lower_limit(most);
        }
        require_room(request, announced, upload.limit())?;
        self.require_quota(request, upload.root(), upload.path(), announced)?;
        Ok(upload)
    }
}

/// Begins an upload to the current candidate, for another protocol. Blocks on the disk.
pub(super) fn begin_upload(
    files: &Files,
    cursor: &CandidateCursor,
    client: ClientKey,
) -> Result<Upload, StoreError> {
    let Some((root, path)) = cursor.current() else { return Err(cursor.nowhere()) };
    let request = cursor.candidates().request();
    files.begin_upload((request, client), root, path, cursor.announced(), cursor.profile().bytes)
}

impl Files {
    /// Checks the announced size of an upload against the quotas of its root.
    fn require_quota(
        &self,
        request: &Request,
        root: &str,
        path: &str,
        announced: Option<u64>,
    ) -> Result<(), StoreError> {
        match announced.filter(|_| request.mode == Mode::Octet) {
            Some(bytes) => self.roots.require_quota(root, path, bytes),
            None => Ok(()),
        }
    }
}

/// The result of a rehearsal of [`CandidateCursor::open`].
pub(super) struct Rehearsed {
    /// `ROOT:PATH`.
    pub(super) resolved: Arc<str>,
    /// Bytes of the file, or as announced.
    pub(super) size: Option<u64>,
    /// The folder of `roots[].links` that contains it, if a link leads there.
    pub(super) link_folder: Option<PathBuf>,
}

/// As [`CandidateCursor::open`], without creating a file or filling the cache. Blocks on the disk.
pub(super) fn rehearse(
    files: &Files,
    client: ClientKey,
    cursor: &CandidateCursor,
) -> Result<Rehearsed, StoreError> {
    let Some((root, path)) = cursor.current() else { return Err(cursor.nowhere()) };
    let (request, announced, profile) = (cursor.candidates().request(), cursor.announced, &cursor.profile);
    match request.operation {
        Operation::Read => {
            let found = files.roots.look_up(root, path)?;
            let (size, link_folder) = (Some(found.size), found.link_folder);
            Ok(Rehearsed { resolved: resolved(root, path), size, link_folder })
        }
        Operation::Write => {
            let _writing = files.uploads.begin(root, path, client)?;
            let limit = files.roots.judge(root, path)?;
            require_room(request, announced, profile.bytes.map_or(limit, |most| most.min(limit)))?;
            files.require_quota(request, root, path, announced)?;
            Ok(Rehearsed { resolved: resolved(root, path), size: announced, link_folder: None })
        }
    }
}

/// `ROOT:PATH`.
pub(super) fn resolved(root: &str, path: &str) -> Arc<str> {
    [root, ":", path].concat().into()
}

/// Checks the announced size of an upload.
pub(super) fn require_room(request: &Request, announced: Option<u64>, limit: u64) -> Result<(), StoreError> {
    // Netascii grows on the wire, so a larger announced size may still fit.
    if request.mode == Mode::Octet && announced.is_some_and(|bytes| bytes > limit) {
        return Err(StoreError::TooLarge { limit });
    }
    Ok(())
}

/// Opens content made by a plugin.
pub(super) fn open_content(request: &Request, plugin_content: &PluginContent) -> Result<Opened, Decision> {
    if request.operation == Operation::Write {
        return Err(Decision::Refuse {
            code: ErrorCode::NotDefined,
            message: "policy failure".into(),
            ending: Ending::new(Outcome::Failed, "policy answered a write request with content"),
        });
    }
    let content = match (request.mode, plugin_content.file()) {
        (Mode::Octet, Some(file)) => Content::file(Arc::clone(file)),
        (Mode::Netascii, Some(file)) => {
            Content::Netascii(Box::new(NetasciiFile::new(Arc::clone(file), None)))
        }
        (Mode::Octet, None) => Content::Bytes(plugin_content.bytes().cloned().unwrap_or_default().into()),
        (Mode::Netascii, None) => Content::Bytes(plugin_content.netascii(encoded).unwrap_or_default().into()),
    };
    Ok(Opened::new(content, Arc::clone(plugin_content.resolved())))
}

/// Bytes as netascii (RFC 764).
fn encoded(bytes: &[u8]) -> Arc<[u8]> {
    let mut wire = vec![0; bytes.len() + Encoder::growth(bytes) as usize];
    Encoder::default().encode(bytes, &mut wire);
    wire.into()
}

/// Bytes in memory, as the mode sends them.
pub(super) fn wire(mode: Mode, bytes: &Arc<[u8]>) -> Content {
    match mode {
        Mode::Octet => Content::Bytes(Arc::clone(bytes).into()),
        Mode::Netascii => Content::Bytes(encoded(bytes).into()),
    }
}

/// Checks policy's ceiling on the bytes of a read file, before encoding.
pub(super) fn require_small(size: Option<u64>, profile: &SessionProfile) -> Result<(), Decision> {
    match (size, profile.bytes) {
        (Some(size), Some(most)) if size > most => Err(denied(Denial {
            code: ErrorCode::AccessViolation,
            message: "the file is larger than policy allows".into(),
            reason: format!("the file has {size} bytes and policy allows {most}"),
        })),
        _ => Ok(()),
    }
}
