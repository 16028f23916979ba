//! Converts events to the types of the interface. They borrow their text: every observer gets all events, and
//! copying the text would cost as much as the call.

use std::time::{Duration, SystemTime};

use super::attributes::{self, Facts};
use super::imports::Access;
use super::wit_events::{
    self, Decision, Event as WitEvent, Happening as What, Outcome as Ended, Progress, Start, Summary as Sum,
};
use tuffet_request::events::{Answered, Event, Happening, Outcome, Summary};
use tuffet_request::{MacSource, Mode, Operation, Request};

/// The parts of an event that must be formatted as text first.
#[derive(Debug)]
pub(super) struct Texts {
    id: String,
    address: String,
    macs: Vec<String>,
    attributes: attributes::Texts,
}

impl Texts {
    pub fn of(event: &Event) -> Texts {
        let request = match &event.what {
            Happening::Started { record, .. } => &record.request,
            Happening::Finished(summary) => &summary.record.request,
            Happening::Progressed { id, .. } => {
                return Texts {
                    id: id.to_string(),
                    address: String::new(),
                    macs: Vec::new(),
                    attributes: attributes::Texts::default(),
                };
            }
        };
        Texts {
            id: request.id.to_string(),
            address: request.client.ip().to_canonical().to_string(),
            macs: request.macs.iter().map(|fact| fact.address.to_string()).collect(),
            attributes: attributes::Texts::of(request),
        }
    }
}

/// An event with its texts, shared by all observers.
pub(super) struct Fact<'a> {
    pub event: &'a Event,
    texts: &'a Texts,
    macs: Vec<wit_events::Mac<'a>>,
    options: Vec<(&'a str, &'a str)>,
    /// Facts that the interface has no fields for: of the event, and of its request for plugins with these facts.
    attributes: Vec<(&'a str, &'a str)>,
    of_request: Vec<(Facts, Vec<(&'a str, &'a str)>)>,
}

