//! A plugin that reads an upload from a disk that hangs.

use super::download_image;
use crate::harness::{Answer, Pace, Peer, Setup, SlowDisk, Step, data, wrq};
use crate::policy::probe;
use rustix::fs::{Advice, fadvise};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;

/// The read waits, for as long as its call may take, and its upload is refused. Nobody else waits.
#[test]
fn a_read_of_an_upload_that_hangs_costs_its_call() {
    let Some(disk) = SlowDisk::mount() else { return };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let yaml = format!(
        "roots:\n  - {{ name: boot, path: root }}\n  - {{ name: slow, path: {}, writable: true, overwrite: true }}\n\
         workers: 1\nstate: state\nsinks: {{ out: {{ file: out.jsonl }} }}\npolicy: {{ accept-upload: [gate], \
         time-limit: 40s }}\nplugins:\n  gate:\n    component: {:?}\n    grants: [kv, files/boot, sinks/out, upload, \
         \"http/127.0.0.1:{port}\"]\n    limits: {{ time: 1s, wall: 2s }}\n    settings: {{ upload: run, run: [\"get \
         http://127.0.0.1:{port}/\", upload 0 4] }}\n",
        disk.path().display(),
        probe()
    );
    let server = Setup::new().file("image", &super::bytes(super::IMAGE)).yaml(&yaml).start();
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("up", &[]));
    peer.expect(Answer::Ack(0));
    peer.send(&data(1, b"content"));
    // The plugin is about to read. What the kernel has of the file would spare it the disk.
    let (stream, _) = listener.accept().unwrap();
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    while line != "\r\n" {
        line.clear();
        assert!(reader.read_line(&mut line).unwrap() > 0);
    }
    let names = disk.names();
    let [temporary] = names.as_slice() else { panic!("{names:?}") };
    let file = File::open(disk.path().join(temporary)).unwrap();
    fadvise(&file, 0, None, Advice::DontNeed).unwrap();
    drop(file);
    disk.set(Step::Read, "", Pace::Hangs);
    reader.get_mut().write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").unwrap();
    disk.hangs(Step::Read, 1);
    download_image(&server);
    loop {
        match peer.receive() {
            Answer::Ack(0) => {}
            answer => break assert_eq!(answer, Answer::Error(0, "policy failure".into())),
        }
    }
    let line = server.outcome("up");
    assert_eq!(line["outcome"], "denied");
    let detail = line["detail"].as_str().unwrap();
    assert!(detail.contains("it waited for the content of the upload"), "{line:#}");
    disk.release();
    assert!(disk.content("up").is_none());
}
