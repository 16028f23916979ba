//! The stage of a trial as the host: given answers are returned, and the plugin's actions are recorded.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full as FullBody, Limited};
use tokio::time::sleep;
use wasmtime_wasi_http::{Error as HttpError, RequestOptions, WasiBody};

use super::MAX_READ;
use super::calls::{HostCalls, Pending, SinkOutput};
use super::error::Code;
use super::files::{changed, too_large};
use super::http::{BodyFuture, HttpFuture};
use super::http_send::send;
use super::live::Live;
use crate::bindings::files::Metadata;
use crate::bindings::types::Error;
use crate::digest;
use crate::stage::{Exchange, HttpAnswer, HttpFailure, Stage, StagedFile, StagedRequest};
use tuffet_policy::PastRequest;
use tuffet_request::ClientKey;
use tuffet_sinks::Full;

/// The maximum size of a recorded body, in bytes.
const MAX_BODY: usize = 8 << 20;

/// Headers of the connection, which do not apply to a recorded answer.
const CONNECTION_HEADERS: [&str; 3] = ["connection", "keep-alive", "transfer-encoding"];

/// A stage, and the real host behind it.
#[derive(Debug)]
pub(crate) struct Staged {
    pub stage: Arc<Stage>,
    pub world: Live,
}

impl Staged {
    /// Returns a file of the stage, or records it from the real host.
    async fn file(&self, client: ClientKey, call: &str, root: &str, path: &str) -> Result<StagedFile, Error> {
        let known = self.stage.file(call, root, path).map_err(|why| Code::Unavailable.with(why))?;
        if !matches!(known, StagedFile::Unknown) || !self.stage.records() {
            return Ok(known);
        }
        match self.world.read(client, root.to_owned(), path.to_owned(), MAX_READ).await {
            Ok(file) => {
                self.stage.learn_file(root, path, file.clone());
                Ok(file.map_or(StagedFile::Absent, StagedFile::Content))
            }
            Err(error) => {
                self.stage.not_learned(call, root, path);
                Err(error)
            }
        }
    }
}

impl HostCalls for Staged {
    fn stat(
        &self,
        client: ClientKey,
        root: String,
        path: String,
    ) -> Pending<'_, Result<Option<Metadata>, Error>> {
        Box::pin(async move {
            match self.file(client, "stat", &root, &path).await? {
                StagedFile::Unknown => self.world.stat(client, root, path).await,
                StagedFile::Absent => Ok(None),
                StagedFile::Folder => Err(a_folder()),
                StagedFile::Content(file) => {
                    let (size, version) = (file.len() as u64, digest(&file));
                    Ok(Some(Metadata { size, modified_unix_ms: 0, version }))
                }
            }
        })
    }

    fn read(
        &self,
        client: ClientKey,
        root: String,
        path: String,
        max_bytes: u64,
    ) -> Pending<'_, Result<Option<Vec<u8>>, Error>> {
        Box::pin(async move {
            match self.file(client, "read", &root, &path).await? {
                StagedFile::Unknown => self.world.read(client, root, path, max_bytes).await,
                StagedFile::Absent => Ok(None),
                StagedFile::Folder => Err(a_folder()),
                StagedFile::Content(file) if file.len() as u64 > max_bytes => {
                    Err(too_large(file.len() as u64, max_bytes))
                }
                StagedFile::Content(file) => Ok(Some(file)),
            }
        })
    }

    fn read_at(
        &self,
        client: ClientKey,
        root: String,
        path: String,
        version: String,
        offset: u64,
        length: usize,
    ) -> Pending<'_, Result<Vec<u8>, Error>> {
        Box::pin(async move {
            match self.file(client, "read_at", &root, &path).await? {
                StagedFile::Unknown => self.world.read_at(client, root, path, version, offset, length).await,
                StagedFile::Absent => Err(changed("it is gone")),
                StagedFile::Folder => Err(a_folder()),
                StagedFile::Content(file) if digest(&file) != version => {
                    Err(changed("it has another version"))
                }
                StagedFile::Content(file) => {
                    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
                    Ok(file.into_iter().skip(offset).take(length).collect())
                }
            }
        })
    }

    fn history(&self, _: IpAddr) -> Vec<PastRequest> {
        self.stage.history()
    }

    fn http(&self, request: Request<WasiBody>, options: Option<RequestOptions>) -> HttpFuture {
        if !self.stage.answers_http() {
            return self.world.http(request, options);
        }
        Box::new(answer(Arc::clone(&self.stage), request, options))
    }

    fn read_clock(&self) {
        self.stage.read_clock();
    }

    fn time(&self) -> Option<Duration> {
        self.stage.time()
    }

    fn logged(&self, level: &'static str, message: &str, fields: &str) {
        self.stage.log(level, message, fields);
    }

    fn spent(&self, memory: u64, cpu: Duration) {
        self.stage.spent(memory, cpu);
    }
}

