//! Checks the listeners' ports: the required privilege, and whether they are free.

use super::finding::{Finding, Grade};
use super::occupant::{Occupant, Occupied, Protocol, in_the_way, occupied};
use super::system::System;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use tuffet_config::{AdminAddress, Config, Listener};
use tuffet_udp::{BindOptions, Socket, has_ipv6};

/// CAP_NET_BIND_SERVICE (capabilities(7)).
const BIND_SERVICE: u32 = 10;

/// The socket unit, and the folders of units in order of precedence (systemd.unit(5)).
const SOCKET_UNIT: &str = "tuffet.socket";
const UNITS: [&str; 5] = [
    "etc/systemd/system",
    "run/systemd/system",
    "usr/local/lib/systemd/system",
    "usr/lib/systemd/system",
    "lib/systemd/system",
];

pub(super) fn privilege(system: &System, listener: &Listener) -> Finding {
    const NAME: &str = "net.ipv4.ip_unprivileged_port_start";
    let port = listener.address.port();
    let check = format!("privilege for {}", listener.address);
    let first = system.sysctl(NAME).and_then(|value| value.parse::<u16>().ok()).unwrap_or(1024);
    if port == 0 || port >= first {
        return Finding::good(check, format!("ports from {first} on need none"));
    }
    let effective = system.line("proc/self/status", "CapEff:");
    let effective = effective.and_then(|hex| u64::from_str_radix(&hex, 16).ok()).unwrap_or(0);
    if effective >> BIND_SERVICE & 1 == 1 {
        return Finding::good(check, "this user has CAP_NET_BIND_SERVICE");
    }
    if let Some(unit) = socket_unit(system, listener.address) {
        return Finding::good(check, format!("{unit} opens it; the server binds nothing and needs none"));
    }
    let own = std::env::current_exe().map_or_else(|_| "tuffet".to_owned(), |path| path.display().to_string());
    let says = format!(
        "ports below {first} need CAP_NET_BIND_SERVICE, which this user lacks; one of these grants it, or lets systemd \
         open the port (`ListenDatagram={}` in {SOCKET_UNIT}, as in examples/systemd)",
        listener.address
    );
    Finding::new(check, Grade::Wrong, says)
        .fix(format!("setcap cap_net_bind_service=+ep {own}"))
        .fix(format!("sysctl -w {NAME}={port}"))
        .fix(format!("systemctl enable --now {SOCKET_UNIT}"))
        .permanently("/etc/systemd/system/tuffet.service", "AmbientCapabilities=CAP_NET_BIND_SERVICE")
}

/// Reports a port with an inherited socket.
pub(super) fn needs_no_privilege(listener: &Listener) -> Finding {
    let check = format!("privilege for {}", listener.address);
    Finding::good(check, "the socket is inherited; nothing is bound, and no privilege is needed")
}

/// Reports the number of inherited sockets of a port.
pub(super) fn inherited(listener: &Listener, sockets: usize, workers: usize) -> Finding {
    let check = format!("port {}", listener.address);
    if sockets >= workers {
        return Finding::good(check, format!("inherited, {sockets} for {workers} workers"));
    }
    let says = format!(
        "inherited, {sockets} for {workers} workers: the other workers do nothing for this listener; write \
         `ReusePort=yes` in the socket unit, and its `ListenDatagram=` once for each worker"
    );
    Finding::new(check, Grade::CouldBeBetter, says)
}

pub(super) fn free(system: &System, listener: &Listener) -> Finding {
    let address = listener.address;
    let check = format!("port {address}");
    if let Some(finding) = interface(&check, listener) {
        return finding;
    }
    if address.port() == 0 {
        return Finding::good(check, "any free one");
    }
    match bind(listener) {
        Ok(()) => Finding::good(check, "free"),
        Err(error) => bind_failed(system, check, address, error),
    }
}

