//! The same for requests by HTTP, whose connections share a thread here.

use super::{IMAGE, beside};
use crate::harness::{Pace, SlowDisk, Step, bytes, connect};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

/// Asks for a file; the connection is closed after the answer.
fn ask(web: SocketAddr, name: &str) -> TcpStream {
    let mut stream = connect(web);
    let head = format!("GET /{name} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    stream
}

#[track_caller]
fn assert_gets(mut stream: TcpStream, content: &[u8]) {
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    assert!(
        answer.starts_with(b"HTTP/1.1 200 OK\r\n") && answer.ends_with(content),
        "{} bytes",
        answer.len()
    );
}

#[test]
fn whatever_hangs_on_a_disk_keeps_no_connection_but_its_own() {
    let Some(disk) = SlowDisk::mount() else { return };
    let steps =
        [(Step::Lookup, "looked-up"), (Step::Open, "opened"), (Step::Read, "read"), (Step::Close, "closed")];
    for (step, name) in steps {
        disk.file(name, &bytes(3000));
        disk.set(step, name, Pace::Hangs);
    }
    let http = "http: { listeners: [{ name: web, address: \"127.0.0.1:0\" }] }\nlimits: { open-time: 5m }\n";
    let server = beside(&disk, http);
    let url = server.logged("listening by HTTP")["url"].as_str().unwrap().to_owned();
    let web: SocketAddr = url.trim_start_matches("http://").parse().unwrap();
    let mut waiting = Vec::new();
    for (step, name) in steps {
        let stream = ask(web, name);
        disk.hangs(step, 1);
        waiting.push(stream);
        for _ in 0..4 {
            assert_gets(ask(web, "image"), &bytes(IMAGE));
        }
    }
    disk.release();
    for stream in waiting {
        assert_gets(stream, &bytes(3000));
    }
    for (_, name) in steps {
        assert_eq!(server.outcome(name)["outcome"], "served");
    }
}