/// The error of real roots for a folder.
fn a_folder() -> Error {
    Code::NotAFile.with("a folder is no regular file")
}

/// Payloads are recorded, not delivered.
impl SinkOutput for Stage {
    fn emit(&self, _: Arc<str>, sink: String, payload: String) -> Pending<'_, Result<(), Full>> {
        Stage::emit(self, sink, payload);
        Box::pin(async { Ok(()) })
    }
}

/// Answers an HTTP request: with a given answer, or with one of the real host, which is recorded.
async fn answer(
    stage: Arc<Stage>,
    request: Request<WasiBody>,
    options: Option<RequestOptions>,
) -> Result<(Response<WasiBody>, BodyFuture), HttpError> {
    let (head, body) = request.into_parts();
    let body = body.collect().await?.to_bytes();
    let (method, url) = (head.method.to_string(), head.uri.to_string());
    let asked = StagedRequest { method: &method, url: &url, headers: &head.headers, body: &body };
    let answer = match stage.http(&asked) {
        Err(()) => return Err(HttpError::HttpRequestDenied),
        Ok(Some(exchange)) => given(exchange, options).await?,
        Ok(None) => {
            let request = Request::from_parts(head, full_body(body.clone()));
            let fetched = fetch(request, options).await;
            let failure = fetched.as_ref().err().map(failure_of);
            // What the server refuses to send, another run would not send either.
            if stage.records() && failure != Some(None) {
                let body = (!body.is_empty()).then(|| body.to_vec());
                let answer = fetched.as_ref().map_err(|_| failure.flatten().unwrap_or(HttpFailure::Broken));
                let answer = answer.cloned();
                let (headers, after) = (Vec::new(), Duration::ZERO);
                stage.learn_http(Exchange { method, url, headers, body, after, answer });
            }
            fetched?
        }
    };
    let mut response = Response::builder().status(answer.status);
    for (name, value) in &answer.headers {
        response = response.header(name, value);
    }
    let response = response.body(full_body(answer.body.into()));
    let response = response.map_err(|error| HttpError::InternalError(Some(error.to_string())))?;
    Ok((response, Box::new(async { Ok(()) })))
}

/// Returns a given answer when it is due, or the error of its failure.
async fn given(exchange: &Exchange, options: Option<RequestOptions>) -> Result<HttpAnswer, HttpError> {
    // As long as the plugin waits.
    let patience = options.and_then(|options| options.first_byte_timeout).unwrap_or(Duration::MAX);
    sleep(exchange.after.min(patience)).await;
    if exchange.after >= patience {
        return Err(HttpError::HttpResponseTimeout);
    }
    exchange.answer.clone().map_err(|failure| match failure {
        HttpFailure::Refused => HttpError::ConnectionRefused,
        HttpFailure::Timeout => HttpError::HttpResponseTimeout,
        HttpFailure::Broken => HttpError::ConnectionTerminated,
    })
}

/// Returns how a case writes an error of the real host; `None` for requests that the host does not send.
fn failure_of(error: &HttpError) -> Option<HttpFailure> {
    match error {
        HttpError::HttpRequestDenied
        | HttpError::HttpRequestUriInvalid
        | HttpError::HttpRequestMethodInvalid
        | HttpError::ConnectionLimitReached => None,
        HttpError::ConnectionTimeout
        | HttpError::ConnectionReadTimeout
        | HttpError::ConnectionWriteTimeout
        | HttpError::HttpResponseTimeout
        | HttpError::DnsTimeout => Some(HttpFailure::Timeout),
        HttpError::ConnectionRefused
        | HttpError::DestinationUnavailable
        | HttpError::DestinationNotFound
        | HttpError::DestinationIpUnroutable
        | HttpError::DnsError { .. } => Some(HttpFailure::Refused),
        _ => Some(HttpFailure::Broken),
    }
}

/// Sends a request and reads the whole answer.
async fn fetch(request: Request<WasiBody>, options: Option<RequestOptions>) -> Result<HttpAnswer, HttpError> {
    let (response, _) = send(request, options).await?;
    let (head, body) = response.into_parts();
    let body = Limited::new(body, MAX_BODY).collect().await;
    let body = body.map_err(|_| HttpError::HttpResponseBodySize(None))?.to_bytes();
    let mut headers: Vec<(String, String)> = Vec::new();
    for (name, value) in &head.headers {
        let value = String::from_utf8_lossy(value.as_bytes());
        match headers.iter_mut().find(|(known, _)| known == name.as_str()) {
            Some((_, known)) => *known = format!("{known}, {value}"),
            None if CONNECTION_HEADERS.contains(&name.as_str()) => {}
            None => headers.push((name.to_string(), value.into_owned())),
        }
    }
    Ok(HttpAnswer { status: head.status.as_u16(), headers, body: body.to_vec() })
}

fn full_body(body: Bytes) -> WasiBody {
    FullBody::new(body).map_err(|never| match never {}).boxed_unsync()
}
