//! The counters of a server that replaces another one.

use super::{Site, end, fetch};
use crate::harness::{tuffet, until};
use crate::telemetry::fake_collector::{FakeCollector, Manner};
use serde_json::Value;

fn command(site: &Site, words: &[&str]) -> String {
    let ran = tuffet([words, &["--config", site.yaml().to_str().unwrap()]].concat());
    String::from_utf8(ran.stdout).unwrap()
}

/// The value of a metric.
fn metric(site: &Site, name: &str) -> f64 {
    let metrics = command(site, &["status", "--metrics"]);
    let line = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {name}: {metrics}")).parse().unwrap()
}

const SERVED: &str = "tuffet_transfers_total{protocol=\"tftp\",operation=\"read\",outcome=\"served\"}";

#[track_caller]
fn counts(site: &Site, served: f64) {
    until("the metric counts it", || metric(site, SERVED), |count| *count == served);
}

/// They begin at zero, and count what ends in the server before, which nobody sees any more.
#[test]
fn what_ends_in_a_replaced_server_counts_in_the_next_one() {
    let site = Site::new("");
    let mut first = site.started(&[]);
    for _ in 0..3 {
        fetch(site.address).unwrap();
    }
    let (reader, last) = (site.begin(), site.begin());
    site.waits_for("transfer", 3);
    let second = site.started(&["--take-over"]);
    fetch(site.address).unwrap();
    counts(&site, 1.0);
    // While the old one goes on, and at its end.
    end(reader);
    counts(&site, 2.0);
    end(last);
    assert_eq!(first.0.wait().unwrap().code(), Some(0));
    counts(&site, 3.0);
    assert_eq!(metric(&site, "tuffet_transfer_duration_seconds_count{operation=\"read\"}"), 3.0);
    assert_eq!(metric(&site, "tuffet_blocks_total{operation=\"read\"}"), 6.0 + 2.0 * 10.0);
    let live: Value = serde_json::from_str(&command(&site, &["status", "--live"])).unwrap();
    let served = live["totals"]["ended"].as_array().unwrap().iter().find(|its| its["outcome"] == "served");
    assert_eq!(served.unwrap()["count"], 3);
    second.stop();
    let log = site.log();
    let totals = log.iter().filter(|line| line["message"] == "totals");
    let served: Vec<u64> = totals.map(|line| line["served"].as_u64().unwrap()).collect();
    assert_eq!(served, [5, 1], "each process has its own");
}

/// The server in the middle passes them on as long as it lives.
#[test]
fn counts_pass_through_several_servers() {
    let site = Site::new("");
    let first = site.started(&[]);
    let of_first = site.begin();
    let second = site.started(&["--take-over"]);
    let of_second = site.begin();
    let third = site.started(&["--take-over"]);
    counts(&site, 0.0);
    end(of_first);
    counts(&site, 1.0);
    end(of_second);
    counts(&site, 2.0);
    for mut replaced in [first, second] {
        assert_eq!(replaced.0.wait().unwrap().code(), Some(0));
    }
    third.stop();
}

/// Each process exports what it has counted itself.
#[test]
fn a_collector_gets_nothing_twice() {
    let collector = FakeCollector::start(Manner::Good);
    let telemetry =
        format!("telemetry: {{ endpoint: \"{}\", metrics: {{ interval: 1s }} }}\n", collector.endpoint());
    let site = Site::new(&telemetry);
    let mut first = site.started(&[]);
    let reader = site.begin();
    let second = site.started(&["--take-over"]);
    fetch(site.address).unwrap();
    end(reader);
    assert_eq!(first.0.wait().unwrap().code(), Some(0));
    counts(&site, 2.0);
    second.stop();
    let mut served: Vec<i64> = collector.served().into_values().collect();
    served.sort_unstable();
    assert_eq!(served, [1, 1]);
}
