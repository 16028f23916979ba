//! `tuffet import atftpd`.

mod flags;
mod multicast;
mod plan;
#[cfg(test)]
mod tests;

use crate::error::ImportError;
use crate::location::{Location, Word};
use crate::shell::Variables;
use crate::target::{Origin, Target};
use crate::{service_file, source};
use std::path::Path;

/// The file of Debian's package.
pub(super) const DEFAULTS: &str = "/etc/default/atftpd";

pub(super) const ORIGIN: Origin = Origin { program: "atftpd", guide: "atftpd.md", log_format: None };

pub(super) fn from_flags(words: &[String]) -> Result<Target, ImportError> {
    let words: Vec<Word> = words.iter().map(|word| Word::new(word, &Location::CommandLine)).collect();
    plan::plan(&flags::read(&words)?)
}

/// The variables that have flags and folder: of Debian, of Alpine, of Gentoo, of Arch and openSUSE. The folder comes last.
const FLAG_VARIABLES: [&str; 7] = [
    "OPTIONS",
    "ATFTPD_OPTS",
    "TFTPD_OPTS",
    "ATFTPD_OPTIONS",
    "ATFTPD_ROOT",
    "TFTPD_ROOT",
    "ATFTPD_DIRECTORY",
];

/// Imports a file as the start scripts of distributions read it, or a file that starts the server itself.
pub(super) fn from_defaults(path: &Path) -> Result<Target, ImportError> {
    let text = source::read(path)?;
    if let Some(words) = service_file::flags(path, &text, &["atftpd", "in.tftpd"])? {
        return plan::plan(&flags::read(&words)?);
    }
    let variables = Variables::read(path, &text)?;
    let mut words = Vec::new();
    if variables.get("USE_INETD").is_some_and(|assigned| assigned.value != "true") {
        words.push(Word::new("--daemon", &Location::file(path)));
    }
    for name in FLAG_VARIABLES {
        words.extend(variables.get(name).into_iter().flat_map(|assigned| assigned.words()));
    }
    variables.require_known(&FLAG_VARIABLES)?;
    plan::plan(&flags::read(&words)?)
}
