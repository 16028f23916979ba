//! `tuffet check`.

use super::{doctor, print, print_stderr};
use clap::Args;
use serde_json::{Value, json};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tuffet_config::{Config, ConfigError, EXIT_CONFIG, Overrides, Problem, ProblemPlace, reach};
use tuffet_daemon::ServeError;
use tuffet_daemon::source::{Source, installed};

/// The name of standard input in messages.
const STDIN: &str = "<stdin>";
/// The limit of listed problems; the rest are only counted.
const MAX_LISTED: usize = 100;
/// With more problems, a last line counts them.
const MAX_UNCOUNTED: usize = 5;

#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// The YAML file, or where it is: https://HOST/PATH, or nats://HOST:PORT/BUCKET/KEY, as for `tuffet serve
    /// --config`. - reads standard input; its paths are relative to the current folder [default: the installed one,
    /// /etc/tuffet/tuffet.yaml].
    #[arg(value_name = "FILE|URL")]
    file: Option<PathBuf>,
    /// The same, in the words of `tuffet serve`.
    #[arg(long, value_name = "FILE|URL", conflicts_with = "file")]
    config: Option<PathBuf>,
    /// A file with the token for the URL, or with NATS credentials.
    #[arg(long, value_name = "FILE")]
    config_auth: Option<PathBuf>,
    /// The user that would serve if root started the server, as with `tuffet serve --user`.
    #[arg(long, value_name = "USER")]
    user: Option<String>,
    /// Pull missing components from registries, for this check and for the server.
    #[arg(long)]
    pull: bool,
    /// Exit with 1 if there are warnings.
    #[arg(long)]
    strict: bool,
    /// Print the problems and warnings as JSON on standard output, for programs. The exit code is the same.
    #[arg(long)]
    json: bool,
}

pub(super) fn check(args: &CheckArgs) -> ExitCode {
    reach::check_by_process(true);
    let overrides = Overrides { user: args.user.clone(), ..Overrides::default() };
    let Some(file) = args.file.clone().or_else(|| args.config.clone()).or_else(installed) else {
        let message = "no configuration is installed (/etc/tuffet/tuffet.yaml); name it: `tuffet check FILE`";
        if args.json {
            print(&report(&[as_json(&message)], &[], false));
        } else {
            print_stderr(message);
        }
        return ExitCode::from(EXIT_CONFIG);
    };
    let file = file.as_path();
    let is_stdin = file.as_os_str() == "-";
    let source = match Source::of(file, args.config_auth.as_deref()) {
        Ok(source) => source,
        Err(message) => {
            let message = format!("{}: {message}", shown(file));
            if args.json {
                print(&report(&[as_json(&message)], &[], false));
            } else {
                print_stderr(message);
            }
            return ExitCode::from(EXIT_CONFIG);
        }
    };
    let config = if is_stdin {
        Config::read(io::stdin(), STDIN, &overrides)
    } else {
        source.read_for_check(&overrides)
    };
    let checked = config.map_err(ServeError::from).and_then(|config| {
        // Before this process becomes the server's user, who may neither bind ports nor see whose they are.
        let taken = doctor::taken_ports(&config);
        let mut warnings = tuffet_daemon::check(&config, args.pull)?;
        warnings.extend(taken);
        Ok((warnings, verdict(file, is_stdin, &config)))
    });
    match checked {
        Ok((warnings, verdict)) => {
            let is_refused = args.strict && !warnings.is_empty();
            if args.json {
                print(&report(&[], &warnings, !is_refused));
            } else {
                for warning in &warnings {
                    print_stderr(format_args!("warning: {warning}"));
                }
                if is_refused {
                    print_stderr("with --strict, warnings are problems");
                } else {
                    print(&format!("{verdict}\n"));
                }
            }
            ExitCode::from(u8::from(is_refused))
        }
        Err(error) => {
            match &error {
                ServeError::Config(error) if args.json => {
                    let problems: Vec<Value> = error.problems().iter().map(problem_as_json).collect();
                    print(&report(&problems, &[], false));
                }
                error if args.json => print(&report(&[as_json(error)], &[], false)),
                ServeError::Config(error) => print_stderr(summary(error)),
                error => print_stderr(error),
            }
            ExitCode::from(error.exit_code())
        }
    }
}

/// All problems and warnings as a line of JSON.
fn report(problems: &[Value], warnings: &[String], good: bool) -> String {
    format!("{}\n", json!({ "good": good, "problems": problems, "warnings": warnings }))
}

fn as_json(message: &impl ToString) -> Value {
    json!({ "message": message.to_string() })
}

/// A problem with its place: a flag; or a file, with line and column (from 1) unless the whole file is meant.
fn problem_as_json(problem: &Problem) -> Value {
    let mut json = as_json(&problem.message);
    match &problem.place {
        ProblemPlace::Flag(flag) => json["flag"] = (*flag).into(),
        ProblemPlace::File(file) => json["file"] = file.display().to_string().into(),
        ProblemPlace::Position(file, at) => {
            json["file"] = file.display().to_string().into();
            (json["line"], json["column"]) = (at.line.into(), at.column.into());
        }
    }
    json
}

/// Returns the line about a valid configuration; with a remote source, it has the revision as in `tuffet status`.
fn verdict(file: &Path, is_stdin: bool, config: &Config) -> String {
    let Some(remote) = &config.remote else {
        return format!("{}: good", if is_stdin { STDIN.into() } else { file.display().to_string() });
    };
    let revision = remote.revision.as_ref().map(|revision| format!(", revision {revision}"));
    let digest = config.digest().map(|digest| format!(", digest {digest}"));
    format!("{}: good{}{}", remote.source, revision.unwrap_or_default(), digest.unwrap_or_default())
}

/// Returns the argument without possible secrets of a URL.
fn shown(file: &Path) -> String {
    let text = file.display().to_string();
    match text.split_once("://") {
        Some((scheme, rest)) => {
            let rest = rest.split(['?', '#']).next().unwrap_or_default();
            let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
            let host = authority.rsplit('@').next().unwrap_or_default();
            format!("{scheme}://{host}/{path}")
        }
        None => text,
    }
}

/// Lists the problems, and the checks that they prevented.
fn summary(error: &ConfigError) -> String {
    let problems = error.problems();
    let mut lines: Vec<String> = problems.iter().take(MAX_LISTED).map(ToString::to_string).collect();
    let more = match problems.len().saturating_sub(MAX_LISTED) {
        0 => String::new(),
        more => format!(", {more} of them not listed"),
    };
    let count = match problems.len() {
        1 => "1 problem".to_owned(),
        count => format!("{count} problems"),
    };
    match error.not_checked() {
        Some(rest) => {
            lines.push(format!(
                "{count}{more}; there may be more: {rest} are checked when these are corrected"
            ));
        }
        None if problems.len() > MAX_UNCOUNTED => lines.push(format!("{count}{more}")),
        None => {}
    }
    lines.join("\n")
}
