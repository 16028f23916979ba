//! `tuffet status` for people: what runs, and what is wrong.

use serde_json::Value;
use std::fmt::Write as _;
use std::time::{Duration, SystemTime};
use tuffet_terminal::is_unseen;

/// Formats the report of a server, as its JSON. Lines about what is well say little; what is wrong has a line each.
pub(super) fn text(report: &Value) -> String {
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    let words = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = |key: &str| report[key].as_array().cloned().unwrap_or_default();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let age = now.saturating_sub(number(&report["since_unix"]));
    let state = if report["ready"] == true { "ready" } else { "the last reload was refused" };
    let mut text = format!(
        "process {}: {state}; generation {} for {}\n",
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
    list("refused").iter().for_each(|reason| line("refused", words(reason)));
    let revision = &report["revision"];
    let source = revision["source"].as_str().or(report["config"].as_str()).unwrap_or("flags alone");
    let which = revision["revision"].as_str().or(revision["digest"].as_str());
    let which = which.map_or_else(String::new, |which| format!(" ({which})"));
    let kept =
        if revision["kept"] == true { ", the last good copy: its source is away or invalid" } else { "" };
    line("configuration", format!("{source}{which}{kept}"));
    let plugins: Vec<String> = list("plugins")
        .iter()
        .map(|plugin| {
            format!("{} {}", words(&plugin["plugin"]), words(&plugin["version"])).trim_end().to_owned()
        })
        .collect();
    if !plugins.is_empty() {
        line("plugins", plugins.join(", "));
    }
    for root in list("roots") {
        let name = words(&root["root"]);
        let said = if root["hung"] == true {
            let waits = words(&root["waits_for"]);
            format!("{name}: does not answer for {} s ({waits})", number(&root["hung_seconds"]))
        } else if root["missing"] == true {
            format!("{name}: its folder does not exist yet")
        } else if root["replaced"] == true {
            format!("{name}: its path leads to another folder than the served one; reload")
        } else if number(&root["upload_bytes"]) >= 1 << 20 {
            let held = number(&root["upload_bytes"]) >> 20;
            format!("{name}: {held} MiB of uploads and {} operations wait for its disk", root["waiting"])
        } else if number(&root["waiting"]) > 0 {
            format!("{name}: {} operations wait for its disk", root["waiting"])
        } else {
            format!("{name}: answers")
        };
        line("root", said);
    }
    for origin in list("origins") {
        let name = words(&origin["root"]);
        // An older server has no word for the breaker.
        let is_closed = origin["breaker"].as_str().is_none_or(|breaker| breaker == "closed");
        let said = match origin["away_seconds"].as_u64() {
            Some(away) => format!("does not answer for {away} s: {}", words(&origin["why"])),
            None if is_closed => "answers".into(),
            None => "breaker open".into(),
        };
        let cache = origin["cache_error"].as_str();
        let cache = cache.map_or_else(String::new, |error| format!("; its cache cannot be used: {error}"));
        line("origin", format!("{name}: {said}{cache}"));
    }
    for sink in list("sinks") {
        let counts = ["delivered", "waiting", "retried", "refused", "dropped"];
        let counts = counts.iter().filter(|key| number(&sink[**key]) > 0);
        let counts: Vec<String> = counts.map(|key| format!("{} {key}", sink[*key])).collect();
        let broken = if sink["broken"] == true { "the last delivery failed" } else { "" };
        let all: Vec<String> =
            counts.into_iter().chain((!broken.is_empty()).then(|| broken.to_owned())).collect();
        let all = if all.is_empty() { "no line yet".to_owned() } else { all.join(", ") };
        line("sink", format!("{}: {all}", words(&sink["sink"])));
    }
    for (list, what) in [(list("interfaces"), "interface"), (list("addresses"), "address")] {
        for its in list.iter().filter(|its| its["state"] != "present") {
            line(
                what,
                format!("{} of {}: {}", words(&its[what]), words(&its["listener"]), words(&its["state"])),
            );
        }
    }
    let kv = &report["kv"];
    if let Some(away) = kv["away_seconds"].as_u64() {
        line("keys", format!("{}: away for {away} s: {}", words(&kv["bucket"]), words(&kv["error"])));
    }
    if report["compilers"] == false {
        line("compilers", "cannot be started; restart the server to load plugins that are new".into());
    }
    let lacking = report["privileges"]["lacking"].as_array().cloned().unwrap_or_default();
    lacking.iter().for_each(|what| line("privileges", format!("not in force: {}", words(what))));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_wrong_has_a_line() {
        let report = json!({
            "ready": false, "generation": 3, "since_unix": 0, "process": 812,
            "refused": ["tuffet.yaml:3:5: unknown key `x`\nroot           boot: answers\u{1b}[2K"], "config": "/etc/tuffet/tuffet.yaml",
            "revision": { "source": null, "digest": "a1b2", "kept": false },
            "plugins": [{ "plugin": "acl", "version": "0.2.0" }],
            "roots": [
                { "root": "boot", "running": 0, "waiting": 0, "hung": false, "replaced": false },
                { "root": "nfs", "running": 1, "waiting": 4, "hung": true, "replaced": false,
                  "waits_for": "open", "hung_seconds": 7 },
                { "root": "usb", "running": 0, "waiting": 0, "hung": false, "replaced": false, "missing": true },
            ],
            "interfaces": [
                { "listener": "lan", "interface": "eth0", "state": "present" },
                { "listener": "lab", "interface": "eth1", "state": "absent" },
            ],
            "addresses": [{ "listener": "vip", "address": "192.0.2.9:69", "state": "gone" }],
            "origins": [
                { "root": "a", "breaker": "closed" },
                { "root": "b", "breaker": "open" },
                { "root": "c", "breaker": "half-open", "cache_error": "read-only" },
                { "root": "d", "breaker": "open", "away_seconds": 9, "why": "refused", "cache_error": "full" },
            ],
            "sinks": [{ "sink": "out", "delivered": 12, "dropped": 0, "broken": true }],
            "compilers": false,
            "privileges": { "lacking": ["landlock"] },
        });
        let said = text(&report);
        let (first, rest) = said.split_once('\n').unwrap();
        assert!(first.starts_with("process 812: the last reload was refused; generation 3 for "), "{first}");
        assert_eq!(
            rest,
            "refused        tuffet.yaml:3:5: unknown key `x`\n               root           boot: \
             answers\u{fffd}[2K\n\
             configuration  /etc/tuffet/tuffet.yaml (a1b2)\n\
             plugins        acl 0.2.0\n\
             root           boot: answers\n\
             root           nfs: does not answer for 7 s (open)\n\
             root           usb: its folder does not exist yet\n\
             origin         a: answers\n\
             origin         b: breaker open\n\
             origin         c: breaker open; its cache cannot be used: read-only\n\
             origin         d: does not answer for 9 s: refused; its cache cannot be used: full\n\
             sink           out: 12 delivered, the last delivery failed\n\
             interface      eth1 of lab: absent\n\
             address        192.0.2.9:69 of vip: gone\n\
             compilers      cannot be started; restart the server to load plugins that are new\n\
             privileges     not in force: landlock\n"
        );
    }
}
