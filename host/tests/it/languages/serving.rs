//! Each hook behind a real server, as clients and the log see it.

use super::each_language;
use crate::harness::{Answer, Client, Options, Peer, Server, Setup, assert_ended, assert_moved, data, wrq};
use crate::policy::http_server;
use serde_json::{Value, json};

/// Starts a server that calls the guest in every hook.
fn server(guest: &str, rules: &str, more: &str) -> Server {
    let http = "http/192.0.2.1";
    server_with(guest, http, rules, more)
}

fn server_with(guest: &str, http: &str, rules: &str, more: &str) -> Server {
    Setup::new()
        .file("other/file", b"another one")
        .file("plain", b"as it is")
        .file("kept/.keep", b"")
        .yaml(&format!(
            r#"
roots: [{{ name: boot, path: root, writable: true }}]
state: state
sinks: {{ out: {{ file: out.jsonl }} }}
policy: {{ authorize: [it], resolve: [it], accept-upload: [it], observe: [it], time-limit: 60s }}
plugins:
  it:
    component: "{guest}"
    grants: [kv, files/boot, sinks/out, client-mac, clock, random, {http}]
    limits: {{ time: 20s, wall: 40s, kv-keys: 20 }}
    {more}
    settings:
      observe: out
      rules:
{rules}
"#
        ))
        .start()
}

fn get(server: &Server, path: &str) -> String {
    String::from_utf8(Client::Tuffet.get(server.address(), path, Options::default())).unwrap()
}

const RULES: &str = r#"
        - { hook: authorize, path: "no/*", answer: { deny: { code: file-exists, message: "not for you", reason: "of the rule" } } }
        - { hook: authorize, path: small, answer: { allow: { ceilings: { blksize: 512, windowsize: 1 } } } }
        - { hook: resolve, path: alias, answer: { serve: { candidates: ["boot:missing", "boot:other/file"] } } }
        - { hook: resolve, path: small, answer: { serve: { candidates: [{ bytes: 3000 }] } } }
        - { hook: accept-upload, path: in, answer: { rename: { path: "kept/{sha256}" } } }
        - { hook: accept-upload, path: bad, answer: { deny: { code: disk-full, message: "no room", reason: "of the rule" } } }
"#;

each_language!(hooks_decide_and_are_told);

fn hooks_decide_and_are_told(guest: &str) {
    let server = server(guest, RULES, "");
    // authorize
    let mut peer = Peer::new(server.address());
    peer.ask(&crate::harness::rrq("no/way", &[]));
    assert_eq!(peer.receive(), Answer::Error(6, "not for you".into()));
    let line = server.outcome("no/way");
    assert_eq!(line["verdict_by"], "it");
    assert_ended(&line, "denied", "of the rule");
    // resolve
    for client in Client::installed() {
        assert_eq!(client.get(server.address(), "alias", Options::default()), b"another one");
        let line = server.outcome("alias");
        assert_eq!(line["resolved"], "boot:other/file", "{line:#}");
    }
    assert_eq!(get(&server, "plain"), "as it is");
    assert_eq!(server.outcome("plain")["resolved"], "boot:plain");
    let mut peer = Peer::new(server.address());
    peer.ask(&crate::harness::rrq("small", &[("blksize", "1428"), ("windowsize", "8")]));
    assert_eq!(peer.receive(), Answer::Oack("blksize=512 windowsize=1".into()), "the ceilings hold");
    peer.send(&crate::harness::ack(0));
    let content: Vec<u8> = (0..=255).cycle().take(3000).collect();
    for (number, block) in (1..).zip(content.chunks(512)) {
        assert_eq!(peer.receive(), Answer::Data(number, block.to_vec()));
        peer.send(&crate::harness::ack(number));
    }
    assert_moved(&server.outcome("small"), "served", 3000, 512, 1);
    // accept-upload
    let put = |name: &str| {
        let mut peer = Peer::new(server.address());
        peer.ask(&wrq(name, &[]));
        peer.expect(Answer::Ack(0));
        peer.send(&data(1, b"ab"));
        peer.receive()
    };
    assert_eq!(put("in"), Answer::Ack(1));
    let kept = "kept/fb8e20fc2e4c3f248c60c39bd652f3c1347298bb977b8b4d5903b85055620603";
    assert_eq!(server.root().read(kept), b"ab");
    assert_eq!(server.outcome("in")["outcome"], "stored");
    assert_eq!(put("bad"), Answer::Error(3, "no room".into()));
    assert_ended(&server.outcome("bad"), "denied", "of the rule");
    // observe
    server.stop();
    let told = std::fs::read_to_string(server.outside().path("out.jsonl")).unwrap();
    let told: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str, path: &str| {
        let found = told.iter().find(|line| line[kind].is_string() && line["path"] == path);
        found.unwrap_or_else(|| panic!("{kind} {path} is missing in {told:#?}"))
    };
    assert_eq!(of("started", "alias")["resolved"], json!({ "file": ["boot", "other/file"] }));
    let small = of("finished", "small");
    assert_eq!((&small["outcome"], &small["transferred"]), (&"served".into(), &3000.into()), "{small:#}");
    assert_eq!(
        (&small["resolved"], &small["blksize"]),
        (&json!({ "content": null }), &512.into()),
        "{small:#}"
    );
    assert!(small["ms"].as_u64().unwrap() > 1_600_000_000_000, "{small:#}");
    assert_eq!(
        (&small["decision"], &small["size"], &small["blocks"]),
        (&"granted".into(), &3000.into(), &6.into())
    );
    assert_eq!(of("finished", "in")["outcome"], "stored");
    let denied = of("finished", "no/way");
    assert_eq!((&denied["outcome"], &denied["decided-by"]), (&"denied".into(), &"it".into()), "{denied:#}");
    assert_eq!((&denied["decision"], &denied["blocks"]), (&"refused".into(), &0.into()), "{denied:#}");
    let numbers: Vec<u64> = told.iter().map(|line| line["sequence"].as_u64().unwrap()).collect();
    assert!(numbers[0] >= 1 && numbers.is_sorted_by(|one, next| one < next), "{numbers:?}");
    let ends = told.iter().filter(|line| line["finished"].is_string()).count();
    assert_eq!(ends, 5 + Client::installed().count());
}

