//! A real OpenTelemetry collector, built by scripts/tools.sh, and the data that it received. `make test
//! SUITE=telemetry` builds it and runs this.

use super::received::{Span, from_json, json_attributes, list, trace};
use crate::harness::{Answer, Certificate, Peer, SOON, Setup, error, own_loopback, rrq};
use serde_json::Value;
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Instant;
use tempfile::TempDir;

pub struct Collector {
    child: Option<Child>,
    folder: TempDir,
    pub http: String,
    pub grpc: String,
    /// Its own certificate, and that of permitted clients.
    pub certificates: Option<(Certificate, Certificate)>,
}

impl Collector {
    pub fn start() -> Collector {
        Collector::prepare(false, false).run()
    }

    /// Starts one with TLS, optionally only for clients with a certificate.
    pub fn with_tls(of_clients: bool) -> Collector {
        Collector::prepare(true, of_clients).run()
    }

    /// Prepares its configuration, without starting it.
    fn prepare(tls: bool, of_clients: bool) -> Collector {
        let folder = TempDir::new().unwrap();
        let address = own_loopback();
        let (grpc, http) = (format!("{address}:4317"), format!("{address}:4318"));
        let certificates = tls.then(|| {
            let of = |word: &str| Certificate::of(folder.path(), word, &format!("IP:{address}"));
            of("its-").zip(of("client-")).expect("openssl makes certificates")
        });
        let tls = certificates.as_ref().map_or_else(String::new, |(its, client)| {
            let shown = if of_clients { client.certificate.to_str().unwrap() } else { "" };
            let (certificate, key) = (its.certificate.display(), its.key.display());
            format!(", tls: {{ cert_file: '{certificate}', key_file: '{key}', client_ca_file: '{shown}' }}")
        });
        let received = folder.path().join("received.jsonl");
        let config = format!(
            r#"
receivers: {{ otlp: {{ protocols: {{ grpc: {{ endpoint: "{grpc}"{tls} }}, http: {{ endpoint: "{http}"{tls} }} }} }} }}
exporters: {{ file: {{ path: "{}" }} }}
service:
  telemetry: {{ metrics: {{ level: none }}, logs: {{ level: fatal }} }}
  pipelines:
    traces: {{ receivers: [otlp], exporters: [file] }}
    metrics: {{ receivers: [otlp], exporters: [file] }}
    logs: {{ receivers: [otlp], exporters: [file] }}
"#,
            received.display()
        );
        std::fs::write(folder.path().join("collector.yaml"), config).unwrap();
        Collector { child: None, folder, http, grpc, certificates }
    }

    fn run(mut self) -> Collector {
        self.start_again();
        self
    }

    /// Starts it again on the same ports; the data received before remains.
    pub fn start_again(&mut self) {
        let program = std::env::var_os("TUFFET_COLLECTOR").expect("TUFFET_COLLECTOR names the collector");
        let mut command = Command::new(PathBuf::from(program));
        command.arg("--config").arg(self.folder.path().join("collector.yaml"));
        let child = self.child.insert(command.stdin(Stdio::null()).spawn().unwrap());
        let end = Instant::now() + SOON;
        for address in [&self.http, &self.grpc] {
            while TcpStream::connect(address).is_err() {
                let ended = child.try_wait().unwrap();
                assert!(ended.is_none() && Instant::now() < end, "the collector does not listen: {ended:?}");
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
        }
    }

    /// Kills it with SIGKILL.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Returns all lines so far. A request is answered after its line is written.
    pub fn received(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.folder.path().join("received.jsonl")).unwrap_or_default();
        // The last line may be incomplete if it was killed while writing.
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.kill();
    }
}

const REST: &str = r#"
policy: { authorize: [acl] }
plugins:
  acl:
    component: builtin:acl
    settings: { deny: [{ names: [secret] }] }
    limits: { time: 20s, wall: 40s }
transfer: { retransmit: { floor: 20ms, initial: 50ms, cap: 100ms, give-up: 400ms } }
"#;

#[test]
#[ignore = "make test SUITE=telemetry runs it"]
fn over_http() {
    let collector = Collector::start();
    receives_all(&collector, &format!("http://{}", collector.http), "http/protobuf", &[]);
}

#[test]
#[ignore = "make test SUITE=telemetry runs it"]
fn over_grpc() {
    let collector = Collector::start();
    receives_all(&collector, &format!("http://{}", collector.grpc), "grpc", &[]);
}

