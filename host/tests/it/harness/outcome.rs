//! Assertions on outcome lines.

use serde_json::Value;

/// Asserts the outcome of a transfer, its bytes, and the negotiated options.
#[track_caller]
pub fn assert_moved(line: &Value, outcome: &str, bytes: usize, blksize: u16, windowsize: u16) {
    let got = (&line["outcome"], &line["bytes"], &line["blksize"], &line["windowsize"]);
    let due = (Value::from(outcome), Value::from(bytes), Value::from(blksize), Value::from(windowsize));
    assert_eq!(got, (&due.0, &due.1, &due.2, &due.3), "{line:#}");
}

/// Asserts the outcome of a request, and its detail in the log.
#[track_caller]
pub fn assert_ended(line: &Value, outcome: &str, detail: &str) {
    assert_eq!(line["outcome"], outcome, "{line:#}");
    let said = line["detail"].as_str().unwrap_or_default();
    assert!(said.contains(detail), "`{detail}` is missing in `{said}`");
}
