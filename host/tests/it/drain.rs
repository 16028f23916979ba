//! SIGTERM: transfers may end, nothing new begins, and the exit code is 0.

use crate::harness::{
    Answer, Peer, Server, Setup, ack, assert_ended, assert_moved, bytes, data, http, rrq, wait_until, wrq,
};
use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::time::{Duration, Instant};

/// Logged at the first signal if there is a `drain-delay`.
const LEAVING: &str = "stopping after a delay; requests are still answered";

const STOPPING: &str = "stopping; waiting for running transfers";

#[test]
fn an_idle_server_stops_at_once() {
    for workers in [1, 4] {
        let server = Setup::new().workers(workers).start();
        assert_eq!(server.stop(), [] as [serde_json::Value; 0]);
    }
}

#[test]
fn running_transfers_end_well() {
    let server = Setup::new().sizes(&[5000]).writable().workers(2).start();
    let mut reader = Peer::new(server.address());
    reader.ask(&rrq("5000", &[]));
    reader.expect(Answer::Data(1, bytes(5000)[..512].to_vec()));
    let mut writer = Peer::new(server.address());
    writer.ask(&wrq("up", &[]));
    writer.expect(Answer::Ack(0));
    writer.send(&data(1, &bytes(1000)[..512]));
    writer.expect(Answer::Ack(1));
    reader.send(&ack(1));

    server.terminate();
    server.logged(STOPPING);
    assert!(reader.read_on(2) == bytes(5000)[512..]);
    assert_moved(&server.outcome("5000"), "served", 5000, 512, 1);
    // The writer is still active, so the server is, too; a new client is refused all the same.
    let mut late = Peer::new(server.address());
    late.ask(&rrq("5000", &[]));
    writer.send(&data(2, &bytes(1000)[512..]));
    writer.expect(Answer::Ack(2));
    assert_moved(&server.outcome("up"), "stored", 1000, 512, 1);
    assert_eq!(server.wait().code(), Some(0));
    assert!(server.root().read("up") == bytes(1000));
    assert_eq!(late.receive_within(Duration::from_millis(1)), None);
    assert!(server.log().contains("\"stopped\""), "{}", server.log());
}

#[test]
fn a_second_signal_ends_what_runs() {
    let server = Setup::new().sizes(&[5000]).start();
    let mut reader = Peer::new(server.address());
    reader.ask(&rrq("5000", &[]));
    reader.receive();
    reader.send(&ack(1));
    reader.receive();
    server.terminate();
    server.logged(STOPPING);
    server.terminate();
    assert_eq!(reader.receive(), Answer::Error(0, "the server is shutting down".into()));
    assert_ended(&server.outcome("5000"), "failed", "shut down");
    assert_eq!(server.wait().code(), Some(0));
}

#[test]
fn the_deadline_is_configured_and_reloaded() {
    let server = Setup::new().sizes(&[5000]).rest_of_yaml("drain: 1h").start();
    server.rewrite("roots: [{ name: boot, path: root }]\ndrain: 0s\n");
    server.ask("reload").assert_good();
    let mut reader = Peer::new(server.address());
    reader.ask(&rrq("5000", &[]));
    reader.receive();
    reader.send(&ack(1));
    reader.receive();
    server.terminate();
    assert_eq!(server.logged(STOPPING)["seconds"], 0.0);
    assert_eq!(reader.expect_error(0), "the server is shutting down");
    assert_ended(&server.outcome("5000"), "failed", "shut down");
    assert_eq!(server.wait().code(), Some(0));
}

/// An upload whose last block has arrived is stored before the server exits.
#[test]
fn an_upload_is_stored_to_its_end() {
    let server = Setup::new().writable().start();
    let mut writer = Peer::new(server.address());
    writer.ask(&wrq("up", &[]));
    writer.expect(Answer::Ack(0));
    writer.send(&data(1, b"all"));
    server.terminate();
    assert_eq!(writer.receive(), Answer::Ack(1));
    assert_moved(&server.outcome("up"), "stored", 3, 512, 1);
    assert_eq!(server.wait().code(), Some(0));
    assert_eq!(server.root().read("up"), b"all");
}

const ADMIN: &str = "drain: 1h\nadmin: { address: \"127.0.0.1:0\" }\n";

/// Whoever sends clients here sees that it should not, and the clients that still come are served.
#[test]
fn requests_are_answered_during_the_delay() {
    let server = Setup::new().sizes(&[5000]).rest_of_yaml(&format!("drain-delay: 1h\n{ADMIN}")).workers(2);
    let server = server.start();
    assert_eq!(http(server.admin(), "/readyz", &[]).status, 200);
    server.terminate();
    assert_eq!(server.logged(LEAVING)["seconds"], 3600.0);
    let ready = http(server.admin(), "/readyz", &[]);
    assert_eq!(ready.status, 503);
    assert!(ready.body.contains("\"draining\""), "{ready:?}");
    assert!(ready.body.contains("requests are still answered"), "{ready:?}");
    assert_eq!(http(server.admin(), "/readyz?exclude=draining", &[]).status, 200);
    assert_eq!(http(server.admin(), "/livez", &[]).status, 200);
    for _ in 0..4 {
        assert!(Peer::new(server.address()).read_plainly("5000") == bytes(5000));
    }
    server.terminate();
    assert_eq!(server.wait().code(), Some(0));
}

