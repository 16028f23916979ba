//! The printed results: a table for people, JSON for programs.

use crate::figures::{Figures, Times};
use crate::over_time::Sample;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use tuffet_measure::CpuTime;

/// Measurements of the whole run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measured {
    pub(crate) seconds: f64,
    pub(crate) cpu: CpuTime,
    /// Whether transfers started at a constant rate.
    pub(crate) rated: bool,
}

/// All results of a run; the README explains each.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    transfers: u64,
    completed: u64,
    failed: u64,
    timed_out: u64,
    wrong_bytes: u64,
    stalled: u64,
    errors: BTreeMap<String, u64>,
    bytes: u64,
    seconds: f64,
    throughput_mb_s: f64,
    transfers_per_s: f64,
    answer_ms: Quantiles,
    first_block_ms: Quantiles,
    turnaround_ms: Quantiles,
    completion_ms: Quantiles,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_delay_ms: Option<Quantiles>,
    retransmissions: u64,
    client_timeouts: u64,
    duplicates: u64,
    packets_in: u64,
    packets_out: u64,
    lost_in: u64,
    lost_out: u64,
    unsent: u64,
    strays: u64,
    cpu_user_s: f64,
    cpu_system_s: f64,
    cpu_s_per_gb: Option<f64>,
    options: Option<Granted>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    over_time: Vec<Sample>,
}

/// A distribution in milliseconds; null without measurements.
#[derive(Debug, Clone, Copy, Serialize)]
struct Quantiles {
    p50: Option<f64>,
    p99: Option<f64>,
    p99_9: Option<f64>,
    max: Option<f64>,
}

/// The options that the server granted.
#[derive(Debug, Clone, Copy, Serialize)]
struct Granted {
    blksize: Option<u16>,
    windowsize: Option<u16>,
    timeout: Option<u8>,
    tsize: Option<u64>,
    /// Transfers with other options than the first one.
    differed: u64,
}

impl Report {
    pub(crate) fn new(figures: &Figures, measured: &Measured, over_time: Vec<Sample>) -> Self {
        let seconds = measured.seconds.max(1e-6);
        let gigabytes = figures.bytes as f64 / 1e9;
        let (user, system) = (measured.cpu.user.as_secs_f64(), measured.cpu.system.as_secs_f64());
        let ended =
            figures.completed + figures.failed + figures.timed_out + figures.wrong_bytes + figures.stalled;
        Report {
            transfers: ended,
            completed: figures.completed,
            failed: figures.failed,
            timed_out: figures.timed_out,
            wrong_bytes: figures.wrong_bytes,
            stalled: figures.stalled,
            errors: figures.errors.clone(),
            bytes: figures.bytes,
            seconds: measured.seconds,
            throughput_mb_s: figures.bytes as f64 / 1e6 / seconds,
            transfers_per_s: figures.completed as f64 / seconds,
            answer_ms: Quantiles::of(&figures.answer),
            first_block_ms: Quantiles::of(&figures.first_block),
            turnaround_ms: Quantiles::of(&figures.turnaround),
            completion_ms: Quantiles::of(&figures.completion),
            start_delay_ms: measured.rated.then(|| Quantiles::of(&figures.start_delay)),
            retransmissions: figures.retransmissions,
            client_timeouts: figures.client_timeouts,
            duplicates: figures.duplicates,
            packets_in: figures.packets_in,
            packets_out: figures.packets_out,
            lost_in: figures.lost_in,
            lost_out: figures.lost_out,
            unsent: figures.unsent,
            strays: figures.strays,
            cpu_user_s: user,
            cpu_system_s: system,
            cpu_s_per_gb: (gigabytes > 0.0).then(|| (user + system) / gigabytes),
            options: figures.options.map(|options| Granted {
                blksize: options.blksize,
                windowsize: options.windowsize,
                timeout: options.timeout,
                tsize: options.tsize,
                differed: figures.options_differed,
            }),
            over_time,
        }
    }

    /// Whether every transfer ended as expected.
    pub(crate) fn succeeded(&self) -> bool {
        self.failed + self.timed_out + self.wrong_bytes == 0
    }
}

