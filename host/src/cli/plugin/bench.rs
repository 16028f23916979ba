//! `tuffet plugin bench`.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use super::super::complain;
use super::lab::Lab;
use super::request::RequestArgs;
use super::run::{Prepared, prepare};
use super::subject::Subject;
use super::wrong;
use tuffet_config::ReuseConfig;
use tuffet_policy::Hook;

#[derive(Debug, Args)]
pub(in crate::cli) struct BenchArgs {
    #[command(flatten)]
    subject: Subject,
    #[command(flatten)]
    request: RequestArgs,
    /// The number of measured calls of each kind; a tenth more run before as a warm-up.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    calls: u32,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn bench(args: &BenchArgs) -> ExitCode {
    let measured = (|| {
        let mut prepared = prepare(&args.subject, &args.request)?;
        let lab = Lab::open().map_err(wrong)?;
        let (hook, fresh) = measure(&lab, &prepared, args.calls)?;
        // For all of the calls, the warm-up among them.
        let reuse = ReuseConfig { calls: args.calls.saturating_mul(2), idle: Duration::from_secs(3600) };
        prepared.planned.plan.reuse = Some(reuse);
        let (_, kept) = measure(&lab, &prepared, args.calls)?;
        Ok((hook, fresh, kept))
    })();
    match measured {
        Ok((hook, fresh, kept)) => {
            if args.json {
                let (fresh, kept) = (fresh.json(), kept.json());
                let shown = json!({ "hook": hook.word(), "calls": args.calls, "fresh": fresh, "kept": kept });
                super::print_json(format_args!("{shown:#}"));
            } else {
                super::print(&format!(
                    "hook {}, {} calls one after the other, each way\nfresh instances  {}\nkept instance    {}\n",
                    hook.word(),
                    args.calls,
                    fresh.text(),
                    kept.text()
                ));
            }
            ExitCode::SUCCESS
        }
        Err(code) => code,
    }
}

/// The measurements of one kind of call.
struct Measured {
    p50: Duration,
    p99: Duration,
    max: Duration,
    /// The size of the instance in bytes after its last call.
    memory: u64,
}

fn measure(lab: &Lab, prepared: &Prepared<'_>, calls: u32) -> Result<(Hook, Measured), ExitCode> {
    let trial = prepared.planned.load(lab)?;
    let hook = prepared.hook(&trial)?;
    let question = &prepared.question;
    let warm_up = calls / 10;
    let mut times = Vec::new();
    let mut memory = 0;
    for call in 0..calls + warm_up {
        let tried = lab.ask(&trial, hook, &question.matter);
        if let Err((cause, detail)) = &tried.answer {
            complain(format_args!("call {} failed: {cause}: {detail}", call + 1));
            return Err(ExitCode::from(1));
        }
        memory = tried.memory;
        if call >= warm_up {
            times.push(tried.wall);
        }
    }
    times.sort_unstable();
    let rank = |percent: usize| times[(times.len() * percent).div_ceil(100).max(1) - 1];
    Ok((hook, Measured { p50: rank(50), p99: rank(99), max: rank(100), memory }))
}

impl Measured {
    fn json(&self) -> Value {
        let us = |time: Duration| time.as_nanos() as f64 / 1e3;
        json!({
            "p50-us": us(self.p50), "p99-us": us(self.p99), "max-us": us(self.max), "memory-bytes": self.memory,
        })
    }

    fn text(&self) -> String {
        let kib = self.memory.div_ceil(1024);
        format!("p50 {:.1?}  p99 {:.1?}  max {:.1?}  memory {kib} KiB", self.p50, self.p99, self.max)
    }
}
