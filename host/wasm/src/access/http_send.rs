//! Sends the HTTP requests of plugins. One client serves all, reuses connections and trusts the system's certificate
//! authorities, including private ones.

use parking_lot::Mutex;
use std::error::Error as _;
use std::future::Future;
use std::pin::Pin;
use std::sync::OnceLock;
use std::task::{Context, Poll};
use std::time::Duration;

use http::{Request, Response};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use reqwest::redirect;
use tokio::time::{Instant, Sleep, sleep, timeout};
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody};

use super::http::BodyFuture;
use super::resolver::Resolver;
use tuffet_net::tls;

/// The default of the plugin's time-outs; the limits of the call end it long before.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(600);
/// The maximum number of idle connections per host.
const MAX_IDLE: usize = 8;

/// Sends a request. Returns the answer once its head has arrived; the body follows as it arrives.
pub(super) async fn send(
    request: Request<WasiBody>,
    options: Option<RequestOptions>,
) -> Result<(Response<WasiBody>, BodyFuture), Error> {
    let options = options.unwrap_or_default();
    let head = options.connect_timeout.unwrap_or(DEFAULT_TIMEOUT)
        + options.first_byte_timeout.unwrap_or(DEFAULT_TIMEOUT);
    let (parts, body) = request.into_parts();
    let body = reqwest::Body::wrap(RequestBody(Mutex::new(body)));
    let request = reqwest::Request::try_from(Request::from_parts(parts, body))
        .map_err(|_| Error::HttpRequestUriInvalid)?;
    let answer = timeout(head, client()?.execute(request)).await;
    let answer = answer.map_err(|_| Error::HttpResponseTimeout)?.map_err(|error| explain(&error))?;
    let max_pause = options.between_bytes_timeout.unwrap_or(DEFAULT_TIMEOUT);
    let answer = Response::from(answer).map(|body| ResponseBody::new(body, max_pause).boxed_unsync());
    Ok((answer, Box::new(async { Ok(()) })))
}

/// Returns the client, created on first use. It follows no redirects and uses no proxy: either could lead to a host
/// that is not granted. A plugin may follow redirects itself.
fn client() -> Result<&'static reqwest::Client, Error> {
    static CLIENT: OnceLock<Result<reqwest::Client, String>> = OnceLock::new();
    let client = CLIENT.get_or_init(|| {
        tls::choose_provider();
        let client = || reqwest::Client::builder().redirect(redirect::Policy::none()).no_proxy();
        let resolver = Resolver::of_system();
        let client = || client().pool_max_idle_per_host(MAX_IDLE).dns_resolver(resolver.clone());
        // A machine without system certificates can still use plain HTTP.
        client().build().or_else(|_| client().tls_certs_only([]).build()).map_err(|error| error.to_string())
    });
    client.as_ref().map_err(|why| Error::InternalError(Some(why.clone())))
}

fn explain(error: &reqwest::Error) -> Error {
    // The text of the error contains the URL, which may hold secrets. Its causes do not.
    let mut why = String::new();
    let mut cause = error.source();
    while let Some(error) = cause {
        why = error.to_string();
        cause = error.source();
    }
    if error.is_timeout() {
        return Error::HttpResponseTimeout;
    }
    if error.is_connect() {
        tracing::debug!(target: "tuffet::policy", why, "an HTTP request of a plugin failed");
        return if why.contains("certificate") {
            Error::TlsCertificateError
        } else {
            Error::ConnectionRefused
        };
    }
    Error::InternalError(Some(why))
}

/// The body of a request. Its type is not `Sync`, but no two threads use it at once, so the lock is always free.
struct RequestBody(Mutex<WasiBody>);

impl RequestBody {
    fn body(&mut self) -> &mut WasiBody {
        self.0.get_mut()
    }

    fn with_body<T>(&self, read: impl FnOnce(&WasiBody) -> T) -> T {
        read(&self.0.lock())
    }
}

impl Body for RequestBody {
    type Data = <WasiBody as Body>::Data;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Error>>> {
        Pin::new(self.body()).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.with_body(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.with_body(Body::size_hint)
    }
}

/// The body of an answer, with a limit on pauses.
struct ResponseBody {
    body: reqwest::Body,
    max_pause: Duration,
    silence: Pin<Box<Sleep>>,
}

impl ResponseBody {
    fn new(body: reqwest::Body, max_pause: Duration) -> ResponseBody {
        ResponseBody { body, max_pause, silence: Box::pin(sleep(max_pause)) }
    }
}

impl Body for ResponseBody {
    type Data = <reqwest::Body as Body>::Data;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Error>>> {
        match Pin::new(&mut self.body).poll_frame(context) {
            Poll::Ready(frame) => {
                let until = Instant::now() + self.max_pause;
                self.silence.as_mut().reset(until);
                Poll::Ready(frame.map(|frame| frame.map_err(|error| explain(&error))))
            }
            Poll::Pending => match self.silence.as_mut().poll(context) {
                Poll::Ready(()) => Poll::Ready(Some(Err(Error::ConnectionReadTimeout))),
                Poll::Pending => Poll::Pending,
            },
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
