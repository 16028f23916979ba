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

use crate::backend::Condition;
use crate::core::Core;
use crate::failure::{Failure, unanswered};
use crate::flight::{Flight, Pilot};
use crate::invalidation::{same_object, uploads_of};
use crate::judge::unconditional_put;
use crate::runtime;
use crate::service::{Change, NOTE, Note};
use crate::state::FetchKind;
use crate::stores::Kind;

/// Uploads above this size are sent in parts.
const SINGLE: u64 = 16 << 20;
/// The smallest part, and the largest number of them. S3 knows 10,000.
pub(crate) const PART: u64 = 8 << 20;
const MOST_PARTS: u64 = 9_000;
/// Bytes a second that an upload must make, beside its time-out.
const SLOWEST: u64 = 64 << 10;

impl Core {
    /// Stores an upload. Returns when the origin has it.
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
        let upload = Sent { path: path.into(), content, size, overwrite };
        let until = Instant::now() + 4 * upload.within(self.backend.timeout, size) + Duration::from_secs(5);
        if overwrite {
            // Readers of the present content must not join bytes of the next one to it.
            uploads_of(self, path).fetch_add(1, Ordering::AcqRel);
        }
        let core = Arc::clone(self);
        let task = runtime.spawn(async move {
            let result = core.send(&upload).await;
            pilot.land(result);
        });
        let result = flight.wait(until).unwrap_or_else(|| {
            // Nothing that is refused here may appear later.
            task.abort();
            Err(Failure::Silent("no answer in time".into()))
        });
        for (core, path) in same_object(self, path) {
            // Also what is being fetched: it may have begun before.
            core.forget(&path);
            if let (Some(cache), _) = core.opened()
                && let Some(entry) = cache.find(&core.key(&path))
            {
                match result {
                    Ok(()) => cache.remove(&entry),
                    // The origin may have it all the same.
                    Err(_) => cache.doubt(&entry),
                }
            }
        }
        result
    }

    async fn send(self: &Arc<Self>, upload: &Sent) -> Result<(), Failure> {
        // Uploads count as one client, and leave places for downloads.
        let _place = self.places.take(ClientKey::SERVER).await;
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
            // An attempt that failed has stored the file, which was then in the way of the next one.
            result = Ok(());
        }
        if result.is_ok() {
            self.reports.sent.fetch_add(upload.size, Ordering::Relaxed);
        }
        result
    }

    /// Whether the origin has this file with the bytes of the upload.
    async fn has(self: &Arc<Self>, upload: &Sent) -> bool {
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

    async fn put(self: &Arc<Self>, upload: &Sent, key: &Path) -> (Result<(), Failure>, Option<u16>) {
        let within = upload.within(self.backend.timeout, upload.size);
        let (result, status) = match &self.backend.kind {
            Kind::Http(folder) => self.put_http(upload, folder, within).await,
            _ if upload.size <= SINGLE => {
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
        // The condition of an upload is that nothing is there.
        let result = result.map_err(|failure| match failure {
            Failure::Changed => Failure::Exists,
            // Azure forgets parts when another upload has made the file.
            Failure::Collision(_) if !upload.overwrite && self.backend.azure.is_some() => Failure::Exists,
            Failure::Absent => Failure::Useless("it has no such folder or bucket".into()),
            other => other,
        });
        (result, status)
    }

    /// Sends parts one after the other. The store forgets them if one fails.
    async fn put_parts(self: &Arc<Self>, upload: &Sent, key: &Path) -> (Result<(), Failure>, Option<u16>) {
        let timeout = self.backend.timeout;
        let begin = self.backend.store.put_multipart_opts(key, object_store::PutMultipartOptions::default());
        let begin = begin.map_err(unconditional_put);
        let mut parts = match self.backend.attempt(Note::default(), timeout, begin).await {
            (Ok(parts), _) => Abort(Some(parts)),
            (Err(failure), status) => return (Err(failure), status),
        };
        let length = PART.max(upload.size.div_ceil(MOST_PARTS));
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

    /// As [`Backend::attempt`](crate::backend::Backend::attempt) of what stores something, which few statuses say.
    async fn store_attempt<T>(
        &self,
        note: Note,
        within: Duration,
        action: impl Future<Output = object_store::Result<T>>,
    ) -> (Result<T, Failure>, Option<u16>) {
        let (result, status) = self.backend.attempt(note, within, action).await;
        let result = match status {
            Some(status) if result.is_ok() && !says_stored(status) => Err(not_stored(status)),
            _ => result,
        };
        (result, status)
    }

    async fn put_http(
        self: &Arc<Self>,
        upload: &Sent,
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
            _ if says_stored(status) => Ok(()),
            // What follows a redirect is another request, and its answer says nothing of this one.
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

/// Whether a status says that an upload is stored, for good and under its name (RFC 9110 sections 9.3.4, 15.3).
fn says_stored(status: u16) -> bool {
    matches!(status, 200 | 201 | 204)
}

fn not_stored(status: u16) -> Failure {
    let why =
        format!("it answers an upload with the status {status}, which does not say that the file is stored");
    Failure::Useless(why.into())
}

/// An upload that is being sent.
pub(crate) struct Sent {
    path: Arc<str>,
    content: Arc<File>,
    pub size: u64,
    pub overwrite: bool,
}

impl Sent {
    /// The time limit for sending so many bytes.
    pub fn within(&self, timeout: Duration, bytes: u64) -> Duration {
        timeout + Duration::from_secs(bytes / SLOWEST)
    }

    /// Only an upload that must not replace a file can fail because there is one.
    fn error(&self, error: object_store::Error) -> object_store::Error {
        if self.overwrite { unconditional_put(error) } else { error }
    }

    pub async fn read(&self, at: u64, length: u64) -> Result<Bytes, Failure> {
        read(Arc::clone(&self.content), at, length).await
    }
}

async fn read(content: Arc<File>, at: u64, length: u64) -> Result<Bytes, Failure> {
    let read = spawn_blocking(move || {
        // A part: it fits into memory.
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(usize::MAX)];
        content.read_exact_at(&mut bytes, at).map(|()| Bytes::from(bytes))
    });
    let read = read.await.unwrap_or_else(|_| Err(io::ErrorKind::Other.into()));
    read.map_err(|error| Failure::Cache(format!("the upload cannot be read: {error}").into()))
}

/// Parts of an upload that the store forgets, unless they were joined.
struct Abort(Option<Box<dyn MultipartUpload>>);

impl Drop for Abort {
    fn drop(&mut self) {
        let Some(mut parts) = self.0.take() else { return };
        if let Ok(runtime) = runtime::handle() {
            runtime.spawn(async move {
                // Stores have rules that delete such parts after days: it is not tried again.
                let _ = tokio::time::timeout(Duration::from_secs(10), parts.abort()).await;
            });
        }
    }
}
