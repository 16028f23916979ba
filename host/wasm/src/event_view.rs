//! Converts events to the types of the interface. They borrow their text: every observer gets all events, and copying
//! the text would cost as much as the call.

use std::sync::Arc;
use std::time::Duration;

use super::access::Access;
use super::convert;
use super::facts;
use super::wit_events::{
    self, DecidedRequest, Event as WitEvent, MacAddresses, Progress, Resolved, Summary as Sum, Target,
    WitEventKind,
};
use tuffet_request::events::{
    DecisionRecord, Event, EventKind, FIELDS, FieldValue, InEvent, Summary, resolved_file,
};
use tuffet_request::{Label, MacSource, Mode, Operation, Request};

/// The parts of an event that must be formatted as text first.
#[derive(Debug)]
pub(super) struct EventTexts {
    id: String,
    address: String,
    macs: Vec<String>,
    labels: Vec<(Arc<str>, Label)>,
    facts: facts::FactTexts,
    /// The attributes of the summary.
    attributes: Vec<(&'static str, String)>,
}

impl EventTexts {
    pub fn of_all(events: &[Event]) -> Vec<EventTexts> {
        events.iter().map(EventTexts::of).collect()
    }

    pub fn of(event: &Event) -> EventTexts {
        let Some(record) = record_of(event) else {
            let EventKind::Progressed { id, .. } = &event.what else {
                unreachable!("the others have a record")
            };
            return EventTexts {
                id: id.to_string(),
                address: String::new(),
                macs: Vec::new(),
                labels: Vec::new(),
                facts: facts::FactTexts::default(),
                attributes: Vec::new(),
            };
        };
        let request = &record.request;
        EventTexts {
            id: request.id.to_string(),
            address: request.client.ip().to_canonical().to_string(),
            macs: request.macs.iter().map(|fact| fact.address.to_string()).collect(),
            labels: request.calls.labels(),
            facts: facts::FactTexts::of(request),
            attributes: match &event.what {
                EventKind::Finished(summary) => attributes(summary),
                _ => Vec::new(),
            },
        }
    }
}

/// Returns the fields that the interface has no member for, as attributes.
fn attributes(summary: &Summary) -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    for field in FIELDS {
        let InEvent::Attribute(name) = field.event else { continue };
        match (field.value)(summary) {
            Some(FieldValue::List(texts)) => all.extend(texts.iter().map(|text| (name, text.clone()))),
            Some(value) => all.push((name, value.to_string())),
            None => {}
        }
    }
    all
}

/// Returns the record of an event's request; `None` for progress.
fn record_of(event: &Event) -> Option<&DecisionRecord> {
    match &event.what {
        EventKind::Started { record, .. } => Some(record),
        EventKind::Finished(summary) => Some(&summary.record),
        EventKind::Progressed { .. } => None,
    }
}

/// An event with its texts.
pub(super) struct EventView<'a> {
    event: &'a Event,
    texts: &'a EventTexts,
    /// Addresses from the network, then those that the client claims.
    macs: Vec<wit_events::Mac<'a>>,
    claimed: usize,
    options: Vec<(&'a str, &'a str)>,
    labels: Vec<wit_events::Label<'a>>,
    /// The attribute `raw-name` of the request.
    raw_name: Option<[(&'a str, &'a str); 1]>,
    tried: Vec<Target<'a>>,
    /// The attributes of the summary.
    attributes: Vec<(&'a str, &'a str)>,
}

