//! Publishes each event as JSON, as it happens, to a sink or an HTTP server. README.md shows the settings and
//! the events.
//!
//! Events that cannot be delivered are not kept; the log says how many were lost. Use the plugin `audit` to
//! get all of them.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod message;
mod settings;
mod template;
#[cfg(test)]
mod tests;

use tuffet_sdk::{Error, Event, Level, Observe, Plugin, Problems, code, http, log, sinks};

use message::Message;
use serde::Serialize;
use serde_json::Value;
use settings::{Kind, Settings, To};
use template::Template;

/// The configured destinations.
pub struct Publish {
    events: Vec<Kind>,
    topic: String,
    to: To,
    /// The form of events; `None`: all fields.
    template: Option<Template>,
}

/// Bytes of the response that are read; its content does not matter.
const MAX_ANSWER: usize = 64 << 10;

impl Plugin for Publish {
    type Settings = Settings;

    fn configure(settings: Settings) -> Result<Self, Problems> {
        settings::check(settings)
    }
}

impl Observe for Publish {
    fn observe(&self, events: &[Event]) {
        let mut messages = Vec::new();
        for event in events {
            let kinds = Kind::of(event).iter().filter(|kind| self.events.contains(kind));
            messages.extend(kinds.filter_map(|kind| Message::new(&self.topic, *kind, event)));
        }
        let messages: Vec<Sent<'_>> = messages.into_iter().filter_map(|message| self.form(message)).collect();
        if messages.is_empty() {
            return;
        }
        match &self.to {
            To::Sink(sink) => emit(sink, &messages),
            To::Url(url) => post(url, &messages),
        }
    }
}

/// What is sent of an event.
#[derive(Serialize)]
#[serde(untagged)]
#[allow(
    clippy::large_enum_variant,
    reason = "each is written at once; a box would cost an allocation for each event"
)]
enum Sent<'a> {
    Whole(Message<'a>),
    Filled(Value),
}

impl Publish {
    /// Returns what is sent of an event.
    fn form<'a>(&self, message: Message<'a>) -> Option<Sent<'a>> {
        let Some(template) = &self.template else { return Some(Sent::Whole(message)) };
        // Never fails: all keys are text.
        match serde_json::to_value(message).ok()? {
            Value::Object(fields) => Some(Sent::Filled(template.fill(&fields))),
            _ => None,
        }
    }
}

fn emit(sink: &str, messages: &[Sent<'_>]) {
    let results = messages.iter().filter_map(|message| sinks::emit_json(sink, message).err());
    let errors: Vec<Error> = results.collect();
    if let Some(first) = errors.first() {
        log(Level::Warn, format!("{} events did not get into the sink: {first}", errors.len()));
    }
}

fn post(url: &str, messages: &[Sent<'_>]) {
    let sent = serde_json::to_vec(messages).map_err(|error| error.to_string()).and_then(|body| {
        let headers = [("content-type", "application/json")];
        let request =
            http::Request { method: "POST", url, headers: &headers, body: &body, limit: MAX_ANSWER };
        match http::send(&request).map(|answer| answer.status) {
            Ok(200..=299) => Ok(()),
            Ok(status) => Err(format!("the answer has the status {status}")),
            // The server has the events, and its response is longer than we read.
            Err(error) if error.is(code::TOO_LARGE) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    });
    if let Err(error) = sent {
        log(Level::Warn, format!("{} events did not get to {}: {error}", messages.len(), server_of(url)));
    }
}

/// The scheme, host and port of a URL. Its path is often the secret of a webhook.
fn server_of(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let server = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{server}")
}

tuffet_sdk::manifest! {
    name: "publish",
    version: env!("CARGO_PKG_VERSION"),
    description: "Live transfer events as JSON, to a sink or to an HTTP server",
    optional: [
        ("sinks", "publishes to a sink, with the setting `sink`"),
        ("http", "publishes to an HTTP server, with the setting `url`"),
        ("client-mac", "publishes the client's MAC addresses, too"),
    ],
    reuse: true,
}
tuffet_sdk::export!(Publish: observe);
