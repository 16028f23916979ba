//! `tuffet faults`: a client behind it, and the lines that tell what was done.

use crate::harness::{Ran, Server, Setup, bytes, run};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, UdpSocket};
use std::process::{Child, ChildStdout, Command, Stdio};

/// A running `tuffet faults`.
struct Faults {
    child: Child,
    stdout: BufReader<ChildStdout>,
    address: SocketAddr,
}

impl Faults {
    /// Returns once it takes requests.
    fn start(server: &Server, arguments: &[&str]) -> Faults {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
        command.args(["faults", "--listen", "127.0.0.1:0", "--server", &server.address().to_string()]);
        let mut child = command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let address = line.split(' ').next().unwrap().parse().unwrap_or_else(|_| panic!("{line}"));
        assert!(line.contains(&format!(" in front of {}, seed ", server.address())), "{line}");
        Faults { child, stdout, address }
    }

    /// Reads a file of the server in lockstep, without options.
    fn get(&self, name: &str) -> Ran {
        self.get_with(name, &["--blksize", "512", "--windowsize", "1"])
    }

    fn get_with(&self, name: &str, arguments: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
        command.args(["get", &format!("tftp://{}/{name}", self.address), "-q", "-o", "-"]);
        run(command.args(arguments))
    }

    /// Ends it; returns the lines after the first.
    fn end(mut self) -> Vec<String> {
        self.child.kill().unwrap();
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        rest.lines().map(str::to_owned).collect()
    }
}

impl Drop for Faults {
    fn drop(&mut self) {
        // It may have been ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The faults by direction and number of their datagram.
fn by_number(lines: &[String]) -> BTreeMap<(bool, u64), String> {
    let parsed = lines.iter().map(|line| {
        let mut parts = line.splitn(3, ": ");
        let (which, faults) = (parts.next().unwrap(), parts.next().unwrap());
        let number = which.rsplit(' ').next().unwrap().parse().unwrap();
        ((which.starts_with("to client"), number), faults.to_owned())
    });
    parsed.collect()
}

#[test]
fn the_file_arrives_and_a_seed_repeats_what_was_done() {
    let server = Setup::new().sizes(&[60_000]).start();
    let go = || {
        let network = Faults::start(
            &server,
            &["--seed", "7", "--lose", "0.05", "--double", "0.05", "--reorder", "0.05", "--delay", "1ms"],
        );
        let ran = network.get("60000");
        ran.assert_good();
        assert!(ran.stdout == bytes(60_000));
        network.end()
    };
    let (one, other) = (go(), go());
    for fault in ["lost", "doubled", "late"] {
        assert!(one.iter().any(|line| line.contains(fault)), "{fault}: {one:#?}");
    }
    assert!(one.iter().any(|line| line.ends_with(", 512 bytes")), "{one:#?}");
    let (one, other) = (by_number(&one), by_number(&other));
    for is_to_client in [true, false] {
        // A packet that was repeated by time counts, so the runs need not be equally long.
        let last = |all: &BTreeMap<(bool, u64), String>| {
            all.keys().filter(|(it, _)| *it == is_to_client).map(|(_, number)| *number).max().unwrap()
        };
        let range = (is_to_client, 0)..=(is_to_client, last(&one).min(last(&other)));
        assert!(one.range(range.clone()).eq(other.range(range)), "{one:#?} {other:#?}");
    }
}

#[test]
fn wrong_answers_that_a_client_survives() {
    let server = Setup::new().sizes(&[3000]).start();
    // The seeds leave the first answer alone: a client may end with ERROR 8 if it cannot read an OACK.
    for (wrong, seed, count) in
        [("tid=1", "3", 5), ("block=1", "3", 6), ("opcode=0.3", "4", 1), ("truncated=0.3", "4", 1)]
    {
        let network = Faults::start(&server, &["--seed", seed, "--wrong", wrong]);
        let ran = network.get("3000");
        assert!(ran.stdout == bytes(3000), "{wrong}: {}", ran.stderr);
        let lines = network.end();
        let kind = format!("wrong {}", wrong.split('=').next().unwrap());
        assert!(lines.len() >= count && lines.iter().all(|line| line.contains(&kind)), "{wrong}: {lines:#?}");
    }
}

/// A client can tell each wrong answer, also where the network does other things besides: what ends well is right.
#[test]
fn wrong_answers_on_a_bad_network_with_windows() {
    const SIZE: usize = 30_000;
    let yaml = "roots: [{ name: boot, path: root, writable: true }]\n";
    let server = Setup::new().yaml(yaml).sizes(&[SIZE]).start();
    let local = server.outside().path("local");
    std::fs::write(&local, bytes(SIZE)).unwrap();
    let seed = |seed: u32| {
        let seed = seed.to_string();
        let faults =
            ["--seed", &seed, "--lose", "0.05", "--double", "0.05", "--reorder", "0.1", "--jitter", "2ms"];
        let wrong = ["--wrong", "block=0.2,tid=0.2,opcode=0.01,truncated=0.01"];
        let network = Faults::start(&server, &[&faults[..], &wrong].concat());
        let windows = ["--blksize", "512", "--windowsize", "8"];
        let got = network.get_with(&SIZE.to_string(), &windows);
        let (name, mut command) = (format!("up{seed}"), Command::new(env!("CARGO_BIN_EXE_tuffet")));
        command.args(["put", "-q"]).args(windows).arg(&local);
        let put = run(command.arg(format!("tftp://{}/{name}", network.address)));
        // An ERROR that answers what is broken ends a transfer.
        let is_right = got.code() != 0 || got.stdout == bytes(SIZE);
        let is_stored = put.code() != 0 || server.root().read(&name) == bytes(SIZE);
        assert!(is_right && is_stored, "seed {seed}: {is_right} {is_stored} {:#?}", network.end());
        usize::from(got.code() == 0) + usize::from(put.code() == 0)
    };
    let ended_well: usize = std::thread::scope(|scope| {
        let all: Vec<_> = (0..6)
            .map(|number| {
                scope.spawn({
                    let seed = &seed;
                    move || seed(number)
                })
            })
            .collect();
        all.into_iter().map(|its| its.join().unwrap()).sum()
    });
    assert!(ended_well >= 6, "{ended_well} of 12");
}

#[test]
fn wrong_answers_that_end_a_transfer() {
    let server = Setup::new().sizes(&[3000]).start();
    let lockstep: &[&str] = &["--blksize", "512", "--windowsize", "1"];
    let cases: [(&str, &[&str], i32, &str); 4] = [
        ("error=1", lockstep, 1, "a fault on purpose"),
        ("oack", lockstep, 76, "refused"),
        ("oack", &[], 76, "refused"),
        ("oack-larger", &[], 76, "refused"),
    ];
    for (wrong, arguments, code, word) in cases {
        let network = Faults::start(&server, &["--wrong", wrong]);
        network.get_with("3000", arguments).assert_fails(code, &[word]);
        let lines = network.end();
        assert!(lines.first().is_some_and(|line| line.starts_with("to client 1: wrong ")), "{lines:#?}");
    }
}

#[test]
fn mistakes() {
    let fails = |arguments: &[&str], code: i32, words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
        run(command.arg("faults").args(arguments)).assert_fails(code, words);
    };
    fails(&["--wrong", "tids"], 64, &["tid, block, error"]);
    fails(&["--wrong", "tid=2"], 64, &["from 0 to 1"]);
    fails(&["--lose", "5%"], 64, &["from 0 to 1"]);
    fails(&["--delay", "1h"], 64, &["up to 1m"]);
    let taken = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    fails(&["--listen", &address], 71, &[&address]);
}
