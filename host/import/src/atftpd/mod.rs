//! `tuffet import atftpd`.

mod flags;
mod multicast;
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
pub(super) const DEFAULTS: &str = "/etc/default/atftpd";

pub(super) const ORIGIN: Origin = Origin { program: "atftpd", guide: "atftpd.md", log_format: None };

pub(super) fn from_flags(words: &[String]) -> Result<Target, ImportError> {
    let words: Vec<Word> = words.iter().map(|word| Word::new(word, &Location::CommandLine)).collect();
    plan::plan(&flags::read(&words)?)
}

/// Imports a file as Debian's start script and unit read it.
pub(super) fn from_defaults(path: &Path) -> Result<Target, ImportError> {
    let variables = Variables::read(path, &source::read(path)?)?;
    let mut words = Vec::new();
    if variables.get("USE_INETD").is_some_and(|assigned| assigned.value != "true") {
        words.push(Word::new("--daemon", &Location::file(path)));
    }
    words.extend(variables.get("OPTIONS").into_iter().flat_map(|assigned| assigned.words()));
    plan::plan(&flags::read(&words)?)
}
