//! Finds the process that has the port of a listener, and the commands that stop it.
//!
//! The commands stop another server the way its package does, so that it stays stopped and keeps its other services: a
//! dnsmasq without TFTP still answers DNS and DHCP.

use super::finding::{Finding, Grade};
use super::system::System;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The state of a TCP socket that waits for connections.
const LISTENING: &str = "0A";

/// A process with a conflicting socket.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Occupant {
    pub(super) process: u32,
    pub(super) name: String,
}

/// The state of a port, as far as the kernel shows it to this user.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Occupied {
    By(Occupant),
    /// A socket has the port, but its process is not visible to this user.
    Hidden,
    Free,
    /// The tables of sockets are not readable.
    Unknown,
}

/// The protocol of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    Udp,
    /// Only its listening sockets are in the way.
    Tcp,
}

/// Finds the process with the socket that keeps a server from binding `address`.
pub(super) fn occupied(system: &System, protocol: Protocol, address: SocketAddr) -> Occupied {
    let (names, state) = match protocol {
        Protocol::Udp => (["proc/net/udp", "proc/net/udp6"], None),
        Protocol::Tcp => (["proc/net/tcp", "proc/net/tcp6"], Some(LISTENING)),
    };
    let tables: Vec<String> = names.iter().filter_map(|table| system.text(table)).collect();
    if tables.is_empty() {
        return Occupied::Unknown;
    }
    let sockets: Vec<String> = tables
        .iter()
        .flat_map(|table| inodes(table, state, address))
        .map(|inode| format!("socket:[{inode}]"))
        .collect();
    if sockets.is_empty() {
        return Occupied::Free;
    }
    let processes = system.names("proc").into_iter().filter_map(|name| name.parse::<u32>().ok());
    let holders = processes.filter(|process| {
        let folder = format!("proc/{process}/fd");
        system.names(&folder).iter().any(|fd| {
            let link = system.link(&format!("{folder}/{fd}"));
            link.is_some_and(|link| sockets.iter().any(|socket| link.as_os_str() == socket.as_str()))
        })
    });
    let named = holders.map(|process| Occupant {
        process,
        name: system.text(&format!("proc/{process}/comm")).unwrap_or_default(),
    });
    // Several processes may share the socket. A server comes before its service manager or parent; otherwise the oldest
    // process counts, because a child has its parent's sockets until it runs another program.
    let first = named.min_by_key(|held| (held.name != "tuffet", started(system, held.process), held.process));
    first.map_or(Occupied::Hidden, Occupied::By)
}

/// Returns when a process started, in ticks since boot: the 22nd field of `/proc/PID/stat`.
fn started(system: &System, process: u32) -> u64 {
    let stat = system.text(&format!("proc/{process}/stat")).unwrap_or_default();
    // The second field is the name in parentheses, and may contain spaces.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    fields.split_ascii_whitespace().nth(19).and_then(|ticks| ticks.parse().ok()).unwrap_or(0)
}

/// Returns the sockets of a table, in this state if one is given, that keep a server from binding `address`. A line is `sl local_address rem_address st
/// tx:rx tr:when retrnsmt uid timeout inode …`, with hexadecimal addresses.
fn inodes(table: &str, state: Option<&str>, address: SocketAddr) -> Vec<String> {
    let row = |line: &str| {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let (ip, port) = words.get(1)?.rsplit_once(':')?;
        if state.is_some_and(|state| words.get(3) != Some(&state)) {
            return None;
        }
        let its = SocketAddr::new(ip_of(ip)?, u16::from_str_radix(port, 16).ok()?);
        conflict(its, address).then(|| words.get(9).map(|inode| (*inode).to_owned()))?
    };
    table.lines().skip(1).filter_map(row).collect()
}

