//! `tuffet plugin bench`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use crate::error::fail;
use crate::input::RequestArgs;
use crate::lab::{Lab, Plan};
use crate::plugin_args::PluginArgs;
use crate::program::ServerProgram;
use crate::run::{Prepared, prepare};
use tuffet_config::{Grant, ReuseConfig};
use tuffet_terminal::{print, print_json, print_stderr};
use tuffet_wasm::{Hook, Trial};

#[derive(Debug, Args)]
pub struct BenchArgs {
    #[command(flatten)]
    plugin_args: PluginArgs,
    #[command(flatten)]
    request: RequestArgs,
    /// The number of measured calls of each kind; a tenth more run before as a warm-up.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    calls: u32,
    /// Where the plugin's keys are stored, as in a server: each change is on disk when the call returns. Not the folder
    /// of a running server. Without it, keys are in memory, which is much faster.
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn bench(args: &BenchArgs, server: &dyn ServerProgram) -> ExitCode {
    let measured = (|| {
        let mut prepared = prepare(&args.plugin_args, &args.request)?;
        prepared.planned.plan.state.clone_from(&args.state);
        let keys = key_storage(&prepared.planned.plan);
        let lab = Lab::open(server).map_err(fail)?;
        // Both live until the end, so that the second finds the file of keys open.
        let first = prepared.planned.load(&lab)?;
        let (hook, fresh) = measure(&lab, &prepared, &first, args.calls)?;
        // For all of the calls, the warm-up among them.
        let reuse = ReuseConfig { calls: args.calls.saturating_mul(2), idle: Duration::from_secs(3600) };
        prepared.planned.plan.reuse = Some(reuse);
        let second = prepared.planned.load(&lab)?;
        let (_, kept) = measure(&lab, &prepared, &second, args.calls)?;
        Ok((hook, keys, fresh, kept))
    })();
    match measured {
        Ok((hook, keys, fresh, kept)) => {
            if args.json {
                let (fresh, kept) = (fresh.json(), kept.json());
                let mut shown =
                    json!({ "hook": hook.word(), "calls": args.calls, "fresh": fresh, "kept": kept });
                if let Some(keys) = keys {
                    shown["keys"] = keys.into();
                }
                print_json(format_args!("{shown:#}"));
            } else {
                let keys = keys.map_or_else(String::new, |keys| format!(", keys {keys}"));
                print(&format!(
                    "hook {}, {} calls one after the other, each way{keys}\nfresh instances  {}\nkept instance    {}\n",
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

/// Returns the storage of the plugin's keys, if it may have any: it determines the cost of a call.
fn key_storage(plan: &Plan) -> Option<&'static str> {
    let has = plan.grants.iter().any(|grant| matches!(grant, Grant::Kv | Grant::SharedKv(_)));
    has.then_some(if plan.state.is_some() { "in a file" } else { "in memory" })
}

/// The measurements of one kind of call.
struct CallTimes {
    p50: Duration,
    p99: Duration,
    max: Duration,
    /// The size of the instance in bytes after its last call.
    memory: u64,
}

fn measure(
    lab: &Lab,
    prepared: &Prepared<'_>,
    trial: &Trial,
    calls: u32,
) -> Result<(Hook, CallTimes), ExitCode> {
    let hook = prepared.hook(trial)?;
    let call = &prepared.call;
    let warm_up = calls / 10;
    let mut times = Vec::new();
    let mut memory = 0;
    for number in 0..calls + warm_up {
        let tried = lab.ask(trial, hook, &call.input);
        if let Err((cause, detail)) = &tried.answer {
            print_stderr(format_args!("call {} failed: {cause}: {detail}", number + 1));
            return Err(ExitCode::from(1));
        }
        memory = tried.memory;
        if number >= warm_up {
            times.push(tried.wall);
        }
    }
    times.sort_unstable();
    let rank = |percent: usize| times[(times.len() * percent).div_ceil(100).max(1) - 1];
    Ok((hook, CallTimes { p50: rank(50), p99: rank(99), max: rank(100), memory }))
}

impl CallTimes {
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
