//! From a request to an answer. Policy decides first; then the conditions and the range of the request choose what of the
//! content is sent.

use crate::body::{Body, PIECE};
use crate::conditions::{Condition, Validators};
use crate::media_type::media_type;
use crate::name;
use crate::range::{Part, part};
use bytes::{Buf, BufMut, Bytes, BytesMut};
use http::header::{
    ACCEPT_RANGES, ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, HOST,
    HeaderName, HeaderValue, IF_MATCH, IF_NONE_MATCH, IF_UNMODIFIED_SINCE, LAST_MODIFIED, RANGE,
    TRANSFER_ENCODING, USER_AGENT, X_CONTENT_TYPE_OPTIONS,
};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode, Version};
use http_body_util::BodyExt;
use httpdate::HttpDate;
use std::borrow::Cow;
use std::fmt::{self, Display};
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::SystemTime;
use tuffet::{Ask, AskError, Decided, Denial, ErrorCode, ReadTransfer, Requests};

/// Answers requests by HTTP from the files of a server. Cheap to clone.
///
/// - GET and HEAD: with entity tags, times, conditions and single ranges, as far as the content has them.
/// - PUT: stores the body as an upload by TFTP is stored: it is visible when it is complete and durable (201, or 204 if
///   it replaced a file).
#[derive(Clone)]
pub struct Files {
    requests: Requests,
    listener: Arc<str>,
    local_address: Option<IpAddr>,
}

/// The most headers of an answer with content, with those of the connection.
const HEADERS: usize = 10;

/// An answer that is none of the requested content.
enum Refusal {
    /// This status, and a line for its reader.
    Answer(StatusCode, String),
    /// The connection is closed.
    Close,
}

impl Files {
    /// Serves the files that clients of this listener get. The name must be that of a listener of the server: its
    /// chains and roots apply.
    pub fn new(requests: Requests, listener: impl Into<String>) -> Files {
        Files { requests, listener: listener.into().into(), local_address: None }
    }

    /// The name of the listener.
    pub(crate) fn listener(&self) -> &Arc<str> {
        &self.listener
    }

    /// The same files, for clients that have connected to this address: policy sees it.
    #[must_use]
    pub fn at(mut self, local_address: IpAddr) -> Files {
        self.local_address = Some(local_address);
        self
    }

    /// The same files, for the client of a connection that is accepted now: see [`Requests::of_accepted`].
    pub(crate) fn of_accepted(&self) -> Files {
        Files { requests: self.requests.of_accepted(), ..self.clone() }
    }