/// Parses an address of 32-bit words in native byte order.
fn ip_of(hex: &str) -> Option<IpAddr> {
    let word = |at: usize| Some(u32::from_str_radix(hex.get(at..at + 8)?, 16).ok()?.to_ne_bytes());
    match hex.len() {
        8 => Some(Ipv4Addr::from(word(0)?).into()),
        32 => {
            let words = [word(0)?, word(8)?, word(16)?, word(24)?];
            let bytes: [u8; 16] = words.concat().try_into().ok()?;
            Some(Ipv6Addr::from(bytes).into())
        }
        _ => None,
    }
}

/// Whether a socket at `its` keeps a server from binding `wanted`. A socket at `[::]` may also serve IPv4.
fn conflict(its: SocketAddr, wanted: SocketAddr) -> bool {
    let same_family = its.is_ipv4() == wanted.is_ipv4();
    its.port() == wanted.port()
        && match same_family {
            true => its.ip() == wanted.ip() || its.ip().is_unspecified() || wanted.ip().is_unspecified(),
            false => its.is_ipv6() && its.ip().is_unspecified(),
        }
}

/// Reports a conflicting server, with the commands that stop it.
pub(super) fn in_the_way(system: &System, check: String, occupant: &Occupant, port: u16) -> Finding {
    let Occupant { process, name } = occupant;
    let wrong = |advice: &str| {
        Finding::new(&*check, Grade::Wrong, format!("{name} (process {process}) has it: {advice}"))
    };
    let group = system.text(&format!("proc/{process}/cgroup")).unwrap_or_default();
    let unit = unit(&group);
    match (name.as_str(), unit.as_deref()) {
        ("dnsmasq", Some(unit)) if unit.starts_with("libvirt") || unit.starts_with("virt") => {
            wrong("it belongs to a network of libvirt; remove `<tftp root=…>` from that network")
                .fix("virsh net-list")
                .fix("virsh net-edit NETWORK")
        }
        ("dnsmasq", unit) => {
            let advice = "remove `enable-tftp` from its configuration, and its DNS and DHCP stay as they are";
            wrong(advice)
                .fix("grep -rn enable-tftp /etc/dnsmasq.conf /etc/dnsmasq.d")
                .fix(format!("systemctl restart {}", unit.unwrap_or("dnsmasq.service")))
        }
        ("xinetd", _) | (_, Some("xinetd.service")) => {
            wrong("xinetd starts a server for it; write `disable = yes` in /etc/xinetd.d/tftp")
                .fix("systemctl reload xinetd.service")
        }
        ("inetd", _) | (_, Some("inetd.service" | "openbsd-inetd.service" | "inetutils-inetd.service")) => {
            wrong("inetd starts a server for it; disable the line `tftp` of /etc/inetd.conf")
                .fix("update-inetd --disable tftp")
        }
        // Fedora's package also has a socket unit, which would start the server again.
        ("in.tftpd", Some("tftp.service")) => {
            wrong("the package tftp-server").fix("systemctl disable --now tftp.socket tftp.service")
        }
        // For a start script, as in Debian's package, `disable --now` would only disable it.
        ("in.tftpd", unit) => {
            let unit = unit.unwrap_or("tftpd-hpa.service");
            wrong("the package tftpd-hpa").fix(format!("systemctl stop {unit} && systemctl disable {unit}"))
        }
        ("atftpd", unit) => wrong("the package atftpd")
            .fix(format!("systemctl disable --now {}", unit.unwrap_or("atftpd.service"))),
        ("docker-proxy", _) => wrong("a container publishes the port; stop the container or publish another")
            .fix(format!("docker ps --filter publish={port}/udp")),
        _ if contained(&group) => wrong("it runs in a container; stop the container, or choose another port"),
        (_, Some(unit)) => {
            wrong("stop its service, or choose another port").fix(format!("systemctl disable --now {unit}"))
        }
        (_, None) => wrong("no service started it; stop it by hand, or choose another port")
            .fix(format!("ps -o pid,ppid,user,lstart,args -p {process}")),
    }
}

/// Returns the systemd service of the process.
fn unit(cgroup: &str) -> Option<String> {
    // The commands name services of the system, not those of a user's session.
    let path = cgroup.lines().next_back()?.rsplit_once(':')?.1;
    let last = path.rsplit('/').next()?;
    (last.ends_with(".service") && !path.contains("/user.slice/")).then(|| last.to_owned())
}

