//! What clients do, and what they report.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// A third-party client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// Many transfers in one process.
    Curl,
    /// A process for each transfer, with windows.
    Atftp,
    /// A process for each transfer, without options.
    TftpHpa,
}

/// What the load generator does. Without blksize and windowsize the request has no options (RFC 1350).
#[derive(Debug, Clone, Copy)]
pub struct Load {
    /// Who transfers; `None` for `tuffet-load`.
    pub client: Option<Client>,
    pub write: bool,
    pub transfers: u32,
    pub concurrency: u32,
    /// Bytes in each file.
    pub size: u64,
    pub blksize: Option<u16>,
    pub windowsize: Option<u16>,
    /// The client receives with UDP_GRO.
    pub gro: bool,
    /// The receive buffer of a client in KiB (SO_RCVBUF), if it is not to hold two windows.
    pub receive_buffer: Option<u32>,
    /// The client sends windows with UDP_SEGMENT.
    pub gso: bool,
    /// Part of the datagrams that is lost in each direction.
    pub loss: f64,
    /// Datagrams that a client takes in a millisecond; what comes beyond is lost.
    pub take: Option<u32>,
    /// Transfers that are started in a second, whether the server keeps up or not.
    pub rate: Option<f64>,
    /// A run that takes longer is stopped and counts as unfinished.
    pub limit: Duration,
}

impl Load {
    /// One download without anything special, to start from.
    pub(crate) const READ: Load = Load {
        client: None,
        write: false,
        transfers: 1,
        concurrency: 1,
        size: 0,
        blksize: None,
        windowsize: None,
        gro: false,
        receive_buffer: None,
        gso: false,
        loss: 0.0,
        take: None,
        rate: None,
        limit: Duration::from_secs(60),
    };

    /// Bytes in a block.
    pub(crate) fn block(&self) -> u16 {
        self.blksize.unwrap_or(tuffet_core::DEFAULT_BLKSIZE)
    }
}

/// What it reports; `bench/load/README.md` defines each.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Report {
    pub completed: u64,
    pub failed: u64,
    pub timed_out: u64,
    pub wrong_bytes: u64,
    #[serde(default)]
    pub stalled: u64,
    #[serde(default)]
    pub errors: BTreeMap<String, u64>,
    pub bytes: u64,
    pub seconds: f64,
    #[serde(default)]
    pub answer_ms: Quantiles,
    #[serde(default)]
    pub turnaround_ms: Quantiles,
    pub first_block_ms: Quantiles,
    pub completion_ms: Quantiles,
    pub client_timeouts: u64,
    pub cpu_user_s: f64,
    pub cpu_system_s: f64,
    /// The rate over time, where it was asked for.
    #[serde(default)]
    pub over_time: Vec<Sample>,
}

/// The rate up to a moment.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
pub struct Sample {
    pub seconds: f64,
    /// Since the sample before.
    pub mb_s: f64,
    /// Since the start.
    pub cumulative_mb_s: f64,
}

/// Milliseconds; nothing where nothing was measured.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize)]
pub struct Quantiles {
    pub p50: Option<f64>,
    pub p99: Option<f64>,
}

impl Report {
    /// Transfers that did not end as they should.
    pub fn incomplete(&self) -> u64 {
        self.failed + self.timed_out + self.wrong_bytes
    }
}
