//! An HTTP server whose answers a test decides.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

/// A request with its body.
#[derive(Debug, Clone)]
pub struct HttpRequest {
    /// The first line and the headers, with the empty line.
    pub head: String,
    pub body: Vec<u8>,
}

impl HttpRequest {
    /// Reads the next request, if there is a complete one.
    fn read(reader: &mut impl BufRead) -> Option<HttpRequest> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).ok()? == 0 {
                return None;
            }
        }
        let mut request = HttpRequest { head, body: Vec::new() };
        if request.header("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
            request.body = chunks(reader)?;
        } else if let Some(length) = request.header("content-length") {
            request.body = vec![0; length.parse().ok()?];
            reader.read_exact(&mut request.body).ok()?;
        }
        Some(request)
    }

    pub fn method(&self) -> &str {
        self.head.split(' ').next().unwrap_or_default()
    }

    /// Returns the path with its query.
    pub fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }

    /// Returns the value of a header; case does not matter in its name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        headers.find(|(its, _)| its.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }
}

/// Reads a body of unknown length.
fn chunks(reader: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut size = String::new();
        reader.read_line(&mut size).ok()?;
        let size = u64::from_str_radix(size.trim(), 16).ok()?;
        reader.take(size).read_to_end(&mut body).ok()?;
        reader.read_line(&mut String::new()).ok()?;
        if size == 0 {
            return Some(body);
        }
    }
}

/// The connection that a request came on. `None` closes it: so does whoever answers it.
pub struct HttpConnection(BufReader<TcpStream>);

impl HttpConnection {
    /// Sends a status, header lines with CR LF each, and content.
    pub fn answer(&mut self, status: u16, headers: &str, content: &[u8]) -> Option<()> {
        let head = format!("HTTP/1.1 {status} x\r\ncontent-length: {}\r\n{headers}\r\n", content.len());
        self.send(&[head.as_bytes(), content].concat())
    }

    /// Sends bytes as they are.
    pub fn send(&mut self, bytes: &[u8]) -> Option<()> {
        self.0.get_mut().write_all(bytes).ok()
    }

    /// Waits until the client gives up.
    pub fn hang(&mut self) -> Option<()> {
        let _ = self.0.read_to_end(&mut Vec::new());
        None
    }
}

/// Answers requests until the process ends, each connection on a thread of its own; where `answer` returns `None`, the
/// connection is closed.
pub fn serve_http(
    listener: TcpListener,
    answer: impl Fn(&HttpRequest, &mut HttpConnection) -> Option<()> + Clone + Send + 'static,
) -> SocketAddr {
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let answer = answer.clone();
            thread::spawn(move || {
                let mut connection = HttpConnection(BufReader::new(stream));
                while let Some(request) = HttpRequest::read(&mut connection.0) {
                    if answer(&request, &mut connection).is_none() {
                        return;
                    }
                }
            });
        }
    });
    address
}

/// A port of the loopback interface that nobody else has.
pub fn loopback() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").unwrap()
}