/// Reports an interface that a listener cannot be bound to.
fn interface(check: &str, listener: &Listener) -> Option<Finding> {
    let name = listener.interface.as_deref()?;
    let any = SocketAddr::new(listener.address.ip(), 0);
    let options = BindOptions { interface: Some(name), free_bind: true, ..BindOptions::default() };
    let error = Socket::bind(any, options).err()?;
    let says = match error.raw_os_error() {
        Some(libc::ENODEV) => format!(
            "this machine has no interface `{name}`; a server waits for it, or does not start with `start: all`; correct \
             `listeners[].interface` if it will never exist"
        ),
        Some(libc::EPERM) => format!(
            "this kernel lets only CAP_NET_RAW bind to the interface `{name}` (from Linux 5.7 on, nothing is needed); \
             start the server as root"
        ),
        _ => return None,
    };
    Some(Finding::new(check, Grade::Wrong, says).fix("ip -brief link"))
}

/// Reports a failure to bind a port.
fn bind_failed(system: &System, check: String, address: SocketAddr, error: io::Error) -> Finding {
    match error.kind() {
        io::ErrorKind::AddrInUse => in_use(system, check, address, occupied(system, Protocol::Udp, address)),
        io::ErrorKind::AddrNotAvailable => Finding::new(
            check,
            Grade::Wrong,
            "no interface has this address; a server waits for it, or does not start with `start: all`; correct `listeners`, \
             or add it to one",
        )
        .fix("ip -brief address"),
        // Without the privilege, binding fails anyway, but the kernel lists all sockets.
        io::ErrorKind::PermissionDenied => match occupied(system, Protocol::Udp, address) {
            Occupied::Free => Finding::good(check, "free: no socket has it"),
            Occupied::Unknown => Finding::unknown(
                check,
                "without the privilege it cannot be tested, and the sockets are not visible here",
            ),
            occupied => in_use(system, check, address, occupied),
        },
        _ if error.raw_os_error() == Some(libc::EAFNOSUPPORT) => Finding::new(
            check,
            Grade::Wrong,
            "this machine has no IPv6 (`ipv6.disable=1` of the kernel, or a container without it); listen on IPv4, or on \
             `[::]`, which then serves IPv4 alone",
        ),
        _ => Finding::new(check, Grade::Wrong, format!("it cannot be bound: {error}")),
    }
}

/// Binds the port as the server does, without sharing it.
fn bind(listener: &Listener) -> io::Result<()> {
    let Listener { interface, free_bind, .. } = listener;
    let options =
        BindOptions { interface: interface.as_deref(), free_bind: *free_bind, ..BindOptions::default() };
    if listener.ipv4_too {
        let ipv4 = SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), listener.address.port());
        Socket::bind(ipv4, options)?;
        if !has_ipv6() {
            return Ok(());
        }
    }
    Socket::bind(listener.address, options).map(drop)
}

/// Returns a message for each port of the configuration that another program has, so that a server could not start. Those
/// of a Tuffet, and of systemd for it, are as they should be beside a server that runs.
pub(in super::super) fn taken(config: &Config) -> Vec<String> {
    let system = System::real();
    let message = |what: String, address: SocketAddr, found: &Finding| {
        let commands = found.commands.join("`, `");
        format!("{what}: {address} is taken, and a server cannot start: {}: `{commands}`", found.says)
    };
    let mut taken = Vec::new();
    for listener in config.settings.listeners.iter().filter(|listener| listener.address.port() != 0) {
        // Only a socket that is there is worth a try.
        if another(&system, Protocol::Udp, listener.address).is_some() {
            let found = free(&system, listener);
            if found.grade == Grade::Wrong {
                taken.push(message(format!("listener `{}`", listener.name), listener.address, &found));
            }
        }
    }
    if let Some(AdminAddress::Tcp(address)) = config.admin.as_ref().map(|admin| &admin.address)
        && address.port() != 0
        && let Some(occupant) = another(&system, Protocol::Tcp, *address)
    {
        let found = in_the_way(&system, String::new(), &occupant, address.port());
        taken.push(message("`admin`".into(), *address, &found));
    }
    taken
}