#[test]
fn the_drain_follows_the_delay() {
    let server = Setup::new().sizes(&[5000]).rest_of_yaml(&format!("drain-delay: 300ms\n{ADMIN}")).start();
    let mut reader = Peer::new(server.address());
    reader.ask(&rrq("5000", &[]));
    reader.expect(Answer::Data(1, bytes(5000)[..512].to_vec()));
    reader.send(&ack(1));
    let signalled = Instant::now();
    server.terminate();
    server.logged(LEAVING);
    server.logged(STOPPING);
    assert!(signalled.elapsed() >= Duration::from_millis(300));
    assert!(reader.read_on(2) == bytes(5000)[512..]);
    assert_eq!(server.wait().code(), Some(0));
}

/// Stops a server in a transfer of `5000`, and waits until its port is free. Returns the client, which has the first block.
fn draining(server: &Server) -> Peer {
    let mut reader = Peer::new(server.address());
    reader.ask(&rrq("5000", &[]));
    reader.expect(Answer::Data(1, bytes(5000)[..512].to_vec()));
    reader.send(&ack(1));
    server.terminate();
    server.logged(STOPPING);
    wait_until("the port is free", || UdpSocket::bind(server.address()).is_ok());
    assert_eq!(http(server.admin(), "/livez", &[]).status, 200);
    reader
}

/// Ports are free for the next server while the last transfers of this one run. Its control socket and admin listener
/// answer until then, unless the next server takes them over.
#[test]
fn the_next_server_can_start_while_transfers_end() {
    let setup = Setup::new();
    let yaml = |admin: &str| {
        let control = setup.outside().path("control");
        format!("drain: 1h\ncontrol: {}\nadmin: {{ address: \"{admin}\" }}\n", control.display())
    };
    let server = Setup::new().sizes(&[5000]).rest_of_yaml(&yaml("127.0.0.1:0")).workers(2).start();
    let (address, admin) = (server.address(), server.admin());
    let mut reader = draining(&server);
    assert_eq!(http(admin, "/readyz", &[]).status, 503);
    let next = Setup::new().sizes(&[5000]).rest_of_yaml(&yaml(&admin.to_string())).workers(2);
    let next = next.listen(&address.to_string()).start();
    assert!(Peer::new(address).read_plainly("5000") == bytes(5000));
    assert_eq!(http(admin, "/readyz", &[]).status, 200, "of the next server");
    assert!(reader.read_on(2) == bytes(5000)[512..]);
    assert_moved(&server.outcome("5000"), "served", 5000, 512, 1);
    assert_eq!(server.wait().code(), Some(0));
    assert_moved(&next.outcome("5000"), "served", 5000, 512, 1);
    assert!(setup.outside().has("control"), "it is the next server's");
}

/// As a service manager removes it with its folder: the next server cannot find this one, and needs its ports.
#[test]
fn without_its_control_socket_a_draining_server_gives_everything_up() {
    let server = Setup::new().sizes(&[5000]).rest_of_yaml(ADMIN).start();
    let admin = server.admin();
    let mut reader = draining(&server);
    fs::remove_file(server.outside().path("control")).unwrap();
    wait_until("the admin listener is closed", || TcpListener::bind(admin).is_ok());
    assert!(reader.read_on(2) == bytes(5000)[512..]);
    assert_eq!(server.wait().code(), Some(0));
}

#[test]
fn a_second_signal_ends_the_delay_and_what_runs() {
    let server = Setup::new().sizes(&[5000]).rest_of_yaml("drain-delay: 1h\ndrain: 1h\n").start();
    let mut reader = Peer::new(server.address());
    reader.ask(&rrq("5000", &[]));
    reader.receive();
    reader.send(&ack(1));
    reader.receive();
    server.terminate();
    server.logged(LEAVING);
    server.terminate();
    assert_eq!(reader.expect_error(0), "the server is shutting down");
    assert_ended(&server.outcome("5000"), "failed", "shut down");
    assert_eq!(server.wait().code(), Some(0));
}

#[test]
fn the_delay_is_reloaded() {
    let server = Setup::new().rest_of_yaml("drain-delay: 1h\n").start();
    server.rewrite("roots: [{ name: boot, path: root }]\n");
    server.ask("reload").assert_good();
    assert_eq!(server.stop(), [] as [serde_json::Value; 0]);
    assert!(!server.log().contains(LEAVING), "{}", server.log());
}

/// The deadline finds uploads in all states. Whatever their clients receive is true.
#[test]
fn the_client_of_an_upload_learns_whether_it_was_stored() {
    for round in 0..4 {
        let server = Setup::new().writable().rest_of_yaml("drain: 0s").workers(2).start();
        let mut peers: Vec<Peer> = (0..40).map(|_| Peer::new(server.address())).collect();
        for (number, peer) in peers.iter_mut().enumerate() {
            peer.ask(&wrq(&format!("up{number}"), &[]));
            peer.expect(Answer::Ack(0));
        }
        for (number, peer) in peers.iter_mut().enumerate() {
            peer.send(&data(1, b"all"));
            // In each round the deadline comes at another place among them.
            if number == round * 13 {
                server.terminate();
            }
        }
        assert_eq!(server.wait().code(), Some(0));
        for (number, peer) in peers.iter_mut().enumerate() {
            let name = format!("up{number}");
            let answer = peer.receive_within(Duration::from_millis(10));
            let is_stored = server.root().has(&name);
            assert_eq!(is_stored, answer == Some(Answer::Ack(1)), "{name}: {answer:?}\n{}", server.log());
        }
    }
}
