//! The page, the figures and the plot of a run.

use crate::soak::judge::{Growth, Sample, WARM_UP};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use tuffet_measure::plot::{Chart, Curve, Panel};
use tuffet_measure::report::{self, Facts, Table};

/// The results of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    #[serde(flatten)]
    pub(crate) facts: Facts,
    pub(crate) minutes: f64,
    /// Events with their counts.
    pub(crate) counted: BTreeMap<&'static str, u64>,
    /// Faults.
    pub(crate) wrong: Vec<String>,
    /// Standstills of the machine, with their durations.
    pub(crate) standstills: Vec<String>,
    pub(crate) growth: Vec<Growth>,
    pub(crate) samples: Vec<Sample>,
}

impl Report {
    /// Whether nothing grew and nothing went wrong.
    pub(crate) fn is_good(&self) -> bool {
        self.wrong.is_empty() && !self.growth.is_empty() && self.growth.iter().all(Growth::is_flat)
    }

    /// Writes `DATE-soak.md`, `.json` and `.svg`.
    ///
    /// # Errors A file cannot be written.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), String> {
        let name = self.name();
        let files = [("md", self.page()), ("json", report::json(self)?), ("svg", self.chart().svg())];
        report::write(folder, files.map(|(kind, text)| (format!("{name}.{kind}"), text)))
    }

    fn name(&self) -> String {
        format!("{}-soak", self.facts.day())
    }

    /// The page.
    pub(crate) fn page(&self) -> String {
        let verdict = if self.is_good() { "Nothing grew, and nothing went wrong." } else { "**Not good.**" };
        let mut page = format!(
            "# Soak, {}\n\n{verdict} {:.1} minutes, {} samples. {}\n\n![memory, descriptors and threads]({}.svg)\n\n",
            self.facts.day(),
            self.minutes,
            self.samples.len(),
            self.facts,
            self.name()
        );
        let head =
            ["", "first quarter after the warm-up", "last quarter", "bound", "least to most", "in an hour"];
        let mut growths = Table::of_numbers(1, head);
        for growth in &self.growth {
            let Growth { first, last, bound, least, most, slope, .. } = growth;
            growths.row([
                growth.title(),
                format!("{first:.1}"),
                format!("{last:.1}"),
                format!("{bound:.1}"),
                format!("{least:.1} to {most:.1}"),
                format!("{slope:+.1}"),
            ]);
        }
        let mut counted = Table::of_numbers(1, ["", ""]);
        for (what, many) in &self.counted {
            counted.row([(*what).to_owned(), many.to_string()]);
        }
        let _ = write!(
            page,
            "{growths}\nMedians of the quarters; the last may be as large as the bound. What happened meanwhile:\n\n{counted}"
        );
        if !self.standstills.is_empty() {
            let _ = writeln!(page, "\nThe machine itself stood still at: {}.", self.standstills.join("; "));
        }
        for wrong in &self.wrong {
            let _ = writeln!(page, "\n**Wrong:** {wrong}");
        }
        page
    }

    /// Memory, descriptors and threads over the run, a panel each.
    fn chart(&self) -> Chart {
        let values: [fn(&Sample) -> f64; 3] =
            [|it| it.resident_kib as f64 / 1024.0, |it| it.descriptors as f64, |it| it.threads as f64];
        let minutes = |it: &Sample| it.seconds / 60.0;
        let end = self.samples.last().map_or(0.0, minutes);
        let warm = end * WARM_UP;
        let panel = |(growth, of): (&Growth, fn(&Sample) -> f64)| {
            let points = self.samples.iter().map(|it| (minutes(it), of(it))).collect();
            let bound = vec![(warm, growth.bound), (end, growth.bound)];
            Panel {
                title: growth.what.to_owned(),
                x: "minutes".to_owned(),
                y: growth.unit.to_owned(),
                shaded: Some((0.0, warm)),
                curves: vec![
                    Curve { name: "measured".to_owned(), class: "own", points },
                    Curve { name: "bound".to_owned(), class: "theirs", points: bound },
                ],
                ..Panel::default()
            }
        };
        let title = format!("{:.0} minutes of everything at once; shaded: warm-up", self.minutes);
        Chart { title, panels: self.growth.iter().zip(values).map(panel).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soak::judge::judge;

    #[test]
    fn a_report_has_a_page_figures_and_a_panel_for_each() {
        let sample = |number: u32| Sample {
            seconds: f64::from(number),
            resident_kib: 100_000,
            descriptors: 40,
            threads: 9,
        };
        let samples: Vec<Sample> = (0..60).map(sample).collect();
        let mut report = Report {
            facts: Facts::default(),
            minutes: 1.0,
            counted: BTreeMap::from([("reads", 7)]),
            wrong: Vec::new(),
            standstills: Vec::new(),
            growth: judge(&samples).unwrap(),
            samples,
        };
        assert!(report.is_good());
        let page = report.page();
        assert!(
            page.contains("| resident memory, MiB | 97.7 | 97.7 | 110.5 | 97.7 to 97.7 | +0.0 |"),
            "{page}"
        );
        assert!(page.contains("| reads | 7 |") && page.contains("Nothing grew"), "{page}");
        let folder = tempfile::tempdir().unwrap();
        report.write(folder.path()).unwrap();
        let plot = std::fs::read_to_string(folder.path().join("undated-soak.svg")).unwrap();
        assert_eq!((plot.matches("<g ").count(), plot.matches("class=\"shaded\"").count()), (3, 3), "{plot}");
        report.wrong.push("a panic".into());
        assert!(!report.is_good() && report.page().contains("**Wrong:** a panic"));
    }
}
