//! The source of snapshots: a control socket, or an admin listener.

use super::super::control::SocketError;
use super::TopArgs;
use super::nats::NatsSource;
use parking_lot::Mutex;
use serde_json::json;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;
use tuffet_daemon::Reply;
use tuffet_server::watch::{RowQuery, Snapshot};
use url::form_urlencoded;

/// How long a server may be silent; it sends a snapshot every second.
const SILENCE: Duration = Duration::from_secs(6);
/// The pause before the next connection to a server that does not answer.
const PAUSE: Duration = Duration::from_secs(1);
/// The largest head of an answer in bytes.
const MAX_HEAD: u64 = 16 << 10;
/// The longest line of a server; a snapshot has some hundred kilobytes.
const MAX_LINE: u64 = 16 << 20;

/// An update.
pub(super) enum Update {
    Snapshot(Box<Snapshot>),
    /// The connection was lost, with the reason.
    Lost(String),
}

pub(super) enum Source {
    Control(PathBuf),
    Admin { host: String, token: Option<String> },
    Nats(NatsSource),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Control(path) => write!(f, "the control socket {}", path.display()),
            Source::Admin { host, .. } => write!(f, "http://{host}"),
            Source::Nats(nats) => f.write_str(&nats.url),
        }
    }
}

impl Source {
    /// Returns the source; the error has the exit code and the message.
    pub(super) fn of(args: &TopArgs) -> Result<Source, (u8, String)> {
        if let Some(url) = &args.nats {
            let nats = NatsSource::of(url, &args.subject, args.nats_auth.as_deref());
            return nats.map(Source::Nats).map_err(|message| (64, message));
        }
        let Some(url) = &args.url else {
            return args.server.control().socket().map(Source::Control).map_err(|error| match error {
                SocketError::None => (error.code(), format!("{error}, or give --url")),
                _ => (error.code(), error.to_string()),
            });
        };
        let host = url.strip_prefix("http://").map(|rest| rest.trim_end_matches('/'));
        let Some(host) =
            host.filter(|host| host.contains(':') && !host.contains(['/', '@', ' ', '\r', '\n']))
        else {
            return Err((64, format!("--url {url}: give http://HOST:PORT, such as http://127.0.0.1:6980")));
        };
        let token = args.token_file.as_ref().map(|file| {
            let text = std::fs::read_to_string(file)
                .map_err(|error| (64, format!("--token-file {}: {error}; name a file", file.display())))?;
            match text.trim() {
                token if !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic()) => {
                    Ok(token.to_owned())
                }
                _ => Err((64, format!("--token-file {}: it must hold only the token", file.display()))),
            }
        });
        Ok(Source::Admin { host: host.to_owned(), token: token.transpose()? })
    }

    /// Returns the first snapshot.
    pub(super) fn first(&self, query: &RowQuery) -> io::Result<Snapshot> {
        match self {
            Source::Nats(nats) => nats.first(),
            Source::Control(_) | Source::Admin { .. } => self.open(query)?.next(),
        }
    }

    /// Passes all updates to `tell` until it returns false. Connects again when the query changes: the server sorts and
    /// filters, because a snapshot has few of its transfers.
    pub(super) fn follow(&self, wanted: &Mutex<RowQuery>, mut tell: impl FnMut(Update) -> bool) {
        if let Source::Nats(nats) = self {
            return nats.follow(tell);
        }
        loop {
            let query = wanted.lock().clone();
            let error = match self.open(&query) {
                Ok(mut stream) => loop {
                    if *wanted.lock() != query {
                        break None;
                    }
                    match stream.next() {
                        Ok(snapshot) => {
                            if !tell(Update::Snapshot(Box::new(snapshot))) {
                                return;
                            }
                        }
                        Err(error) => break Some(error),
                    }
                },
                Err(error) => Some(error),
            };
            let Some(error) = error else { continue };
            if !tell(Update::Lost(error.to_string())) {
                return;
            }
            thread::sleep(PAUSE);
        }
    }

    fn open(&self, query: &RowQuery) -> io::Result<Stream> {
        match self {
            Source::Control(path) => {
                let mut stream = UnixStream::connect(path)?;
                stream.set_read_timeout(Some(SILENCE))?;
                // An older server knows the command alone.
                let rows = if query.is_default() { String::new() } else { format!(" {}", json!(query)) };
                stream.write_all(format!("watch{rows}\n").as_bytes())?;
                Ok(Stream { lines: BufReader::new(Box::new(stream)), events: false })
            }
            Source::Admin { host, token } => http(host, token.as_deref(), query),
            Source::Nats(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

struct Stream {
    lines: BufReader<Box<dyn Read>>,
    /// Whether these are server-sent events.
    events: bool,
}

impl Stream {
    fn next(&mut self) -> io::Result<Snapshot> {
        loop {
            let mut line = String::new();
            if self.lines.by_ref().take(MAX_LINE).read_line(&mut line)? == 0 {
                return Err(io::Error::other("the server ended the stream"));
            }
            if line.len() as u64 == MAX_LINE {
                return Err(io::Error::other("the server sends an endless line"));
            }
            let strange = |_| io::Error::other("the server has another version");
            if !self.events {
                return match serde_json::from_str(&line).map_err(strange)? {
                    Reply::Live(snapshot) => Ok(*snapshot),
                    Reply::Busy => Err(io::Error::other("the server has as many viewers as it allows")),
                    _ => Err(io::Error::other("the server has another version")),
                };
            }
            if let Some(data) = line.strip_prefix("data: ") {
                return serde_json::from_str(data).map_err(strange);
            }
        }
    }
}

/// Requests with HTTP 1.0, so that the answer is not chunked.
fn http(host: &str, token: Option<&str>, query: &RowQuery) -> io::Result<Stream> {
    let mut last = io::Error::other("the host has no address");
    let mut stream = None;
    for address in host.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, SILENCE) {
            Ok(open) => {
                stream = Some(open);
                break;
            }
            Err(error) => last = error,
        }
    }
    let Some(mut stream) = stream else { return Err(last) };
    stream.set_read_timeout(Some(SILENCE))?;
    let token = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
    let mut path = "/api/live".to_owned();
    if !query.is_default() {
        let pairs = [("sort", query.sort()), ("filter", query.filter().to_owned())];
        path = format!(
            "{path}?{}",
            form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
        );
    }
    stream.write_all(format!("GET {path} HTTP/1.0\r\nHost: {host}\r\n{token}\r\n").as_bytes())?;
    let mut lines = BufReader::new(Box::new(stream) as Box<dyn Read>);
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let read =
            lines.by_ref().take(MAX_HEAD.saturating_sub(head.len() as u64)).read_until(b'\n', &mut head)?;
        if read == 0 {
            return Err(io::Error::other("this is no admin listener"));
        }
    }
    let head = String::from_utf8_lossy(&head);
    match head.split(' ').nth(1) {
        Some("200") => Ok(Stream { lines, events: true }),
        Some("401") => Err(io::Error::other("it rejects the token; give another one with --token-file")),
        Some("503") => Err(io::Error::other("the server has as many viewers as it allows")),
        Some("421") => Err(io::Error::other("it rejects this host name; give its IP address")),
        _ => Err(io::Error::other("this is no admin listener of Tuffet")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_an_end_is_read_to_a_bound() {
        for events in [false, true] {
            let endless: Box<dyn Read> = Box::new(io::repeat(b'x'));
            let mut stream = Stream { lines: BufReader::new(endless), events };
            let error = stream.next().err().map(|error| error.to_string());
            assert_eq!(error.as_deref(), Some("the server sends an endless line"));
        }
    }
}
