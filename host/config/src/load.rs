//! Reads a configuration: from a file, from flags, or from both.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::config::{Config, Written};
use super::error::{ConfigError, Position, ProblemPlace};
use super::idle_keys;
use super::overrides::Overrides;
use super::schema::strict;
use super::shape;
use super::source::{self, Finding, Source};
use super::tree::pointer_of;

/// The checks that need valid keys and values.
const UNCHECKED: &str = "paths, how the sections fit together, plugins and their settings";

/// The missing content of an empty file.
const NEEDS: &str = "at least `listeners` and `roots`";

impl Config {
    /// Reads and checks a YAML file, as `tuffet check` does except for the plugins.
    ///
    /// # Errors
    /// Every problem of the first stage that fails: reading, syntax, keys and values, their combination.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        Self::load_with(path, &Overrides::default())
    }

    /// Reads and checks a YAML file, with flags that override parts of it.
    ///
    /// # Errors
    /// As [`Config::load`]; a problem with the value of a flag names the flag.
    pub fn load_with(path: &Path, overrides: &Overrides) -> Result<Self, ConfigError> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        Self::read_from(source::read(path, NEEDS)?, folder.unwrap_or(Path::new(".")), overrides)
    }

    fn read_from(
        (source, value): (Source, Value),
        folder: &Path,
        overrides: &Overrides,
    ) -> Result<Self, ConfigError> {
        let mut findings = Vec::new();
        shape::check(&strict(), &value, "", &mut findings);
        if !findings.is_empty() {
            return Err(source.error(findings).unchecked(UNCHECKED));
        }
        let written = serde_path_to_error::deserialize(value).map_err(|error| {
            let pointer = pointer_of(error.path());
            source.error(vec![Finding::value(pointer, format!("{}; correct the value", error.inner()))])
        })?;
        let base = std::path::absolute(folder).map_err(|error| {
            ConfigError::one(
                ProblemPlace::File(folder.to_owned()),
                format!("this folder is unknown: {error}"),
            )
        })?;
        Self::finish(written, source, &base, overrides)
    }

    /// Builds a configuration from flags alone.
    ///
    /// # Errors
    /// Every problem; each names its flag. [`Overrides::root`] and [`Overrides::listen`] are needed.
    pub fn from_flags(overrides: &Overrides) -> Result<Self, ConfigError> {
        // Every path comes from a flag and is absolute already.
        Self::finish(Written::default(), Source::default(), Path::new("/"), overrides)
    }

    fn finish(
        mut written: Written,
        mut source: Source,
        base: &Path,
        overrides: &Overrides,
    ) -> Result<Self, ConfigError> {
        let findings = overrides.apply(&mut written, &mut source);
        if !findings.is_empty() {
            return Err(source.error(findings));
        }
        let mut config = Self::resolve(written, base, source)?;
        config.warnings.extend(idle_keys::warnings(&config));
        Ok(config)
    }

    /// Reads and checks YAML from a reader, such as standard input. Errors show it as `name`. Paths are relative to the
    /// current folder.
    ///
    /// # Errors
    /// As [`Config::load`].
    pub fn read(input: impl Read, name: &str, overrides: &Overrides) -> Result<Self, ConfigError> {
        Self::read_from(source::read_from(Path::new(name), input, NEEDS)?, Path::new("."), overrides)
    }

    /// Returns the absolute path of its file; `None` for flags alone.
    pub fn file(&self) -> Option<&Path> {
        self.source.file().and(self.files.first()).map(PathBuf::as_path)
    }

    /// Returns the digest of its text; `None` for flags alone.
    pub fn digest(&self) -> Option<&str> {
        self.source.digest()
    }

    /// Returns the position of the value at a JSON pointer (RFC 6901), such as
    /// `/plugins/acl/settings/deny/0`; of the nearest value around it if the file does not contain it. `None` for a
    /// value from a flag.
    pub fn position(&self, pointer: &str) -> Option<Position> {
        self.source.position(pointer)
    }

    /// Builds the error for findings, whose pointers lead into the whole configuration.
    pub fn error_of(&self, findings: impl IntoIterator<Item = Finding>) -> ConfigError {
        self.source.error(findings.into_iter().collect())
    }

    /// Builds the error for problems found later, such as by a plugin in its settings: pairs of a JSON pointer into the
    /// whole configuration and a message with the problem and its remedy.
    pub fn error(&self, problems: impl IntoIterator<Item = (String, String)>) -> ConfigError {
        let finding = |(pointer, message): (String, String)| Finding::value(pointer, message);
        self.source.error(problems.into_iter().map(finding).collect())
    }
}
