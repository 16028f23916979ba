//! The metrics, each with its unit and direction.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Figures of a run, or medians of several.
pub(crate) type Figures = BTreeMap<Metric, f64>;

/// A metric. A megabyte is 10^6 bytes, a gigabyte 10^9.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Metric {
    /// File data received per second, from the first request to the end of the last transfer.
    ThroughputMbS,
    /// Completed transfers per second, over the same time.
    TransfersPerS,
    /// Busy seconds of the server's core per GB of file data, minus the idle baseline.
    CpuSPerGb,
    /// The same per completed transfer.
    CpuMsPerTransfer,
    /// The same per block.
    CpuUsPerBlock,
    /// From reading a request to the decision, according to the server's log.
    DecisionP50Us,
    DecisionP99Us,
    /// From sending a request to the first datagram of the answer.
    AnswerP50Ms,
    AnswerP99Ms,
    /// From an ACK to the next new block.
    TurnaroundP50Ms,
    TurnaroundP99Ms,
    /// The same during a storm of other requests.
    TurnaroundStormP50Ms,
    TurnaroundStormP99Ms,
    /// From the first request to the first DATA or, in uploads, to the first answer.
    FirstBlockP50Ms,
    FirstBlockP99Ms,
    /// From the first request to the end.
    CompletionP50Ms,
    CompletionP99Ms,
    /// Client time-outs (a second without a datagram).
    ClientTimeouts,
    /// Transfers that failed, timed out, or had wrong content.
    Incomplete,
    /// Downloads or uploads with wrong content.
    WrongBytes,
    /// CPU seconds of the load generator per GB.
    GeneratorCpuSPerGb,
    /// Additional resident memory per open transfer.
    GrowthBytes,
    /// Open transfers.
    Open,
    /// The server's use of its core.
    BusyPercent,
    /// Voluntary context switches of the server.
    WakeupsPerS,
    /// The hypervisor's share of the server's core.
    StolenPercent,
}

impl Metric {
    /// The heading in tables.
    pub(crate) fn heading(self) -> &'static str {
        match self {
            Metric::ThroughputMbS => "MB/s",
            Metric::TransfersPerS => "transfers/s",
            Metric::CpuSPerGb => "CPU s/GB",
            Metric::CpuMsPerTransfer => "CPU ms/transfer",
            Metric::CpuUsPerBlock => "CPU µs/block",
            Metric::DecisionP50Us => "decision p50 µs",
            Metric::DecisionP99Us => "decision p99 µs",
            Metric::AnswerP50Ms => "answer p50 ms",
            Metric::AnswerP99Ms => "answer p99 ms",
            Metric::TurnaroundP50Ms => "turnaround p50 ms",
            Metric::TurnaroundP99Ms => "turnaround p99 ms",
            Metric::TurnaroundStormP50Ms => "turnaround p50 ms in the storm",
            Metric::TurnaroundStormP99Ms => "turnaround p99 ms in the storm",
            Metric::FirstBlockP50Ms => "first block p50 ms",
            Metric::FirstBlockP99Ms => "first block p99 ms",
            Metric::CompletionP50Ms => "completion p50 ms",
            Metric::CompletionP99Ms => "completion p99 ms",
            Metric::ClientTimeouts => "client time-outs",
            Metric::Incomplete => "incomplete",
            Metric::WrongBytes => "wrong bytes",
            Metric::GeneratorCpuSPerGb => "generator CPU s/GB",
            Metric::GrowthBytes => "bytes/transfer",
            Metric::Open => "open transfers",
            Metric::BusyPercent => "% of the core",
            Metric::WakeupsPerS => "wake-ups/s",
            Metric::StolenPercent => "% stolen",
        }
    }

    /// Whether more is better.
    pub(crate) fn more_is_better(self) -> bool {
        matches!(self, Metric::ThroughputMbS | Metric::TransfersPerS | Metric::Open)
    }
}

/// The median of each figure that any of the runs has.
pub(crate) fn medians<'a>(runs: impl Iterator<Item = &'a Figures> + Clone) -> Figures {
    let metrics = runs.clone().flat_map(|run| run.keys().copied());
    metrics
        .filter_map(|metric| {
            let values = runs.clone().filter_map(|run| run.get(&metric).copied());
            Some((metric, tuffet_measure::median(values)?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_each() {
        let runs = [
            Figures::from([(Metric::Open, 1.0), (Metric::Incomplete, 5.0)]),
            Figures::from([(Metric::Open, 9.0)]),
            Figures::from([(Metric::Open, 2.0)]),
        ];
        assert_eq!(medians(runs.iter()), Figures::from([(Metric::Open, 2.0), (Metric::Incomplete, 5.0)]));
    }
}
