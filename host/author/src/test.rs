//! `tuffet plugin test`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

use crate::case::{self, Case, CaseContext, CaseFileError};
use crate::component;
use crate::diff::{diff, fits, whole_diff};
use crate::error::fail;
use crate::input::{KeyValue, WrittenHost};
use crate::lab::{self, Lab, LoadError};
use crate::plugin_args::root;
use crate::program::ServerProgram;
use crate::record;
use crate::run::{answer, changed, changed_shared, line, measured};
use crate::stale;
use tuffet_config::{ComponentSource, EXIT_CONFIG, Grant, PluginLimits, TimeSpan, reach};
use tuffet_policy::{LoadProblem, LoadProblemKind};
use tuffet_request::RootSpec;
use tuffet_terminal::{print, print_stderr};
use tuffet_wasm::{
    AnswerSource, Hook, HookInput, KeyName, READ_CLOCK, RecordedAnswers, SinkLine, StagedAnswers, Trial,
    TrialResult,
};

#[derive(Debug, Args)]
pub struct TestArgs {
    /// A case file, or a folder: its cases.yaml, or else all its case files (*.yaml).
    #[arg(value_name = "FILE|FOLDER", default_value = "cases.yaml")]
    path: PathBuf,
    /// The component: a file, or builtin:NAME; replaces the one that the files name.
    #[arg(long, value_name = "COMPONENT")]
    component: Option<String>,
    /// The time limits of a call, CPU and total. Longer than in a server, so that a busy machine fails no
    /// case.
    #[arg(long, value_name = "TIME", value_parser = TimeSpan::from_str, default_value = "10s")]
    time: TimeSpan,
    /// Record answers to the calls that a case does not answer: those of the roots of --root, and of granted HTTP
    /// servers. They are written into the case, below `host`, for later runs.
    #[arg(long)]
    record: bool,
    /// A root to record from: its name and its folder. May be repeated.
    #[arg(long = "root", value_name = "NAME=DIR", value_parser = root, requires = "record")]
    roots: Vec<RootSpec>,
}

pub(crate) fn test(args: &TestArgs, server: &dyn ServerProgram) -> ExitCode {
    match run(args, server) {
        Ok(failed) => ExitCode::from(u8::from(failed)),
        Err(code) => code,
    }
}

/// Runs the cases. Returns whether one failed.
fn run(args: &TestArgs, server: &dyn ServerProgram) -> Result<bool, ExitCode> {
    let refuse = |message: String| {
        print_stderr(format_args!("{}: {message}", args.path.display()));
        ExitCode::from(EXIT_CONFIG)
    };
    let files = case::files(&args.path)
        .map_err(|error| refuse(format!("{error}; name a case file or a folder of case files")))?;
    let unopened = reach::unresponsive(&args.roots);
    lab::warn_of_unopened_roots(&unopened);
    let limits = PluginLimits { cpu: args.time.0, wall: args.time.0, ..PluginLimits::default() };
    let context = CaseContext {
        component: args.component.as_deref(),
        limits,
        recorded: args.record,
        roots: &args.roots,
        unopened: &unopened,
    };
    let mut cases: Vec<(&Path, Case)> = Vec::new();
    if let Some(component) = &args.component
        && let ComponentSource::Path(path) = component::source(component, Path::new(""))
        && !path.is_file()
    {
        return Err(refuse(format!("there is no component {component}; build it, or correct --component")));
    }
    let mut code = None;
    let mut without_component = Vec::new();
    for file in &files {
        match case::read(file, &context) {
            Ok(its) => cases.extend(its.into_iter().map(|case| (file.as_path(), case))),
            Err(CaseFileError::Invalid(error)) => code = Some(fail(error)),
            Err(CaseFileError::NoComponent(error)) => without_component.push(error),
        }
    }
    if let Some(first) = without_component.first() {
        code = Some(fail(first.clone()));
        if without_component.len() > 1 {
            print_stderr(format_args!("{} more files name none either", without_component.len() - 1));
        }
    }
    if let Some(code) = code {
        return Err(code);
    }
    if cases.is_empty() {
        return Err(refuse("there is no case in it; a test of nothing would always pass".into()));
    }
    let components: BTreeSet<String> =
        cases.iter().filter_map(|(_, case)| stale::explain(&case.plan.component)).collect();
    if !components.is_empty() {
        components.iter().for_each(print_stderr);
        return Err(ExitCode::from(EXIT_CONFIG));
    }
    let lab = Lab::open(server).map_err(fail)?;
    let mut failed = 0;
    let mut recorded = BTreeMap::<&Path, Vec<(usize, WrittenHost)>>::new();
    let mut keys = KeysOfCalls::default();
    for (file, case) in &cases {
        if !case.continues {
            keys = KeysOfCalls::default();
        }
        let CaseResult { faults, read_clock, learned } = run_case(&lab, case, &mut keys);
        if args.record {
            let hosts = recorded.entry(*file).or_default();
            if !case.continues {
                hosts.push((case.index, case.host.clone()));
            }
            hosts.iter_mut().last().into_iter().for_each(|(_, host)| host.learn(&learned));
        }
        let word = if faults.is_empty() { "ok    " } else { "FAILED" };
        let mut shown = format!("{word}  {}: {}\n", file.display(), case.name);
        for fault in &faults {
            let _ = writeln!(shown, "        {fault}"); // to a string: cannot fail
        }
        if read_clock {
            let _ = writeln!(shown, "        warning: {READ_CLOCK}");
        }
        print(&shown);
        failed += usize::from(!faults.is_empty());
    }
    print(&format!("{} passed, {failed} failed\n", cases.len() - failed));
    for (file, hosts) in &recorded {
        match record::write(file, hosts) {
            Ok(0) => print(&format!("{}: there was nothing to record\n", file.display())),
            Ok(changed) => print(&format!("{}: recorded in {changed} cases\n", file.display())),
            Err(message) => return Err(refuse(message)),
        }
    }
    Ok(failed > 0)
}

