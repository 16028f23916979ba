//! `builtin:ask`: a service decides, or does not.

mod away;
mod example;
mod kept;
mod secrets;
mod service;

use super::storms::{address, storm};
use crate::harness::{
    Answer, Client, Options, Peer, Ran, Server, Setup, Web, compiled, is_root, rrq, run, wrq,
};
use serde_json::{Value, json};
use service::{Said, Service, answer, status};
use std::process::Command;
use std::thread;
use std::time::Duration;

const RESOLVE: &str = "resolve: [ask]";

/// A configuration whose limits no busy machine reaches, with further keys of the plugin and its settings.
fn yaml(service: &Service, policy: &str, plugin: &str, settings: Value) -> String {
    let mut all = json!({ "url": format!("http://{}/decide", service.authority()), "time-limit": "30s" });
    all.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
    format!(
        "roots: [{{ name: boot, path: root, writable: true }}]\nstate: state\npolicy: {{ {policy}, time-limit: 40s }}\n\
         plugins:\n  ask:\n    component: builtin:ask\n    grants: [\"http/{}\", kv, client-mac]\n    limits: {{ time: 20s, \
         wall: 40s }}\n{plugin}    settings: {all}\n",
        service.authority()
    )
}

fn start(service: &Service, policy: &str, plugin: &str, settings: Value) -> Server {
    Setup::new().file("there", b"in the root").yaml(&yaml(service, policy, plugin, settings)).start()
}

fn get(server: &Server, name: &str) -> String {
    String::from_utf8(Peer::new(server.address()).read_plainly(name)).unwrap()
}

/// The text of the ERROR that a request gets.
fn refused(server: &Server, name: &str, code: u16) -> String {
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq(name, &[]));
    peer.expect_error(code)
}

/// Asks, and waits until the server has dropped the request. Returns why.
fn dropped(server: &Server, peer: &mut Peer, name: &str) -> String {
    peer.ask(&rrq(name, &[]));
    let outcome = server.outcome(name);
    assert_eq!(outcome["decision"], "dropped", "{outcome:#}");
    outcome["detail"].as_str().unwrap().strip_prefix("dropped by policy: ").unwrap().to_owned()
}

fn explain(server: &Server, name: &str) -> Ran {
    let socket = server.outside().0.join("control");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    run(command.args(["explain", "--live", "--control"]).arg(socket).arg(name))
}

fn by_path(question: &Value) -> Said {
    let serve = |candidates: Value| json!({ "answer": "serve", "candidates": candidates });
    answer(
        "",
        &match (question["hook"].as_str().unwrap(), question["path"].as_str().unwrap_or_default()) {
            ("render", _) => json!({ "answer": "content", "text": format!("made of {}", question["key"]) }),
            (_, "denied") => {
                json!({ "answer": "deny", "message": "not for you", "reason": "allowPXE is false" })
            }
            (_, "dropped") => json!({ "answer": "drop", "reason": "draining" }),
            (_, "made") => serve(json!([{ "text": "from the service", "name": "its own" }])),
            (_, "large") => serve(json!([{ "text": "x".repeat(900_000) }])),
            (_, "first") => {
                serve(json!([{ "root": "boot", "file": "missing" }, { "root": "boot", "file": "there" }]))
            }
            (_, "none") => serve(json!([{ "root": "boot", "file": "missing" }])),
            (_, "up") => serve(json!([{ "root": "boot", "file": "stored" }])),
            (_, "rendered") => serve(json!([{ "rendering": "menu" }])),
            (_, "slow") => json!({ "answer": "allow", "profile": { "ceilings": { "blksize": 600 } } }),
            (_, "other-root") => serve(json!([{ "root": "nowhere", "file": "x" }])),
            _ => json!({ "answer": "abstain" }),
        },
    )
}

#[test]
fn one_question_decides_everything() {
    let service = Service::new(by_path);
    let server = start(&service, RESOLVE, "", json!({}));
    assert_eq!(get(&server, "there"), "in the root");
    assert_eq!(get(&server, "made"), "from the service");
    assert_eq!(get(&server, "first"), "in the root");
    assert_eq!(get(&server, "rendered"), "made of \"menu\"");
    assert_eq!(get(&server, "rendered"), "made of \"menu\"");
    assert_eq!(Client::Tuffet.get(server.address(), "large", Options::default()).len(), 900_000);
    assert_eq!(refused(&server, "denied", 2), "not for you");
    let outcome = server.outcome("denied");
    assert_eq!(
        (&outcome["outcome"], &outcome["verdict_by"]),
        (&"denied".into(), &"ask".into()),
        "{outcome:#}"
    );
    assert_eq!(outcome["detail"], "allowPXE is false");
    refused(&server, "none", 1);
    assert_eq!(dropped(&server, &mut Peer::new(server.address()), "dropped"), "draining");
    assert_eq!(server.outcome("made")["resolved"], "content/its own");

    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("up", &[]));
    peer.expect(Answer::Ack(0));
    peer.write_on(b"backup", 512);
    assert_eq!(server.root().read("stored"), b"backup");
    server.outcome("up");

    // A root that is not there is a failure of the plugin, as for each plugin.
    assert_eq!(refused(&server, "other-root", 0), "policy failure");

    let asked = service.asked();
    let of = |path: &str| asked.iter().filter(|(_, question)| question["path"] == path).count();
    for path in ["there", "made", "first", "large", "denied", "none", "dropped", "up"] {
        assert_eq!(of(path), 1, "{path}");
    }
    let renders = asked.iter().filter(|(_, question)| question["hook"] == "render");
    assert_eq!((of("rendered"), renders.count()), (2, 1));

    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("01-02-00-5e-10-00-01", &[("blksize", "1000")]));
    peer.expect_error(1);
    let (head, question) = service.asked().pop().unwrap();
    assert!(head.starts_with("POST /decide HTTP/1.1\r\n"), "{head}");
    assert_eq!(question["options"], json!({ "blksize": "1000" }));
    assert_eq!(question["client"]["address"], "127.0.0.1");
    let claimed = json!([{ "address": "02:00:5e:10:00:01", "source": "requested-name" }]);
    assert_eq!(question["client"]["macs"], json!({ "network": [], "claimed": claimed }));
    assert_eq!(question["arrival"]["address"], server.address().ip().to_string());
    assert_eq!((&question["operation"], &question["mode"]), (&"read".into(), &"octet".into()));
}

