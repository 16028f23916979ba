//! Renders the stored results as a Markdown page and plots.

mod plot;
mod table;

use crate::peers::cases::{CASES, Kind};
use crate::peers::metric::Metric;
use crate::peers::results::{CaseResult, Results, ServerResult};
use crate::server::FLOOR;
use std::path::Path;
use tuffet_measure::report::json;

/// Cases with smaller files are compared by transfers, not by bytes.
const SMALL: u64 = 8 * crate::peers::cases::KIB;

/// Writes `BASE.json`, `BASE.md`, `BASE-glance.svg`, `BASE-throughput.svg` and `BASE-cpu.svg`.
///
/// # Errors A file cannot be written.
pub(crate) fn write(results: &Results, base: &Path) -> Result<(), String> {
    let name = base.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut files = vec![(format!("{name}.json"), json(results)?)];
    let mut images = Vec::new();
    let plots = [
        ("glance", plot::glance(results)),
        ("throughput", plot::throughput(results)),
        ("cpu", plot::cpu(results)),
    ];
    for (what, plot) in plots {
        if let Some(plot) = plot {
            images.push(format!("{name}-{what}.svg"));
            files.push((format!("{name}-{what}.svg"), plot));
        }
    }
    files.push((format!("{name}.md"), table::markdown(results, &images)));
    tuffet_measure::report::write(base.parent().unwrap_or(Path::new("")), files)
}

/// The figure by which the servers of a case are compared.
fn headline(case: &CaseResult) -> Metric {
    let kind = CASES.iter().find(|known| known.name == case.name).map(|known| known.kind);
    match kind {
        Some(Kind::Transfers(load)) if load.rate.is_some() => Metric::AnswerP50Ms,
        Some(Kind::Beside { .. } | Kind::BesideCold { .. }) => Metric::TurnaroundStormP99Ms,
        Some(Kind::Transfers(load) | Kind::ToDisk(load)) if load.size < SMALL => Metric::TransfersPerS,
        Some(Kind::Memory { .. }) => Metric::GrowthBytes,
        Some(Kind::Idle { .. }) => Metric::BusyPercent,
        _ => Metric::ThroughputMbS,
    }
}

/// The CPU time of a server as a multiple of the floor's.
fn cost_of_floor(case: &CaseResult, server: &ServerResult) -> Option<f64> {
    let cost = |server: &ServerResult| server.median.get(&Metric::CpuSPerGb).copied();
    let floor =
        case.of(FLOOR).filter(|floor| floor.complete()).and_then(cost).filter(|floor| *floor > 0.0)?;
    Some(cost(server)? / floor)
}

/// Whether the server is Tuffet or a variant of it.
fn is_own(server: &str) -> bool {
    crate::server::SERVERS.iter().any(|contender| contender.name == server && contender.is_tuffet())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::metric::Figures;
    use crate::peers::results::{Round, Settings, TargetResult};
    use std::collections::BTreeMap;
    use tuffet_measure::report::Facts;

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
            facts: Facts {
                date: "2026-11-21T10:00:00Z".to_owned(),
                commit: "abc".to_owned(),
                ..Facts::default()
            },
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
        let glance = std::fs::read_to_string(folder.path().join("2026-11-21-glance.svg")).unwrap();
        assert!(glance.contains("900 beside 200 of dnsmasq, MB/s"), "{glance}");
        assert!(folder.path().join("2026-11-21-throughput.svg").is_file());
        assert!(!folder.path().join("2026-11-21-cpu.svg").exists(), "there is nothing to draw");
    }
}
