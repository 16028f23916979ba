//! `[::]` with both families, and without IPv6.

use super::{ROOTS, assert_unprivileged, get, on, problems, serves, unprivileged};
use crate::harness::{Network, Peer, Setup, bytes, run, skipped};
use serde_json::Value;
use std::net::{SocketAddr, UdpSocket};
use std::process::Command;

/// `[::]` is both families, with their own addresses in every line.
#[test]
fn the_unspecified_address_of_ipv6_serves_both_families() {
    let Some(network) = Network::new("02:00:5e:10:49:07") else { return };
    for (single, workers) in [("", 1), (", single-port: true", 2), (", tid-ports: 30000-30007", 2)] {
        let yaml = format!(
            "workers: {workers}\nlisteners: [{{ name: all, address: \"[::]:69\"{single} }}]\n{ROOTS}"
        );
        let server = on(&network, 1, &yaml).start();
        for address in ["192.0.2.1", "[2001:db8::1]"] {
            let ran = get(&network, address);
            ran.assert_good();
            let line = server.outcome("3000");
            let client = if address.starts_with('[') { "[2001:db8::2]:" } else { "192.0.2.2:" };
            assert!(line["client"].as_str().unwrap().starts_with(client), "{line}");
            assert_eq!(
                line["mac"].as_str().or(line["arp_mac"].as_str()).unwrap_or("02:00:5e:10:49:07"),
                "02:00:5e:10:49:07"
            );
        }
        assert_eq!(server.stop(), [] as [Value; 0]);
    }
    // IPv6 alone takes a word, or a listener of IPv4 with the port.
    let yaml = format!("listeners: [{{ name: six, address: \"[::]:69\", ipv6-only: true }}]\n{ROOTS}");
    let server = on(&network, 1, &yaml).start();
    serves(&network, &server, "[2001:db8::1]", "six");
    assert_ne!(get(&network, "192.0.2.1").code(), 0);
    drop(server);
    let yaml = format!(
        "listeners:\n- {{ name: six, address: \"[::]:69\" }}\n- {{ name: four, address: 192.0.2.1:69 }}\n{ROOTS}"
    );
    let server = on(&network, 2, &yaml).start();
    serves(&network, &server, "[2001:db8::1]", "six");
    serves(&network, &server, "192.0.2.1", "four");
    drop(server);
    // By the flag, on a port that the kernel chooses.
    let server = unprivileged(ROOTS).behind(network.on_server()).listen("[::]:0").start();
    let port = server.address().port();
    serves(&network, &server, &format!("192.0.2.1:{port}"), "[::]:0");
    serves(&network, &server, &format!("[2001:db8::1]:{port}"), "[::]:0");
}

/// With IPv6 switched off by `net.ipv6.conf.all.disable_ipv6`, and with a kernel that has none.
#[test]
fn without_ipv6_the_same_configuration_serves_ipv4() {
    let yaml = format!(
        "listeners:\n- {{ name: all, address: \"[::]:69\" }}\n- {{ name: six, address: \"[2001:db8::1]:6969\" }}\n{ROOTS}"
    );
    for behind in [&["sysctl"][..], &["family"]] {
        let Some(network) = Network::new("02:00:5e:10:49:08") else { return };
        let mut setup = on(&network, 1, &yaml);
        if behind == ["sysctl"] {
            let mut off = Command::new("ip");
            off.args(network.on_server().iter().skip(1)).args(["sh", "-c"]);
            let all =
                "for of in all default lo cable; do echo 1 >/proc/sys/net/ipv6/conf/$of/disable_ipv6; done";
            run(off.arg(all)).assert_good();
        } else {
            let Some(without) = without_family() else { return };
            setup = setup.behind(network.on_server().into_iter().chain(without).collect());
        }
        let server = setup.start();
        let line = server.log_line("IPv6 is switched off on this machine; the listener serves IPv4 alone");
        assert_eq!(line["listener"], "all");
        serves(&network, &server, "192.0.2.1", "all");
        assert!(problems(&server).contains("of listener `six`") || problems(&server).contains("`six`"));
        assert_unprivileged(&server);
    }
}

/// A command prefix for a machine whose kernel has no IPv6: `socket` fails as there.
fn without_family() -> Option<Vec<String>> {
    const SCRIPT: &str = "
import ctypes, os, platform, struct, sys
number = {'x86_64': 41, 'aarch64': 198}[platform.machine()]
def op(code, k, yes=0, no=0): return struct.pack('HBBI', code, yes, no, k)
# If the call is socket(AF_INET6, ...), it fails with EAFNOSUPPORT.
code = op(0x20, 0) + op(0x15, number, 0, 3) + op(0x20, 16) + op(0x15, 10, 0, 1) + op(0x06, 0x50000 | 97) + op(0x06, 0x7fff0000)
buffer = ctypes.create_string_buffer(code, len(code))
class Program(ctypes.Structure):
    _fields_ = [('length', ctypes.c_ushort), ('filter', ctypes.c_void_p)]
program = Program(len(code) // 8, ctypes.addressof(buffer))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.byref(program), 0, 0) == 0, ctypes.get_errno()
os.execv(sys.argv[1], sys.argv[1:])
";
    let python = Command::new("python3").arg("--version").output();
    if !python.is_ok_and(|ran| ran.status.success()) {
        skipped("python3 is not installed, and takes IPv6 away");
        return None;
    }
    Some(["python3", "-c", SCRIPT].map(str::to_owned).into())
}

/// systemd passes a socket for each family.
#[test]
fn inherited_sockets_of_both_families_belong_to_one_listener() {
    let six = socket2::Socket::new(socket2::Domain::IPV6, socket2::Type::DGRAM, None).unwrap();
    six.set_only_v6(true).unwrap();
    six.bind(&"[::]:0".parse::<SocketAddr>().unwrap().into()).unwrap();
    let port = six.local_addr().unwrap().as_socket().unwrap().port();
    let Ok(four) = UdpSocket::bind(("0.0.0.0", port)) else { return };
    let listen = format!("[::]:{port}");
    let server = Setup::new()
        .sizes(&[3000])
        .workers(1)
        .listen(&listen)
        .inherits("six", UdpSocket::from(six))
        .inherits("four", four)
        .start();
    for address in ["127.0.0.1", "::1"] {
        let mut peer = Peer::new((address.parse::<std::net::IpAddr>().unwrap(), port).into());
        assert_eq!(peer.read_plainly("3000"), bytes(3000));
        assert_eq!(server.outcome("3000")["listener"], listen.as_str());
    }
}
