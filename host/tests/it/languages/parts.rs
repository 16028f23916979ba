//! Content in parts behind a real server, in every language: clients share it, and what fails ends its transfers alone.

use super::each_language;
use crate::harness::{Answer, Client, Options, Peer, Server, Setup, ack, rrq};

/// A part, as one block.
const PART: usize = 512;

fn server(guest: &str, limits: &str, renders: &str) -> Server {
    Setup::new()
        .yaml(&format!(
            r#"
workers: 1
roots: [{{ name: boot, path: root }}]
state: state
policy: {{ resolve: [it], time-limit: 60s }}
plugins:
  it:
    component: "{guest}"
    grants: [kv]
    breaker: {{ failures: 100 }}
    reuse: {{ calls: 1000, idle: 1h }}
    limits: {{ {limits} }}
    settings:
      rules: [{{ hook: resolve, path: "*", answer: {{ serve: {{ candidates: [{{ rendering: "{{path}}" }}] }} }} }}]
      renders: {{ {renders} }}
"#
        ))
        .start()
}

/// What the guest makes.
fn made(size: usize) -> Vec<u8> {
    (0..size).map(|at| (at % 251) as u8).collect()
}

/// Calls of the guest so far.
fn calls(server: &Server) -> u64 {
    let metrics = server.metrics();
    let line = metrics.lines().find(|line| line.starts_with("tuffet_plugin_calls_total{"));
    line.and_then(|line| line.rsplit_once(' ')?.1.parse().ok()).unwrap_or_default()
}

each_language!(clients_share_more_than_a_hundred_parts);

fn clients_share_more_than_a_hundred_parts(guest: &str) {
    const PARTS: usize = 120;
    let size = PARTS * PART;
    let renders = format!("image: {{ parts: {size}, part-bytes: {PART}, name: an image }}");
    let server = server(guest, "time: 20s, wall: 40s", &renders);
    let address = server.address();
    let get = || assert!(Client::Tuffet.get(address, "image", Options::default()) == made(size));
    std::thread::scope(|scope| {
        scope.spawn(get);
        scope.spawn(get);
    });
    // Two calls of `resolve`, and one of `begin`.
    assert_eq!(calls(&server), 2 + 1 + PARTS as u64, "one rendering for both");
    get();
    assert_eq!(calls(&server), 3 + 1 + PARTS as u64, "it was kept");
    let line = server.outcome("image");
    assert_eq!(line["resolved"], "content/an image", "{line:#}");
}

each_language!(a_part_that_fails_ends_the_transfer);

fn a_part_that_fails_ends_the_transfer(guest: &str) {
    let renders = "
        trap: { parts: 9, each-part: [[fail, on purpose]] },
        empty: { parts: 9, part-bytes: 0 },
        long: { parts: 9, part-bytes: 10 },
        ends: { parts: 1536, part-bytes: 512, ends-at: 512 },
        loop: { parts: 9, each-part: [[loop]] },
        good: { parts: 9 }";
    let server = server(guest, "time: 1s, wall: 40s", renders);
    for (path, why) in [
        ("trap", "on purpose"),
        ("empty", "its part at byte 0 has 0 bytes: 1 to 9 were asked for"),
        ("long", "its part at byte 0 has 10 bytes: 1 to 9 were asked for"),
        ("ends", "it refused the part at byte 512: on purpose"),
        // Nothing of it was kept.
        ("ends", "it refused the part at byte 512: on purpose"),
        ("loop", "it computed for more than 1s (limits.time)"),
    ] {
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq(path, &[]));
        if path == "ends" {
            peer.expect(Answer::Data(1, made(PART)));
            peer.send(&ack(1));
        }
        peer.expect_error(0);
        let line = server.outcome(path);
        assert_eq!(line["outcome"], "failed", "{line:#}");
        assert!(line["detail"].as_str().is_some_and(|detail| detail.contains(why)), "{line:#}");
    }
    assert!(Client::Tuffet.get(server.address(), "good", Options::default()) == made(9));
}
