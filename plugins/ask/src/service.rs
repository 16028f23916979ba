//! The exchange with the service: status, type and size of what it sends are checked here, its content in `answer`.

use std::time::Duration;

use serde::Serialize;
use tuffet_sdk::{code, http};

use crate::words::one_line;

/// The largest answer, in bytes. No more is read.
pub(crate) const MAX_ANSWER: usize = 1 << 20;
/// Shorter texts are no secrets, and hiding them would damage other words.
const SHORTEST_SECRET: usize = 6;

/// Where the service is, and how it is asked.
pub(crate) struct Service {
    pub url: String,
    /// The URL for messages, without its query.
    pub shown: String,
    /// How long an answer may take.
    pub time: Duration,
    /// Names and values, the login among them.
    pub headers: Vec<(String, String)>,
    /// Texts that no message has, though the service may send them back.
    pub secrets: Vec<String>,
}

/// An answer of the right status, type and size.
pub(crate) struct Reply {
    pub body: Vec<u8>,
    /// Whether it does not say `no-store`.
    pub may_be_stored: bool,
    /// Whether it says how long it may be kept, which the server sees to in the call that gets it.
    pub is_limited: bool,
}

impl Service {
    /// Returns why there is no usable answer, on one line without secrets.
    pub fn explain(&self, mut reason: String) -> String {
        for secret in self.secrets.iter().filter(|secret| secret.len() >= SHORTEST_SECRET) {
            reason = reason.replace(secret, "(hidden)");
        }
        format!("no usable answer from {}: {}", self.shown, one_line(&reason))
    }

    /// Asks, and waits at most this time. The error is a reason to [explain](Service::explain).
    pub fn post(&self, question: &impl Serialize, within: Duration) -> Result<Reply, String> {
        let body = serde_json::to_vec(question).map_err(|error| error.to_string())?;
        let own = [("content-type", "application/json"), ("accept", "application/json")];
        let headers = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let headers: Vec<(&str, &str)> = own.into_iter().chain(headers).collect();
        let request = http::Request {
            method: "POST",
            url: &self.url,
            headers: &headers,
            body: &body,
            limit: MAX_ANSWER,
        };
        let response = http::send_within(&request, within).map_err(|error| {
            if error.is(code::TOO_LARGE) {
                format!("the answer has more than {MAX_ANSWER} bytes")
            } else {
                error.to_string()
            }
        })?;
        match response.status {
            200 => {}
            status @ 300..=399 => {
                return Err(format!("the answer has the status {status}, and redirects are not followed"));
            }
            status => return Err(format!("the answer has the status {status}")),
        }
        let values = |name: &'static str| {
            let its = response.headers.iter().filter(move |(its, _)| its.eq_ignore_ascii_case(name));
            its.map(|(_, value)| String::from_utf8_lossy(value))
        };
        let kind = values("content-type").next().unwrap_or_default();
        if !kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
            return Err(format!("the answer is of the type {:?}, not application/json", &*kind));
        }
        let may_be_stored = !values("cache-control")
            .any(|value| value.split(',').any(|its| its.trim().eq_ignore_ascii_case("no-store")));
        let is_limited = values("cache-control").next().is_some();
        Ok(Reply { body: response.body, may_be_stored, is_limited })
    }
}