each_language!(grants_are_real);

/// Keys persist and expire, instances are fresh, the clock runs, random numbers differ.
fn grants_are_real(guest: &str) {
    let rules = r#"
        - hook: resolve
          path: told
          do: [[kv-add, null, n, 1], [kv-set, null, brief, x, 0], [kv-get, null, brief], [kv-add, null, period, 5, 3600], [calls],
               [read, boot, other/file, 100], [read, boot, ../tuffet.yaml, 100]]
          answer: tell
        - { hook: resolve, path: moment, do: [[clock], [random]], answer: tell }
        - { hook: resolve, path: "01-*", do: [[request]], answer: tell }
"#;
    let server = server(guest, rules, "");
    for round in 1..=3 {
        let expected = format!(r#"[{round},null,null,{},1,"another one",{{"error":"bad-path"}}]"#, round * 5);
        assert_eq!(get(&server, "told"), expected);
    }
    let moment = |said: &str| {
        let (clock, random): (u64, String) = serde_json::from_str(said).unwrap();
        assert!(clock > 1_600_000_000, "{said}");
        random
    };
    assert_ne!(moment(&get(&server, "moment")), moment(&get(&server, "moment")));
    let told = get(&server, "01-02-00-5e-10-00-01");
    assert!(
        told.contains(r#""macs":{"claimed":[["02:00:5e:10:00:01","requested-name"]],"network":[]}"#),
        "{told}"
    );
}

each_language!(an_instance_that_is_kept_remembers);

fn an_instance_that_is_kept_remembers(guest: &str) {
    let rules = "        - { hook: resolve, path: x, do: [[calls], [random]], answer: tell }\n";
    let server = server(guest, rules, "reuse: { calls: 100, idle: 1h }");
    let told = |said: String| -> (u64, String) { serde_json::from_str(&said).unwrap() };
    let (first, random) = told(get(&server, "x"));
    // Calls of `authorize` and `observe` may count, depending on their instance; each call is a different
    // one.
    let (second, other) = told(get(&server, "x"));
    assert!(second > first, "{first} {second}");
    assert_ne!(random, other);
}

each_language!(http_reaches_the_host_that_is_granted_alone);

fn http_reaches_the_host_that_is_granted_alone(guest: &str) {
    let (port, other) = (http_server(), http_server());
    let url = format!("http://127.0.0.1:{port}");
    let commands = [
        format!(r#"[get, "{url}/there?a=b", 100]"#),
        format!(r#"[get, "{url}", 100]"#),
        format!(r#"[post, "{url}/here", "größe"]"#),
        format!(r#"[get, "{url}/large", 999]"#),
        format!(r#"[get, "{url}/large", 1000]"#),
        format!(r#"[get, "http://127.0.0.1:{other}/there", 100]"#),
        format!(r#"[post, "http://localhost:{port}/here", text]"#),
    ];
    let rules = format!(
        "        - {{ hook: resolve, path: x, do: [{}], answer: tell }}\n        - {{ hook: resolve, path: many, do: \
         [{}], answer: tell }}\n",
        commands.join(", "),
        vec![format!("[get, \"{url}\", 100]"); 17].join(", "),
    );
    let server = server_with(guest, &format!("http/127.0.0.1:{port}"), &rules, "");
    let told: Value = serde_json::from_str(&get(&server, "x")).unwrap();
    let expected = json!([
        [200, "GET /there?a=b HTTP/1.1 false "],
        [200, "GET / HTTP/1.1 false "],
        [200, "POST /here HTTP/1.1 true größe"],
        { "error": "too-large" },
        [200, "x".repeat(1000)],
        { "error": "not-granted" },
        { "error": "not-granted" },
    ]);
    assert_eq!(told, expected);
    let many: Vec<Value> = serde_json::from_str(&get(&server, "many")).unwrap();
    assert!(many[..16].iter().all(|answer| answer[0] == 200), "{many:?}");
    assert_eq!(many[16], json!({ "error": "not-granted" }), "16 in a call");
}
