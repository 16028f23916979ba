//! `tuffet plugin run`.

use std::fmt::Write;
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use super::super::complain;
use super::lab::Lab;
use super::request::{BadQuestion, Question, RequestArgs};
use super::subject::{Planned, Subject};
use super::wrong;
use crate::config::EXIT_CONFIG;
use crate::policy::{Hook, Trial, Tried};

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
        Ok((hook, lab.ask(&trial, hook, &question.request, question.upload.as_ref())))
    })();
    match tried {
        Ok((hook, tried)) => {
            super::print(&if args.json {
                format!("{:#}\n", record(hook, &tried))
            } else {
                text(hook, &tried)
            });
            ExitCode::from(u8::from(tried.answer.is_err()))
        }
        Err(code) => code,
    }
}

/// A plugin and the question that it is to be asked.
pub(super) struct Prepared<'a> {
    pub planned: Planned<'a>,
    pub question: Question,
}

/// Reads all that the arguments name.
///
/// # Errors
/// Something is wrong with it; that is said, and this is the exit code.
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
    /// The hook to ask.
    ///
    /// # Errors
    /// There is none; that is said, and this is the exit code.
    pub fn hook(&self, trial: &Trial) -> Result<Hook, ExitCode> {
        let hook = self.planned.hook(trial, self.question.hook)?;
        if hook == Hook::AcceptUpload && self.question.upload.is_none() {
            complain(
                "accept-upload is asked about an upload: write `upload: { root: NAME, content: TEXT }` below \
                 `request` in a file, and name it with --request",
            );
            return Err(ExitCode::from(EXIT_CONFIG));
        }
        Ok(hook)
    }
}

/// The answer, or the failure.
pub(super) fn answer(tried: &Tried) -> Value {
    match &tried.answer {
        Ok(answer) => answer.clone(),
        Err((cause, detail)) => json!({ "failure": { "cause": cause, "detail": detail } }),
    }
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
        "emitted": emitted.map(|sent| json!({ "sink": sent.sink, "payload": sent.payload })).collect::<Vec<_>>(),
    })
}

/// YAML, by hand where the form helps reading.
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
    for line in &tried.lines {
        let words = [line.level, &line.message, &line.fields].join(" ");
        let _ = writeln!(shown, "  - {}", Value::from(words.trim_end()));
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
