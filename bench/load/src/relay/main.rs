//! `tuffet-relay`: a UDP path with delay, jitter, loss, reordering, duplication and a rate.
#![forbid(unsafe_code)]

mod args;
mod link;
mod measure;
mod relay;
mod schedule;
mod send;
mod stats;
#[cfg(test)]
mod tests;

use args::{Args, Command};
use relay::{Plan, Relay};
use stats::Meter;
use std::io;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use tuffet_measure::program::{self, Failure};

fn main() -> ExitCode {
    program::run(|args: Args| {
        match (&args.command, args.plan()) {
            (Some(Command::Measure { time }), _) => measure::measure(*time)
                .map_err(|error| Failure::broken(format!("a loopback socket failed: {error}")))?,
            (None, Some(plan)) => serve(&args, plan)?,
            (None, None) => {} // clap requires both addresses
        }
        Ok(true)
    })
}

fn serve(args: &Args, plan: Plan) -> Result<(), Failure> {
    let (listen, to) = (plan.listen, plan.to);
    if listen.is_ipv4() != to.is_ipv4() {
        return Err(Failure::usage(format!(
            "--listen {listen} and --to {to}: name two addresses of one family"
        )));
    }
    let mut relay = Relay::new(plan)
        .map_err(|error| format!("{listen} cannot be bound ({error}): name a free port with --listen"))?;
    println!("{} relays to {to}", relay.local());
    let whole = Meter::start(&relay);
    let mut part = Meter::start(&relay);
    let run: io::Result<()> = relay.run(&AtomicBool::new(false), &mut |relay| {
        if args.stats.is_some_and(|every| part.elapsed() >= every) {
            let figures = part.read(relay);
            if figures.any() {
                eprintln!("{figures}");
            }
            part = Meter::start(relay);
        }
        args.time.is_none_or(|time| whole.elapsed() < time)
    });
    if args.stats.is_some() {
        eprintln!("in all: {}", whole.read(&relay));
    }
    run.map_err(|error| Failure::broken(format!("the kernel does not say what arrives: {error}")))
}