impl Quantiles {
    fn of(times: &Times) -> Self {
        Quantiles {
            p50: times.quantile_ms(0.5),
            p99: times.quantile_ms(0.99),
            p99_9: times.quantile_ms(0.999),
            max: times.quantile_ms(1.0),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "transfers    {} ended: {} completed, {} failed, {} timed out, {} with wrong bytes, {} stalled",
            self.transfers, self.completed, self.failed, self.timed_out, self.wrong_bytes, self.stalled
        )?;
        for (text, count) in &self.errors {
            writeln!(f, "  {count:>8} × {text}")?;
        }
        writeln!(
            f,
            "throughput   {:.1} MB/s, {:.1} transfers/s ({} bytes in {:.3} s)",
            self.throughput_mb_s, self.transfers_per_s, self.bytes, self.seconds
        )?;
        writeln!(f, "answer       {}", self.answer_ms)?;
        writeln!(f, "first block  {}", self.first_block_ms)?;
        writeln!(f, "turnaround   {}", self.turnaround_ms)?;
        writeln!(f, "completion   {}", self.completion_ms)?;
        if let Some(delay) = &self.start_delay_ms {
            writeln!(f, "start delay  {delay}")?;
        }
        writeln!(
            f,
            "packets      {} in, {} out, {} retransmissions, {} client time-outs, {} duplicates",
            self.packets_in, self.packets_out, self.retransmissions, self.client_timeouts, self.duplicates
        )?;
        if self.lost_in + self.lost_out + self.unsent + self.strays > 0 {
            writeln!(
                f,
                "lost         {} in and {} out by --loss, {} not taken by the kernel; {} strays",
                self.lost_in, self.lost_out, self.unsent, self.strays
            )?;
        }
        write!(f, "own CPU      {:.3} s user, {:.3} s system", self.cpu_user_s, self.cpu_system_s)?;
        if let Some(cost) = self.cpu_s_per_gb {
            write!(f, ", {cost:.3} s/GB")?;
        }
        match &self.options {
            Some(options) => writeln!(f, "\noptions      {options}")?,
            None => writeln!(f)?,
        }
        for sample in &self.over_time {
            writeln!(
                f,
                "at {:>8.3} s {:>8.1} MB/s, {:.1} MB/s since the start",
                sample.seconds, sample.mb_s, sample.cumulative_mb_s
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for Quantiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(p50), Some(p99), Some(p99_9), Some(max)) = (self.p50, self.p99, self.p99_9, self.max)
        else {
            return f.write_str("not measured");
        };
        write!(f, "p50 {p50:.3} ms, p99 {p99:.3} ms, p99.9 {p99_9:.3} ms, max {max:.3} ms")
    }
}

impl fmt::Display for Granted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = [
            ("blksize", self.blksize.map(u64::from)),
            ("windowsize", self.windowsize.map(u64::from)),
            ("timeout", self.timeout.map(u64::from)),
            ("tsize", self.tsize),
        ];
        let mut any = false;
        for (name, value) in fields {
            if let Some(value) = value {
                write!(f, "{}{name} {value}", if any { ", " } else { "" })?;
                any = true;
            }
        }
        if !any {
            f.write_str("none")?;
        }
        if self.differed > 0 {
            write!(f, " (the first; {} transfers differed)", self.differed)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::{Ended, Outcome};
    use std::time::Duration;
    use tuffet_core::{OptionSet, Stats, Time};

    fn report(outcomes: &[Outcome]) -> Report {
        let mut figures = Figures::new();
        for outcome in outcomes {
            let ended = Ended {
                scheduled: Time::default(),
                bytes: 500_000_000,
                stats: Stats::default(),
                options: OptionSet { blksize: Some(1_400), ..OptionSet::default() },
            };
            figures.record(Time::from_micros(2_000), outcome.clone(), &ended);
        }
        let cpu = CpuTime { user: Duration::from_millis(100), system: Duration::from_millis(300) };
        Report::new(&figures, &Measured { seconds: 2.0, cpu, rated: false }, Vec::new())
    }

    #[test]
    fn rates_and_costs_are_of_what_was_moved() {
        let report = report(&[Outcome::Completed, Outcome::Completed]);
        assert_eq!((report.throughput_mb_s, report.transfers_per_s), (500.0, 1.0));
        assert_eq!((report.cpu_s_per_gb, report.completion_ms.p50), (Some(0.4), Some(2.0)));
        assert!(report.succeeded());
        assert!(report.to_string().contains("blksize 1400"), "{report}");
    }

    #[test]
    fn anything_that_went_wrong_shows() {
        let silent = Outcome::TimedOut { answered: false };
        for wrong in [Outcome::Failed("x".into()), silent, Outcome::WrongBytes("x".into())] {
            let report = report(&[Outcome::Completed, wrong]);
            assert!(!report.succeeded(), "{report}");
            assert_eq!(report.errors.values().sum::<u64>(), 1);
        }
        assert!(report(&[Outcome::Stalled]).succeeded());
    }

    #[test]
    fn a_run_without_transfers_has_no_numbers_that_json_cannot_hold() {
        let json = serde_json::to_string(&report(&[])).unwrap();
        assert!(json.contains("\"cpu_s_per_gb\":null") && json.contains("\"p99_9\":null"), "{json}");
    }
}
