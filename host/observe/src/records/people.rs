//! Formats an ended request for people, in one line: who, what, why, how fast.
//!
//! The order is fixed, and names and texts from clients are quoted unless they are one plain word, so none passes for
//! another fact. What is at its default, zero, or said twice is left out; JSON has it. A line about a
//! request that went wrong has the client's port and the requested options, too: people need them to find its cause.

use crate::list::List;
use crate::word::{is_single_word, quoted_unless};
use std::fmt::{self, Display, Write as _};
use std::net::SocketAddr;
use std::time::Duration;
use tuffet_request::events::{FieldValue, InLine, Outcome, Summary};
use tuffet_request::{ClientClass, MacFact, MacSource};

/// From this time on a round trip, a decision or a refusal is worth a word.
const SLOW: Duration = Duration::from_millis(10);

/// Returns the line, with a line feed. `trace_id` is the trace of the request, if it is exported. If the server has
/// `several_listeners`, the line names the request's.
pub(super) fn line(summary: &Summary, trace_id: Option<String>, several_listeners: bool) -> String {
    let mut line = who_and_what(summary);
    // `write!` to a string cannot fail.
    if let Some(plugin) = summary.record.verdict_by.as_deref() {
        let _ = write!(line, " by {}", Word(plugin));
    }
    if let Some(detail) = summary.ending.detail.as_deref().filter(|detail| !detail.is_empty()) {
        let _ = write!(line, " {detail:?}");
    }
    how_fast(summary, &mut line);
    rest(summary, trace_id, several_listeners, &mut line);
    line.push('\n');
    line
}

fn who_and_what(summary: &Summary) -> String {
    let request = &summary.record.request;
    // Room for most lines, so that it need not grow.
    let mut line = String::with_capacity(160);
    let _ = write!(line, "{}", summary.ending.outcome);
    let _ = if is_done(summary) {
        write!(line, " {}", request.client.ip())
    } else {
        write!(line, " {}", request.client)
    };
    if let Some(mac) = request.macs.first().filter(|mac| !is_claimed(mac)) {
        let _ = write!(line, " {}", mac.address);
    }
    if request.class != ClientClass::UNKNOWN {
        let _ = write!(line, " {}", request.class.as_str());
    }
    let _ = write!(line, " {}", request.operation);
    let path = &*request.path;
    let _ = match (summary.record.resolved.as_deref(), summary.record.file()) {
        (Some(resolved), Some((_, found))) if found == path => write!(line, " {}", Word(resolved)),
        (Some(resolved), _) => write!(line, " {} as {}", Word(path), Word(resolved)),
        (None, _) => write!(line, " {}", Word(path)),
    };
    line
}

fn is_done(summary: &Summary) -> bool {
    matches!(summary.ending.outcome, Outcome::Served | Outcome::Stored)
}

/// Returns whether only the client says so, by the name that it asks for.
fn is_claimed(mac: &MacFact) -> bool {
    mac.source == MacSource::RequestedName
}

fn how_fast(summary: &Summary, line: &mut String) {
    let done = is_done(summary);
    let _ = match summary.record.size.filter(|size| *size != summary.bytes) {
        _ if summary.bytes == 0 && !done => {
            if summary.duration >= SLOW {
                let _ = write!(line, " after {}", Time(summary.duration));
            }
            return;
        }
        Some(size) if !done => write!(line, " {} of {}", Bytes(summary.bytes), Bytes(size)),
        _ => write!(line, " {}", Bytes(summary.bytes)),
    };
    let _ = write!(line, " in {}", Time(summary.duration));
}

/// Adds the other facts as `name=value`, with the names of JSON.
fn rest(summary: &Summary, trace_id: Option<String>, several_listeners: bool, line: &mut String) {
    let request = &summary.record.request;
    // The MAC addresses begin with the most trustworthy one.
    if let Some(mac) = request.macs.first().filter(|mac| is_claimed(mac)) {
        let _ = write!(line, " claims={}", mac.address);
    }
    // A listener without a name is named by its address.
    if several_listeners || request.listener.parse::<SocketAddr>().is_err() {
        let _ = write!(line, " listener={}", Word(&request.listener));
    }
    for (field, value) in summary.fields() {
        let is_worth_saying = match (field.line, value) {
            (InLine::Placed, _) => false,
            (InLine::Present, _) => true,
            (InLine::NonZero, value) => !matches!(value, FieldValue::Number(0)),
            (InLine::Slow, value) => matches!(value, FieldValue::Time(time) if time >= SLOW),
            (InLine::When(is_unusual), _) => is_unusual(summary),
        };
        if is_worth_saying {
            let _ = match value {
                FieldValue::List(texts) => write!(line, " {}={:?}", field.name, List(texts)),
                FieldValue::Text(text) => write!(line, " {}={}", field.name, Word(text)),
                value => write!(line, " {}={}", field.name, Word(&value.to_string())),
            };
        }
    }
    // Lines of plugins and spans carry them.
    if summary.record.plugin_calls > 0 {
        let _ = write!(line, " id={}", request.id);
    }
    if let Some(trace_id) = trace_id {
        let _ = write!(line, " trace_id={trace_id}");
    }
}

