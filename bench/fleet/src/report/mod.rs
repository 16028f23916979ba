//! Writes the results: the tables of the page, pictures, JSON.

mod plot;
mod table;

use crate::args::{Origins, Study};
use crate::figures::{Figures, ServerFigures, Summary};
use crate::scenario::Scenario;
use crate::study::StormResult;
use serde::Serialize;
use std::path::{Path, PathBuf};
use tuffet_measure::grouped;

/// An error of the program.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FleetError {
    #[error(
        "{path} cannot be read ({source}): run this in the project's folder, or name the page with --page"
    )]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{path} cannot be written: {source}")]
    Write { path: PathBuf, source: std::io::Error },
    #[error("{path} has no line `{mark}`: tables are written between such marks")]
    NoMark { path: PathBuf, mark: String },
    #[error("{0}")]
    Report(String),
    #[error("{0} transfers brought other bytes than were asked for: the figures are worth nothing")]
    Wrong(u64),
}

#[derive(Serialize)]
struct Run<'a> {
    scenario: &'a Scenario,
    summary: Summary,
    servers: &'a [ServerFigures],
}

/// The JSON of one simulation.
pub(crate) fn json(figures: &Figures, scenario: &Scenario) -> Result<String, FleetError> {
    let run = Run { scenario, summary: figures.summary(scenario), servers: &figures.servers };
    tuffet_measure::report::json(&run).map_err(FleetError::Report)
}

/// Writes the page's tables, its pictures, and all results.
pub(crate) fn write(results: &[StormResult], to: &Study) -> Result<(), FleetError> {
    let wrong: u64 = results.iter().map(|result| result.summary.wrong).sum();
    if wrong > 0 {
        return Err(FleetError::Wrong(wrong));
    }
    let mut page = std::fs::read_to_string(&to.page)
        .map_err(|source| FleetError::Read { path: to.page.clone(), source })?;
    for (name, table) in table::all(results) {
        page = between_marks(&page, name, &table)
            .ok_or_else(|| FleetError::NoMark { path: to.page.clone(), mark: begin(name) })?;
    }
    save(&to.page, &page)?;
    save(&to.pictures.join("fleet-servers.svg"), &plot::servers(results))?;
    save(&to.pictures.join("fleet-lost.svg"), &plot::lost(results))?;
    save(&to.json, &tuffet_measure::report::json(&results).map_err(FleetError::Report)?)
}

/// Writes the table of cold caches into its page, its picture and its results.
pub(crate) fn write_origins(results: &[StormResult], to: &Origins) -> Result<(), FleetError> {
    let wrong: u64 = results.iter().map(|result| result.summary.wrong).sum();
    if wrong > 0 {
        return Err(FleetError::Wrong(wrong));
    }
    let page = std::fs::read_to_string(&to.page)
        .map_err(|source| FleetError::Read { path: to.page.clone(), source })?;
    let page = between_marks(&page, "origins", &table::origins(results))
        .ok_or_else(|| FleetError::NoMark { path: to.page.clone(), mark: begin("origins") })?;
    save(&to.page, &page)?;
    let file = |ending: &str| to.out.join(format!("{}-fleet-origins.{ending}", to.date));
    save(&file("svg"), &plot::origins(results))?;
    save(&file("json"), &tuffet_measure::report::json(&results).map_err(FleetError::Report)?)
}

fn begin(name: &str) -> String {
    format!("<!-- {name}: written by make bench SUITE=fleet -->")
}

const END: &str = "<!-- end -->";

/// Replaces the lines between a mark and its end; `None` if the page lacks one of them.
fn between_marks(page: &str, name: &str, lines: &str) -> Option<String> {
    let begin = begin(name);
    let (before, rest) = page.split_once(&begin)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{begin}\n{lines}{END}{after}"))
}

fn save(path: &Path, text: &str) -> Result<(), FleetError> {
    std::fs::write(path, text).map_err(|source| FleetError::Write { path: path.to_owned(), source })
}

/// Formats milliseconds as seconds; `None` as the horizon that was exceeded.
fn until(millis: Option<u32>, scenario: &Scenario) -> String {
    match millis {
        Some(_) => seconds(millis),
        None => format!("> {} min", scenario.horizon / 60_000),
    }
}

fn seconds(millis: Option<u32>) -> String {
    match millis {
        None => "–".to_owned(),
        Some(millis) if millis < 100_000 => format!("{}.{} s", millis / 1_000, millis % 1_000 / 100),
        Some(millis) => format!("{} s", grouped(u64::from(millis / 1_000))),
    }
}

fn percent(permille: u64) -> String {
    if permille < 100 {
        format!("{}.{} %", permille / 10, permille % 10)
    } else {
        format!("{} %", (permille + 5) / 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_as_people_read_them() {
        assert_eq!(
            (seconds(Some(14_978)), seconds(Some(269_126)), seconds(None)),
            ("14.9 s".into(), "269 s".into(), "–".into())
        );
        assert_eq!((percent(27), percent(945)), ("2.7 %".into(), "95 %".into()));
    }

    #[test]
    fn tables_go_between_their_marks() {
        let page = "a\n<!-- x: written by make bench SUITE=fleet -->\nold\n<!-- end -->\nb <!-- end -->";
        let new = "a\n<!-- x: written by make bench SUITE=fleet -->\nnew\n<!-- end -->\nb <!-- end -->";
        assert_eq!(between_marks(page, "x", "new\n").as_deref(), Some(new));
        assert_eq!(between_marks(page, "y", "new\n"), None);
    }
}
