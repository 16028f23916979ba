//! Lines that plugins write: their fields are fields.

use super::form::Spoken;
use crate::harness::{Peer, Setup, rrq};
use crate::policy::misbehave;
use crate::telemetry::fake_collector::{FakeCollector, Manner};

const MESSAGE: &str = "one line  [31mred";

const FORGED: &str = r#"["x"],"outcome":"served"#;

fn yaml(rest: &str) -> String {
    let component = misbehave();
    format!(
        "policy: {{ authorize: [chatty] }}\nplugins: {{ chatty: {{ component: \"{component}\", settings: {{ do: log-once }} }} \
         }}\n{rest}"
    )
}

#[test]
fn fields_of_a_plugin_stand_beside_those_of_the_server() {
    let collector = FakeCollector::start(Manner::Good);
    let telemetry = format!(
        "telemetry: {{ endpoint: \"{}\", metrics: {{ enabled: false }}, traces: {{ enabled: false }} }}\n",
        collector.endpoint()
    );
    let server = Setup::new().variable("NO_PROXY", "127.0.0.1").rest_of_yaml(&yaml(&telemetry)).start();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("missing", &[]));
    peer.receive();
    let (line, request) = (server.logged(MESSAGE), server.outcome("missing"));
    let expected = [
        ("level", "WARN"),
        ("target", "tuffet::plugin"),
        ("plugin", "chatty"),
        ("hook", "authorize"),
        ("request", request["id"].as_str().unwrap()),
        ("client", request["client"].as_str().unwrap()),
        ("colour", "r ed"),
        // A field of the server by this name would be an array.
        ("tried", FORGED),
    ];
    for (name, value) in expected {
        assert_eq!(line[name], value, "{name}: {line:#}");
    }
    assert!(line["timestamp"].as_str().is_some_and(|time| time.ends_with('Z')), "{line:#}");
    assert_eq!(
        line.as_object().unwrap().len(),
        expected.len() + 2,
        "nothing else than the message: {line:#}"
    );
    server.stop();
    let records = collector.log_records();
    let record = records.iter().find(|record| format!("{:?}", record.body).contains(MESSAGE)).unwrap();
    let attribute = record.attributes.iter().find(|attribute| attribute.key == "colour").unwrap();
    assert!(format!("{attribute:?}").contains("r ed"), "{attribute:?}");
}

#[test]
fn in_the_text_format_too() {
    let server =
        Spoken::start_with("text", None, Some(&format!("roots: [{{ name: boot, path: . }}]\n{}", yaml(""))));
    let mut peer = Peer::new(server.address);
    peer.ask(&rrq("missing", &[]));
    peer.receive();
    let line = server.line("tuffet::plugin");
    assert!(line.contains(" plugin=chatty hook=\"authorize\" request="), "{line}");
    assert!(line.contains(" client=127.") && line.contains(" colour=\"r ed\""), "{line}");
}