/// The result of a case.
struct CaseResult {
    /// The problems, line by line.
    faults: Vec<String>,
    /// Whether it has read the clock without the grant.
    read_clock: bool,
    /// The answers of the real world.
    learned: RecordedAnswers,
}

/// The keys that the previous calls of a case have changed.
#[derive(Debug, Default)]
pub(crate) struct KeysOfCalls {
    values: BTreeMap<KeyName, Option<Vec<u8>>>,
    ends: BTreeMap<KeyName, Duration>,
}

impl KeysOfCalls {
    /// Adds the changes of a call.
    fn add(&mut self, tried: &TrialResult) {
        self.ends.retain(|name, _| !tried.keys.contains_key(name));
        self.values.extend(tried.keys.clone());
        self.ends.extend(tried.ends.clone());
    }

    /// Runs the steps of a case.
    pub fn after(lab: &Lab, steps: &[Case]) -> KeysOfCalls {
        let mut keys = KeysOfCalls::default();
        for step in steps {
            run_case(lab, step, &mut keys);
        }
        keys
    }

    /// Gives these keys to a call.
    pub fn give(&self, given: &mut StagedAnswers) {
        given.keys.extend(self.values.clone());
        given.ends.extend(self.ends.clone());
    }
}

fn run_case(lab: &Lab, case: &Case, keys: &mut KeysOfCalls) -> CaseResult {
    let mut plan = case.plan.clone();
    keys.give(&mut plan.given);
    let (trial, stage) = lab.load(&plan);
    let mut read_clock = false;
    let faults = faults(lab, case, trial, stage.unanswered(), (keys, &mut read_clock));
    CaseResult { faults, read_clock, learned: stage.learned() }
}

fn faults(
    lab: &Lab,
    case: &Case,
    trial: Result<Trial, LoadError>,
    mut unanswered: Vec<String>,
    (keys, read_clock): (&mut KeysOfCalls, &mut bool),
) -> Vec<String> {
    let mut did = None;
    let mut faults = Vec::new();
    let got = match trial {
        Ok(trial) => {
            let hook = match hook(case, &trial.hooks()) {
                Ok(hook) => hook,
                Err(fault) => return vec![fault],
            };
            if let Some(problem) = trial.lacks(hook) {
                return vec![problem.message];
            }
            // A server would not allow it either, so the case would test the impossible.
            let ungranted = trial.warnings().into_iter().filter(|its| its.kind == LoadProblemKind::Grant);
            faults.extend(
                ungranted.map(|its| format!("{}, or ask for it there, with the reason", its.message)),
            );
            let tried = lab.ask(&trial, hook, &case.input);
            unanswered = tried.unanswered.clone();
            keys.add(&tried);
            *read_clock = tried.read_clock;
            answer(did.insert(tried))
        }
        Err(LoadError::Root(error)) => return vec![error.to_string()],
        Err(LoadError::Problems(problems)) => refusal(&problems),
    };
    faults.extend(unanswered.iter().map(|call| match case.plan.given.beyond {
        AnswerSource::Recorded => {
            format!("it called {call}, which ended with an error; that cannot be recorded")
        }
        _ => format!("it called {call}, which the case does not answer; add it below `host`, or --record it"),
    }));
    if case.plan.named_roots.is_empty() {
        faults.extend(unknown_roots(&got, case).into_iter().map(|root| {
            format!(
                "its answer names the root `{root}`, which this file does not know: add `roots: [{root}]` to the file, or take \
                 the roots of a server with `config: FILE`"
            )
        }));
    }
    if !fits(&case.expect, &got) {
        faults.push("the verdict differs (- expected, + got):".into());
        faults.extend(diff(&case.expect, &got));
    }
    let emitted = did.as_ref().map_or(&[][..], |did| &did.emitted);
    differ(&mut faults, "payloads sent to sinks", case.emits.as_ref(), || by_sink(emitted));
    // As displayed, so that a counter is a counter, however it is written.
    let shown = |value: &KeyValue| KeyValue::of(&value.bytes());
    let keys = case.keys.as_ref().map(|keys| {
        keys.iter().map(|(key, value)| (key.as_str(), value.as_ref().map(shown))).collect::<BTreeMap<_, _>>()
    });
    differ(&mut faults, "changes of keys", keys.as_ref(), || did.as_ref().map(changed).unwrap_or_default());
    let mut shared = case.shared_keys.clone();
    for value in shared.iter_mut().flat_map(BTreeMap::values_mut).flat_map(BTreeMap::values_mut) {
        *value = value.as_ref().map(shown);
    }
    differ(&mut faults, "changes of shared keys", shared.as_ref(), || {
        did.as_ref().map(changed_shared).unwrap_or_default()
    });
    differ(&mut faults, "metrics", case.metrics.as_ref(), || did.as_ref().map(measured).unwrap_or_default());
    if let Some(expected) = &case.log {
        let lines = did.iter().flat_map(|did| &did.lines).map(line);
        faults.extend(log_fault(expected, &lines.collect::<Vec<_>>()));
    }
    if !faults.is_empty() {
        let lines = did.iter().flat_map(|did| &did.lines).filter(|line| line.is_printed());
        faults.extend(lines.map(|line| format!("it printed {:?}", line.message)));
    }
    faults
}

