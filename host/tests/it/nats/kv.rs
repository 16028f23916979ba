//! The keys of plugins in a bucket: shared by servers, and while NATS is away.

use super::Nats;
use crate::harness::{Answer, Client, Options, Peer, SOON, Server, Setup, ack, bytes, http, rrq, until};
use crate::policy::probe;
use crate::telemetry::exposition::Exposition;
use crate::telemetry::prometheus::listed;
use std::time::Instant;

/// A server whose plugin runs these commands for each request to its first listener; no plugin decides those to the
/// second.
fn server(nats: &Nats, more: &str, commands: &[&str]) -> Server {
    let (component, commands) = (probe(), serde_json::to_string(commands).unwrap());
    let url = nats.url();
    Setup::new()
        .file("free/image", &bytes(512 * 400))
        .whole_yaml(
            2,
            &format!(
                r#"
listeners:
  - {{ address: "127.0.0.1:0" }}
  - {{ name: plain, address: "127.0.0.1:0", policy: {{ resolve: [] }} }}
roots: [{{ name: boot, path: root }}, {{ name: other, path: . }}]
kv: {{ nats: {{ servers: ["{url}"], bucket: site, timeout: 2s }} }}
sinks: {{ out: {{ file: out.jsonl }} }}
policy: {{ resolve: [probe], time-limit: 40s }}
admin: {{ address: "127.0.0.1:0" }}
plugins:
  probe:
    component: "{component}"
    grants: [kv, kv/site, files/boot, sinks/out]
    {more}
    limits: {{ time: 20s, wall: 40s }}
    settings: {{ run: {commands} }}
"#
            ),
        )
        .start()
}

fn ask(server: &Server) -> Vec<String> {
    let content = Client::Tuffet.get(server.address(), "ask", Options::default());
    String::from_utf8(content).unwrap().lines().map(str::to_owned).collect()
}

fn away(line: &str) -> bool {
    line.starts_with("unavailable: the NATS servers of the keys are away")
}

#[test]
fn servers_count_together_and_one_reads_what_another_wrote() {
    let Some(nats) = Nats::start() else { return };
    let one = server(&nats, "", &["kv count n", "kv set word hello"]);
    let two = server(&nats, "", &["kv count n", "kv get word"]);
    assert_eq!(ask(&one), ["1", "()"]);
    assert_eq!(ask(&two), ["2", "Some(\"hello\")"]);
    assert_eq!(ask(&one)[0], "3");
    let kv = &two.status()["kv"];
    assert_eq!((&kv["bucket"], &kv["keys"]), (&"site".into(), &2.into()), "{kv}");
    assert!(two.metrics().contains("tuffet_kv_away{bucket=\"site\"} 0\n"), "{}", two.metrics());
    drop((one, two));
    // The bucket outlives all servers, and NATS itself.
    nats.kill();
    nats.again();
    let three = server(&nats, "", &["kv count n", "kv get word"]);
    assert_eq!(until("keys are there", || ask(&three), |lines| !away(&lines[0])), ["4", "Some(\"hello\")"]);
}

/// A namespace that servers share, and a swap that another server's change makes fail. While NATS is away, both fail
/// as other calls do.
#[test]
fn servers_share_a_namespace_and_swap_each_others_keys() {
    let Some(nats) = Nats::start() else { return };
    let one = server(&nats, "", &["kv append log a", "shared site create leader one", "shared site list"]);
    let two =
        server(&nats, "", &["kv append log b", "shared site create leader two", "shared site get leader"]);
    assert_eq!(ask(&one), ["\"a\"", "true", "[\"leader\"]"]);
    assert_eq!(ask(&two), ["\"ab\"", "false", "Some(\"one\")"]);
    assert_eq!(ask(&one)[..2], ["\"aba\"", "false"]);
    nats.kill();
    let lines = until("it is away", || ask(&one), |lines| lines.iter().all(|line| away(line)));
    assert_eq!(lines.len(), 3);
    nats.again();
    let lines = until("keys are there", || ask(&two), |lines| !away(&lines[0]));
    assert_eq!(lines[1..], ["false", "Some(\"one\")"]);
}

