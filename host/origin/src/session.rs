//! Large uploads to Google: sessions of its JSON interface
//! (<https://cloud.google.com/storage/docs/performing-resumable-uploads>).
//!
//! The XML interface, which `object_store` uses, has no condition for uploads in parts. A session has one, and Google
//! checks it after the last part, so one of several concurrent uploads that create a file succeeds. An unfinished
//! session leaves no visible file, and Google forgets it after a week.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_RANGE, LOCATION, RANGE};
use http::{HeaderMap, HeaderValue, Method, Uri};
use object_store::path::Path;
use object_store::{ObjectStore, PutOptions, PutPayload};
use reqwest::{Request, Response, Url};

use crate::answers::{by_status, judge};
use crate::core::Core;
use crate::failure::{Failure, unanswered};
use crate::runtime;
use crate::service::{Change, NOTE, Note, Service};
use crate::upload::{MIN_PART_BYTES, OutgoingUpload};

/// All parts except the last are multiples of this size, and Google keeps only multiples of it.
const UNIT_BYTES: u64 = 256 << 10;
/// The limit of bytes read from the reason of a refusal.
const MAX_REASON_BYTES: usize = 16 << 10;

type Outcome<T> = (Result<T, Failure>, Option<u16>);

impl Core {
    /// Sends parts one after the other to a session. Cancels the session if one fails.
    pub async fn put_session(self: &Arc<Self>, upload: &OutgoingUpload, key: &Path) -> Outcome<()> {
        let timeout = self.backend.timeout;
        let (object, headers) = match self.prepared(key).await {
            Ok(prepared) => prepared,
            Err(failure) => return (Err(failure), None),
        };
        let Some(begin) = address(&object, upload.overwrite) else {
            return (Err(Failure::Useless("its address cannot be used".into())), None);
        };
        let login = headers.get(AUTHORIZATION).cloned();
        let mut session = Session { service: &self.backend.service, url: begin, login, open: false };
        let size = [("x-upload-content-length", HeaderValue::from(upload.size))];
        let (begun, status) = session.request(Method::POST, &size, Bytes::new(), timeout).await;
        let answer = match begun {
            Ok(answer) if matches!(status, Some(200 | 201)) => answer,
            Ok(answer) => return (Err(refusal(answer, upload.overwrite, timeout).await), status),
            Err(failure) => return (Err(failure), status),
        };
        // Use only its path: parts and login must go to the configured server, even if the answer names another.
        let place = answer.headers().get(LOCATION).and_then(|place| place.to_str().ok());
        let Some(place) = place.and_then(|place| session.url.join(place).ok()) else {
            return (Err(Failure::Useless("it begins no upload in parts: no Location".into())), status);
        };
        session.url.set_path(place.path());
        session.url.set_query(place.query());
        session.open = true;
        let result = self.put_into(&session, upload).await;
        session.open = result.0.is_err();
        result
    }

    async fn put_into(&self, session: &Session<'_>, upload: &OutgoingUpload) -> Outcome<()> {
        let (timeout, size) = (self.backend.timeout, upload.size);
        let mut at = 0;
        loop {
            let piece = MIN_PART_BYTES.min(size - at);
            let bytes = match upload.read(at, piece).await {
                Ok(bytes) => bytes,
                Err(failure) => return (Err(failure), None),
            };
            let end = at + piece;
            let last = end == size;
            let Ok(range) = HeaderValue::try_from(format!("bytes {at}-{}/{size}", end - 1)) else {
                return (Err(Failure::Useless("no such range".into())), None);
            };
            let within = upload.within(timeout, if last { size } else { piece });
            let (put, status) =
                session.request(Method::PUT, &[(CONTENT_RANGE.as_str(), range)], bytes, within).await;
            let answer = match put {
                Ok(answer) => answer,
                Err(failure) => return (Err(failure), status),
            };
            let wrong = |why: &str| (Err(Failure::Useless(why.into())), status);
            match status {
                Some(200 | 201) if last => return (Ok(()), status),
                Some(200 | 201) => return wrong("it ends an upload without having its parts"),
                Some(308) => {}
                // The session is unknown. The bucket existed when it began.
                Some(404 | 410) => {
                    return (Err(Failure::Failing("it has forgotten the upload".into())), status);
                }
                _ => return (Err(refusal(answer, upload.overwrite, timeout).await), status),
            }
            match kept(answer.headers()) {
                kept if kept > end || kept == size => return wrong("it claims parts that it was not sent"),
                kept if kept == end || kept >= at + UNIT_BYTES => at = kept,
                _ => {
                    return (Err(Failure::Failing("it does not keep the parts of an upload".into())), status);
                }
            }
        }
    }

    /// Returns the address and the headers that `object_store` makes for an upload, with its login and endpoint.
    async fn prepared(&self, key: &Path) -> Result<(Uri, HeaderMap), Failure> {
        let note = Note { change: Change::Hold, ..Note::default() };
        let action = self.backend.store.put_opts(key, PutPayload::new(), PutOptions::default());
        let (result, note) = NOTE
            .scope(RefCell::new(note), async {
                let result = tokio::time::timeout(self.backend.timeout, action).await;
                (result, NOTE.with(|note| note.take()))
            })
            .await;
        match (note.held.clone(), result) {
            (Some(held), _) => Ok(held),
            (None, Ok(Err(error))) => Err(judge(&error, &note)),
            // Only fetching the login can have timed out.
            (None, _) => Err(Failure::Away("no login in time".into())),
        }
    }
}