/// Returns the process that has this port, unless it is a Tuffet or systemd.
fn another(system: &System, protocol: Protocol, address: SocketAddr) -> Option<Occupant> {
    match occupied(system, protocol, address) {
        Occupied::By(its) if its.name != "tuffet" && (its.process, &*its.name) != (1, "systemd") => Some(its),
        _ => None,
    }
}

/// Reports the process that uses the port: a Tuffet is fine, others are conflicts.
fn in_use(system: &System, check: String, address: SocketAddr, occupied: Occupied) -> Finding {
    let unit_of_sockets = socket_unit(system, address);
    let Occupied::By(Occupant { process, name }) = &occupied else {
        if let Some(path) = unit_of_sockets {
            let says =
                format!("taken by a process that this user may not see; probably by systemd for {path}");
            return Finding::unknown(check, says).fix("systemctl status tuffet.socket");
        }
        let port = address.port();
        return Finding::new(check, Grade::Wrong, "a process that this user may not see has it")
            .fix(format!("sudo ss --udp --listening --numeric --processes 'sport = :{port}'"));
    };
    if name == "tuffet" {
        return Finding::good(check, format!("a Tuffet serves there already (process {process})"));
    }
    if (*process, name.as_str()) == (1, "systemd") {
        return match unit_of_sockets {
            Some(path) => Finding::good(check, format!("systemd has it for the server: {path}")),
            // The unit may have another name.
            None => Finding::new(
                check,
                Grade::CouldBeBetter,
                "systemd has it for a socket unit; if that is not this server's, disable it",
            )
            .fix("systemctl list-sockets"),
        };
    }
    in_the_way(system, check, &Occupant { process: *process, name: name.clone() }, address.port())
}

/// Returns the file of this server's socket unit, if it opens this address.
fn socket_unit(system: &System, address: SocketAddr) -> Option<String> {
    let paths = UNITS.iter().map(|folder| format!("{folder}/{SOCKET_UNIT}"));
    // Only the first unit of this name counts.
    let (path, text) = paths.into_iter().find_map(|path| system.text(&path).map(|text| (path, text)))?;
    let mut lines = text.lines().filter_map(|line| line.trim().strip_prefix("ListenDatagram="));
    lines.any(|opened| opened.trim().parse() == Ok(address)).then(|| format!("/{path}"))
}

#[cfg(test)]
mod tests {
    use super::super::system::fake;
    use super::*;
    use std::net::UdpSocket;

    fn listener(address: &str) -> Listener {
        Listener::at("it", address.parse().unwrap())
    }

    #[test]
    fn low_ports_need_a_capability() {
        let with = |capabilities: &str| {
            let status = format!("Name:\ttuffet\nCapEff:\t{capabilities}\n");
            let (_folder, system) = fake(&[
                ("proc/self/status", &status),
                ("proc/sys/net/ipv4/ip_unprivileged_port_start", "1024\n"),
            ]);
            let grade = |address| privilege(&system, &listener(address)).grade;
            [grade("0.0.0.0:69"), grade("0.0.0.0:6969"), grade("0.0.0.0:0")]
        };
        assert_eq!(with("0000000000000000"), [Grade::Wrong, Grade::Good, Grade::Good]);
        assert_eq!(with("0000000000000400"), [Grade::Good; 3]);
        assert_eq!(with("000001ffffffffff"), [Grade::Good; 3]);
    }

