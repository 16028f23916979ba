//! The load of clients, and their report.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// A third-party client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// Many transfers in one process.
    Curl,
    /// One transfer per process, with windows.
    Atftp,
    /// One transfer per process, without options.
    TftpHpa,
}

/// A load. Without blksize and windowsize, the request has no options (RFC 1350).
#[derive(Debug, Clone, Copy)]
pub struct Load {
    /// The client; `None` for `tuffet-load`.
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
    /// The receive buffer of a client in KiB (SO_RCVBUF); `None` for two windows.
    pub receive_buffer: Option<u32>,
    /// The client sends windows with UDP_SEGMENT.
    pub gso: bool,
    /// The share of datagrams lost in each direction.
    pub loss: f64,
    /// Datagrams that a client accepts per millisecond; more are lost.
    pub take: Option<u32>,
    /// Transfers started per second, even if the server falls behind.
    pub rate: Option<f64>,
    /// The time limit of a run; a longer one is stopped and counts as unfinished.
    pub limit: Duration,
}

impl Load {
    /// One plain download, as a base.
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

/// The report; `bench/load/README.md` defines each figure.
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
    /// The rate over time, if requested.
    #[serde(default)]
    pub over_time: Vec<Sample>,
}

/// The rate at a moment.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
pub struct Sample {
    pub seconds: f64,
    /// Since the previous sample.
    pub mb_s: f64,
    /// Since the start.
    pub cumulative_mb_s: f64,
}

/// Quantiles in milliseconds; `None` without measurements.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize)]
pub struct Quantiles {
    pub p50: Option<f64>,
    pub p99: Option<f64>,
}

impl Report {
    /// Transfers that did not complete.
    pub fn incomplete(&self) -> u64 {
        self.failed + self.timed_out + self.wrong_bytes
    }
}