/// Returns the address for beginning a session. The address of an object ends in its bucket and its key, both encoded.
fn address(object: &Uri, overwrite: bool) -> Option<Url> {
    let object = object.to_string();
    let (bucket, key) = object.rsplit_once('/')?;
    let (base, bucket) = bucket.rsplit_once('/')?;
    let condition = if overwrite { "" } else { "&ifGenerationMatch=0" };
    format!("{base}/upload/storage/v1/b/{bucket}/o?uploadType=resumable&name={key}{condition}").parse().ok()
}

/// Returns the number of bytes that a session has received, from the range in its answer.
fn kept(headers: &HeaderMap) -> u64 {
    let last =
        headers.get(RANGE).and_then(|range| range.to_str().ok()?.strip_prefix("bytes=0-")?.parse().ok());
    last.map_or(0, |last: u64| last.saturating_add(1))
}

async fn refusal(answer: Response, overwrite: bool, timeout: Duration) -> Failure {
    match answer.status().as_u16() {
        412 if !overwrite => Failure::Exists,
        404 => Failure::Absent,
        status => {
            let reason = tokio::time::timeout(timeout, reason(answer)).await;
            by_status(status, reason.ok().flatten().as_deref())
        }
    }
}

/// Returns the error code from the JSON of an answer, if it consists of letters and digits.
async fn reason(mut answer: Response) -> Option<String> {
    let mut text = Vec::new();
    while let Some(piece) = answer.chunk().await.ok()? {
        text.extend_from_slice(&piece);
        if text.len() > MAX_REASON_BYTES {
            return None;
        }
    }
    let answer: serde_json::Value = serde_json::from_slice(&text).ok()?;
    let reason = answer.pointer("/error/errors/0/reason")?.as_str()?;
    (reason.len() <= 64 && reason.bytes().all(|byte| byte.is_ascii_alphanumeric())).then(|| reason.to_owned())
}

/// A running upload. Unless it succeeds, dropping it tells Google to forget the session.
struct Session<'a> {
    service: &'a Service,
    url: Url,
    login: Option<HeaderValue>,
    open: bool,
}

impl Session<'_> {
    async fn request(
        &self,
        method: Method,
        headers: &[(&'static str, HeaderValue)],
        body: Bytes,
        within: Duration,
    ) -> Outcome<Response> {
        let mut request = empty(method, &self.url, self.login.as_ref());
        request.headers_mut().insert(CONTENT_LENGTH, body.len().into());
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.clone());
        }
        *request.body_mut() = Some(body.into());
        match tokio::time::timeout(within, self.service.execute(request)).await {
            Ok(Ok(answer)) => {
                let status = answer.status().as_u16();
                (Ok(answer), Some(status))
            }
            Ok(Err(error)) => (Err(unanswered(&error)), None),
            Err(_) => (Err(Failure::Silent(format!("no answer within {within:?}").into())), None),
        }
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        if !self.open {
            return;
        }
        let (service, mut request) =
            (self.service.clone(), empty(Method::DELETE, &self.url, self.login.as_ref()));
        request.headers_mut().insert(CONTENT_LENGTH, 0.into());
        if let Ok(runtime) = runtime::handle() {
            runtime.spawn(async move {
                // No retry: Google forgets the session after a week.
                let _ = tokio::time::timeout(Duration::from_secs(10), service.execute(request)).await;
            });
        }
    }
}

fn empty(method: Method, url: &Url, login: Option<&HeaderValue>) -> Request {
    let mut request = Request::new(method, url.clone());
    if let Some(login) = login {
        request.headers_mut().insert(AUTHORIZATION, login.clone());
    }
    request
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_begins_beside_its_object() {
        let object = |url: &str, overwrite| address(&url.parse().expect("an address"), overwrite);
        let at = |url: &str| Some(Url::parse(url).expect("an address"));
        assert_eq!(
            object("https://storage.googleapis.com/boot/images%2Fa%20b", false),
            at("https://storage.googleapis.com/upload/storage/v1/b/boot/o?uploadType=resumable\
                &name=images%2Fa%20b&ifGenerationMatch=0")
        );
        assert_eq!(
            object("http://proxy:1/google/boot/log", true),
            at("http://proxy:1/google/upload/storage/v1/b/boot/o?uploadType=resumable&name=log")
        );
    }

    #[test]
    fn the_range_of_a_session_gives_its_bytes() {
        let range = |range: &'static str| HeaderMap::from_iter([(RANGE, HeaderValue::from_static(range))]);
        assert_eq!(kept(&HeaderMap::new()), 0);
        assert_eq!(kept(&range("bytes=0-1023")), 1024);
        for odd in ["bytes=5-9", "bytes=0-", "bytes=0--1", "0-9", "bytes=0-99999999999999999999"] {
            assert_eq!(kept(&range(odd)), 0, "{odd}");
        }
        assert_eq!(kept(&range("bytes=0-18446744073709551615")), u64::MAX);
    }
}