impl<'a> Fact<'a> {
    /// For plugins with these facts.
    pub fn all(events: &'a [Event], texts: &'a [Texts], for_facts: &[Facts]) -> Vec<Fact<'a>> {
        events.iter().zip(texts).map(|(event, texts)| Fact::new(event, texts, for_facts)).collect()
    }

    fn new(event: &'a Event, texts: &'a Texts, for_facts: &[Facts]) -> Fact<'a> {
        let request = match &event.what {
            Happening::Started { record, .. } => Some(&record.request),
            Happening::Finished(summary) => Some(&summary.record.request),
            Happening::Progressed { .. } => None,
        };
        let (macs, options) = request.map_or_else(Default::default, |request| lists(request, texts));
        let of_request = request.map_or_else(Vec::new, |request| {
            let with =
                |facts: &Facts| facts.of_request(request, &texts.attributes, |name, value| (name, value));
            for_facts.iter().map(|facts| (*facts, with(facts))).collect()
        });
        let attributes = match &event.what {
            Happening::Finished(summary) => of_summary(summary),
            Happening::Started { .. } | Happening::Progressed { .. } => Vec::new(),
        };
        Fact { event, texts, macs, options, attributes, of_request }
    }

    /// The event as a plugin with this access sees it.
    pub fn to_wit(&'a self, access: &Access) -> WitEvent<'a> {
        let since = self.event.at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
        let what = match &self.event.what {
            Happening::Started { record, .. } => What::Started(Start {
                request: self.request(&record.request, access),
                resolved: record.resolved.as_deref(),
                verdict_by: record.verdict_by.as_deref(),
                size: record.size,
                decision_us: record.decided_after.map_or(0, us),
            }),
            Happening::Progressed { bytes, size, .. } => {
                What::Progressed(Progress { id: &self.texts.id, bytes: *bytes, size: *size })
            }
            Happening::Finished(summary) => What::Finished(self.summary(summary, access)),
        };
        WitEvent { unix_ms: u64::try_from(since.as_millis()).unwrap_or(u64::MAX), what }
    }

    /// Only plugins with the grant see MAC addresses.
    fn request(&'a self, request: &'a Request, access: &Access) -> wit_events::Request<'a> {
        wit_events::Request {
            id: &self.texts.id,
            listener: &request.listener,
            operation: match request.operation {
                Operation::Read => wit_events::Operation::Read,
                Operation::Write => wit_events::Operation::Write,
            },
            mode: match request.mode {
                Mode::Octet => wit_events::Mode::Octet,
                Mode::Netascii => wit_events::Mode::Netascii,
            },
            requested: &request.requested,
            path: &request.path,
            client: wit_events::Client {
                address: &self.texts.address,
                port: request.client.port(),
                macs: if access.client_mac { &self.macs } else { &[] },
                class: request.class.as_str(),
            },
            options: &self.options,
            attributes: self
                .of_request
                .iter()
                .find(|(facts, _)| *facts == access.facts)
                .map_or(&[], |(_, attributes)| attributes),
        }
    }

    fn summary(&'a self, summary: &'a Summary, access: &Access) -> Sum<'a> {
        let record = &summary.record;
        Sum {
            request: self.request(&record.request, access),
            outcome: match summary.ending.outcome {
                Outcome::Served => Ended::Served,
                Outcome::Stored => Ended::Stored,
                Outcome::Probed => Ended::Probed,
                Outcome::Aborted => Ended::Aborted,
                Outcome::Denied => Ended::Denied,
                Outcome::NotFound => Ended::NotFound,
                Outcome::TimedOut => Ended::TimedOut,
                Outcome::Failed => Ended::Failed,
            },
            detail: summary.ending.detail.as_deref(),
            decision: match summary.decision {
                Answered::Granted => Decision::Granted,
                Answered::Refused => Decision::Refused,
                Answered::Dropped => Decision::Dropped,
                Answered::Undecided => Decision::Undecided,
            },
            verdict_by: record.verdict_by.as_deref(),
            plugin_calls: record.plugin_calls,
            resolved: record.resolved.as_deref(),
            size: record.size,
            blksize: summary.options.block_size(),
            windowsize: summary.options.window_size(),
            timeout_option: summary.options.timeout,
            tsize: summary.options.tsize,
            bytes: summary.bytes,
            blocks: summary.blocks,
            retransmissions: summary.stats.retransmissions.into(),
            duplicates: summary.stats.duplicates.into(),
            timeouts: summary.stats.timeouts.into(),
            rtt_us: summary.rtt.map(us),
            decision_us: record.decided_after.map(us),
            first_block_us: summary.first_block_after.map(us),
            duration_us: us(summary.duration),
            attributes: &self.attributes,
        }
    }
}

/// What an ended request has beside the fields of the interface; docs/plugins.md lists it.
fn of_summary(summary: &Summary) -> Vec<(&str, &str)> {
    let hint = summary.hint.iter().map(|hint| ("hint", hint.as_str()));
    let Some(tried) = summary.record.tried.as_deref() else { return hint.collect() };
    let places = tried.places().iter().map(|place| ("tried", place.as_str()));
    let by = tried.by().map(|by| ("tried-by", by));
    let others = tried.other_case().iter().map(|place| ("other-case", place.as_str()));
    places.chain(by).chain(others).chain(hint).collect()
}

type Lists<'a> = (Vec<wit_events::Mac<'a>>, Vec<(&'a str, &'a str)>);

fn lists<'a>(request: &'a Request, texts: &'a Texts) -> Lists<'a> {
    let macs = request.macs.iter().zip(&texts.macs).map(|(fact, address)| wit_events::Mac {
        address,
        source: match fact.source {
            MacSource::NeighbourTable => wit_events::MacSource::NeighbourTable,
            MacSource::LeaseFile => wit_events::MacSource::LeaseFile,
            MacSource::RequestedName => wit_events::MacSource::RequestedName,
        },
    });
    let options = request.options.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    (macs.collect(), options.collect())
}

fn us(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
