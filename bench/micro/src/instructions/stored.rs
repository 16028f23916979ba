//! The counts stored in the repository, and their comparison with new ones.

use crate::instructions::callgrind::per_unit;
use crate::instructions::units::UNITS;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tuffet_measure::report::{Table, json};

/// A stored count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct StoredCount {
    /// The counted operation.
    of: String,
    /// Instructions of one operation.
    instructions: f64,
}

type Counts = BTreeMap<String, StoredCount>;

/// Counts, prints and compares; false if a count is out of bounds or not stored.
///
/// # Errors
/// Counting fails, or the file cannot be read.
pub(crate) fn check(file: &Path, bound: f64) -> Result<bool, String> {
    let place = file.display();
    let text = fs::read_to_string(file).map_err(|error| format!("{place}: {error}; {UPDATE} writes it"))?;
    let stored: Counts =
        serde_json::from_str(&text).map_err(|error| format!("{place}: {error}; {UPDATE} writes it"))?;
    let mut fine = true;
    let mut table = Table::of_numbers(1, ["", "stored", "now", ""]);
    for (name, now) in count()? {
        let before = stored.get(&name).map(|stored| stored.instructions);
        let verdict = verdict(before, now.instructions, bound);
        let shown = before.map_or_else(|| "–".to_owned(), |before| format!("{before:.1}"));
        table.row([name, shown, format!("{:.1}", now.instructions), verdict.describe(bound)]);
        fine &= verdict == Verdict::Same;
    }
    print!("{table}");
    Ok(fine)
}

/// Counts and stores the counts.
///
/// # Errors
/// Counting fails, or the file cannot be written.
pub(crate) fn update(file: &Path) -> Result<(), String> {
    let counts = count()?;
    let mut table = Table::of_numbers(1, ["", "now"]);
    for (name, stored) in &counts {
        table.row([name.clone(), format!("{:.1}", stored.instructions)]);
    }
    print!("{table}");
    fs::write(file, json(&counts)?).map_err(|error| format!("{}: {error}", file.display()))
}

const UPDATE: &str = "make bench SUITE=instructions ARGS=update";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Same,
    More,
    Fewer,
    NotStored,
}

impl Verdict {
    fn describe(self, bound: f64) -> String {
        match self {
            Verdict::Same => "ok".to_owned(),
            Verdict::More => format!("over {bound} % more: find out why, or store it with {UPDATE}"),
            Verdict::Fewer => format!("over {bound} % fewer: store it with {UPDATE}"),
            Verdict::NotStored => format!("not stored: {UPDATE}"),
        }
    }
}

fn verdict(stored: Option<f64>, now: f64, bound: f64) -> Verdict {
    match stored {
        None => Verdict::NotStored,
        Some(stored) if now > stored * (1.0 + bound / 100.0) => Verdict::More,
        Some(stored) if now < stored * (1.0 - bound / 100.0) => Verdict::Fewer,
        Some(_) => Verdict::Same,
    }
}

fn count() -> Result<Counts, String> {
    let count = |unit: &crate::instructions::units::Unit| {
        let instructions = (per_unit(unit.name)? * 10.0).round() / 10.0;
        Ok((unit.name.to_owned(), StoredCount { of: unit.of.to_owned(), instructions }))
    };
    UNITS.iter().map(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_goes_both_ways() {
        assert_eq!(verdict(Some(100.0), 114.9, 15.0), Verdict::Same);
        assert_eq!(verdict(Some(100.0), 115.1, 15.0), Verdict::More);
        assert_eq!(verdict(Some(100.0), 84.9, 15.0), Verdict::Fewer);
        assert_eq!(verdict(None, 1.0, 15.0), Verdict::NotStored);
    }
}
