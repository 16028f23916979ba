//! A long run of the server with everything at once: honest clients and clients that are killed, uploads, lossy
//! paths, hostile datagrams, plugins that trap, loop and take memory, reloads good and broken, pauses, a clock that
//! jumps, no descriptors left, and a second server that is restarted all the time under its clients. Nothing may
//! go wrong with the honest ones, and resident memory, descriptors and threads may not grow.
//!
//! Exit code: 0 if so, 1 if not, 2 if it could not be run.

mod actors;
mod args;
mod judge;
mod plot;
mod report;
mod server;

use actors::{Stage, enter};
use args::Args;
use clap::Parser;
use judge::{Sample, judge};
use report::Report;
use server::{Server, Site};
use std::io;
use std::process::ExitCode;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::Instant;

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(report) => {
            println!("{}", report.page(&format!("{}-soak", report.date)));
            ExitCode::from(u8::from(!report.is_good()))
        }
        Err(error) => {
            eprintln!("tuffet-soak: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &Args) -> io::Result<Report> {
    let folder = tempfile::TempDir::new()?;
    let site = Site::make(folder.path(), &args.misbehave, [127, 66, 0, 1])?;
    let programs = std::fs::canonicalize(&args.programs)?;
    if !site.has_clock() {
        eprintln!("skipped: the clock does not jump: libfaketime is not installed");
    }
    let mut server = Server::start(&site, &programs)?;
    let stage = Stage::new(&site, &server, programs, args.misbehave.clone(), args.rate);
    let began = Instant::now();
    let mut samples = Vec::new();
    thread::scope(|scope| {
        enter(scope, &stage);
        while began.elapsed() < args.duration {
            thread::sleep(args.interval.min(args.duration.saturating_sub(began.elapsed())));
            let Some(held) = server.held() else {
                stage.wrong("the server has ended".into());
                break;
            };
            let sample = Sample::new(began.elapsed().as_secs_f64(), held);
            eprintln!(
                "{:6.0} s  {:5.1} MiB  {:3} descriptors  {:3} threads",
                sample.seconds,
                sample.resident_kib as f64 / 1024.0,
                sample.descriptors,
                sample.threads
            );
            samples.push(sample);
        }
        stage.over.store(true, Relaxed);
        server.limit_descriptors(None);
    });
    let (counted, mut wrong, standstills) = (stage.counted(), stage.wrongs(), stage.standstills());
    let status = server.stop()?;
    if !status.success() {
        wrong.push(format!("the server ended with {status}"));
    }
    let left = site.unfinished();
    if left > 0 {
        wrong.push(format!("{left} temporary files of uploads are left when the server has ended"));
    }
    for log in [site.log(), site.folder.join("restarted/log")] {
        let said = std::fs::read_to_string(&log).unwrap_or_default();
        wrong.extend(said.lines().filter(|line| line.contains("panicked at")).take(3).map(str::to_owned));
    }
    let growth = judge(&samples).unwrap_or_default();
    if growth.is_empty() {
        wrong.push("too few samples: a longer --duration, or a shorter --interval".into());
    }
    let minutes = began.elapsed().as_secs_f64() / 60.0;
    let report = Report {
        date: date(),
        machine: tuffet_measure::Machine::read(),
        minutes,
        counted,
        wrong,
        standstills,
        growth,
        samples,
    };
    report.write(&args.out)?;
    Ok(report)
}

/// Today, in UTC.
fn date() -> String {
    humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string()[..10].to_owned()
}
