//! Many plain clients at once on a path that loses packets in both directions: how many get their file. The simulation
//! of the core asserts how soon (`lockstep_gets_through_a_bad_path`).

use crate::harness::Answer::Data;
use crate::harness::{Answer, Setup, ack, bytes, rrq};
use fastrand::Rng;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::thread;
use std::time::{Duration, Instant};

const SIZE: usize = 8192;
const TRANSFERS: u64 = 40;

/// A typical time-out of firmware.
const TIMEOUT: Duration = Duration::from_millis(400);
const TRIES: u32 = 8;

/// A client in lockstep that loses sent and received packets, by a seed.
struct Client {
    socket: UdpSocket,
    listener: SocketAddr,
    /// The source of the first block that was not lost: a repeated request may be answered from another port.
    tid: Option<SocketAddr>,
    random: Rng,
    /// In percent, in each direction.
    loss: u8,
    content: Vec<u8>,
    /// The last block that arrived.
    block: u16,
}

impl Client {
    fn new(listener: SocketAddr, loss: u8, seed: u64) -> Client {
        Client {
            socket: UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap(),
            listener,
            tid: None,
            random: Rng::with_seed(seed),
            loss,
            content: Vec::new(),
            block: 0,
        }
    }

    /// Returns the duration; `None` if the client gave up.
    fn get(mut self) -> Option<Duration> {
        let begin = Instant::now();
        let mut tries = 0;
        while tries < TRIES {
            self.say();
            tries += 1;
            match self.hear() {
                None => {}
                Some(Data(block, payload)) if block == self.block + 1 => {
                    self.block = block;
                    self.content.extend_from_slice(&payload);
                    tries = 0;
                    if payload.len() < 512 {
                        assert!(self.content == bytes(SIZE), "other bytes than the file's");
                        return Some(begin.elapsed());
                    }
                }
                // The ACK was lost, or the server too fast. It does not show whether the server continues.
                Some(Data(..)) => tries -= 1,
                Some(_) => return None,
            }
        }
        None
    }

    /// Sends the request, or acknowledges the blocks that have arrived.
    fn say(&mut self) {
        if self.loses() {
            return;
        }
        match self.tid {
            None => self.socket.send_to(&rrq(&SIZE.to_string(), &[]), self.listener).unwrap(),
            Some(tid) => self.socket.send_to(&ack(self.block), tid).unwrap(),
        };
    }

    /// Returns the next answer that is not lost, if it comes in time.
    fn hear(&mut self) -> Option<Answer> {
        let end = Instant::now() + TIMEOUT;
        let mut buffer = [0; 1024];
        loop {
            let left = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
            self.socket.set_read_timeout(Some(left)).unwrap();
            match self.socket.recv_from(&mut buffer) {
                Ok((_, from)) if self.tid.is_some_and(|tid| tid != from) => {}
                Ok(_) if self.loses() => {}
                Ok((length, from)) => {
                    self.tid = Some(from);
                    return Some(Answer::read(&buffer[..length]));
                }
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }

    fn loses(&mut self) -> bool {
        self.random.u8(..100) < self.loss
    }
}

/// Returns the durations of complete transfers, sorted.
fn transfers(loss: u8) -> Vec<Duration> {
    // Of clients that are known to bear duplicates: others get no copy within a second, as from other servers.
    let known = "transfer: { retransmit: { lockstep-floor: 0s } }\n";
    let server = Setup::new().sizes(&[SIZE]).rest_of_yaml(known).start();
    let address = server.address();
    let mut times: Vec<Duration> = thread::scope(|scope| {
        let clients: Vec<_> = (0..TRANSFERS)
            .map(|seed| scope.spawn(move || Client::new(address, loss, 1000 * u64::from(loss) + seed).get()))
            .collect();
        clients.into_iter().filter_map(|client| client.join().expect("a client does not panic")).collect()
    });
    times.sort();
    let part = |percent| times.get(TRANSFERS as usize * percent / 100 - 1);
    eprintln!(
        "{loss} % lost: {} of {TRANSFERS}, p50 {:?}, p90 {:?}, slowest {:?}",
        times.len(),
        part(50),
        part(90),
        times.last()
    );
    times
}

#[test]
fn one_in_ten_is_lost() {
    assert_eq!(transfers(10).len(), 40);
}

#[test]
fn one_in_four_is_lost() {
    assert_eq!(transfers(25).len(), 40);
}

#[test]
fn two_in_five_are_lost() {
    let done = transfers(40).len();
    assert!(done >= 35, "{done} of {TRANSFERS}");
}
