//! `tuffet import tftpd-hpa`.

mod addresses;
mod flags;
mod map;
mod plan;
#[cfg(test)]
mod tests;

use crate::error::ImportError;
use crate::location::{Location, Word};
use crate::server::Version;
use crate::shell::Variables;
use crate::target::{Origin, Target};
use crate::{service_file, source};
use std::path::Path;

/// The file of Debian's package.
pub(super) const DEFAULTS: &str = "/etc/default/tftpd-hpa";

pub(super) const ORIGIN: Origin =
    Origin { program: "in.tftpd (tftpd-hpa)", guide: "tftpd-hpa.md", log_format: Some("tftp-hpa") };

pub(super) fn from_flags(words: &[String], version: Option<Version>) -> Result<Target, ImportError> {
    let words: Vec<Word> = words.iter().map(|word| Word::new(word, &Location::CommandLine)).collect();
    plan::plan(flags::read(&words)?, version)
}

/// The variables that have flags and folder: of Debian today and before, of Alpine and Gentoo, of Arch. Alpine's
/// `INTFTPD_PATH` is used in its other variable.
const FLAG_VARIABLES: [&str; 5] = ["TFTP_OPTIONS", "TFTP_DIRECTORY", "INTFTPD_OPTS", "TFTPD_ARGS", "OPTIONS"];

/// Imports a file as the start scripts of distributions read it, or a file that starts the server itself.
pub(super) fn from_defaults(path: &Path, version: Option<Version>) -> Result<Target, ImportError> {
    let text = source::read(path)?;
    if let Some(words) = service_file::flags(path, &text, &["in.tftpd", "tftpd"])? {
        return plan::plan(flags::read(&words)?, version);
    }
    let variables = Variables::read(path, &text)?;
    let mut words = vec![Word::new("--listen", &Location::file(path))];
    for (flag, name) in [("--user", "TFTP_USERNAME"), ("--address", "TFTP_ADDRESS")] {
        if let Some(assigned) = variables.get(name).filter(|assigned| !assigned.value.is_empty()) {
            words.push(Word::new(flag, &assigned.location));
            words.push(Word::new(assigned.value.trim(), &assigned.location));
        }
    }
    for name in FLAG_VARIABLES {
        words.extend(variables.get(name).into_iter().flat_map(|assigned| assigned.words()));
    }
    variables.require_known(&[&FLAG_VARIABLES[..], &["TFTP_USERNAME", "TFTP_ADDRESS"]].concat())?;
    plan::plan(flags::read(&words)?, version)
}
