//! `tuffet plugin bench`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use crate::case::{self, Case, CaseContext, CaseFileError};
use crate::component;
use crate::error::fail;
use crate::input::RequestArgs;
use crate::lab::{Lab, LoadError, Plan};
use crate::plugin_args::{ContextArgs, PluginArgs};
use crate::program::ServerProgram;
use crate::run::prepare;
use crate::test::{KeysOfCalls, hook as hook_of};
use tuffet_config::{EXIT_CONFIG, Grant, PluginLimits, ReuseConfig};
use tuffet_terminal::{print, print_json, print_stderr};
use tuffet_wasm::{Hook, HookInput, Trial};

#[derive(Debug, Args)]
pub struct BenchArgs {
    /// The component: a file, or builtin:NAME; with --config also oci://… of that configuration, once it is pulled.
    /// Without it, every hook of the project in this folder is measured, with its first case in cases.yaml.
    #[arg(value_name = "COMPONENT", value_parser = component::checked)]
    component: Option<String>,
    #[command(flatten)]
    context: ContextArgs,
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
    let measured = match &args.component {
        Some(component) => bench_component(args, component, server).map(|measured| vec![measured]),
        None => bench_project(args, server),
    };
    let measured = match measured {
        Ok(measured) => measured,
        Err(code) => return code,
    };
    if !args.json {
        measured.iter().for_each(|measured| print(&measured.text(args.calls)));
        return ExitCode::SUCCESS;
    }
    let mut shown: Vec<Value> = measured.iter().map(|measured| measured.json(args.calls)).collect();
    // A list only if there may be several.
    let shown = if args.component.is_some() { shown.pop().unwrap_or_default() } else { shown.into() };
    print_json(format_args!("{shown:#}"));
    ExitCode::SUCCESS
}

fn bench_component(
    args: &BenchArgs,
    component: &str,
    server: &dyn ServerProgram,
) -> Result<HookTimes, ExitCode> {
    let plugin_args = PluginArgs::new(component.to_owned(), args.context.clone());
    let mut prepared = prepare(&plugin_args, &args.request)?;
    prepared.planned.plan.state.clone_from(&args.state);
    let keys = key_storage(&prepared.planned.plan);
    let lab = Lab::open(server).map_err(fail)?;
    // Both live until the end, so that the second finds the file of keys open.
    let first = prepared.planned.load(&lab).map_err(ExitCode::from)?;
    let hook = prepared.hook(&first)?;
    let fresh = measure(&lab, &first, hook, &prepared.call.input, args.calls, false)?;
    prepared.planned.plan.reuse = Some(reuse(args.calls));
    let second = prepared.planned.load(&lab).map_err(ExitCode::from)?;
    let kept = measure(&lab, &second, hook, &prepared.call.input, args.calls, false)?;
    Ok(HookTimes { hook, case: None, keys, fresh, kept })
}

/// The case file of the project in the current folder.
const CASES: &str = "cases.yaml";

