//! Many lines of one plugin.

use crate::harness::{Answer, Peer, Server, Setup, rrq};
use crate::policy::misbehave;
use serde_json::Value;
use std::time::Instant;

fn stopped(server: &Server) -> Vec<Value> {
    server.terminate();
    assert_eq!(server.wait().code(), Some(0));
    server.unread()
}

fn of<'a>(lines: &'a [Value], message: &str) -> Vec<&'a Value> {
    lines.iter().filter(|line| line["message"].as_str().is_some_and(|it| it.starts_with(message))).collect()
}

fn sum(lines: &[&Value], field: &str) -> u64 {
    lines.iter().map(|line| line[field].as_u64().unwrap()).sum()
}

/// Each call of it logs 100 lines, of which a call may write 32.
#[test]
fn a_plugin_that_logs_a_lot_has_a_rate() {
    const CALLS: u64 = 200;
    let component = misbehave();
    let server = Setup::new()
        .rest_of_yaml(&format!(
            "policy: {{ authorize: [chatty] }}\nplugins: {{ chatty: {{ component: \"{component}\", settings: {{ do: count \
             }} }} }}\n"
        ))
        .start();
    let mut peer = Peer::new(server.address());
    let begun = Instant::now();
    for _ in 0..CALLS {
        peer.ask(&rrq("flood", &[]));
        peer.expect(Answer::Error(2, "counted".into()));
    }
    let lines = stopped(&server);
    let most = 500 + 100 * (begun.elapsed().as_secs() + 1);
    let own: Vec<&Value> = lines.iter().filter(|line| line["target"] == "tuffet::plugin").collect();
    let written = of(&lines, "line ").len() as u64;
    assert!((400..=most).contains(&written), "{written} lines");
    let sums = of(&lines, "log lines of a plugin were left out");
    assert!(own.len() as u64 <= most + sums.len() as u64, "{} lines", own.len());
    assert!(
        !sums.is_empty() && sums.iter().all(|line| line["plugin"] == "chatty" && line["level"] == "WARN")
    );
    // Nothing is missing: each line was written, or counted by one of the two.
    let of_calls =
        own.iter().filter_map(|line| line["message"].as_str()?.split_once(" log lines of one call"));
    let of_calls: u64 = of_calls.map(|(count, _)| count.parse::<u64>().unwrap()).sum();
    assert_eq!(written + of_calls + sum(&sums, "lines"), 100 * CALLS);
}

/// What fails says so by a rate of its own: the lines of the plugin itself do not hide it.
#[test]
fn a_plugin_that_fails_at_each_request_has_a_rate() {
    const CALLS: u64 = 1000;
    let component = misbehave();
    let server = Setup::new()
        .rest_of_yaml(&format!(
            "policy: {{ authorize: [bad] }}\nplugins: {{ bad: {{ component: \"{component}\", settings: {{ do: count }}, mode: \
             monitor }} }}\n"
        ))
        .start();
    let mut peer = Peer::new(server.address());
    let begun = Instant::now();
    for _ in 0..CALLS {
        peer.ask(&rrq("missing", &[]));
        peer.expect_error(1);
    }
    server.live_until("all calls", |live| {
        live["totals"]["plugins"][0]["monitored"].as_u64().is_some_and(|count| count == CALLS)
    });
    let lines = stopped(&server);
    let most = 500 + 100 * (begun.elapsed().as_secs() + 1);
    let (written, sums) =
        (of(&lines, "monitored").len() as u64, of(&lines, "log lines about a plugin were left out"));
    assert!(written <= most, "{written} lines");
    assert_eq!(written + sum(&sums, "lines"), CALLS);
}
