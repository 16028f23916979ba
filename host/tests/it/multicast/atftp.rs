//! atftp, on hosts of its own: it binds the group's port, so a host has one of it.

use crate::harness::{Client, Setup, bytes, is_root, run, skipped};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A server and several clients on one switch, removed on drop.
struct Lan {
    server: String,
    clients: Vec<String>,
}

impl Lan {
    fn new(clients: usize) -> Option<Lan> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        if !is_root() {
            skipped("network namespaces need root");
            return None;
        }
        let unique = format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let server = format!("tuffet-m{unique}");
        let clients = (0..clients).map(|number| format!("tuffet-m{unique}-{number}"));
        // Dropped, and so removed, even if the setup fails halfway.
        let lan = Lan { server, clients: clients.collect() };
        let server = &lan.server;
        let mut steps = vec![
            format!("netns add {server}"),
            format!("-n {server} link add name switch type bridge mcast_snooping 0"),
            format!("-n {server} address add 192.0.2.1/24 dev switch"),
            format!("-n {server} link set switch up"),
            format!("-n {server} link set lo up"),
        ];
        for (number, client) in lan.clients.iter().enumerate() {
            let address = number + 2;
            steps.extend([
                format!("netns add {client}"),
                format!("-n {server} link add port{number} type veth peer name cable netns {client}"),
                format!("-n {server} link set port{number} master switch up"),
                format!("-n {client} address add 192.0.2.{address}/24 dev cable"),
                format!("-n {client} link set cable up"),
                format!("-n {client} route add default dev cable"),
            ]);
        }
        for step in steps {
            let ran = run(Command::new("ip").args(step.split(' ')));
            if !ran.status.success() {
                skipped(&format!("network namespaces: ip {step}: {}", ran.stderr.trim()));
                return None;
            }
        }
        Some(lan)
    }

    fn on_server(&self) -> Vec<String> {
        ["ip", "netns", "exec", &self.server].map(String::from).into()
    }

    /// Starts atftp on a client; the file goes to `to`.
    fn atftp(&self, client: usize, options: &[&str], to: &std::path::Path) -> Child {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.clients[client], "atftp", "--option", "multicast"]);
        for option in options {
            command.args(["--option", option]);
        }
        command.args(["--get", "--remote-file", "image", "--local-file"]).arg(to).args(["192.0.2.1", "69"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    }
}

impl Drop for Lan {
    fn drop(&mut self) {
        for name in self.clients.iter().chain([&self.server]) {
            let _ = Command::new("ip").args(["netns", "delete", name]).output();
        }
    }
}

const YAML: &str = "listeners: [{ name: lan, address: 0.0.0.0:69 }]\n\
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
        let clients: Vec<Child> = (0..5).map(|client| lan.atftp(client, options, &to(client))).collect();
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
    let server = Setup::new().file("image", &file).behind(lan.on_server()).whole_yaml(1, YAML).start();
    let folder = tempfile::TempDir::new().unwrap();
    let to = |client: usize| folder.path().join(client.to_string());
    let mut killed = lan.atftp(0, &["blksize 512"], &to(0));
    // It is the master once blocks move.
    server.live_until("a transfer", |live| live["active"].to_string().contains("image"));
    let others: Vec<Child> = (1..3).map(|client| lan.atftp(client, &["blksize 512"], &to(client))).collect();
    server.live_until("three members", |live| live["active"].to_string().matches("\"image\"").count() == 3);
    killed.kill().unwrap();
    killed.wait().unwrap();
    for (number, mut client) in others.into_iter().enumerate() {
        assert!(client.wait().unwrap().success(), "client {number}");
        assert!(std::fs::read(to(number + 1)).unwrap() == file, "client {number}");
    }
    for _ in 0..2 {
        assert_eq!(server.outcome("image")["outcome"], "served");
    }
}
