//! The floor: runs `tuffet-micro limit` between the servers.

use crate::command::{succeed, tied};
use crate::peers::results::Limit;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// Its time limit.
const PATIENCE: Duration = Duration::from_secs(120);

/// The program and its arguments.
#[derive(Debug)]
pub(crate) struct Floor {
    pub(crate) program: PathBuf,
    pub(crate) server_core: usize,
    pub(crate) client_core: usize,
    /// Seconds for each shape.
    pub(crate) seconds: f64,
}

#[derive(Debug, Deserialize)]
struct Report {
    figures: Vec<Shape>,
}

#[derive(Debug, Deserialize)]
struct Shape {
    shape: String,
    #[serde(flatten)]
    limit: Limit,
}

impl Floor {
    /// Measures all shapes once.
    ///
    /// # Errors It cannot be run, or its report is invalid.
    pub(crate) fn measure(&self) -> Result<BTreeMap<String, Limit>, String> {
        // This process runs on the clients' core, but the limit needs both.
        let mut command = tied("taskset");
        command
            .arg("--cpu-list")
            .arg(format!("{},{}", self.server_core, self.client_core))
            .arg(&self.program);
        command.args(["limit", "--json", "--seconds"]).arg(self.seconds.to_string());
        command.arg("--server-core").arg(self.server_core.to_string());
        command.arg("--generator-core").arg(self.client_core.to_string());
        let report = succeed(command, PATIENCE)?;
        let report: Report = serde_json::from_str(&report).map_err(|error| error.to_string())?;
        Ok(report.figures.into_iter().map(|shape| (shape.shape, shape.limit)).collect())
    }

    /// Returns the medians of several rounds.
    pub(crate) fn medians(rounds: &[BTreeMap<String, Limit>]) -> BTreeMap<String, Limit> {
        let shapes = rounds.first().into_iter().flat_map(BTreeMap::keys);
        let of = |shape: &String| {
            let median = |figure: fn(&Limit) -> Option<f64>| {
                tuffet_measure::median(rounds.iter().filter_map(|round| figure(round.get(shape)?)))
            };
            Limit {
                throughput_mb_s: median(|limit| Some(limit.throughput_mb_s)).unwrap_or(0.0),
                packets_per_s: median(|limit| Some(limit.packets_per_s)).unwrap_or(0.0),
                cpu_s_per_gb: median(|limit| limit.cpu_s_per_gb),
                cpu_us_per_packet: median(|limit| limit.cpu_us_per_packet),
            }
        };
        shapes.map(|shape| (shape.clone(), of(shape))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_shapes() {
        let round = |throughput_mb_s| {
            BTreeMap::from([("echo".to_owned(), Limit { throughput_mb_s, ..Limit::default() })])
        };
        let medians = Floor::medians(&[round(3.0), round(1.0), round(2.0)]);
        assert_eq!(medians["echo"].throughput_mb_s, 2.0);
        assert!(Floor::medians(&[]).is_empty());
    }
}
