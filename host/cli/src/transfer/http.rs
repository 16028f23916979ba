//! Transfers by HTTP and HTTPS: one request over one connection, without proxies, redirects and logins.

use super::body::{FileBody, Progress};
use super::{CommonArgs, Done, Failure, PIECE, run, show};
use indicatif::ProgressBar;
use reqwest::header::LOCATION;
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, Identity, Response, StatusCode};
use std::error::Error;
use std::fmt::Display;
use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;
use tokio::io::BufWriter;
use tokio::net::lookup_host;
use tokio::time::{Instant, timeout, timeout_at};
use tuffet_client::{ClientError, Destination, Target};
use tuffet_net::{causes, tls};
use url::{Host, Url};

/// The most bytes of a refusal that are shown.
const MAX_LINE: usize = 200;

/// One transfer: its URL, and how long the server may be silent.
struct Exchange<'a> {
    url: &'a Url,
    patience: Duration,
}

pub(super) fn get(
    url: &Url,
    options: &CommonArgs,
    output: &Path,
    bar: &ProgressBar,
) -> Result<Done, Failure> {
    let exchange = Exchange { url, patience: options.patience() };
    run(async {
        let mut stdout = BufWriter::with_capacity(PIECE, tokio::io::stdout());
        let mut destination = match output == Path::new("-") {
            true => Destination::Writer { writer: &mut stdout, spool: None },
            false => Destination::File(Target::create(output.to_owned()).await.map_err(unwritten)?),
        };
        let began = Instant::now();
        let client = exchange.client(options).await?;
        let answer = timeout(exchange.patience, client.get(url.clone()).send()).await;
        let mut answer = exchange.answer(answer.map_err(|_| exchange.silent())?)?;
        if answer.status() != StatusCode::OK {
            return Err(exchange.refused(answer).await);
        }
        let (mut bytes, total) = (0, answer.content_length());
        loop {
            show(bar, bytes, total);
            let piece = timeout(exchange.patience, answer.chunk()).await.map_err(|_| exchange.silent())?;
            let Some(piece) = piece.map_err(|error| exchange.incomplete(bytes, total, error))? else { break };
            destination.write(bytes, &piece).await.map_err(unwritten)?;
            bytes += piece.len() as u64;
        }
        destination.store().await.map_err(unwritten)?;
        Ok(Done { bytes, duration: began.elapsed(), details: format!("{:?}", answer.version()) })
    })
}

pub(super) fn put(url: &Url, options: &CommonArgs, input: &Path, bar: &ProgressBar) -> Result<Done, Failure> {
    let exchange = Exchange { url, patience: options.patience() };
    run(async {
        let unread = |error| Failure { code: 74, text: format!("{}: {error}", input.display()) };
        let body = FileBody::open(input, bar).map_err(unread)?;
        let progress = body.progress();
        let began = Instant::now();
        let client = exchange.client(options).await?;
        progress.lock().silent_since = Some(Instant::now());
        let mut sending = Box::pin(client.put(url.clone()).body(reqwest::Body::wrap(body)).send());
        let answer = loop {
            let since = progress.lock().silent_since;
            match timeout_at(since.unwrap_or_else(Instant::now) + exchange.patience, &mut sending).await {
                Ok(answer) => break answer,
                Err(_) if since.is_some() && progress.lock().silent_since == since => {
                    return Err(exchange.silent());
                }
                Err(_) => {}
            }
        };
        let Progress { bytes, is_complete, error, .. } = std::mem::take(&mut *progress.lock());
        if let Some(error) = error {
            return Err(unread(error));
        }
        let answer = exchange.answer(answer)?;
        if !answer.status().is_success() {
            return Err(exchange.refused(answer).await);
        }
        if !is_complete {
            let text = format!("the server answered {} before it had the whole file", answer.status());
            return Err(exchange.failure(76, text));
        }
        Ok(Done {
            bytes,
            duration: began.elapsed(),
            details: format!("{:?}, {}", answer.version(), answer.status()),
        })
    })
}

