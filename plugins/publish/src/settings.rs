//! The settings as written, and their check.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tuffet_sdk::{Event, EventKind, Problems, outcome};

use crate::Publish;
use crate::template::Template;

/// The settings of the plugin; README.md explains each key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    sink: Option<String>,
    url: Option<String>,
    events: Option<Vec<Kind>>,
    topic: Option<String>,
    template: Option<Value>,
}

/// The kinds of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    Started,
    Progressed,
    Finished,
    /// The end of an upload that was stored.
    Uploaded,
}

impl Kind {
    /// The kinds that an event has.
    pub fn of(event: &Event) -> &'static [Kind] {
        match &event.kind {
            EventKind::Started(_) => &[Kind::Started],
            EventKind::Progressed(_) => &[Kind::Progressed],
            EventKind::Finished(summary) if summary.outcome == outcome::STORED => {
                &[Kind::Finished, Kind::Uploaded]
            }
            EventKind::Finished(_) => &[Kind::Finished],
            EventKind::Other(_) => &[],
        }
    }
}

/// The destination of events.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum To {
    Sink(String),
    Url(String),
}

/// A topic is for machines.
const MAX_TOPIC: usize = 200;

pub(crate) fn check(settings: Settings) -> Result<Publish, Problems> {
    let mut problems = Problems::new();
    let to = match (settings.sink, settings.url) {
        (Some(sink), None) => To::Sink(sink),
        (None, Some(url)) => {
            let scheme = ["http://", "https://"].into_iter().find_map(|scheme| url.strip_prefix(scheme));
            if scheme.is_none_or(|rest| rest.is_empty() || rest.starts_with('/')) {
                problems.add("/url", format!("{url:?} is not a URL: write http://HOST:PORT/PATH"));
            }
            To::Url(url)
        }
        (Some(sink), Some(_)) => {
            problems
                .add("/url", "the events go to one place, and `sink` names one: leave one of the two out");
            To::Sink(sink)
        }
        (None, None) => {
            problems.add("", "the events go nowhere: write `sink`, the name of a sink, or `url`");
            To::Sink(String::new())
        }
    };
    if to == To::Sink(String::new()) && problems.is_empty() {
        problems.add("/sink", "write the name of a sink, one of those below `sinks`");
    }
    let events = settings.events.unwrap_or_else(|| vec![Kind::Started, Kind::Progressed, Kind::Finished]);
    if events.is_empty() {
        problems.add("/events", "an empty list publishes nothing: leave the key out for all events");
    }
    let topic = settings.topic.unwrap_or_else(|| "tuffet".into());
    if topic.len() > MAX_TOPIC {
        problems.add("/topic", format!("it has {} bytes: {MAX_TOPIC} are allowed", topic.len()));
    }
    let template = settings.template.map(|template| Template::read(template, &mut problems));
    problems.or(Publish { events, topic, to, template })
}
