//! atftp, on hosts of its own: it binds the group's port, so a host has one of it.

use super::lan::Lan;
use crate::harness::{Client, Setup, bytes};
use std::process::{Child, Stdio};

/// Starts atftp on a client; the file goes to `to`.
pub(super) fn atftp(lan: &Lan, client: usize, server: &str, options: &[&str], to: &std::path::Path) -> Child {
    let mut command = lan.on_client(client, "atftp");
    command.args(["--option", "multicast"]);
    for option in options {
        command.args(["--option", option]);
    }
    command.args(["--get", "--remote-file", "image", "--local-file"]).arg(to).args([server, "69"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

pub(super) const YAML: &str = "listeners: [{ name: lan, address: 0.0.0.0:69 }]\n\
                    roots: [{ name: boot, path: root }]\nworkers: 2\nmulticast: {}\n";

/// Several clients get the file from one stream, with and without windows.
#[test]
fn many_hosts_get_one_stream() {
    if !Client::Atftp.is_installed() {
        return;
    }
    for options in [&["blksize 1428"][..], &["blksize 1428", "windowsize 16"]] {
        let Some(lan) = Lan::new(5) else { return };
        let file = bytes(3_000_000);
        let server = Setup::new().file("image", &file).behind(lan.on_server()).whole_yaml(1, YAML).start();
        let folder = tempfile::TempDir::new().unwrap();
        let to = |client: usize| folder.path().join(client.to_string());
        let clients: Vec<Child> =
            (0..5).map(|client| atftp(&lan, client, "192.0.2.1", options, &to(client))).collect();
        for (number, mut client) in clients.into_iter().enumerate() {
            assert!(client.wait().unwrap().success(), "client {number}, {options:?}");
            assert!(std::fs::read(to(number)).unwrap() == file, "client {number}, {options:?}");
        }
        for _ in 0..5 {
            let line = server.outcome("image");
            assert_eq!((&line["outcome"], &line["bytes"]), (&"served".into(), &3_000_000.into()), "{line:#}");
            assert!(line["group"].is_string(), "{line:#}");
        }
    }
}

/// The client that acknowledges is killed; the others get the file.
#[test]
fn a_killed_client_stops_nobody() {
    if !Client::Atftp.is_installed() {
        return;
    }
    let Some(lan) = Lan::new(3) else { return };
    let file = bytes(20_000_000);
    let yaml = format!("{YAML}transfer: {{ retransmit: {{ give-up: 30s }} }}\n");
    let server = Setup::new().file("image", &file).behind(lan.on_server()).whole_yaml(1, &yaml).start();
    let folder = tempfile::TempDir::new().unwrap();
    let to = |client: usize| folder.path().join(client.to_string());
    let mut killed = atftp(&lan, 0, "192.0.2.1", &["blksize 512"], &to(0));
    // It is the master once blocks move.
    server.live_until("a transfer", |live| live["active"].to_string().contains("image"));
    let others: Vec<Child> =
        (1..3).map(|client| atftp(&lan, client, "192.0.2.1", &["blksize 512"], &to(client))).collect();
    server.live_until("three members", |live| live["active"].to_string().matches("\"image\"").count() == 3);
    killed.kill().unwrap();
    killed.wait().unwrap();
    for (number, mut client) in others.into_iter().enumerate() {
        assert!(client.wait().unwrap().success(), "client {number}");
        assert!(std::fs::read(to(number + 1)).unwrap() == file, "client {number}");
    }
    // A slow machine may give up the killed one before the others have all blocks.
    let mut ends = [(); 3].map(|()| server.outcome("image")["outcome"].to_string());
    ends.sort_unstable();
    assert_eq!(ends, ["\"served\"", "\"served\"", "\"timed-out\""]);
}
