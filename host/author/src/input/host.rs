//! The host's answers to a plugin under test, as written in a file.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bytes::Bytes;
use tuffet_request::Operation;
use tuffet_request::events::Outcome;
use tuffet_request::units::{TimeSpan, plain};
use tuffet_wasm::{
    AnswerSource, Exchange, GivenRequest, HttpAnswer, HttpFailure, KeyName, RecordedAnswers, StagedAnswers,
};

/// A problem of the input: a JSON pointer into it, and a message.
pub(crate) type InputProblem = (String, String);

/// The key `host` of a request or a case.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct WrittenHost {
    /// Files by `ROOT/PATH`; null is a missing file.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, Option<Bytes>>,
    /// Values by key; null is a missing key.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub keys: BTreeMap<String, Option<KeyValue>>,
    /// The same in namespaces that plugins share, by their names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub shared_keys: SharedKeys,
    /// Values that another writer sets just before the first swap of a key in a call: the swap finds another revision.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub conflicts: BTreeMap<String, Option<KeyValue>>,
    /// The same in namespaces that plugins share.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub shared_conflicts: SharedKeys,
    /// Answers to HTTP requests.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub http: Vec<WrittenExchange>,
    /// The last requests of the client, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<WrittenPastRequest>,
    /// The time, such as `2026-01-31T12:00:00Z`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock: Option<String>,
}

/// Values by namespace and key; null is a missing key.
pub(crate) type SharedKeys = BTreeMap<String, BTreeMap<String, Option<KeyValue>>>;

/// A request of the client that has ended.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct WrittenPastRequest {
    path: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    write: bool,
    outcome: String,
    #[serde(default)]
    ended_ms_ago: u64,
}

impl WrittenPastRequest {
    fn resolve(&self, index: usize) -> Result<GivenRequest, InputProblem> {
        let outcome = Outcome::ALL.into_iter().find(|outcome| outcome.as_str() == self.outcome);
        let outcome = outcome.ok_or_else(|| {
            let known = Outcome::ALL.map(Outcome::as_str).join(", ");
            let message = format!("{:?} is no outcome; there are {known}", self.outcome);
            (format!("/history/{index}/outcome"), message)
        })?;
        let operation = if self.write { Operation::Write } else { Operation::Read };
        let ago = Duration::from_millis(self.ended_ms_ago);
        Ok(GivenRequest { operation, path: self.path.clone(), outcome, ago })
    }
}

/// The value of a key.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a value is a text, or a whole number for a counter, or `hex: 00ff`, or null for none"
)]
pub(crate) enum KeyValue {
    Counter(i64),
    Bytes(Bytes),
}

/// An HTTP request and its answer, or its failure.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct WrittenExchange {
    request: HttpRequest,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    response: Option<HttpResponse>,
    /// In place of `response`. `refused`: no server takes the connection; `timeout`: it does not answer; `broken`: the
    /// connection ends before the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failure: Option<WrittenFailure>,
    /// How long that takes, such as `200ms`. The call waits as long, unless the plugin gives up before.
    #[serde(default, with = "plain", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<TimeSpan>")]
    after: Option<Duration>,
}

#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum WrittenFailure {
    Refused,
    Timeout,
    Broken,
}

#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct HttpRequest {
    #[serde(default = "get")]
    method: String,
    url: String,
    /// Headers that it must have, beside any others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    headers: BTreeMap<String, String>,
    /// Without it, any body matches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    body: Option<Bytes>,
}

#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct HttpResponse {
    #[serde(default = "ok")]
    status: u16,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    body: Bytes,
}

fn get() -> String {
    "GET".into()
}

fn ok() -> u16 {
    200
}

impl WrittenHost {
    /// Returns this host with the entries of `more` added or replaced.
    pub fn with(&self, more: &WrittenHost) -> WrittenHost {
        let mut all = self.clone();
        all.files.extend(more.files.clone());
        all.keys.extend(more.keys.clone());
        for (namespace, keys) in &more.shared_keys {
            all.shared_keys.entry(namespace.clone()).or_default().extend(keys.clone());
        }
        all.conflicts.extend(more.conflicts.clone());
        for (namespace, keys) in &more.shared_conflicts {
            all.shared_conflicts.entry(namespace.clone()).or_default().extend(keys.clone());
        }
        // The first match answers.
        all.http.splice(..0, more.http.iter().cloned());
        if !more.history.is_empty() {
            all.history.clone_from(&more.history);
        }
        all.clock = more.clock.clone().or(all.clock);
        all
    }