    #[test]
    fn a_socket_unit_opens_the_port() {
        let status = ("proc/self/status", "Name:\ttuffet\nCapEff:\t0000000000000000\n");
        let unit = "[Socket]\nListenDatagram=0.0.0.0:69\nListenDatagram=0.0.0.0:69\nReusePort=yes\n";
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
                     7: 00000000:0045 00000000:0000 07 00000000:00000000 00:00000000 00000000 0 0 4711 2 0 0\n";
        let files = [
            status,
            ("etc/systemd/system/tuffet.socket", unit),
            // A unit of lower precedence.
            ("usr/lib/systemd/system/tuffet.socket", "[Socket]\nListenDatagram=[::]:69\n"),
            ("proc/net/udp", table),
            ("proc/1/comm", "systemd\n"),
        ];
        let (folder, system) = fake(&files);
        std::fs::create_dir(folder.path().join("proc/1/fd")).unwrap();
        let address: SocketAddr = "0.0.0.0:69".parse().unwrap();
        let found = privilege(&system, &listener("0.0.0.0:69"));
        assert_eq!(found.grade, Grade::Good, "{}", found.says);
        assert!(found.says.starts_with("/etc/systemd/system/tuffet.socket opens it"), "{}", found.says);
        let other = privilege(&system, &listener("[::]:69"));
        assert_eq!(other.grade, Grade::Wrong);
        assert!(other.says.contains("`ListenDatagram=[::]:69`"), "{}", other.says);
        assert_eq!(other.commands.last().unwrap(), "systemctl enable --now tuffet.socket");
        let finding = || in_use(&system, "port".into(), address, occupied(&system, Protocol::Udp, address));
        let hidden = finding();
        assert_eq!(hidden.grade, Grade::Unknown, "{}", hidden.says);
        assert!(hidden.says.contains("/etc/systemd/system/tuffet.socket"), "{}", hidden.says);

        // Even if it is visible, process 1 must never be killed.
        std::os::unix::fs::symlink("socket:[4711]", folder.path().join("proc/1/fd/30")).unwrap();
        let found = finding();
        assert_eq!(found.grade, Grade::Good);
        assert!(found.says.contains("/etc/systemd/system/tuffet.socket"), "{}", found.says);
        std::fs::remove_file(folder.path().join("etc/systemd/system/tuffet.socket")).unwrap();
        let found = finding();
        assert_eq!(
            (found.grade, &found.commands[..]),
            (Grade::CouldBeBetter, &["systemctl list-sockets".to_owned()][..])
        );
    }

    #[test]
    fn a_port_that_this_process_has() {
        // Another process may have the same port, at another address, or be a child that has not yet run its program.
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap();
        let Occupied::By(found) = occupied(&System::real(), Protocol::Udp, address) else {
            panic!("{address} is not seen")
        };
        assert_eq!(found.process, std::process::id());
        let finding = free(&System::real(), &listener(&address.to_string()));
        assert_eq!(finding.grade, Grade::Wrong);
        let says = format!("{} (process {}) has it", found.name, found.process);
        assert!(finding.says.starts_with(&says), "{}", finding.says);
        drop(socket);
        let nowhere = free(&System::real(), &listener("192.0.2.77:6969"));
        assert!(nowhere.says.contains("no interface has this address"), "{}", nowhere.says);
    }

    /// Acts as a user who can neither see the sockets' processes nor bind the port.
    #[test]
    fn a_port_that_cannot_be_tried_is_looked_up() {
        const HEAD: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
        let denied = |system: &System| {
            bind_failed(
                system,
                "port".into(),
                "0.0.0.0:69".parse().unwrap(),
                io::ErrorKind::PermissionDenied.into(),
            )
        };
        assert_eq!(denied(&fake(&[("proc/net/udp", HEAD)]).1).grade, Grade::Good);
        assert_eq!(denied(&fake(&[]).1).grade, Grade::Unknown);
        let row = "7: 00000000:0045 00000000:0000 07 00000000:00000000 00:00000000 00000000 0 0 4711 2 0 0\n";
        let found = denied(&fake(&[("proc/net/udp", &format!("{HEAD}{row}"))]).1);
        assert_eq!(found.grade, Grade::Wrong);
        assert!(found.commands[0].starts_with("sudo ss "), "{:?}", found.commands);
    }
}
