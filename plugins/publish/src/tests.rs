use serde_json::{Value, json};
use tuffet_sdk::testing::{self, put_response, take_emitted};
use tuffet_sdk::{
    DecidedRequest, Event, EventKind, Observe, Operation, OtherEvent, Plugin, Progress, Request, Resolved,
    Summary, Target, http, outcome, parse,
};

use crate::Publish;

fn publish(settings: Value) -> Publish {
    let made = parse(&settings.to_string()).and_then(Publish::configure);
    made.unwrap_or_else(|problems| unreachable!("{problems:?}"))
}

fn problems(settings: Value) -> Vec<String> {
    let problems = parse(&settings.to_string()).and_then(Publish::configure).err().unwrap().into_vec();
    problems.iter().map(|problem| format!("{}: {}", problem.pointer, problem.message)).collect()
}

fn request() -> Request {
    let mut request = Request { id: "7".into(), listener: "lan".into(), ..testing::request("a") };
    (request.client.port, request.client.class) = (2000, "ipxe".into());
    request
}

/// The events of a transfer, and one of a later server.
fn transfer(request: Request) -> [Event; 4] {
    let started = DecidedRequest {
        request,
        resolved: Some(Resolved::File(Target::new("boot", "a"))),
        decided_by: Some("acl".into()),
        size: Some(9),
        decision_us: Some(2),
    };
    let progress = Progress { request_id: "7".into(), transferred: 4, size: Some(9) };
    let summary = Summary {
        decided: DecidedRequest { decided_by: None, ..started.clone() },
        outcome: outcome::TIMED_OUT.into(),
        detail: Some("silent".into()),
        plugin_calls: 1,
        blksize: 1408,
        windowsize: 4,
        transferred: 8,
        retransmissions: 2,
        timeouts: 3,
        first_block_us: Some(5),
        duration_us: 11,
        ..testing::summary(started.request.clone())
    };
    let other = OtherEvent { kind: "later".into(), request_id: None, attributes: vec![] };
    let kinds = [
        EventKind::Started(started),
        EventKind::Progressed(progress),
        EventKind::Finished(summary),
        EventKind::Other(other),
    ];
    let mut sequence = 0;
    kinds.map(|kind| {
        sequence += 1;
        Event { sequence, unix_ms: sequence, kind }
    })
}

