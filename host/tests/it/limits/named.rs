//! Lines and explanations name the client that a limit refuses.

use super::{GREEDY, HONEST, reading, server, until_dropped};
use crate::harness::{Peer, Ran, Server, error, rrq, run};
use std::net::Ipv4Addr;
use std::process::Command;

fn explain(server: &Server, client: Ipv4Addr) -> Ran {
    let socket = server.outside().0.join("control");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    command.args(["explain", "--live", "--control"]).arg(socket).args([
        "--client",
        &client.to_string(),
        "5000",
    ]);
    run(&mut command)
}

#[track_caller]
fn assert_shows(ran: &Ran, parts: &[&str]) {
    let text = String::from_utf8_lossy(&ran.stdout);
    assert!(parts.iter().all(|part| text.contains(part)), "{parts:?} in\n{text}");
}

#[test]
fn of_transfers_at_once() {
    let server = server("per-client: { transfers: 2 }");
    let running = [reading(GREEDY, &server), reading(GREEDY, &server)];
    let more = Peer::from(GREEDY, server.address());
    for _ in 0..3 {
        more.ask_meanwhile(&rrq("5000", &[]));
    }
    until_dropped(&server, "limit-client-transfers", 3);
    let line = server.log_line("requests were dropped because `limits.per-client.transfers` was reached");
    assert_eq!(line["client"], GREEDY.to_string(), "{line:#}");
    assert!((1..=3).contains(&line["client_requests"].as_u64().unwrap()), "{line:#}");

    let greedy = explain(&server, GREEDY);
    assert_eq!(greedy.code(), 1, "{greedy:?}");
    assert_shows(
        &greedy,
        &[
            "limits.per-client.transfers: 2 of 2 taken; 3 requests of this client were dropped, the last one ",
            "; REACHED: the request would be dropped",
            "not admitted, because a limit is reached: limits.per-client.transfers",
        ],
    );
    let honest = explain(&server, HONEST);
    assert_eq!(honest.code(), 0, "{honest:?}");
    assert_shows(&honest, &["limits.per-client.transfers: 0 of 2 taken\n"]);

    // What was running ends, and the explanation shows how.
    running[0].send(&error(3, "disk full"));
    assert_eq!(server.outcome("5000")["outcome"], "aborted");
    let later = explain(&server, GREEDY);
    assert_eq!(later.code(), 0, "{later:?}");
    assert_shows(
        &later,
        &[
            "1 of 2 taken; 3 requests of this client were dropped",
            "last       aborted ",
            "read 5000; ERROR 3",
        ],
    );
}

#[test]
fn of_requests_a_second() {
    let server = server("per-client: { per-second: 1, burst: 3 }");
    let greedy = Peer::from(GREEDY, server.address());
    let text = loop {
        (0..10).for_each(|_| greedy.ask_meanwhile(&rrq("missing", &[])));
        let text = String::from_utf8(explain(&server, GREEDY).stdout).unwrap();
        if text.contains("dropped, the last one") {
            break text;
        }
    };
    assert!(text.contains("limits.per-client.per-second: 1 a second, "), "{text}");
    assert!(text.contains(" of a burst of 3 taken"), "{text}");
    assert!(text.contains("last       not-found "), "{text}");
    assert_shows(
        &explain(&server, HONEST),
        &["limits.per-client.per-second: 1 a second, 0 of a burst of 3 taken\n"],
    );
}
