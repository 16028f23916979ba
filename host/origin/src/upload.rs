//! Stores uploads.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::{StreamExt, TryFutureExt, stream};
use http::header::{CONTENT_LENGTH, IF_NONE_MATCH};
use http::{HeaderValue, Method};
use object_store::path::Path;
use object_store::{MultipartUpload, ObjectStore, PutMode, PutOptions, PutPayload};
use tokio::task::spawn_blocking;
use tuffet_request::ClientKey;

use crate::answers::unconditional_put;
use crate::backend::Condition;
use crate::core::Core;
use crate::failure::{Failure, unanswered};
use crate::flight::{Flight, Pilot};
use crate::invalidation::{begin_upload, same_object};
use crate::runtime;
use crate::service::{Change, NOTE, Note};
use crate::state::FetchKind;
use crate::stores::Kind;

/// Uploads above this size are sent in parts.
const MAX_SINGLE_BYTES: u64 = 16 << 20;
/// The smallest part in bytes, and the limit of parts. S3 permits 10,000.
pub(crate) const MIN_PART_BYTES: u64 = 8 << 20;
const MAX_PARTS: u64 = 9_000;
/// The minimum rate of an upload. Its time at this rate extends the time-out.
const MIN_BYTES_PER_SECOND: u64 = 64 << 10;

impl Core {
    /// Stores an upload. Returns once the origin has stored it.
    pub fn store(
        self: &Arc<Self>,
        path: &str,
        content: &File,
        size: u64,
        overwrite: bool,
    ) -> Result<(), Failure> {
        if !self.breaker.admits() {
            return Err(self.spared());
        }
        let failed = |error: io::Error| Failure::Cache(format!("the upload cannot be read: {error}").into());
        let content = Arc::new(content.try_clone().map_err(failed)?);
        let runtime =
            runtime::handle().map_err(|error| Failure::Cache(format!("no threads: {error}").into()))?;
        let flight = Flight::new();
        let pilot = Pilot::new(&flight, || {});
        let upload = OutgoingUpload { path: path.into(), content, size, overwrite };
        let until = Instant::now() + 4 * upload.within(self.backend.timeout, size) + Duration::from_secs(5);
        if overwrite {
            // Readers of the current content must not mix in bytes of the next one.
            begin_upload(self, path);
        }
        let core = Arc::clone(self);
        let task = runtime.spawn(async move {
            let result = core.send(&upload).await;
            pilot.land(result);
        });
        let result = flight.wait(until).unwrap_or_else(|| {
            // An upload that fails here must not succeed later.
            task.abort();
            Err(Failure::Silent("no answer in time".into()))
        });
        for (core, path) in same_object(self, path) {
            // Also outdates a running flight: it may have begun before the upload.
            core.forget(&path);
            if let (Some(cache), _) = core.opened()
                && let Some(entry) = cache.find(&core.key(&path))
            {
                match result {
                    Ok(()) => cache.remove(&entry),
                    // The origin may have stored it nevertheless.
                    Err(_) => cache.doubt(&entry),
                }
            }
        }
        result
    }

    async fn send(self: &Arc<Self>, upload: &OutgoingUpload) -> Result<(), Failure> {
        // All uploads count as one client, which leaves permits for downloads.
        let _permit = self.permits.take(ClientKey::SERVER).await;
        let key = self.backend.key(&upload.path)?;
        let mut number = 0;
        let attempt = || {
            number += 1;
            self.put(upload, &key)
        };
        let (mut result, status, clock) = self.attempts(&upload.path, FetchKind::Store, attempt).await;
        if result.is_ok() {
            clock.end(self, status, upload.size, None);
        } else if matches!(result, Err(Failure::Exists)) && number > 1 && self.has(upload).await {
            // A failed attempt has stored the file, so the next one found it in place.
            result = Ok(());
        }
        if result.is_ok() {
            self.reports.sent.fetch_add(upload.size, Ordering::Relaxed);
        }
        result
    }

