//! `tuffet plugin check`.

use std::process::ExitCode;

use clap::Args;

use super::lab::Lab;
use super::subject::Subject;
use super::wrong;

#[derive(Debug, Args)]
pub(in crate::cli) struct CheckArgs {
    #[command(flatten)]
    subject: Subject,
}

pub(super) fn check(args: &CheckArgs) -> ExitCode {
    check_subject(&args.subject)
}

pub(super) fn check_subject(subject: &Subject) -> ExitCode {
    let checked = (|| {
        let planned = subject.plan().map_err(wrong)?;
        let lab = Lab::open().map_err(wrong)?;
        planned.load(&lab)
    })();
    match checked {
        Ok(trial) => {
            let hooks: Vec<&str> = trial.hooks().iter().map(|hook| hook.word()).collect();
            super::print(&format!("{}: good ({})\n", subject, hooks.join(", ")));
            ExitCode::SUCCESS
        }
        Err(code) => code,
    }
}
