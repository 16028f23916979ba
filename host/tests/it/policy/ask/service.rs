//! A service whose answers a test decides.

use crate::harness::SOON;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// What the service says.
pub enum Said {
    /// These bytes, and the connection stays open.
    Bytes(Vec<u8>),
    /// These bytes, and then the end of the connection.
    Last(Vec<u8>),
    /// Nothing, until the client gives up.
    Hang,
    /// The first bytes, and the others again and again, until the client gives up or so many are sent.
    Endless(Vec<u8>, Vec<u8>, usize),
}

type Answers = Arc<dyn Fn(&Value) -> Said + Send + Sync>;

/// The service. Its threads end with the process.
#[derive(Clone)]
pub struct Service {
    address: SocketAddr,
    answers: Arc<Mutex<Answers>>,
    /// The head of each request in lower case, and its question.
    asked: Arc<Mutex<Vec<(String, Value)>>>,
    /// Whether the client did not take the whole of the last long answer.
    ended_early: Arc<Mutex<Option<bool>>>,
}

/// A good answer, with further lines of its head.
pub fn answer(headers: &str, answer: &Value) -> Said {
    let body = answer.to_string();
    Said::Bytes(
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n{headers}\r\n{body}",
            body.len()
        )
        .into_bytes(),
    )
}

/// This status, without content.
pub fn status(status: u16) -> Said {
    Said::Bytes(format!("HTTP/1.1 {status} x\r\ncontent-length: 0\r\n\r\n").into_bytes())
}

impl Service {
    pub fn new(answers: impl Fn(&Value) -> Said + Send + Sync + 'static) -> Service {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let service = Service {
            address: listener.local_addr().unwrap(),
            answers: Arc::new(Mutex::new(Arc::new(answers))),
            asked: Arc::default(),
            ended_early: Arc::default(),
        };
        let its = service.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let its = its.clone();
                thread::spawn(move || its.serve(stream));
            }
        });
        service
    }

    /// Answers so from now on.
    pub fn says(&self, answers: impl Fn(&Value) -> Said + Send + Sync + 'static) {
        *self.answers.lock().unwrap() = Arc::new(answers);
    }

    pub fn authority(&self) -> String {
        self.address.to_string()
    }

    /// All requests so far.
    pub fn asked(&self) -> Vec<(String, Value)> {
        self.asked.lock().unwrap().clone()
    }

    /// How many requests there were since the last call.
    pub fn count(&self) -> usize {
        std::mem::take(&mut *self.asked.lock().unwrap()).len()
    }

    /// Waits until a long answer has ended. Returns whether the client ended it.
    #[track_caller]
    pub fn ended_early(&self) -> bool {
        let end = Instant::now() + SOON;
        loop {
            if let Some(early) = self.ended_early.lock().unwrap().take() {
                return early;
            }
            assert!(Instant::now() < end, "the answer goes on");
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn serve(&self, stream: TcpStream) {
        let mut reader = BufReader::new(stream);
        while let Some((head, question)) = read(&mut reader) {
            let answers = Arc::clone(&self.answers.lock().unwrap());
            self.asked.lock().unwrap().push((head, question.clone()));
            let stream = reader.get_mut();
            match answers(&question) {
                Said::Bytes(bytes) if stream.write_all(&bytes).is_ok() => {}
                Said::Bytes(_) => return,
                Said::Last(bytes) => {
                    let _ = stream.write_all(&bytes);
                    return;
                }
                Said::Hang => {
                    let _ = reader.read_to_end(&mut Vec::new());
                    return;
                }
                Said::Endless(first, then, most) => {
                    let mut sent = 0;
                    let mut good = stream.write_all(&first).is_ok();
                    while good && sent < most {
                        good = stream.write_all(&then).is_ok();
                        sent += then.len();
                    }
                    *self.ended_early.lock().unwrap() = Some(!good);
                    return;
                }
            }
        }
    }
}

/// The next request; its length must be given.
fn read(reader: &mut impl BufRead) -> Option<(String, Value)> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head.to_ascii_lowercase();
    let length = length.split_once("content-length: ")?.1.split("\r\n").next()?.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((head, serde_json::from_slice(&body).ok()?))
}
