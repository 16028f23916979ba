//! The facts of an ended request as named fields: one list, which the log, exported records and spans, the live view
//! and the events of plugins walk.
//!
//! A field appears everywhere, unless its row in [`FIELDS`] leaves it out or names it otherwise.

use super::{Answered, Outcome, Summary, Tried};
use crate::calls::Calls;
use crate::mac_address::MacAddress;
use crate::request::RequestId;
use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;
use tuffet_core::{DEFAULT_BLKSIZE, MSFTWINDOW_REQUESTED, OptionName, OptionSet};

/// A named fact of ended requests, and where it appears.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Its name in lines of the log and in exported log records.
    pub name: &'static str,
    /// Returns its value, if the request has one.
    pub value: fn(&Summary) -> Option<FieldValue<'_>>,
    /// Whether lines of the log have it, as a field.
    pub log: bool,
    /// When the text of a line for people names it.
    pub line: InLine,
    /// Its attribute in spans.
    pub span: Option<&'static str>,
    /// Where the live view and the events of `events.nats` have it.
    pub view: InView,
    /// Where events for plugins have it.
    pub event: InEvent,
}

/// When the text of a line for people has `NAME=VALUE`.
#[derive(Debug, Clone, Copy)]
pub enum InLine {
    /// Never: it has its own place in the text, or none.
    Placed,
    /// Whenever it has a value.
    Present,
    /// If the number is not 0.
    NonZero,
    /// If the time is long.
    Slow,
    /// For these requests.
    When(fn(&Summary) -> bool),
}

/// Where the live view has a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InView {
    /// In a member of its own, of the same name.
    Member,
    /// Among the other facts, under its name.
    Fact,
    /// Nowhere.
    Absent,
}

