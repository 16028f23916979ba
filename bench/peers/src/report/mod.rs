//! The results for people: a Markdown table and plots, from the same JSON that is kept.

mod plot;
mod table;

use crate::cases::{CASES, Kind};
use crate::metric::Metric;
use crate::results::{CaseResult, Results};
use std::path::Path;

/// Files of fewer bytes are counted by the transfer, not by the byte.
const SMALL: u64 = 8 * crate::cases::KIB;

/// Writes `BASE.json`, `BASE.md`, `BASE-throughput.svg` and `BASE-cpu.svg`.
///
/// # Errors
/// When one cannot be written.
pub(crate) fn write(results: &Results, base: &Path) -> Result<(), String> {
    if let Some(folder) = base.parent() {
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let name = base.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let json = serde_json::to_string_pretty(results).map_err(|error| error.to_string())?;
    let plots = [
        (format!("{name}-throughput.svg"), plot::throughput(results)),
        (format!("{name}-cpu.svg"), plot::cpu(results)),
    ];
    let images: Vec<&str> =
        plots.iter().filter(|(_, plot)| plot.is_some()).map(|(name, _)| name.as_str()).collect();
    let markdown = table::markdown(results, &images);
    let mut files = vec![(format!("{name}.json"), json + "\n"), (format!("{name}.md"), markdown)];
    files.extend(plots.into_iter().filter_map(|(name, plot)| Some((name, plot?))));
    for (name, text) in files {
        let path = base.with_file_name(name);
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        eprintln!("wrote {}", path.display());
    }
    Ok(())
}

/// The figure by which the servers of a case are compared.
fn headline(case: &CaseResult) -> Metric {
    let kind = CASES.iter().find(|known| known.name == case.name).map(|known| known.kind);
    match kind {
        Some(Kind::Transfers(load)) if load.rate.is_some() => Metric::AnswerP50Ms,
        Some(Kind::Beside { .. }) => Metric::TurnaroundStormP99Ms,
        Some(Kind::Transfers(load)) if load.size < SMALL => Metric::TransfersPerS,
        Some(Kind::Memory { .. }) => Metric::GrowthBytes,
        Some(Kind::Idle { .. }) => Metric::BusyPercent,
        _ => Metric::ThroughputMbS,
    }
}

/// Whether the server is Tuffet, in any form.
fn is_own(server: &str) -> bool {
    crate::server::SERVERS.iter().any(|contender| contender.name == server && contender.is_tuffet())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Figures;
    use crate::results::{Round, ServerResult, Settings, TargetResult};
    use std::collections::BTreeMap;

    fn server(name: &str, throughput: f64) -> ServerResult {
        let figures = Figures::from([(Metric::ThroughputMbS, throughput), (Metric::CompletionP50Ms, 0.5)]);
        let round = Round { figures: figures.clone(), repeats: 1, ..Round::default() };
        ServerResult { server: name.to_owned(), median: figures, rounds: vec![round], ..Default::default() }
    }

    pub(super) fn results() -> Results {
        let cannot = ServerResult {
            server: "atftpd".to_owned(),
            cannot: Some("no windowsize".to_owned()),
            ..Default::default()
        };
        Results {
            date: "2026-11-21T10:00:00Z".to_owned(),
            commit: "abc".to_owned(),
            machine: tuffet_measure::Machine::default(),
            settings: Settings {
                scale: "full".to_owned(),
                rounds: 1,
                server_core: 0,
                generator_core: 1,
                idle_percent: 0.5,
                files_in_memory: true,
            },
            versions: BTreeMap::from([("tuffet".to_owned(), "0.1.0".to_owned())]),
            skipped: BTreeMap::new(),
            limit: BTreeMap::new(),
            cases: vec![CaseResult {
                name: "window64".to_owned(),
                title: "12 × 10 MiB".to_owned(),
                servers: vec![server("tuffet", 900.0), server("dnsmasq", 200.0), cannot],
                targets: vec![TargetResult {
                    target: "≥ 6× dnsmasq in MB/s".to_owned(),
                    measured: "900 (4.50×)".to_owned(),
                    reached: Some(false),
                }],
            }],
        }
    }

    #[test]
    fn results_are_written_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().join("2026-11-21");
        write(&results(), &base).unwrap();
        let text = std::fs::read_to_string(base.with_extension("json")).unwrap();
        let again: Results = serde_json::from_str(&text).unwrap();
        assert_eq!(again.cases[0].servers[1].median, results().cases[0].servers[1].median);
        assert!(base.with_extension("md").is_file());
        assert!(folder.path().join("2026-11-21-throughput.svg").is_file());
        assert!(!folder.path().join("2026-11-21-cpu.svg").exists(), "there is nothing to draw");
    }
}
