//! Restarts while listeners wait for their interfaces and addresses. What comes is the next server's, also while the one
//! before has transfers; that one must neither open it nor keep what waited.

use super::{Process, Site, end, fetch};
use crate::harness::{Answer, Network, Peer, bytes, rrq, tuffet, wait_until};
use serde_json::Value;
use std::fs::{self, Permissions};
use std::net::{SocketAddr, UdpSocket};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

/// Clients of each listener after a change, each of which asks once. Any request that the wrong process takes stays
/// unanswered.
const EACH: usize = 12;

const PRESENT: &str = "192.0.2.1:69";

/// Those that come with [`Host::plug_in`].
const LATE: [&str; 5] =
    ["198.51.100.1:69", "[2001:db8:1::1]:69", "198.51.100.1:70", "198.51.100.1:71", "192.0.2.50:72"];

/// On a network whose host has one interface: the others come later.
struct Host {
    network: Network,
    site: Site,
}

impl Host {
    fn new(mac: &str) -> Option<Host> {
        let network = Network::new(mac)?;
        let mut site = Site::new("");
        site.behind = network.on_server();
        for folder in ["", "root"] {
            fs::set_permissions(site.folder.path().join(folder), Permissions::from_mode(0o755)).unwrap();
        }
        let host = Host { network, site };
        host.configure("late", "");
        Some(host)
    }

    /// With the interface that most listeners wait for.
    fn configure(&self, interface: &str, rest: &str) {
        let control = self.site.folder.path().join("control");
        let yaml = format!(
            "workers: 2\ndrain: 1h\ncontrol: {}\nprivileges: {{ user: \"65534\" }}\n\
             roots: [{{ name: boot, path: root }}]\nlisteners:\n\
             - {{ name: lan, address: 0.0.0.0:69, interface: cable }}\n\
             - {{ name: late, address: 0.0.0.0:69, interface: {interface}, tid-ports: 30000-30007 }}\n\
             - {{ name: never, address: 0.0.0.0:69, interface: never, tid-ports: 30000-30007 }}\n\
             - {{ name: six, address: \"[::]:69\", interface: {interface} }}\n\
             - {{ name: own, address: 198.51.100.1:70, interface: {interface} }}\n\
             - {{ name: single, address: 0.0.0.0:71, interface: {interface}, single-port: true }}\n\
             - {{ name: vip, address: 192.0.2.50:72 }}\n{rest}",
            control.display()
        );
        fs::write(self.site.yaml(), yaml).unwrap();
    }

    fn plug_in(&self) {
        self.network.plug_in();
        if self.network.try_server_ip("address add 192.0.2.50/24 dev cable").is_ok() {
            self.network.client_ip("neighbour flush dev cable");
        }
    }

    fn peer(&self, address: &str) -> Peer {
        let address: SocketAddr = address.parse().unwrap();
        let any = if address.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
        Peer::through(self.network.in_client(|| UdpSocket::bind(any).unwrap()), address)
    }

    /// Begins a transfer, which the process that serves now has to end.
    fn begin(&self, address: &str) -> Peer {
        let mut reader = self.peer(address);
        reader.ask(&rrq("5000", &[]));
        reader.expect(Answer::Data(1, bytes(5000)[..512].to_vec()));
        reader
    }

    /// Waits until a listener answers, and then leaves no request without an answer.
    #[track_caller]
    fn serves(&self, addresses: &[&str]) {
        for address in addresses {
            wait_until(&format!("{address} is served"), || {
                let mut peer = self.peer(address);
                peer.ask(&rrq("1", &[]));
                // No such file.
                peer.receive_within(Duration::from_millis(50)).is_some()
            });
            let to = address.parse().unwrap();
            for _ in 0..EACH {
                self.network.in_client(|| fetch(to)).unwrap_or_else(|why| panic!("{address}: {why}"));
            }
        }
    }

    fn restart(&self) {
        let ran = tuffet(["restart", "--config", self.site.yaml().to_str().unwrap()]);
        ran.assert_good();
    }

    fn started(&self) -> Process {
        self.site.started(&["--restartable"])
    }

