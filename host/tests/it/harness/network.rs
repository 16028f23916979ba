//! Two hosts on one cable, or with a router between them: network namespaces and veth pairs, removed on drop.

use super::{Sniffer, is_root, run, skipped, wait_until};
use nix::sched::{CloneFlags, setns};
use std::fs::File;
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The server's host has 192.0.2.1 and 2001:db8::1, the client's 192.0.2.2 and 2001:db8::2.
pub struct Network {
    server: String,
    client: String,
    router: Option<String>,
}

impl Network {
    /// A second cable between the hosts, which comes and goes.
    pub fn plug_in(&self) {
        self.server_ip(&format!("link add late type veth peer name late netns {}", self.client_name()));
        self.server_ip("address add 198.51.100.1/24 dev late");
        self.server_ip("address add 2001:db8:1::1/64 dev late nodad");
        self.client_ip("address add 198.51.100.2/24 dev late");
        self.client_ip("address add 2001:db8:1::2/64 dev late nodad");
        self.client_ip("link set late up");
        self.server_ip("link set late up");
        // The kernel takes a moment to notice that the link works.
        for host in [self.on_server()[3].as_str(), self.client_name()] {
            let mut show = Command::new("ip");
            show.args(["-n", host, "link", "show", "late"]);
            let is_up = |ran: &[u8]| String::from_utf8_lossy(ran).contains("state UP");
            wait_until("the link is up", || is_up(&run(&mut show).stdout));
        }
    }

    /// Creates the network; `None`, reported as skipped, if this user or this machine cannot.
    pub fn new(client_mac: &str) -> Option<Network> {
        let network = Network::of_hosts(false)?;
        let (server, client) = (&network.server, &network.client);
        let steps = [
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
        takes(&steps).then_some(network)
    }

    /// Puts a router between the hosts: the client's has 198.51.100.2 and no IPv6, and packets to and from it have at most
    /// `mtu` bytes. The router forwards, but sends nothing on its own: its ICMP is lost, as behind many a firewall.
    pub fn with_router(mtu: u32) -> Option<Network> {
        let network = Network::of_hosts(true)?;
        let (server, client) = (&network.server, &network.client);
        let router = network.router.as_ref()?;
        let steps = [
            format!("-n {server} link add cable type veth peer name near netns {router}"),
            format!("-n {client} link add cable type veth peer name far netns {router}"),
            format!("-n {server} address add 192.0.2.1/24 dev cable"),
            format!("-n {router} address add 192.0.2.254/24 dev near"),
            format!("-n {router} address add 198.51.100.254/24 dev far"),
            format!("-n {client} address add 198.51.100.2/24 dev cable"),
            format!("-n {router} link set far mtu {mtu}"),
            format!("-n {client} link set cable mtu {mtu}"),
            format!("-n {server} link set lo up"),
            format!("-n {server} link set cable up"),
            format!("-n {router} link set near up"),
            format!("-n {router} link set far up"),
            format!("-n {client} link set cable up"),
            format!("-n {server} route add default via 192.0.2.254"),
            format!("-n {client} route add default via 198.51.100.254"),
            // A namespace begins with the loopback interface down, and what the router sends comes from there.
            format!("-n {router} rule add pref 10 iif lo blackhole"),
        ];
        if !takes(&steps) {
            return None;
        }
        network.in_router(|| std::fs::write("/proc/sys/net/ipv4/ip_forward", "1").unwrap());
        Some(network)
    }

    /// Creates the hosts without a cable.
    fn of_hosts(with_router: bool) -> Option<Network> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        if !is_root() {
            skipped("network namespaces need root");
            return None;
        }
        let unique = format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        // Dropped, and so removed, even if the setup fails halfway.
        let network = Network {
            server: format!("tuffet-s{unique}"),
            client: format!("tuffet-c{unique}"),
            router: with_router.then(|| format!("tuffet-r{unique}")),
        };
        let steps: Vec<String> = network.names().map(|name| format!("netns add {name}")).collect();
        takes(&steps).then_some(network)
    }

