//! What an origin answers, and what clients and operators get.

use super::{far, far_and_near};
use crate::harness::{Manner, Peer, SOON, Web, rrq, run};
use std::process::Command;
use std::time::{Duration, Instant};

/// Long enough for an answer that must not come.
const SILENCE: Duration = Duration::from_millis(1500);

#[test]
fn a_missing_file_is_not_found_and_remembered() {
    let web = Web::start();
    let server = far(&web, "", "negative: 1h", "");
    for status in [404, 410] {
        web.be(if status == 404 { Manner::Good } else { Manner::Says(status) });
        let name = format!("no-{status}");
        for _ in 0..3 {
            let mut peer = Peer::new(server.address());
            peer.ask(&rrq(&name, &[]));
            assert_eq!(peer.expect_error(1), "file not found");
            let outcome = server.outcome(&name);
            assert_eq!(outcome["outcome"], "not-found", "{outcome}");
        }
        let asked = [web.requests("GET"), web.requests("HEAD")].concat();
        assert_eq!(asked.iter().filter(|request| request.contains(&name)).count(), 1, "{asked:?}");
    }
}

#[test]
fn a_refusal_is_an_access_violation_whose_reason_the_log_has() {
    let web = Web::start();
    let server = far(&web, "", "", "");
    for status in [401, 403] {
        web.be(Manner::Says(status));
        let name = format!("file-{status}");
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq(&name, &[]));
        assert_eq!(peer.expect_error(2), "access denied");
        let outcome = server.outcome(&name);
        let detail = outcome["detail"].as_str().unwrap();
        assert!(detail.contains(&web.url()) && detail.contains(&status.to_string()), "{outcome}");
        assert!(detail.contains("origin.credentials"), "{outcome}");
    }
}

#[test]
fn an_origin_that_is_away_means_silence() {
    let web = Web::start();
    let server = far(&web, "", "", "");
    web.be(Manner::Away);
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("file", &[]));
    assert_eq!(peer.receive_within(SILENCE), None);
    let outcome = server.outcome("file");
    assert_eq!(outcome["outcome"], "failed", "{outcome}");
    assert!(outcome["detail"].as_str().unwrap().contains(&web.url()), "{outcome}");
    let line = server.log_line("an origin does not answer");
    assert_eq!((&line["root"], &line["origin"]), (&"far".into(), &web.url().into()), "{line}");
    assert_eq!(server.status()["origins"][0]["root"], "far");
    assert!(server.status()["origins"][0]["away_seconds"].is_u64(), "{}", server.status());
    assert!(server.metrics().contains("tuffet_origin_away{root=\"far\"} 1"));
    // The breaker opens when it fails for several names: one may be at fault itself.
    let end = Instant::now() + SOON;
    (0..5).for_each(|number| peer.ask(&rrq(&format!("other-{number}"), &[])));
    while !server.metrics().contains("tuffet_origin_breaker_open{root=\"far\"} 1") {
        assert!(Instant::now() < end, "{}", server.metrics());
        assert_eq!(peer.receive_within(Duration::from_millis(100)), None);
    }
    // It comes back, and nobody has to do anything.
    web.be(Manner::Good);
    web.put("file", b"back", "1");
    let end = Instant::now() + SOON;
    loop {
        peer.ask(&rrq("file", &[]));
        if peer.receive_within(SILENCE).is_some() {
            break;
        }
        assert!(Instant::now() < end, "{}", server.log());
    }
    server.log_line("the origin answers again");
}

#[test]
fn the_next_root_is_tried_where_an_origin_has_no_such_file() {
    let web = Web::start();
    web.put("file", b"far", "1");
    let server = far_and_near(&web, "", "");
    let mut peer = Peer::new(server.address());
    assert_eq!(peer.read_plainly("file"), b"far");
    assert_eq!(peer.read_plainly("near"), b"near");
    assert_eq!(server.outcome("near")["resolved"], "boot:near");
}

#[test]
fn an_explanation_shows_what_the_origin_said_and_fetches_nothing() {
    let web = Web::start();
    web.put("file", b"content", "1");
    let server = far_and_near(&web, "", "");
    let socket = server.outside().0.join("control");
    let explain = |name: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
        let ran = run(command.args(["explain", "--live", "--control"]).arg(&socket).arg(name));
        String::from_utf8(ran.stdout).unwrap()
    };
    let text = explain("file");
    assert!(text.contains("far") && text.contains('7'), "{text}");
    let text = explain("none");
    assert!(text.contains("no such file"), "{text}");
    assert_eq!(web.requests("GET").len(), 0, "{:?}", web.requests("GET"));
    web.be(Manner::Says(403));
    let text = explain("closed");
    assert!(text.contains(&web.url()) && text.contains("403"), "{text}");
    assert_eq!(server.status()["origins"][0]["cache_files"], 0);
}