#[test]
#[ignore = "make test SUITE=telemetry runs it"]
fn over_http_with_tls() {
    let collector = Collector::with_tls(true);
    let address = collector.http.clone();
    with_tls(&collector, &format!("https://{address}"), "http/protobuf");
}

#[test]
#[ignore = "make test SUITE=telemetry runs it"]
fn over_grpc_with_tls() {
    let collector = Collector::with_tls(true);
    let address = collector.grpc.clone();
    with_tls(&collector, &format!("https://{address}"), "grpc");
}

/// With the certificates that the variables name, and with those of the system.
fn with_tls(collector: &Collector, endpoint: &str, protocol: &str) {
    let (its, client) = collector.certificates.as_ref().unwrap();
    let shown = |path: &std::path::Path| path.display().to_string();
    let (authority, certificate, key) =
        (shown(&its.certificate), shown(&client.certificate), shown(&client.key));
    let who = [
        ("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", certificate.as_str()),
        ("OTEL_EXPORTER_OTLP_CLIENT_KEY", key.as_str()),
    ];
    // Without mutual trust, neither side sends anything.
    let known = ("OTEL_EXPORTER_OTLP_CERTIFICATE", authority.as_str());
    for variables in [&[known][..], &who] {
        let server = variables
            .iter()
            .fold(server(endpoint, protocol), |setup, (name, value)| setup.variable(name, value))
            .start();
        assert_eq!(Peer::new(server.address()).read_plainly("served"), b"content");
        server.outcome("served");
        server.stop();
        assert!(server.log().contains("the collector does not accept data"), "{}", server.log());
    }
    assert_eq!(collector.received(), [] as [Value; 0]);
    receives_all(collector, endpoint, protocol, &[known, who[0], who[1]]);
    std::fs::remove_file(collector.folder.path().join("received.jsonl")).unwrap();
    receives_all(collector, endpoint, protocol, &[("SSL_CERT_FILE", &authority), who[0], who[1]]);
}

fn server(endpoint: &str, protocol: &str) -> Setup {
    Setup::new()
        .file("served", b"content")
        .file("probed", b"content")
        .file("secret", b"content")
        .file("abandoned", b"content")
        .variable("NO_PROXY", "127.0.0.0/8")
        .rest_of_yaml(&format!(
            "{REST}\ntelemetry: {{ endpoint: \"{endpoint}\", protocol: {protocol}, resource: {{ site: lab }} }}"
        ))
}

fn receives_all(collector: &Collector, endpoint: &str, protocol: &str, variables: &[(&str, &str)]) {
    let setup = server(endpoint, protocol);
    let server = variables.iter().fold(setup, |setup, (name, value)| setup.variable(name, value)).start();
    let peer = || Peer::new(server.address());
    let mut lines = std::collections::BTreeMap::new();
    assert_eq!(peer().read_plainly("served"), b"content");
    let mut prober = peer();
    prober.ask(&rrq("probed", &[("tsize", "0")]));
    prober.expect(Answer::Oack("tsize=7".into()));
    prober.send(&error(8, "size"));
    for (name, code) in [("secret", 2), ("missing", 1)] {
        let mut peer = peer();
        peer.ask(&rrq(name, &[]));
        peer.expect_error(code);
    }
    let mut silent = peer();
    silent.ask(&rrq("abandoned", &[]));
    for path in ["served", "probed", "secret", "missing", "abandoned"] {
        lines.insert(path, server.outcome(path));
    }
    server.stop();
    let received = collector.received();
    let spans: Vec<Span> = received.iter().flat_map(from_json).collect();
    for (path, outcome, status, children) in [
        ("served", "served", 0, &["tftp.authorize", "tftp.open", "tftp.negotiate"][..]),
        ("probed", "probed", 0, &["tftp.authorize", "tftp.open", "tftp.negotiate"]),
        ("secret", "denied", 0, &["tftp.authorize"]),
        ("missing", "not-found", 0, &["tftp.authorize", "tftp.open"]),
        ("abandoned", "timed-out", 2, &["tftp.authorize", "tftp.open", "tftp.negotiate"]),
    ] {
        let (root, its) = trace(&spans, path);
        let names: Vec<&str> = its.iter().map(|span| span.name.as_str()).collect();
        assert_eq!(
            (names.as_slice(), root.status, root.name.as_str()),
            (children, status, "tftp.read"),
            "{path}"
        );
        root.has(&[
            ("tftp.outcome", outcome),
            ("network.transport", "udp"),
            ("network.protocol.name", "tftp"),
            ("client.address", "127.0.0.1"),
            ("tftp.request.id", lines[path]["id"].as_str().unwrap()),
        ]);
        assert_eq!(lines[path]["trace_id"], root.trace, "{path}");
        let wrong = !["served", "probed"].contains(&path);
        assert_eq!(root.attributes.get("error.type").map(String::as_str), wrong.then_some(outcome));
        assert_eq!(
            (root.resource["service.name"].as_str(), root.resource["site"].as_str()),
            ("tuffet", "lab")
        );
    }
    metrics_say_the_same(&received);
    logs_say_the_same(&received, &spans);
    assert!(!server.log().contains("the collector does not take"), "{}", server.log());
}

