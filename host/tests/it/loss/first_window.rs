//! The first large window does not arrive completely at a real client. Its end is missing if it overflows the receive
//! buffer, which holds some twenty of 64 blocks of 8192 bytes by default, and the client then waits in silence. The
//! simulation of the core asserts that it costs one time-out (`a_lost_first_window_costs_one_time_out`).

use crate::harness::{Client, Network, Options, Setup, assert_moved, bytes, run, skipped};
use std::process::Command;

const SIZE: usize = 1 << 20;
const BLKSIZE: u16 = 8192;
const WINDOW: u16 = 64;

/// On loopback, where windows arrive faster than any client reads them.
#[test]
fn its_end_overflows_atftp() {
    if !Client::Atftp.is_installed() {
        return;
    }
    let server = Setup::new().sizes(&[SIZE]).start();
    let options = Options { blksize: Some(BLKSIZE), windowsize: Some(WINDOW), ..Options::default() };
    assert!(Client::Atftp.get(server.address(), &SIZE.to_string(), options) == bytes(SIZE));
    assert_moved(&server.outcome(&SIZE.to_string()), "served", SIZE, BLKSIZE, WINDOW);
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
    run_inside(&lose).assert_good();
    let (blksize, windowsize) = (format!("blksize {BLKSIZE}"), format!("windowsize {WINDOW}"));
    let options = ["atftp", "--option", &blksize, "--option", &windowsize, "--get", "--remote-file", &name];
    let rest = ["--local-file", local.to_str().unwrap(), "127.0.0.1", "6969"];
    run_inside(&[&options[..], &rest].concat()).assert_good();
    assert!(std::fs::read(&local).unwrap() == bytes(SIZE));
    let line = server.outcome(&name);
    assert_moved(&line, "served", SIZE, BLKSIZE, WINDOW);
    assert!(line["timeouts"].as_u64() > Some(0), "{line:#}");
}