/// Where an event for plugins has a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InEvent {
    /// In this member of a record of the interface.
    Member(&'static str),
    /// In an attribute of the summary with this name; a list in one attribute for each element.
    Attribute(&'static str),
    /// Nowhere.
    Absent,
}

/// The value of a field.
#[derive(Debug, Clone, Copy)]
pub enum FieldValue<'a> {
    /// A word or a text.
    Text(&'a str),
    /// A number.
    Number(u64),
    /// A time, in microseconds where it has no unit.
    Time(Duration),
    /// The ID of a request.
    Id(RequestId),
    /// An address and a port.
    Address(SocketAddr),
    /// A MAC address.
    Mac(MacAddress),
    /// Requested options.
    Options(&'a OptionSet),
    /// Several texts.
    List(&'a [String]),
    /// The labels that plugins gave the request.
    Labels(&'a Calls),
}

/// A row of [`FIELDS`]: name, value, and where the field does not appear under its name.
macro_rules! field {
    ($name:literal, $value:expr $(, $place:ident: $how:expr)* $(,)?) => {
        Field {
            $($place: $how,)*
            ..Field {
                name: $name,
                value: $value,
                log: true,
                line: InLine::Present,
                span: Some(concat!("tftp.", $name)),
                view: InView::Fact,
                event: InEvent::Attribute($name),
            }
        }
    };
}

/// All fields, in the order of a line of the log.
pub const FIELDS: &[Field] = {
    use FieldValue::{Address, Id, Labels, List, Mac, Options, Time};
    use InEvent::{Absent, Attribute, Member};
    use InLine::{NonZero, Placed, Slow, When};
    &[
        field!(
            "id", |it| Some(Id(it.record.request.id)),
            line: Placed, span: Some("tftp.request.id"), view: InView::Member, event: Member("id"),
        ),
        field!(
            "outcome", |it| text(it.ending.outcome.as_str()),
            line: Placed, view: InView::Member, event: Member("outcome"),
        ),
        // In spans and for plugins: an address and a port.
        field!(
            "client", |it| Some(Address(it.record.request.client)),
            line: Placed, span: None, view: InView::Member, event: Member("client"),
        ),
        field!(
            "mac", |it| it.record.request.macs.first().map(|mac| Mac(mac.address)),
            line: Placed, span: Some("tftp.client.mac"), view: InView::Member, event: Member("macs"),
        ),
        field!(
            "mac_source", |it| it.record.request.macs.first().and_then(|mac| text(mac.source.as_str())),
            line: Placed, span: Some("tftp.client.mac_source"), view: InView::Member, event: Member("macs"),
        ),
        field!(
            "class", |it| text(it.record.request.class.as_str()),
            line: Placed, span: Some("tftp.client.class"), view: InView::Member, event: Member("class"),
        ),
        field!(
            "operation", |it| text(it.record.request.operation.as_str()),
            line: Placed, view: InView::Member, event: Member("operation"),
        ),
        field!(
            "protocol", |it| some_text(it.record.request.protocol.unless_tftp()),
            // Each span has it, that of TFTP, too.
            span: None,
        ),
        field!("certificate", |it| Some(FieldValue::Text(&it.record.request.certificate.as_deref()?.sha256))),
        field!(
            "mode", |it| text(it.record.request.mode.as_str()),
            log: false, line: Placed, view: InView::Absent, event: Member("mode"),
        ),
        field!(
            "path", |it| text(&it.record.request.path),
            line: Placed, view: InView::Member, event: Member("path"),
        ),
        field!(
            "shim_folder", |it| some_text(it.record.request.shim_folder.as_deref()),
            span: None, view: InView::Absent, event: Absent,
        ),
        // Plugins get the requested name of each request.
        field!(
            "requested", |it| some_text(it.record.request.repaired_from()),
            span: None, view: InView::Absent, event: Member("requested"),
        ),
        // An attribute of the request, for all hooks.
        field!(
            "raw_name", |it| some_text(it.record.request.raw_name.as_deref()),
            span: None, view: InView::Absent, event: Absent,
        ),
        field!(
            "resolved", |it| some_text(it.record.resolved.as_deref()),
            line: Placed, view: InView::Member, event: Member("resolved"),
        ),
        field!(
            "group", |it| it.record.group.map(Address),
            span: None, view: InView::Absent, event: Absent,
        ),
        field!(
            "detail", |it| some_text(it.ending.detail.as_deref()),
            line: Placed, view: InView::Member, event: Member("detail"),
        ),
        field!(
            "tried", |it| tried(it).map(|tried| List(tried.places())),
            line: When(has_unusual_places), view: InView::Member, event: Member("tried"),
        ),
        field!(
            "tried_by", |it| some_text(tried(it)?.by()),
            line: When(|it| tried(it).and_then(Tried::by) != it.record.verdict_by.as_deref()),
            view: InView::Member, event: Member("tried-by"),
        ),
        field!(
            "other_case", |it| Some(tried(it)?.other_case()).filter(|others| !others.is_empty()).map(List),
            line: When(has_unsaid_spelling), span: None, view: InView::Member, event: Attribute("other-case"),
        ),
        field!("hint", |it| some_text(it.hint.as_deref()), span: None, view: InView::Member),
        field!(
            "decision", |it| text(it.decision.as_str()),
            line: When(|it| matches!(it.decision, Answered::Dropped | Answered::Undecided)),
            view: InView::Member, event: Member("decision"),
        ),
        field!(
            "verdict_by", |it| some_text(it.record.verdict_by.as_deref()),
            line: Placed, view: InView::Member, event: Member("decided-by"),
        ),
        field!(
            "plugin_calls", |it| number(it.record.plugin_calls),
            line: Placed, view: InView::Member, event: Member("plugin-calls"),
        ),
        field!(
            "labels", |it| Some(&it.record.request.calls).filter(|calls| calls.has_label()).map(Labels),
            event: Member("labels"),
        ),
        field!(
            "listener", |it| text(&it.record.request.listener),
            line: Placed, view: InView::Member, event: Member("listener"),
        ),
        field!(
            "bytes", |it| number(it.bytes),
            line: Placed, view: InView::Member, event: Member("transferred"),
        ),
        field!("blocks", |it| number(it.blocks), line: Placed, view: InView::Member, event: Member("blocks")),
        field!(
            "size", |it| it.record.size.map(FieldValue::Number),
            line: Placed, view: InView::Member, event: Member("size"),
        ),
        field!("rate", |it| number(it.record.rate?), view: InView::Member, event: Absent),
        // Views and plugins get the requested options as sent.
        field!(
            "asked", |it| requested(it).map(Options),
            line: When(|it| !matches!(it.ending.outcome, Outcome::Served | Outcome::Stored | Outcome::Probed)),
            span: None, view: InView::Absent, event: Absent,
        ),
        field!(
            "blksize", |it| number(it.options.block_size()),
            line: When(|it| it.decision == Answered::Granted && it.options.block_size() != DEFAULT_BLKSIZE),
            view: InView::Member, event: Member("blksize"),
        ),
        field!(
            "windowsize", |it| number(it.options.window_size()),
            line: When(|it| it.decision == Answered::Granted && it.options.window_size() > 1),
            view: InView::Member, event: Member("windowsize"),
        ),
        // In views: among the negotiated options.
        field!(
            "timeout_option", |it| number(it.options.timeout?),
            line: Placed, span: None, view: InView::Absent, event: Member("timeout-option"),
        ),
        field!(
            "tsize", |it| number(it.options.tsize?),
            line: Placed, span: None, view: InView::Absent, event: Member("tsize"),
        ),
        field!(
            "retransmissions", |it| number(it.stats.retransmissions),
            line: NonZero, view: InView::Member, event: Member("retransmissions"),
        ),
        field!(
            "duplicates", |it| number(it.stats.duplicates),
            line: NonZero, view: InView::Member, event: Member("duplicates"),
        ),
        field!(
            "timeouts", |it| number(it.stats.timeouts),
            line: NonZero, view: InView::Member, event: Member("timeouts"),
        ),
        field!(
            "needless_timeouts", |it| number(it.stats.needless).filter(|_| it.stats.needless > 0),
            span: None, view: InView::Absent, event: Absent,
        ),
        field!(
            "rtt_us", |it| it.rtt.map(Time),
            line: Slow, span: Some("tftp.rtt"), view: InView::Member, event: Member("rtt-us"),
        ),
        // Spans have begin and end.
        field!(
            "decision_us", |it| it.record.decided_after.map(Time),
            line: Slow, span: None, view: InView::Member, event: Member("decision-us"),
        ),
        field!(
            "first_block_us", |it| it.first_block_after.map(Time),
            line: Placed, span: None, view: InView::Member, event: Member("first-block-us"),
        ),
        field!(
            "duration_us", |it| Some(Time(it.duration)),
            line: Placed, span: None, view: InView::Member, event: Member("duration-us"),
        ),
    ]
};

impl Summary {
    /// Iterates over the fields that have a value, in the order of [`FIELDS`].
    #[doc(hidden)]
    pub fn fields(&self) -> impl Iterator<Item = (&'static Field, FieldValue<'_>)> {
        FIELDS.iter().filter_map(|field| Some((field, (field.value)(self)?)))
    }
}

impl fmt::Display for FieldValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldValue::Text(text) => f.write_str(text),
            FieldValue::Number(number) => number.fmt(f),
            FieldValue::Time(time) => time.as_micros().fmt(f),
            FieldValue::Id(id) => id.fmt(f),
            FieldValue::Address(address) => address.fmt(f),
            FieldValue::Mac(mac) => mac.fmt(f),
            FieldValue::Options(options) => {
                for (index, (name, value)) in named(options).enumerate() {
                    let space = if index == 0 { "" } else { " " };
                    write!(f, "{space}{name}={value}")?;
                }
                Ok(())
            }
            FieldValue::List(texts) => f.write_str(&texts.join(", ")),
            FieldValue::Labels(calls) => {
                for (index, (plugin, label)) in calls.labels().iter().enumerate() {
                    let space = if index == 0 { "" } else { " " };
                    write!(f, "{space}{plugin}={label}")?;
                }
                Ok(())
            }
        }
    }
}

fn text(text: &str) -> Option<FieldValue<'_>> {
    Some(FieldValue::Text(text))
}

