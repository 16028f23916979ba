//! Several candidates: the first that exists is served, and otherwise content, or the rest of the chain decides.

use crate::harness::{Answer, Client, Options, Peer, Server, Setup, assert_ended, rrq, tuffet};
use serde_json::{Value, json};

fn server() -> Server {
    let guest = tuffet_test_guests::component("reference");
    Setup::new()
        .file("there", b"the first one")
        .file("other", b"the second one")
        .file("searched", b"by its name")
        .file("in/.keep", b"")
        .yaml(&format!(
            r#"
listeners: [{{ name: lan, address: "127.0.0.1:0" }}]
roots: [{{ name: boot, path: root, writable: true }}]
policy: {{ authorize: [gate], resolve: [first, second] }}
plugins:
  gate: {{ component: builtin:acl, settings: {{ allow: [{{ names: ["**"] }}] }} }}
  first:
    component: "{guest}"
    limits: {{ time: 20s, wall: 40s }}
    settings:
      rules:
        - {{ hook: resolve, path: here, answer: {{ serve: {{ candidates: ["boot:no/where", "boot:there"], else-next: true }} }} }}
        - {{ hook: resolve, path: end, answer: {{ serve: {{ candidates: ["boot:no/where"] }} }} }}
        - {{ hook: resolve, path: write, answer: {{ serve: {{ candidates: ["boot:in/first"], else-next: true }} }} }}
        - {{ hook: resolve, path: own, answer: {{ serve: {{ candidates: ["boot:there", {{ content: "made" }}] }} }} }}
        - {{ hook: resolve, path: made-here, answer: {{ serve: {{ candidates: ["boot:no/where", {{ content: "made" }}] }} }} }}
        - {{ hook: resolve, path: rendered-here, answer: {{ serve: {{ candidates: ["boot:no/where", {{ rendering: k }}] }} }} }}
        - {{ hook: resolve, path: small, answer: {{ serve: {{ candidates: [], else-next: true, profile: {{ ceilings: {{ blksize: 512 }} }} }} }} }}
        - {{ hook: resolve, path: large, answer: {{ serve: {{ candidates: ["boot:there"], profile: {{ max-size: 5 }} }} }} }}
        - {{ hook: resolve, path: away, answer: {{ drop: the backend is away }} }}
        - {{ hook: resolve, path: "*", answer: {{ serve: {{ candidates: ["boot:no/where", "boot:nothing"], else-next: true }} }} }}
      renders: {{ k: {{ content: rendered }} }}
  second:
    component: "{guest}"
    limits: {{ time: 20s, wall: 40s }}
    settings:
      rules:
        - {{ hook: resolve, path: file, answer: {{ serve: {{ candidates: ["boot:other"] }} }} }}
        - {{ hook: resolve, path: again, answer: {{ serve: {{ candidates: ["boot:nor/this"], else-next: true }} }} }}
        - {{ hook: resolve, path: made, answer: {{ serve: {{ candidates: [{{ content: "rendered" }}] }} }} }}
        - {{ hook: resolve, path: no, answer: {{ deny: {{ code: access-violation, message: "no such device", reason: "of the second" }} }} }}
        - {{ hook: resolve, path: broken, do: [[fail, "on purpose"]], answer: tell }}
        - {{ hook: resolve, path: write, answer: {{ serve: {{ candidates: ["boot:in/second"] }} }} }}
"#
        ))
        .start()
}

fn get(server: &Server, path: &str) -> String {
    String::from_utf8(Client::Tuffet.get(server.address(), path, Options::default())).unwrap()
}

fn refused(server: &Server, path: &str) -> (u16, String) {
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq(path, &[]));
    match peer.receive() {
        Answer::Error(code, text) => (code, text),
        other => panic!("an ERROR was due for {path}, not {other:?}"),
    }
}

