//! A scripted HTTP server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The reaction to a request.
#[derive(Debug, Clone, Copy)]
pub enum HttpAnswer {
    /// This status and these headers, each with CR LF.
    Status(u16, &'static str),
    /// The same after a delay.
    Slow(u16, Duration),
    /// No answer, ever.
    Hang,
    /// Closes the connection.
    Close,
    /// 200, once the endpoint is [released](Endpoint::release).
    Hold,
}

/// A request.
#[derive(Debug, Clone)]
pub struct Post {
    /// In lower case.
    pub head: String,
    pub body: String,
}

/// Listens until the process ends; its answers can be changed.
#[derive(Clone)]
pub struct Endpoint {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

struct State {
    /// The next answers; the last one repeats.
    answers: Vec<HttpAnswer>,
    /// All requests so far, with their answers.
    posts: Vec<(Post, HttpAnswer)>,
    released: bool,
}

impl Endpoint {
    pub fn new(answers: &[HttpAnswer]) -> Endpoint {
        Endpoint::at(TcpListener::bind("127.0.0.1:0").unwrap(), answers)
    }

    pub fn at(listener: TcpListener, answers: &[HttpAnswer]) -> Endpoint {
        let state = State { answers: answers.to_vec(), posts: Vec::new(), released: false };
        let endpoint =
            Endpoint { address: listener.local_addr().unwrap(), state: Arc::new(Mutex::new(state)) };
        let its = endpoint.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let its = its.clone();
                std::thread::spawn(move || its.serve(stream));
            }
        });
        endpoint
    }

    pub fn url(&self) -> String {
        format!("http://{}/lines", self.address)
    }

    /// Returns host and port.
    pub fn authority(&self) -> String {
        self.address.to_string()
    }

    /// Answers held requests, and holds none from now on.
    pub fn release(&self) {
        self.state.lock().unwrap().released = true;
    }

    /// Sets the answer from now on.
    pub fn answer(&self, answer: HttpAnswer) {
        self.state.lock().unwrap().answers = vec![answer];
    }

    /// Returns all requests so far.
    pub fn posts(&self) -> Vec<(Post, HttpAnswer)> {
        self.state.lock().unwrap().posts.clone()
    }

    /// Returns the lines of all requests answered with 200, sent as NDJSON.
    pub fn lines(&self) -> Vec<String> {
        let good =
            |answer: &HttpAnswer| matches!(answer, HttpAnswer::Status(200, _) | HttpAnswer::Slow(200, _));
        let posts = self.posts();
        let taken = posts.iter().filter(|(_, answer)| good(answer));
        taken.flat_map(|(post, _)| post.body.lines().map(str::to_owned)).collect()
    }

    fn serve(&self, stream: TcpStream) {
        let mut reader = BufReader::new(stream);
        while let Some(post) = read(&mut reader) {
            let answer = {
                let mut state = self.state.lock().unwrap();
                let answer = if state.answers.len() > 1 { state.answers.remove(0) } else { state.answers[0] };
                state.posts.push((post, answer));
                answer
            };
            let (status, headers) = match answer {
                HttpAnswer::Status(status, headers) => (status, headers),
                HttpAnswer::Slow(status, time) => {
                    std::thread::sleep(time);
                    (status, "")
                }
                HttpAnswer::Hang => {
                    // Until the client gives up.
                    let _ = reader.read_to_end(&mut Vec::new());
                    return;
                }
                HttpAnswer::Close => return,
                HttpAnswer::Hold => {
                    while !self.state.lock().unwrap().released {
                        std::thread::sleep(Duration::from_millis(5));
                    }
                    (200, "")
                }
            };
            let answer = format!("HTTP/1.1 {status} x\r\ncontent-length: 0\r\n{headers}\r\n");
            if reader.get_mut().write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    }
}

/// Reads the next request, if there is a complete one.
fn read(reader: &mut impl BufRead) -> Option<Post> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let head = head.to_ascii_lowercase();
    let length = head.split_once("content-length: ").and_then(|(_, rest)| rest.split("\r\n").next());
    let body = match length {
        Some(length) => {
            let mut body = vec![0; length.parse().ok()?];
            reader.read_exact(&mut body).ok()?;
            body
        }
        None => chunks(reader)?,
    };
    // Protobuf is not text, but can be searched as text all the same.
    Some(Post { head, body: String::from_utf8_lossy(&body).into_owned() })
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
