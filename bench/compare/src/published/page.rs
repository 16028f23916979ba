//! Writes the results of a table: JSON, a page, a plot.

use crate::published::tables::{Published, TableResult};
use crate::scale::Scale;
use crate::setup::QUIET;
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use tuffet_measure::report::{self, Facts, cell};

/// The facts and settings of a run.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Context {
    #[serde(flatten)]
    pub(crate) facts: Facts,
    pub(crate) scale: Scale,
    /// The idle baseline of the server's core in percent, subtracted from all figures.
    pub(crate) idle_percent: f64,
    pub(crate) versions: BTreeMap<String, String>,
    /// Missing servers, with the reasons.
    pub(crate) missing: BTreeMap<String, String>,
}

/// Writes `DATE-published-N.json`, `.md` and, if there is a chart, `.svg` into a folder.
///
/// # Errors A file cannot be written.
pub(crate) fn write(
    folder: &Path,
    table: &Published,
    context: &Context,
    found: &TableResult,
) -> Result<(), String> {
    let name = format!("{}-published-{}", context.facts.day(), table.number);
    let results = json!({
        "table": table.number,
        "title": table.title,
        "source": table.source,
        "facts": context,
        "measurements": found.measurements,
        "skipped": found.skipped,
        "more": found.more,
    });
    let draws = !found.chart.panels.is_empty();
    let page = markdown(table, context, found, draws.then_some(name.as_str()));
    let mut files = vec![(format!("{name}.json"), report::json(&results)?), (format!("{name}.md"), page)];
    if draws {
        files.push((format!("{name}.svg"), found.chart.svg()));
    }
    report::write(folder, files)
}

fn markdown(table: &Published, context: &Context, found: &TableResult, plot: Option<&str>) -> String {
    let mut page = format!("# Published table {}: {}\n\n{}\n\n", table.number, table.title, table.source);
    let _ = writeln!(page, "{} Scale `{}`.", context.facts, context.scale.name());
    let versions: Vec<String> =
        context.versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
    let _ = writeln!(page, "Servers: {}. One run of each case.\n", versions.join("; "));
    if context.idle_percent > QUIET {
        let _ = writeln!(
            page,
            "**The server's core was {:.0} % busy with other things: the CPU columns are empty, and the rates are lower than they could be.**\n",
            context.idle_percent
        );
    }
    for (name, why) in &context.missing {
        let _ = writeln!(page, "- {name} takes no part: {}", cell(why));
    }
    for skipped in &found.skipped {
        let _ = writeln!(page, "- left out: {}", cell(skipped));
    }
    if context.missing.len() + found.skipped.len() > 0 {
        page += "\n";
    }
    if let Some(name) = plot {
        let _ = writeln!(page, "![{}]({name}.svg)\n", table.title);
    }
    for section in &found.sections {
        let _ = writeln!(page, "## {}\n", section.title);
        if !section.text.is_empty() {
            let _ = writeln!(page, "{}\n", section.text);
        }
        let _ = writeln!(page, "{}", section.table);
    }
    let troubles: Vec<_> = found.measurements.iter().filter(|it| !it.complete()).collect();
    if !troubles.is_empty() {
        page += "`*` not every transfer ended as it should, `–` none did:\n\n";
        for it in troubles {
            let _ = writeln!(page, "- {}: {}: {}", it.server, it.describe(), cell(&it.trouble()));
        }
    }
    page.trim_end().to_owned() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published::bench::Measurement;
    use crate::published::tables::{ALL, Section};

    #[test]
    fn a_page_names_source_machine_and_trouble() {
        let facts = Facts { date: "2026-11-21T10:00:00Z".to_owned(), ..Facts::default() };
        let context = Context {
            facts,
            scale: Scale::Quick,
            idle_percent: 9.0,
            versions: BTreeMap::from([("tuffet".to_owned(), "0.1.0".to_owned())]),
            missing: BTreeMap::from([("rs-tftpd".to_owned(), "not here".to_owned())]),
        };
        let failed = Measurement {
            server: "tuffet".to_owned(),
            failed: Some("a | b".to_owned()),
            ..Measurement::default()
        };
        let mut section = Section::new("S", ["a", "b"]);
        section.table.row(["1", "x|y"]);
        let found =
            TableResult { measurements: vec![failed], sections: vec![section], ..TableResult::default() };
        let page = markdown(&ALL[0], &context, &found, Some("plot"));
        for text in [
            "weird-solutions",
            "Scale `quick`",
            "| 1 | x\\|y |",
            "a \\| b",
            "9 % busy",
            "not here",
            "(plot.svg)",
        ] {
            assert!(page.contains(text), "{text} is missing in:\n{page}");
        }
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &ALL[0], &context, &found).unwrap();
        let names = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(names, 2, "nothing to draw");
    }
}
