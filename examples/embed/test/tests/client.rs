//! The client over bad networks, and with answers that no good server gives.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

use embed_test::fetch;
use std::net::SocketAddr;
use std::time::Duration;
use tuffet::{Listener, Server, Source, resolve_fn};
use tuffet_testing::{Delivery, Direction, Faults, Network};

fn image() -> Vec<u8> {
    (0..40_000_u32).map(|n| (n / 3) as u8).collect()
}

/// A server with one file, and a client behind this network.
async fn behind(network: impl FnOnce(SocketAddr) -> Network + Send + 'static) -> Vec<u8> {
    let answer = resolve_fn(|asked| (asked.path == "image").then(|| Source::bytes(image())));
    let listener = Listener::bind(SocketAddr::from(([127, 0, 0, 1], 0)));
    let handle =
        Server::builder().listener(listener).resolve("image", answer).bind().unwrap().start().unwrap();
    let server = handle.addresses()[0].1;
    let fetched = tokio::task::spawn_blocking(move || {
        let network = network(server);
        fetch(network.address(), "image").unwrap()
    });
    let fetched = fetched.await.unwrap();
    handle.drain(Duration::ZERO).await;
    fetched
}

#[tokio::test(flavor = "multi_thread")]
async fn losses_copies_and_another_order_do_no_harm() {
    for seed in 0..3 {
        let faults = Faults::seeded(seed).lose(0.05).double(0.05).reorder(0.05);
        let fetched = behind(move |server| Network::start(server, faults).unwrap());
        assert_eq!(fetched.await, image(), "seed {seed}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_fails_once_is_asked_again() {
    let mut failed = false;
    let fail_once = move |direction: Direction, datagram: &[u8]| {
        let fails = direction == Direction::ToClient && !failed;
        failed |= fails;
        let bytes = if fails { b"\0\x05\0\0busy\0".to_vec() } else { datagram.to_vec() };
        vec![Delivery { bytes, ..Delivery::default() }]
    };
    assert_eq!(behind(move |server| Network::start(server, fail_once).unwrap()).await, image());
}