    /// Whether the origin has a file with the bytes of this upload.
    async fn has(self: &Arc<Self>, upload: &OutgoingUpload) -> bool {
        let compared = async {
            let ask = || self.backend.get(&upload.path, Condition::default());
            let (Ok(answer), status, clock) = self.attempts(&upload.path, FetchKind::Whole, ask).await else {
                return false;
            };
            let (mut at, mut pieces) = (0, answer.into_stream());
            while let Some(piece) = pieces.next().await {
                let Ok(piece) = piece else { return false };
                let end = at + piece.len() as u64;
                if end > upload.size || upload.read(at, piece.len() as u64).await.ok() != Some(piece) {
                    return false;
                }
                at = end;
            }
            clock.end(self, status, at, None);
            at == upload.size
        };
        tokio::time::timeout(upload.within(self.backend.timeout, upload.size), compared)
            .await
            .unwrap_or(false)
    }

    async fn put(
        self: &Arc<Self>,
        upload: &OutgoingUpload,
        key: &Path,
    ) -> (Result<(), Failure>, Option<u16>) {
        let within = upload.within(self.backend.timeout, upload.size);
        let (result, status) = match &self.backend.kind {
            Kind::Http(folder) => self.put_http(upload, folder, within).await,
            _ if upload.size <= MAX_SINGLE_BYTES => {
                let payload = match upload.read(0, upload.size).await {
                    Ok(bytes) => PutPayload::from(bytes),
                    Err(failure) => return (Err(failure), None),
                };
                let mode = if upload.overwrite { PutMode::Overwrite } else { PutMode::Create };
                let options = PutOptions { mode, ..PutOptions::default() };
                let action = self.backend.store.put_opts(key, payload, options);
                let action = action.map_err(|error| upload.error(error));
                let (result, status) = self.store_attempt(Note::default(), within, action).await;
                (result.map(|_| ()), status)
            }
            Kind::Session => self.put_session(upload, key).await,
            Kind::Parts => self.put_parts(upload, key).await,
        };
        // The condition of an upload is that the file does not exist.
        let result = result.map_err(|failure| match failure {
            Failure::Changed => Failure::Exists,
            // Azure forgets the parts when another upload creates the file.
            Failure::Collision(_) if !upload.overwrite && self.backend.azure.is_some() => Failure::Exists,
            Failure::Absent => Failure::Useless("it has no such folder or bucket".into()),
            other => other,
        });
        (result, status)
    }

    /// Sends parts one after the other. Tells the store to forget them if one fails.
    async fn put_parts(
        self: &Arc<Self>,
        upload: &OutgoingUpload,
        key: &Path,
    ) -> (Result<(), Failure>, Option<u16>) {
        let timeout = self.backend.timeout;
        let begin = self.backend.store.put_multipart_opts(key, object_store::PutMultipartOptions::default());
        let begin = begin.map_err(unconditional_put);
        let mut parts = match self.backend.attempt(Note::default(), timeout, begin).await {
            (Ok(parts), _) => UnjoinedParts(Some(parts)),
            (Err(failure), status) => return (Err(failure), status),
        };
        let length = MIN_PART_BYTES.max(upload.size.div_ceil(MAX_PARTS));
        let mut at = 0;
        while at < upload.size {
            let piece = length.min(upload.size - at);
            let bytes = match upload.read(at, piece).await {
                Ok(bytes) => bytes,
                Err(failure) => return (Err(failure), None),
            };
            let Some(open) = &mut parts.0 else { break };
            let put = open.put_part(PutPayload::from(bytes)).map_err(unconditional_put);
            if let (Err(failure), status) =
                self.store_attempt(Note::default(), upload.within(timeout, piece), put).await
            {
                return (Err(failure), status);
            }
            at += piece;
        }
        let Some(open) = &mut parts.0 else { return (Ok(()), None) };
        let change = match upload.overwrite {
            true => Change::Nothing,
            false => Change::Create(self.backend.azure.clone()),
        };
        let note = Note { change, ..Note::default() };
        // The store joins the parts before it answers.
        let end = open.complete().map_err(|error| upload.error(error));
        let (result, status) = self.store_attempt(note, upload.within(timeout, upload.size), end).await;
        if result.is_ok() {
            parts.0 = None;
        }
        (result.map(|_| ()), status)
    }

    /// As [`Backend::attempt`](crate::backend::Backend::attempt), for requests that store something: accepts only the
    /// few statuses that confirm it.
    async fn store_attempt<T>(
        &self,
        note: Note,
        within: Duration,
        action: impl Future<Output = object_store::Result<T>>,
    ) -> (Result<T, Failure>, Option<u16>) {
        let (result, status) = self.backend.attempt(note, within, action).await;
        let result = match status {
            Some(status) if result.is_ok() && !confirms_store(status) => Err(not_stored(status)),
            _ => result,
        };
        (result, status)
    }

