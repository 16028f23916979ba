//! `tuffet plugin run`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use super::super::complain;
use super::host::{KeyValue, SharedKeys};
use super::lab::Lab;
use super::request::{BadQuestion, Question, RequestArgs};
use super::subject::{Planned, Subject};
use super::wrong;
use tuffet_config::EXIT_CONFIG;
use tuffet_policy::SeriesValue;
use tuffet_wasm::{Hook, HookInput, LogLine, Trial, Tried};

#[derive(Debug, Args)]
pub(in crate::cli) struct RunArgs {
    #[command(flatten)]
    subject: Subject,
    #[command(flatten)]
    request: RequestArgs,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &RunArgs) -> ExitCode {
    let tried = (|| {
        let prepared = prepare(&args.subject, &args.request)?;
        let lab = Lab::open().map_err(wrong)?;
        let trial = prepared.planned.load(&lab)?;
        let hook = prepared.hook(&trial)?;
        let question = &prepared.question;
        Ok((hook, lab.ask(&trial, hook, &question.matter)))
    })();
    match tried {
        Ok((hook, tried)) => {
            if args.json {
                super::print_json(format_args!("{:#}", record(hook, &tried)));
            } else {
                super::print(&text(hook, &tried));
            }
            ExitCode::from(u8::from(tried.answer.is_err()))
        }
        Err(code) => code,
    }
}

/// A plugin and the input of its call.
pub(super) struct Prepared<'a> {
    pub planned: Planned<'a>,
    pub question: Question,
}

/// Reads everything that the arguments name.
///
/// # Errors
/// A problem was printed; this is the exit code.
pub(super) fn prepare<'a>(subject: &'a Subject, request: &RequestArgs) -> Result<Prepared<'a>, ExitCode> {
    let mut planned = subject.plan().map_err(wrong)?;
    let question = request.question().map_err(|bad| match bad {
        BadQuestion::File(error) => wrong(error),
        BadQuestion::Flag(message) => {
            complain(message);
            ExitCode::from(EXIT_CONFIG)
        }
    })?;
    planned.plan.given = question.given.clone();
    Ok(Prepared { planned, question })
}

impl Prepared<'_> {
    /// Returns the hook to call.
    ///
    /// # Errors
    /// There is none: that was printed, and this is the exit code.
    pub fn hook(&self, trial: &Trial) -> Result<Hook, ExitCode> {
        let hook = self.planned.hook(trial, self.question.hook)?;
        let refuse = |message: &str| {
            complain(message);
            Err(ExitCode::from(EXIT_CONFIG))
        };
        match (hook, &self.question.matter) {
            (Hook::Observe, HookInput::Request(..)) => refuse(
                "observe is told what happened: write `events: [{ finished: { … } }]` in a file, and name it \
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
pub(super) fn answer(tried: &Tried) -> Value {
    match &tried.answer {
        Ok(answer) => answer.clone(),
        Err((cause, detail)) => json!({ "failure": { "cause": cause, "detail": detail } }),
    }
}

/// Returns the keys of its own that it has set, or deleted (null).
pub(super) fn changed(tried: &Tried) -> BTreeMap<&str, Option<KeyValue>> {
    let own = tried.keys.iter().filter(|((namespace, _), _)| namespace.is_none());
    own.map(|((_, key), value)| (key.as_str(), value.as_deref().map(KeyValue::of))).collect()
}

/// Returns the same for the namespaces that it shares.
pub(super) fn changed_shared(tried: &Tried) -> SharedKeys {
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
pub(super) fn measured(tried: &Tried) -> BTreeMap<String, f64> {
    let number = |value: &SeriesValue| match *value {
        SeriesValue::Counter(count) => count as f64,
        SeriesValue::Gauge(value) => value,
    };
    tried.series.iter().map(|(series, value)| (series.to_string(), number(value))).collect()
}

/// Formats a line of the log: level, message, fields.
pub(super) fn line(line: &LogLine) -> String {
    [line.level, &line.message, &line.fields].join(" ").trim_end().to_owned()
}

fn record(hook: Hook, tried: &Tried) -> Value {
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
fn text(hook: Hook, tried: &Tried) -> String {
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