/// Measures each hook with its first case.
fn bench_project(args: &BenchArgs, server: &dyn ServerProgram) -> Result<Vec<HookTimes>, ExitCode> {
    let refuse = |message: &str| {
        print_stderr(message);
        ExitCode::from(EXIT_CONFIG)
    };
    if !args.context.is_empty() || !args.request.is_empty() {
        return Err(refuse(
            "settings, grants and requests of a project are those of its cases.yaml; name a COMPONENT, or leave these \
             options out",
        ));
    }
    if !Path::new(CASES).is_file() {
        return Err(refuse(
            "there is no cases.yaml in this folder; name a COMPONENT and --path PATH, or go into a project",
        ));
    }
    let mut limits = PluginLimits::default();
    args.context.limit(&mut limits);
    let context = CaseContext { component: None, limits, recorded: false, roots: &[], unopened: &[] };
    let cases = case::read(Path::new(CASES), &context).map_err(|error| match error {
        CaseFileError::NoComponent(error) | CaseFileError::Invalid(error) => fail(error),
    })?;
    let lab = Lab::open(server).map_err(fail)?;
    let mut measured: Vec<HookTimes> = Vec::new();
    // All live until the end, so that each finds the file of keys open.
    let mut loaded = Vec::new();
    for index in order(&cases) {
        let case = &cases[index];
        // Its settings are to be refused.
        if expects(case, &["refused", "unloadable"]) {
            continue;
        }
        let mut plan = case.plan.clone();
        plan.state.clone_from(&args.state);
        let first = match lab.load(&plan).0 {
            Ok(trial) => trial,
            Err(LoadError::Root(error)) => return Err(fail(error)),
            Err(LoadError::Problems(problems)) => {
                let place = format!("{CASES}: {}", case.name);
                problems
                    .iter()
                    .for_each(|problem| print_stderr(format_args!("{place}: {}", problem.message)));
                return Err(ExitCode::from(EXIT_CONFIG));
            }
        };
        let hook =
            hook_of(case, &first.hooks()).map_err(|why| refuse(&format!("{CASES}: {}: {why}", case.name)))?;
        let unwanted = args.request.hook().is_some_and(|wanted| wanted != hook);
        if unwanted || measured.iter().any(|its| its.hook == hook) {
            loaded.push(first);
            continue;
        }
        if case.continues {
            let steps = cases[..index].iter().rposition(|step| !step.continues).unwrap_or(0);
            KeysOfCalls::after(&lab, &cases[steps..index]).give(&mut plan.given);
        }
        let mut times = |reuse: Option<ReuseConfig>| {
            plan.reuse = reuse.or(plan.reuse);
            let trial = match lab.load(&plan).0 {
                Ok(trial) => trial,
                Err(LoadError::Root(error)) => return Err(fail(error)),
                Err(LoadError::Problems(problems)) => {
                    problems.iter().for_each(|problem| print_stderr(&problem.message));
                    return Err(ExitCode::from(EXIT_CONFIG));
                }
            };
            let times = measure(&lab, &trial, hook, &case.input, args.calls, may_fail(case));
            loaded.push(trial);
            times
        };
        let (fresh, kept) = (times(None)?, times(Some(reuse(args.calls)))?);
        measured.push(HookTimes {
            hook,
            case: Some(case.name.clone()),
            keys: key_storage(&plan),
            fresh,
            kept,
        });
        loaded.push(first);
    }
    if measured.is_empty() {
        return Err(refuse("cases.yaml has no case to measure; add one for a hook of the plugin"));
    }
    Ok(measured)
}

/// Returns the cases in the order of preference: those that answer, then later steps, which need the keys of the ones
/// before, then those that fail.
fn order(cases: &[Case]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..cases.len()).collect();
    order.sort_by_key(|index| (may_fail(&cases[*index]), cases[*index].continues));
    order
}

/// Whether a failure is the expected answer.
fn may_fail(case: &Case) -> bool {
    expects(case, &["failure"])
}

/// Whether one of these is the expected answer, whatever its details.
fn expects(case: &Case, words: &[&str]) -> bool {
    words.iter().any(|word| case.expect == *word || case.expect.get(word).is_some())
}

/// For all of the calls, the warm-up among them.
fn reuse(calls: u32) -> ReuseConfig {
    ReuseConfig { calls: calls.saturating_mul(2), idle: Duration::from_secs(3600) }
}

/// The measurements of a hook.
struct HookTimes {
    hook: Hook,
    /// The case that was measured, in a project.
    case: Option<String>,
    keys: Option<&'static str>,
    fresh: CallTimes,
    kept: CallTimes,
}

impl HookTimes {
    fn json(&self, calls: u32) -> Value {
        let (fresh, kept) = (self.fresh.json(), self.kept.json());
        let mut shown = json!({ "hook": self.hook.word(), "calls": calls, "fresh": fresh, "kept": kept });
        if let Some(keys) = self.keys {
            shown["keys"] = keys.into();
        }
        if let Some(case) = &self.case {
            shown["case"] = case.as_str().into();
        }
        shown
    }

    fn text(&self, calls: u32) -> String {
        let keys = self.keys.map_or_else(String::new, |keys| format!(", keys {keys}"));
        let case = self.case.as_ref().map_or_else(String::new, |case| format!(" ({case})"));
        format!(
            "hook {}{case}, {calls} calls one after the other, each way{keys}\nfresh instances  {}\nkept instance    {}\n",
            self.hook.word(),
            self.fresh.text(),
            self.kept.text()
        )
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
    trial: &Trial,
    hook: Hook,
    input: &HookInput,
    calls: u32,
    may_fail: bool,
) -> Result<CallTimes, ExitCode> {
    let warm_up = calls / 10;
    let mut times = Vec::new();
    let mut memory = 0;
    for number in 0..calls + warm_up {
        let tried = lab.ask(trial, hook, input);
        if let Err((cause, detail)) = &tried.answer
            && !may_fail
        {
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
    Ok(CallTimes { p50: rank(50), p99: rank(99), max: rank(100), memory })
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