    /// Adds the answers that came from the real world.
    pub fn learn(&mut self, learned: &RecordedAnswers) {
        let files = learned.files.iter();
        self.files.extend(files.map(|(path, file)| (path.clone(), file.as_deref().map(Bytes::of))));
        for (namespace, key) in learned.keys.iter().cloned() {
            match namespace {
                None => self.keys.insert(key, None),
                Some(namespace) => self.shared_keys.entry(namespace).or_default().insert(key, None),
            };
        }
        self.http.extend(learned.http.iter().map(WrittenExchange::of));
    }

    /// Converts it for a stage.
    ///
    /// # Errors
    /// A pointer below `host`, and the problem there.
    pub fn given(&self, beyond: AnswerSource) -> Result<StagedAnswers, InputProblem> {
        let clock = match &self.clock {
            None => Duration::ZERO,
            Some(text) => parse_time(text).map_err(|message| ("/clock".to_owned(), message))?,
        };
        let files = self.files.iter();
        let http = self.http.iter().enumerate();
        let history = self.history.iter().enumerate().map(|(index, past)| past.resolve(index));
        Ok(StagedAnswers {
            files: files.map(|(path, file)| (path.clone(), file.as_ref().map(Bytes::bytes))).collect(),
            keys: named(&self.keys, &self.shared_keys),
            conflicts: named(&self.conflicts, &self.shared_conflicts),
            ends: BTreeMap::new(),
            stores_keys: false,
            http: http.map(|(index, exchange)| exchange.resolve(index)).collect::<Result<_, _>>()?,
            history: history.collect::<Result<_, _>>()?,
            clock,
            beyond,
        })
    }
}

/// Puts a plugin's own keys and those of namespaces together.
fn named(
    own: &BTreeMap<String, Option<KeyValue>>,
    shared: &SharedKeys,
) -> BTreeMap<KeyName, Option<Vec<u8>>> {
    let own = own.iter().map(|(key, value)| ((None, key.clone()), value));
    let shared = shared.iter().flat_map(|(namespace, keys)| {
        keys.iter().map(|(key, value)| ((Some(namespace.clone()), key.clone()), value))
    });
    own.chain(shared).map(|(name, value)| (name, value.as_ref().map(KeyValue::bytes))).collect()
}

/// Parses a time into the duration since the beginning of 1970.
pub(crate) fn parse_time(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_rfc3339_weak(text).ok();
    let since = time.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    since.ok_or_else(|| format!("{text:?} is no time; write one such as 2026-01-31T12:00:00Z"))
}

impl KeyValue {
    pub fn bytes(&self) -> Vec<u8> {
        match self {
            KeyValue::Counter(count) => count.to_le_bytes().to_vec(),
            KeyValue::Bytes(bytes) => bytes.bytes(),
        }
    }

    /// Displays a value: eight bytes that are not plain text are a counter.
    pub fn of(value: &[u8]) -> KeyValue {
        match <[u8; 8]>::try_from(value) {
            Ok(count) if !count.iter().all(|byte| matches!(byte, b' '..=b'~')) => {
                KeyValue::Counter(i64::from_le_bytes(count))
            }
            _ => KeyValue::Bytes(Bytes::of(value)),
        }
    }
}

impl WrittenExchange {
    fn of(exchange: &Exchange) -> WrittenExchange {
        let Exchange { method, url, headers, body, after: _, answer } = exchange;
        WrittenExchange {
            request: HttpRequest {
                method: method.clone(),
                url: url.clone(),
                headers: headers.iter().cloned().collect(),
                body: body.as_deref().map(Bytes::of),
            },
            response: answer.as_ref().ok().map(|answer| HttpResponse {
                status: answer.status,
                headers: answer.headers.iter().cloned().collect(),
                body: Bytes::of(&answer.body),
            }),
            failure: answer.as_ref().err().map(|failure| match failure {
                HttpFailure::Refused => WrittenFailure::Refused,
                HttpFailure::Timeout => WrittenFailure::Timeout,
                HttpFailure::Broken => WrittenFailure::Broken,
            }),
            after: None,
        }
    }

