//! A client that sends what it is given, byte by byte.

use super::PATIENCE;
use socket2::{Domain, Socket, Type};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};

/// One connection.
pub struct Client<S: Read = TcpStream>(pub BufReader<S>);

/// An answer of the server.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(its, _)| its.eq_ignore_ascii_case(name));
        let value = found.next().map(|(_, value)| value.as_str());
        assert!(found.next().is_none(), "{name} twice: {self:?}");
        value
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

impl Client {
    pub fn connect(server: SocketAddr) -> Client {
        Client::of(TcpStream::connect(server).unwrap())
    }

    /// Connects from another address of the loopback interface.
    pub fn connect_from(client: IpAddr, server: SocketAddr) -> Client {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.bind(&SocketAddr::from((client, 0)).into()).unwrap();
        socket.connect(&server.into()).unwrap();
        Client::of(socket.into())
    }

    fn of(stream: TcpStream) -> Client {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Client(BufReader::new(stream))
    }
}

impl<S: Read + Write> Client<S> {
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.0.get_mut().write_all(bytes.as_ref()).unwrap();
    }

    /// Sends the head of a request.
    pub fn send_head(&mut self, lines: &[&str]) {
        self.send(lines.join("\r\n") + "\r\n\r\n");
    }

    /// Sends a request, with a header `Host`, and receives its answer.
    pub fn ask(&mut self, lines: &[&str]) -> Answer {
        self.send_head(&[lines, &["Host: test"]].concat());
        self.answer(lines[0].starts_with("HEAD "))
    }

    /// Receives an answer.
    pub fn answer(&mut self, is_head: bool) -> Answer {
        let mut answer = self.head();
        let length = answer.header("content-length").map_or(0, |length| length.parse().unwrap());
        if !is_head && answer.status != 304 && answer.status != 204 {
            answer.body = vec![0; length];
            self.0.read_exact(&mut answer.body).unwrap();
        }
        answer
    }

    /// Receives the head of an answer.
    pub fn head(&mut self) -> Answer {
        let first = self.line();
        let status = first.strip_prefix("HTTP/1.").and_then(|rest| rest.get(2..5)?.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no status: {first:?}"));
        let mut headers = Vec::new();
        loop {
            let line = self.line();
            match line.split_once(": ") {
                Some((name, value)) => headers.push((name.to_owned(), value.to_owned())),
                None => return Answer { status, headers, body: Vec::new() },
            }
        }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Returns whether the server ends the connection without a further byte.
    pub fn is_closed(&mut self) -> bool {
        // A connection that is reset is closed, too.
        match self.0.read(&mut [0]) {
            Ok(length) => length == 0,
            Err(error) => {
                !matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)
            }
        }
    }
}