    /// Answers a request of this client. `None` means that policy dropped the request, or that the client broke off: the
    /// connection should be closed without an answer.
    pub async fn respond<B>(&self, client: SocketAddr, request: Request<B>) -> Option<Response<Body>>
    where
        B: http_body::Body,
        B::Error: Display,
    {
        let (head, body) = request.into_parts();
        let mut body = pin!(body);
        let answer = match head.method {
            _ if !has_one_host(&head) => Err(Refusal::Answer(
                StatusCode::BAD_REQUEST,
                "a request needs one header `Host`, with a host".into(),
            )),
            Method::GET | Method::HEAD => self.read(client, &head).await,
            // Rare: its future must not make that of a GET larger.
            Method::PUT => Box::pin(self.write(client, &head, body.as_mut())).await,
            _ => Err(Refusal::Answer(StatusCode::METHOD_NOT_ALLOWED, "only GET, HEAD and PUT".into())),
        };
        let mut answer = match answer {
            Ok(answer) => answer,
            Err(Refusal::Answer(status, line)) => {
                tracing::debug!(target: "tuffet::http", %client, status = status.as_u16(), "refused: {line}");
                explained(status, &line, &head.method)
            }
            Err(Refusal::Close) => return None,
        };
        answer.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        if answer.status() == StatusCode::METHOD_NOT_ALLOWED {
            answer.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD, PUT"));
        }
        // What is left of the body is not read. And RFC 9112 section 6.1: nothing follows a body whose length a proxy may have
        // taken from another header.
        let is_last = !body.is_end_stream() || head.headers.contains_key(TRANSFER_ENCODING);
        if is_last && head.version <= Version::HTTP_11 {
            answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        Some(answer)
    }

    fn ask<'a>(&'a self, client: SocketAddr, head: &'a Parts, name: &'a [u8]) -> Ask<'a> {
        let mut ask = Ask::http(&self.listener, client, name);
        ask.local_address = self.local_address;
        ask.certificate = head.extensions.get().cloned();
        let mut parents = head.headers.get_all("traceparent").iter();
        if let (Some(parent), None) = (parents.next(), parents.next()) {
            ask.trace_parent = parent.to_str().ok();
        }
        ask.user_agent = head.headers.get(USER_AGENT).and_then(|value| value.to_str().ok());
        ask
    }

    async fn read(&self, client: SocketAddr, head: &Parts) -> Result<Response<Body>, Refusal> {
        let name = name_of(head)?;
        let transfer =
            granted(self.requests.read(self.ask(client, head, &name)).await, StatusCode::CONFLICT)?;
        let (size, now) = (transfer.size(), SystemTime::now());
        let validators = Validators::new(transfer.version().as_deref(), transfer.modified(), now);
        match validators.check(&head.headers) {
            Condition::Holds => {}
            Condition::NotModified => {
                transfer.probed();
                return Ok(described(StatusCode::NOT_MODIFIED, validators));
            }
            Condition::Failed => {
                transfer.probed();
                let line = "a condition of the request does not hold";
                return Err(Refusal::Answer(StatusCode::PRECONDITION_FAILED, line.into()));
            }
        }
        // RFC 9110 section 14.2: of other methods than GET, a range has no meaning.
        let part = match head.headers.get(RANGE).and_then(|value| value.to_str().ok()) {
            Some(value)
                if head.method == Method::GET
                    && !transfer.is_sequential()
                    && validators.allow_range(&head.headers, now) =>
            {
                part(value, size)
            }
            _ => Part::Whole,
        };
        let (status, bytes) = match part {
            Part::Whole => (StatusCode::OK, 0..size),
            Part::Bytes(bytes) => (StatusCode::PARTIAL_CONTENT, bytes),
            Part::Unsatisfiable => {
                transfer.probed();
                let line = format!("the content has {size} bytes");
                let mut answer = explained(StatusCode::RANGE_NOT_SATISFIABLE, &line, &head.method);
                set(&mut answer, CONTENT_RANGE, format!("bytes */{size}"));
                return Ok(answer);
            }
        };
        let mut answer = described(status, validators);
        let ranges = if transfer.is_sequential() { "none" } else { "bytes" };
        let headers = answer.headers_mut();
        headers.insert(ACCEPT_RANGES, HeaderValue::from_static(ranges));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type(transfer.resolved(), &name)));
        headers.insert(CONTENT_LENGTH, HeaderValue::from(bytes.end - bytes.start));
        if status == StatusCode::PARTIAL_CONTENT {
            set(&mut answer, CONTENT_RANGE, format!("bytes {}-{}/{size}", bytes.start, bytes.end - 1));
        }
        if head.method == Method::HEAD {
            transfer.probed();
        } else if bytes.is_empty() {
            transfer.served();
        } else {
            *answer.body_mut() = opened(transfer, bytes).await?;
        }
        Ok(answer)
    }

    async fn write<B>(
        &self,
        client: SocketAddr,
        head: &Parts,
        mut body: std::pin::Pin<&mut B>,
    ) -> Result<Response<Body>, Refusal>
    where
        B: http_body::Body,
        B::Error: Display,
    {
        let name = name_of(head)?;
        // RFC 9110 section 14.5: a part must not be stored as the whole.
        if head.headers.contains_key(CONTENT_RANGE) {
            return Err(Refusal::Answer(StatusCode::BAD_REQUEST, "a file is stored as a whole".into()));
        }
        // RFC 9110 section 15.5.12: who forgets the body does not empty a file.
        let has = |name: HeaderName| head.headers.contains_key(name);
        if head.version <= Version::HTTP_11 && !has(CONTENT_LENGTH) && !has(TRANSFER_ENCODING) {
            return Err(Refusal::Answer(StatusCode::LENGTH_REQUIRED, "the request has no body".into()));
        }
        let exists = existing(head)?;
        let announced = body.size_hint().exact();
        // A client that expects 100 (Continue) gets it when the body is read: not if policy refuses it.
        let mut transfer =
            granted(self.requests.write(self.ask(client, head, &name), announced).await, exists)?;
        let denied = |denial: Denial| refused(&denial, exists);
        if exists == StatusCode::PRECONDITION_FAILED {
            transfer = transfer.keep_existing().map_err(denied)?;
        }
        let (mut piece, mut received) = (BytesMut::new(), 0);
        while let Some(frame) = body.frame().await {
            let frame = match frame {
                Ok(frame) => frame,
                Err(error) => {
                    tracing::debug!(target: "tuffet::http", %client, %error, "an upload broke off");
                    transfer.aborted(format!("the upload broke off: {error}"));
                    return Err(Refusal::Close);
                }
            };
            let Ok(mut data) = frame.into_data() else { continue };
            received += data.remaining() as u64;
            while data.has_remaining() {
                let room = PIECE - piece.len();
                piece.put((&mut data).take(room));
                if piece.len() == PIECE {
                    transfer.write(piece.split().freeze()).await.map_err(denied)?;
                }
            }
        }
        if announced.is_some_and(|announced| announced != received) {
            let line = format!("the body had {received} bytes, which is not what was announced");
            transfer.failed(line.as_str());
            return Err(Refusal::Answer(StatusCode::BAD_REQUEST, line));
        }
        if !piece.is_empty() {
            transfer.write(piece.freeze()).await.map_err(denied)?;
        }
        let stored = transfer.store().await.map_err(denied)?;
        Ok(plain(if stored.replaced { StatusCode::NO_CONTENT } else { StatusCode::CREATED }))
    }
}

impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Files").field("listener", &self.listener).finish_non_exhaustive()
    }
}

/// RFC 9112 section 3.2: HTTP/1.1 has exactly one, a host and perhaps a port, or nothing.
fn has_one_host(head: &Parts) -> bool {
    let mut hosts = head.headers.get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (Some(host), None) => !host.as_bytes().iter().any(|byte| b"@/\\?#, \t".contains(byte)),
        (None, None) => head.version != Version::HTTP_11,
        _ => false,
    }
}

fn name_of(head: &Parts) -> Result<Cow<'_, [u8]>, Refusal> {
    // `*` and a bare host name no file (RFC 9112 section 3.2).
    if !head.uri.path().starts_with('/') {
        return Err(Refusal::Answer(StatusCode::BAD_REQUEST, "the request names no file".into()));
    }
    let line = "the name holds an incomplete escape: `%` needs two hexadecimal digits";
    name::decode(head.uri.path()).ok_or_else(|| Refusal::Answer(StatusCode::BAD_REQUEST, line.into()))
}

/// Returns the status for a file that exists already. Of the conditions of RFC 9110 section 13.1, an upload may have
/// `If-None-Match: *`.
fn existing(head: &Parts) -> Result<StatusCode, Refusal> {
    let has = |name: HeaderName| head.headers.contains_key(name);
    match head.headers.get(IF_NONE_MATCH) {
        None if !has(IF_MATCH) && !has(IF_UNMODIFIED_SINCE) => Ok(StatusCode::CONFLICT),
        Some(value) if value == "*" => Ok(StatusCode::PRECONDITION_FAILED),
        _ => {
            let line = "of conditions on uploads, the server knows `If-None-Match: *` alone";
            Err(Refusal::Answer(StatusCode::NOT_IMPLEMENTED, line.into()))
        }
    }
}

fn granted<T>(decided: Result<Decided<T>, AskError>, exists: StatusCode) -> Result<T, Refusal> {
    match decided {
        Ok(Decided::Granted(transfer)) => Ok(transfer),
        Ok(Decided::Refused(denial)) => Err(refused(&denial, exists)),
        Ok(Decided::Dropped(_)) => Err(Refusal::Close),
        Err(AskError::Ended) => {
            Err(Refusal::Answer(StatusCode::SERVICE_UNAVAILABLE, "the server has ended".into()))
        }
        Err(error) => {
            tracing::error!(target: "tuffet::http", %error, "a request cannot be decided");
            Err(Refusal::Answer(StatusCode::INTERNAL_SERVER_ERROR, "the server is set up wrongly".into()))
        }
    }
}

fn refused(denial: &Denial, exists: StatusCode) -> Refusal {
    let status = match denial.code {
        ErrorCode::FileNotFound => StatusCode::NOT_FOUND,
        ErrorCode::AccessViolation => StatusCode::FORBIDDEN,
        ErrorCode::FileExists => exists,
        ErrorCode::DiskFull => StatusCode::INSUFFICIENT_STORAGE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    Refusal::Answer(status, denial.message.clone())
}

async fn opened(transfer: ReadTransfer, bytes: std::ops::Range<u64>) -> Result<Body, Refusal> {
    Body::open(transfer, bytes).await.map_err(|error| {
        tracing::debug!(target: "tuffet::http", %error, "a content cannot be read");
        Refusal::Answer(StatusCode::INTERNAL_SERVER_ERROR, "the content cannot be read".into())
    })
}

fn plain(status: StatusCode) -> Response<Body> {
    let mut answer = Response::new(Body::empty());
    *answer.status_mut() = status;
    answer
}

/// An answer with a line for its reader.
fn explained(status: StatusCode, line: &str, method: &Method) -> Response<Body> {
    let line: String = line.chars().filter(|letter| !letter.is_control()).chain(['\n']).collect();
    let mut answer = plain(status);
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    answer.headers_mut().insert(CONTENT_TYPE, kind);
    answer.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(line.len()));
    if method != Method::HEAD {
        *answer.body_mut() = Body::text(line);
    }
    answer
}

/// An answer about a content. Policy may answer each client in another way, and change its mind: a cache must ask each
/// time.
fn described(status: StatusCode, validators: Validators) -> Response<Body> {
    let mut answer = plain(status);
    // One allocation for all that follow.
    answer.headers_mut().reserve(HEADERS);
    answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Some(etag) = validators.etag {
        answer.headers_mut().insert(ETAG, etag);
    }
    if let Some(modified) = validators.modified {
        set(&mut answer, LAST_MODIFIED, HttpDate::from(modified).to_string());
    }
    answer
}

fn set(answer: &mut Response<Body>, name: HeaderName, value: String) {
    let value = Bytes::from(value);
    let value = HeaderValue::from_maybe_shared(value).expect("numbers and dates are valid values");
    answer.headers_mut().insert(name, value);
}
