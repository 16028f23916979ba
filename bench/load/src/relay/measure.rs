//! Measures the relay on this machine: clients request windows of datagrams as fast as they receive them,
//! from a server that does nothing else, with the relay in between and without it.

use crate::link::Path;
use crate::relay::{Plan, Relay};
use crate::stats::{Figures, Meter};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use tuffet_measure::report::Table;
use tuffet_measure::short;
use tuffet_udp::{BindOptions, ReceiveBatch, SendBatch, Socket};

/// A block of 1428 bytes and its header.
const SIZE: usize = 1_432;

const CLIENTS: usize = 4;

/// How long to wait for a datagram before it counts as lost.
const PATIENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };

pub(crate) const CLEAN: Path = Path {
    delay: Duration::ZERO,
    jitter: Duration::ZERO,
    loss: 0.0,
    duplicate: 0.0,
    reorder: 0.0,
    rate: 0,
    queue: u64::MAX,
};

/// Prints a table.
pub(crate) fn measure(time: Duration) -> io::Result<()> {
    let clients = format!("{CLIENTS} clients, blocks of 1428 bytes");
    let head = [&clients, "direct, MB/s", "relayed, MB/s", "relay, CPU s/GB"];
    let mut table = Table::of_numbers(1, head);
    let wire = Path { rate: 1_000_000_000, queue: 2 << 20, ..CLEAN };
    let far = Path { delay: Duration::from_millis(1), ..CLEAN };
    for (name, window, path) in [
        ("windows of 64", 64, CLEAN),
        ("windows of 8", 8, CLEAN),
        ("lockstep", 1, CLEAN),
        ("windows of 64, 1 ms each way", 64, far),
        ("windows of 64, 1gbit down", 64, wire),
    ] {
        let (direct, _) = run(time, window, None)?;
        let (relayed, figures) = run(time, window, Some(path))?;
        let cost = figures.and_then(|figures| figures.cpu_per_gb()).unwrap_or(0.0);
        table.row([name.to_owned(), short(direct), short(relayed), short(cost)]);
    }
    print!("{table}");
    Ok(())
}

/// Returns the rate in 10⁶ bytes per second, and the relay's figures.
fn run(time: Duration, window: usize, path: Option<Path>) -> io::Result<(f64, Option<Figures>)> {
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let server = Socket::bind(any, BindOptions::default())?;
    let stop = AtomicBool::new(false);
    let address = server.local();
    thread::scope(|scope| {
        let stop = &stop;
        let serving = scope.spawn(move || serve(&server, window, stop));
        let relay = match path {
            None => None,
            Some(down) => {
                let plan = Plan {
                    listen: any,
                    to: address,
                    up: CLEAN,
                    down,
                    seed: 1,
                    idle: Duration::from_secs(60),
                };
                Some(Relay::new(plan)?)
            }
        };
        let to = relay.as_ref().map_or(address, Relay::local);
        let relaying = relay.map(|mut relay| {
            scope.spawn(move || {
                let meter = Meter::start(&relay);
                relay.run(stop, &mut |_| true).map(|()| meter.read(&relay))
            })
        });
        let rate = ask(to, window, time);
        stop.store(true, Ordering::Relaxed);
        let panicked = || io::Error::other("a measuring thread panicked");
        serving.join().map_err(|_| panicked())??;
        let figures = relaying.map(|relaying| relaying.join().map_err(|_| panicked())?).transpose()?;
        Ok((rate?, figures))
    })
}

fn serve(socket: &Socket, window: usize, stop: &AtomicBool) -> io::Result<()> {
    let (mut received, mut out) = (ReceiveBatch::new(), SendBatch::new());
    while !stop.load(Ordering::Relaxed) {
        wait(&[socket])?;
        while received.fill(socket)? || !received.is_empty() {
            for request in (0..received.len()).filter_map(|index| received.get(index)) {
                let mut left = window;
                while left > 0 {
                    // As many as fit into a message.
                    let count = left.min(45);
                    if !out.has_room(count * SIZE) {
                        out.flush(socket);
                    }
                    out.push(request.peer, None, count * SIZE, SIZE);
                    left -= count;
                }
            }
            out.flush(socket);
        }
    }
    Ok(())
}

fn ask(server: SocketAddr, window: usize, time: Duration) -> io::Result<f64> {
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let options = BindOptions { gro: true, ..BindOptions::default() };
    let mut clients = (0..CLIENTS)
        .map(|_| Ok((Socket::bind(any, options)?, 0_usize)))
        .collect::<io::Result<Vec<(Socket, usize)>>>()?;
    let (mut received, mut out) = (ReceiveBatch::new(), SendBatch::new());
    let began = Instant::now();
    let mut bytes = 0;
    let mut silent = true;
    while began.elapsed() < time {
        for (socket, missing) in &mut clients {
            // The first time, and after a loss.
            let mut asks = silent;
            while received.fill(socket)? || !received.is_empty() {
                for got in (0..received.len()).filter_map(|index| received.get(index)) {
                    bytes += got.payload.len();
                    *missing = missing.saturating_sub(got.payload.len().div_ceil(SIZE));
                    asks |= *missing == 0;
                }
            }
            if asks {
                *missing = window;
                out.push(server, None, 4, 4);
                out.flush(socket);
            }
        }
        let sockets: Vec<&Socket> = clients.iter().map(|(socket, _)| socket).collect();
        silent = !wait(&sockets)?;
    }
    Ok(bytes as f64 / began.elapsed().as_secs_f64() / 1e6)
}

/// Returns whether a datagram arrived in time.
fn wait(sockets: &[&Socket]) -> io::Result<bool> {
    let mut ready: Vec<PollFd<'_>> =
        sockets.iter().map(|socket| PollFd::new(*socket, PollFlags::IN)).collect();
    match poll(&mut ready, Some(&PATIENCE)) {
        Ok(count) => Ok(count > 0),
        Err(rustix::io::Errno::INTR) => Ok(true),
        Err(error) => Err(error.into()),
    }
}
