//! Reports: the facts of a run, Markdown tables, and the result files.

use crate::Machine;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

/// The date, revision and machine of a measurement.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// Day and time in UTC.
    pub date: String,
    /// The revision of the tree, with `-dirty` if there were changes.
    pub commit: String,
    /// The machine.
    pub machine: Machine,
}

/// In one sentence.
impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Measured {} at revision {}, on {}.", self.date, self.commit, self.machine)
    }
}

impl Facts {
    /// Reads the present facts. Call this before the program pins itself to one core, because it counts the
    /// cores.
    pub fn now() -> Facts {
        Facts {
            date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
            commit: commit(),
            machine: Machine::read(),
        }
    }

    /// The date as in the names of result files: `2026-11-21`.
    pub fn day(&self) -> &str {
        self.date.get(..10).unwrap_or("undated")
    }
}

fn commit() -> String {
    let described = Command::new("git").args(["describe", "--always", "--dirty", "--abbrev=12"]).output();
    match described {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        _ => "unknown".to_owned(),
    }
}

/// A Markdown table. Rows get as many cells as the head.
#[derive(Debug, Clone, Default)]
pub struct Table {
    head: Vec<String>,
    /// The number of text columns on the left; the others are right-aligned numbers.
    text: usize,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Creates a table with text columns.
    pub fn of_text<S: Into<String>>(head: impl IntoIterator<Item = S>) -> Table {
        Table { head: head.into_iter().map(Into::into).collect(), text: usize::MAX, rows: Vec::new() }
    }

    /// Creates a table with `text` text columns, followed by columns of numbers.
    pub fn of_numbers<S: Into<String>>(text: usize, head: impl IntoIterator<Item = S>) -> Table {
        Table { text, ..Table::of_text(head) }
    }

    /// Adds a row.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// Returns whether the table has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |f: &mut fmt::Formatter<'_>, cells: &[String]| {
            for index in 0..self.head.len() {
                match cells.get(index).map(|text| cell(text)) {
                    Some(text) if !text.is_empty() => write!(f, "| {text} ")?,
                    _ => write!(f, "| ")?,
                }
            }
            writeln!(f, "|")
        };
        line(f, &self.head)?;
        for index in 0..self.head.len() {
            write!(f, "|{}", if index < self.text { "---" } else { "--:" })?;
        }
        writeln!(f, "|")?;
        self.rows.iter().try_for_each(|row| line(f, row))
    }
}

/// Escapes text that would end a cell or a row.
pub fn cell(text: &str) -> String {
    text.replace(['\n', '\r'], " ").replace('|', "\\|")
}

/// Formats results for the result file.
///
/// # Errors
/// They cannot be written as JSON.
pub fn json(results: &impl Serialize) -> Result<String, String> {
    let text = serde_json::to_string_pretty(results).map_err(|error| format!("no JSON: {error}"))?;
    Ok(text + "\n")
}

/// Writes files into a folder, which it creates if necessary, and prints their paths.
///
/// # Errors
/// A file cannot be written.
pub fn write(folder: &Path, files: impl IntoIterator<Item = (String, String)>) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        eprintln!("wrote {}", path.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_as_many_cells_as_the_head() {
        let mut table = Table::of_numbers(1, ["server", "MB/s", "CPU s/GB"]);
        table.row(["a | b\nc", "1", "2"]);
        table.row(["failed"]);
        assert_eq!(
            table.to_string(),
            "| server | MB/s | CPU s/GB |\n|---|--:|--:|\n| a \\| b c | 1 | 2 |\n| failed | | |\n"
        );
        assert_eq!(Table::of_text(["", ""]).to_string(), "| | |\n|---|---|\n");
    }

    #[test]
    fn facts_name_the_day_and_the_machine() {
        let facts = Facts::now();
        assert!(facts.day().len() == 10 && facts.date.starts_with(facts.day()), "{facts:?}");
        assert!(facts.to_string().contains("cores"), "{facts}");
        assert_eq!(Facts::default().day(), "undated");
    }

    #[test]
    fn files_lie_beside_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("new");
        write(&out, [("a.md".to_owned(), "x".to_owned()), ("a.json".to_owned(), json(&[1]).unwrap())])
            .unwrap();
        assert_eq!(std::fs::read_to_string(out.join("a.json")).unwrap(), "[\n  1\n]\n");
        assert!(write(&out.join("a.md"), []).is_err(), "no folder");
    }
}