impl<'a> EventView<'a> {
    pub fn new(event: &'a Event, texts: &'a EventTexts) -> EventView<'a> {
        let request = record_of(event).map(|record| &*record.request);
        let macs = request.map_or_else(Vec::new, |request| macs(request, texts));
        let options = request.map_or(&[][..], |request| &request.options);
        let mut view = EventView {
            event,
            texts,
            claimed: macs.partition_point(|mac| mac.source != MacSource::RequestedName.as_str()),
            macs,
            options: options.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
            labels: texts.labels.iter().map(label).collect(),
            raw_name: request.and_then(|request| request.raw_name.as_deref()).map(|raw| [("raw-name", raw)]),
            tried: Vec::new(),
            attributes: Vec::new(),
        };
        if let EventKind::Finished(summary) = &event.what {
            let tried = summary.record.tried.as_deref();
            let places = tried.map_or(&[][..], |tried| tried.places());
            view.tried = places.iter().filter_map(|place| resolved_file(place)).map(target).collect();
            view.attributes = texts.attributes.iter().map(|(name, value)| (*name, value.as_str())).collect();
        }
        view
    }

    /// Converts the event for a plugin with this access.
    pub fn to_wit(&'a self, access: &Access) -> WitEvent<'a> {
        let kind = match &self.event.what {
            EventKind::Started { record, .. } => WitEventKind::Started(self.decided(record, access)),
            EventKind::Progressed { bytes, size, .. } => WitEventKind::Progressed(Progress {
                request_id: &self.texts.id,
                transferred: *bytes,
                size: *size,
            }),
            EventKind::Finished(summary) => WitEventKind::Finished(self.summary(summary, access)),
        };
        WitEvent { sequence: self.event.sequence, unix_ms: convert::unix_ms(self.event.at), kind }
    }

    fn decided(&'a self, record: &'a DecisionRecord, access: &Access) -> DecidedRequest<'a> {
        DecidedRequest {
            request: self.request(&record.request, access),
            resolved: record.resolved.as_deref().map(resolved),
            decided_by: record.verdict_by.as_deref(),
            size: record.size,
            decision_us: record.decided_after.map(us),
        }
    }

    /// Only plugins with the grant see MAC addresses.
    fn request(&'a self, request: &'a Request, access: &Access) -> wit_events::Request<'a> {
        let (network, claimed) = self.macs.split_at(self.claimed);
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
                macs: access.client_mac.then_some(MacAddresses { network, claimed }),
                lease: access.facts.lease(request, &self.texts.facts),
                class: request.class.as_str(),
            },
            arrival: access.facts.arrival(request, &self.texts.facts),
            options: &self.options,
            unix_ms: convert::unix_ms(request.received_at),
            labels: &self.labels,
            attributes: self.raw_name.as_ref().map_or(&[], |raw| raw),
        }
    }

    fn summary(&'a self, summary: &'a Summary, access: &Access) -> Sum<'a> {
        let record = &summary.record;
        Sum {
            decided: self.decided(record, access),
            decision: summary.decision.as_str(),
            outcome: summary.ending.outcome.as_str(),
            detail: summary.ending.detail.as_deref(),
            plugin_calls: record.plugin_calls,
            tried: &self.tried,
            tried_by: record.tried.as_deref().and_then(|tried| tried.by()),
            blksize: summary.options.block_size(),
            windowsize: summary.options.window_size(),
            timeout_option: summary.options.timeout,
            tsize: summary.options.tsize,
            transferred: summary.bytes,
            blocks: summary.blocks,
            retransmissions: summary.stats.retransmissions.into(),
            duplicates: summary.stats.duplicates.into(),
            timeouts: summary.stats.timeouts.into(),
            rtt_us: summary.rtt.map(us),
            first_block_us: summary.first_block_after.map(us),
            duration_us: us(summary.duration),
            attributes: &self.attributes,
        }
    }
}

fn label((plugin, label): &(Arc<str>, Label)) -> wit_events::Label<'_> {
    wit_events::Label { plugin, text: label.as_str() }
}

fn resolved(text: &str) -> Resolved<'_> {
    match resolved_file(text) {
        Some(file) => Resolved::File(target(file)),
        None => Resolved::Content(text.strip_prefix("content/")),
    }
}

fn target<'a>((root, path): (&'a str, &'a str)) -> Target<'a> {
    Target { root, path }
}

fn macs<'a>(request: &'a Request, texts: &'a EventTexts) -> Vec<wit_events::Mac<'a>> {
    let macs = request.macs.iter().zip(&texts.macs);
    macs.map(|(fact, address)| wit_events::Mac { address, source: fact.source.as_str() }).collect()
}

fn us(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuffet_request::events::Field;

    #[test]
    fn attributes_are_the_fields_without_a_member() {
        let expected = [
            ("protocol", "http"),
            ("certificate", "0a1b"),
            ("other-case", "boot:A"),
            ("hint", "the path drops large datagrams"),
        ];
        let all = attributes(&Summary::sample());
        assert!(all.iter().map(|(name, value)| (*name, value.as_str())).eq(expected), "{all:?}");
    }

    /// Each field has the member that its row names, and each member of a summary is a field.
    #[test]
    fn the_interface_has_the_members_of_all_fields() {
        let member = |field: &Field| match field.event {
            InEvent::Member(name) => Some(name),
            InEvent::Attribute(_) | InEvent::Absent => None,
        };
        let named: Vec<&str> = FIELDS.iter().filter_map(member).collect();
        let records =
            [Sum::NAMES, DecidedRequest::NAMES, wit_events::Request::NAMES, wit_events::Client::NAMES];
        for name in &named {
            assert!(records.concat().contains(name), "{name}");
        }
        for name in [Sum::NAMES, DecidedRequest::NAMES].concat() {
            let is_record = ["decided", "request", "attributes"].contains(&name);
            assert!(is_record || named.contains(&name), "{name}");
        }
    }
}
