use serde_json::Value;
use sha2::{Digest, Sha256};
use tuffet_sdk::testing::{self, set_kv_calls, set_room, take_emitted};
use tuffet_sdk::{
    DecidedRequest, Event, EventKind, Mode, Observe, Plugin, Progress, Request, Resolved, Summary, Target,
    decision, kv, outcome, parse,
};

use crate::Audit;

fn audit(settings: &str) -> Audit {
    parse(settings).and_then(Audit::configure).unwrap_or_else(|problems| unreachable!("{problems:?}"))
}

fn problem(settings: &str) -> String {
    let problems = parse(settings).and_then(Audit::configure).err().unwrap().into_vec();
    problems.iter().map(|problem| format!("{}: {}", problem.pointer, problem.message)).collect()
}

fn finished(requested: &str, outcome: &str) -> Event {
    let mut request = Request {
        id: "7".into(),
        listener: "lan".into(),
        mode: Mode::Netascii,
        requested: requested.into(),
        ..testing::write_request("a")
    };
    (request.client.address, request.client.port) = ("2001:db8::1".into(), 2000);
    request.client.class = "ipxe".into();
    testing::add_mac(&mut request, "02:00:5e:10:00:01");
    let decided = DecidedRequest {
        request,
        resolved: Some(Resolved::File(Target::new("boot", "a"))),
        decided_by: Some("acl".into()),
        size: None,
        decision_us: None,
    };
    let summary = testing::summary(decided.request.clone());
    event(EventKind::Finished(Summary {
        decided,
        decision: decision::REFUSED.into(),
        outcome: outcome.into(),
        plugin_calls: 1,
        transferred: 3,
        first_block_us: Some(4),
        duration_us: 9,
        ..summary
    }))
}

fn event(kind: EventKind) -> Event {
    Event { sequence: 1, unix_ms: 1_700_000_000_000, kind }
}