/// A NATS server that hangs costs plugins that use keys their time-out, once; no transfer waits, and clients are not
/// sent away.
#[test]
fn a_nats_server_that_hangs_costs_only_plugins_with_keys() {
    let Some(nats) = Nats::start() else { return };
    let fails = server(&nats, "", &["kv set word known", "kv get word"]);
    let knows = server(&nats, "when-away: last-known", &["kv get word", "kv set word new"]);
    assert_eq!(ask(&fails), ["()", "Some(\"known\")"]);
    until("the other server knows it", || knows.status()["kv"]["keys"].clone(), |keys| *keys == 1);
    // A transfer is running, of a request that no plugin decides.
    let mut peer = Peer::new(fails.addresses()[1]);
    peer.ask(&rrq("free/image", &[]));
    assert!(matches!(peer.receive(), Answer::Data(1, _)));

    nats.pause();
    let line = fails.log_line("the NATS servers of the keys do not answer");
    assert_eq!(line["bucket"], "site");
    knows.log_line("the NATS servers of the keys do not answer");
    for block in 1..=300 {
        peer.send(&ack(block));
        assert!(matches!(peer.receive(), Answer::Data(..)), "{block}");
    }
    // Another one starts.
    let mut other = Peer::new(fails.addresses()[1]);
    other.ask(&rrq("free/image", &[]));
    assert!(matches!(other.receive(), Answer::Data(1, _)));
    let begun = Instant::now();
    for _ in 0..10 {
        let lines = ask(&fails);
        assert!(away(&lines[0]) && away(&lines[1]), "{lines:?}");
        let lines = ask(&knows);
        assert!(lines[0] == "Some(\"known\")" && away(&lines[1]), "{lines:?}");
    }
    assert!(begun.elapsed() < SOON, "40 calls with a time-out of 2 s did not wait: {:?}", begun.elapsed());
    let ready = http(fails.admin(), "/readyz", &[]);
    assert_eq!((ready.status, &ready.json()["degraded"][0]["check"]), (200, &"kv".into()), "{ready:?}");
    let metrics = knows.metrics();
    assert!(metrics.contains("tuffet_kv_away{bucket=\"site\"} 1\n"), "{metrics}");
    let mut of_keys = listed();
    of_keys.retain(|name| name.starts_with("tuffet_kv_"));
    let mut there = Exposition::read(&metrics).names();
    there.retain(|name| name.starts_with("tuffet_kv_"));
    assert_eq!(of_keys, there, "docs/metrics.md");
    assert!(metrics.contains("tuffet_kv_last_known_total{bucket=\"site\"} 10\n"), "{metrics}");
    until("the age is told", || knows.status()["kv"]["away_seconds"].clone(), |age| age.as_u64() > Some(0));

    nats.go_on();
    until("keys are there", || ask(&knows), |lines| lines[1] == "()");
    let back = knows.log_line("the NATS servers of the keys answer again");
    assert!(back["last_known"].as_u64() >= Some(10), "{back}");
    assert_eq!(http(knows.admin(), "/readyz", &[]).json().get("degraded"), None);
}

/// NATS is killed and started again while servers count.
#[test]
fn counters_go_on_after_a_crash_of_nats() {
    let Some(nats) = Nats::start() else { return };
    let one = server(&nats, "", &["kv count n"]);
    let two = server(&nats, "", &["kv count n"]);
    let mut counted = 0_u64;
    for round in 0..3 {
        for server in [&one, &two, &one, &two] {
            let lines = until("it counts", || ask(server), |lines| !away(&lines[0]));
            let now: u64 = lines[0].parse().unwrap();
            assert!(now > counted, "round {round}: {now} after {counted}");
            counted = now;
        }
        nats.kill();
        assert!(until("it is away", || ask(&one), |lines| away(&lines[0])).len() == 1);
        nats.again();
    }
}

/// A server starts while NATS is away, and serves; its keys come later.
#[test]
fn a_start_does_not_wait_for_nats() {
    let Some(nats) = Nats::start() else { return };
    nats.kill();
    let begun = Instant::now();
    let server = server(&nats, "when-away: last-known", &["kv set a b", "kv get a"]);
    assert!(begun.elapsed() < SOON);
    let lines = ask(&server);
    assert!(away(&lines[0]) && away(&lines[1]), "nothing is known yet: {lines:?}");
    nats.again();
    assert_eq!(until("keys are there", || ask(&server), |lines| !away(&lines[0])), ["()", "Some(\"b\")"]);
}
