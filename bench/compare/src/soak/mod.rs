//! A long run of the server with everything at once: honest clients and clients that are killed, uploads, lossy
//! paths, hostile datagrams, plugins that trap, loop and take memory, reloads good and broken, pauses, a clock that
//! jumps, no descriptors left, and a second server that is restarted all the time under its clients. Nothing may
//! go wrong with the honest ones, and resident memory, descriptors and threads may not grow.

mod actors;
mod args;
mod judge;
mod report;
mod server;

pub(crate) use args::Args;

use actors::{Stage, enter};
use judge::{Sample, judge};
use report::Report;
use server::{Server, Site};
use std::io;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::Instant;
use tuffet_measure::program::Failure;
use tuffet_measure::report::Facts;

/// Runs the soak; false if a resource grew or something went wrong.
///
/// # Errors The server cannot be run, or the results cannot be written.
pub(crate) fn execute(args: &Args) -> Result<bool, Failure> {
    let programs = server::Programs {
        tuffet: args.programs.tuffet()?,
        load: args.programs.load()?,
        compiled: args.programs.cache()?.join("soak-compiled"),
    };
    let report = run(args, programs).map_err(Failure::broken)?;
    report.write(&args.out)?;
    println!("{}", report.page());
    Ok(report.is_good())
}

fn run(args: &Args, programs: server::Programs) -> io::Result<Report> {
    let facts = Facts::now();
    let folder = tempfile::TempDir::new()?;
    let site = Site::make(folder.path(), &args.misbehave, [127, 66, 0, 1])?;
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
            let Some(resources) = server.resources() else {
                stage.wrong("the server has ended".into());
                break;
            };
            let sample = Sample::new(began.elapsed().as_secs_f64(), resources);
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
    Ok(Report { facts, minutes, counted, wrong, standstills, growth, samples })
}
