//! A restart costs no request: the sockets outlive the process, and unread requests wait for the next one.

use crate::harness::{Server, Setup, ack, bytes, own_loopback, rrq};
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

const CLIENTS: usize = 200;
const RESTARTS: usize = 3;
const SIZE: usize = 3000;

/// Creates two sockets on one port, as `ReusePort=yes` does.
fn sockets() -> [UdpSocket; 2] {
    let first = shared((own_loopback(), 0).into());
    let second = shared(first.local_addr().unwrap());
    [first, second]
}

fn shared(address: SocketAddr) -> UdpSocket {
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::DGRAM, None).unwrap();
    socket.set_reuse_port(true).unwrap();
    socket.bind(&address.into()).unwrap();
    socket.into()
}

fn start(sockets: &[UdpSocket; 2], single_port: bool) -> Server {
    let address = sockets[0].local_addr().unwrap();
    let setup = Setup::new().sizes(&[SIZE]).workers(2).listen(&address.to_string());
    let setup = if single_port { setup.single_port() } else { setup };
    let [first, second] = sockets.each_ref().map(|socket| socket.try_clone().unwrap());
    setup.inherits("tuffet.socket", first).inherits("tuffet.socket", second).start()
}

/// An ordinary client: it repeats unanswered packets after a second, and gives up after ten times.
fn fetch(server: SocketAddr, content: &[u8]) -> Result<usize, String> {
    let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    let (mut said, mut to, mut again) = (rrq(&SIZE.to_string(), &[]), server, 0);
    let (mut next, mut got) = (1_u16, Vec::new());
    socket.send_to(&said, to).unwrap();
    let mut room = [0; 600];
    loop {
        let Ok((length, from)) = socket.recv_from(&mut room) else {
            again += 1;
            if again > 10 {
                return Err(format!("nothing follows block {}", next - 1));
            }
            socket.send_to(&said, to).unwrap();
            continue;
        };
        // What another server had to say to whoever had this port before.
        if from.ip() != server.ip() {
            continue;
        }
        match &room[..length] {
            [0, 3, number @ ..] if number.len() >= 2 && number[..2] == next.to_be_bytes() => {
                got.extend_from_slice(&number[2..]);
                (said, to) = (ack(next), from);
                next += 1;
                socket.send_to(&said, to).unwrap();
                if length < 516 {
                    return if got == content { Ok(again) } else { Err("other bytes".into()) };
                }
            }
            [0, 5, ..] => return Err(String::from_utf8_lossy(&room[4..length]).into_owned()),
            // A duplicate block.
            _ => {}
        }
    }
}

fn restarts(single_port: bool) {
    let sockets = sockets();
    let address = sockets[0].local_addr().unwrap();
    let content = bytes(SIZE);
    let (stop, fetched, again) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    let mut outcomes = Vec::new();
    thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|_| {
                scope.spawn(|| {
                    while !stop.load(Relaxed) {
                        again.fetch_add(fetch(address, &content)?, Relaxed);
                        fetched.fetch_add(1, Relaxed);
                        thread::sleep(Duration::from_millis(50));
                    }
                    Ok::<_, String>(())
                })
            })
            .collect();
        let mut server = start(&sockets, single_port);
        for _ in 0..RESTARTS {
            let (before, end) = (fetched.load(Relaxed), std::time::Instant::now() + crate::harness::SOON);
            while fetched.load(Relaxed) < before + 2 * CLIENTS && std::time::Instant::now() < end {
                thread::sleep(Duration::from_millis(10));
            }
            outcomes.extend(server.stop());
            server = start(&sockets, single_port);
        }
        stop.store(true, Relaxed);
        for client in clients {
            client.join().unwrap().unwrap_or_else(|why| panic!("a client gave up: {why}\n{}", server.log()));
        }
        outcomes.extend(server.stop());
    });
    let served = outcomes.iter().filter(|line| line["outcome"] == "served").count();
    let others: Vec<_> = outcomes.iter().filter(|line| line["outcome"] != "served").collect();
    assert!(served >= fetched.load(Relaxed), "{served} of {}: {others:#?}", fetched.load(Relaxed));
    assert!(served >= RESTARTS * 2 * CLIENTS, "{served}");
    let failed: Vec<_> = outcomes.iter().filter(|line| line["outcome"] == "failed").collect();
    assert!(failed.is_empty(), "{failed:#?}");
    println!("{served} served over {RESTARTS} restarts; {} packets said again", again.load(Relaxed));
}

#[test]
fn two_hundred_clients_notice_nothing() {
    restarts(false);
}

/// In single-port mode, requests that arrive while the last transfers end are dropped: clients repeat them.
#[test]
fn nor_with_a_single_port() {
    restarts(true);
}
