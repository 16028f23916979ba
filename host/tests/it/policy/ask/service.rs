//! A service whose answers a test decides.

use crate::harness::{HttpConnection, HttpRequest, loopback, serve_http, until};
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

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
    /// The head of each request, and its question.
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
        let listener = loopback();
        let service = Service {
            address: listener.local_addr().unwrap(),
            answers: Arc::new(Mutex::new(Arc::new(answers))),
            asked: Arc::default(),
            ended_early: Arc::default(),
        };
        let its = service.clone();
        serve_http(listener, move |request, connection| its.serve(request, connection));
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
        let early = until("the answer ends", || self.ended_early.lock().unwrap().take(), Option::is_some);
        early == Some(true)
    }

    fn serve(&self, request: &HttpRequest, connection: &mut HttpConnection) -> Option<()> {
        let question: Value = serde_json::from_slice(&request.body).ok()?;
        let answers = Arc::clone(&self.answers.lock().unwrap());
        self.asked.lock().unwrap().push((request.head.clone(), question.clone()));
        match answers(&question) {
            Said::Bytes(bytes) => connection.send(&bytes),
            Said::Last(bytes) => {
                let _ = connection.send(&bytes);
                None
            }
            Said::Hang => connection.hang(),
            Said::Endless(first, then, most) => {
                let mut sent = 0;
                let mut good = connection.send(&first).is_some();
                while good && sent < most {
                    good = connection.send(&then).is_some();
                    sent += then.len();
                }
                *self.ended_early.lock().unwrap() = Some(!good);
                None
            }
        }
    }
}
