//! The refusal of a plugin to run with its settings.

use std::fmt;

use super::bindings::lifecycle::Problem;

/// `configure` returned problems.
#[derive(Debug)]
pub(super) struct Refused(pub Vec<Problem>);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it refused its settings")
    }
}

impl std::error::Error for Refused {}
