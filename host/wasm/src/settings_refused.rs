//! The error of a plugin that refuses its settings.

use std::fmt;

use super::bindings::lifecycle::Problem;

/// The problems that `configure` returned.
#[derive(Debug)]
pub(super) struct SettingsRefused(pub Vec<Problem>);

impl fmt::Display for SettingsRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it refused its settings")
    }
}

impl std::error::Error for SettingsRefused {}
