//! Clients that take each DATA packet for the next block, and the clients that are known to compare numbers.

use crate::harness::{Client, Options, Peer, Server, Setup, ack, assert_ended, bytes, rrq, skipped};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

const BLKSIZE: usize = 1_024;

/// The boot ROM of a small computer: it counts DATA packets, acknowledges the number that it expects, and never repeats
/// itself. It pauses after each so many blocks. Returns what it has, and the text of an ERROR.
fn boot(server: SocketAddr, name: &str, every: usize, pause: Duration) -> (Vec<u8>, Option<String>) {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    socket.send_to(&rrq(name, &[("tsize", "0"), ("blksize", "1024")]), server).unwrap();
    let (mut file, mut next, mut buffer) = (Vec::new(), 1_u16, [0; 2_000]);
    loop {
        let (length, from) = socket.recv_from(&mut buffer).expect("an answer");
        match &buffer[..length] {
            [0, 6, ..] => drop(socket.send_to(&ack(0), from).unwrap()),
            [0, 3, _, _, block @ ..] => {
                file.extend_from_slice(block);
                if usize::from(next).is_multiple_of(every) {
                    thread::sleep(pause);
                }
                socket.send_to(&ack(next), from).unwrap();
                next += 1;
                if block.len() < BLKSIZE {
                    return (file, None);
                }
            }
            [0, 5, _, _, text @ ..] => return (file, Some(String::from_utf8_lossy(text).into_owned())),
            other => panic!("{other:?}"),
        }
    }
}

fn serving(size: usize) -> Server {
    Setup::new().file("start4.elf", &bytes(size)).start()
}

#[test]
fn a_client_that_counts_packets_gets_each_once_while_it_pauses() {
    let size = 2_200_000;
    let server = serving(size);
    for pause in [10, 20, 40, 80, 150, 400, 900] {
        let (file, error) = boot(server.address(), "start4.elf", 1_000, Duration::from_millis(pause));
        assert_eq!(error, None);
        assert_eq!(file.len(), size, "{pause} ms");
        assert!(file == bytes(size), "{pause} ms");
        let line = server.outcome("start4.elf");
        assert_eq!((&line["outcome"], &line["retransmissions"]), (&"served".into(), &0.into()), "{line:#}");
    }
}

/// A pause that is longer than any server waits: the file is wrong, and nobody calls it served. The next boot of the machine
/// works, from another port, and whichever worker serves it.
#[test]
fn a_wrong_file_is_called_so_and_the_next_boot_is_right() {
    let size = 100_000;
    let server = Setup::new().workers(4).file("start4.elf", &bytes(size)).start();
    let pause = Duration::from_millis(1_500);
    let (file, error) = boot(server.address(), "start4.elf", 50, pause);
    assert!(file.len() < size, "it ended at once");
    assert!(error.is_some_and(|text| text.contains("a block that was not sent")));
    let line = server.outcome("start4.elf");
    assert_ended(&line, "failed", "the client counted a repeated block");
    for _ in 0..4 {
        let (file, error) = boot(server.address(), "start4.elf", 50, pause);
        assert_eq!(error, None);
        assert!(file == bytes(size));
        assert_eq!(server.outcome("start4.elf")["outcome"], "served");
    }
}

/// A path that delivers each datagram to the client twice.
struct Doubling {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Doubling {
    /// Before a single-port server, for one client at a time. Not for the answer to options, if `oack` is false.
    fn before(server: SocketAddr, oack: bool) -> Doubling {
        let [front, back] = [(); 2].map(|()| UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap());
        for socket in [&front, &back] {
            socket.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
        }
        let (address, stop) = (front.local_addr().unwrap(), Arc::new(AtomicBool::default()));
        let stopped = stop.clone();
        let thread = thread::spawn(move || {
            let (mut buffer, mut client) = ([0; 70_000], None);
            while !stopped.load(Ordering::Relaxed) {
                while let Ok((length, from)) = front.recv_from(&mut buffer) {
                    client = Some(from);
                    back.send_to(&buffer[..length], server).unwrap();
                }
                while let Some((client, (length, _))) = client.zip(back.recv_from(&mut buffer).ok()) {
                    for _ in 0..if oack || buffer[1] != 6 { 2 } else { 1 } {
                        front.send_to(&buffer[..length], client).unwrap();
                    }
                }
            }
        });
        Doubling { address, stop, thread: Some(thread) }
    }
}

impl Drop for Doubling {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().map(thread::JoinHandle::join);
    }
}

/// The classes that get quick repetitions, as far as their clients are programs: each gets every block twice.
#[test]
fn clients_of_known_classes_bear_copies() {
    let server = Setup::new().single_port().file("file", &bytes(50_000)).start();
    for client in Client::installed() {
        // It aborts at a second OACK, so it gets none within a second.
        let bears_repeated_oack = client != Client::Atftp;
        let path = Doubling::before(server.address(), bears_repeated_oack);
        for options in [Options::default(), Options { blksize: Some(1_024), ..Options::default() }] {
            if client.knows(&options) {
                assert!(client.get(path.address, "file", options) == bytes(50_000), "{client:?}");
            }
        }
    }
    if Client::installed().next().is_none() {
        skipped("clients that get each block twice: none is installed");
    }
}

/// A loss is repaired within some milliseconds for a client of a known class, and after a second for others.
#[test]
fn a_known_class_gets_its_lost_block_soon() {
    let server = serving(10_000);
    for (options, known) in [
        (&[("blksize", "1432"), ("tsize", "0")][..], true),
        (&[("tsize", "0"), ("blksize", "1024")], false),
        (&[], false),
    ] {
        let mut client = Peer::strict(server.address());
        client.ask(&rrq("start4.elf", options));
        if !options.is_empty() {
            client.receive();
            client.send(&ack(0));
        }
        let first = client.receive();
        // Nothing is sent again within 800 ms, or at least one copy is.
        let again = client.receive_within(Duration::from_millis(800));
        assert_eq!(again.is_some(), known, "{options:?}: {first:?}, {again:?}");
    }
}
