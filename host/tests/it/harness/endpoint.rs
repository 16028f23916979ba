//! An HTTP server with a list of answers, which keeps what is posted to it.

use super::{HttpConnection, HttpRequest, loopback, serve_http};
use std::net::{SocketAddr, TcpListener};
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
        Endpoint::at(loopback(), answers)
    }

    pub fn at(listener: TcpListener, answers: &[HttpAnswer]) -> Endpoint {
        let state = State { answers: answers.to_vec(), posts: Vec::new(), released: false };
        let endpoint =
            Endpoint { address: listener.local_addr().unwrap(), state: Arc::new(Mutex::new(state)) };
        let its = endpoint.clone();
        serve_http(listener, move |request, connection| its.serve(request, connection));
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

    fn serve(&self, request: &HttpRequest, connection: &mut HttpConnection) -> Option<()> {
        let answer = {
            let mut state = self.state.lock().unwrap();
            let answer = if state.answers.len() > 1 { state.answers.remove(0) } else { state.answers[0] };
            // Protobuf is not text, but can be searched as text all the same.
            let body = String::from_utf8_lossy(&request.body).into_owned();
            state.posts.push((Post { head: request.head.to_ascii_lowercase(), body }, answer));
            answer
        };
        match answer {
            HttpAnswer::Status(status, headers) => connection.answer(status, headers, b""),
            HttpAnswer::Slow(status, time) => {
                std::thread::sleep(time);
                connection.answer(status, "", b"")
            }
            HttpAnswer::Hang => connection.hang(),
            HttpAnswer::Close => None,
            HttpAnswer::Hold => {
                while !self.state.lock().unwrap().released {
                    std::thread::sleep(Duration::from_millis(5));
                }
                connection.answer(200, "", b"")
            }
        }
    }
}
