//! Two hosts on one cable: network namespaces and a veth pair, removed on drop.

use super::{is_root, run, skipped};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// The server's host has 192.0.2.1 and 2001:db8::1, the client's 192.0.2.2 and 2001:db8::2.
pub struct Network {
    server: String,
    client: String,
}

impl Network {
    /// Creates the network; `None`, reported as skipped, if this user or this machine cannot.
    pub fn new(client_mac: &str) -> Option<Network> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        if !is_root() {
            skipped("network namespaces need root");
            return None;
        }
        let unique = format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        // Dropped, and so removed, even if the setup fails halfway.
        let network = Network { server: format!("tuffet-s{unique}"), client: format!("tuffet-c{unique}") };
        let (server, client) = (&network.server, &network.client);
        let steps = [
            format!("netns add {server}"),
            format!("netns add {client}"),
            format!("-n {server} link add cable type veth peer name cable netns {client}"),
            format!("-n {client} link set cable address {client_mac}"),
            format!("-n {server} address add 192.0.2.1/24 dev cable"),
            format!("-n {client} address add 192.0.2.2/24 dev cable"),
            format!("-n {server} address add 2001:db8::1/64 dev cable nodad"),
            format!("-n {client} address add 2001:db8::2/64 dev cable nodad"),
            format!("-n {server} link set lo up"),
            format!("-n {server} link set cable up"),
            format!("-n {client} link set cable up"),
        ];
        for step in steps {
            if let Err(why) = ip(&step) {
                skipped(&format!("network namespaces: ip {step}: {why}"));
                return None;
            }
        }
        Some(network)
    }

    /// Returns the command prefix that runs a command on the server's host.
    pub fn on_server(&self) -> Vec<String> {
        ["ip", "netns", "exec", &self.server].map(String::from).into()
    }

    /// Returns the namespace of the client's host.
    pub fn client_name(&self) -> &str {
        &self.client
    }

    /// `ip` on the server's host.
    #[track_caller]
    pub fn server_ip(&self, words: &str) {
        ip(&format!("-n {} {words}", self.server)).unwrap();
    }

    /// `ip` on the server's host, for what the kernel may lack.
    ///
    /// # Errors
    /// What `ip` says.
    pub fn try_server_ip(&self, words: &str) -> Result<(), String> {
        ip(&format!("-n {} {words}", self.server))
    }

    /// `ip` on the client's host.
    #[track_caller]
    pub fn client_ip(&self, words: &str) {
        ip(&format!("-n {} {words}", self.client)).unwrap();
    }

    /// Messages that the server's host has handed to UDP, however many datagrams the kernel made of each.
    pub fn sent_by_server(&self) -> u64 {
        let ran = run(Command::new("ip").args(["netns", "exec", &self.server, "cat", "/proc/net/snmp"]));
        let text = String::from_utf8(ran.stdout).unwrap();
        let mut lines = text.lines().filter_map(|line| line.strip_prefix("Udp:"));
        let (names, values) = (lines.next().unwrap(), lines.next().unwrap());
        let mut both = names.split_ascii_whitespace().zip(values.split_ascii_whitespace());
        both.find(|(name, _)| *name == "OutDatagrams").unwrap().1.parse().unwrap()
    }

    /// A command on the client's host.
    pub fn on_client(&self, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.client, program]);
        command
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for name in [&self.server, &self.client] {
            let _ = ip(&format!("netns delete {name}"));
        }
    }
}

fn ip(words: &str) -> Result<(), String> {
    if Command::new("ip").arg("-V").output().is_err() {
        return Err("ip is not installed".into());
    }
    let ran = run(Command::new("ip").args(words.split(' ')));
    if ran.status.success() { Ok(()) } else { Err(ran.stderr.trim().into()) }
}
