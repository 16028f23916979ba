//! One connection, from its first byte to its end.

use crate::body::Body;
use crate::files::Files;
use crate::limits::HttpLimits;
use crate::pace::{Cut, PacedBody, PacedStream};
use crate::slots::{Busy, Slot};
use crate::tap::{ConnectionTap, Tap};
use crate::tls;
use bytes::Bytes;
use http::Request;
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rustls::ServerConfig;
use socket2::SockRef;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Notify, watch};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tuffet::Certificate;

/// How long the kernel waits for a client after the end of its connection.
const GONE_AFTER: Duration = Duration::from_secs(20);

/// The limits of the head of a request in bytes and headers.
const MAX_HEAD: usize = 16 << 10;
const MAX_HEADERS: usize = 64;

/// How much the kernel holds of what it has not sent: so it takes more in small steps, by which a slow reader is told from
/// one that has stopped.
#[cfg(any(target_os = "android", target_os = "linux"))]
const MAX_UNSENT: u32 = 128 << 10;

/// How long a drain waits for the first request of a connection, which is on its way.
const FIRST_REQUEST: Duration = Duration::from_secs(1);

/// How long, and how much, the server reads after its last answer: a connection that is closed with unread bytes is
/// reset, and its client may lose the answer. More than sockets hold: a client that sends a large file may look for an
/// answer only when the sockets are full.
const LINGER_TIME: Duration = Duration::from_secs(2);
const LINGER_BYTES: u64 = 64 << 20;

/// A connection that was accepted.
pub(crate) struct Connection {
    pub(crate) files: Files,
    pub(crate) limits: HttpLimits,
    pub(crate) client: SocketAddr,
    pub(crate) slot: Arc<Slot>,
    pub(crate) tap: Option<Arc<dyn Tap>>,
    /// Turns to `true` when the server drains.
    pub(crate) drain: watch::Receiver<bool>,
}

impl Connection {
    /// Answers requests until the client, a limit or the server ends the connection.
    pub(crate) async fn serve(mut self, stream: TcpStream, tls: Option<Arc<ServerConfig>>) {
        let (client, slot) = (self.client, Arc::clone(&self.slot));
        let served = async {
            // Answers are whole when they are written, and small ones should not wait.
            let _ = stream.set_nodelay(true);
            #[cfg(any(target_os = "android", target_os = "linux"))]
            let _ = SockRef::from(&stream).set_tcp_notsent_lowat(MAX_UNSENT);
            let mut tap = None;
            if let Ok(mut local) = stream.local_addr() {
                local.set_ip(local.ip().to_canonical());
                self.files = self.files.at(local.ip());
                tap = self.tap.take().map(|tap| ConnectionTap::new(tap, client, local));
            }
            let mut stream = PacedStream::new(stream, self.limits.least_rate, reset, forget_soon);
            stream.tap(tap);
            let cut = stream.cut();
            match tls {
                None => self.serve_http(stream, cut, None).await,
                // A session is large, and connections without one must not be.
                Some(config) => Box::pin(self.serve_https(stream, cut, config)).await,
            }
        };
        tokio::select! {
            () = served => {}
            () = slot.needed() => {
                tracing::debug!(target: "tuffet::http", %client, "closed to make room for another connection");
            }
        }
    }

    async fn serve_https(self, stream: PacedStream<TcpStream>, cut: Cut, tls: Arc<ServerConfig>) {
        let client = self.client;
        match timeout(self.limits.head_timeout, TlsAcceptor::from(tls).accept(stream)).await {
            Ok(Ok(stream)) => {
                let certificate = tls::certificate_of(&stream);
                self.serve_http(stream, cut, certificate).await;
            }
            Ok(Err(error)) => {
                tracing::debug!(target: "tuffet::http", %client, %error, "no TLS session began");
            }
            Err(_) => {
                tracing::debug!(target: "tuffet::http", %client, "the TLS handshake took too long");
            }
        }
    }

    async fn serve_http(
        mut self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send,
        cut: Cut,
        certificate: Option<Arc<Certificate>>,
    ) {
        let (files, client, slot) = (self.files, self.client, Arc::clone(&self.slot));
        let least_rate = self.limits.least_rate;
        let asked = &Notify::new();
        let service = service_fn(move |request: Request<Incoming>| {
            asked.notify_one();
            let (files, busy, cut) = (files.clone(), slot.begin(), cut.clone());
            let mut request = request.map(|body| PacedBody::new(body, least_rate));
            if let Some(certificate) = &certificate {
                request.extensions_mut().insert(Arc::clone(certificate));
            }
            Box::pin(async move {
                let answer = files.respond(client, request).await;
                let answer = answer.map(|answer| answer.map(|body| Answer { body, cut, _busy: busy }));
                answer.ok_or_else(|| io::Error::other("the request was dropped"))
            })
        });
        let mut connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.head_timeout)
            .max_buf_size(MAX_HEAD)
            .max_headers(MAX_HEADERS)
            // A client may end its half after a request, and still read the answer.
            .half_close(true)
            // GRUB compares the names of fields by case.
            .title_case_headers(true)
            .serve_connection(TokioIo::new(stream), service);
        let draining = async {
            drop(self.drain.wait_for(|drain| *drain).await);
            // Ready at once if it has asked before.
            let _ = timeout(FIRST_REQUEST, asked.notified()).await;
        };
        let served = tokio::select! {
            served = poll_fn(|context| connection.poll_without_shutdown(context)) => Some(served),
            () = draining => None,
        };
        let (served, was_idle) = match served {
            Some(served) => (served, false),
            None => {
                let is_idle = self.slot.is_idle();
                Pin::new(&mut connection).graceful_shutdown();
                (poll_fn(|context| connection.poll_without_shutdown(context)).await, is_idle)
            }
        };
        if let Err(error) = &served {
            tracing::debug!(target: "tuffet::http", %client, %error, "a connection failed");
        }
        // Of the failures, those with an answer: 400, 414, 431.
        if served.as_ref().err().is_none_or(hyper::Error::is_parse) {
            close(connection.into_parts().io.into_inner(), !was_idle).await;
        }
    }
}

/// Lets the kernel forget what the client has not read: otherwise it keeps that for a client that reads nothing.
fn reset(stream: &TcpStream) {
    let _ = SockRef::from(stream).set_linger(Some(Duration::ZERO));
}

/// Lets the kernel give the connection up soon if the client does not answer any more. A loader that is switched off in the
/// middle and boots again asks from the same port: as long as the kernel has the old connection, it answers no new one.
fn forget_soon(stream: &TcpStream) {
    #[cfg(any(target_os = "android", target_os = "linux"))]
    let _ = SockRef::from(stream).set_tcp_user_timeout(Some(GONE_AFTER));
    #[cfg(not(any(target_os = "android", target_os = "linux")))]
    let _ = stream;
}

/// Ends the server's half; after an answer, takes what the client still sends.
async fn close(mut stream: impl AsyncRead + AsyncWrite + Unpin, has_answered: bool) {
    let closing = async {
        stream.shutdown().await?;
        let rest = if has_answered { LINGER_BYTES } else { 0 };
        tokio::io::copy(&mut stream.take(rest), &mut tokio::io::sink()).await
    };
    // There is nobody to tell about a failure.
    let _ = timeout(LINGER_TIME, closing).await;
}

/// The body of an answer, which keeps its connection busy.
struct Answer {
    body: Body,
    cut: Cut,
    _busy: Busy,
}

impl Drop for Answer {
    fn drop(&mut self) {
        if let Some(reason) = self.cut.reason() {
            self.body.cut(reason);
        }
    }
}

impl http_body::Body for Answer {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
