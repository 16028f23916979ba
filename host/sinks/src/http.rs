//! Sends lines as the body of HTTP requests.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Client, ClientBuilder, Response, StatusCode};
use tokio::runtime::Runtime;

use super::output::{Failure, Output, Remedy};
use super::{Batch, Format, HttpTarget, Secret, runtime};
pub(super) use tuffet_net::causes::of as explain;
use tuffet_net::tls;

/// The longest pause between retries.
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(15);
/// The maximum number of bytes read from an answer, so that its connection can be reused.
const MAX_ANSWER: usize = 64 << 10;

pub(super) struct HttpOutput {
    target: HttpTarget,
    client: Client,
    headers: HeaderMap,
    /// Started when there is something to deliver.
    runtime: Option<Runtime>,
}

impl HttpOutput {
    pub(super) fn open(target: &HttpTarget) -> io::Result<HttpOutput> {
        let client = client_builder(&target.url, target.timeout).build();
        let client = client.map_err(|error| io::Error::other(explain(error)))?;
        let headers = headers(target.format.content_type(), &target.headers)?;
        Ok(HttpOutput { target: target.clone(), client, headers, runtime: None })
    }

    /// Posts all lines, in halves if the receiver reports that they are too large.
    fn post(&mut self, lines: &[String]) -> Result<(), Failure> {
        let body = self.target.format.body(lines);
        let request = self.client.post(&self.target.url).headers(self.headers.clone()).body(body);
        let runtime = match &mut self.runtime {
            Some(runtime) => runtime,
            none => none.insert(runtime::start().map_err(|error| Failure::retry(0, error))?),
        };
        let (status, after) = runtime
            .block_on(async {
                let answer = request.send().await?;
                let status_and_pause = (answer.status(), retry_after(&answer));
                // The content does not matter.
                let _ = read(answer).await;
                Ok(status_and_pause)
            })
            .map_err(|error: reqwest::Error| Failure::retry(0, explain(error)))?;
        match judge(status) {
            Judgement::Good => Ok(()),
            Judgement::TooLarge if lines.len() > 1 => {
                let (first, second) = lines.split_at(lines.len() / 2);
                self.post(first)?;
                self.post(second).map_err(|failure| Failure { done: failure.done + first.len(), ..failure })
            }
            Judgement::Later => {
                let error = format!("the answer has the status {}", status.as_u16());
                Err(Failure { done: 0, remedy: Remedy::Retry(after), error })
            }
            Judgement::TooLarge | Judgement::Never => {
                let error = format!("the answer has the status {}", status.as_u16());
                Err(Failure { done: 0, remedy: Remedy::Drop(lines.len()), error })
            }
        }
    }
}

/// Returns the builder of a client for this URL.
pub(super) fn client_builder(url: &str, timeout: Duration) -> ClientBuilder {
    tls::choose_provider();
    let builder = Client::builder()
        .user_agent(concat!("tuffet/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(timeout)
        .timeout(timeout);
    // A machine without system certificates can still use plain HTTP.
    if url.starts_with("http:") { builder.tls_certs_only([]) } else { builder }
}

/// Returns the headers of each request.
pub(super) fn headers(
    content_type: &'static str,
    configured: &BTreeMap<String, Secret>,
) -> io::Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    for (name, value) in configured {
        let pair = (name.parse::<HeaderName>().ok()).zip(HeaderValue::from_str(value.reveal()).ok());
        // Checked when the configuration was read.
        let Some((name, mut value)) = pair else { return Err(io::ErrorKind::InvalidInput.into()) };
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

impl Output for HttpOutput {
    fn batch(&self) -> Batch {
        self.target.batch
    }

    fn longest_pause(&self) -> Duration {
        LONGEST_PAUSE
    }

    fn deliver(&mut self, lines: &[String]) -> Result<(), Failure> {
        self.post(lines)
    }
}

/// The request body of a format.
trait Body {
    fn content_type(self) -> &'static str;
    fn body(self, lines: &[String]) -> String;
}

impl Body for Format {
    fn content_type(self) -> &'static str {
        match self {
            Format::Ndjson => "application/x-ndjson",
            Format::JsonArray => "application/json",
        }
    }

    /// Encodes the lines, which are JSON already.
    fn body(self, lines: &[String]) -> String {
        let length = lines.iter().map(|line| line.len() + 1).sum::<usize>() + 1;
        let mut body = String::with_capacity(length);
        for (at, line) in lines.iter().enumerate() {
            match self {
                Format::Ndjson => body.extend([line, "\n"]),
                Format::JsonArray => body.extend([if at == 0 { "[" } else { "," }, line]),
            }
        }
        if self == Format::JsonArray {
            body.push(']');
        }
        body
    }
}

/// How to treat the lines after an answer.
#[derive(Debug, PartialEq, Eq)]
enum Judgement {
    Good,
    /// The receiver accepts nothing now, independently of the lines.
    Later,
    /// Fewer at once may be accepted.
    TooLarge,
    /// These lines are permanently refused.
    Never,
}

fn judge(status: StatusCode) -> Judgement {
    match status.as_u16() {
        200..=299 => Judgement::Good,
        413 => Judgement::TooLarge,
        // Caused by credentials or the address, not by the lines: they wait until an operator fixes it.
        401 | 403 | 404 | 407 | 408 | 421 | 425 | 429 => Judgement::Later,
        400..=499 => Judgement::Never,
        _ => Judgement::Later,
    }
}

/// Returns the pause of `Retry-After` in seconds. A date is ignored; the back-off applies.
pub(super) fn retry_after(answer: &Response) -> Option<Duration> {
    let seconds = answer.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// Returns the body, or the beginning of a long one.
pub(super) async fn read(mut answer: Response) -> Vec<u8> {
    let mut body = Vec::new();
    while body.len() < MAX_ANSWER
        && let Ok(Some(chunk)) = answer.chunk().await
    {
        body.extend_from_slice(&chunk);
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_a_body() {
        let lines = ["1".to_owned(), r#"{"a":2}"#.to_owned()];
        assert_eq!(Format::Ndjson.body(&lines), "1\n{\"a\":2}\n");
        assert_eq!(Format::JsonArray.body(&lines), "[1,{\"a\":2}]");
        assert_eq!(Format::JsonArray.body(&lines[..1]), "[1]");
    }

    #[test]
    fn only_errors_of_the_lines_drop_them() {
        let judged = |status| judge(StatusCode::from_u16(status).unwrap_or_default());
        for (status, judgement) in [
            (200, Judgement::Good),
            (204, Judgement::Good),
            (302, Judgement::Later),
            (400, Judgement::Never),
            (401, Judgement::Later),
            (413, Judgement::TooLarge),
            (422, Judgement::Never),
            (429, Judgement::Later),
            (500, Judgement::Later),
            (503, Judgement::Later),
        ] {
            assert_eq!(judged(status), judgement, "{status}");
        }
    }
}
