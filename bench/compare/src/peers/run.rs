//! Runs all cases in rounds, with the servers interleaved, so that drift of the machine affects all of them.

use crate::install::{Installed, Installer};
use crate::peers::cases::{Case, Kind};
use crate::peers::measure::{Bench, Outcome};
use crate::peers::metric::{Metric, medians};
use crate::peers::results::{CaseResult, Round, ServerResult};
use crate::peers::target::judge;
use crate::server::{Contender, OwnPrograms, SERVERS, is_peer};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tuffet_measure::short;

/// A peer with a longer round is not measured again: its figure is far from the others anyway.
const TOO_LONG: Duration = Duration::from_secs(20);

/// An installed server.
pub(crate) type Participant = (&'static Contender, Installed);

/// Installs every wanted server; returns them, and the reasons for missing ones.
pub(crate) fn gather(
    installer: &Installer,
    own_programs: &OwnPrograms,
    wanted: impl Fn(&Contender) -> bool,
) -> (Vec<Participant>, BTreeMap<String, String>) {
    let (mut ready, mut skipped) = (Vec::new(), BTreeMap::new());
    for contender in SERVERS.iter().filter(|contender| wanted(contender)) {
        match (contender.install)(installer, own_programs) {
            Ok(_) if contender.port_69 && !rustix::process::geteuid().is_root() => {
                skipped
                    .insert(contender.name.to_owned(), "it listens on port 69 alone: run as root".to_owned());
            }
            Ok(installed) => {
                eprintln!("{:<16} {}", contender.name, installed.version);
                ready.push((contender, installed));
            }
            Err(why) => {
                eprintln!("{:<16} skipped: {why}", contender.name);
                skipped.insert(contender.name.to_owned(), why);
            }
        }
    }
    (ready, skipped)
}

/// Measures all cases in each round.
pub(crate) fn run(
    bench: &Bench,
    ready: &[Participant],
    cases: &[(&Case, Kind)],
    rounds: u32,
) -> Vec<CaseResult> {
    let mut results: Vec<CaseResult> = cases.iter().map(|(case, _)| empty(case, ready)).collect();
    for round in 1..=rounds {
        for ((case, kind), result) in cases.iter().zip(&mut results) {
            eprintln!("round {round} of {rounds}: {}", case.title);
            one_round(bench, ready, kind, result);
        }
    }
    for ((case, _), result) in cases.iter().zip(&mut results) {
        for server in &mut result.servers {
            server.median = medians(server.rounds.iter().map(|round| &round.figures));
        }
        let judged = case.targets.iter().map(|target| judge(target, result, is_peer));
        result.targets = judged.collect();
    }
    results
}

fn empty(case: &Case, ready: &[Participant]) -> CaseResult {
    let takes_part = |(contender, _): &&Participant| case.includes(contender.name, contender.variant);
    let server = |(contender, _): &Participant| ServerResult {
        server: contender.name.to_owned(),
        ..Default::default()
    };
    CaseResult {
        name: case.name.to_owned(),
        title: case.title.to_owned(),
        servers: ready.iter().filter(takes_part).map(server).collect(),
        targets: Vec::new(),
    }
}

fn one_round(bench: &Bench, ready: &[Participant], kind: &Kind, result: &mut CaseResult) {
    for server in &mut result.servers {
        let Some((contender, installed)) =
            ready.iter().find(|(contender, _)| contender.name == server.server)
        else {
            continue;
        };
        if server.cannot.is_some()
            || server.failed.is_some()
            || (!contender.is_tuffet() && takes_too_long(server))
        {
            continue;
        }
        let started = Instant::now();
        let outcome = bench.run(contender, installed, kind);
        let seconds = started.elapsed().as_secs_f64();
        let said = match outcome {
            Outcome::Measured(sample) => {
                let mut said = summary(&sample.figures);
                if let Some(note) = &sample.note {
                    said = format!("{said} ({note})");
                }
                server.note = sample.note;
                server.rounds.push(Round {
                    figures: sample.figures,
                    repeats: sample.repeats,
                    seconds,
                    errors: sample.errors,
                });
                said
            }
            Outcome::Cannot(why) => {
                let said = format!("does not take part: {why}");
                server.cannot = Some(why);
                said
            }
            Outcome::Failed(why) => {
                let said = format!("failed: {why}");
                server.failed = Some(why);
                said
            }
        };
        eprintln!("  {:<16} {said} [{seconds:.1} s]", contender.name);
    }
}

fn takes_too_long(server: &ServerResult) -> bool {
    server.rounds.iter().any(|round| round.seconds > TOO_LONG.as_secs_f64())
}

/// A progress line.
fn summary(figures: &crate::peers::metric::Figures) -> String {
    const SHOWN: [Metric; 13] = [
        Metric::ThroughputMbS,
        Metric::TransfersPerS,
        Metric::CpuSPerGb,
        Metric::DecisionP99Us,
        Metric::AnswerP99Ms,
        Metric::TurnaroundP99Ms,
        Metric::TurnaroundStormP99Ms,
        Metric::ClientTimeouts,
        Metric::Incomplete,
        Metric::GrowthBytes,
        Metric::Open,
        Metric::BusyPercent,
        Metric::WakeupsPerS,
    ];
    let parts = SHOWN.iter().filter_map(|metric| Some((metric, figures.get(metric)?)));
    let quiet = |metric: &Metric, value: f64| {
        value == 0.0 && matches!(metric, Metric::ClientTimeouts | Metric::Incomplete)
    };
    let parts = parts.filter(|(metric, value)| !quiet(metric, **value));
    parts
        .map(|(metric, value)| format!("{} {}", short(*value), metric.heading()))
        .collect::<Vec<_>>()
        .join(", ")
}