/// With `default: deny`, the service has to allow what it then gives.
#[test]
fn one_answer_serves_both_chains() {
    let service = Service::new(by_path);
    let server = start(&service, "default: deny, authorize: [ask], resolve: [ask]", "", json!({}));
    assert_eq!(get(&server, "made"), "from the service");
    assert_eq!(service.count(), 1);
    refused(&server, "there", 2); // it abstained
    assert_eq!(service.count(), 1);
    assert_eq!(refused(&server, "denied", 2), "not for you");
    assert_eq!(service.count(), 1);
}

#[test]
fn a_url_is_a_file_of_the_root_that_has_this_origin() {
    let web = Web::start();
    web.put("images/a-b.img", b"from the web server", "1");
    let url = web.url();
    let service = Service::new(move |question| {
        let from = if question["path"] == "image" { &*url } else { "http://127.0.0.1:1/files" };
        let candidates = json!([{ "url": format!("{from}/images/a%2Db.img") }]);
        answer("", &json!({ "answer": "serve", "candidates": candidates }))
    });
    let yaml = yaml(
        &service,
        RESOLVE,
        "",
        json!({ "roots": [{ "root": "far", "url": web.url() }], "when-away": "deny" }),
    );
    let yaml = yaml.replacen(
        "roots: [{ name: boot, path: root, writable: true }]\n",
        &format!("roots:\n  - {{ name: boot, path: root }}\n{}", web.root("far", "", "")),
        1,
    );
    let server = Setup::new().yaml(&yaml).start();
    assert_eq!(get(&server, "image"), "from the web server");
    assert_eq!(server.outcome("image")["resolved"], "far:images/a-b.img");
    refused(&server, "elsewhere", 0);
    server.log_line("no usable answer from http://");
    let outcome = server.outcome("elsewhere");
    assert!(
        outcome["detail"].as_str().unwrap().contains("below no URL of the setting `roots`"),
        "{outcome:#}"
    );
}

/// The service takes 50 ms for each; the limits of the plugin are as they are by default, but for the time in the line.
#[test]
fn three_hundred_clients_at_once() {
    let service = Service::new(|question| {
        thread::sleep(Duration::from_millis(50));
        let text = format!("for {}", question["client"]["address"].as_str().unwrap());
        answer("", &json!({ "answer": "serve", "candidates": [{ "text": text }] }))
    });
    let server = Setup::new()
        .rest_of_yaml(&format!(
            "policy: {{ resolve: [ask], time-limit: 5s }}\nplugins:\n  ask:\n    component: builtin:ask\n    grants: \
             [\"http/{0}\"]\n    limits: {{ wall: 5s }}\n    settings: {{ url: \"http://{0}/\", time-limit: 4s }}\n",
            service.authority()
        ))
        .start();
    storm(&server, |_| "boot.cfg".into(), |phone| format!("for {}", address(phone)).into_bytes());
    assert!(service.count() >= 300);
    assert!(!server.log().contains(" failed in "), "{}", server.log());
}

fn check(setup: &Setup, yaml: &str) -> Ran {
    let file = setup.outside().path("checked.yaml");
    std::fs::write(&file, format!("listeners: [{{ address: \"127.0.0.1:0\" }}]\n{yaml}")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    command.env("CACHE_DIRECTORY", compiled()).arg("check").arg(file);
    // The folders of tests are root's where root runs them.
    run(command.args(is_root().then_some("--user=root")))
}

#[test]
fn check_knows_its_settings_and_asks_nothing() {
    let service = Service::new(by_path);
    let setup = Setup::new();
    let good = yaml(&service, RESOLVE, "", json!({ "when-away": "last", "last-for": "1m 30s" }));
    check(&setup, &good).assert_good();
    // A bundled plugin may send requests to the service of its settings without a grant.
    let grant = format!("\"http/{}\"", service.authority());
    check(&setup, &good.replace(&grant, "http/other.example")).assert_good();
    for (settings, problem) in [
        (json!({ "when-away": "never" }), "unknown word `never`"),
        (json!({ "when-awya": "drop" }), "did you mean `when-away`?"),
        (json!({ "time-limit": "2m" }), "2m is out of range; give 1ms to 1m"),
        (json!({ "url": "boot.example" }), "is not a URL: write https://HOST:PORT/PATH"),
        (json!({ "roots": [{ "root": "bot", "url": "http://a/" }] }), "did you mean `boot`?"),
    ] {
        check(&setup, &yaml(&service, RESOLVE, "", settings)).assert_fails(64, &[problem]);
    }
    assert_eq!(service.count(), 0);
}

#[test]
fn explain_shows_what_the_service_says() {
    let service = Service::new(by_path);
    let server = start(&service, RESOLVE, "", json!({ "when-away": "deny" }));
    let shown = |name: &str| String::from_utf8(explain(&server, name).stdout).unwrap();
    let text = shown("denied");
    assert!(text.contains("allowPXE is false") && text.contains("ask"), "{text}");
    service.says(|_| status(503));
    let text = shown("denied");
    assert!(
        text.contains("no usable answer from") && text.contains("the answer has the status 503"),
        "{text}"
    );
}
