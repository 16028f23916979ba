//! Plugins that read files of a root that hangs take nothing from plugins that read others.

use crate::harness::{Pace, Peer, SOON, Server, Setup, SlowDisk, Step, rrq};
use crate::policy::probe;
use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};

/// More than all threads that may wait for disks had been.
const HUNG: usize = 80;

/// All of 127/8 is this machine.
fn client(number: usize) -> IpAddr {
    Ipv4Addr::from(0x7f02_0000 + number as u32).into()
}

/// Reads a file of this root for each request of such a name.
fn plugin(name: &str, root: &str, only: &str) -> String {
    format!(
        "  {name}:\n    component: {:?}\n    grants: [kv, files/{root}, sinks/out]\n    on-error: abstain\n    breaker: {{ \
         failures: 1000 }}\n    limits: {{ wall: 300ms, time: 200ms, instances: 100 }}\n    settings: {{ when: \"{only}\", \
         run: [\"file read {root} file\"] }}\n",
        probe()
    )
}

/// Calls of the plugin that reads the root that hangs, which have waited in vain.
fn failed_calls(server: &Server) -> usize {
    let metrics = server.metrics();
    let its = metrics.lines().filter(|line| {
        line.starts_with("tuffet_plugin_failures_total{")
            && line.contains("plugin=\"hung\"")
            && line.contains("cause=\"time\"")
    });
    its.filter_map(|line| line.rsplit_once(' ')?.1.parse::<usize>().ok()).sum()
}

fn plugins(server: &Server) -> String {
    let metrics = server.metrics();
    metrics.lines().filter(|line| line.starts_with("tuffet_plugin")).collect::<Vec<_>>().join("\n")
}

/// Has clients ask for files that the plugin `hung` reads, until so many of its calls have failed.
fn ask_until_calls_hang(server: &Server, address_of: impl Fn(usize) -> IpAddr) {
    let mut stuck: Vec<_> =
        (1..=HUNG).map(|number| Peer::from(address_of(number), server.address())).collect();
    let end = Instant::now() + SOON;
    while failed_calls(server) < HUNG {
        assert!(Instant::now() < end, "{} of {HUNG} calls: {}", failed_calls(server), plugins(server));
        for (number, peer) in stuck.iter_mut().enumerate() {
            peer.ask(&rrq(&format!("stuck-{number}"), &[]));
        }
        std::thread::sleep(Duration::from_millis(500));
    }
}

#[test]
fn a_root_that_hangs_leaves_plugins_that_read_another_alone() {
    let Some(disk) = SlowDisk::mount() else { return };
    disk.file("file", b"slow");
    let yaml = format!(
        "roots:\n  - {{ name: boot, path: root }}\n  - {{ name: slow, path: {}, private: true }}\nworkers: 1\nstate: state\nsinks: \
         {{ out: {{ file: out.jsonl }} }}\npolicy: {{ resolve: [healthy, hung], time-limit: 10s }}\nplugins:\n{}{}",
        disk.path().display(),
        plugin("hung", "slow", "stuck*"),
        plugin("healthy", "boot", "mine")
    );
    let server = Setup::new().file("file", b"healthy").yaml(&yaml).start();
    disk.set(Step::Open, "file", Pace::Hangs);
    ask_until_calls_hang(&server, client);
    // As many as may wait for one root.
    disk.hangs(Step::Open, 32);
    let read = Peer::from(client(0), server.address()).read_plainly("mine");
    assert!(String::from_utf8_lossy(&read).contains("healthy"), "{read:?}");
    disk.release();
}

/// Reads of a root are shared by clients, whichever plugin reads for them: one address keeps no thread from others.
#[test]
fn reads_that_hang_for_one_client_leave_those_of_others() {
    let Some(disk) = SlowDisk::mount() else { return };
    disk.file("file", b"slow");
    disk.file("good", b"healthy");
    let good = plugin("healthy", "slow", "mine").replace("read slow file", "read slow good");
    let yaml = format!(
        "roots: [{{ name: slow, path: {}, private: true }}, {{ name: boot, path: root }}]\nworkers: 1\nstate: state\nsinks: {{ \
         out: {{ file: out.jsonl }} }}\npolicy: {{ resolve: [healthy, hung], time-limit: 10s }}\nplugins:\n{}{}",
        disk.path().display(),
        plugin("hung", "slow", "stuck*"),
        good.replace("wall: 300ms, time: 200ms", "wall: 40s, time: 20s"),
    );
    let server = Setup::new().yaml(&yaml).start();
    disk.set(Step::Open, "file", Pace::Hangs);
    ask_until_calls_hang(&server, |_| client(1));
    // Half of the threads.
    disk.hangs(Step::Open, 16);
    let read = Peer::from(client(0), server.address()).read_plainly("mine");
    assert!(String::from_utf8_lossy(&read).contains("healthy"), "{read:?}");
    disk.release();
}
