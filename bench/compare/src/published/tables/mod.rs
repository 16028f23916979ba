//! The published tables, and their repetition.

mod broadband;
mod epoll;
mod slac;
mod tuning;
mod windowsize;

use crate::published::bench::{Bench, Case, Measurement};
use crate::published::link::Link;
use tuffet_measure::plot::{Chart, Curve};
use tuffet_measure::report::Table;
use tuffet_measure::{known, short};

/// A published table.
pub(crate) struct Published {
    pub(crate) number: u8,
    pub(crate) title: &'static str,
    /// The publisher and the published figures; Markdown.
    pub(crate) source: &'static str,
    pub(crate) run: fn(&Bench) -> TableResult,
}

/// All tables.
pub(crate) const ALL: [Published; 5] =
    [broadband::TABLE, windowsize::TABLE, epoll::TABLE, slac::TABLE, tuning::TABLE];

/// The results of a table.
#[derive(Debug, Clone, Default)]
pub(crate) struct TableResult {
    pub(crate) measurements: Vec<Measurement>,
    pub(crate) sections: Vec<Section>,
    pub(crate) chart: Chart,
    /// Skipped paths, with the reasons.
    pub(crate) skipped: Vec<String>,
    /// Results that are not transfers.
    pub(crate) more: serde_json::Value,
}

/// A table on the page.
#[derive(Debug, Clone, Default)]
pub(crate) struct Section {
    pub(crate) title: String,
    pub(crate) text: String,
    pub(crate) table: Table,
}

impl Section {
    pub(crate) fn new<S: Into<String>>(
        title: impl Into<String>,
        head: impl IntoIterator<Item = S>,
    ) -> Section {
        Section { title: title.into(), text: String::new(), table: Table::of_text(head) }
    }
}

/// Returns cables of these rates; records the reasons for missing ones.
fn links(found: &mut TableResult, rates: &[(&'static str, Option<u32>)]) -> Vec<(&'static str, Link)> {
    let mut links = Vec::new();
    for (name, mbit) in rates {
        match Link::new(*mbit) {
            Ok(link) => links.push((*name, link)),
            Err(why) => {
                eprintln!("  {name} is left out: {why}");
                found.skipped.push(format!("{name}: {why}"));
            }
        }
    }
    links
}

/// A section with a table of these first columns, and of some columns for each server.
fn section_of(bench: &Bench, title: impl Into<String>, first: &[&str], each: &[&str]) -> Section {
    let names = bench.servers.iter().map(|(server, _)| server.name);
    let of_servers = names.flat_map(|name| each.iter().map(move |column| format!("{name} {column}")));
    Section::new(title, first.iter().map(|name| (*name).to_owned()).chain(of_servers))
}

/// Runs a case on all servers; a row begins with `first`, and each server adds its cells.
fn row(
    bench: &Bench,
    found: &mut TableResult,
    case: &Case<'_>,
    mut first: Vec<String>,
    cells: impl Fn(&Measurement) -> Vec<String>,
) -> Vec<String> {
    for measured in bench.on_all(case) {
        let its = cells(&measured);
        match (&measured.failed, measured.completed) {
            // Nothing was measured.
            (Some(_), 0) => first.extend(its.iter().map(|_| "–".to_owned())),
            (None, _) if measured.incomplete == 0 => first.extend(its),
            _ => first.extend(its.into_iter().map(|cell| format!("{cell}*"))),
        }
        found.measurements.push(measured);
    }
    first
}

/// A curve through a server's measurements; `of` returns the point of each, or `None`.
fn curve(
    name: impl Into<String>,
    server: &str,
    measurements: &[Measurement],
    of: impl Fn(&Measurement) -> Option<(f64, f64)>,
) -> Curve {
    let class = if server == "tuffet" { "own" } else { "peer" };
    let its = measurements.iter().filter(|it| it.server == server && it.completed > 0);
    Curve { name: name.into(), class, points: its.filter_map(of).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_numbered_and_name_their_source() {
        for (index, table) in ALL.iter().enumerate() {
            assert_eq!(usize::from(table.number), index + 1);
            assert!(table.source.len() > 80, "{}", table.title);
        }
    }
}
