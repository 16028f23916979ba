//! Many lines: of one plugin, of refusals.

use crate::harness::{Answer, Flood, Peer, SOON, Server, Setup, rrq};
use crate::policy::misbehave;
use serde_json::Value;
use std::time::{Duration, Instant};

/// Each call has all the time that a busy machine takes: one that exceeds its limits has another line, or none.
const LONG: &str = "limits: { wall: 1m, time: 1m }";

const REFUSED: &str = "refused and aborted requests, summed up";

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
            "policy: {{ authorize: [chatty], time-limit: 1m }}\nplugins: {{ chatty: {{ component: \"{component}\", {LONG}, \
             settings: {{ do: count }} }} }}\n"
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
    let sums = of(&lines, "log lines of a plugin were suppressed");
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
            "policy: {{ authorize: [bad], time-limit: 1m }}\nplugins: {{ bad: {{ component: \"{component}\", {LONG}, settings: \
             {{ do: count }}, mode: monitor }} }}\n"
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
        (of(&lines, "monitored").len() as u64, of(&lines, "log lines about a plugin were suppressed"));
    assert!(written <= most, "{written} lines");
    assert_eq!(written + sum(&sums, "lines"), CALLS);
}

/// As by floods of half-open transfers: few lines for many, which are all counted and all told to observers.
#[test]
fn refusals_of_made_up_names_are_summed_up() {
    let server = Setup::new()
        .rest_of_yaml(
            "policy: { observe: [audit] }\nplugins: { audit: { component: \"builtin:audit\", settings: { sink: lines }, \
             grants: [kv, sinks/lines] } }\nsinks: { lines: { file: audit.jsonl } }\nstate: state\n",
        )
        .start();
    let flood = Flood::start(server.address(), rrq("made up outcome=served", &[]), 4_000, 1 << 20);
    server.live_until("a flood", |live| {
        live["totals"]["ended"].as_array().unwrap().iter().any(|it| it["count"].as_u64() > Some(8_000))
    });
    drop(flood);
    // Once it is over, each has a line again.
    let mut peer = Peer::new(server.address());
    let end = Instant::now() + SOON;
    while !server.log().contains(r#""path":"honest""#) {
        assert!(Instant::now() < end, "no line of its own");
        peer.ask(&rrq("honest", &[]));
        peer.receive_within(Duration::from_millis(500));
        std::thread::sleep(Duration::from_millis(50));
    }
    let lines = stopped(&server);
    let (single, sums) = (of(&lines, "transfer"), of(&lines, REFUSED));
    let counted = of(&lines, "totals")[0]["not_found"].as_u64().unwrap();
    assert!(counted > 8_000, "{counted}");
    assert_eq!(single.len() as u64 + sum(&sums, "not_found"), counted);
    assert!(single.len() as u64 <= counted / 4, "{} lines of {counted}", single.len());
    assert!(
        sums[0]["examples"].as_str().unwrap().contains(r#" "made up outcome=served": not-found"#),
        "{sums:?}"
    );
    for line in sums {
        assert_eq!(
            (&line["denied"], &line["failed"], &line["level"]),
            (&0.into(), &0.into(), &"WARN".into())
        );
    }
    let audited = String::from_utf8(server.outside().read("audit.jsonl")).unwrap();
    // An observer gets each event at least once.
    assert!(audited.lines().filter(|line| line.contains("not-found")).count() as u64 >= counted);
}