#[test]
fn a_line_says_who_what_when_and_how_it_ended() {
    audit(r#"{"sink":"log"}"#).observe(&[finished("a\n\"é", outcome::DENIED)]);
    let lines = take_emitted("log");
    assert_eq!(lines.len(), 1);
    let (text, hash) = lines[0].split_once(r#","hash":""#).unwrap();
    assert_eq!(
        text,
        format!(
            r#"{{"seq":1,"previous":"{}","unix_ms":1700000000000,"id":"7","listener":"lan","client":"[2001:db8::1]:2000","macs":[{{"address":"02:00:5e:10:00:01","source":"neighbour-table"}}],"class":"ipxe","operation":"write","mode":"netascii","requested":"a\n\"é","path":"a","resolved":"boot:a","decision":"refused","verdict_by":"acl","outcome":"denied","detail":null,"bytes":3,"first_block_us":4,"duration_us":9"#,
            "0".repeat(64)
        )
    );
    let expected: String =
        Sha256::digest(format!("{text}}}")).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hash, format!("{expected}\"}}"));
}

#[test]
fn lines_are_chained_over_instances() {
    let progress = Progress { request_id: "7".into(), transferred: 1, size: None };
    let noise = event(EventKind::Progressed(progress));
    audit(r#"{"sink":"log"}"#).observe(&[finished("a", outcome::SERVED), noise.clone()]);
    audit(r#"{"sink":"log"}"#).observe(&[noise]);
    audit(r#"{"sink":"log"}"#).observe(&[finished("b", outcome::STORED), finished("c", outcome::NOT_FOUND)]);
    // Another sink has its own chain.
    audit(r#"{"sink":"other"}"#).observe(&[finished("d", outcome::FAILED)]);
    let lines: Vec<Value> =
        take_emitted("log").iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    for (at, line) in lines.iter().enumerate() {
        assert_eq!(line["seq"], at + 1);
        if at > 0 {
            assert_eq!(line["previous"], lines[at - 1]["hash"]);
        }
    }
    assert_eq!(lines[2]["outcome"], "not-found");
    assert!(take_emitted("other")[0].starts_with(r#"{"seq":1,"#));
}

#[test]
fn a_witness_sees_the_last_line_of_each_call() {
    let audit = audit(r#"{"sink":"log","witness":"far"}"#);
    audit.observe(&[finished("a", outcome::SERVED), finished("b", outcome::SERVED)]);
    let last: Value = serde_json::from_str(&take_emitted("log")[1]).unwrap();
    let seen: Value = serde_json::from_str(&take_emitted("far")[0]).unwrap();
    assert_eq!((&seen["seq"], &seen["hash"]), (&2.into(), &last["hash"]));
}

#[test]
fn what_was_lost_is_told_by_the_next_line() {
    let head = format!(r#"{{"seq":4,"hash":"{}","lost":2}}"#, "a".repeat(64));
    kv::set("head/log", head, None).unwrap();
    audit(r#"{"sink":"log"}"#).observe(&[finished("a", outcome::SERVED), finished("b", outcome::SERVED)]);
    let lines = take_emitted("log");
    assert!(lines[0].starts_with(r#"{"seq":5,"previous":"aaaa"#) && lines[0].contains(r#","lost":2,"#));
    assert!(lines[1].starts_with(r#"{"seq":6,"#) && !lines[1].contains("lost"));
}

/// The lines are written all the same, outside the chain.
#[test]
fn a_head_that_cannot_be_read_costs_the_chain_and_no_line() {
    kv::set("head/log", "nonsense", None).unwrap();
    audit(r#"{"sink":"log"}"#).observe(&[finished("a", outcome::SERVED)]);
    let lines = take_emitted("log");
    assert!(lines.len() == 1 && lines[0].starts_with(r#"{"unchained":"head/log: "#), "{lines:?}");
    assert!(lines[0].contains(r#""requested":"a""#) && !lines[0].contains("hash"), "{lines:?}");

    kv::delete("head/log").unwrap();
    // The head cannot be read; it can be read but not stored.
    for calls in [0, 1] {
        set_kv_calls(Some(calls));
        audit(r#"{"sink":"log"}"#).observe(&[finished("b", outcome::SERVED)]);
        let lines = take_emitted("log");
        assert!(lines.len() == 1 && lines[0].starts_with(r#"{"unchained":"as asked"#), "{lines:?}");
    }
    set_kv_calls(None);
    audit(r#"{"sink":"log"}"#).observe(&[finished("c", outcome::SERVED)]);
    assert!(take_emitted("log")[0].starts_with(r#"{"seq":1,"#));
}

/// The accepted lines, over calls of (requests, room in the sink) each.
fn over(calls: &[(usize, usize)]) -> Vec<Value> {
    let mut all = Vec::new();
    for (number, (requests, room)) in calls.iter().enumerate() {
        set_room("log", *room);
        let events: Vec<Event> =
            (0..*requests).map(|request| finished(&format!("{number}/{request}"), outcome::SERVED)).collect();
        audit(r#"{"sink":"log"}"#).observe(&events);
        all.extend(take_emitted("log"));
    }
    all.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn assert_chained(lines: &[Value], count: usize) {
    assert_eq!(lines.len(), count);
    for (at, line) in lines.iter().enumerate() {
        assert_eq!((&line["seq"], line.get("lost")), (&(at + 1).into(), None), "{line}");
        if at > 0 {
            assert_eq!(line["previous"], lines[at - 1]["hash"]);
        }
    }
}

#[test]
fn what_a_full_sink_does_not_take_is_kept_and_goes_out_first() {
    assert_chained(&over(&[(3, 3), (3, 2), (2, 0), (1, 1), (1, 100)]), 10);
}

#[test]
fn as_much_as_there_is_room_for_in_kv_is_kept_in_bundles() {
    let lines = over(&[(250, 7), (250, 0), (250, 3), (1, 1000), (1, 1000), (1, 1000), (1, 1000)]);
    assert_chained(&lines, 754);
    for number in 0..20 {
        assert_eq!(kv::get(&format!("kept/log/{number}")).unwrap(), None, "{number}");
    }
}

/// The room for kept lines is limited: the loss is reported, and the chain holds.
#[test]
fn what_nobody_takes_is_told_of() {
    set_room("log", 0);
    // The head is read and stored; the lines are not kept.
    set_kv_calls(Some(2));
    audit(r#"{"sink":"log"}"#).observe(&[finished("a", outcome::SERVED), finished("b", outcome::SERVED)]);
    set_kv_calls(None);
    set_room("log", 9);
    audit(r#"{"sink":"log"}"#).observe(&[finished("c", outcome::SERVED)]);
    let lines = take_emitted("log");
    // The loss of two lines could not be stored either: the gap reveals it.
    assert!(lines[0].starts_with(r#"{"seq":3,"#), "{lines:?}");
}

#[test]
fn a_line_fits_a_sink_whatever_a_client_asks() {
    audit(r#"{"sink":"log"}"#).observe(&[finished(&"\u{1}é".repeat(40_000), outcome::DENIED)]);
    assert!(take_emitted("log")[0].len() < 32 << 10);
}

#[test]
fn bad_settings() {
    assert!(problem("{}").starts_with(": missing field `sink`"));
    assert!(problem(r#"{"sink":""}"#).starts_with("/sink: write the name of a sink"));
    assert!(problem(r#"{"sink":"a","witness":"a"}"#).starts_with("/witness: a witness that lies"));
    assert!(problem(r#"{"sink":"a","file":"b"}"#).starts_with("/file: unknown"));
}
