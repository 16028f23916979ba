//! What is measured, each with its unit and which way is better.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Figures of a run, or medians of several.
pub(crate) type Figures = BTreeMap<Metric, f64>;

/// A figure. A megabyte is 10^6 bytes, a gigabyte 10^9.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Metric {
    /// File data that arrived, for the time from the first request to the end of the last transfer.
    ThroughputMbS,
    /// Transfers that completed, for the same time.
    TransfersPerS,
    /// Busy seconds of the server's core for each GB of file data, less the idle baseline.
    CpuSPerGb,
    /// The same for each completed transfer.
    CpuMsPerTransfer,
    /// The same for each block of data.
    CpuUsPerBlock,
    /// From when the server read a request to its decision, by its own log.
    DecisionP50Us,
    DecisionP99Us,
    /// From when a request was sent to the first datagram that answers it.
    AnswerP50Ms,
    AnswerP99Ms,
    /// From an ACK to the next new block.
    TurnaroundP50Ms,
    TurnaroundP99Ms,
    /// The same while a storm of other requests is admitted.
    TurnaroundStormP50Ms,
    TurnaroundStormP99Ms,
    /// From the first request to the first DATA or, in uploads, to the first answer.
    FirstBlockP50Ms,
    FirstBlockP99Ms,
    /// From the first request to the end.
    CompletionP50Ms,
    CompletionP99Ms,
    /// How often clients had to repeat because nothing came for their time-out (a second).
    ClientTimeouts,
    /// Transfers that failed, timed out, or brought other bytes than they should.
    Incomplete,
    /// Transfers that brought other bytes, and uploads that are not on disk as they were sent.
    WrongBytes,
    /// CPU of the load generator itself, for each GB.
    GeneratorCpuSPerGb,
    /// Resident memory that each open transfer adds.
    GrowthBytes,
    /// Transfers that were open.
    Open,
    /// How much of its core the server uses.
    BusyPercent,
    /// Voluntary context switches of the server.
    WakeupsPerS,
    /// Taken from the server's core by the hypervisor.
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
