//! What is written of a table: JSON, a page, a plot.

use crate::bench::QUIET;
use crate::scale::Scale;
use crate::tables::{Found, Section, Table};
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use tuffet_measure::Machine;

/// Where and when it was measured.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Facts {
    /// Day and time in UTC.
    pub(crate) date: String,
    /// The revision of the tree, with `-dirty` if there were changes.
    pub(crate) commit: String,
    pub(crate) machine: Machine,
    pub(crate) scale: Scale,
    /// How busy the server's core was with nothing to do; taken off all figures.
    pub(crate) idle_percent: f64,
    pub(crate) versions: BTreeMap<String, String>,
    /// Servers that take no part, and why.
    pub(crate) missing: BTreeMap<String, String>,
}

/// Writes `DATE-published-N.json`, `.md` and, where there is something to draw, `.svg` into a folder.
///
/// # Errors
/// When one cannot be written.
pub(crate) fn write(folder: &Path, table: &Table, facts: &Facts, found: &Found) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let day = facts.date.get(..10).unwrap_or("undated");
    let name = format!("{day}-published-{}", table.number);
    let results = json!({
        "table": table.number,
        "title": table.title,
        "source": table.source,
        "facts": facts,
        "measurements": found.measurements,
        "skipped": found.skipped,
        "more": found.more,
    });
    let json = serde_json::to_string_pretty(&results).map_err(|error| error.to_string())? + "\n";
    let draws = !found.chart.panels.is_empty();
    let page = markdown(table, facts, found, draws.then_some(name.as_str()));
    let mut files = vec![("json", json), ("md", page)];
    if draws {
        files.push(("svg", found.chart.svg()));
    }
    for (kind, text) in files {
        let path = folder.join(format!("{name}.{kind}"));
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        eprintln!("wrote {}", path.display());
    }
    Ok(())
}

fn markdown(table: &Table, facts: &Facts, found: &Found, plot: Option<&str>) -> String {
    let mut page = format!("# Published table {}: {}\n\n{}\n\n", table.number, table.title, table.source);
    let Facts { machine, .. } = facts;
    let _ = writeln!(
        page,
        "Measured {} at revision {}, scale `{}`, on {machine}.",
        facts.date,
        facts.commit,
        scale(facts.scale)
    );
    let versions: Vec<String> =
        facts.versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
    let _ = writeln!(page, "Servers: {}. One run of each case.\n", versions.join("; "));
    if facts.idle_percent > QUIET {
        let _ = writeln!(
            page,
            "**The server's core was {:.0} % busy with other things: no CPU is told, and rates are lower than they could be.**\n",
            facts.idle_percent
        );
    }
    for (name, why) in &facts.missing {
        let _ = writeln!(page, "- {name} takes no part: {}", cell(why));
    }
    for skipped in &found.skipped {
        let _ = writeln!(page, "- left out: {}", cell(skipped));
    }
    if facts.missing.len() + found.skipped.len() > 0 {
        page += "\n";
    }
    if let Some(name) = plot {
        let _ = writeln!(page, "![{}]({name}.svg)\n", table.title);
    }
    for section in &found.sections {
        write_section(&mut page, section);
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

fn write_section(page: &mut String, section: &Section) {
    let _ = writeln!(page, "## {}\n", section.title);
    if !section.text.is_empty() {
        let _ = writeln!(page, "{}\n", section.text);
    }
    let _ = writeln!(page, "| {} |", section.head.join(" | "));
    let _ = writeln!(page, "|{}", "---|".repeat(section.head.len()));
    for row in &section.rows {
        let cells: Vec<String> = row.iter().map(|text| cell(text)).collect();
        let _ = writeln!(page, "| {} |", cells.join(" | "));
    }
    page.push('\n');
}

fn scale(scale: Scale) -> &'static str {
    match scale {
        Scale::Full => "full",
        Scale::Quick => "quick",
        Scale::Smoke => "smoke",
    }
}

/// Text that cannot end a cell or a row.
fn cell(text: &str) -> String {
    text.replace(['\n', '\r'], " ").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Measurement;
    use crate::tables::ALL;

    #[test]
    fn a_page_names_source_machine_and_trouble() {
        let facts = Facts {
            date: "2026-11-21T10:00:00Z".to_owned(),
            commit: "abc".to_owned(),
            machine: Machine::default(),
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
        let section = Section {
            title: "S".to_owned(),
            head: vec!["a".to_owned(), "b".to_owned()],
            rows: vec![vec!["1".to_owned(), "x|y".to_owned()]],
            ..Section::default()
        };
        let found = Found { measurements: vec![failed], sections: vec![section], ..Found::default() };
        let page = markdown(&ALL[0], &facts, &found, Some("plot"));
        for text in [
            "weird-solutions",
            "scale `quick`",
            "| 1 | x\\|y |",
            "a \\| b",
            "9 % busy",
            "not here",
            "(plot.svg)",
        ] {
            assert!(page.contains(text), "{text} is missing in:\n{page}");
        }
        let folder = std::env::temp_dir().join(format!("tuffet-published-{}", std::process::id()));
        write(&folder, &ALL[0], &facts, &found).unwrap();
        let names = std::fs::read_dir(&folder).unwrap().count();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(names, 2, "nothing to draw");
    }
}
