//! `tuffet import`: the configuration of another server as YAML.
//!
//! Each server has a module that reads its flags and files and plans a `Target`: the sections of the
//! configuration, each key with a comment that names its source. Differences and flags without a counterpart go into the
//! report: a comment at the key, and a line on standard error.

mod atftpd;
mod dnsmasq;
mod error;
mod folders;
mod getopt;
mod location;
mod map_file;
mod names;
mod remap_check;
mod report;
mod restrictions;
mod server;
mod service_file;
mod shell;
mod source;
mod target;
#[cfg(test)]
mod testing;
mod tftpd_hpa;
mod trees;
mod uploads;
mod yaml;

use clap::{Args, ValueEnum as _};
use error::ImportError;
pub use remap_check::{CheckError, CheckPlugins};
use server::{Server, Version};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use target::{Origin, Target};
use tuffet_config::EXIT_CONFIG;
use tuffet_terminal::{OTHER_OUTPUT, print_stderr, unwritten};

#[derive(Debug, Args)]
#[allow(missing_docs, reason = "clap would show its documentation in place of the command's")]
pub struct ImportArgs {
    /// The server to import from.
    #[arg(value_enum)]
    server: Server,
    /// The file with the flags of its service: one of /etc/default, /etc/conf.d, /etc/sysconfig or /etc/xinetd.d, a unit of
    /// systemd, or inetd.conf [default: /etc/default/tftpd-hpa, /etc/default/atftpd].
    #[arg(long, value_name = "FILE")]
    defaults: Option<PathBuf>,
    /// The configuration of dnsmasq [default: /etc/dnsmasq.conf and the flags in /etc/default/dnsmasq].
    #[arg(long, value_name = "FILE")]
    conf: Option<PathBuf>,
    /// The file to write; it must not exist [default: standard output].
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The version of tftpd-hpa or dnsmasq, which decides how maps are read and whether clients get windows [default: for
    /// tftpd-hpa inferred from flags and map, else 5.2; for dnsmasq 2.90].
    #[arg(long, value_name = "VERSION", value_enum)]
    server_version: Option<Version>,
    /// The folder with restrictions outside of the server's flags: hosts.allow and hosts.deny, inetd and xinetd, units
    /// of systemd, AppArmor profiles.
    #[arg(long, value_name = "FOLDER", default_value = "/etc")]
    etc: PathBuf,
    /// The flags of the server, as on its command line. All words after the first one belong to the server, too.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "FLAGS")]
    flags: Vec<String>,
}

/// Imports a configuration. Exit code 0 if everything is carried over, 1 if something is not, 64 if the input is invalid.
pub fn import(args: &ImportArgs, check_plugins: CheckPlugins<'_>) -> ExitCode {
    let (target, origin) = match imported(args, check_plugins) {
        Ok(imported) => imported,
        Err(error) => {
            print_stderr(&error);
            return match error {
                ImportError::Invalid { .. } => ExitCode::from(EXIT_CONFIG),
                ImportError::Impossible { .. } => ExitCode::FAILURE,
            };
        }
    };
    for remark in target.report.remarks() {
        print_stderr(remark);
    }
    let is_complete = target.report.is_complete();
    if let Err(error) = write(args.output.as_deref(), &target.written(origin)) {
        print_stderr(error);
        return ExitCode::from(EXIT_CONFIG);
    }
    if is_complete { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn imported(args: &ImportArgs, check_plugins: CheckPlugins<'_>) -> Result<(Target, Origin), ImportError> {
    let usage = |text: &str| ImportError::invalid(&location::Location::CommandLine, text);
    let defaults = args.defaults.as_deref();
    if args.conf.is_some() && args.server != Server::Dnsmasq {
        return Err(usage("--conf is for dnsmasq"));
    }
    if args.server == Server::Atftpd && args.server_version.is_some() {
        return Err(usage("--server-version is for tftpd-hpa and dnsmasq"));
    }
    if args.server_version.is_some_and(|version| version.server() != args.server) {
        return Err(usage("--server-version names a version of another server"));
    }
    if defaults.is_some() && !args.flags.is_empty() && args.server != Server::Dnsmasq {
        return Err(usage("either --defaults FILE or flags"));
    }
    let or = |path: &'static str| defaults.unwrap_or(Path::new(path));
    let flags = own_flags(args.server, &args.flags)?;
    let (mut target, origin) = match args.server {
        Server::TftpdHpa => {
            let version = args.server_version;
            let target = match flags {
                [] => tftpd_hpa::from_defaults(or(tftpd_hpa::DEFAULTS), version),
                flags => tftpd_hpa::from_flags(flags, version),
            };
            (target?, tftpd_hpa::ORIGIN)
        }
        Server::Atftpd => {
            let target = match flags {
                [] => atftpd::from_defaults(or(atftpd::DEFAULTS)),
                flags => atftpd::from_flags(flags),
            };
            (target?, atftpd::ORIGIN)
        }
        Server::Dnsmasq => {
            let (conf, version) = (args.conf.as_deref(), args.server_version);
            (dnsmasq::import(flags, conf, defaults, version)?, dnsmasq::ORIGIN)
        }
    };
    restrictions::add(args.server, &args.etc, &mut target)?;
    remap_check::check_remap(&target, check_plugins)?;
    Ok((target, origin))
}

/// Returns the flags of the server, without the program that a pasted command line begins with.
fn own_flags(server: Server, flags: &[String]) -> Result<&[String], ImportError> {
    let programs: &[&str] = match server {
        Server::TftpdHpa => &["in.tftpd", "tftpd"],
        Server::Atftpd => &["atftpd", "in.tftpd"],
        Server::Dnsmasq => &["dnsmasq"],
    };
    if let Some((flag, value)) = misplaced(server, flags) {
        let name = server.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
        let text = format!(
            "{flag} belongs before the flags of the server: write `tuffet import {name} {flag} {value} -- FLAGS`"
        );
        return Err(ImportError::invalid(&location::Location::CommandLine, text));
    }
    let is_program = |word: &String| {
        Path::new(word)
            .file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| programs.contains(&name))
    };
    match flags {
        [first, rest @ ..] if is_program(first) && !Path::new(first).is_dir() => Ok(rest),
        _ => Ok(flags),
    }
}

/// Returns a flag of `import` among the flags of the server, and its value.
fn misplaced(server: Server, flags: &[String]) -> Option<(&str, &str)> {
    // No server has flags of these names.
    let ours = ["--output", "--defaults", "--etc", "--server-version"];
    for (index, word) in flags.iter().enumerate() {
        let next = flags.get(index + 1).map(String::as_str);
        let (flag, value) =
            word.split_once('=').map_or((word.as_str(), next), |(flag, value)| (flag, Some(value)));
        if ours.contains(&flag) {
            return Some((flag, value.unwrap_or("FILE")));
        }
        // `-o` of dnsmasq is `strict-order`, and takes no value.
        let is_theirs = server == Server::Dnsmasq && next.is_none_or(|next| next.starts_with('-'));
        if word == "-o" && !is_theirs {
            return Some(("-o", next.unwrap_or("FILE")));
        }
    }
    None
}

fn write(output: Option<&Path>, text: &str) -> Result<(), String> {
    let Some(path) = output else {
        // A reader that closes early, such as head(1), is not an error.
        let _ = io::stdout().write_all(text.as_bytes());
        return Ok(());
    };
    // Never overwrites a configuration, which may have been edited since.
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| unwritten(path, &error, OTHER_OUTPUT))
}
