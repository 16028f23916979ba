//! `tuffet plugin test`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use clap::Args;
use serde_json::{Value, json};

use super::super::complain;
use super::case::{self, Case};
use super::diff::{diff, fits};
use super::lab::{Lab, Unloaded};
use super::run::answer;
use super::wrong;
use crate::config::{EXIT_CONFIG, TimeSpan};
use crate::policy::{CallLimits, Emitted, Hook, LoadProblem, LoadProblemKind};

#[derive(Debug, Args)]
pub(in crate::cli) struct TestArgs {
    /// A case file, or a folder of them (*.yaml).
    #[arg(value_name = "FILE|FOLDER", default_value = "cases.yaml")]
    path: PathBuf,
    /// The component, in place of the one that the files name: a file, or builtin:NAME.
    #[arg(long, value_name = "COMPONENT")]
    component: Option<String>,
    /// The time of a call, to compute and in all. Longer than in a server, so that a busy machine fails no
    /// case.
    #[arg(long, value_name = "TIME", value_parser = TimeSpan::from_str, default_value = "10s")]
    time: TimeSpan,
}

pub(super) fn test(args: &TestArgs) -> ExitCode {
    match run(args) {
        Ok(failed) => ExitCode::from(u8::from(failed)),
        Err(code) => code,
    }
}

/// Whether a case failed.
fn run(args: &TestArgs) -> Result<bool, ExitCode> {
    let refuse = |message: String| {
        complain(format_args!("{}: {message}", args.path.display()));
        ExitCode::from(EXIT_CONFIG)
    };
    let files = case::files(&args.path)
        .map_err(|error| refuse(format!("{error}; name a case file or a folder of case files")))?;
    let limits = CallLimits { cpu: args.time.0, wall: args.time.0, ..CallLimits::default() };
    let mut cases: Vec<(&Path, Case)> = Vec::new();
    let mut code = None;
    for file in &files {
        match case::read(file, args.component.as_deref(), limits) {
            Ok(its) => cases.extend(its.into_iter().map(|case| (file.as_path(), case))),
            Err(error) => code = Some(wrong(error)),
        }
    }
    if let Some(code) = code {
        return Err(code);
    }
    if cases.is_empty() {
        return Err(refuse("there is no case in it; a test of nothing would always pass".into()));
    }
    let lab = Lab::open().map_err(wrong)?;
    let mut failed = 0;
    for (file, case) in &cases {
        let faults = try_out(&lab, case);
        let word = if faults.is_empty() { "ok    " } else { "FAILED" };
        let mut shown = format!("{word}  {}: {}\n", file.display(), case.name);
        for fault in &faults {
            let _ = writeln!(shown, "        {fault}"); // to a string: cannot fail
        }
        super::print(&shown);
        failed += usize::from(!faults.is_empty());
    }
    super::print(&format!("{} passed, {failed} failed\n", cases.len() - failed));
    Ok(failed > 0)
}

/// What is wrong, line by line.
fn try_out(lab: &Lab, case: &Case) -> Vec<String> {
    let (trial, mut unanswered) = lab.load(&case.plan);
    let (got, emitted) = match trial {
        Ok(trial) => {
            let hook = match hook(case, &trial.hooks()) {
                Ok(hook) => hook,
                Err(fault) => return vec![fault],
            };
            if let Some(problem) = trial.lacks(hook) {
                return vec![problem.message];
            }
            let tried = lab.ask(&trial, hook, &case.request, case.upload.as_ref());
            unanswered = tried.unanswered.clone();
            (answer(&tried), tried.emitted)
        }
        Err(Unloaded::Root(error)) => return vec![error.to_string()],
        Err(Unloaded::Problems(problems)) => (refusal(&problems), Vec::new()),
    };
    let mut faults: Vec<String> = unanswered
        .iter()
        .map(|call| format!("it called {call}, which the case does not answer; add it below `host`"))
        .collect();
    if !fits(&case.expect, &got) {
        faults.push("the verdict differs (- expected, + got):".into());
        faults.extend(diff(&case.expect, &got));
    }
    if let Some(expected) = &case.emits {
        let (expected, got) = (json!(expected), json!(by_sink(&emitted)));
        if expected != got {
            faults.push("what it sent to sinks differs (- expected, + got):".into());
            faults.extend(diff(&expected, &got));
        }
    }
    faults
}

/// The hook that is named, or the only one that answers.
fn hook(case: &Case, has: &[Hook]) -> Result<Hook, String> {
    let mut answering = has.iter().filter(|hook| **hook != Hook::Observe);
    match (case.hook, answering.next(), answering.next()) {
        (Some(hook), ..) => Ok(hook),
        (None, Some(Hook::AcceptUpload), None) if case.upload.is_none() => {
            Err("accept-upload is asked about an upload: add `upload` to its request".into())
        }
        (None, Some(hook), None) => Ok(*hook),
        (None, None, _) => Err("the plugin has no hook that gives an answer".into()),
        (None, Some(_), Some(_)) => {
            Err("the plugin has several hooks: add `hook` to the case, such as `hook: authorize`".into())
        }
    }
}

/// What a plugin that cannot be loaded counts as: refused settings may be what is expected.
fn refusal(problems: &[LoadProblem]) -> Value {
    let settings = problems.iter().all(|problem| problem.kind == LoadProblemKind::Settings);
    let said = problems.iter().map(|problem| match &problem.pointer {
        Some(pointer) => format!("{pointer}: {}", problem.message),
        None => problem.message.clone(),
    });
    let said: Vec<String> = said.collect();
    if settings { json!({ "refused": said }) } else { json!({ "unloadable": said }) }
}

fn by_sink(emitted: &[Emitted]) -> BTreeMap<&str, Vec<Value>> {
    let mut sinks: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for sent in emitted {
        // It was found to be JSON when it was sent.
        let payload = serde_json::from_str(&sent.payload).unwrap_or_else(|_| sent.payload.clone().into());
        sinks.entry(&sent.sink).or_default().push(payload);
    }
    sinks
}