    fn names(&self) -> impl Iterator<Item = &String> {
        [&self.server, &self.client].into_iter().chain(&self.router)
    }

    /// Runs a function on the server's host: sockets that it opens stay there.
    pub fn in_server<T: Send>(&self, run: impl FnOnce() -> T + Send) -> T {
        inside(&self.server, run)
    }

    /// As [`Network::in_server`], on the client's host.
    pub fn in_client<T: Send>(&self, run: impl FnOnce() -> T + Send) -> T {
        inside(&self.client, run)
    }

    /// As [`Network::in_server`], on the router.
    #[track_caller]
    pub fn in_router<T: Send>(&self, run: impl FnOnce() -> T + Send) -> T {
        inside(self.router.as_ref().expect("the network has a router"), run)
    }

    /// Begins to record what arrives at the router.
    #[track_caller]
    pub fn sniff_router(&self) -> Sniffer {
        self.in_router(Sniffer::new)
    }

    /// Begins to record what arrives at the client's host.
    pub fn sniff_client(&self) -> Sniffer {
        self.in_client(Sniffer::new)
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
        let text = self.in_server(|| std::fs::read_to_string("/proc/thread-self/net/snmp").unwrap());
        let mut lines = text.lines().filter_map(|line| line.strip_prefix("Udp:"));
        let (names, values) = (lines.next().unwrap(), lines.next().unwrap());
        let mut both = names.split_ascii_whitespace().zip(values.split_ascii_whitespace());
        both.find(|(name, _)| *name == "OutDatagrams").unwrap().1.parse().unwrap()
    }

    /// Whether a UDP socket of the server's host has this port.
    pub fn server_listens(&self, port: u16) -> bool {
        let sockets = self.in_server(|| std::fs::read_to_string("/proc/thread-self/net/udp").unwrap());
        let local = format!(":{port:04X} 00000000:0000 ");
        sockets.lines().any(|line| line.contains(&local))
    }

    /// The route of the server's host to an address, as `ip` prints it.
    #[track_caller]
    pub fn server_route(&self, to: &str) -> String {
        let ran = run(Command::new("ip").args(["-n", &self.server, "route", "get", to]));
        ran.assert_good();
        String::from_utf8(ran.stdout).unwrap()
    }

    /// Returns the command prefix that runs a command on the client's host.
    pub fn on_client_words(&self) -> Vec<String> {
        ["ip", "netns", "exec", &self.client].map(String::from).into()
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
        for name in self.names() {
            let _ = ip(&format!("netns delete {name}"));
        }
    }
}

/// Runs a function in a thread of this namespace.
fn inside<T: Send>(namespace: &str, run: impl FnOnce() -> T + Send) -> T {
    let file = File::open(format!("/run/netns/{namespace}")).unwrap();
    std::thread::scope(|scope| {
        let inside = scope.spawn(|| {
            setns(file, CloneFlags::CLONE_NEWNET).unwrap();
            run()
        });
        inside.join().unwrap()
    })
}

/// Runs these steps of `ip`; false, reported as skipped, if the machine cannot.
fn takes(steps: &[String]) -> bool {
    steps.iter().all(|step| {
        let done = ip(step);
        if let Err(why) = &done {
            skipped(&format!("network namespaces: ip {step}: {why}"));
        }
        done.is_ok()
    })
}

fn ip(words: &str) -> Result<(), String> {
    static INSTALLED: LazyLock<bool> = LazyLock::new(|| Command::new("ip").arg("-V").output().is_ok());
    if !*INSTALLED {
        return Err("ip is not installed".into());
    }
    let ran = run(Command::new("ip").args(words.split(' ')));
    if ran.status.success() { Ok(()) } else { Err(ran.stderr.trim().into()) }
}
