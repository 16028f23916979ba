//! Metrics for Prometheus.

use super::exposition::Exposition;
use crate::harness::{Answer, Client, Options, Peer, Server, Setup, rrq};
use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};

/// Starts a server with every feature that has metrics.
fn server() -> Server {
    Setup::new()
        .file("a", b"content")
        .file("b", b"secret")
        .yaml(
            r#"
roots:
  - { name: boot, path: root }
  - { name: far, url: "http://127.0.0.1:9", private: true, cache: { path: cache } }
telemetry: { endpoint: "http://127.0.0.1:9", metrics: { enabled: false }, logs: false }
sinks: { bus: { udp: "127.0.0.1:9" } }
# Nobody listens there.
events: { nats: { servers: "nats://127.0.0.1:9", subject: site } }
profiles: [{ name: branch, clients: [192.0.2.0/24], total-rate: 1MB }]
policy: { authorize: [acl], observe: [publish] }
plugins:
  acl:
    component: builtin:acl
    # Otherwise the second request for a file is answered without a call.
    reuse: { calls: 1 }
    settings: { deny: [{ names: [b] }] }
    limits: { time: 20s, wall: 40s }
  publish:
    component: builtin:publish
    grants: [sinks/bus]
    settings: { sink: bus }
    limits: { time: 20s, wall: 40s }
"#,
        )
        .start()
}

const TFTP_SERVED: [(&str, &str); 3] = [("protocol", "tftp"), ("operation", "read"), ("outcome", "served")];

#[test]
fn every_scrape_is_well_formed_and_says_what_happened() {
    let server = server();
    let before = Exposition::read(&server.metrics());
    assert_eq!(before.value("tuffet_transfers_total", &TFTP_SERVED), 0.0);
    for _ in 0..2 {
        Client::Tuffet.get(server.address(), "a", Options::default());
    }
    for name in ["b", "missing"] {
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq(name, &[]));
        assert!(matches!(peer.receive(), Answer::Error(..)));
    }
    for _ in 0..4 {
        server.any_outcome();
    }
    // Observers are called after the log is written.
    server.live_until("a call of the observer", |live| {
        let plugins = live["totals"]["plugins"].as_array().unwrap();
        plugins.iter().any(|plugin| plugin["plugin"] == "publish" && plugin["calls"].as_u64() > Some(0))
    });
    let text = server.metrics();
    let read = Exposition::read(&text);
    for (outcome, count) in [("served", 2.0), ("denied", 1.0), ("not-found", 1.0), ("failed", 0.0)] {
        let labels = [("protocol", "tftp"), ("operation", "read"), ("outcome", outcome)];
        assert_eq!(read.value("tuffet_transfers_total", &labels), count, "{outcome}");
    }
    let reads = [("operation", "read")];
    assert_eq!(read.value("tuffet_transferred_bytes_total", &reads), 14.0);
    assert_eq!(read.value("tuffet_blocks_total", &reads), 2.0);
    assert_eq!(read.value("tuffet_transfer_duration_seconds_count", &reads), 2.0);
    assert_eq!(read.value("tuffet_decision_duration_seconds_count", &[]), 4.0);
    assert_eq!(read.value("tuffet_plugin_calls_total", &[("plugin", "acl")]), 4.0);
    let authorize = [("plugin", "acl"), ("hook", "authorize")];
    assert_eq!(read.value("tuffet_plugin_duration_seconds_count", &authorize), 4.0);
    assert_eq!(read.value("tuffet_sink_queue_length", &[("sink", "bus")]).fract(), 0.0);
    assert_eq!(read.value("tuffet_ready", &[]), 1.0);
    assert_eq!(read.value("tuffet_build_info", &[("version", env!("CARGO_PKG_VERSION"))]), 1.0);
    for word in ["127.", "missing\"", "content", "path="] {
        assert!(!text.contains(word), "{word}: neither clients nor files are labels");
    }
    documented(&read);
    drawn(&read);
    judged_by_promtool(&text);
}

/// Those that plugins make: `policy::own_metrics` has them.
pub const OWN: [&str; 3] =
    ["tuffet_plugin_counter_total", "tuffet_plugin_gauge", "tuffet_plugin_series_refused_total"];

/// Only a server that may have to compile plugins has it: `policy::compilers` reads it.
const OF_COMPILERS: &str = "tuffet_compilers_available";

/// Only a server with plugins that label requests has it: `policy::labels` reads it.
const OF_LABELS: &str = "tuffet_requests_labelled_total";

/// Only a server with HTTPS has it: `http` reads it.
const OF_CERTIFICATES: &str = "tuffet_certificate_end_time_seconds";

/// Only a server with listeners of HTTP has these: `http::attacks` reads them.
const OF_HTTP: &str = "tuffet_http_connections_";

/// Checks that docs/metrics.md lists exactly the existing metrics. Those of keys that servers share need a NATS server:
/// `nats::kv` has them.
fn documented(read: &Exposition) {
    let (of_keys, others): (Vec<String>, Vec<String>) =
        listed().into_iter().partition(|name| name.starts_with("tuffet_kv_"));
    let others: Vec<String> = others
        .into_iter()
        .filter(|name| {
            !OWN.contains(&&**name)
                && ![OF_COMPILERS, OF_LABELS, OF_CERTIFICATES].contains(&&**name)
                && !name.starts_with(OF_HTTP)
        })
        .collect();
    assert_eq!(others, Vec::from_iter(read.names().into_iter().filter(|name| *name != OF_COMPILERS)));
    assert!(!of_keys.is_empty());
}

/// The metrics that docs/metrics.md lists.
pub fn listed() -> BTreeSet<String> {
    let docs = include_str!("../../../../docs/metrics.md");
    let rows = docs.lines().filter(|line| line.starts_with("| `tuffet_") || line.starts_with("| `process_"));
    rows.filter_map(|row| row.split('`').nth(1))
        .map(|cell| cell.split('{').next().unwrap_or_default().to_owned())
        .collect()
}

/// Checks that the dashboard uses existing metrics.
fn drawn(read: &Exposition) {
    let dashboard = include_str!("../../../../examples/observability/grafana/tuffet.json");
    let dashboard: serde_json::Value = serde_json::from_str(dashboard).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let queries = panels.iter().flat_map(|panel| panel["targets"].as_array().unwrap());
    let mut metrics = 0;
    for query in queries {
        let query = query["expr"].as_str().unwrap();
        let words = query.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        for word in words.filter(|word| word.starts_with("tuffet_")) {
            let histogram = word
                .strip_suffix("_bucket")
                .filter(|name| read.kinds.get(*name).is_some_and(|kind| kind == "histogram"));
            assert!(histogram.is_some() || read.kinds.contains_key(word), "{word} in {query}");
            metrics += 1;
        }
    }
    assert!(metrics > 20, "{metrics} metrics are drawn");
}

/// Checks the text with Prometheus' own tool, if it is installed.
fn judged_by_promtool(text: &str) {
    if Command::new("promtool").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err()
    {
        return;
    }
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    std::io::Seek::rewind(&mut file).unwrap();
    let checked = Command::new("promtool").args(["check", "metrics"]).stdin(file).output().unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}
