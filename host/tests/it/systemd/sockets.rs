//! Sockets that the server inherits: used in place of its own, or refused.

use crate::harness::{Answer, Peer, Setup, ack, http, own_loopback, rrq, skipped};
use std::fs::{self, Permissions};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::Command;
use std::thread;

/// Creates a socket on a loopback address of its own.
fn socket() -> (UdpSocket, SocketAddr) {
    let socket = UdpSocket::bind((own_loopback(), 0)).unwrap();
    let address = socket.local_addr().unwrap();
    (socket, address)
}

const INHERITED: &str = "using inherited sockets";

/// Requests that arrived before the server started are answered; requests that arrive while it stops are left
/// to the next one.
#[test]
fn what_waits_in_the_socket_is_answered_by_the_next_server() {
    let (socket, address) = socket();
    let start = || {
        let setup = Setup::new().sizes(&[5000]).listen(&address.to_string());
        setup.inherits("tuffet.socket", socket.try_clone().unwrap()).start()
    };
    let mut early = Peer::new(address);
    early.ask(&rrq("5000", &[]));
    let server = start();
    assert_eq!(server.logged(INHERITED)["sockets"], 1);
    assert_eq!(server.address(), address);
    assert!(matches!(early.receive(), Answer::Data(1, _)));
    early.send(&ack(1));
    early.receive();

    server.terminate();
    server.logged("stopping; waiting for running transfers");
    let mut late = Peer::new(address);
    late.ask(&rrq("5000", &[]));
    early.send(&ack(2));
    assert_eq!(early.read_on(3).len(), 5000 - 1024);
    assert_eq!(server.wait().code(), Some(0));
    // One request, which no server has read so far.
    let next = start();
    assert_eq!(late.read_on(1).len(), 5000);
    assert_eq!(next.stop().len(), 1);
}

#[test]
fn admin_and_control_are_inherited_too() {
    let setup = Setup::new();
    let control = setup.outside().path("control");
    let (admin, control_socket) =
        (TcpListener::bind((own_loopback(), 0)).unwrap(), UnixListener::bind(&control).unwrap());
    let address = admin.local_addr().unwrap();
    let server = setup
        .rest_of_yaml(&format!("admin: {{ address: \"{address}\" }}\n"))
        .inherits("web", admin.try_clone().unwrap())
        .inherits("control", control_socket)
        .start();
    assert_eq!(server.admin(), address);
    assert_eq!(http(address, "/livez", &[]).status, 200);
    server.ask("reload").assert_good();
    server.stop();
    assert!(control.exists(), "it is not the server's to remove");
}

/// By its path; and the socket file stays, for the next process.
#[test]
fn admin_at_a_path_is_inherited_too() {
    let setup = Setup::new();
    let path = setup.outside().path("admin");
    let socket = UnixListener::bind(&path).unwrap();
    let inode = fs::metadata(&path).unwrap().ino();
    let everyone = |setup: Setup, mode| {
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let yaml = format!("admin: {{ address: \"unix:{}\" }}\n", path.display());
        let server = setup.rest_of_yaml(&yaml).inherits("web", socket.try_clone().unwrap()).start();
        let mut stream = UnixStream::connect(&path).unwrap();
        stream.write_all(b"GET /livez HTTP/1.1\r\nHost: tuffet\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        let listens = server.logged("the admin listener is serving");
        assert_eq!(listens["address"], format!("unix:{}", path.display()));
        server.terminate();
        assert_eq!(server.wait().code(), Some(0));
        assert_eq!(fs::metadata(&path).unwrap().ino(), inode, "it is not the server's to remove");
        server.log().contains("every user of this machine may read")
    };
    // Permissions for all users are reported, and those that the server would have set are not.
    assert!(everyone(Setup::new(), 0o666));
    assert!(!everyone(Setup::new(), 0o660));
}

#[test]
fn what_does_not_fit_the_configuration_is_refused() {
    let (udp, address) = socket();
    let ran = Setup::new().listen("127.0.0.1:0").inherits("boot", udp).run_to_its_end();
    ran.assert_fails(
        64,
        &[
            &format!("inherited, but not in the configuration: UDP {address} (`boot`)"),
            "listener `127.0.0.1:0`",
        ],
    );
    let name = format!("tuffet-it-{}-{}", std::process::id(), fastrand::u64(..));
    let nameless = std::os::unix::net::SocketAddr::from_abstract_name(&name).unwrap();
    let nameless = UnixListener::bind_addr(&nameless).unwrap();
    let ran = Setup::new().listen("127.0.0.1:0").inherits("web", nameless).run_to_its_end();
    ran.assert_fails(64, &[&format!("@{name}, which has no path (`web`)")]);
    let pair = std::os::unix::net::UnixDatagram::unbound().unwrap();
    let ran = Setup::new().inherits("boot", pair).run_to_its_end();
    ran.assert_fails(64, &["the inherited descriptor 0 (`boot`)", "`ListenDatagram=`"]);
    let ran = Setup::new().variable("LISTEN_FDS", "many").run_to_its_end();
    ran.assert_fails(64, &["LISTEN_FDS=\"many\"", "a number"]);
}

/// One socket for two workers: one of them serves, and the log names the remedy.
#[test]
fn too_few_sockets_are_told() {
    let (udp, address) = socket();
    let setup = Setup::new().file("a", b"a").workers(2).listen(&address.to_string());
    let server = setup.inherits("tuffet.socket", udp).start();
    let line = server.logged(
        "there are fewer inherited sockets than workers, and workers without one are idle for this \
         listener; set `ReusePort=yes` in the socket unit, and repeat its `ListenDatagram=` for each worker",
    );
    assert_eq!((&line["sockets"], &line["workers"]), (&1.into(), &2.into()));
    assert_eq!(Peer::new(address).read_plainly("a"), b"a");
    assert_eq!(server.stop().len(), 1);
}

/// With systemd's own tool, which starts the server on the first request.
#[test]
fn systemd_socket_activate() {
    if Command::new("systemd-socket-activate").arg("--version").output().is_err() {
        return skipped("systemd-socket-activate is not installed");
    }
    let address = socket().1;
    let listen = format!("--listen={address}");
    let words = [
        "systemd-socket-activate",
        "--datagram",
        &listen,
        "--setenv=RUNTIME_DIRECTORY",
        "--setenv=CACHE_DIRECTORY",
    ];
    let setup = Setup::new().file("a", b"content").listen(&address.to_string());
    let setup = setup.behind(words.map(str::to_owned).into());
    let client = thread::spawn(move || {
        let mut peer = Peer::new(address);
        // The tool may not listen yet.
        loop {
            peer.ask(&rrq("a", &[]));
            if let Some(answer) = peer.receive_within(std::time::Duration::from_secs(1)) {
                peer.send(&ack(1));
                return answer;
            }
        }
    });
    let server = setup.start();
    assert_eq!(server.logged(INHERITED)["sockets"], 1);
    assert_eq!(client.join().unwrap(), Answer::Data(1, b"content".to_vec()));
    server.stop();
}
