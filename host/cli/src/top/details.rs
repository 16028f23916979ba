//! The details of one request: all of its data in the snapshot.

use super::text::{bytes, clock, micros, plain, rate, span};
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};
use tuffet_server::watch::{Active, Finished, PluginCall, RequestInfo, Snapshot};

/// The column of the values.
const NAMES: usize = 20;

/// Returns the details of the request with this ID. A transfer that ends meanwhile becomes an ended request.
pub(super) fn lines(snapshot: &Snapshot, id: &str) -> Vec<Line<'static>> {
    let mut facts = Facts(Vec::new());
    if let Some(row) = snapshot.finished.iter().find(|row| row.who.id == id) {
        facts.ended(row);
    } else if let Some(row) = snapshot.active.iter().find(|row| row.who.id == id) {
        facts.running(row);
    } else {
        facts.add("request", format!("{id} is no longer among the last requests"));
    }
    facts.0
}

struct Facts(Vec<Line<'static>>);

impl Facts {
    fn add(&mut self, name: &str, value: impl AsRef<str>) {
        let name = Span::from(format!("{name:<NAMES$}")).style(Style::new().fg(Color::DarkGray));
        self.0.push(Line::from(vec![name, Span::from(plain(value.as_ref()))]));
    }

    fn some(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.add(name, value);
        }
    }

    /// Adds a line for each value; the name is before the first.
    fn all(&mut self, name: &str, values: impl IntoIterator<Item = String>) {
        for (index, value) in values.into_iter().enumerate() {
            self.add(if index == 0 { name } else { "" }, value);
        }
    }

    fn took(&mut self, name: &str, time: Option<u64>) {
        if time.is_some() {
            self.add(name, micros(time));
        }
    }

    fn who(&mut self, who: &RequestInfo, resolved: Option<&str>, verdict_by: Option<&str>) {
        self.add("request", format!("{} {}", who.operation, who.path));
        self.some("file", resolved);
        let mac = who.mac.as_ref().map_or(String::new(), |mac| {
            format!("  {mac} ({})", who.mac_source.as_deref().unwrap_or("unknown source"))
        });
        self.add("client", format!("{}{mac}  {}", who.client, who.class));
        self.add("listener", &who.listener);
        self.add("decided by", verdict_by.unwrap_or("the configuration"));
        self.add("options requested", options(&who.requested_options));
    }

    /// Adds the number of plugin calls, and a line for each.
    fn plugins(&mut self, count: u32, calls: &[PluginCall]) {
        self.add("plugin calls", count.to_string());
        self.all(
            "",
            calls.iter().map(|call| {
                let failure =
                    call.failure.as_ref().map_or(String::new(), |cause| format!(", failed: {cause}"));
                let cached = if call.cached { ", from the cache" } else { "" };
                let monitored = if call.monitored { ", monitored" } else { "" };
                let took = micros(Some(call.took_us));
                format!(
                    "{} ({}): {}, {took}{cached}{monitored}{failure}",
                    call.plugin, call.hook, call.verdict
                )
            }),
        );
    }

    fn running(&mut self, row: &Active) {
        self.who(&row.who, row.resolved.as_deref(), row.verdict_by.as_deref());
        if let Some(granted) = &row.options {
            self.add("options granted", options(granted));
        }
        self.plugins(row.plugin_calls, &row.plugins);
        self.took("decision after", row.decision_us);
        self.some("size", row.size.map(bytes).as_deref());
        self.some("at most", row.rate.map(|most| rate(most.into())).as_deref());
        self.add("arrived", bytes(row.bytes));
        if row.idle_seconds > 0 {
            self.add("nothing moved for", span(row.idle_seconds));
        }
        self.add("resent", format!("{} packets", row.retransmissions));
        self.add("started (UTC)", clock(row.started_unix_ms));
        self.took("age", Some(row.running_us));
        self.add("request ID", &row.who.id);
    }

    fn ended(&mut self, row: &Finished) {
        self.add("outcome", format!("{} ({})", row.outcome, row.decision));
        self.some("reason", row.detail.as_deref());
        self.some("hint", row.hint.as_deref());
        self.all("tried", row.tried.iter().cloned());
        self.some("proposed by", row.tried_by.as_deref());
        self.all("in another case", row.other_case.iter().cloned());
        self.who(&row.who, row.resolved.as_deref(), row.verdict_by.as_deref());
        self.add("options granted", options(&row.options));
        self.plugins(row.plugin_calls, &row.plugins);
        self.took("decision after", row.decision_us);
        self.took("first block after", row.first_block_us);
        self.took("round trip", row.rtt_us);
        self.took("took", Some(row.duration_us));
        self.add("ended (UTC)", clock(row.ended_unix_ms));
        self.some("size", row.size.map(bytes).as_deref());
        self.some("at most", row.rate.map(|most| rate(most.into())).as_deref());
        self.add("arrived", format!("{} in {} blocks", bytes(row.bytes), row.blocks));
        let again = format!(
            "{} packets, {} duplicates, {} time-outs",
            row.retransmissions, row.duplicates, row.timeouts
        );
        self.add("resent", again);
        for (name, fact) in &row.facts {
            self.add(&name.replace('_', " "), fact.to_string());
        }
        self.add("request ID", &row.who.id);
    }
}

fn options(pairs: &[(String, String)]) -> String {
    if pairs.is_empty() {
        return "none".into();
    }
    pairs.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ")
}
