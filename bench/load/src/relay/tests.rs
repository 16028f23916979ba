//! Tests of the relay between real sockets.

use crate::link::Path;
use crate::measure::CLEAN;
use crate::relay::{Plan, Relay};
use std::collections::BTreeSet;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Allows for a machine that is busy with other work.
const LONG: Duration = Duration::from_secs(20);

fn socket() -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(LONG)).unwrap();
    socket
}

/// Calls `with` with a client's socket, the relay's address and the server's socket.
fn between(up: Path, down: Path, seed: u64, with: impl FnOnce(&UdpSocket, SocketAddr, &UdpSocket)) {
    let (client, server) = (socket(), socket());
    let plan = Plan {
        listen: "127.0.0.1:0".parse().unwrap(),
        to: server.local_addr().unwrap(),
        up,
        down,
        seed,
        idle: Duration::from_secs(60),
    };
    let mut relay = Relay::new(plan).unwrap();
    let address = relay.local();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let relaying = scope.spawn(|| relay.run(&stop, &mut |_| true));
        // Stops the relay even if a check fails.
        let stopping = Stop(&stop);
        with(&client, address, &server);
        drop(stopping);
        relaying.join().unwrap().unwrap();
    });
}

struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn receive(socket: &UdpSocket) -> (Vec<u8>, SocketAddr) {
    let mut buffer = [0; 2_000];
    let (length, from) = socket.recv_from(&mut buffer).unwrap();
    (buffer[..length].to_vec(), from)
}

#[test]
fn a_transfer_on_a_port_of_its_own_passes_and_takes_its_time() {
    let slow = Path { delay: Duration::from_millis(30), ..CLEAN };
    between(slow, slow, 1, |client, relay, server| {
        let began = Instant::now();
        client.send_to(b"request", relay).unwrap();
        let (request, as_seen) = receive(server);
        assert_eq!(request, b"request");
        let tid = socket();
        tid.send_to(b"block", as_seen).unwrap();
        let (block, from) = receive(client);
        assert_eq!(block, b"block");
        assert_ne!(from, relay, "another port for another port");
        client.send_to(b"ack", from).unwrap();
        assert_eq!(receive(&tid), (b"ack".to_vec(), as_seen), "from the port that asked");
        assert!(began.elapsed() >= Duration::from_millis(90), "{:?}", began.elapsed());
        // From the server's first port again, so from the relay's first port.
        server.send_to(b"single", as_seen).unwrap();
        assert_eq!(receive(client), (b"single".to_vec(), relay));
    });
}

#[test]
fn strangers_do_not_reach_the_server_through_a_port_of_a_transfer() {
    between(CLEAN, CLEAN, 1, |client, relay, server| {
        client.send_to(b"request", relay).unwrap();
        let (_, as_seen) = receive(server);
        let tid = socket();
        tid.send_to(b"block", as_seen).unwrap();
        let (_, from) = receive(client);
        socket().send_to(b"stranger", from).unwrap();
        client.send_to(b"ack", from).unwrap();
        assert_eq!(receive(&tid).0, b"ack");
    });
}

#[test]
fn clients_are_told_apart() {
    between(CLEAN, CLEAN, 1, |one, relay, server| {
        let two = socket();
        one.send_to(b"one", relay).unwrap();
        let (_, first) = receive(server);
        two.send_to(b"two", relay).unwrap();
        let (_, second) = receive(server);
        assert_ne!(first, second);
        server.send_to(b"to two", second).unwrap();
        server.send_to(b"to one", first).unwrap();
        assert_eq!((receive(&two).0, receive(one).0), (b"to two".to_vec(), b"to one".to_vec()));
    });
}

/// As many datagrams as an ordinary socket can queue.
const COUNT: u16 = 200;
/// Datagrams after them.
const READ: u16 = u16::MAX - 1;
const LAST: u16 = u16::MAX;

/// The arrivals of this many numbered datagrams, up to a final one that is repeated until it arrives. It is sent once the
/// relay has read the others: until then it may overtake those that are held back.
fn arrivals(up: Path, seed: u64) -> Vec<u16> {
    let mut numbers = Vec::new();
    between(up, CLEAN, seed, |client, relay, server| {
        server.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        for number in 0..COUNT {
            client.send_to(&number.to_be_bytes(), relay).unwrap();
        }
        let began = Instant::now();
        let (mut buffer, mut marker) = ([0; 2], READ);
        loop {
            assert!(began.elapsed() < LONG, "the last one never came");
            match server.recv_from(&mut buffer) {
                Ok(_) => match u16::from_be_bytes(buffer) {
                    LAST => return,
                    // Longer than any datagram is held back.
                    READ => {
                        thread::sleep(Duration::from_millis(10));
                        marker = LAST;
                    }
                    number => numbers.push(number),
                },
                Err(_) => {
                    client.send_to(&marker.to_be_bytes(), relay).unwrap();
                }
            }
        }
    });
    numbers
}

#[test]
fn a_clean_path_keeps_all_in_order() {
    assert_eq!(arrivals(CLEAN, 1), (0..COUNT).collect::<Vec<u16>>());
}

#[test]
fn what_is_lost_follows_the_seed() {
    let path = Path { loss: 0.3, ..CLEAN };
    let first = arrivals(path, 1);
    assert!((110..170).contains(&first.len()), "{}", first.len());
    assert_eq!(first, arrivals(path, 1));
    assert_ne!(first, arrivals(path, 2));
}

#[test]
fn some_change_places_and_some_come_twice() {
    let path = Path { reorder: 0.1, duplicate: 0.1, ..CLEAN };
    let numbers = arrivals(path, 1);
    assert!(!numbers.is_sorted(), "none changed places");
    assert!(numbers.len() > 205, "{}: none came twice", numbers.len());
    assert_eq!(numbers.into_iter().collect::<BTreeSet<u16>>().len(), usize::from(COUNT), "none is lost");
}

#[test]
fn a_narrow_line_drops_what_does_not_fit() {
    // Each takes 30 bytes on the wire; the queue holds ten, for 30 ms each.
    let path = Path { rate: 8_000, queue: 300, ..CLEAN };
    let numbers = arrivals(path, 1);
    assert!(numbers.is_sorted() && numbers.contains(&0));
    assert!(numbers.len() < usize::from(COUNT), "all of them passed");
}