    async fn put_http(
        self: &Arc<Self>,
        upload: &OutgoingUpload,
        folder: &url::Url,
        within: Duration,
    ) -> (Result<(), Failure>, Option<u16>) {
        let mut url = folder.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(upload.path.split('/'));
        }
        let mut request = reqwest::Request::new(Method::PUT, url);
        request.headers_mut().insert(CONTENT_LENGTH, upload.size.into());
        if !upload.overwrite {
            request.headers_mut().insert(IF_NONE_MATCH, HeaderValue::from_static("*"));
        }
        let content = (Arc::clone(&upload.content), upload.size);
        *request.body_mut() = Some(reqwest::Body::wrap_stream(stream::try_unfold(0, move |at| {
            let (content, size) = content.clone();
            async move {
                let length = (size - at).min(256 << 10);
                if length == 0 {
                    return Ok(None);
                }
                let piece = read(content, at, length).await.map_err(|failure| failure.into_io())?;
                Ok::<_, io::Error>(Some((piece, at + length)))
            }
        })));
        let sent = NOTE.scope(Note::default().into(), async {
            tokio::time::timeout(within, self.backend.service.execute(request)).await
        });
        let answer = match sent.await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => return (Err(unanswered(&error)), None),
            Err(_) => return (Err(Failure::Silent(format!("no answer within {within:?}").into())), None),
        };
        let status = answer.status().as_u16();
        let result = match status {
            _ if confirms_store(status) => Ok(()),
            // The answer after a redirect would belong to another request.
            200..=399 => Err(not_stored(status)),
            412 => Err(Failure::Exists),
            507 => Err(Failure::Full("it has no room: status 507".into())),
            401 | 403 => Err(Failure::Forbidden(format!("it gives no access: status {status}").into())),
            408 | 425 | 429 | 500.. => {
                Err(Failure::Failing(format!("it answers with the status {status}").into()))
            }
            _ => Err(Failure::Useless(format!("it takes no upload: status {status}").into())),
        };
        (result, Some(status))
    }
}

/// Whether a status confirms that the upload is stored under its name (RFC 9110 sections 9.3.4, 15.3).
fn confirms_store(status: u16) -> bool {
    matches!(status, 200 | 201 | 204)
}

fn not_stored(status: u16) -> Failure {
    let why =
        format!("it answers an upload with the status {status}, which does not say that the file is stored");
    Failure::Useless(why.into())
}

/// An upload on its way to the origin.
pub(crate) struct OutgoingUpload {
    path: Arc<str>,
    content: Arc<File>,
    pub size: u64,
    pub overwrite: bool,
}

impl OutgoingUpload {
    /// The time limit for sending this many bytes.
    pub fn within(&self, timeout: Duration, bytes: u64) -> Duration {
        timeout + Duration::from_secs(bytes / MIN_BYTES_PER_SECOND)
    }

    /// Converts an error. Only an upload that must not replace a file can fail because the file exists.
    fn error(&self, error: object_store::Error) -> object_store::Error {
        if self.overwrite { unconditional_put(error) } else { error }
    }

    pub async fn read(&self, at: u64, length: u64) -> Result<Bytes, Failure> {
        read(Arc::clone(&self.content), at, length).await
    }
}

async fn read(content: Arc<File>, at: u64, length: u64) -> Result<Bytes, Failure> {
    let read = spawn_blocking(move || {
        // At most a part, which fits into memory.
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(usize::MAX)];
        content.read_exact_at(&mut bytes, at).map(|()| Bytes::from(bytes))
    });
    let read = read.await.unwrap_or_else(|_| Err(io::ErrorKind::Other.into()));
    read.map_err(|error| Failure::Cache(format!("the upload cannot be read: {error}").into()))
}

/// Uploaded parts. Unless they were joined, dropping this tells the store to forget them.
struct UnjoinedParts(Option<Box<dyn MultipartUpload>>);

impl Drop for UnjoinedParts {
    fn drop(&mut self) {
        let Some(mut parts) = self.0.take() else { return };
        if let Ok(runtime) = runtime::handle() {
            runtime.spawn(async move {
                // No retry: stores have rules that delete such parts after days.
                let _ = tokio::time::timeout(Duration::from_secs(10), parts.abort()).await;
            });
        }
    }
}
