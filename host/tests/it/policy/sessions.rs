//! The session profile that `authorize` answers with: what is negotiated, explained, and tried out.

use crate::harness::{Answer, Peer, Server, Setup, ack, assert_ended, bytes, rrq, tuffet, wrq};
use serde_json::{Value, json};

const RULES: &str = r#"
        - { hook: authorize, path: floor, answer: { allow: { floors: { blksize: 1024, windowsize: 2 } } } }
        - { hook: authorize, path: override, answer: { allow: { overrides: { blksize: 8192, windowsize: 16 } } } }
        - { hook: authorize, path: new, answer: { allow: { overrides: { blksize: 8192, windowsize: 16 } } } }
        - { hook: authorize, path: both, answer: { allow: { ceilings: { blksize: 700 }, overrides: { blksize: 8192 } } } }
        - { hook: authorize, path: time, answer: { allow: { ceilings: { timeout: 5 }, floors: { timeout: 3 } } } }
        - { hook: authorize, path: times, answer: { allow: { overrides: { timeout: 2 } } } }
        - { hook: authorize, path: refuse, answer: { allow: { refuse-options: [tsize, blksize, multicast], burst: 3 } } }
        - { hook: authorize, path: wrong, answer: { allow: { floors: { blksize: 900 }, ceilings: { blksize: 800 } } } }
        - { hook: authorize, path: rate, answer: { allow: { rate: 20000 } } }
        - { hook: authorize, path: standstill, answer: { allow: { rate: 1023 } } }
        - { hook: authorize, path: unknown, answer: { allow: { refuse-options: [speed] } } }
"#;

fn setup() -> Setup {
    setup_with("")
}

fn setup_with(rest: &str) -> Setup {
    let guest = tuffet_test_guests::component("reference");
    let files =
        ["floor", "override", "both", "time", "times", "refuse", "wrong", "rate", "standstill", "unknown"];
    let setup = files.iter().fold(Setup::new(), |setup, name| setup.file(name, &bytes(5000)));
    setup.yaml(&format!(
        r#"
listeners: [{{ name: lan, address: "127.0.0.1:0" }}]
roots: [{{ name: boot, path: root, writable: true }}]
transfer: {{ max-blksize: 600, max-windowsize: 4 }}
policy: {{ authorize: [it] }}
plugins:
  it:
    component: "{guest}"
    limits: {{ time: 20s, wall: 40s }}
    settings:
      rules:
{RULES}
{rest}
"#
    ))
}

/// What the server answers to a read request with these options.
fn ask(server: &Server, name: &str, options: &[(&str, &str)]) -> Answer {
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq(name, options));
    let answer = peer.receive();
    if !matches!(answer, Answer::Error(..)) {
        peer.send(b"\0\x05\0\0enough\0");
    }
    answer
}

fn oack(options: &str) -> Answer {
    Answer::Oack(options.into())
}

#[test]
fn a_session_below_its_floor_is_refused() {
    let server = setup().start();
    let required = |text: &str| Answer::Error(8, text.into());
    let too_small = required("a blksize of at least 1024 is required");
    assert_eq!(ask(&server, "floor", &[("blksize", "1400"), ("windowsize", "4")]), too_small);
    assert_ended(
        &server.outcome("floor"),
        "denied",
        "the client negotiated a blksize of 600, and policy requires at least 1024",
    );
    assert_eq!(ask(&server, "floor", &[]), too_small, "512 bytes without the option");
}

#[test]
fn overrides_take_the_place_of_the_configuration_and_ceilings_hold() {
    let server = setup().start();
    let both = [("blksize", "4000"), ("windowsize", "9")];
    assert_eq!(ask(&server, "override", &both), oack("blksize=4000 windowsize=9"), "no more than requested");
    let most = [("blksize", "65464"), ("windowsize", "64")];
    assert_eq!(ask(&server, "override", &most), oack("blksize=8192 windowsize=16"));
    assert_eq!(ask(&server, "both", &both), oack("blksize=700 windowsize=4"));
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("new", &most));
    peer.expect(oack("blksize=8192 windowsize=16"));
    peer.send(b"\0\x05\0\0enough\0");
}

