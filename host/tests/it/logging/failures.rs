//! A plugin that failed: one warning, which says why.

use super::form::Spoken;
use crate::harness::{Answer, Peer, Setup, ack, rrq};
use crate::policy::misbehave;
use serde_json::Value;

/// A plugin that fails for `trap/…`, with these keys beside.
fn policy(keys: &str) -> String {
    let component = misbehave();
    format!(
        "policy: {{ authorize: [bad], time-limit: 1m }}\nplugins: {{ bad: {{ component: \"{component}\", {keys} limits: {{ \
         wall: 1m, time: 1m }}, settings: {{ do: trap, when: \"trap/**\" }} }} }}\n"
    )
}

/// What the server logs about a request for `trap/x`, and what answers it.
fn logged(keys: &str, log: &str) -> (Answer, Vec<Value>) {
    let setup = Setup::new().file("trap/x", b"x").rest_of_yaml(&policy(keys));
    let server = setup.flag(&format!("--log={log}")).start();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("trap/x", &[]));
    let answer = peer.receive();
    if let Answer::Data(..) = answer {
        peer.send(&ack(1));
        // The call of a monitored plugin may end later than the transfer.
        server.wait_for_log("a plugin failed");
    }
    server.terminate();
    assert_eq!(server.wait().code(), Some(0));
    let is_about_it = |line: &Value| {
        line["message"] == "transfer"
            || line["message"].as_str().is_some_and(|it| it.starts_with("a plugin failed"))
    };
    (answer, server.unread().into_iter().filter(is_about_it).collect())
}

#[track_caller]
fn assert_says_why(line: &Value, level: &str) {
    assert_eq!(
        (&line["level"], &line["plugin"], &line["hook"]),
        (&level.into(), &"bad".into(), &"authorize".into())
    );
    assert_eq!(line["cause"], "trap", "{line:#}");
    let message = line["message"].as_str().unwrap();
    assert!(message.starts_with("a plugin failed: ") && message.contains("trapped as asked"), "{line:#}");
}

#[test]
fn the_line_of_the_request_that_it_ends_is_the_warning() {
    let (answer, lines) = logged("", "info");
    assert_eq!(answer, Answer::Error(0, "policy failure".into()));
    let [request] = &lines[..] else { panic!("{lines:#?}") };
    assert_eq!((&request["level"], &request["outcome"]), (&"WARN".into(), &"denied".into()));
    assert_eq!(request["verdict_by"], "bad");
    let detail = request["detail"].as_str().unwrap();
    assert!(detail.starts_with("plugin bad failed in authorize: trap: "), "{request:#}");
    assert!(detail.contains("trapped as asked"), "{request:#}");

    // The fields of the failure.
    let (_, lines) = logged("", "info,tuffet::policy=debug");
    let [failure, request] = &lines[..] else { panic!("{lines:#?}") };
    assert_says_why(failure, "DEBUG");
    assert_eq!((&failure["request"], &failure["client"]), (&request["id"], &request["client"]));
}

#[test]
fn a_failure_that_ends_no_request_is_a_warning_itself() {
    for keys in ["on-error: abstain,", "mode: monitor,"] {
        let (answer, mut lines) = logged(keys, "info");
        assert_eq!(answer, Answer::Data(1, b"x".into()), "{keys}");
        lines.sort_by_key(|line| line["message"] == "transfer");
        let [failure, request] = &lines[..] else { panic!("{keys} {lines:#?}") };
        assert_says_why(failure, "WARN");
        assert_eq!((&request["level"], &request["outcome"]), (&"INFO".into(), &"served".into()));
    }
}

#[test]
fn so_is_one_whose_request_has_no_line_with_the_reason() {
    let (_, lines) = logged("", "info,tuffet::transfer=off");
    let [failure] = &lines[..] else { panic!("{lines:#?}") };
    assert_says_why(failure, "WARN");

    let yaml = format!("roots: [{{ name: boot, path: . }}]\n{}", policy(""));
    for (format, its_line) in [("tftp-hpa", "sending NAK (0, "), ("dnsmasq", "cannot access ")] {
        let server = Spoken::start_with(format, None, Some(&yaml));
        let mut peer = Peer::new(server.address);
        peer.ask(&rrq("trap/x", &[]));
        peer.expect_error(0);
        let failure = server.line("a plugin failed: ");
        assert!(
            failure.contains(" WARN tuffet::policy: a plugin failed: bad in authorize for 127."),
            "{failure}"
        );
        let request = server.line(its_line);
        assert!(!request.contains("failed in"), "{request}");
    }
}
