//! A web server whose files, versions and misbehaviour a test decides: the origin of a root.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::{HttpConnection, HttpRequest, SOON, loopback, serve_http};

/// What the server does with requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// It answers.
    Good,
    /// It takes requests and never answers.
    Hangs,
    /// It closes connections without an answer.
    Away,
    /// It answers with this status, without content.
    Says(u16),
    /// It never answers requests for paths that contain this.
    HangsOn(&'static str),
    /// It answers requests for paths that contain this with this status.
    SaysOn(&'static str, u16),
    /// It stores no upload, but redirects to this file, which says that all is well.
    RedirectsUploads(&'static str),
    /// It sends this many bytes of content, then waits until its manner changes.
    Pauses(usize),
}

/// The server. Its threads end with the process.
#[derive(Clone)]
pub struct Web {
    address: SocketAddr,
    /// How long servers wait for it.
    timeout: &'static str,
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    files: BTreeMap<String, (Vec<u8>, String)>,
    manner: Manner,
    /// The first lines and the headers of all requests.
    requests: Vec<String>,
    /// Requests that wait.
    waiting: usize,
}

impl Web {
    /// One that servers wait for, however busy the machine is.
    pub fn start() -> Web {
        Web::with_timeout("30s")
    }

    pub fn with_timeout(timeout: &'static str) -> Web {
        let listener = loopback();
        let address = listener.local_addr().unwrap();
        let state = State { files: BTreeMap::new(), manner: Manner::Good, requests: Vec::new(), waiting: 0 };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let web = Web { address, timeout, shared };
        let its = web.clone();
        serve_http(listener, move |request, connection| its.answer(request, connection));
        web
    }

    /// The URL of its folder `files`.
    pub fn url(&self) -> String {
        format!("http://{}/files", self.address)
    }

    /// A root in YAML, with further keys of the root and of its cache.
    pub fn root(&self, name: &str, keys: &str, cache: &str) -> String {
        format!(
            "  - {{ name: {name}, url: \"{}\", origin: {{ timeout: {} }}, {keys} cache: {{ path: cache-{name}, {cache} }} }}\n",
            self.url(),
            self.timeout
        )
    }

    /// A file and its version.
    pub fn put(&self, path: &str, content: &[u8], version: &str) {
        let file = (content.to_vec(), format!("\"{version}\""));
        self.lock().files.insert(format!("/files/{path}"), file);
    }

    pub fn get(&self, path: &str) -> Option<Vec<u8>> {
        self.lock().files.get(&format!("/files/{path}")).map(|(content, _)| content.clone())
    }

    pub fn be(&self, manner: Manner) {
        self.lock().manner = manner;
        self.shared.changed.notify_all();
    }

    /// The requests with this method so far.
    pub fn requests(&self, method: &str) -> Vec<String> {
        let state = self.lock();
        state.requests.iter().filter(|request| request.starts_with(method)).cloned().collect()
    }

    /// Waits until this many requests wait in it.
    #[track_caller]
    pub fn waits(&self, count: usize) {
        let end = Instant::now() + SOON;
        let mut state = self.lock();
        while state.waiting < count {
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "{} of {count} requests wait: {:?}", state.waiting, state.requests);
            state = self.shared.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the manner is another one.
    fn wait_while(&self, manner: Manner) {
        let mut state = self.lock();
        state.waiting += 1;
        self.shared.changed.notify_all();
        while state.manner == manner {
            state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting -= 1;
    }

    /// One that was paused may be closed.
    fn answer(&self, request: &HttpRequest, connection: &mut HttpConnection) -> Option<()> {
        self.lock().requests.push(request.head.clone());
        let (manner, path) = (self.lock().manner, request.path());
        match manner {
            Manner::Away => return None,
            Manner::Hangs => {
                self.wait_while(manner);
                return None;
            }
            Manner::HangsOn(part) if path.contains(part) => {
                self.wait_while(manner);
                return None;
            }
            Manner::SaysOn(part, status) if path.contains(part) => return connection.answer(status, "", b""),
            Manner::RedirectsUploads(to) if request.method() == "PUT" => {
                return connection.answer(303, &format!("location: /files/{to}\r\n"), b"");
            }
            Manner::Says(status) => return connection.answer(status, "", b""),
            _ => {}
        }
        let file = self.lock().files.get(path).cloned();
        if request.method() == "PUT" {
            if file.is_some() && request.header("if-none-match") == Some("*") {
                return connection.answer(412, "", b"");
            }
            self.lock().files.insert(path.to_owned(), (request.body.clone(), "\"stored\"".into()));
            return connection.answer(201, "", b"");
        }
        let Some((content, version)) = file else { return connection.answer(404, "", b"") };
        if request.header("if-match").is_some_and(|wanted| wanted != version) {
            return connection.answer(412, "", b"");
        }
        if request.header("if-none-match") == Some(&version) {
            return connection.send(format!("HTTP/1.1 304 Same\r\nETag: {version}\r\n\r\n").as_bytes());
        }
        let size = content.len();
        let range = request.header("range").and_then(|range| {
            let (from, to) = range.strip_prefix("bytes=")?.split_once('-')?;
            let from: usize = from.parse().ok()?;
            let to = to.parse::<usize>().map_or(size, |to| (to + 1).min(size));
            Some((from, to))
        });
        let (from, to) = range.unwrap_or((0, size));
        let status = if range.is_some() { "206 Part" } else { "200 OK" };
        let mut head = format!(
            "HTTP/1.1 {status}\r\nETag: {version}\r\nLast-Modified: Mon, 01 Jan 2024 00:00:00 GMT\r\nContent-Length: {}\r\n",
            to - from
        );
        if range.is_some() {
            head += &format!("Content-Range: bytes {from}-{}/{size}\r\n", to - 1);
        }
        connection.send(format!("{head}\r\n").as_bytes())?;
        if request.method() == "HEAD" {
            return Some(());
        }
        let part = &content[from..to];
        if let Manner::Pauses(bytes) = manner
            && bytes < part.len()
        {
            connection.send(&part[..bytes])?;
            self.wait_while(manner);
            if self.lock().manner != Manner::Good {
                return None;
            }
            return connection.send(&part[bytes..]);
        }
        connection.send(part)
    }
}
