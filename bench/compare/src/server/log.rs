//! The durations of a server's decisions, from its log.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// A position in the log of a server.
#[derive(Debug)]
pub(crate) struct LogPosition {
    log: PathBuf,
    at: u64,
}

impl LogPosition {
    /// The present end of the log.
    pub(super) fn end_of(log: &Path) -> LogPosition {
        LogPosition { log: log.to_owned(), at: std::fs::metadata(log).map_or(0, |found| found.len()) }
    }

    /// The durations of the decisions logged since, in microseconds and ascending order; empty if the server does not
    /// log them.
    ///
    /// # Errors
    /// The log cannot be read.
    pub(crate) fn decisions(&self) -> io::Result<Vec<u64>> {
        let mut log = File::open(&self.log)?;
        log.seek(SeekFrom::Start(self.at))?;
        let mut text = String::new();
        log.read_to_string(&mut text)?;
        Ok(decisions(&text))
    }
}

fn decisions(log: &str) -> Vec<u64> {
    let mut found: Vec<u64> = log.lines().filter_map(decision).collect();
    found.sort_unstable();
    found
}

fn decision(line: &str) -> Option<u64> {
    let line: serde_json::Value = serde_json::from_str(line).ok()?;
    line.get("decision_us")?.as_u64()
}

/// The value that this part (0 to 1) of all values does not exceed.
pub(crate) fn quantile(sorted: &[u64], part: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let index = (part * sorted.len() as f64).ceil() as usize;
    sorted.get(index.saturating_sub(1).min(last)).map(|value| *value as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_are_taken_from_lines_that_have_one() {
        let log = r#"starting
{"level":"INFO","message":"plugins loaded"}
{"level":"INFO","outcome":"served","decision_us":70}
{"level":"INFO","outcome":"served","decision_us":30}
"#;
        assert_eq!(decisions(log), [30, 70]);
    }

    #[test]
    fn quantiles_of_few_and_of_none() {
        let sorted: Vec<u64> = (1..=100).collect();
        assert_eq!((quantile(&sorted, 0.5), quantile(&sorted, 0.99)), (Some(50.0), Some(99.0)));
        assert_eq!((quantile(&[7], 0.99), quantile(&[], 0.5)), (Some(7.0), None));
    }
}
