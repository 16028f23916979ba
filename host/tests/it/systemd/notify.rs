//! sd_notify(3): ready, reloading, stopping.

use super::Manager;
use crate::harness::{Peer, Setup, ack, rrq};

#[test]
fn the_manager_is_told_of_the_start_of_reloads_and_of_the_end() {
    let manager = Manager::new();
    let server = Setup::new().sizes(&[5000]).variable("NOTIFY_SOCKET", &manager.name);
    let server = server.rest_of_yaml("drain: 30s\n").start();
    assert_eq!(manager.told(), "READY=1\nSTATUS=serving generation 1 of the configuration\n");

    server.rewrite("roots: [{ name: boot, path: root }]\ndrain: 20s\n");
    let before = monotonic_us();
    server.ask("reload").assert_good();
    let told = manager.told();
    let time = told.strip_prefix("RELOADING=1\nMONOTONIC_USEC=").unwrap_or_else(|| panic!("{told}"));
    assert!((before..=monotonic_us()).contains(&time.trim_end().parse().unwrap()), "{told}");
    assert_eq!(manager.told(), "READY=1\nSTATUS=serving generation 2 of the configuration\n");

    // A broken configuration: the old one continues, and the reload ends all the same.
    server.rewrite("roots: [");
    server.hang_up();
    assert!(manager.told().starts_with("RELOADING=1\n"));
    let told = manager.told();
    let refused = "READY=1\nSTATUS=serving generation 2 of the configuration; the last reload was refused: ";
    assert!(told.starts_with(refused) && told.ends_with('\n'), "{told}");
    assert_eq!(told.lines().count(), 2, "{told}");

    let mut reader = Peer::new(server.address());
    reader.ask(&rrq("5000", &[]));
    reader.receive();
    reader.send(&ack(1));
    reader.receive();
    server.terminate();
    let told = "STOPPING=1\nEXTEND_TIMEOUT_USEC=30000000\nSTATUS=stopping; waiting for running transfers\n";
    assert_eq!(manager.told(), told);
    server.terminate();
    assert_eq!(server.wait().code(), Some(0));
}

/// From the first signal on the unit is stopping, for as long as the delay and the drain may take.
#[test]
fn the_manager_waits_for_the_delay() {
    let manager = Manager::new();
    let server = Setup::new().sizes(&[5000]).variable("NOTIFY_SOCKET", &manager.name);
    let server = server.rest_of_yaml("drain-delay: 1s\ndrain: 30s\n").start();
    assert!(manager.told().starts_with("READY=1\n"));
    let mut reader = Peer::new(server.address());
    reader.ask(&rrq("5000", &[]));
    reader.receive();
    reader.send(&ack(1));
    reader.receive();
    server.terminate();
    let told =
        "STOPPING=1\nEXTEND_TIMEOUT_USEC=41000000\nSTATUS=stopping in 1s; requests are still answered\n";
    assert_eq!(manager.told(), told);
    let told = "STOPPING=1\nEXTEND_TIMEOUT_USEC=40000000\nSTATUS=stopping; waiting for running transfers\n";
    assert_eq!(manager.told(), told);
    server.terminate();
    assert_eq!(server.wait().code(), Some(0));
}

fn monotonic_us() -> u64 {
    let now = sd_notify::NotifyState::monotonic_usec_now().unwrap().to_string();
    now.strip_prefix("MONOTONIC_USEC=").unwrap().parse().unwrap()
}