fn emitted() -> Vec<Value> {
    take_emitted("bus").iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn all_events_of_a_transfer() {
    let mut request = request();
    testing::add_mac(&mut request, "02:00:5e:10:00:01");
    publish(json!({ "sink": "bus", "topic": "site/7" })).observe(&transfer(request));
    let who = json!({ "listener": "lan", "address": "192.0.2.1", "port": 2000, "operation": "read", "path": "a",
        "macs": [{ "address": "02:00:5e:10:00:01", "source": "neighbour-table" }], "class": "ipxe", "topic": "site/7", "id": "7" });
    let with = |mut more: Value| {
        let all = more.as_object_mut().unwrap();
        all.extend(who.as_object().unwrap().clone());
        more
    };
    let expected = [
        with(
            json!({ "event": "started", "unix_ms": 1, "resolved": "boot:a", "verdict_by": "acl", "size": 9 }),
        ),
        json!({ "topic": "site/7", "event": "progressed", "unix_ms": 2, "id": "7", "bytes": 4, "size": 9 }),
        with(
            json!({ "event": "finished", "unix_ms": 3, "resolved": "boot:a", "bytes": 8, "outcome": "timed-out",
            "detail": "silent", "decision": "granted", "size": 9, "blksize": 1408, "windowsize": 4, "blocks": 1,
            "decision_us": 2, "first_block_us": 5, "duration_us": 11, "retransmissions": 2, "duplicates": 0,
            "timeouts": 3 }),
        ),
    ];
    assert_eq!(emitted(), expected);
}

/// Receivers may compare lines.
#[test]
fn keys_keep_their_order() {
    publish(json!({ "sink": "bus" })).observe(&transfer(request()));
    let lines = take_emitted("bus");
    assert!(lines[0].starts_with(r#"{"topic":"tuffet","event":"started","unix_ms":"#), "{}", lines[0]);
}

#[test]
fn only_the_events_that_are_wanted() {
    publish(json!({ "sink": "bus", "events": ["finished", "started"] })).observe(&transfer(request()));
    let events: Vec<Value> = emitted().iter().map(|event| event["event"].clone()).collect();
    assert_eq!(events, ["started", "finished"]);
    publish(json!({ "sink": "bus", "events": ["progressed"] })).observe(&transfer(request())[..1]);
    assert!(emitted().is_empty());
}

/// The stand-in denies a URL without a response; the call of `observe` succeeds either way.
#[test]
fn a_server_that_fails_costs_no_call() {
    let url = "http://192.0.2.9/events";
    let publish = publish(json!({ "url": url }));
    publish.observe(&transfer(request()));
    for status in [204, 500] {
        put_response(url, http::Response { status, ..http::Response::default() });
        publish.observe(&transfer(request()));
    }
    assert!(emitted().is_empty());
}

#[test]
fn a_message_fits_a_sink_whatever_a_client_asks() {
    let mut request = request();
    request.path = "\u{1}é".repeat(40_000);
    publish(json!({ "sink": "bus" })).observe(&transfer(request));
    assert!(take_emitted("bus").iter().all(|line| line.len() < 32 << 10));
}

/// The end of an upload, with this outcome.
fn upload(path: &str, outcome: &str) -> [Event; 1] {
    let request = Request { path: path.into(), operation: Operation::Write, ..request() };
    let [_, _, mut end, _] = transfer(request);
    if let EventKind::Finished(summary) = &mut end.kind {
        summary.outcome = outcome.into();
    }
    [end]
}

#[test]
fn stored_uploads_alone() {
    let uploads = publish(json!({ "sink": "bus", "events": ["uploaded"] }));
    uploads.observe(&upload("a", outcome::STORED));
    uploads.observe(&upload("b", outcome::DENIED));
    uploads.observe(&transfer(request()));
    let events = emitted();
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!((&events[0]["event"], &events[0]["path"]), (&json!("uploaded"), &json!("a")));
    publish(json!({ "sink": "bus" })).observe(&upload("a", outcome::STORED));
    let events: Vec<Value> = emitted().iter().map(|event| event["event"].clone()).collect();
    assert_eq!(events, ["finished"], "nobody has asked for `uploaded`");
}

#[test]
fn a_template_forms_events() {
    let template = json!({ "text": "{path} of {address}: {bytes} bytes {{stored}}{detail}",
        "bytes": "{bytes}", "who": ["{macs}", 5, true, null], "rtt": "{rtt_us}", "rest": { "{path}": "}}" } });
    let publish = publish(json!({ "sink": "bus", "events": ["uploaded"], "template": template }));
    publish.observe(&upload("a\"}\n", outcome::STORED));
    let expected = json!({ "text": "a\"}\n of 192.0.2.1: 8 bytes {stored}silent", "bytes": 8,
        "who": [null, 5, true, null], "rtt": null, "rest": { "{path}": "}" } });
    assert_eq!(emitted(), [expected]);
}

#[test]
fn a_filled_template_fits_a_sink_whatever_a_client_asks() {
    let template = json!({ "all": "{path}".repeat(16), "rest": "\u{1}".repeat(600) });
    let publish = publish(json!({ "sink": "bus", "events": ["uploaded"], "template": template }));
    publish.observe(&upload(&"\u{1}".repeat(40_000), outcome::STORED));
    let lines = take_emitted("bus");
    assert!(lines.len() == 1 && lines[0].len() > 16_000 && lines[0].len() < 32 << 10);
}

#[test]
fn bad_templates() {
    for (template, complaint) in [
        (json!({ "a": ["{nothing}"] }), "/template/a/0: events have no field \"nothing\""),
        (json!("{path"), "/template: a brace is alone"),
        (json!("path}"), "/template: a brace is alone"),
        (json!("{path}".repeat(17)), "/template: it names 17 fields"),
        (json!("x".repeat(4095)), "/template: it has 4097 bytes"),
    ] {
        let found = problems(json!({ "sink": "bus", "template": template }));
        assert!(found.len() == 1 && found[0].starts_with(complaint), "{found:?}");
    }
}

#[test]
fn bad_settings() {
    assert!(problems(json!({}))[0].starts_with(": the events go nowhere"));
    let found = problems(json!({ "sink": "a", "url": "b", "events": [], "topic": "x".repeat(201) }));
    let starts = ["/url: the events go to one place", "/events: an empty list", "/topic: it has 201 bytes"];
    assert_eq!(found.len(), starts.len(), "{found:?}");
    for (problem, start) in found.iter().zip(starts) {
        assert!(problem.starts_with(start), "{problem:?} should start with {start:?}");
    }
    assert!(problems(json!({ "sink": "" }))[0].starts_with("/sink: write the name"));
    for url in ["bus", "http://", "http:///a", "ftp://a"] {
        assert!(problems(json!({ "url": url }))[0].starts_with("/url: "), "{url}");
    }
    assert!(problems(json!({ "sink": "a", "events": ["ended"] }))[0].starts_with("/events/0: unknown"));
}
