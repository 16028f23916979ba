//! Large uploads to Google: sessions of its JSON interface
//! (<https://cloud.google.com/storage/docs/performing-resumable-uploads>).
//!
//! The XML interface, which `object_store` speaks, has no condition for uploads in parts. A session has one, which
//! Google checks when the last part has come, so of many uploads that create a file one succeeds. A session that does
//! not end leaves nothing that anybody sees, and Google forgets it after a week.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_RANGE, LOCATION, RANGE};
use http::{HeaderMap, HeaderValue, Method, Uri};
use object_store::path::Path;
use object_store::{ObjectStore, PutOptions, PutPayload};
use reqwest::{Request, Response, Url};

use crate::core::Core;
use crate::failure::{Failure, unanswered};
use crate::judge::{by_status, judge};
use crate::runtime;
use crate::service::{Change, NOTE, Note, Service};
use crate::upload::{PART, Sent};

/// Parts are multiples of this, and Google keeps nothing smaller of one, except of the last.
const UNIT: u64 = 256 << 10;
/// The most that is read of the reason of a refusal.
const REASON: usize = 16 << 10;

type Outcome<T> = (Result<T, Failure>, Option<u16>);

impl Core {
    /// Sends parts one after the other to a session, which is given up if one fails.
    pub async fn put_session(self: &Arc<Self>, upload: &Sent, key: &Path) -> Outcome<()> {
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
        // Its path alone: parts and login go to the server that was named, whatever the answer names.
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

    async fn put_into(&self, session: &Session<'_>, upload: &Sent) -> Outcome<()> {
        let (timeout, size) = (self.backend.timeout, upload.size);
        let mut at = 0;
        loop {
            let piece = PART.min(size - at);
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
                Some(200 | 201) => return wrong("it ends an upload whose parts it does not have"),
                Some(308) => {}
                // The name of the session is its own: the bucket was there when it began.
                Some(404 | 410) => {
                    return (Err(Failure::Failing("it has forgotten the upload".into())), status);
                }
                _ => return (Err(refusal(answer, upload.overwrite, timeout).await), status),
            }
            match kept(answer.headers()) {
                kept if kept > end || kept == size => return wrong("it claims parts that it was not sent"),
                kept if kept == end || kept >= at + UNIT => at = kept,
                _ => {
                    return (Err(Failure::Failing("it does not keep the parts of an upload".into())), status);
                }
            }
        }
    }

    /// The address and the headers of an upload, as `object_store` makes them: with a login, and for the endpoint that
    /// its settings name.
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
            // The login is what is waited for.
            (None, _) => Err(Failure::Away("no login in time".into())),
        }
    }
}

/// Where the session of an object begins. The address of an object ends in its bucket and its key, both encoded.
fn address(object: &Uri, overwrite: bool) -> Option<Url> {
    let object = object.to_string();
    let (bucket, key) = object.rsplit_once('/')?;
    let (base, bucket) = bucket.rsplit_once('/')?;
    let condition = if overwrite { "" } else { "&ifGenerationMatch=0" };
    format!("{base}/upload/storage/v1/b/{bucket}/o?uploadType=resumable&name={key}{condition}").parse().ok()
}

/// How many bytes a session has, from the range in its answer.
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

/// The word of Google for an error, from the JSON of its answer: letters alone.
async fn reason(mut answer: Response) -> Option<String> {
    let mut text = Vec::new();
    while let Some(piece) = answer.chunk().await.ok()? {
        text.extend_from_slice(&piece);
        if text.len() > REASON {
            return None;
        }
    }
    let answer: serde_json::Value = serde_json::from_slice(&text).ok()?;
    let reason = answer.pointer("/error/errors/0/reason")?.as_str()?;
    (reason.len() <= 64 && reason.bytes().all(|byte| byte.is_ascii_alphanumeric())).then(|| reason.to_owned())
}

/// An upload that is being sent. Google is told to forget it unless it ended well.
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
                // Google forgets it by itself after a week: it is not tried again.
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
    fn what_a_session_has_is_the_end_of_its_range() {
        let range = |range: &'static str| HeaderMap::from_iter([(RANGE, HeaderValue::from_static(range))]);
        assert_eq!(kept(&HeaderMap::new()), 0);
        assert_eq!(kept(&range("bytes=0-1023")), 1024);
        for odd in ["bytes=5-9", "bytes=0-", "bytes=0--1", "0-9", "bytes=0-99999999999999999999"] {
            assert_eq!(kept(&range(odd)), 0, "{odd}");
        }
        assert_eq!(kept(&range("bytes=0-18446744073709551615")), u64::MAX);
    }
}
