//! `tuffet import tftpd-hpa`.

mod addresses;
mod flags;
mod map;
mod plan;
#[cfg(test)]
mod tests;

use crate::error::ImportError;
use crate::location::{Location, Word};
use crate::shell::Variables;
use crate::source;
use crate::target::{Origin, Target};
use std::path::Path;

/// The file of Debian's package.
pub(super) const DEFAULTS: &str = "/etc/default/tftpd-hpa";

pub(super) const ORIGIN: Origin =
    Origin { program: "in.tftpd (tftpd-hpa)", guide: "tftpd-hpa.md", log_format: Some("tftp-hpa") };

/// The version of the server: from 6.0 on, it reads maps in another way and knows more flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Version {
    #[value(name = "5.2")]
    V5,
    #[value(name = "6.0", aliases = ["5.4", "5.5", "6.1", "7.0", "7.1", "7.2", "7.3"])]
    V6,
}

pub(super) fn from_flags(words: &[String], version: Option<Version>) -> Result<Target, ImportError> {
    let words: Vec<Word> = words.iter().map(|word| Word::new(word, &Location::CommandLine)).collect();
    plan::plan(flags::read(&words)?, version)
}

/// Imports a file as Debian's start script reads it.
pub(super) fn from_defaults(path: &Path, version: Option<Version>) -> Result<Target, ImportError> {
    let variables = Variables::read(path, &source::read(path)?)?;
    let mut words = vec![Word::new("--listen", &Location::file(path))];
    for (flag, name) in [("--user", "TFTP_USERNAME"), ("--address", "TFTP_ADDRESS")] {
        if let Some(assigned) = variables.get(name).filter(|assigned| !assigned.value.is_empty()) {
            words.push(Word::new(flag, &assigned.location));
            words.push(Word::new(assigned.value.trim(), &assigned.location));
        }
    }
    for name in ["TFTP_OPTIONS", "TFTP_DIRECTORY"] {
        words.extend(variables.get(name).into_iter().flat_map(|assigned| assigned.words()));
    }
    plan::plan(flags::read(&words)?, version)
}