/// Whether the control group belongs to a container.
fn contained(cgroup: &str) -> bool {
    ["/docker", "/libpod", "/kubepods", "/lxc", "/machine.slice", "cri-containerd"]
        .iter()
        .any(|part| cgroup.contains(part))
}

#[cfg(test)]
mod tests {
    use super::super::system::fake;
    use super::*;

    const HEAD: &str =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";

    fn line(local: &str, inode: u32) -> String {
        format!("7: {local} 00000000:0000 07 00000000:00000000 00:00000000 00000000 0 0 {inode} 2 0 0\n")
    }

    /// A machine with these processes, each with a socket: process ID, name, start, inode.
    fn machine(table: &str, processes: &[(u32, &str, u64, u32)]) -> (tempfile::TempDir, System) {
        let (folder, system) = fake(&[("proc/net/udp", table)]);
        for (process, name, start, inode) in processes {
            let at = folder.path().join(format!("proc/{process}"));
            std::fs::create_dir_all(at.join("fd")).unwrap();
            std::fs::write(at.join("comm"), format!("{name}\n")).unwrap();
            let stat = format!("{process} ({name} x) S {}{start} 0 0\n", "0 ".repeat(18));
            std::fs::write(at.join("stat"), stat).unwrap();
            std::os::unix::fs::symlink(format!("socket:[{inode}]"), at.join("fd/3")).unwrap();
        }
        (folder, system)
    }

    fn by(process: u32, name: &str) -> Occupied {
        Occupied::By(Occupant { process, name: name.into() })
    }

    #[test]
    fn only_a_socket_that_conflicts_is_in_the_way() {
        // 127.0.0.1, 192.0.2.1 and 0.0.0.0 in native byte order.
        let hex = |ip: [u8; 4]| format!("{:08X}:0045", u32::from_ne_bytes(ip));
        let at = |ip| HEAD.to_owned() + &line(&hex(ip), 4711);
        let wanted = |text: &str| text.parse::<SocketAddr>().unwrap();
        let (loopback, everywhere) = (at([127, 0, 0, 1]), at([0, 0, 0, 0]));
        assert_eq!(inodes(&loopback, None, wanted("127.0.0.1:69")), ["4711"]);
        assert_eq!(inodes(&loopback, None, wanted("0.0.0.0:69")), ["4711"]);
        assert_eq!(inodes(&everywhere, None, wanted("192.0.2.1:69")), ["4711"]);
        // The sockets of the table are those of UDP, in state 07.
        assert_eq!(inodes(&loopback, Some("07"), wanted("127.0.0.1:69")), ["4711"]);
        assert_eq!(inodes(&loopback, Some(LISTENING), wanted("127.0.0.1:69")), Vec::<String>::new());
        for free in ["192.0.2.1:69", "127.0.0.1:70", "[::1]:69", "[::]:69"] {
            assert_eq!(inodes(&loopback, None, wanted(free)), Vec::<String>::new(), "{free}");
        }
        let v6 = |ip: Ipv6Addr| {
            let words = ip.octets();
            let words = words.chunks(4).map(|word| u32::from_ne_bytes(word.try_into().unwrap()));
            let hex: String = words.map(|word| format!("{word:08X}")).collect();
            HEAD.to_owned() + &line(&format!("{hex}:0045"), 4712)
        };
        assert_eq!(inodes(&v6(Ipv6Addr::UNSPECIFIED), None, wanted("127.0.0.1:69")), ["4712"]);
        assert_eq!(inodes(&v6(Ipv6Addr::LOCALHOST), None, wanted("[::1]:69")), ["4712"]);
        assert_eq!(inodes(&v6(Ipv6Addr::LOCALHOST), None, wanted("127.0.0.1:69")), Vec::<String>::new());
    }

