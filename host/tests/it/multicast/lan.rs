//! Hosts of their own: only one atftp of a host binds the port of a group, and interfaces can be chosen.

use crate::harness::{is_root, run, skipped};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// A server and several clients on one switch, removed on drop.
pub(super) struct Lan {
    server: String,
    clients: Vec<String>,
}

impl Lan {
    pub(super) fn new(clients: usize) -> Option<Lan> {
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
        lan.takes(&steps).then_some(lan)
    }

    /// As [`Lan::new`], with IPv6 addresses 2001:db8::1 for the server, and from 2001:db8::2 on for clients.
    pub(super) fn with_ipv6(clients: usize) -> Option<Lan> {
        let lan = Lan::new(clients)?;
        let mut steps = vec![format!("-n {} -6 address add 2001:db8::1/64 dev switch nodad", lan.server)];
        steps.extend(lan.clients.iter().enumerate().map(|(number, client)| {
            format!("-n {client} -6 address add 2001:db8::{}/64 dev cable nodad", number + 2)
        }));
        lan.takes(&steps).then_some(lan)
    }

    /// Runs these steps of `ip`; false if the machine cannot.
    fn takes(&self, steps: &[String]) -> bool {
        for step in steps {
            let ran = run(Command::new("ip").args(step.split(' ')));
            if !ran.status.success() {
                skipped(&format!("network namespaces: ip {step}: {}", ran.stderr.trim()));
                return false;
            }
        }
        true
    }

    pub(super) fn on_server(&self) -> Vec<String> {
        ["ip", "netns", "exec", &self.server].map(String::from).into()
    }

    /// A command on a client.
    pub(super) fn on_client(&self, client: usize, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.clients[client], program]);
        command
    }

    /// Returns whether a UDP socket of the server has this port.
    pub(super) fn server_listens(&self, port: u16) -> bool {
        let words = self.on_server();
        let ran = run(Command::new(&words[0]).args(&words[1..]).args(["cat", "/proc/net/udp"]));
        ran.assert_good();
        let local = format!(":{port:04X} 00000000:0000 ");
        String::from_utf8(ran.stdout).unwrap().lines().any(|line| line.contains(&local))
    }

    /// Runs `ip` in the namespace of the server.
    pub(super) fn server_ip(&self, words: &str) {
        run(Command::new("ip").args(["-n", &self.server]).args(words.split(' '))).assert_good();
    }

    /// Runs `ip` in the namespace of a client.
    pub(super) fn client_ip(&self, client: usize, words: &str) {
        let ran = run(Command::new("ip").args(["-n", &self.clients[client]]).args(words.split(' ')));
        ran.assert_good();
    }
}

impl Drop for Lan {
    fn drop(&mut self) {
        for name in self.clients.iter().chain([&self.server]) {
            let _ = Command::new("ip").args(["netns", "delete", name]).output();
        }
    }
}
