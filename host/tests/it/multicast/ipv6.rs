//! Groups of IPv6 clients: `tuffet get` and atftp on hosts of their own.

use super::atftp::atftp;
use super::lan::Lan;
use crate::harness::{Client, Folder, Server, Setup, bytes, run, run_for};
use std::collections::HashSet;
use std::process::Command;
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// A server behind the switch of a LAN, with a file of 3,000,000 bytes. `multicast`: the keys of the section.
fn serve(lan: &Lan, listen: &str, multicast: &str) -> Server {
    let yaml = format!(
        "listeners: [{{ name: lan, address: '[{listen}]:69' }}]\nroots: [{{ name: boot, path: root }}]\n\
         workers: 2\nmulticast: {{ {multicast} }}\n"
    );
    Setup::new().file("image", &bytes(3_000_000)).behind(lan.on_server()).whole_yaml(1, &yaml).start()
}

fn get(lan: &Lan, client: usize, to: &TempDir) -> Command {
    let mut command = lan.on_client(client, env!("CARGO_BIN_EXE_tuffet"));
    command.args(["get", "--multicast", "tftp://[2001:db8::1]/image", "--output"]);
    command.arg(to.path().join(client.to_string()));
    command
}

/// Has all clients of a LAN get the file as members of one group, whose name begins so. A client that asks when the others
/// have ended gets a group of its own: then all ask again.
#[track_caller]
fn assert_all_join(lan: &Lan, clients: usize, server: &Server, group: &str) {
    for _ in 0..5 {
        let folder = TempDir::new().unwrap();
        let running: Vec<_> = (0..clients)
            .map(|client| get(lan, client, &folder))
            .map(|mut command| thread::spawn(move || run_for(&mut command, Duration::from_secs(60))))
            .collect();
        for (client, ran) in running.into_iter().enumerate() {
            let ran = ran.join().unwrap();
            ran.assert_good();
            assert!(ran.stderr.contains(&format!("group {group}")), "client {client}: {}", ran.stderr);
            assert!(Folder(folder.path().to_owned()).read(&client.to_string()) == bytes(3_000_000));
        }
        let mut groups = HashSet::new();
        for _ in 0..clients {
            let line = server.outcome("image");
            assert_eq!((&line["outcome"], &line["bytes"]), (&"served".into(), &3_000_000.into()), "{line:#}");
            assert!(line["group"].as_str().is_some_and(|name| name.starts_with(group)), "{line:#}");
            groups.insert(line["group"].to_string());
        }
        if groups.len() == 1 {
            return;
        }
    }
    panic!("{clients} clients were never in one group");
}

/// With a listener at all addresses, and at one.
#[test]
fn many_hosts_get_one_stream() {
    for listen in ["::", "2001:db8::1"] {
        let Some(lan) = Lan::with_ipv6(3) else { return };
        let server = serve(&lan, listen, "");
        assert_all_join(&lan, 3, &server, "[ff15::8000:450");
    }
}

/// atftp reads the IPv6 address in the option, and joins.
#[test]
fn atftp_joins() {
    if !Client::Atftp.is_installed() {
        return;
    }
    let Some(lan) = Lan::with_ipv6(2) else { return };
    let server = serve(&lan, "::", "");
    let folder = TempDir::new().unwrap();
    let to = |client: usize| folder.path().join(client.to_string());
    let clients: Vec<_> =
        (0..2).map(|client| atftp(&lan, client, "2001:db8::1", &["blksize 1428"], &to(client))).collect();
    for (number, mut client) in clients.into_iter().enumerate() {
        assert!(client.wait().unwrap().success(), "client {number}");
        assert!(std::fs::read(to(number)).unwrap() == bytes(3_000_000), "client {number}");
    }
    for _ in 0..2 {
        let line = server.outcome("image");
        // The second client gets a group of its own if the first one has ended.
        let group = line["group"].as_str().unwrap_or_default();
        assert!(line["outcome"] == "served" && group.starts_with("[ff15::8000:450"), "{line}");
    }
}

/// The server prefers another interface for multicast; a group of the link (`ff12`) has no other way to name one.
#[test]
fn blocks_leave_through_the_interface_of_the_request() {
    for group in ["ff12::8000:1", "ff15::8000:1"] {
        let Some(lan) = Lan::with_ipv6(2) else { return };
        for words in [
            "link add other type bridge",
            "link set other up",
            "-6 route add multicast ff00::/8 dev other table local metric 1",
        ] {
            lan.server_ip(words);
        }
        let server = serve(&lan, "::", &format!("ipv6-addresses: '{group}'"));
        assert_all_join(&lan, 2, &server, &format!("[{group}]:"));
    }
}

/// Clients of two links: the blocks of a group reach one of them, so each has its own.
#[test]
fn each_link_has_a_group() {
    let Some(lan) = Lan::with_ipv6(2) else { return };
    // The second client leaves the switch for a cable of its own.
    for words in ["link set port1 nomaster", "-6 address add 2001:db8:1::1/64 dev port1 nodad"] {
        lan.server_ip(words);
    }
    for words in [
        "-6 address delete 2001:db8::3/64 dev cable",
        "-6 address add 2001:db8:1::3/64 dev cable nodad",
        "-6 route add 2001:db8::1 via 2001:db8:1::1",
    ] {
        lan.client_ip(1, words);
    }
    let server = serve(&lan, "::", "");
    let folder = TempDir::new().unwrap();
    let running: Vec<_> = (0..2)
        .map(|client| get(&lan, client, &folder))
        .map(|mut command| thread::spawn(move || run_for(&mut command, Duration::from_secs(60))))
        .collect();
    for ran in running {
        ran.join().unwrap().assert_good();
    }
    for _ in 0..2 {
        let line = server.outcome("image");
        assert_eq!(line["outcome"], "served", "{line:#}");
        assert!(line["group"].as_str().is_some_and(|group| group.starts_with("[ff15::8000:450")), "{line:#}");
    }
}

/// The loopback interface carries no IPv6 groups.
#[test]
fn a_client_on_the_host_of_the_server_is_served_alone() {
    let server = Setup::new().sizes(&[3000]).listen("[::1]:0").rest_of_yaml("multicast: {}\n").start();
    let folder = TempDir::new().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    command.args(["get", "--multicast", "--output", "file", &format!("tftp://{}/3000", server.address())]);
    let ran = run(command.current_dir(folder.path()));
    ran.assert_good();
    assert!(ran.stderr.contains("unicast: the server named no group"), "{}", ran.stderr);
    assert!(server.outcome("3000")["group"].is_null());
    assert!(server.metrics().contains("tuffet_multicast_declined_total 1"));
}