    /// The process that serves, and what it waits for.
    fn status(&self) -> Value {
        let ran = tuffet(["status", "--json", "--config", self.site.yaml().to_str().unwrap()]);
        serde_json::from_slice(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr))
    }

    /// How often a process began to serve what it had waited for.
    fn opened(&self) -> usize {
        self.site.count("the interface exists now; the listener serves it")
    }
}

/// It comes while the process before still has a transfer.
#[test]
fn what_comes_after_a_restart_belongs_to_the_next_server() {
    let Some(host) = Host::new("02:00:5e:10:49:21") else { return };
    let process = host.started();
    let (first, waits) = (host.status()["process"].clone(), host.status()["interfaces"].clone());
    let reader = host.begin(PRESENT);
    host.restart();
    let status = host.status();
    assert!(status["process"] != first && status["interfaces"] == waits, "{status}");
    host.serves(&[PRESENT]);
    host.plug_in();
    host.serves(&LATE);
    host.serves(&[PRESENT]);
    // By one process, which has all but `never`.
    assert_eq!(host.opened(), 4);
    assert_eq!(host.site.count("stopped"), 0);
    end(reader);
    host.site.waits_for("stopped", 1);
    host.serves(&LATE);
    process.stop();
    host.site.waits_for("stopped", 2);
}

/// What was opened late is handed over, and so is what is gone at the moment.
#[test]
fn what_came_late_is_handed_over() {
    let Some(host) = Host::new("02:00:5e:10:49:22") else { return };
    let process = host.started();
    host.plug_in();
    host.serves(&LATE);
    let readers: Vec<Peer> = LATE.iter().map(|address| host.begin(address)).collect();
    host.restart();
    host.serves(&LATE);
    assert_eq!(host.opened(), 4);
    assert_eq!(host.site.count("stopped"), 0);

    readers.into_iter().for_each(end);
    host.site.waits_for("stopped", 1);

    let reader = host.begin(PRESENT);
    host.network.server_ip("link del late");
    wait_until("the server knows", || host.status()["interfaces"][1]["state"] == "gone");
    host.restart();
    assert_eq!(host.status()["interfaces"][1]["state"], "absent");
    host.plug_in();
    host.serves(&LATE);
    assert_eq!(host.site.count("stopped"), 1);
    end(reader);
    host.site.waits_for("stopped", 2);
    host.serves(&LATE);
    process.stop();
    host.site.waits_for("stopped", 3);
}

/// A service manager stops one and starts the next. Between them, or after both, the interface comes.
#[test]
fn a_stop_and_a_start_leave_what_waits_to_the_next_server() {
    for between in [true, false] {
        let Some(host) = Host::new("02:00:5e:10:49:23") else { return };
        let process = host.started();
        let reader = host.begin(PRESENT);
        process.stop();
        if between {
            host.plug_in();
        }
        let process = host.started();
        if !between {
            host.plug_in();
        }
        host.serves(&LATE);
        host.serves(&[PRESENT]);
        end(reader);
        host.site.waits_for("stopped", 1);
        host.serves(&LATE);
        process.stop();
        host.site.waits_for("stopped", 2);
    }
}

/// The name of the interface was misspelt; the next server has it, or waits for it, on the same ports.
#[test]
fn a_corrected_interface_takes_a_restart() {
    for exists in [true, false] {
        let Some(host) = Host::new("02:00:5e:10:49:24") else { return };
        host.configure("ltae", "");
        let process = host.started();
        let reader = host.begin(PRESENT);
        if exists {
            host.plug_in();
        }
        host.configure("late", "");
        host.restart();
        if !exists {
            host.plug_in();
        }
        host.serves(&LATE);
        end(reader);
        process.stop();
        host.site.waits_for("stopped", 2);
    }
}

/// The next server cannot start: the one before goes on waiting.
#[test]
fn a_server_that_cannot_be_replaced_goes_on_waiting() {
    let Some(host) = Host::new("02:00:5e:10:49:25") else { return };
    let process = host.started();
    host.configure("late", "admin: { address: \"192.0.2.9:1\" }\n");
    let ran = tuffet(["restart", "--config", host.site.yaml().to_str().unwrap()]);
    ran.assert_fails(1, &["not restarted", "this one goes on"]);
    host.plug_in();
    host.serves(&LATE);
    host.configure("late", "");
    host.restart();
    host.serves(&LATE);
    process.stop();
    host.site.waits_for("stopped", 2);
}
