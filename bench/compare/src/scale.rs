//! How much of a measurement is run.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// All of it, enough to see the order of magnitude, or as little as shows that it runs.
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
    /// As on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Scale::Full => "full",
            Scale::Quick => "quick",
            Scale::Smoke => "smoke",
        }
    }

    /// One of three.
    pub(crate) fn choose<T>(self, [full, quick, smoke]: [T; 3]) -> T {
        match self {
            Scale::Full => full,
            Scale::Quick => quick,
            Scale::Smoke => smoke,
        }
    }
}
