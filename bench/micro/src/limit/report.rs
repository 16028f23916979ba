//! The results, as JSON and as a table.

use serde::Serialize;
use std::fmt;
use tuffet_measure::report::Table;
use tuffet_measure::{known, short};

/// All shapes of one run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// Seconds measured for each shape.
    pub(crate) seconds: f64,
    pub(crate) figures: Vec<Figures>,
}

/// The cost of one shape. Bytes are those of the blocks, without the 4 of the header, so that the results
/// compare with those of file transfers; a megabyte is 10^6 bytes.
#[derive(Debug, Serialize)]
pub(crate) struct Figures {
    pub(crate) shape: String,
    /// Datagrams that arrived.
    pub(crate) packets: u64,
    /// Datagrams sent that had not arrived at the end: in flight, or dropped.
    pub(crate) lost: u64,
    /// Windows requested again because nothing arrived.
    pub(crate) repeats: u64,
    pub(crate) throughput_mb_s: f64,
    pub(crate) packets_per_s: f64,
    /// Busy seconds of the server's core, minus the idle baseline.
    pub(crate) cpu_s: f64,
    pub(crate) cpu_s_per_gb: Option<f64>,
    pub(crate) cpu_us_per_packet: Option<f64>,
    /// Seconds that the hypervisor took from the server's core.
    pub(crate) stolen_s: f64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = ["shape", "MB/s", "packets/s", "CPU s/GB", "CPU µs/packet", "lost", "repeats"];
        let mut table = Table::of_numbers(1, head);
        for figures in &self.figures {
            table.row([
                figures.shape.clone(),
                short(figures.throughput_mb_s),
                short(figures.packets_per_s),
                known(figures.cpu_s_per_gb),
                known(figures.cpu_us_per_packet),
                figures.lost.to_string(),
                figures.repeats.to_string(),
            ]);
        }
        table.fmt(f)
    }
}
