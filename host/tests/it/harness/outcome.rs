//! What an outcome line must say.

use serde_json::Value;

/// Asserts how a transfer ended, how many bytes moved, and what was negotiated.
#[track_caller]
pub fn assert_moved(line: &Value, outcome: &str, bytes: usize, blksize: u16, windowsize: u16) {
    let got = (&line["outcome"], &line["bytes"], &line["blksize"], &line["windowsize"]);
    let due = (Value::from(outcome), Value::from(bytes), Value::from(blksize), Value::from(windowsize));
    assert_eq!(got, (&due.0, &due.1, &due.2, &due.3), "{line:#}");
}

/// Asserts how a request ended, and what the log says of the reason.
#[track_caller]
pub fn assert_ended(line: &Value, outcome: &str, detail: &str) {
    assert_eq!(line["outcome"], outcome, "{line:#}");
    let said = line["detail"].as_str().unwrap_or_default();
    assert!(said.contains(detail), "`{detail}` is missing in `{said}`");
}
