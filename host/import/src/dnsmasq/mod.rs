//! `tuffet import dnsmasq`.

mod boot;
mod conf;
mod listeners;
mod plan;
mod settings;
#[cfg(test)]
mod tests;

use crate::error::ImportError;
use crate::location::{Location, Word};
use crate::server::Version;
use crate::shell::Variables;
use crate::source;
use crate::target::{Origin, Target};
use std::path::Path;

/// The configuration, as dnsmasq finds it by itself.
const CONF: &str = "/etc/dnsmasq.conf";

/// The file of Debian's package, with further flags.
const DEFAULTS: &str = "/etc/default/dnsmasq";

pub(super) const ORIGIN: Origin =
    Origin { program: "dnsmasq", guide: "dnsmasq.md", log_format: Some("dnsmasq") };

/// Imports flags and a file. Without both, the files of the system.
pub(super) fn import(
    flags: &[String],
    conf: Option<&Path>,
    defaults: Option<&Path>,
    version: Option<Version>,
) -> Result<Target, ImportError> {
    let mut words: Vec<Word> = flags.iter().map(|word| Word::new(word, &Location::CommandLine)).collect();
    let system = Path::new(DEFAULTS);
    let defaults = defaults.or((flags.is_empty() && conf.is_none() && system.exists()).then_some(system));
    if let Some(path) = defaults {
        words.extend(started_with(path)?);
    }
    if let Some(conf) = conf {
        words.push(Word::new("-C", &Location::CommandLine));
        words.push(Word::new(conf.to_string_lossy(), &Location::CommandLine));
    }
    // A file that is not named may be missing, unless nothing else is given.
    let must_exist = words.is_empty();
    let settings = conf::read(&words, Path::new(CONF), must_exist)?;
    let has_windows = version.is_some_and(|version| version >= Version::Dnsmasq2_92);
    plan::plan(settings::Settings::read(settings)?, has_windows)
}

/// The variables that have flags.
const FLAG_VARIABLES: [&str; 2] = ["DNSMASQ_INTERFACES", "DNSMASQ_OPTS"];

/// Returns the flags that Debian's start script adds.
fn started_with(path: &Path) -> Result<Vec<Word>, ImportError> {
    let variables = Variables::read(path, &source::read(path)?)?;
    let mut words = Vec::new();
    for (flag, name) in [("-u", "DNSMASQ_USER"), ("-7", "CONFIG_DIR")] {
        if let Some(assigned) = variables.get(name).filter(|assigned| !assigned.value.is_empty()) {
            words.push(Word::new(flag, &assigned.location));
            words.push(Word::new(assigned.value.trim(), &assigned.location));
        }
    }
    for name in FLAG_VARIABLES {
        words.extend(variables.get(name).into_iter().flat_map(|assigned| assigned.words()));
    }
    variables.require_known(&[&FLAG_VARIABLES[..], &["DNSMASQ_USER", "CONFIG_DIR"]].concat())?;
    Ok(words)
}
