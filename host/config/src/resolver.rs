//! Resolves the written configuration: paths become absolute, every reference is checked. Each section adds its part,
//! in a method of [`Resolver`] beside its keys.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use tuffet_request::settings::Start;
use tuffet_request::units::TimeSpan;

use super::source::{Finding, Source};
use super::tree::join;
use super::unopened::UnopenedRoot;

/// Collects the problems of all sections.
pub(crate) struct Resolver<'a> {
    /// The folder that paths are relative to; absolute.
    pub base: &'a Path,
    pub source: &'a Source,
    pub findings: Vec<Finding>,
    /// Warnings about valid but suspicious settings: pairs of a JSON pointer and a message.
    pub warnings: Vec<(String, String)>,
    /// The configured resource attributes: of telemetry, and of sinks that send log records.
    pub resource: Vec<(String, String)>,
    /// The files that were read.
    pub files: Vec<PathBuf>,
    /// What must be there at the start.
    pub start: Start,
    /// The roots that are missing, or do not answer.
    pub unopened: Vec<UnopenedRoot>,
}

impl Resolver<'_> {
    /// Adds a problem of a value.
    pub(crate) fn wrong(&mut self, pointer: impl Into<String>, message: impl Into<String>) {
        self.findings.push(Finding::value(pointer, message));
    }

    /// Adds a problem of a key.
    pub(crate) fn wrong_key(&mut self, pointer: impl Into<String>, message: impl Into<String>) {
        self.findings.push(Finding::key(pointer, message));
    }

    /// Returns whether the file has this key, and no flag replaces it.
    pub(crate) fn is_written(&self, pointer: &str) -> bool {
        self.source.contains(pointer)
    }

    /// Refuses two times in the wrong order. Blames the first if it is written, else the second.
    pub(crate) fn ascending(
        &mut self,
        section: &str,
        (low, shorter): (&str, Duration),
        (high, longer): (&str, Duration),
        because: &str,
    ) {
        if shorter > longer {
            let [low_at, high_at] = [low, high].map(|key| join(section, key));
            let [shorter, longer] = [shorter, longer].map(TimeSpan);
            let message = format!(
                "`{low}` ({shorter}) is above `{high}` ({longer}){because}; lower one or raise the other"
            );
            self.wrong(if self.is_written(&low_at) { low_at } else { high_at }, message);
        }
    }

    /// Returns the path below the folder of the file.
    pub(crate) fn absolute(&self, path: &Path) -> PathBuf {
        // Only drops the `.` of `./files`.
        self.base.join(path).components().collect()
    }

    /// Returns an absolute path, `None` for the word `none`, and the default for nothing.
    pub(crate) fn unless_none(
        &self,
        written: Option<&Path>,
        default: impl FnOnce() -> Option<PathBuf>,
    ) -> Option<PathBuf> {
        match written {
            None => default(),
            Some(none) if none.as_os_str() == "none" => None,
            Some(path) => Some(self.absolute(path)),
        }
    }
}

/// Returns an environment variable that is not empty.
pub(crate) fn environment(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Whether root started this process. A reload must get the same defaults, even after a change of user.
pub(crate) fn started_by_root() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| rustix::process::geteuid().is_root())
}
