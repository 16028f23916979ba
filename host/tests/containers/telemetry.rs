//! A real OpenTelemetry collector beside the server, found by its name in their network.

use crate::harness::{Client, Setup, bytes, network, unique, until};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use tempfile::TempDir;
use testcontainers::core::Mount;
use testcontainers::runners::SyncRunner;
use testcontainers::{Container, GenericImage, ImageExt};

const CONFIGURATION: &str = r#"
receivers: { otlp: { protocols: { http: { endpoint: "0.0.0.0:4318" } } } }
exporters: { file: { path: /told/received.jsonl } }
service:
  telemetry: { metrics: { level: none }, logs: { level: fatal } }
  pipelines:
    traces: { receivers: [otlp], exporters: [file] }
    metrics: { receivers: [otlp], exporters: [file] }
    logs: { receivers: [otlp], exporters: [file] }
"#;

fn collector(network: &str, name: &str, folder: &TempDir) -> Option<Container<GenericImage>> {
    let program = std::env::var("TUFFET_COLLECTOR").ok().filter(|program| !program.is_empty())?;
    fs::write(folder.path().join("collector.yaml"), CONFIGURATION).unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).unwrap();
    let image = GenericImage::new("tuffet-base", "bookworm")
        .with_entrypoint("/otelcol")
        .with_cmd(["--config", "/told/collector.yaml"])
        .with_container_name(name)
        .with_network(network)
        .with_user("65532")
        .with_mount(Mount::bind_mount(program, "/otelcol"))
        .with_mount(Mount::bind_mount(folder.path().to_str().unwrap(), "/told"));
    Some(image.start().unwrap_or_else(|error| panic!("{error}")))
}

#[test]
fn a_collector_is_told_what_happened() {
    let (network, name, folder) = (network(), unique("collector"), TempDir::new().unwrap());
    let Some(_collector) = collector(&network, &name, &folder) else {
        eprintln!("skipped: no collector was built, so none is told anything");
        return;
    };
    let client = Client::start(&network);
    // Any answer will do.
    let endpoint = format!("http://{name}:4318");
    until("the collector listens", || client.run(&["curl", "--silent", &endpoint]).is_good());
    let server = Setup::new()
        .sizes(&[5_000])
        .single_port()
        .variable("OTEL_EXPORTER_OTLP_ENDPOINT", &endpoint)
        .variable("OTEL_SERVICE_NAME", "in-a-container")
        .start(&network);
    let url = format!("tftp://{}/5000", server.address().ip());
    assert_eq!(client.run(&["curl", "--silent", &url]).good(), bytes(5_000));
    let outcome = server.outcome("5000");
    let id = outcome["trace_id"].as_str().unwrap_or_else(|| panic!("no trace: {outcome}"));
    // What is left is sent before it ends.
    server.stop();
    let told = fs::read_to_string(folder.path().join("received.jsonl")).unwrap();
    let lines = |kind: &str| told.lines().filter(|line| line.contains(kind)).collect::<Vec<_>>().join("\n");
    assert!(told.contains("in-a-container"), "{told}");
    for (kind, words) in [
        ("resourceSpans", ["tftp.read", id]),
        ("resourceMetrics", ["tuffet.transfers", "served"]),
        ("resourceLogs", ["served", id]),
    ] {
        for word in words {
            assert!(lines(kind).contains(word), "no {word} in {kind}: {told}");
        }
    }
}
