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
struct Kept {
    /// The counted operation.
    of: String,
    /// Instructions of one operation.
    instructions: f64,
}

type Counts = BTreeMap<String, Kept>;

/// Counts, prints and compares; false if a count is out of bounds or not stored.
///
/// # Errors
/// Counting fails, or the file cannot be read.
pub(crate) fn check(file: &Path, bound: f64) -> Result<bool, String> {
    let place = file.display();
    let text = fs::read_to_string(file).map_err(|error| format!("{place}: {error}; {UPDATE} writes it"))?;
    let kept: Counts =
        serde_json::from_str(&text).map_err(|error| format!("{place}: {error}; {UPDATE} writes it"))?;
    let mut fine = true;
    let mut table = Table::of_numbers(1, ["", "kept", "now", ""]);
    for (name, now) in count()? {
        let before = kept.get(&name).map(|kept| kept.instructions);
        let verdict = verdict(before, now.instructions, bound);
        let shown = before.map_or_else(|| "–".to_owned(), |before| format!("{before:.1}"));
        table.row([name, shown, format!("{:.1}", now.instructions), verdict.says(bound)]);
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
    for (name, kept) in &counts {
        table.row([name.clone(), format!("{:.1}", kept.instructions)]);
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
    NotKept,
}

impl Verdict {
    fn says(self, bound: f64) -> String {
        match self {
            Verdict::Same => "ok".to_owned(),
            Verdict::More => format!("over {bound} % more: find out why, or keep it by {UPDATE}"),
            Verdict::Fewer => format!("over {bound} % fewer: keep it by {UPDATE}"),
            Verdict::NotKept => format!("not kept: {UPDATE}"),
        }
    }
}

fn verdict(kept: Option<f64>, now: f64, bound: f64) -> Verdict {
    match kept {
        None => Verdict::NotKept,
        Some(kept) if now > kept * (1.0 + bound / 100.0) => Verdict::More,
        Some(kept) if now < kept * (1.0 - bound / 100.0) => Verdict::Fewer,
        Some(_) => Verdict::Same,
    }
}

fn count() -> Result<Counts, String> {
    let count = |unit: &crate::instructions::units::Unit| {
        let instructions = (per_unit(unit.name)? * 10.0).round() / 10.0;
        Ok((unit.name.to_owned(), Kept { of: unit.of.to_owned(), instructions }))
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
        assert_eq!(verdict(None, 1.0, 15.0), Verdict::NotKept);
    }
}
