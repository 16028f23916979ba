//! The results of a run, as stored in `bench/results/DATE.json`.

use crate::peers::metric::Figures;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tuffet_measure::report::Facts;

/// A whole run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Results {
    #[serde(flatten)]
    pub(crate) facts: Facts,
    pub(crate) settings: Settings,
    /// Versions by server; missing servers are in `skipped`.
    pub(crate) versions: BTreeMap<String, String>,
    pub(crate) skipped: BTreeMap<String, String>,
    pub(crate) cases: Vec<CaseResult>,
}

/// The settings of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Settings {
    pub(crate) scale: String,
    pub(crate) rounds: u32,
    pub(crate) server_core: usize,
    pub(crate) generator_core: usize,
    /// The idle baseline of the server's core in percent, subtracted from all figures.
    pub(crate) idle_percent: f64,
    /// Whether the files were in memory.
    pub(crate) files_in_memory: bool,
}

/// The results of one case.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct CaseResult {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) servers: Vec<ServerResult>,
    pub(crate) targets: Vec<TargetResult>,
}

/// The results of one server in one case.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct ServerResult {
    pub(crate) server: String,
    /// Medians over the rounds.
    pub(crate) median: Figures,
    pub(crate) rounds: Vec<Round>,
    /// Options with a lower granted value than requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
    /// The reason why it does not take part: the server lacks something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cannot: Option<String>,
    /// The reason of a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) failed: Option<String>,
}

/// The results of one round.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Round {
    pub(crate) figures: Figures,
    /// How often the case was repeated.
    pub(crate) repeats: u32,
    /// Wall-clock time, including the start and stop of the server.
    pub(crate) seconds: f64,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) errors: BTreeMap<String, u64>,
}

/// The result for a target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TargetResult {
    /// The target.
    pub(crate) target: String,
    /// The measured value.
    pub(crate) measured: String,
    /// `None` if a required value was not measured.
    pub(crate) reached: Option<bool>,
}

impl CaseResult {
    pub(crate) fn of(&self, server: &str) -> Option<&ServerResult> {
        self.servers.iter().find(|result| result.server == server)
    }
}

impl ServerResult {
    /// Whether every transfer completed; true for a case without transfers.
    pub(crate) fn complete(&self) -> bool {
        !self.median.is_empty()
            && self.failed.is_none()
            && self.rounds.iter().all(|round| {
                round.figures.get(&crate::peers::metric::Metric::Incomplete).is_none_or(|count| *count == 0.0)
            })
    }
}
