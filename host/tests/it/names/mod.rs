//! Names and rules of files as drop-in replacements for other servers need them: `roots[]` beyond the path.

mod aliases;
mod boot_chain;
mod case;
mod latin;
mod rules;
mod windows;

use crate::harness::{Answer, Peer, Ran, Server, ack, compiled, data, rrq, run, wrq};
use std::process::Command;

/// Reads a file of less than one block. Returns the answer to the request.
fn read(server: &Server, name: &str) -> Answer {
    ask(server, &rrq(name, &[]))
}

fn ask(server: &Server, packet: &[u8]) -> Answer {
    let mut peer = Peer::new(server.address());
    peer.ask(packet);
    let answer = peer.receive();
    if let Answer::Data(1, _) = answer {
        peer.send(&ack(1));
    }
    answer
}

/// Uploads `written`. Returns the last answer.
fn write(server: &Server, name: &str) -> Answer {
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq(name, &[]));
    match peer.receive() {
        Answer::Ack(0) => {
            peer.send(&data(1, b"written"));
            peer.receive()
        }
        refused => refused,
    }
}

fn content(bytes: &[u8]) -> Answer {
    Answer::Data(1, bytes.to_vec())
}

fn not_found() -> Answer {
    Answer::Error(1, "file not found".into())
}

fn denied() -> Answer {
    Answer::Error(2, "access denied".into())
}

/// Explains a request in the running server.
fn explain(server: &Server, arguments: &[&str]) -> Ran {
    let socket = server.outside().0.join("control");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    command.env("CACHE_DIRECTORY", compiled());
    command.args(["explain", "--live", "--control"]).arg(socket).args(arguments);
    run(&mut command)
}

#[track_caller]
fn assert_explains(ran: &Ran, code: i32, parts: &[&str]) {
    let text = String::from_utf8_lossy(&ran.stdout);
    assert_eq!(ran.code(), code, "{ran:?}");
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
}
