//! Nobody reads standard error.

use crate::harness::{Answer, Peer, SOON, Server, Setup, ack, rrq, run_as_it_is, until};
use std::io::{Write, pipe};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const CLIENTS: u64 = 4;

const DROPPED: &str = "log lines were dropped: standard error took no more";

/// Downloads a file of one byte so many times, by several clients at once, which ask again as clients do. Fails when the
/// server stops answering.
fn download(server: &Server, times: u64) {
    thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                let mut peer = Peer::new(server.address());
                for _ in 0..times / CLIENTS {
                    let end = Instant::now() + SOON;
                    loop {
                        peer.ask(&rrq("1", &[]));
                        match peer.receive_within(Duration::from_millis(500)) {
                            Some(answer) => break assert_eq!(answer, Answer::Data(1, vec![b'x'])),
                            None => assert!(Instant::now() < end, "the server does not answer"),
                        }
                    }
                    peer.send(&ack(1));
                }
            });
        }
    });
}

/// 2,000 summaries find room where they wait for the log.
fn server() -> Server {
    Setup::new().file("1", b"x").rest_of_yaml("workers: 1\nlimits: { transfers: 1000 }\n").start()
}

fn dropped(server: &Server) -> u64 {
    let metrics = server.metrics();
    let count = metrics.lines().find_map(|line| line.strip_prefix("tuffet_log_lines_dropped_total "));
    count.unwrap_or_else(|| panic!("{metrics}")).parse().unwrap()
}

/// SIGTERM, and the time that the process takes.
fn terminated(server: &Server) -> Duration {
    let begun = Instant::now();
    server.terminate();
    while !server.has_ended() {
        assert!(begun.elapsed() < SOON, "it does not end");
        thread::sleep(Duration::from_millis(10));
    }
    begun.elapsed()
}

#[test]
fn the_server_answers_and_ends_although_nobody_reads_30_000_lines() {
    let server = server();
    server.leave_log_unread(true);
    download(&server, 30_000);
    // 4 MiB hold some 10,000 lines.
    until("most lines are dropped", || dropped(&server), |lines| *lines > 15_000);
    let took = terminated(&server);
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn a_reader_that_wakes_up_gets_what_fits_and_the_number_of_the_others() {
    let server = server();
    server.leave_log_unread(true);
    while dropped(&server) == 0 {
        download(&server, 400);
    }
    server.live_until("the end of all", |live| {
        let ended =
            live["totals"]["ended"].as_array().unwrap().iter().map(|it| it["count"].as_u64().unwrap());
        live["totals"]["admitted"] == ended.sum::<u64>()
    });
    server.leave_log_unread(false);
    let report = server.logged(DROPPED);
    assert_eq!(report["level"], "WARN");
    download(&server, 4);
    assert_eq!(report["lines"], dropped(&server));
    server.terminate();
    assert_eq!(server.wait().code(), Some(0));
    // Nothing is missing but what was counted, and the gap is where it was.
    let log = server.log();
    let transfers =
        |log: &str| log.lines().filter(|line| line.contains("\"message\":\"transfer\"")).count() as u64;
    let (before, after) = log.split_once(DROPPED).unwrap();
    let totals = server.unread().into_iter().find(|line| line["message"] == "totals").unwrap();
    let all = transfers(before) + report["lines"].as_u64().unwrap() + transfers(after);
    assert_eq!(totals["admitted"], all);
    assert!(transfers(before) > 1000 && transfers(after) >= 4 && !after.contains(DROPPED));
    let last = log.lines().next_back().unwrap();
    assert!(last.contains("\"message\":\"stopped\""), "the end is there: {last}");
}

/// An error of the start is written if somebody reads it, and keeps nobody waiting otherwise.
#[test]
fn a_start_that_fails_ends_although_nobody_reads() {
    let arguments = ["serve", "--root", "/no/such/folder", "--listen", "127.0.0.1:0"];
    let (_reader, mut writer) = pipe().unwrap();
    // As full as it gets.
    rustix::io::ioctl_fionbio(&writer, true).unwrap();
    while writer.write(&[b'x'; 4096]).is_ok() {}
    rustix::io::ioctl_fionbio(&writer, false).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_tuffet"))
        .args(arguments)
        .stdin(Stdio::null())
        .stderr(Stdio::from(writer))
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begun.elapsed() > SOON {
            let _ = child.kill();
            panic!("it does not end");
        }
        thread::sleep(Duration::from_millis(10));
    };
    assert_eq!(status.code(), Some(66));
    let ran =
        run_as_it_is(Command::new(env!("CARGO_BIN_EXE_tuffet")).args(arguments).stdin(Stdio::null()), SOON);
    ran.assert_fails(66, &["--root /no/such/folder"]);
}