impl Exchange<'_> {
    async fn client(&self, options: &CommonArgs) -> Result<Client, Failure> {
        tls::choose_provider();
        let mut builder = Client::builder()
            .user_agent(concat!("tuffet/", env!("CARGO_PKG_VERSION")))
            .redirect(Policy::none())
            .no_proxy()
            .http1_only()
            .connect_timeout(self.patience);
        if let Some(Host::Domain(host)) = self.url.host() {
            builder = builder.resolve_to_addrs(host, &self.addresses(host).await?);
        }
        if let Some(path) = &options.ca {
            let found = Certificate::from_pem_bundle(&read(path)?).unwrap_or_default();
            if found.is_empty() {
                let text = format!(
                    "{} holds no certificate: PEM with `BEGIN CERTIFICATE` is expected",
                    path.display()
                );
                return Err(Failure { code: 74, text });
            }
            builder = builder.tls_certs_only(found);
        } else if self.url.scheme() == "http" {
            // A machine without system certificates can still use plain HTTP.
            builder = builder.tls_certs_only([]);
        }
        if let (Some(certificate), Some(key)) = (&options.certificate, &options.key) {
            let both = [read(certificate)?, b"\n".to_vec(), read(key)?].concat();
            let identity = Identity::from_pem(&both).map_err(|error| {
                let (certificate, key, cause) = (certificate.display(), key.display(), causes::of(error));
                let text = format!(
                    "{certificate}, {key}: {cause}; PEM files with the certificate, and with its key, not encrypted, are \
                     expected"
                );
                Failure { code: 74, text }
            })?;
            builder = builder.identity(identity);
        }
        builder.build().map_err(|error| self.failure(74, format_args!("no client: {}", causes::of(error))))
    }

    async fn addresses(&self, host: &str) -> Result<Vec<SocketAddr>, Failure> {
        let port = self.url.port_or_known_default().unwrap_or_default();
        let found =
            timeout(self.patience, lookup_host((host, port))).await.unwrap_or_else(|error| Err(error.into()));
        match found.map(Vec::from_iter) {
            Ok(addresses) => Ok(addresses),
            Err(error) => {
                let error = ClientError::Host { host: host.to_owned(), error };
                Err(Failure { code: 68, text: error.to_string() })
            }
        }
    }

    /// Returns the answer, or why there is none.
    fn answer(&self, answer: reqwest::Result<Response>) -> Result<Response, Failure> {
        let error = match answer {
            Ok(answer) => return Ok(answer),
            Err(error) if error.is_timeout() => return Err(self.silent()),
            Err(error) => error,
        };
        let (server, cause) = (self.server(), root(&error));
        let local: Option<&io::Error> = find(&error);
        if local.is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused) {
            let text =
                format!("nothing listens on {server}; check that the server runs, and that this is its port");
            return Err(self.failure(69, text));
        }
        // There is a connection if the error is not the system's.
        if error.is_connect() && local.is_some_and(|error| error.raw_os_error().is_none()) {
            let text = format!(
                "no TLS session: {cause}; check that {server} speaks HTTPS, and name the authority of its certificate \
                 with --ca"
            );
            return Err(self.failure(76, text));
        }
        if error.is_connect() {
            return Err(self.failure(69, format_args!("{server} cannot be reached: {cause}")));
        }
        if find(&error).is_some_and(hyper::Error::is_parse) {
            return Err(self.failure(76, format_args!("the server's answer is refused: {cause}")));
        }
        Err(self.failure(69, format_args!("the server closed the connection without an answer: {cause}")))
    }

    /// Describes an answer that is no success.
    async fn refused(&self, mut answer: Response) -> Failure {
        let status = answer.status();
        if status.is_redirection()
            && let Some(place) = answer.headers().get(LOCATION)
        {
            let place = String::from_utf8_lossy(place.as_bytes());
            let place = self.url.join(&place).map_or(place.into_owned(), String::from);
            return self.failure(
                1,
                format_args!(
                    "the server redirects to {place} ({status}), which is not followed; request that URL"
                ),
            );
        }
        let mut text = Vec::new();
        while text.len() < MAX_LINE && !text.contains(&b'\n') {
            match timeout(self.patience, answer.chunk()).await {
                Ok(Ok(Some(piece))) => text.extend_from_slice(&piece),
                _ => break,
            }
        }
        text.truncate(MAX_LINE);
        let text = String::from_utf8_lossy(&text);
        let line = text.lines().next().unwrap_or_default().trim();
        let line = if line.is_empty() { "(no text)" } else { line };
        let code = if status == StatusCode::NOT_FOUND { 2 } else { 1 };
        self.failure(code, format_args!("the server says: {line} ({status})"))
    }

    fn incomplete(&self, bytes: u64, total: Option<u64>, error: reqwest::Error) -> Failure {
        let total = total.map(|total| format!(" of {total}")).unwrap_or_default();
        let cause = root(&error);
        self.failure(69, format_args!("the connection broke after {bytes}{total} bytes: {cause}"))
    }

    fn silent(&self) -> Failure {
        self.failure(
            69,
            format_args!(
                "no answer from {} for {} s; is an HTTP server there, and does a firewall let it answer?",
                self.server(),
                self.patience.as_secs()
            ),
        )
    }

    /// The server with its port.
    fn server(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        format!("{host}:{}", self.url.port_or_known_default().unwrap_or_default())
    }

    fn failure(&self, code: u8, text: impl Display) -> Failure {
        Failure { code, text: format!("{}: {text}", self.url) }
    }
}

fn unwritten(error: ClientError) -> Failure {
    Failure::of_output(&error).unwrap_or_else(|| Failure { code: 74, text: error.to_string() })
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| Failure { code: 74, text: format!("{}: {error}", path.display()) })
}

fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| (*error).source())
}

/// Returns the error of this type among the causes.
fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    chain(error).find_map(|error| error.downcast_ref())
}

/// Returns the text of the first cause.
fn root(error: &(dyn Error + 'static)) -> String {
    chain(error).last().map(ToString::to_string).unwrap_or_default()
}
