//! A service that is away, hangs, or lies.

use super::*;
use tempfile::TempDir;

#[test]
fn what_counts_without_an_answer() {
    let service = Service::new(|_| Said::Last(Vec::new()));
    let server = |when: &str| start(&service, RESOLVE, "", json!({ "when-away": when }));
    let drops = server("drop");
    let reason = dropped(&drops, &mut Peer::new(drops.address()), "there");
    assert!(reason.starts_with("no usable answer from http://127.0.0.1:"), "{reason}");
    drops.log_line("no usable answer from");
    assert_eq!(refused(&server("deny"), "there", 0), "the service that decides does not answer");
    assert_eq!(get(&server("abstain"), "there"), "in the root");
}

#[test]
fn the_last_answer_counts_for_its_time() {
    let service =
        Service::new(|_| answer("", &json!({ "answer": "serve", "candidates": [{ "text": "of before" }] })));
    let state = TempDir::new().unwrap();
    let yaml = yaml(&service, RESOLVE, "", json!({ "when-away": "last", "last-for": "1d" }));
    let yaml = yaml.replace("state: state", &format!("state: {:?}", state.path()));
    let yaml = format!("listeners: [{{ name: lan, address: \"127.0.0.1:0\" }}]\n{yaml}");
    let server = Setup::new().whole_yaml(1, &yaml).start();
    assert_eq!(get(&server, "a"), "of before");
    for manner in [|| status(503), || Said::Last(Vec::new()), || status(302)] {
        service.says(move |_| manner());
        assert_eq!(get(&server, "a"), "of before");
        let line = server.log_line("no usable answer from");
        let text = line["message"].as_str().unwrap();
        assert!(text.ends_with("; its last answer to this request counts"), "{text}");
        let reason = dropped(&server, &mut Peer::new(server.address()), "b");
        assert!(reason.starts_with("no usable answer from"), "{reason}");
        server.log_line("no usable answer from");
    }
    // A server that starts while the service is away has it, too.
    drop(server);
    assert_eq!(get(&Setup::new().whole_yaml(1, &yaml).start(), "a"), "of before");
}

#[test]
fn a_last_answer_is_gone_after_its_time() {
    let service = Service::new(|_| answer("", &json!({ "answer": "allow" })));
    let server = start(&service, RESOLVE, "", json!({ "when-away": "last", "last-for": "1s" }));
    assert_eq!(get(&server, "there"), "in the root");
    service.says(|_| status(503));
    // Until it is over: how long that takes does not matter.
    loop {
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq("there", &[]));
        let outcome = server.any_outcome();
        if outcome["decision"] == "dropped" {
            break;
        }
    }
}

/// Listed for both hooks, the plugin waits its time once: the limit of the chain has no room for twice.
#[test]
fn a_service_that_hangs_has_its_time_for_both_hooks_once() {
    let service = Service::new(|_| Said::Hang);
    let both = "authorize: [ask], resolve: [ask]";
    let yaml = yaml(&service, both, "", json!({ "when-away": "abstain", "time-limit": "1600ms" }));
    let yaml = yaml.replace("time-limit: 40s", "time-limit: 2900ms");
    let server = Setup::new().file("there", b"in the root").yaml(&yaml).start();
    assert_eq!(get(&server, "there"), "in the root");
}

/// A newer answer that has no room must not leave the older one to count.
#[test]
fn an_answer_without_room_replaces_the_previous_one() {
    let content = |text: &str| answer("", &json!({ "answer": "serve", "candidates": [{ "text": text }] }));
    let service = Service::new(move |_| content("of before"));
    let settings = json!({ "when-away": "last", "last-for": "1d" });
    let yaml = yaml(&service, RESOLVE, "", settings).replace("wall: 40s }", "wall: 40s, kv-bytes: 4KiB }");
    let server = Setup::new().yaml(&yaml).start();
    assert_eq!(get(&server, "a"), "of before");
    let long = "x".repeat(8000);
    let newer = long.clone();
    service.says(move |_| content(&newer));
    assert_eq!(get(&server, "a"), long);
    server.log_line("the answer was not kept for when the service is away");
    assert_eq!((&server.outcome("a")["bytes"], &server.outcome("a")["bytes"]), (&9.into(), &8000.into()));
    service.says(|_| status(503));
    dropped(&server, &mut Peer::new(server.address()), "a");
}