/// The last export has the counters of the whole run.
fn metrics_say_the_same(received: &[Value]) {
    let exports: Vec<&Value> = received.iter().filter(|line| !line["resourceMetrics"].is_null()).collect();
    let last = list(exports.last().expect("metrics were sent"), "resourceMetrics");
    let all: Vec<&Value> = last
        .iter()
        .flat_map(|of_one| list(of_one, "scopeMetrics"))
        .flat_map(|scope| list(scope, "metrics"))
        .collect();
    let points = |name: &str, kind: &str| {
        let metric = all.iter().find(|metric| metric["name"] == name);
        list(&metric.unwrap_or_else(|| panic!("no {name}"))[kind], "dataPoints").to_vec()
    };
    let sum = |name: &str, labels: &[(&str, &str)]| {
        let is_it = |point: &&Value| {
            let its = json_attributes(point);
            labels.iter().all(|(label, word)| its.get(*label).is_some_and(|value| value == word))
        };
        let points = points(name, "sum");
        let point = points.iter().find(is_it).unwrap_or_else(|| panic!("no {name}{labels:?} in {points:#?}"));
        point["asInt"].as_str().unwrap().parse::<u64>().unwrap()
    };
    for outcome in ["served", "probed", "denied", "not-found", "timed-out"] {
        assert_eq!(
            sum("tuffet.transfers", &[("protocol", "tftp"), ("operation", "read"), ("outcome", outcome)]),
            1,
            "{outcome}"
        );
    }
    assert_eq!(sum("tuffet.transferred", &[("operation", "read")]), 7);
    assert_eq!(sum("tuffet.plugin.calls", &[("plugin", "acl")]), 5);
    let count = |name: &str| -> u64 {
        let points = points(name, "histogram");
        // A count of 0 is left out.
        points.iter().filter_map(|point| point["count"].as_str()).map(|it| it.parse::<u64>().unwrap()).sum()
    };
    assert_eq!(count("tuffet.transfer.duration"), 3, "served, probed and timed out");
    assert_eq!((count("tuffet.decision.duration"), count("tuffet.plugin.duration")), (5, 5));
    assert_eq!(points("tuffet.ready", "gauge")[0]["asInt"], "0", "the server stops");
}

/// There is a record for each request, with its trace.
fn logs_say_the_same(received: &[Value], spans: &[Span]) {
    let records: Vec<&Value> = received
        .iter()
        .flat_map(|line| list(line, "resourceLogs"))
        .flat_map(|of_one| list(of_one, "scopeLogs"))
        .flat_map(|scope| list(scope, "logRecords"))
        .collect();
    for (path, severity) in [
        ("served", "INFO"),
        ("probed", "INFO"),
        ("secret", "WARN"),
        ("missing", "WARN"),
        ("abandoned", "WARN"),
    ] {
        let of_path = |record: &&&Value| {
            json_attributes(record).get("path").is_some_and(|its| its == path)
                && record["body"]["stringValue"] == "transfer"
        };
        let record =
            records.iter().find(of_path).unwrap_or_else(|| panic!("no record of {path}: {records:#?}"));
        let (root, _) = trace(spans, path);
        assert_eq!(
            (&record["traceId"], &record["spanId"]),
            (&root.trace.as_str().into(), &root.id.as_str().into())
        );
        assert_eq!(record["severityText"], severity, "{path}");
        let its = json_attributes(record);
        assert_eq!(its["outcome"], root.attributes["tftp.outcome"]);
        assert_eq!(its["id"], root.attributes["tftp.request.id"]);
    }
}
