//! `tuffet status` for people: what runs, and what is wrong.

use serde_json::Value;
use std::fmt::Write as _;
use std::time::{Duration, SystemTime};
use tuffet_server::status::ServerState;
use tuffet_terminal::is_unseen;

/// Formats the report of a server, as its JSON. Lines about what is well say little; what is wrong has a line each.
pub(super) fn text(report: &Value) -> String {
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    let words = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = |key: &str| report[key].as_array().cloned().unwrap_or_default();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let age = now.saturating_sub(number(&report["since_unix"]));
    let state: ServerState = serde_json::from_value(report.clone()).unwrap_or_default();
    let state_word = state.word();
    let mut text = format!(
        "process {}: {state_word}; generation {} for {}\n",
        report["process"],
        report["generation"],
        humantime::format_duration(Duration::from_secs(age))
    );
    // Writing to a string cannot fail.
    let mut line = |name: &str, value: String| {
        // What follows a line feed stays below the value, so that no reason passes for another fact.
        for (number, part) in value.split('\n').enumerate() {
            let part: String =
                part.chars().map(|c| if is_unseen(c) || c.is_control() { '\u{fffd}' } else { c }).collect();
            let _ = writeln!(text, "{:<15}{part}", if number == 0 { name } else { "" });
        }
    };
    state.reasons.iter().chain(&state.degraded).for_each(|why| line(&why.check, why.detail.clone()));
    let revision = &report["revision"];
    let source = revision["source"].as_str().or(report["config"].as_str()).unwrap_or("flags alone");
    let which = revision["revision"].as_str().or(revision["digest"].as_str());
    let which = which.map_or_else(String::new, |which| format!(" ({which})"));
    let kept =
        if revision["kept"] == true { ", the last good copy: its source is away or invalid" } else { "" };
    line("configuration", format!("{source}{which}{kept}"));
    let calls = list("plugin_calls");
    for plugin in list("plugins") {
        let calls = calls.iter().find(|its| its["plugin"] == plugin["plugin"]);
        line("plugin", plugin_text(&plugin, calls));
    }
    let http = &report["http_connections"];
    let of_http = |key: &str| http[key].as_array().cloned().unwrap_or_default();
    let open = of_http("listeners");
    for listener in list("listeners") {
        let its = open.iter().find(|its| its["listener"] == listener["listener"]);
        let connections = its.map_or_else(String::new, |its| match number(&its["open"]) {
            1 => "; 1 connection".to_owned(),
            open => format!("; {open} connections"),
        });
        let (name, address) = (words(&listener["listener"]), words(&listener["address"]));
        line("listener", format!("{name}: {address}{connections}"));
    }
    for certificate in list("certificates") {
        let ends =
            SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(number(&certificate["not_after_unix"])));
        let ends = ends.map(|ends| humantime::format_rfc3339_seconds(ends).to_string());
        let listener = words(&certificate["listener"]);
        line("certificate", format!("{listener}: until {}", ends.unwrap_or_default()));
    }
    let is_wrong = |root: &&Value| ["hung", "missing", "replaced"].iter().any(|key| root[*key] == true);
    for root in list("roots").iter().filter(|root| !is_wrong(root)) {
        let name = words(&root["root"]);
        let said = if number(&root["upload_bytes"]) >= 1 << 20 {
            let held = number(&root["upload_bytes"]) >> 20;
            format!("{name}: {held} MiB of uploads and {} operations wait for its disk", root["waiting"])
        } else if number(&root["waiting"]) > 0 {
            format!("{name}: {} operations wait for its disk", root["waiting"])
        } else {
            format!("{name}: answers")
        };
        line("root", said);
    }
    let is_wrong = |origin: &&Value| !origin["away_seconds"].is_null() || !origin["cache_error"].is_null();
    for origin in list("origins").iter().filter(|origin| !is_wrong(origin)) {
        // An older server has no word for the breaker.
        let is_closed = origin["breaker"].as_str().is_none_or(|breaker| breaker == "closed");
        let said = if is_closed { "answers" } else { "breaker open" };
        line("origin", format!("{}: {said}", words(&origin["root"])));
    }
    for sink in list("sinks") {
        let counts = ["delivered", "waiting", "retried", "refused", "dropped"];
        let counts = counts.iter().filter(|key| number(&sink[**key]) > 0);
        let all: Vec<String> = counts.map(|key| format!("{} {key}", sink[*key])).collect();
        let all = if all.is_empty() { "no line yet".to_owned() } else { all.join(", ") };
        line("sink", format!("{}: {all}", words(&sink["sink"])));
    }
    // An older server sends no numbers.
    if report["running"].is_u64() {
        let half_open = match number(&report["half_open"]) {
            0 => String::new(),
            count => format!(" ({count} half-open)"),
        };
        let running = format!("{} running{half_open}", report["running"]);
        line("transfers", format!("{running}, {} waiting for a decision", report["pending"]));
        let ended = list("last_minute");
        let ended: Vec<String> =
            ended.iter().map(|its| format!("{} {}", its["count"], words(&its["outcome"]))).collect();
        let ended = if ended.is_empty() { "nothing ended".to_owned() } else { ended.join(", ") };
        line("last minute", ended);
    }
    for dropped in list("dropped") {
        let client = dropped["client"].as_str();
        let most =
            client.map(|client| format!("; in the last minute most of {client} ({})", dropped["of_client"]));
        let (requests, limit) = (&dropped["requests"], words(&dropped["limit"]));
        line(
            "dropped",
            format!("{requests} requests since the start at {limit}{}", most.unwrap_or_default()),
        );
    }
    for its in of_http("at_limits") {
        let (gave_way, refused) = (number(&its["gave_way"]), number(&its["refused"]));
        if gave_way + refused > 0 {
            let limit = words(&its["limit"]);
            line(
                "connections",
                format!(
                    "{gave_way} gave way to new ones and {refused} were refused since the start at {limit}"
                ),
            );
        }
    }
    let lacking = report["privileges"]["lacking"].as_array().cloned().unwrap_or_default();
    lacking.iter().for_each(|what| line("privileges", format!("not in force: {}", words(what))));
    text
}

