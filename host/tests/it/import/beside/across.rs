//! Where the servers are: on addresses of loopback, or the original at the other end of a cable, because it answers there
//! in another way.
//!
//! A test across a cable runs twice: first it lays the cable, then it starts itself again at the client's end.

use super::servers::installed;
use crate::harness::{Network, skipped};
use std::env;
use std::net::{Ipv4Addr, UdpSocket};
use std::path::PathBuf;

/// The command that runs a program at the server's end, separated by spaces; set in the second run.
const SERVER: &str = "TUFFET_ACROSS";

/// Where the servers are started.
pub(super) struct Place {
    /// The command that starts the original there; may be empty.
    pub(super) server: Vec<String>,
    pub(super) theirs: Ipv4Addr,
    pub(super) ours: Ipv4Addr,
}

impl Place {
    pub(super) fn of_this_process() -> Place {
        match env::var(SERVER) {
            Ok(server) => Place {
                server: server.split(' ').map(str::to_owned).collect(),
                theirs: Ipv4Addr::new(192, 0, 2, 1),
                ours: free_address(),
            },
            Err(_) => Place { server: Vec::new(), theirs: free_address(), ours: free_address() },
        }
    }
}

/// Whether this is the client's end of the cable; otherwise runs the test there.
#[track_caller]
pub(in super::super) fn across_a_cable(test: &str) -> bool {
    if env::var_os(SERVER).is_some() {
        return true;
    }
    let Some(network) = Network::new("02:00:5e:10:00:2a") else { return false };
    network.client_ip("link set lo up");
    let itself = env::current_exe().unwrap();
    let mut again = network.on_client(itself.to_str().unwrap());
    again.args(["--exact", test, "--nocapture"]).env(SERVER, network.on_server().join(" "));
    let ran = again.output().unwrap();
    let said = [ran.stdout, ran.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
    assert!(ran.status.success() && said[0].contains("1 passed"), "{}{}", said[0], said[1]);
    print!("{}", said[0]);
    false
}

/// The command that runs a program at the server's end.
pub(in super::super) fn server_command() -> Vec<String> {
    env::var(SERVER).unwrap().split(' ').map(str::to_owned).collect()
}

/// Returns a server of Debian 12; reports it as skipped if it is not here.
pub(in super::super) fn installed_program(program: &str, package: &str) -> Option<PathBuf> {
    let found = installed(program, package);
    if found.is_none() {
        skipped(&format!("{program} beside Tuffet: the version of Debian 12 is not here"));
    }
    found
}

/// Returns a loopback address whose port 69 nobody has. Servers may share a port with others of their user, such as
/// those of another run of these tests, so the addresses are random.
fn free_address() -> Ipv4Addr {
    let mut random = fastrand::Rng::new();
    loop {
        let address = Ipv4Addr::new(127, random.u8(192..255), random.u8(..), random.u8(1..255));
        if UdpSocket::bind((address, 69)).is_ok() {
            return address;
        }
    }
}
