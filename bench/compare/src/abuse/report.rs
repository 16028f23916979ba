//! The page: the results of honest clients, in a table for each server.

use crate::abuse::bench::{Row, Scale};
use crate::abuse::kind::Kind;
use serde::Serialize;
use std::path::Path;
use tuffet_measure::known;
use tuffet_measure::report::{self, Facts, Table};

/// The results of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) facts: Facts,
    pub(crate) scale: Scale,
    pub(crate) servers: Vec<ServerSection>,
}

/// The results of honest clients of one server.
#[derive(Debug, Serialize)]
pub(crate) struct ServerSection {
    pub(crate) server: String,
    pub(crate) version: String,
    pub(crate) rows: Vec<CaseRow>,
}

/// One kind of abuse, or none.
#[derive(Debug, Serialize)]
pub(crate) struct CaseRow {
    pub(crate) kind: Option<Kind>,
    /// The figures, or the reason why the case did not run.
    pub(crate) row: Result<Row, String>,
}

impl Report {
    /// The head of the page: date, revision and machine.
    pub(crate) fn head(&self) -> String {
        format!("# Abuse\n\n{} One run of each.\n", self.facts)
    }

    /// Writes `DATE-abuse.md` and `.json`.
    ///
    /// # Errors A file cannot be written.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), String> {
        let name = format!("{}-abuse", self.facts.day());
        let sections = self.servers.iter().map(|server| section(server, &self.scale));
        let page = [self.head() + "\n"].into_iter().chain(sections).collect::<String>();
        let page = page.trim_end().to_owned() + "\n";
        report::write(folder, [(format!("{name}.md"), page), (format!("{name}.json"), report::json(self)?)])
    }
}

/// The section of the page about one server.
pub(crate) fn section(server: &ServerSection, scale: &Scale) -> String {
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
    for CaseRow { kind, row } in &server.rows {
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
        server.server, server.version, scale.honest, scale.seconds
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
            CaseRow { kind: None, row: Ok(row) },
            CaseRow { kind: Some(Kind::HalfOpen), row: Err("a|b".into()) },
        ];
        let server = ServerSection { server: "tuffet".into(), version: "1".into(), rows };
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