/// Returns the roots of files in an answer that neither the grants nor the host of the case have.
fn unknown_roots(answer: &Value, case: &Case) -> BTreeSet<String> {
    let files = answer.get("files").and_then(Value::as_array).into_iter().flatten();
    let roots = files.filter_map(|file| Some(file.as_str()?.split_once(':')?.0));
    let plan = &case.plan;
    let known = |root: &str| {
        plan.roots.iter().any(|its| its.name == root)
            || plan.grants.iter().any(|grant| matches!(grant, Grant::Files(its) if its == root))
            || plan.given.files.keys().any(|path| path.split('/').next() == Some(root))
    };
    roots.filter(|root| !known(root)).map(str::to_owned).collect()
}

/// Compares with the expectation, if there is one.
fn differ<E: Serialize, G: Serialize>(
    faults: &mut Vec<String>,
    what: &str,
    expected: Option<&E>,
    got: impl FnOnce() -> G,
) {
    let Some(expected) = expected else { return };
    let (expected, got) = (json!(expected), json!(got()));
    if expected != got {
        faults.push(format!("the {what} differ (- expected, + got):"));
        faults.extend(whole_diff(&expected, &got));
    }
}

/// Checks that each text is in a line, and the lines are in this order; no text means no line.
fn log_fault(expected: &[String], lines: &[String]) -> Vec<String> {
    let mut rest = lines.iter();
    let missing = expected.iter().find(|text| !rest.any(|line| line.contains(text.as_str())));
    let what = match missing {
        Some(text) => format!("its log has no line with {text:?}, in this order; it has"),
        None if expected.is_empty() && !lines.is_empty() => "its log should be empty; it has".into(),
        None => return Vec::new(),
    };
    let shown = lines.iter().map(|line| format!("+ {line}"));
    let nothing = lines.is_empty().then(|| "  nothing".to_owned());
    [what].into_iter().chain(shown).chain(nothing).collect()
}

/// Returns the named hook, or the only one that answers.
///
/// # Errors
/// The case has to name one, or is for none.
pub(crate) fn hook(case: &Case, has: &[Hook]) -> Result<Hook, String> {
    let mut answering = has.iter().filter(|hook| **hook != Hook::Observe);
    match (case.hook, answering.next(), answering.next()) {
        (Some(hook), ..) => Ok(hook),
        (None, Some(Hook::AcceptUpload), None) if matches!(case.input, HookInput::Request(_, None)) => {
            Err("accept-upload is asked about an upload: add `upload` to its request".into())
        }
        (None, None, _) if has.contains(&Hook::Observe) => {
            Err("the plugin observes alone: write `events` in place of `request`".into())
        }
        (None, Some(hook), None) => Ok(*hook),
        (None, None, _) => Err("the plugin has no hook that gives an answer".into()),
        (None, Some(_), Some(_)) => {
            Err("the plugin has several hooks: add `hook` to the case, such as `hook: authorize`".into())
        }
    }
}

/// Returns the result of a plugin that cannot be loaded: refused settings may be expected.
fn refusal(problems: &[LoadProblem]) -> Value {
    let settings = problems
        .iter()
        .all(|problem| matches!(problem.kind, LoadProblemKind::Settings | LoadProblemKind::UnknownSetting));
    let said = problems.iter().map(|problem| match &problem.pointer {
        Some(pointer) => format!("{pointer}: {}", problem.message),
        None => problem.message.clone(),
    });
    let said: Vec<String> = said.collect();
    if settings { json!({ "refused": said }) } else { json!({ "unloadable": said }) }
}

fn by_sink(emitted: &[SinkLine]) -> BTreeMap<&str, Vec<Value>> {
    let mut sinks: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for sent in emitted {
        // It was valid JSON when it was sent.
        let payload = serde_json::from_str(&sent.payload).unwrap_or_else(|_| sent.payload.clone().into());
        sinks.entry(&sent.sink).or_default().push(payload);
    }
    sinks
}
