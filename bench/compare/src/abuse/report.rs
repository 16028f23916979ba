//! The page: what honest clients saw, a table for each server.

use crate::abuse::bench::{Row, Scale};
use crate::abuse::kind::Kind;
use serde::Serialize;
use std::path::Path;
use tuffet_measure::known;
use tuffet_measure::report::{self, Facts, Table};

/// All that is kept of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) facts: Facts,
    pub(crate) scale: Scale,
    pub(crate) servers: Vec<Seen>,
}

/// What honest clients of one server saw.
#[derive(Debug, Serialize)]
pub(crate) struct Seen {
    pub(crate) server: String,
    pub(crate) version: String,
    pub(crate) rows: Vec<Tried>,
}

/// One kind of abuse, or none.
#[derive(Debug, Serialize)]
pub(crate) struct Tried {
    pub(crate) kind: Option<Kind>,
    /// Why it could not be run, where it could not.
    pub(crate) row: Result<Row, String>,
}

impl Report {
    /// When, of what and where.
    pub(crate) fn head(&self) -> String {
        format!("# Abuse\n\n{} One run of each.\n", self.facts)
    }

    /// Writes `DATE-abuse.md` and `.json`.
    ///
    /// # Errors
    /// When one cannot be written.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), String> {
        let name = format!("{}-abuse", self.facts.day());
        let sections = self.servers.iter().map(|server| section(server, &self.scale));
        let page = [self.head() + "\n"].into_iter().chain(sections).collect::<String>();
        let page = page.trim_end().to_owned() + "\n";
        report::write(folder, [(format!("{name}.md"), page), (format!("{name}.json"), report::json(self)?)])
    }
}

/// The part of the page for one server.
pub(crate) fn section(seen: &Seen, scale: &Scale) -> String {
    let mut table = Table::of_numbers(
        1,
        [
            "beside",
            "abusers' packets/s",
            "first block p50, ms",
            "p99, ms",
            "whole file p50, ms",
            "p99, ms",
            "served",
            "not served",
            "repeated",
            "% of its core",
            "MiB",
        ],
    );
    for Tried { kind, row } in &seen.rows {
        match row {
            Ok(row) => table.row([
                row.what.clone(),
                format!("{:.0}", row.sent_per_s),
                known(row.first_block.p50),
                known(row.first_block.p99),
                known(row.completion.p50),
                known(row.completion.p99),
                row.completed.to_string(),
                row.failed.to_string(),
                row.client_timeouts.to_string(),
                format!("{:.0}", row.cpu_percent),
                format!("{:.0}", row.memory_mib),
            ]),
            Err(why) => table.row([kind.map_or("none", Kind::what), why]),
        }
    }
    format!(
        "### {} {}\n\nHonest clients: {} transfers of 64 KiB begun in a second, for {} s.\n\n{table}\n",
        seen.server, seen.version, scale.honest, scale.seconds
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::Quantiles;

    #[test]
    fn what_could_not_be_run_stands_in_the_table() {
        let row = Row {
            what: "none".into(),
            sent_per_s: 0.0,
            completed: 1,
            failed: 0,
            wrong_bytes: 0,
            first_block: Quantiles { p50: Some(0.123), p99: Some(12.3) },
            completion: Quantiles::default(),
            client_timeouts: 0,
            cpu_percent: 1.0,
            memory_mib: 30.0,
        };
        let rows = vec![
            Tried { kind: None, row: Ok(row) },
            Tried { kind: Some(Kind::HalfOpen), row: Err("a|b".into()) },
        ];
        let server = Seen { server: "tuffet".into(), version: "1".into(), rows };
        let scale = Scale { seconds: 1, honest: 2, factor: 1.0 };
        let report = Report { facts: Facts::default(), scale, servers: vec![server] };
        let folder = tempfile::tempdir().unwrap();
        report.write(folder.path()).unwrap();
        let page = std::fs::read_to_string(folder.path().join("undated-abuse.md")).unwrap();
        assert!(page.contains("| none | 0 | 0.12 | 12.3 | – | – | 1 | 0 | 0 | 1 | 30 |"), "{page}");
        assert!(page.contains("a million addresses | a\\|b |"), "{page}");
        let json = std::fs::read_to_string(folder.path().join("undated-abuse.json")).unwrap();
        assert!(json.contains("\"Err\": \"a|b\""), "{json}");
    }
}