    fn resolve(&self, index: usize) -> Result<Exchange, InputProblem> {
        let wrong = |at: &str, message: String| Err((format!("/http/{index}{at}"), message));
        let request = &self.request;
        // As in a plugin's request: with a path.
        let url: http::Uri = match request.url.parse() {
            Ok(url) => url,
            Err(error) => return wrong("/request/url", format!("{:?} is no URL: {error}", request.url)),
        };
        if url.authority().is_none() || url.scheme().is_none() {
            let message = format!("{:?} names no host; write http://HOST/PATH", request.url);
            return wrong("/request/url", message);
        }
        let headers = |headers: &BTreeMap<String, String>| -> Result<Vec<(String, String)>, String> {
            let is_header = |name: &String, value: &String| {
                http::HeaderName::try_from(name).is_ok() && http::HeaderValue::try_from(value).is_ok()
            };
            match headers.iter().find(|(name, value)| !is_header(name, value)) {
                Some((name, value)) => Err(format!("{name:?}: {value:?} is no header")),
                None => Ok(headers.clone().into_iter().collect()),
            }
        };
        let requested = match headers(&request.headers) {
            Ok(headers) => headers,
            Err(message) => return wrong("/request/headers", message),
        };
        let answer = match (&self.response, self.failure) {
            (Some(response), None) => {
                if http::StatusCode::from_u16(response.status).is_err() {
                    return wrong("/response/status", "a status has 100 to 999".into());
                }
                match headers(&response.headers) {
                    Ok(headers) => {
                        Ok(HttpAnswer { status: response.status, headers, body: response.body.bytes() })
                    }
                    Err(message) => return wrong("/response/headers", message),
                }
            }
            (None, Some(WrittenFailure::Refused)) => Err(HttpFailure::Refused),
            (None, Some(WrittenFailure::Timeout)) => Err(HttpFailure::Timeout),
            (None, Some(WrittenFailure::Broken)) => Err(HttpFailure::Broken),
            (Some(_), Some(_)) => {
                let message = "a failed request has no answer; remove `response` or `failure`";
                return wrong("/failure", message.into());
            }
            (None, None) => {
                let message = "the request has no answer; add `response`, such as `response: { status: 200 }`, or `failure: \
                               refused`, `timeout` or `broken`";
                return wrong("", message.into());
            }
        };
        Ok(Exchange {
            method: request.method.to_ascii_uppercase(),
            url: url.to_string(),
            headers: requested,
            body: request.body.as_ref().map(Bytes::bytes),
            after: self.after.unwrap_or_default(),
            answer,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_learned_is_given_the_next_time() {
        let exchange = |url: &str, answer| Exchange {
            method: "GET".into(),
            url: url.into(),
            headers: Vec::new(),
            body: None,
            after: Duration::ZERO,
            answer,
        };
        let answer = HttpAnswer { status: 404, headers: vec![("a".into(), "b".into())], body: vec![0xff] };
        let exchanges = vec![
            exchange("http://a/", Ok(answer)),
            exchange("http://b/", Err(HttpFailure::Refused)),
            exchange("http://c/", Err(HttpFailure::Timeout)),
            exchange("http://d/", Err(HttpFailure::Broken)),
        ];
        let learned = RecordedAnswers {
            files: [("boot/a".into(), Some(b"text".to_vec())), ("boot/b".into(), None)].into(),
            keys: vec![(None, "k".into()), (Some("leases".into()), "k".into())],
            http: exchanges.clone(),
        };
        let mut host = WrittenHost::default();
        host.learn(&learned);
        let yaml = serde_yaml::to_string(&host).unwrap();
        let given = serde_yaml::from_str::<WrittenHost>(&yaml).unwrap().given(AnswerSource::Nothing).unwrap();
        assert_eq!((given.files, given.http), (learned.files, exchanges), "{yaml}");
        let shared = (Some("leases".to_owned()), "k".to_owned());
        assert_eq!(given.keys, [((None, "k".to_owned()), None), (shared, None)].into());
    }

    #[test]
    fn values_of_keys_are_shown_as_what_they_are() {
        for (value, json) in [
            (&b"text"[..], r#""text""#),
            (b"8 bytes!", r#""8 bytes!""#),
            (&3_i64.to_le_bytes(), "3"),
            (&(-1_i64).to_le_bytes(), "-1"),
            (&[0xff, 0], r#"{"hex":"ff00"}"#),
        ] {
            assert_eq!(serde_json::to_string(&KeyValue::of(value)).unwrap(), json);
            assert_eq!(serde_json::from_str::<KeyValue>(json).unwrap().bytes(), value);
        }
    }
}