fn some_text(text: Option<&str>) -> Option<FieldValue<'_>> {
    text.map(FieldValue::Text)
}

fn number(number: impl Into<u64>) -> Option<FieldValue<'static>> {
    Some(FieldValue::Number(number.into()))
}

fn tried(summary: &Summary) -> Option<&Tried> {
    summary.record.tried.as_deref()
}

/// Without a plugin, one place is the requested path.
fn has_unusual_places(summary: &Summary) -> bool {
    tried(summary).is_some_and(|tried| tried.places().len() > 1 || tried.by().is_some())
}

fn has_unsaid_spelling(summary: &Summary) -> bool {
    let detail = summary.ending.detail.as_deref().unwrap_or_default();
    tried(summary)
        .is_some_and(|tried| !tried.other_case().iter().all(|other| detail.contains(other.as_str())))
}

/// Returns the requested options, if there is one.
fn requested(summary: &Summary) -> Option<&OptionSet> {
    Some(&summary.record.requested_options).filter(|options| named(options).next().is_some())
}

/// Returns names and values of requested options.
fn named(options: &OptionSet) -> impl Iterator<Item = (&'static str, u64)> {
    let all = [
        ("blksize", options.blksize.map(u64::from)),
        ("windowsize", options.windowsize.map(u64::from)),
        ("timeout", options.timeout.map(u64::from)),
        ("tsize", options.tsize),
        ("rollover", options.value(OptionName::Rollover)),
        ("blksize2", options.value(OptionName::Blksize2)),
        ("utimeout", options.value(OptionName::Utimeout)),
        ("msftwindow", options.msftwindow.then_some(MSFTWINDOW_REQUESTED)),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, value?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_sample_has_each_field() {
        let sample = Summary::sample();
        let lacking: Vec<_> =
            FIELDS.iter().filter(|field| (field.value)(&sample).is_none()).map(|field| field.name).collect();
        assert_eq!(lacking, [""; 0]);
        assert_eq!(sample.fields().count(), FIELDS.len());
    }

    #[test]
    fn no_two_fields_have_the_same_name() {
        let unique = |names: Vec<&str>| names.len() == names.iter().collect::<BTreeSet<_>>().len();
        assert!(unique(FIELDS.iter().map(|field| field.name).collect()));
        assert!(unique(FIELDS.iter().filter_map(|field| field.span).collect()));
        let attributes = FIELDS.iter().filter_map(|field| match field.event {
            InEvent::Attribute(name) => Some(name),
            _ => None,
        });
        let attributes: Vec<&str> = attributes.collect();
        assert!(
            attributes.iter().all(|name| !name.contains('_')),
            "as the interface writes words: {attributes:?}"
        );
        assert!(unique(attributes));
    }

    #[test]
    fn requested_options_are_shown_as_sent() {
        let mut options = OptionSet { blksize: Some(1_468), tsize: Some(0), ..OptionSet::default() };
        assert_eq!(FieldValue::Options(&options).to_string(), "blksize=1468 tsize=0");
        options.msftwindow = true;
        assert_eq!(FieldValue::Options(&options).to_string(), "blksize=1468 tsize=0 msftwindow=31416");
    }
}
