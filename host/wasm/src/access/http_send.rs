//! Sends the HTTP requests of plugins: one client for all, which reuses connections and trusts the system's
//! certificate authorities, so that private ones are among them.

use std::error::Error as _;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use http::{Request, Response};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use reqwest::redirect;
use tokio::time::{Instant, Sleep, sleep, timeout};
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody};

use super::http::Work;
use tuffet_net::tls;

/// The default of the plugin's own time-out; the limits of the call end it long before.
const PATIENCE: Duration = Duration::from_secs(600);
/// Idle connections kept per host.
const IDLE: usize = 8;

/// Sends a request; the answer comes with its head, and its body as it arrives.
pub(super) async fn send(
    request: Request<WasiBody>,
    options: Option<RequestOptions>,
) -> Result<(Response<WasiBody>, Work), Error> {
    let options = options.unwrap_or_default();
    let head = options.connect_timeout.unwrap_or(PATIENCE) + options.first_byte_timeout.unwrap_or(PATIENCE);
    let (parts, body) = request.into_parts();
    let body = reqwest::Body::wrap(Outgoing(Mutex::new(body)));
    let request = reqwest::Request::try_from(Request::from_parts(parts, body))
        .map_err(|_| Error::HttpRequestUriInvalid)?;
    let answer = timeout(head, client()?.execute(request)).await;
    let answer = answer.map_err(|_| Error::HttpResponseTimeout)?.map_err(|error| explain(&error))?;
    let between = options.between_bytes_timeout.unwrap_or(PATIENCE);
    let answer = Response::from(answer).map(|body| Incoming::new(body, between).boxed_unsync());
    Ok((answer, Box::new(async { Ok(()) })))
}

/// Returns the client, created on first use. It follows no redirect and uses no proxy: either could lead to a
/// host that is not granted; the plugin may follow redirects itself.
fn client() -> Result<&'static reqwest::Client, Error> {
    static CLIENT: OnceLock<Result<reqwest::Client, String>> = OnceLock::new();
    let made = CLIENT.get_or_init(|| {
        tls::choose_provider();
        let client = || reqwest::Client::builder().redirect(redirect::Policy::none()).no_proxy();
        let client = || client().pool_max_idle_per_host(IDLE);
        // A machine without any certificates can still work without TLS.
        client().build().or_else(|_| client().tls_certs_only([]).build()).map_err(|error| error.to_string())
    });
    made.as_ref().map_err(|why| Error::InternalError(Some(why.clone())))
}

fn explain(error: &reqwest::Error) -> Error {
    // Its text contains the whole URL, which may hold secrets that must not be logged; its causes do not.
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

/// The body that a plugin sends. Its type does not permit sharing between threads; no thread does, so the
/// lock is always free.
struct Outgoing(Mutex<WasiBody>);

impl Outgoing {
    fn body(&mut self) -> &mut WasiBody {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    fn look<T>(&self, at: impl FnOnce(&WasiBody) -> T) -> T {
        at(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Body for Outgoing {
    type Data = <WasiBody as Body>::Data;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Error>>> {
        Pin::new(self.body()).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.look(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.look(Body::size_hint)
    }
}

/// The body of an answer, with a limit on pauses within it.
struct Incoming {
    body: reqwest::Body,
    between: Duration,
    silence: Pin<Box<Sleep>>,
}

impl Incoming {
    fn new(body: reqwest::Body, between: Duration) -> Incoming {
        Incoming { body, between, silence: Box::pin(sleep(between)) }
    }
}

impl Body for Incoming {
    type Data = <reqwest::Body as Body>::Data;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Error>>> {
        match Pin::new(&mut self.body).poll_frame(context) {
            Poll::Ready(frame) => {
                let until = Instant::now() + self.between;
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
