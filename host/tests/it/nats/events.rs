//! The transfers of several servers as one view.

use super::Nats;
use crate::harness::{
    Answer, Client, Events, Options, Peer, SOON, Server, Setup, ack, bytes, http, rrq, tuffet, until,
};
use futures_util::StreamExt;
use serde_json::Value;
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

fn server(nats: &Nats, name: &str, file: &str) -> Server {
    let url = nats.url();
    Setup::new()
        .file(file, &bytes(512 * 40))
        .rest_of_yaml(&format!(
            "events: {{ server: {name}, nats: {{ servers: \"{url}\", subject: site.tftp }} }}\n\
             admin: {{ address: \"127.0.0.1:0\" }}\n"
        ))
        .start()
}

/// Receives all further messages below `subject`.
fn subscribe(nats: &Nats, subject: &'static str) -> Receiver<(String, Value)> {
    let ((ready, is_ready), (sender, receiver)) = (channel(), channel());
    let url = nats.url();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let client = async_nats::connect(url).await.unwrap();
            let mut messages = client.subscribe(subject).await.unwrap();
            client.flush().await.unwrap();
            ready.send(()).unwrap();
            while let Some(message) = messages.next().await {
                let content = serde_json::from_slice(&message.payload).unwrap_or_default();
                if sender.send((message.subject.to_string(), content)).is_err() {
                    return;
                }
            }
        });
    });
    is_ready.recv_timeout(SOON).unwrap();
    receiver
}

fn published(server: &Server) -> u64 {
    counter(server, "tuffet_events_published_total ")
}

fn counter(server: &Server, name: &str) -> u64 {
    let metrics = server.metrics();
    let line = metrics.lines().find_map(|line| line.strip_prefix(name));
    line.unwrap_or_else(|| panic!("{name} is missing in {metrics}")).trim().parse().unwrap()
}

fn ask_for_nothing(server: &Server, name: &str) {
    Peer::new(server.address()).ask(&rrq(name, &[]));
    server.outcome(name);
}

#[test]
fn starts_and_ends_are_published_with_the_name_of_the_server() {
    let Some(nats) = Nats::start() else { return };
    let events = subscribe(&nats, "site.tftp.>");
    let server = server(&nats, "branch.7", "image");
    // Events from before the connection are lost, and counted.
    until("it publishes", || ask_once(&server), |published| *published > 0);
    while events.recv_timeout(std::time::Duration::from_millis(300)).is_ok() {}
    Client::Tuffet.get(server.address(), "image", Options::default());
    let next = || events.recv_timeout(SOON).unwrap();
    let (subject, started) = next();
    assert_eq!((&*subject, &started["server"]), ("site.tftp.started.branch_7", &"branch.7".into()));
    assert_eq!(
        (&started["transfer"]["path"], &started["transfer"]["size"]),
        (&"image".into(), &20480.into())
    );
    let (subject, ended) = next();
    assert_eq!((&*subject, &ended["server"]), ("site.tftp.finished.branch_7", &"branch.7".into()));
    assert_eq!(
        (&ended["transfer"]["outcome"], &ended["transfer"]["bytes"]),
        (&"served".into(), &20480.into())
    );
    assert_eq!(ended["transfer"]["id"], started["transfer"]["id"]);
}

fn ask_once(server: &Server) -> u64 {
    ask_for_nothing(server, "nothing");
    published(server)
}

#[test]
fn one_view_shows_all_servers() {
    let Some(nats) = Nats::start() else { return };
    let top = |url: &str| tuffet(["top", "--once", "--nats", url, "--subject", "site.tftp"]);
    top(&nats.url()).assert_fails(69, &["no server publishes below `site.tftp` there", "`events: {"]);
    let (one, two) = (server(&nats, "one", "kernel"), server(&nats, "two", "initrd"));
    // A transfer that goes on, and one that has ended.
    let mut peer = Peer::new(one.address());
    peer.ask(&rrq("kernel", &[("tsize", "0")]));
    peer.expect(Answer::Oack("tsize=20480".into()));
    peer.send(&ack(0));
    assert!(matches!(peer.receive(), Answer::Data(..)));
    Client::Tuffet.get(two.address(), "initrd", Options::default());
    until(
        "both are shown",
        || top(&nats.url()).stdout,
        |shown| {
            let shown = String::from_utf8_lossy(shown).into_owned();
            ["2 servers", "one: kernel", "two: initrd", "Servers 2", "live", "served"]
                .iter()
                .all(|word| shown.contains(word))
        },
    );
    // The page of each server shows all of them, too.
    let mut live = Events::open(one.admin(), "/api/live?servers=all").unwrap();
    live.until("both servers", |shown| shown["servers"].as_array().map(Vec::len) == Some(2));
    assert_eq!(http(one.admin(), "/api/live?servers=some", &[]).status, 400);
    drop(peer);
    for (bad, why) in [("http://h", "give nats://HOST:PORT"), ("nats://127.0.0.1:1", "does not answer")] {
        let ran = tuffet(["top", "--once", "--nats", bad]);
        assert!(ran.stderr.contains(why), "{ran:?}");
    }
}

/// A snapshot is published only while somebody watches.
#[test]
fn nobody_watches_and_nothing_is_published() {
    let Some(nats) = Nats::start() else { return };
    let now = subscribe(&nats, "site.tftp.now.>");
    let server = server(&nats, "one", "image");
    until("it publishes", || ask_once(&server), |published| *published > 0);
    assert!(now.recv_timeout(std::time::Duration::from_millis(2500)).is_err(), "nobody watches");
    tuffet(["top", "--once", "--nats", &nats.url(), "--subject", "site.tftp"]).assert_good();
    let (subject, content) = now.recv_timeout(SOON).unwrap();
    assert_eq!((&*subject, &content["server"]), ("site.tftp.now.one", &"one".into()));
    assert!(content["snapshot"]["finished"].as_array().is_some_and(|rows| !rows.is_empty()), "{content}");
}

/// A NATS server that is away or hangs costs events, which are counted, and no transfer anything.
#[test]
fn a_nats_server_that_is_away_costs_no_transfer_anything() {
    let Some(nats) = Nats::start() else { return };
    let server = server(&nats, "one", "image");
    until("it publishes", || ask_once(&server), |published| *published > 0);
    nats.pause();
    let begun = Instant::now();
    for number in 0..100 {
        ask_for_nothing(&server, &format!("n{number}"));
    }
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    nats.kill();
    server.log_line("transfers are not published");
    let lost = |server: &Server| {
        ask_for_nothing(server, "lost");
        counter(server, "tuffet_events_dropped_total ")
    };
    until("losses are counted", || lost(&server), |dropped| *dropped > 0);
    nats.again();
    let before = published(&server);
    until("it publishes again", || ask_once(&server), |published| *published > before);
    server.log_line("the NATS servers of the events answer again");
}