#[test]
fn the_rest_of_the_chain_decides_if_no_file_exists() {
    let server = server();
    // The gate judges each file that is named, too.
    for (path, content, by, calls) in [
        ("here", "the first one", json!("first"), 4),
        ("file", "the second one", json!("second"), 6),
        ("made", "rendered", json!("second"), 5),
        ("searched", "by its name", json!("gate"), 5),
    ] {
        assert_eq!(get(&server, path), content);
        let line = server.outcome(path);
        assert_eq!((&line["verdict_by"], &line["plugin_calls"]), (&by, &json!(calls)), "{line:#}");
    }
    assert_eq!(refused(&server, "no"), (2, "no such device".into()));
    assert_ended(&server.outcome("no"), "denied", "of the second");
    assert_eq!(refused(&server, "broken").1, "policy failure");
    assert_eq!(refused(&server, "end").0, 1);
    assert_eq!(server.outcome("end")["plugin_calls"], 3, "no else");
    let explained = explained(&server, "end");
    assert_eq!(explained["policy"][2]["verdict"], "not-asked", "{explained:#}");
}

#[test]
fn a_request_for_a_file_that_nobody_has_was_looked_for_everywhere() {
    let server = server();
    assert_eq!(refused(&server, "again").0, 1);
    let line = server.outcome("again");
    assert_eq!(line["outcome"], "not-found");
    assert_eq!((&line["verdict_by"], &line["plugin_calls"]), (&json!("second"), &json!(6)), "{line:#}");
    let tried = line["tried"].to_string();
    for place in ["boot:no/where", "boot:nothing", "boot:nor/this", "boot:again"] {
        assert!(tried.contains(place), "{place} is missing in {tried}");
    }
    assert_eq!(explained(&server, "again")["outcome"]["verdict_by"], "second");
}

#[test]
fn an_upload_goes_to_the_first_file() {
    let server = server();
    Client::Tuffet.put(server.address(), "write", b"new", Options::default());
    server.outcome("write");
    assert!(server.root().has("in/first") && !server.root().has("in/second"));
}

fn explained(server: &Server, path: &str) -> Value {
    let file = server.outside().path("tuffet.yaml");
    let ran = tuffet(["explain", "--json", "--config", file.to_str().unwrap(), path]);
    serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

#[test]
fn explain_follows_the_chain() {
    let server = server();
    let shown = explained(&server, "file");
    assert_eq!(shown["policy"][1]["verdict"], "files-else-next", "{shown:#}");
    assert_eq!(shown["policy"][2]["verdict"], "files", "{shown:#}");
    let places: Vec<_> = shown["candidates"].as_array().unwrap().iter().map(|its| &its["path"]).collect();
    assert_eq!(places, ["no/where", "nothing", "other"]);
    assert_eq!(
        (&shown["outcome"]["resolved"], &shown["outcome"]["verdict_by"]),
        (&json!("boot:other"), &json!("second"))
    );
    let shown = explained(&server, "here");
    assert_eq!(shown["policy"][2]["verdict"], "not-asked", "{shown:#}");
    let shown = explained(&server, "made");
    assert_eq!((&shown["outcome"]["decision"], &shown["outcome"]["size"]), (&json!("granted"), &json!(8)));
}

#[test]
fn content_stands_in_for_a_file_that_does_not_exist() {
    let server = server();
    for (path, content, resolved) in [
        ("own", "the first one", "boot:there"),
        ("made-here", "made", "content"),
        ("rendered-here", "rendered", "content"),
    ] {
        assert_eq!(get(&server, path), content);
        let line = server.outcome(path);
        assert_eq!((&line["resolved"], &line["verdict_by"]), (&json!(resolved), &json!("first")), "{line:#}");
        assert_eq!(explained(&server, path)["outcome"]["resolved"], resolved);
    }
    let shown = explained(&server, "made-here");
    assert_eq!(shown["policy"][1]["verdict"], "files-else-content", "{shown:#}");
}

#[test]
fn resolve_says_how_it_is_sent() {
    let server = server();
    std::fs::write(server.root().path("small"), vec![b'x'; 2000]).unwrap();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("small", &[("blksize", "1400")]));
    peer.expect(Answer::Oack("blksize=512".into()));
    peer.send(b"\0\x05\0\0enough\0");
    assert_eq!(refused(&server, "large").0, 2);
    assert_ended(&server.outcome("large"), "denied", "the file has 13 bytes and policy allows 5");
}

#[test]
fn resolve_drops_with_its_reason() {
    let server = server();
    Peer::new(server.address()).ask(&rrq("away", &[]));
    let line = server.outcome("away");
    assert_eq!((&line["decision"], &line["verdict_by"]), (&json!("dropped"), &json!("first")), "{line:#}");
    assert_ended(&line, "denied", "dropped by policy: the backend is away");
}