    #[test]
    fn the_server_is_named_before_its_parents_and_children() {
        let table = HEAD.to_owned() + &line("00000000:0045", 4711);
        let wanted: SocketAddr = "0.0.0.0:69".parse().unwrap();
        let xinetd = [(30, "in.tftpd", 900, 4711), (200, "xinetd", 100, 4711), (5, "other", 1, 9)];
        assert_eq!(occupied(&machine(&table, &xinetd).1, Protocol::Udp, wanted), by(200, "xinetd"));
        let inherited = [(1, "systemd", 1, 4711), (77, "tuffet", 900, 4711)];
        assert_eq!(occupied(&machine(&table, &inherited).1, Protocol::Udp, wanted), by(77, "tuffet"));
        assert_eq!(occupied(&machine(&table, &[]).1, Protocol::Udp, wanted), Occupied::Hidden);
        assert_eq!(occupied(&machine(HEAD, &[]).1, Protocol::Udp, wanted), Occupied::Free);
        assert_eq!(occupied(&fake(&[]).1, Protocol::Udp, wanted), Occupied::Unknown);
    }

    /// Servers of packages are never killed: they would start again, or lose other services.
    #[test]
    fn each_server_leaves_as_its_package_wants_it() {
        let cases = [
            (
                "dnsmasq",
                "/system.slice/dnsmasq.service",
                "`enable-tftp`",
                "systemctl restart dnsmasq.service",
            ),
            ("dnsmasq", "/user.slice/session-1.scope", "`enable-tftp`", "systemctl restart dnsmasq.service"),
            ("dnsmasq", "/system.slice/libvirtd.service", "libvirt", "virsh net-edit NETWORK"),
            (
                "in.tftpd",
                "/system.slice/tftpd-hpa.service",
                "tftpd-hpa",
                "systemctl stop tftpd-hpa.service && systemctl disable tftpd-hpa.service",
            ),
            (
                "in.tftpd",
                "/system.slice/tftp.service",
                "tftp-server",
                "systemctl disable --now tftp.socket tftp.service",
            ),
            (
                "in.tftpd",
                "/system.slice/xinetd.service",
                "/etc/xinetd.d/tftp",
                "systemctl reload xinetd.service",
            ),
            ("xinetd", "/system.slice/xinetd.service", "`disable = yes`", "systemctl reload xinetd.service"),
            (
                "inetd",
                "/system.slice/openbsd-inetd.service",
                "/etc/inetd.conf",
                "update-inetd --disable tftp",
            ),
            ("atftpd", "/system.slice/atftpd.service", "atftpd", "systemctl disable --now atftpd.service"),
            (
                "docker-proxy",
                "/system.slice/docker.service",
                "container",
                "docker ps --filter publish=69/udp",
            ),
            ("other", "/system.slice/other.service", "service", "systemctl disable --now other.service"),
            ("other", "/user.slice/a/user@0.service", "no service", "ps -o pid,ppid,user,lstart,args -p 7"),
            ("other", "/user.slice/session-1.scope", "no service", "ps -o pid,ppid,user,lstart,args -p 7"),
        ];
        for (name, group, advice, command) in cases {
            let (_folder, system) = fake(&[("proc/7/cgroup", &format!("0::{group}\n"))]);
            let found = in_the_way(&system, "port".into(), &Occupant { process: 7, name: name.into() }, 69);
            assert_eq!(found.grade, Grade::Wrong);
            assert!(found.says.starts_with(&format!("{name} (process 7) has it: ")), "{}", found.says);
            assert!(found.says.contains(advice), "{}", found.says);
            assert_eq!(found.commands.last().map(String::as_str), Some(command), "{name} {group}");
            assert!(!found.commands.iter().any(|command| command.contains("kill")), "{:?}", found.commands);
        }
        let (_folder, system) = fake(&[("proc/7/cgroup", "0::/system.slice/docker-4f0a.scope\n")]);
        let found = in_the_way(&system, "port".into(), &Occupant { process: 7, name: "dnsd".into() }, 69);
        assert!(found.says.contains("runs in a container") && found.commands.is_empty(), "{found:?}");
    }
}
