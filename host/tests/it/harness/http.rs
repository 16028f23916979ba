//! HTTP on the wire, for the admin listener.

use super::SOON;
use serde_json::Value;
use socket2::{Domain, Socket, Type};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

/// An answer.
#[derive(Debug)]
pub struct Fetched {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Fetched {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(its, _)| its == name).map_or("", |(_, value)| value)
    }
}

/// Requests a path; `headers` are whole lines, and `Host` is the address by default.
#[track_caller]
pub fn http(server: SocketAddr, path: &str, headers: &[&str]) -> Fetched {
    let mut head = format!("GET {path} HTTP/1.1\r\nConnection: close\r\n");
    if !headers.iter().any(|line| line.starts_with("Host:")) {
        head += &format!("Host: {server}\r\n");
    }
    headers.iter().for_each(|line| head += &format!("{line}\r\n"));
    http_raw(server, &format!("{head}\r\n"))
}

/// Sends these bytes and reads the whole answer.
#[track_caller]
pub fn http_raw(server: SocketAddr, request: &str) -> Fetched {
    let mut stream = connect(server);
    // A server may answer and close before it has read everything.
    let _ = stream.write_all(request.as_bytes());
    let mut reader = BufReader::new(stream);
    let (status, headers) = head(&mut reader);
    let mut body = Vec::new();
    let _ = reader.read_to_end(&mut body);
    Fetched { status, headers, body: String::from_utf8_lossy(&body).into_owned() }
}

/// Opens a connection whose reads time out.
pub fn connect(server: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(server).unwrap_or_else(|error| panic!("{server}: {error}"));
    stream.set_read_timeout(Some(SOON)).unwrap();
    stream
}

/// Server-sent events.
pub struct Events(BufReader<TcpStream>);

impl Events {
    /// Opens the stream; the error is a status other than 200.
    pub fn open(server: SocketAddr, path: &str) -> Result<Events, u16> {
        Events::over(connect(server), path)
    }

    /// Opens the stream from this address of the loopback interface.
    pub fn open_from(source: [u8; 4], server: SocketAddr, path: &str) -> Result<Events, u16> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.bind(&SocketAddr::from((source, 0)).into()).unwrap();
        socket.connect(&server.into()).unwrap();
        socket.set_read_timeout(Some(SOON)).unwrap();
        Events::over(socket.into(), path)
    }

    fn over(mut stream: TcpStream, path: &str) -> Result<Events, u16> {
        let server = stream.peer_addr().unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {server}\r\n\r\n").unwrap();
        let mut reader = BufReader::new(stream);
        let (status, headers) = head(&mut reader);
        if status != 200 {
            return Err(status);
        }
        assert!(headers.contains(&("content-type".into(), "text/event-stream".into())), "{headers:?}");
        Ok(Events(reader))
    }

    /// Returns the connection; nothing more is read.
    pub fn unread(self) -> TcpStream {
        self.0.into_inner()
    }

    /// Returns the data of the next event as JSON; skips the sizes of chunks. `None` at the end.
    pub fn next(&mut self) -> Option<Value> {
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            if let Some(data) = line.strip_prefix("data: ") {
                return Some(serde_json::from_str(data).unwrap_or_else(|error| panic!("{error}: {line}")));
            }
        }
    }

    /// Returns the first event that satisfies the condition.
    #[track_caller]
    pub fn until(&mut self, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        let end = std::time::Instant::now() + SOON;
        loop {
            let event = self.next().unwrap_or_else(|| panic!("the events ended before {what}"));
            if is_it(&event) {
                return event;
            }
            assert!(std::time::Instant::now() < end, "{what} is not shown: {event:#}");
        }
    }
}

fn head(reader: &mut impl BufRead) -> (u16, Vec<(String, String)>) {
    let mut lines = reader.lines().map_while(Result::ok).take_while(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let status = first.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.unwrap_or_else(|| panic!("no HTTP: {first:?}"));
    let headers = lines.filter_map(|line| {
        line.split_once(": ").map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
    });
    (status, headers.collect())
}