/// A text that is quoted unless it is one plain word.
struct Word<'a>(&'a str);

impl Display for Word<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        quoted_unless(is_single_word(self.0), self.0, f)
    }
}

/// A number of bytes, in decimal units: `3.0 MB`.
struct Bytes(u64);

impl Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];
        if self.0 < 1_000 {
            return write!(f, "{} B", self.0);
        }
        let mut value = self.0 as f64 / 1e3;
        let mut unit = 0;
        // What would round to 1000 has the next unit.
        while value >= 999.5 && unit + 1 < UNITS.len() {
            value /= 1e3;
            unit += 1;
        }
        write!(f, "{value:.*} {}", usize::from(value < 99.95), UNITS[unit])
    }
}

/// A time: `0.4 ms`, `85 ms`, `1.2 s`.
struct Time(Duration);

impl Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.0.as_secs_f64() * 1e3;
        match millis {
            ..9.95 => write!(f, "{millis:.1} ms"),
            ..999.5 => write!(f, "{millis:.0} ms"),
            ..99_950.0 => write!(f, "{:.1} s", millis / 1e3),
            _ => write!(f, "{:.0} s", millis / 1e3),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::time::Instant;
    use tuffet_core::{OptionSet, Stats};
    use tuffet_request::events::{Answered, DecisionRecord, Ending, Tried};
    use tuffet_request::{MacAddress, Request};

    fn request(path: &str) -> Request {
        Request { listener: "0.0.0.0:69".into(), ..Request::sample(path) }
    }

    fn record(request: Request) -> DecisionRecord {
        DecisionRecord::new(Arc::new(request), Instant::now())
    }

    #[test]
    fn a_served_request_is_one_short_line() {
        let class = "curl".parse().unwrap();
        let record = DecisionRecord {
            resolved: Some("boot:a.img".into()),
            size: Some(3_000_000),
            ..record(Request { class, ..request("a.img") })
        };
        let summary = Summary {
            bytes: 3_000_000,
            duration: Duration::from_millis(85),
            rtt: Some(Duration::from_micros(90)),
            ..Summary::new(record, Outcome::Served, Answered::Granted)
        };
        assert_eq!(line(&summary, None, false), "served 192.0.2.1 curl read boot:a.img 3.0 MB in 85 ms\n");
    }

    #[test]
    fn what_is_unusual_stands_at_the_end() {
        let record = DecisionRecord {
            resolved: Some("boot:phones/default.cfg".into()),
            verdict_by: Some("mac-map".into()),
            plugin_calls: 2,
            size: Some(2_500),
            decided_after: Some(Duration::from_millis(12)),
            requested_options: OptionSet { blksize: Some(1_468), tsize: Some(0), ..OptionSet::default() },
            ..record(Request { listener: "lan".into(), ..request("SEP1.cfg") })
        };
        let summary = Summary {
            bytes: 1_500,
            duration: Duration::from_secs(5),
            options: OptionSet { blksize: Some(1_428), windowsize: Some(8), ..OptionSet::default() },
            stats: Stats { retransmissions: 4, timeouts: 3, ..Stats::default() },
            ..Summary::new(record, Ending::new(Outcome::TimedOut, "silent after block 1"), Answered::Granted)
        };
        assert_eq!(
            line(&summary, Some("4bf9".into()), false),
            "timed-out 192.0.2.1:2000 read SEP1.cfg as boot:phones/default.cfg by mac-map \"silent after block 1\" \
             1.5 kB of 2.5 kB in 5.0 s listener=lan asked=\"blksize=1468 tsize=0\" blksize=1428 windowsize=8 \
             retransmissions=4 timeouts=3 decision_us=12000 id=0000000000000001 trace_id=4bf9\n"
        );
    }

    /// Only what another source confirms stands beside the address.
    #[test]
    fn a_mac_address_of_the_requested_name_is_a_claim() {
        let mac = |last: u8, source| MacFact { address: MacAddress([2, 0, 0x5e, 0x10, 0, last]), source };
        let said = |macs: Vec<MacFact>| {
            let record = record(Request { macs, ..request("SEP1.cfg") });
            line(&Summary::new(record, Outcome::Served, Answered::Granted), None, false)
        };
        let claimed = mac(1, MacSource::RequestedName);
        assert_eq!(
            said(vec![claimed]),
            "served 192.0.2.1 read SEP1.cfg 0 B in 0.0 ms claims=02:00:5e:10:00:01\n"
        );
        assert_eq!(
            said(vec![mac(2, MacSource::LeaseFile), claimed]),
            "served 192.0.2.1 02:00:5e:10:00:02 read SEP1.cfg 0 B in 0.0 ms\n"
        );
    }

    #[test]
    fn of_several_listeners_each_line_names_one() {
        let summary = Summary::new(record(request("a")), Outcome::Served, Answered::Granted);
        assert_eq!(line(&summary, None, true), "served 192.0.2.1 read a 0 B in 0.0 ms listener=0.0.0.0:69\n");
        assert!(!line(&summary, None, false).contains("listener"));
    }

    /// A client that goes on after it asked for the size shows neither a fault nor many options.
    #[test]
    fn what_was_asked_is_said_if_it_went_wrong() {
        let said = |outcome: Outcome| {
            let requested_options = OptionSet { blksize: Some(1_468), ..OptionSet::default() };
            let record = DecisionRecord { requested_options, ..record(request("a")) };
            line(&Summary::new(record, outcome, Answered::Granted), None, false)
        };
        for outcome in Outcome::ALL {
            let fine = matches!(outcome, Outcome::Served | Outcome::Stored | Outcome::Probed);
            assert_eq!(said(outcome).contains(" asked=\"blksize=1468\""), !fine, "{outcome}");
        }
        assert_eq!(said(Outcome::Probed), "probed 192.0.2.1:2000 read a\n");
    }

    #[test]
    fn a_missing_file_is_named_once() {
        let tried = |places: &[(&'static str, &'static str)], by: Option<&str>| {
            Tried::new(places.iter().copied(), by.map(Into::into))
        };
        let missing = |tried: Tried, detail: &'static str| {
            let record = DecisionRecord { tried: Some(Arc::new(tried)), ..record(request("a b")) };
            line(
                &Summary::new(record, Ending::new(Outcome::NotFound, detail), Answered::Refused),
                None,
                false,
            )
        };
        let one = tried(&[("boot", "a b")], None);
        assert_eq!(missing(one, "no such file"), "not-found 192.0.2.1:2000 read \"a b\" \"no such file\"\n");
        let mut two = tried(&[("boot", "a"), ("boot", "b")], Some("mac-map"));
        two.add_other_case("boot", "A");
        assert_eq!(
            missing(two.clone(), "no such file"),
            "not-found 192.0.2.1:2000 read \"a b\" \"no such file\" tried=[\"boot:a\", \"boot:b\"] tried_by=mac-map \
             other_case=[\"boot:A\"]\n"
        );
        assert!(!missing(two, "no such file; boot:A differs in case").contains("other_case"));
    }

    #[test]
    fn no_text_of_a_client_passes_for_a_fact_or_a_line() {
        let ending = Ending::new(Outcome::Aborted, "ERROR 0 \"x\\n\" from the client\nserved 10.0.0.9");
        let text = line(
            &Summary::new(record(request("a\nserved\u{202e} b")), ending, Answered::Dropped),
            None,
            false,
        );
        assert_eq!(
            text,
            "aborted 192.0.2.1:2000 read \"a\\nserved\\u{202e} b\" \"ERROR 0 \\\"x\\\\n\\\" from the \
             client\\nserved 10.0.0.9\" requested=\"a\\nserved\\u{202e} b\" decision=dropped\n"
        );
    }

    #[test]
    fn sizes_and_times_have_two_digits_or_more() {
        let bytes = [0, 999, 1_000, 2_949_120, 99_940_000, 99_960_000, 999_600_000, u64::MAX];
        let shown = bytes.map(|bytes| Bytes(bytes).to_string());
        assert_eq!(shown, ["0 B", "999 B", "1.0 kB", "2.9 MB", "99.9 MB", "100 MB", "1.0 GB", "18447 PB"]);
        let times = [0, 400, 9_960, 85_000, 999_600, 1_240_000, 120_000_000].map(Duration::from_micros);
        let shown = times.map(|time| Time(time).to_string());
        assert_eq!(shown, ["0.0 ms", "0.4 ms", "10 ms", "85 ms", "1.0 s", "1.2 s", "120 s"]);
    }
}
