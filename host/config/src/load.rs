//! Reads a configuration: from a file, from flags, or from both.

use std::path::Path;

use super::config::{Config, Written};
use super::error::{ConfigError, Place, Position};
use super::overrides::Overrides;
use super::schema::schema;
use super::shape;
use super::source::{self, Finding, Source};
use super::tree::pointer_of;

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
        let (source, value) = source::read(path, "at least `listeners` and `roots`")?;
        let mut findings = Vec::new();
        shape::check(&schema(), &value, "", &mut findings);
        if !findings.is_empty() {
            return Err(source.error(findings));
        }
        let written = serde_path_to_error::deserialize(value).map_err(|error| {
            let pointer = pointer_of(error.path());
            source.error(vec![Finding::value(pointer, format!("{}; correct the value", error.inner()))])
        })?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let base = std::path::absolute(folder.unwrap_or(Path::new("."))).map_err(|error| {
            ConfigError::one(Place::File(path.to_owned()), format!("its folder is unknown: {error}"))
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
        Self::resolve(written, base, source)
    }

    /// Returns the position of the value at a JSON pointer (RFC 6901), such as
    /// `/plugins/acl/settings/deny/0`; if it is not written, that of the nearest value around it. `None` for
    /// a value from a flag.
    pub fn position(&self, pointer: &str) -> Option<Position> {
        self.source.position(pointer)
    }

    /// Builds the error for problems that were found later, such as by a plugin in its settings: pairs of a
    /// JSON pointer into the whole configuration and a message that says what is wrong and how to fix it.
    pub fn error(&self, problems: impl IntoIterator<Item = (String, String)>) -> ConfigError {
        let finding = |(pointer, message): (String, String)| Finding::value(pointer, message);
        self.source.error(problems.into_iter().map(finding).collect())
    }
}
