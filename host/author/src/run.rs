//! `tuffet plugin run`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use crate::error::fail;
use crate::input::{CallInput, CallInputError, KeyValue, RequestArgs, SharedKeys};
use crate::lab::Lab;
use crate::plugin_args::{Planned, PluginArgs};
use crate::program::ServerProgram;
use tuffet_config::EXIT_CONFIG;
use tuffet_policy::SeriesValue;
use tuffet_terminal::{print, print_json, print_stderr};
use tuffet_wasm::{Hook, HookInput, LogLine, READ_CLOCK, Trial, TrialResult};

#[derive(Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    plugin_args: PluginArgs,
    #[command(flatten)]
    request: RequestArgs,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &RunArgs, server: &dyn ServerProgram) -> ExitCode {
    let tried = (|| {
        let prepared = prepare(&args.plugin_args, &args.request)?;
        let lab = Lab::open(server).map_err(fail)?;
        let trial = prepared.planned.load(&lab).map_err(ExitCode::from)?;
        let hook = prepared.hook(&trial)?;
        let call = &prepared.call;
        Ok((hook, lab.ask(&trial, hook, &call.input)))
    })();
    match tried {
        Ok((hook, tried)) => {
            if tried.read_clock {
                print_stderr(format_args!("warning: {READ_CLOCK}"));
            }
            if args.json {
                print_json(format_args!("{:#}", record(hook, &tried)));
            } else {
                print(&text(hook, &tried));
            }
            ExitCode::from(u8::from(tried.answer.is_err()))
        }
        Err(code) => code,
    }
}

/// A plugin and the input of its call.
pub(crate) struct Prepared<'a> {
    pub planned: Planned<'a>,
    pub call: CallInput,
}

/// Reads everything that the arguments name.
///
/// # Errors
/// A problem was printed; this is the exit code.
pub(crate) fn prepare<'a>(
    plugin_args: &'a PluginArgs,
    request: &RequestArgs,
) -> Result<Prepared<'a>, ExitCode> {
    let mut planned = plugin_args.plan().map_err(fail)?;
    let call = request.call().map_err(|bad| match bad {
        CallInputError::File(error) => fail(error),
        CallInputError::Flag(message) => {
            print_stderr(message);
            ExitCode::from(EXIT_CONFIG)
        }
    })?;
    planned.plan.given = call.given.clone();
    Ok(Prepared { planned, call })
}

impl Prepared<'_> {
    /// Returns the hook to call.
    ///
    /// # Errors
    /// There is none: that was printed, and this is the exit code.
    pub fn hook(&self, trial: &Trial) -> Result<Hook, ExitCode> {
        let hook = self.planned.hook(trial, self.call.hook)?;
        let refuse = |message: &str| {
            print_stderr(message);
            Err(ExitCode::from(EXIT_CONFIG))
        };
        match (hook, &self.call.input) {
            (Hook::Observe, HookInput::Request(..)) => refuse(
                "observe takes events: write `events: [{ finished: { … } }]` in a file, and name it \
                 with --request",
            ),
            (Hook::AcceptUpload, HookInput::Request(_, None)) => refuse(
                "accept-upload is asked about an upload: write `upload: { root: NAME, content: TEXT }` below \
                 `request` in a file, and name it with --request",
            ),
            _ => Ok(hook),
        }
    }
}

/// Returns the answer, or the failure.
pub(crate) fn answer(tried: &TrialResult) -> Value {
    match &tried.answer {
        Ok(answer) => answer.clone(),
        Err((cause, detail)) => json!({ "failure": { "cause": cause, "detail": detail } }),
    }
}

/// Returns the plugin's own keys that it set, or deleted (null).
pub(crate) fn changed(tried: &TrialResult) -> BTreeMap<&str, Option<KeyValue>> {
    let own = tried.keys.iter().filter(|((namespace, _), _)| namespace.is_none());
    own.map(|((_, key), value)| (key.as_str(), value.as_deref().map(KeyValue::of))).collect()
}

/// Returns the same for shared namespaces.
pub(crate) fn changed_shared(tried: &TrialResult) -> SharedKeys {
    let mut all = SharedKeys::new();
    for ((namespace, key), value) in &tried.keys {
        if let Some(namespace) = namespace {
            let keys = all.entry(namespace.clone()).or_default();
            keys.insert(key.clone(), value.as_deref().map(KeyValue::of));
        }
    }
    all
}

/// Returns its own counters and gauges, by name and labels as Prometheus writes them.
pub(crate) fn measured(tried: &TrialResult) -> BTreeMap<String, f64> {
    let number = |value: &SeriesValue| match *value {
        SeriesValue::Counter(count) => count as f64,
        SeriesValue::Gauge(value) => value,
    };
    tried.series.iter().map(|(series, value)| (series.to_string(), number(value))).collect()
}

/// Formats a line of the log: level, message, fields.
pub(crate) fn line(line: &LogLine) -> String {
    [line.level, &line.message, &line.fields].join(" ").trim_end().to_owned()
}

fn record(hook: Hook, tried: &TrialResult) -> Value {
    let lines = tried.lines.iter();
    let emitted = tried.emitted.iter();
    json!({
        "hook": hook.word(),
        "verdict": answer(tried),
        "time-us": tried.wall.as_micros() as u64,
        "cpu-us": tried.cpu.as_micros() as u64,
        "memory-bytes": tried.memory,
        "log": lines.map(|line| json!({ "level": line.level, "message": line.message, "fields": line.fields }))
            .collect::<Vec<_>>(),
        "keys": changed(tried),
        "shared-keys": changed_shared(tried),
        "metrics": measured(tried),
        "emitted": emitted.map(|sent| json!({ "sink": sent.sink, "payload": sent.payload })).collect::<Vec<_>>(),
    })
}

/// Formats the result as YAML, by hand where that helps reading.
fn text(hook: Hook, tried: &TrialResult) -> String {
    let verdict = json!({ "verdict": answer(tried) });
    let mut shown = format!("hook: {}\n", hook.word());
    shown += &serde_yaml::to_string(&verdict).unwrap_or_else(|_| format!("{verdict}\n"));
    // Writing to a string cannot fail.
    let _ = writeln!(shown, "time: {:.3?} # {:.3?} of it computing", tried.wall, tried.cpu);
    let _ = writeln!(shown, "memory: {} # bytes", tried.memory);
    if !tried.lines.is_empty() {
        let _ = writeln!(shown, "log:");
    }
    for said in &tried.lines {
        let _ = writeln!(shown, "  - {}", Value::from(line(said)));
    }
    let (own, shared) = (changed(tried), changed_shared(tried));
    let own = (!own.is_empty()).then(|| json!({ "keys": own }));
    let shared = (!shared.is_empty()).then(|| json!({ "shared-keys": shared }));
    let metrics = (!tried.series.is_empty()).then(|| json!({ "metrics": measured(tried) }));
    for keys in own.into_iter().chain(shared).chain(metrics) {
        shown += &serde_yaml::to_string(&keys).unwrap_or_else(|_| format!("{keys}\n"));
    }
    if !tried.emitted.is_empty() {
        let _ = writeln!(shown, "emitted:");
    }
    for sent in &tried.emitted {
        let _ =
            writeln!(shown, "  - {{ sink: {}, payload: {} }}", Value::from(sent.sink.as_str()), sent.payload);
    }
    shown
}
