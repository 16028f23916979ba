//! The amount of work of a measurement.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// The amount of work: for results, for an order of magnitude, or for a check that it works.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Scale {
    /// For results
    #[default]
    Full,
    /// For work on the server
    Quick,
    /// For CI: says nothing about speed
    Smoke,
}

impl Scale {
    /// The name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Scale::Full => "full",
            Scale::Quick => "quick",
            Scale::Smoke => "smoke",
        }
    }

    /// Returns the value for this scale.
    pub(crate) fn choose<T>(self, [full, quick, smoke]: [T; 3]) -> T {
        match self {
            Scale::Full => full,
            Scale::Quick => quick,
            Scale::Smoke => smoke,
        }
    }
}
