//! `tuffet-crowd`: many clients read one file at the same time, each for itself or as members of a multicast group
//! (RFC 2090). Every byte is compared with the file.
//!
//! Each client is a thread with its own sockets, like a host: the kernel delivers a copy of each block of a group to
//! each of them.
#![forbid(unsafe_code)]

mod alone;
mod group;

use clap::Parser;
use serde::Serialize;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};
use tuffet_core::{Mode, Operation, OptionSet, RequestPacket, Time};

/// Reads one file with many clients at the same time, and prints what that took as JSON.
#[derive(Debug, Clone, Parser)]
#[command(name = "tuffet-crowd", version)]
struct Args {
    /// The server.
    #[arg(long)]
    server: SocketAddr,
    /// The requested name.
    #[arg(long)]
    name: String,
    /// The same file, to compare with.
    #[arg(long)]
    expected: PathBuf,
    /// Clients.
    #[arg(long, default_value_t = 200)]
    clients: usize,
    /// Bytes in a block.
    #[arg(long, default_value_t = 1428)]
    blksize: u16,
    /// Blocks in a window; 1 requests none.
    #[arg(long, default_value_t = 16)]
    windowsize: u16,
    /// Join a group.
    #[arg(long)]
    multicast: bool,
    /// The address of the interface that receives the blocks of groups.
    #[arg(long, default_value = "127.0.0.1")]
    interface: Ipv4Addr,
    /// Seconds after which a client that has heard nothing gives up.
    #[arg(long, default_value_t = 60)]
    give_up: u64,
}

impl Args {
    fn options(&self) -> OptionSet {
        OptionSet {
            blksize: Some(self.blksize),
            windowsize: (self.windowsize > 1).then_some(self.windowsize),
            ..OptionSet::default()
        }
    }

    /// The request, with the empty option `multicast` if a group is wanted.
    fn request(&self) -> Vec<u8> {
        let mut buffer = vec![0; 1024];
        let name = self.name.as_bytes();
        let length = RequestPacket::encode(Operation::Read, name, Mode::Octet, &self.options(), &mut buffer)
            .unwrap_or(0);
        buffer.truncate(length);
        if self.multicast {
            buffer.extend_from_slice(b"multicast\0\0");
        }
        buffer
    }

    fn give_up(&self) -> Duration {
        Duration::from_secs(self.give_up)
    }
}

/// The clock of a client.
#[derive(Debug, Clone, Copy)]
struct Clock(Instant);

impl Clock {
    fn now(self) -> Time {
        Time::from_micros(self.0.elapsed().as_micros() as u64)
    }
}

/// What one client did.
#[derive(Debug, Clone, Default)]
struct ClientResult {
    /// The reason for a missing or wrong file.
    problem: Option<String>,
    took: Duration,
    /// Received datagrams, and those without new data.
    received: u64,
    needless: u64,
}

#[derive(Debug, Serialize)]
struct Figures {
    clients: usize,
    served: usize,
    bytes: usize,
    /// The time until the last client had the file.
    seconds: f64,
    median_seconds: f64,
    first_seconds: f64,
    received_datagrams: u64,
    needless_datagrams: u64,
    problems: Vec<String>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let file: Arc<[u8]> = match std::fs::read(&args.expected) {
        Ok(file) => file.into(),
        Err(error) => {
            eprintln!("{}: {error}", args.expected.display());
            return ExitCode::from(66);
        }
    };
    let start = Arc::new(Barrier::new(args.clients));
    let threads = (0..args.clients).map(|_| {
        let (args, file, start) = (args.clone(), file.clone(), start.clone());
        std::thread::spawn(move || {
            start.wait();
            let began = Instant::now();
            let served = if args.multicast { group::read(&args, &file) } else { alone::read(&args, &file) };
            let served = served.unwrap_or_else(|error| ClientResult {
                problem: Some(error.to_string()),
                ..ClientResult::default()
            });
            // A member of a group stays to repeat its last ACK, so it has recorded when it had the file.
            let took = if served.took.is_zero() { began.elapsed() } else { served.took };
            ClientResult { took, ..served }
        })
    });
    let threads: Vec<_> = threads.collect();
    let panicked =
        || ClientResult { problem: Some("a bug: the client panicked".into()), ..ClientResult::default() };
    let all: Vec<ClientResult> =
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| panicked())).collect();
    let figures = figures(&all, file.len());
    match serde_json::to_string_pretty(&figures) {
        Ok(text) => println!("{text}"),
        Err(error) => eprintln!("{error}"),
    }
    if figures.served == all.len() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn figures(all: &[ClientResult], bytes: usize) -> Figures {
    let mut times: Vec<f64> = all
        .iter()
        .filter(|served| served.problem.is_none())
        .map(|served| served.took.as_secs_f64())
        .collect();
    times.sort_by(f64::total_cmp);
    let at = |index: usize| times.get(index).copied().unwrap_or(0.0);
    let mut problems: Vec<String> = all.iter().filter_map(|served| served.problem.clone()).collect();
    problems.sort();
    problems.dedup();
    Figures {
        clients: all.len(),
        served: times.len(),
        bytes,
        seconds: times.last().copied().unwrap_or(0.0),
        median_seconds: at(times.len() / 2),
        first_seconds: at(0),
        received_datagrams: all.iter().map(|served| served.received).sum(),
        needless_datagrams: all.iter().map(|served| served.needless).sum(),
        problems,
    }
}