/// Each client waits for its own question, until the breaker opens: then nobody waits, and `explain` says so.
#[test]
fn a_service_that_hangs_is_asked_by_a_few_clients_alone() {
    let half = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{";
    let hangs: [fn(&[u8]) -> Said; 2] = [|_| Said::Hang, |half| Said::Bytes(half.to_vec())];
    hangs.into_iter().for_each(|hangs| is_asked_by_a_few(move || hangs(half), "100ms"));
}

fn is_asked_by_a_few(hangs: impl Fn() -> Said + Send + Sync + 'static, limit: &str) {
    let service = Service::new(move |_| hangs());
    let breaker = "    breaker: { failures: 3, back-off: 1h, cap: 1h }\n";
    let server = start(&service, RESOLVE, breaker, json!({ "when-away": "abstain", "time-limit": limit }));
    let mut clients = (0..).map(|number| Peer::from(address(number), server.address()));
    for mut client in clients.by_ref().take(3) {
        assert_eq!(client.read_plainly("there"), b"in the root");
        server.log_line("no usable answer from");
    }
    server.log_line("HTTP requests of a plugin to 127.0.0.1:");
    for mut client in clients.take(20) {
        assert_eq!(client.read_plainly("there"), b"in the root");
    }
    let line = server.log_line("no usable answer from");
    assert!(
        line["message"].as_str().unwrap().contains("it failed for 3 clients in a row and is not called"),
        "{line}"
    );
    let shown = String::from_utf8(explain(&server, "there").stdout).unwrap();
    assert!(shown.contains("is not called for another"), "{shown}");
    // Who gives up early may not have reached it.
    assert!(service.count() <= 3);
}

/// The time limit may be over when half an answer is there.
#[test]
fn a_service_that_hangs_in_the_last_moment_too() {
    let half = b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{";
    for limit in ["1ms", "2ms", "3ms"] {
        is_asked_by_a_few(|| Said::Bytes(half.to_vec()), limit);
    }
}

#[test]
fn a_service_that_is_back_is_asked_again() {
    let service = Service::new(|_| Said::Last(Vec::new()));
    let breaker = "    breaker: { failures: 1, back-off: 1ms, cap: 1ms }\n";
    let server = start(&service, RESOLVE, breaker, json!({ "when-away": "abstain" }));
    assert_eq!(get(&server, "there"), "in the root");
    server.log_line("HTTP requests of a plugin to 127.0.0.1:");
    service.says(by_path);
    // The back-off has passed at one of these requests; before, the root has no such file.
    loop {
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq("made", &[]));
        match peer.receive() {
            Answer::Error(1, _) => {}
            Answer::Data(1, content) => break assert_eq!(content, b"from the service"),
            other => panic!("{other:?}"),
        }
    }
    server.log_line("127.0.0.1:");
    assert_eq!(get(&server, "made"), "from the service");
}

/// Bytes of the whole answer.
const TEN_MB: usize = 10_000_000;

#[test]
fn a_service_that_lies_is_told_from_one_that_decides() {
    let raw = |head: &str, body: &str| format!("HTTP/1.1 {head}\r\n\r\n{body}").into_bytes();
    let json = "200 OK\r\ncontent-type: application/json\r\ncontent-length: ";
    let allow = r#"{"answer":"allow"}"#;
    let service = Service::new(|_| status(500));
    let server = start(&service, RESOLVE, "", json!({ "when-away": "deny" }));
    let beside = format!("307 x\r\nlocation: http://{}/beside\r\ncontent-length: 0", service.authority());
    let lies = [
        (raw(&format!("{json}2"), "{}"), "missing field `answer`"),
        (raw(&format!("{json}9"), "<p>no</p>"), "not as documented"),
        (raw(&format!("{json}{}", allow.len() - 4), allow), "not as documented"),
        (raw(&format!("{json}9999"), allow), "no answer"),
        (raw(&format!("{json}nine"), allow), "no answer"),
        (raw(&beside, ""), "the status 307, and redirects are not followed"),
        (raw("200 OK\r\ncontent-type: text/html\r\ncontent-length: 18", allow), "of the type \"text/html\""),
        (raw("404 x\r\ncontent-length: 0", ""), "the status 404"),
        (b"SSH-2.0-x\r\n".to_vec(), "no answer"),
        (vec![0xff; 4096], "no answer"),
        (
            raw(&format!("{json}47"), r#"{"answer":"deny","message":"\u001b[2J\u0000 x"}"#),
            "a control character",
        ),
    ];
    for (number, (lie, problem)) in lies.into_iter().enumerate() {
        service.count();
        service.says(move |_| Said::Last(lie.clone()));
        let name = format!("lie-{number}");
        assert_eq!(refused(&server, &name, 0), "the service that decides does not answer");
        let outcome = server.outcome(&name);
        let detail = outcome["detail"].as_str().unwrap();
        assert!(detail.contains(problem), "{problem}: {outcome:#}");
        let line = server.log_line("no usable answer from");
        assert!(line["message"].as_str().unwrap().contains(problem), "{problem}: {line}");
        let asked = service.asked();
        assert!(asked.iter().all(|(head, _)| head.starts_with("POST /decide ")), "{asked:?}");
    }
    // Ten million bytes, with and without their number.
    for head in [format!("{json}{TEN_MB}"), "200 OK\r\ncontent-type: application/json".to_owned()] {
        let head = raw(&head, "{\"answer\":\"allow\"");
        service.says(move |_| Said::Endless(head.clone(), vec![b' '; 64 << 10], TEN_MB));
        assert_eq!(refused(&server, "large", 0), "the service that decides does not answer");
        let outcome = server.outcome("large");
        assert!(
            outcome["detail"].as_str().unwrap().contains("the answer has more than 1048576 bytes"),
            "{outcome:#}"
        );
        assert!(service.ended_early());
    }
    service.says(by_path);
    assert_eq!(get(&server, "there"), "in the root", "afterwards it decides again");
}