/// Returns name, version, origin and digest of a plugin, and how its calls went.
fn plugin_text(plugin: &Value, calls: Option<&Value>) -> String {
    let word = |key: &str| plugin[key].as_str().filter(|word| !word.is_empty());
    let mut text = word("plugin").unwrap_or_default().to_owned();
    for part in ["version", "component"].into_iter().filter_map(word) {
        let _ = write!(text, " {part}");
    }
    if let Some(digest) = word("sha256") {
        let _ = write!(text, " sha256:{digest:.12}");
    }
    if plugin["verified"] == true {
        text += ", signature verified";
    }
    // An older server sends no numbers.
    let Some(calls) = calls else { return text };
    let count = calls["calls"].as_u64().unwrap_or_default();
    let failures = calls["failures"].as_array().map(Vec::as_slice).unwrap_or_default();
    let failed: u64 = failures.iter().filter_map(|failure| failure[1].as_u64()).sum();
    let _ = write!(text, "; {count} {}", if count == 1 { "call" } else { "calls" });
    if failed > 0 {
        let causes: Vec<String> = failures
            .iter()
            .map(|failure| format!("{} {}", failure[0].as_str().unwrap_or_default(), failure[1]))
            .collect();
        let share = 100.0 * failed as f64 / count.max(1) as f64;
        let _ = write!(text, ", {failed} failed ({share:.1} %): {}", causes.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_wrong_has_a_line() {
        let report = json!({
            "state": "not ready", "ready": false, "generation": 3, "since_unix": 0, "process": 812,
            "reasons": [
                { "check": "reload", "detail": "tuffet.yaml:3:5: unknown key `x`\nroot           boot: answers\u{1b}[2K" },
                { "check": "root", "detail": "`nfs` does not answer" },
            ],
            "degraded": [{ "check": "compilers", "detail": "they have ended" }],
            "listeners": [
                { "listener": "lan", "address": "192.0.2.1:69" },
                { "listener": "web", "address": "http://192.0.2.1:80" },
                { "listener": "tls", "address": "https://192.0.2.1:443" },
            ],
            "http_connections": {
                "limit": 1024,
                "listeners": [{ "listener": "web", "open": 12 }, { "listener": "tls", "open": 1 }],
                "at_limits": [
                    { "limit": "http.connections", "gave_way": 0, "refused": 0 },
                    { "limit": "http.connections-per-client", "gave_way": 80, "refused": 3 },
                ],
            },
            "certificates": [{ "listener": "web", "not_after_unix": 1796083200 }],
            "running": 7, "half_open": 2, "pending": 1,
            "last_minute": [{ "outcome": "served", "count": 40 }, { "outcome": "timed-out", "count": 2 }],
            "dropped": [
                { "limit": "limits.per-second", "requests": 5 },
                { "limit": "limits.per-client.per-second", "requests": 90, "client": "192.0.2.7", "of_client": 80 },
            ],
            "refused": ["tuffet.yaml:3:5: unknown key `x`"], "config": "/etc/tuffet/tuffet.yaml",
            "revision": { "source": null, "digest": "a1b2", "kept": false },
            "plugins": [
                { "plugin": "acl", "version": "0.2.0", "component": "builtin:acl", "sha256": "0123456789abcdef" },
                { "plugin": "ztp", "version": "", "component": "oci://r/ztp:1", "sha256": "f".repeat(64), "verified": true },
            ],
            "plugin_calls": [
                { "plugin": "acl", "calls": 1200, "failures": [] },
                { "plugin": "ztp", "calls": 40, "failures": [["time", 2], ["trap", 1]] },
            ],
            "roots": [
                { "root": "boot", "running": 0, "waiting": 0, "hung": false, "replaced": false },
                { "root": "nfs", "running": 1, "waiting": 4, "hung": true, "replaced": false },
            ],
            "origins": [
                { "root": "a", "breaker": "closed" },
                { "root": "b", "breaker": "open" },
                { "root": "c", "breaker": "open", "away_seconds": 9, "why": "refused" },
            ],
            "sinks": [{ "sink": "out", "delivered": 12, "dropped": 0, "broken": true }],
            "compilers": false,
            "privileges": { "lacking": ["landlock"] },
        });
        let said = text(&report);
        let (first, rest) = said.split_once('\n').unwrap();
        assert!(first.starts_with("process 812: not ready; generation 3 for "), "{first}");
        assert_eq!(
            rest,
            "reload         tuffet.yaml:3:5: unknown key `x`\n               root           boot: \
             answers\u{fffd}[2K\n\
             root           `nfs` does not answer\n\
             compilers      they have ended\n\
             configuration  /etc/tuffet/tuffet.yaml (a1b2)\n\
             plugin         acl 0.2.0 builtin:acl sha256:0123456789ab; 1200 calls\n\
             plugin         ztp oci://r/ztp:1 sha256:ffffffffffff, signature verified; 40 calls, 3 failed (7.5 %): time 2, trap 1\n\
             listener       lan: 192.0.2.1:69\n\
             listener       web: http://192.0.2.1:80; 12 connections\n\
             listener       tls: https://192.0.2.1:443; 1 connection\n\
             certificate    web: until 2026-12-01T00:00:00Z\n\
             root           boot: answers\n\
             origin         a: answers\n\
             origin         b: breaker open\n\
             sink           out: 12 delivered\n\
             transfers      7 running (2 half-open), 1 waiting for a decision\n\
             last minute    40 served, 2 timed-out\n\
             dropped        5 requests since the start at limits.per-second\n\
             dropped        90 requests since the start at limits.per-client.per-second; in the last minute most of 192.0.2.7 (80)\n\
             connections    80 gave way to new ones and 3 were refused since the start at http.connections-per-client\n\
             privileges     not in force: landlock\n"
        );
    }
}
