//! Requests with errors, made from good ones by a seed.

use super::client::Client;
use super::{Served, content, limits};
use std::io::Read;
use std::net::{Shutdown, SocketAddr};
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;
use tuffet_testkit::seeds::{run, seeds};

/// Connections at the same time.
const THREADS: u64 = 8;

const GOOD: &[&str] = &[
    "GET /memory/300.txt HTTP/1.1\r\nHost: test\r\nRange: bytes=10-20\r\nIf-Range: \"a\"\r\n\r\n",
    "GET /memory/300.txt HTTP/1.1\r\nHost: test\r\nIf-None-Match: W/\"a\", \"b\"\r\nIf-Match: *\r\n\r\n",
    "HEAD /memory/300 HTTP/1.1\r\nHost: test\r\nIf-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n",
    "PUT /some HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nabcde",
    "PUT /some HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: y\r\n\r\n",
    "GET http://test/memory/%33%30 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
];

/// What is put between: each has a meaning somewhere.
const WORDS: &[&str] = &[
    "\r\n",
    "\n",
    "\r",
    "\0",
    " ",
    "\t",
    ":",
    ",",
    "\"",
    "%",
    "%00",
    "%2e%2e/",
    "/../",
    "*",
    "-",
    "=",
    "bytes=",
    "99999999999999999999",
    "Content-Length: 3\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Host: other\r\n",
    "Range: bytes=-0\r\n",
    "HTTP/2.0",
    "\u{e4}",
];

fn broken(random: &mut fastrand::Rng) -> Vec<u8> {
    let mut bytes = GOOD[random.usize(..GOOD.len())].as_bytes().to_vec();
    for _ in 0..random.usize(1..4) {
        let at = random.usize(..=bytes.len());
        let to = (at + random.usize(..12)).min(bytes.len());
        match random.u8(..5) {
            0 => drop(bytes.drain(at..to)),
            1 => bytes.extend_from_within(at..to),
            2 if at < bytes.len() => bytes[at] = random.u8(..),
            3 => bytes.truncate(to),
            _ => drop(bytes.splice(at..at, WORDS[random.usize(..WORDS.len())].bytes())),
        }
    }
    bytes
}

/// Sends garbage, and takes whatever comes.
fn check(server: SocketAddr, random: &mut fastrand::Rng, bytes: &[u8]) {
    let mut client = Client::connect(server);
    client.send(bytes);
    if random.bool() {
        let _ = client.0.get_ref().shutdown(Shutdown::Write);
    }
    let mut answer = Vec::new();
    // It may be reset.
    let _ = client.0.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer);
    let is_answer = answer.is_empty() || answer.starts_with("HTTP/1.1 ") || answer.starts_with("HTTP/1.0 ");
    assert!(is_answer, "{answer:?}");
}

#[test]
fn garbage_gets_an_answer_or_none_and_harms_nobody() {
    let panics = Arc::new(AtomicUsize::new(0));
    let (counted, before) = (Arc::clone(&panics), panic::take_hook());
    panic::set_hook(Box::new(move |info| {
        if thread::current().name().is_some_and(|name| name.starts_with("tokio")) {
            counted.fetch_add(1, Ordering::Relaxed);
        }
        before(info);
    }));
    let served =
        Served::with(limits(|limits| limits.head_timeout = Duration::from_millis(50)), |builder| builder);
    let address = served.address;
    let all = seeds(1600);
    let work = move |thread| {
        for seed in all.clone().filter(|seed| seed % THREADS == thread) {
            let mut random = fastrand::Rng::with_seed(seed);
            let bytes = broken(&mut random);
            let describe = || format!("{:?}", String::from_utf8_lossy(&bytes));
            run(seed, "-p tuffet-http --test server garbage", describe, || {
                check(address, &mut random, &bytes)
            });
        }
    };
    let threads: Vec<_> = (0..THREADS)
        .map(|thread| {
            thread::spawn({
                let work = work.clone();
                move || work(thread)
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(panics.load(Ordering::Relaxed), 0);
    assert_eq!(served.ask(&["GET /memory/300 HTTP/1.1"]).body, content(300));
}
