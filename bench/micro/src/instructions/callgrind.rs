//! Counts instructions of this very program with valgrind.

use std::path::Path;
use std::process::{Command, Stdio};

/// Units of the two runs; the second is long enough to hide variations between the runs.
const FEW: u64 = 1_000;
const MANY: u64 = 11_000;

/// Returns the instructions of one unit.
///
/// # Errors
/// Valgrind is missing, fails, or counts nothing.
pub(crate) fn per_unit(unit: &str) -> Result<f64, String> {
    let own = std::env::current_exe().map_err(|error| format!("the path of this program: {error}"))?;
    let (few, many) = (total(&own, unit, FEW)?, total(&own, unit, MANY)?);
    Ok((many as f64 - few as f64) / (MANY - FEW) as f64)
}

fn total(program: &Path, unit: &str, count: u64) -> Result<u64, String> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--"])
        .arg(program)
        .args(["instructions", "unit", unit, &count.to_string()])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("valgrind cannot be started ({error}): install the package valgrind"))?;
    let text = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let last: Vec<&str> = text.lines().rev().take(3).collect();
        return Err(format!("valgrind of {unit} ended with {}: {}", output.status, last.join(" / ")));
    }
    collected(&text).ok_or_else(|| format!("valgrind printed no count for {unit}"))
}

/// Parses a line such as `==123== Collected : 456`.
fn collected(text: &str) -> Option<u64> {
    let count = text.lines().find_map(|line| line.split_once("Collected :"))?.1;
    count.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_among_what_valgrind_says() {
        assert_eq!(collected("==7== Events    : Ir\n==7== Collected : 21456\n==7==\n"), Some(21_456));
        assert_eq!(collected("==7== Collected : \n"), None);
        assert_eq!(collected(""), None);
    }
}
