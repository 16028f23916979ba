//! The first large window does not arrive completely. Its end is missing if it overflows the client's receive
//! buffer, which holds some twenty of 64 blocks of 8192 bytes by default, and the client then waits in
//! silence.

use crate::harness::Answer::{Data, Oack};
use crate::harness::{Client, Network, Options, Peer, SOON, Server, Setup, ack, bytes, rrq, run, skipped};
use std::process::Command;
use std::time::{Duration, Instant};

const SIZE: usize = 1 << 20;
const BLKSIZE: u16 = 8192;
const WINDOW: u16 = 64;
const BLOCKS: u16 = 129;

/// One time-out is 430 ms: the time of the window over a link of 10 Mbit/s, which may be the path. With room
/// for a busy machine; each further time-out would add as much.
const MOST: Duration = Duration::from_millis(700);

/// Takes the best of three: a client that this machine does not schedule loses more than the first window.
fn assert_short(read: impl Fn() -> Duration) {
    assert!(three(read)[0] < MOST);
}

fn three(read: impl Fn() -> Duration) -> [Duration; 3] {
    let mut times = [(); 3].map(|()| read());
    eprintln!("{SIZE} bytes took {times:?}");
    times.sort();
    times
}

/// A client like atftp: it acknowledges whole windows, and reports a gap at the first unexpected block. Of
/// the first window it gets `arrive` blocks; the loss ends with the first retransmission.
fn read(server: &Server, arrive: u16) -> Duration {
    let begin = Instant::now();
    let mut peer = Peer::strict(server.address());
    let (blksize, windowsize) = (BLKSIZE.to_string(), WINDOW.to_string());
    peer.ask(&rrq(&SIZE.to_string(), &[("blksize", &blksize), ("windowsize", &windowsize)]));
    let answer = peer.receive_within(SOON);
    assert_eq!(answer, Some(Oack(format!("blksize={blksize} windowsize={windowsize}"))));

    let content = bytes(SIZE);
    peer.send(&ack(0));
    let (mut taken, mut acknowledged, mut newest, mut is_told) = (0, 0, 0, false);
    let mut is_losing = true;
    while taken < BLOCKS {
        let Some(Data(block, payload)) = peer.receive_within(SOON) else { panic!("DATA was due") };
        is_losing &= block > newest;
        newest = newest.max(block);
        if is_losing && block > arrive {
            continue;
        }
        if block == taken + 1 {
            let from = usize::from(taken) * usize::from(BLKSIZE);
            assert!(content[from..].starts_with(&payload), "block {block}");
            (taken, is_told) = (block, false);
            if taken == acknowledged + WINDOW || taken == BLOCKS {
                peer.send(&ack(taken));
                acknowledged = taken;
            }
        } else if !is_told {
            peer.send(&ack(taken));
            (acknowledged, is_told) = (taken, true);
        }
    }
    begin.elapsed()
}

#[test]
fn nothing_of_it_arrives() {
    let server = Setup::new().sizes(&[SIZE]).start();
    assert_short(|| read(&server, 0));
}

#[test]
fn its_end_does_not_arrive() {
    let server = Setup::new().sizes(&[SIZE]).start();
    assert_short(|| read(&server, 23));
}

/// On loopback, where windows arrive faster than any client reads them.
#[test]
fn its_end_overflows_atftp() {
    if !Client::Atftp.is_installed() {
        return;
    }
    let server = Setup::new().sizes(&[SIZE]).start();
    let options = Options { blksize: Some(BLKSIZE), windowsize: Some(WINDOW), ..Options::default() };
    let times = three(|| {
        let begin = Instant::now();
        assert!(Client::Atftp.get(server.address(), &SIZE.to_string(), options) == bytes(SIZE));
        begin.elapsed()
    });
    // Luck is not the server's merit: the median.
    assert!(times[1] < MOST);
}

/// The kernel drops as many bytes as a window has, before atftp receives them.
#[test]
fn nothing_of_it_reaches_atftp() {
    if !Client::Atftp.is_installed() {
        return;
    }
    let Some(network) = Network::new("02:00:5e:10:00:0e") else { return };
    let inside = network.on_server();
    let run_inside = |words: &[&str]| run(Command::new(&inside[0]).args(&inside[1..]).args(words));
    if !run_inside(&["iptables", "--version"]).status.success() {
        return skipped("iptables is not installed");
    }
    let server = Setup::new().sizes(&[SIZE]).behind(inside.clone()).listen("127.0.0.1:6969").start();
    let (name, local) = (SIZE.to_string(), server.outside().path("local"));
    // It counts IP and UDP headers, once for several blocks if the kernel has them in one packet.
    let quota = (u32::from(WINDOW) * (u32::from(BLKSIZE) + 4 + 28)).to_string();
    let lose = format!("iptables -A INPUT -p udp -m length --length 1000: -m quota --quota {quota} -j DROP");
    let lose: Vec<&str> = lose.split(' ').collect();
    assert_short(|| {
        run_inside(&["iptables", "-F", "INPUT"]).assert_good();
        run_inside(&lose).assert_good();
        let begin = Instant::now();
        run_inside(&[
            "atftp",
            "--option",
            &format!("blksize {BLKSIZE}"),
            "--option",
            &format!("windowsize {WINDOW}"),
            "--get",
            "--remote-file",
            &name,
            "--local-file",
            local.to_str().unwrap(),
            "127.0.0.1",
            "6969",
        ])
        .assert_good();
        let time = begin.elapsed();
        assert!(std::fs::read(&local).unwrap() == bytes(SIZE));
        time
    });
}
