//! The page, the figures and the plot of a run.

use crate::judge::{Growth, Sample};
use crate::plot::plot;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;

/// All that is kept of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// The day, as in the names of the files.
    pub(crate) date: String,
    pub(crate) machine: tuffet_measure::Machine,
    pub(crate) minutes: f64,
    /// What happened, and how often.
    pub(crate) counted: BTreeMap<&'static str, u64>,
    /// What happened that must not.
    pub(crate) wrong: Vec<String>,
    /// When the machine itself was not run, and for how long.
    pub(crate) standstills: Vec<String>,
    pub(crate) growth: Vec<Growth>,
    pub(crate) samples: Vec<Sample>,
}

impl Report {
    /// Whether all is as it should be.
    pub(crate) fn is_good(&self) -> bool {
        self.wrong.is_empty() && !self.growth.is_empty() && self.growth.iter().all(Growth::is_flat)
    }

    /// Writes the three files.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let name = format!("{}-soak", self.date);
        let title =
            format!("{:.0} minutes of everything at once; shaded: warm-up, dashed: the bound", self.minutes);
        fs::write(folder.join(format!("{name}.md")), self.page(&name))?;
        fs::write(folder.join(format!("{name}.json")), serde_json::to_string_pretty(self)? + "\n")?;
        fs::write(folder.join(format!("{name}.svg")), plot(&title, &self.samples, &self.growth))
    }

    /// The page.
    pub(crate) fn page(&self, name: &str) -> String {
        let mut page = format!("# Soak, {}\n\n", self.date);
        let verdict = if self.is_good() { "Nothing grew, and nothing went wrong." } else { "**Not good.**" };
        let _ = writeln!(
            page,
            "{verdict} {:.1} minutes, {} samples, on {}.\n",
            self.minutes,
            self.samples.len(),
            self.machine
        );
        let _ = writeln!(page, "![memory, descriptors and threads]({name}.svg)\n");
        page += "| | first quarter after the warm-up | last quarter | bound | least to most | in an hour |\n";
        page += "|---|--:|--:|--:|--:|--:|\n";
        for growth in &self.growth {
            let Growth { what, unit, first, last, bound, least, most, slope } = growth;
            let unit = if unit.is_empty() { String::new() } else { format!(", {unit}") };
            let _ = writeln!(
                page,
                "| {what}{unit} | {first:.1} | {last:.1} | {bound:.1} | {least:.1} to {most:.1} | {slope:+.1} |"
            );
        }
        page +=
            "\nMedians of the quarters; the last may be as large as the bound. What happened meanwhile:\n\n";
        page += "| | |\n|---|--:|\n";
        for (what, many) in &self.counted {
            let _ = writeln!(page, "| {what} | {many} |");
        }
        if !self.standstills.is_empty() {
            let _ = writeln!(page, "\nThe machine itself stood still at: {}.", self.standstills.join("; "));
        }
        for wrong in &self.wrong {
            let _ = writeln!(page, "\n**Wrong:** {wrong}");
        }
        page
    }
}