#[test]
fn a_timeout_outside_of_its_bounds_is_not_acknowledged() {
    let server = setup().start();
    let time = |name, seconds| ask(&server, name, &[("tsize", "0"), ("timeout", seconds)]);
    let (without, with) = (oack("tsize=5000"), |seconds| oack(&format!("timeout={seconds} tsize=5000")));
    assert_eq!(time("time", "2"), without);
    assert_eq!(time("time", "3"), with(3));
    assert_eq!(time("time", "5"), with(5));
    assert_eq!(time("time", "6"), without);
    assert_eq!(time("times", "2"), with(2));
    assert_eq!(time("times", "3"), without);
}

#[test]
fn refused_options_are_left_out() {
    let server = setup().start();
    let all = [("tsize", "0"), ("blksize", "560"), ("windowsize", "3")];
    assert_eq!(ask(&server, "refuse", &all), oack("windowsize=3"));
    // Without any option that is granted, the first block comes at once.
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("refuse", &[("tsize", "0")]));
    peer.expect(Answer::Data(1, bytes(5000)[..512].to_vec()));
    peer.send(&ack(1));
}

#[test]
fn a_rate_takes_the_place_of_the_configured_one() {
    let server = setup_with("profiles: [{ rate: 10MB }]").file("other", &bytes(100)).start();
    let mut peer = Peer::new(server.address());
    assert_eq!(peer.read_plainly("rate"), bytes(5000));
    let line = server.outcome("rate");
    assert_eq!(line["rate"], 20_000, "{line}");
    // 4096 bytes and more before the last block; in bursts of 20 ms.
    assert!(line["duration_us"].as_u64() >= Some(200_000), "{line}");
    peer = Peer::new(server.address());
    assert_eq!(peer.read_plainly("other"), bytes(100));
    assert_eq!(server.outcome("other")["rate"], 10_000_000);
}

#[test]
fn an_impossible_profile_is_a_failure_of_the_plugin() {
    let server = setup().start();
    for (name, why) in [
        ("wrong", "it allowed a blksize of at least 900 and at most 800"),
        ("standstill", "it allowed a rate of 1023 bytes per second: 1024 are the least"),
        ("unknown", "it refused the option \"speed\": there are blksize, timeout, "),
    ] {
        assert!(matches!(ask(&server, name, &[]), Answer::Error(0, _)), "{name}");
        let line = server.outcome(name);
        assert!(line["detail"].as_str().is_some_and(|detail| detail.contains(why)), "{line}");
    }
}

fn explained(server: &Server, arguments: &[&str]) -> Value {
    let file = server.outside().path("tuffet.yaml");
    let ran = tuffet([&["explain", "--json", "--config", file.to_str().unwrap()], arguments].concat());
    serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

#[test]
fn explain_shows_what_the_profile_does() {
    let server = setup().start();
    let shown = explained(&server, &["override", "--option", "blksize=65464"]);
    assert_eq!(
        (&shown["options"]["blksize"], &shown["options"]["blksize_by"]),
        (&json!(8192), &json!("policy"))
    );
    let detail = "blksize overridden with 8192, windowsize overridden with 16";
    assert_eq!(shown["policy"][0]["detail"], detail, "{shown:#}");
    let shown = explained(&server, &["times"]);
    assert_eq!(shown["options"]["retransmit"]["by"], "policy", "{shown:#}");
    assert_eq!(shown["options"]["retransmit"]["floor"], "2s", "{shown:#}");
    let shown = explained(&server, &["refuse", "--option", "blksize=600"]);
    assert_eq!(shown["options"]["burst"], 3, "{shown:#}");
    assert_eq!(shown["options"]["refused"], json!(["blksize"]), "{shown:#}");
    let shown = explained(&server, &["floor"]);
    assert_eq!((&shown["outcome"]["code"], &shown["outcome"]["outcome"]), (&json!(8), &json!("denied")));
}
