//! A web server whose files, versions and misbehaviour a test decides: the origin of a root.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use super::SOON;

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
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let state = State { files: BTreeMap::new(), manner: Manner::Good, requests: Vec::new(), waiting: 0 };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let web = Web { address, timeout, shared };
        let its = web.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let web = its.clone();
                thread::spawn(move || web.serve(stream));
            }
        });
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

    fn serve(&self, stream: TcpStream) {
        let Ok(reading) = stream.try_clone() else { return };
        let (mut reader, mut writer) = (BufReader::new(reading), stream);
        while let Some(request) = Request::read(&mut reader) {
            self.lock().requests.push(request.head.clone());
            // One that was paused may be closed.
            if self.answer(&request, &mut writer).is_none() {
                return;
            }
        }
    }

    fn answer(&self, request: &Request, writer: &mut impl Write) -> Option<()> {
        let manner = self.lock().manner;
        match manner {
            Manner::Away => return None,
            Manner::Hangs => {
                self.wait_while(manner);
                return None;
            }
            Manner::HangsOn(part) if request.path.contains(part) => {
                self.wait_while(manner);
                return None;
            }
            Manner::SaysOn(part, status) if request.path.contains(part) => {
                return write!(writer, "HTTP/1.1 {status} No\r\nContent-Length: 0\r\n\r\n").ok();
            }
            Manner::RedirectsUploads(to) if request.method == "PUT" => {
                let head = format!("HTTP/1.1 303 See\r\nLocation: /files/{to}\r\nContent-Length: 0\r\n\r\n");
                return writer.write_all(head.as_bytes()).ok();
            }
            Manner::Says(status) => {
                return write!(writer, "HTTP/1.1 {status} No\r\nContent-Length: 0\r\n\r\n").ok();
            }
            _ => {}
        }
        let file = self.lock().files.get(&request.path).cloned();
        if request.method == "PUT" {
            if file.is_some() && request.header("if-none-match") == Some("*") {
                return write!(writer, "HTTP/1.1 412 No\r\nContent-Length: 0\r\n\r\n").ok();
            }
            self.lock().files.insert(request.path.clone(), (request.body.clone(), "\"stored\"".into()));
            return write!(writer, "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n").ok();
        }
        let Some((content, version)) = file else {
            return write!(writer, "HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n").ok();
        };
        if request.header("if-match").is_some_and(|wanted| wanted != version) {
            return write!(writer, "HTTP/1.1 412 No\r\nContent-Length: 0\r\n\r\n").ok();
        }
        if request.header("if-none-match") == Some(&version) {
            return write!(writer, "HTTP/1.1 304 Same\r\nETag: {version}\r\n\r\n").ok();
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
        writer.write_all(format!("{head}\r\n").as_bytes()).ok()?;
        if request.method == "HEAD" {
            return Some(());
        }
        let part = &content[from..to];
        if let Manner::Pauses(bytes) = manner
            && bytes < part.len()
        {
            writer.write_all(&part[..bytes]).ok()?;
            writer.flush().ok()?;
            self.wait_while(manner);
            if self.lock().manner != Manner::Good {
                return None;
            }
            return writer.write_all(&part[bytes..]).ok();
        }
        writer.write_all(part).ok()
    }
}

struct Request {
    method: String,
    path: String,
    head: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    fn read(reader: &mut impl BufRead) -> Option<Request> {
        let mut head = String::new();
        loop {
            let before = head.len();
            if reader.read_line(&mut head).ok()? == 0 {
                return None;
            }
            if head[before..].trim().is_empty() {
                break;
            }
        }
        let mut lines = head.lines();
        let mut words = lines.next()?.split(' ');
        let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
        let header = |line: &str| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_ascii_lowercase(), value.trim().to_owned()))
        };
        let headers: Vec<_> = lines.filter_map(header).collect();
        let mut request = Request { method, path, headers, body: Vec::new(), head: head.clone() };
        let length = request.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        request.body = vec![0; length];
        reader.read_exact(&mut request.body).ok()?;
        Some(request)
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(its, _)| its == name).map(|(_, value)| value.as_str())
    }
}
