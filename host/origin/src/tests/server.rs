//! A web server of files that misbehaves as a test says.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    /// Path and query.
    pub target: String,
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

/// A file of the server.
#[derive(Debug, Clone)]
pub struct Page {
    pub bytes: Arc<Vec<u8>>,
    pub etag: Option<String>,
    pub modified: Option<String>,
    pub ranges: bool,
}

/// What becomes of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// The request was not handled: the server answers as it should.
    Serve,
    /// It was answered.
    Next,
    /// The connection ends.
    Close,
}

type Trick = Box<dyn Fn(&Request, &mut TcpStream, &Server) -> Then + Send + Sync>;

#[derive(Default)]
struct Shared {
    pages: Mutex<HashMap<String, Page>>,
    requests: Mutex<Vec<Request>>,
    trick: Mutex<Option<Arc<Trick>>>,
    stopped: AtomicBool,
    streams: Mutex<Vec<TcpStream>>,
}

static SERVERS: AtomicU16 = AtomicU16::new(1);

/// A running server.
#[derive(Clone)]
pub struct Server {
    pub address: SocketAddr,
    shared: Arc<Shared>,
}

impl Server {
    pub fn start() -> Self {
        // Where a network has addresses for it, each has its own: nobody gets the port of a server that has ended.
        let number = SERVERS.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        let host = if cfg!(target_os = "linux") { [127, 1, number[0], number[1]] } else { [127, 0, 0, 1] };
        Self::start_at((host, 0).into())
    }

    pub fn start_at(address: SocketAddr) -> Self {
        let listener = TcpListener::bind(address).expect("a port");
        let server = Self { address: listener.local_addr().expect("its address"), shared: Arc::default() };
        let accepting = server.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { continue };
                if accepting.shared.stopped.load(Ordering::SeqCst) {
                    return;
                }
                accepting.shared.streams.lock().unwrap().push(stream.try_clone().expect("a descriptor"));
                let server = accepting.clone();
                thread::spawn(move || server.serve(stream));
            }
        });
        server
    }

    /// Ends it: the port is closed, and so are all connections.
    pub fn stop(&self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        for stream in self.shared.streams.lock().unwrap().drain(..) {
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
    }

    pub fn url(&self) -> String {
        format!("http://{}/files", self.address)
    }

    /// Puts a file at `/files/NAME`, with a strong ETag made of its bytes.
    pub fn put(&self, name: &str, bytes: Vec<u8>) {
        let mut sum = DefaultHasher::new();
        sum.write(&bytes);
        let etag = Some(format!("\"{:x}-{}\"", sum.finish(), bytes.len()));
        self.put_page(name, Page { bytes: Arc::new(bytes), etag, modified: Some(DATE.into()), ranges: true });
    }

    pub fn put_page(&self, name: &str, page: Page) {
        self.shared.pages.lock().unwrap().insert(format!("/files/{name}"), page);
    }

    pub fn remove(&self, name: &str) {
        self.shared.pages.lock().unwrap().remove(&format!("/files/{name}"));
    }

    pub fn page(&self, target: &str) -> Option<Page> {
        self.shared.pages.lock().unwrap().get(target).cloned()
    }

    /// Lets a test handle requests, or pass them on.
    pub fn trick(&self, trick: impl Fn(&Request, &mut TcpStream, &Server) -> Then + Send + Sync + 'static) {
        *self.shared.trick.lock().unwrap() = Some(Arc::new(Box::new(trick)));
    }

    pub fn requests(&self) -> Vec<Request> {
        self.shared.requests.lock().unwrap().clone()
    }

    /// The methods of all requests, in order.
    pub fn methods(&self) -> Vec<String> {
        self.requests().into_iter().map(|request| request.method).collect()
    }

    fn serve(&self, mut stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let mut reader = BufReader::new(stream.try_clone().expect("a descriptor"));
        while let Some(request) = receive(&mut reader) {
            self.shared.requests.lock().unwrap().push(request.clone());
            let trick = self.shared.trick.lock().unwrap().clone();
            let then = trick.map_or(Then::Serve, |trick| trick(&request, &mut stream, self));
            match then {
                Then::Serve => {
                    if self.answer(&request, &mut stream).is_err() {
                        break;
                    }
                }
                Then::Next => {}
                Then::Close => break,
            }
        }
        let _ = stream.shutdown(std::net::Shutdown::Both);
    }

    /// Answers as a good server does.
    pub fn answer(&self, request: &Request, stream: &mut TcpStream) -> std::io::Result<()> {
        if request.method == "PUT" {
            if request.header("if-none-match") == Some("*") && self.page(&request.target).is_some() {
                return respond(stream, 412, &[], b"", false);
            }
            let name = request.target.trim_start_matches("/files/");
            self.put(name, request.body.clone());
            return respond(stream, 201, &[], b"", false);
        }
        let head = request.method == "HEAD";
        let Some(page) = self.page(&request.target) else { return respond(stream, 404, &[], b"gone", head) };
        let mut headers = Vec::new();
        if let Some(etag) = &page.etag {
            headers.push(("ETag", etag.clone()));
            if request.header("if-none-match") == Some(etag) {
                return respond(stream, 304, &headers, b"", true);
            }
            if request.header("if-match").is_some_and(|wanted| wanted != etag) {
                return respond(stream, 412, &[], b"", head);
            }
        }
        if let Some(modified) = &page.modified {
            headers.push(("Last-Modified", modified.clone()));
            if page.etag.is_none() && request.header("if-modified-since") == Some(modified) {
                return respond(stream, 304, &headers, b"", true);
            }
        }
        match request.header("range").filter(|_| page.ranges) {
            Some(range) => {
                let (from, to) = range.trim_start_matches("bytes=").split_once('-').expect("a range");
                let (from, to): (usize, usize) =
                    (from.parse().expect("a number"), to.parse().expect("a number"));
                let to = to.min(page.bytes.len() - 1);
                headers.push(("Content-Range", format!("bytes {from}-{to}/{}", page.bytes.len())));
                respond(stream, 206, &headers, &page.bytes[from..=to], head)
            }
            None => respond(stream, 200, &headers, &page.bytes, head),
        }
    }
}

pub const DATE: &str = "Sun, 06 Nov 2022 08:49:37 GMT";

/// Sends an answer; without its body for HEAD.
pub fn respond(
    stream: &mut TcpStream,
    status: u16,
    headers: &[(&str, String)],
    body: &[u8],
    head: bool,
) -> std::io::Result<()> {
    begin(stream, status, headers, body.len())?;
    if head { Ok(()) } else { stream.write_all(body) }
}

/// Sends the head of an answer with a body of this length.
pub fn begin(
    stream: &mut TcpStream,
    status: u16,
    headers: &[(&str, String)],
    length: usize,
) -> std::io::Result<()> {
    let mut head = format!("HTTP/1.1 {status} Status\r\n");
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    if status != 304 {
        head += &format!("Content-Length: {length}\r\n");
    }
    stream.write_all(format!("{head}\r\n").as_bytes())
}

fn receive(reader: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut line = String::new();
    if reader.read_line(&mut line).ok()? == 0 {
        return None;
    }
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { method, target, headers, body })
}
