//! Nothing is lost, but processors are scarce: a client that waits for a core has not lost a packet.
//!
//!     cargo test --locked -p tuffet-cli --test it loss::pressure -- --ignored --nocapture
//!
//! `TUFFET_TRANSFERS`, `TUFFET_CLIENTS`, `TUFFET_SIZE` and `TUFFET_NEIGHBOURS` change the load.

use crate::harness::Answer::Data;
use crate::harness::{Peer, SOON, Setup, ack, rrq};
use std::env;
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

/// One in this many transfers may see a block twice.
const ONE_IN: usize = 10_000;

/// A process that occupies a core.
struct Neighbour(Child);

impl Neighbour {
    fn new() -> Neighbour {
        let mut command = Command::new("sh");
        let child = command.args(["-c", "while :; do :; done"]).stdin(Stdio::null()).spawn();
        Neighbour(child.expect("there is a shell"))
    }
}

impl Drop for Neighbour {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn number(variable: &str, otherwise: usize) -> usize {
    env::var(variable).map_or(otherwise, |value| value.parse().expect("a number"))
}

/// Reads in lockstep without retransmissions. Returns the number of duplicate DATA.
fn repeats(server: SocketAddr, name: &str, blocks: u16) -> usize {
    let mut peer = Peer::strict(server);
    peer.ask(&rrq(name, &[]));
    let (mut taken, mut repeats) = (0, 0);
    while taken < blocks {
        match peer.receive_within(SOON) {
            Some(Data(block, _)) if block == taken + 1 => {
                peer.send(&ack(block));
                taken = block;
            }
            Some(Data(..)) => repeats += 1,
            other => panic!("DATA {} was due, not {other:?}", taken + 1),
        }
    }
    repeats
}

#[test]
#[ignore = "a measurement of a minute that needs the machine for itself"]
fn clean_transfers_beside_busy_processes() {
    let transfers = number("TUFFET_TRANSFERS", 10_000);
    let clients = number("TUFFET_CLIENTS", 200);
    let size = number("TUFFET_SIZE", 8192);
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let server = Setup::new().sizes(&[size]).start();
    let _neighbours: Vec<Neighbour> =
        (0..number("TUFFET_NEIGHBOURS", cores)).map(|_| Neighbour::new()).collect();

    let blocks = u16::try_from(size / 512 + 1).expect("fewer blocks than a block number counts");
    let (begun, repeated, copies) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let begin = Instant::now();
    thread::scope(|scope| {
        for _ in 0..clients {
            scope.spawn(|| {
                while begun.fetch_add(1, Ordering::Relaxed) < transfers {
                    let repeats = repeats(server.address(), &size.to_string(), blocks);
                    repeated.fetch_add(usize::from(repeats > 0), Ordering::Relaxed);
                    copies.fetch_add(repeats, Ordering::Relaxed);
                }
            });
        }
    });
    let (repeated, copies) = (repeated.into_inner(), copies.into_inner());
    eprintln!(
        "{transfers} transfers of {size} bytes, {clients} at once, in {:?}: {repeated} saw a block twice, {copies} blocks",
        begin.elapsed()
    );
    assert!(repeated <= transfers.div_ceil(ONE_IN), "{repeated} of {transfers}");
}
