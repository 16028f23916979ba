//! The server's side with simulated starters. `host/tests/it/policy/compilers.rs` tests the real one.

use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::channel;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

use super::Compilers;
use super::answer::{CompileOutcome, CompilerAnswer, outcome};
use super::starter::receive;

const LONG: Duration = Duration::from_secs(60);

/// Requests the compilation of this many bytes; `starter` has the other end of the conversation.
fn ask<T: Send + 'static>(
    deadline: Duration,
    length: usize,
    starter: impl FnOnce(UnixStream) -> T + Send + 'static,
) -> (CompileOutcome, JoinHandle<T>) {
    let (ours, its) = control();
    let starter = thread::spawn(move || starter(receive(&its).unwrap().unwrap()));
    (Compilers::over(ours, deadline).compile(&vec![7; length], 1, true), starter)
}

fn control() -> (OwnedFd, OwnedFd) {
    socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).unwrap()
}

fn answering(text: &'static str) -> CompileOutcome {
    let answer = move |mut socket: UnixStream| {
        io::copy(&mut socket, &mut io::sink()).unwrap();
        socket.write_all(text.as_bytes()).unwrap();
    };
    let (outcome, starter) = ask(LONG, 1 << 20, answer);
    starter.join().unwrap();
    outcome
}

#[test]
fn an_answer_counts_with_a_good_end_alone() {
    assert_eq!(answering("compiled\n\nended 0\n"), CompileOutcome::Compiled);
    assert_eq!(answering("some words\nkept\n\nended 0\n"), CompileOutcome::Cached);
    assert_eq!(answering("refused no wasm\n\nended 0\n"), CompileOutcome::Refused("no wasm".into()));
    for unavailable in [
        "",
        "compiled\n",
        "\nended 0\n",
        "nonsense\n\nended 0\n",
        "compiled\n\nended 127\n",
        "unstored the disk is full\n\nended 0\n",
        "\nunstarted No such file or directory\n",
    ] {
        assert!(matches!(answering(unavailable), CompileOutcome::Unavailable(_)), "{unavailable}");
    }
    let CompileOutcome::Refused(why) = answering("memory allocation of 9 bytes failed\n\nkilled 6\n") else {
        panic!("it crashed")
    };
    assert!(why.contains("signal 6") && why.contains("memory allocation of 9 bytes failed"), "{why}");
    let CompileOutcome::Refused(why) = answering("thread 'main' panicked\n\nended 101\n") else {
        panic!("it panicked")
    };
    assert!(why.contains("report it") && why.contains("thread 'main' panicked"), "{why}");
}

#[test]
fn each_answer_is_one_line_whatever_the_reason() {
    let refused = CompilerAnswer::Refused("first\ncompiled\nended 0".into()).to_string();
    assert_eq!(refused.lines().count(), 1);
    assert_eq!(
        outcome(&format!("{refused}\n\nended 0\n")),
        CompileOutcome::Refused("first compiled ended 0".into())
    );
}

#[test]
fn a_component_that_takes_too_long_is_refused_and_its_compiler_let_go() {
    // One fits into the buffer of the socket, the other does not.
    for length in [1, 64 << 20] {
        let (let_go, is_let_go) = channel();
        let (outcome, starter) = ask(Duration::from_millis(50), length, move |mut socket: UnixStream| {
            // Neither reads nor answers.
            is_let_go.recv().unwrap();
            io::copy(&mut socket, &mut io::sink()).unwrap();
            socket.write_all(b"too late")
        });
        let CompileOutcome::Refused(why) = outcome else { panic!("{outcome:?}") };
        assert!(why.contains("within 50ms"), "{why}");
        let_go.send(()).unwrap();
        assert_eq!(starter.join().unwrap().unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}

#[test]
fn a_starter_that_ended_is_no_problem_of_the_component() {
    let (ours, its) = control();
    drop(its);
    let compilers = Compilers::over(ours, LONG);
    assert!(matches!(compilers.compile(b"component", 1, true), CompileOutcome::Unavailable(_)));
    // The starter ends while it has the socket.
    let (outcome, starter) = ask(LONG, 1 << 20, drop);
    starter.join().unwrap();
    assert!(matches!(outcome, CompileOutcome::Unavailable(_)), "{outcome:?}");
}

#[test]
fn endless_output_is_not_read_to_its_end() {
    let (outcome, starter) =
        ask(LONG, 1, |mut socket: UnixStream| while socket.write_all(&[b'w'; 4096]).is_ok() {});
    starter.join().unwrap();
    assert!(matches!(outcome, CompileOutcome::Unavailable(_)), "{outcome:?}");
}
