//! The Markdown page of a run.

use super::{cost_of_floor, headline, is_own};
use crate::peers::metric::Metric;
use crate::peers::results::{CaseResult, Results, ServerResult};
use crate::peers::target::best_peer;
use crate::server::is_peer;
use crate::setup::QUIET;
use std::fmt::Write;
use tuffet_measure::report::{Table, cell};
use tuffet_measure::{known, short};

/// The columns of the tables in this order; columns without figures are left out.
const COLUMNS: [Metric; 23] = [
    Metric::ThroughputMbS,
    Metric::TransfersPerS,
    Metric::CpuSPerGb,
    Metric::CpuMsPerTransfer,
    Metric::CpuUsPerBlock,
    Metric::DecisionP50Us,
    Metric::DecisionP99Us,
    Metric::AnswerP50Ms,
    Metric::AnswerP99Ms,
    Metric::FirstBlockP50Ms,
    Metric::FirstBlockP99Ms,
    Metric::TurnaroundP50Ms,
    Metric::TurnaroundP99Ms,
    Metric::TurnaroundStormP50Ms,
    Metric::TurnaroundStormP99Ms,
    Metric::CompletionP50Ms,
    Metric::CompletionP99Ms,
    Metric::ClientTimeouts,
    Metric::Incomplete,
    Metric::GrowthBytes,
    Metric::Open,
    Metric::BusyPercent,
    Metric::WakeupsPerS,
];

/// The whole page; `images` are the names of the plots beside it.
pub(super) fn markdown(results: &Results, images: &[String]) -> String {
    let mut page = format!("# Tuffet and its peers, {}\n\n", results.facts.day());
    if results.settings.scale != "full" {
        let scale = &results.settings.scale;
        page += &format!("**A {scale} run: it shows that everything works, its figures mean little.**\n\n");
    }
    if results.settings.idle_percent > QUIET {
        let busy = short(results.settings.idle_percent);
        page += &format!(
            "**The server's core was {busy} % busy with other things: the figures mean little.**\n\n"
        );
    }
    facts(&mut page, results);
    targets(&mut page, results);
    for image in images {
        let _ = writeln!(page, "![{image}]({image})\n");
    }
    page += "## Cases\n\nMedians of the rounds; how each figure is defined: [bench/README.md](../README.md). \
             *spread* is (largest − smallest) / median of the rounds.\n\n";
    for case in &results.cases {
        case_table(&mut page, case);
    }
    page
}

fn facts(page: &mut String, results: &Results) {
    let machine = &results.facts.machine;
    let guest = if machine.virtual_machine { ", a virtual machine" } else { "" };
    let rows = [
        ("revision", results.facts.commit.clone()),
        ("machine", format!("{}, {} cores, {} MiB{guest}", machine.cpu, machine.cores, machine.memory_mib)),
        ("system", format!("{}, kernel {}", machine.system, machine.kernel)),
        ("frequency governor", machine.governor.clone().unwrap_or_else(|| "not visible".to_owned())),
        (
            "settings",
            machine
                .settings
                .iter()
                .map(|(key, value)| format!("{key}={value}"))
                .collect::<Vec<_>>()
                .join(", "),
        ),
        (
            "run",
            format!(
                "{}, {} rounds, server on core {}, all else on core {}, idle baseline {} %, files {}",
                results.settings.scale,
                results.settings.rounds,
                results.settings.server_core,
                results.settings.generator_core,
                short(results.settings.idle_percent),
                if results.settings.files_in_memory { "in memory" } else { "on disk" },
            ),
        ),
    ];
    let mut table = Table::of_text(["", ""]);
    for (name, value) in rows {
        table.row([name, &value]);
    }
    for (server, version) in &results.versions {
        table.row([server, version]);
    }
    for (server, why) in &results.skipped {
        table.row([server, &format!("skipped: {why}")]);
    }
    let _ = writeln!(page, "{table}");
}

fn targets(page: &mut String, results: &Results) {
    let none = results.cases.iter().all(|case| case.targets.is_empty());
    if none || results.settings.scale == "smoke" {
        return;
    }
    let mut table = Table::of_text(["case", "target", "measured", "reached"]);
    for case in &results.cases {
        for target in &case.targets {
            let reached = match target.reached {
                Some(true) => "yes",
                Some(false) => "**no**",
                None => "not measured",
            };
            table.row([&case.title, &target.target, &target.measured, reached]);
        }
    }
    let _ = writeln!(page, "## What was to be reached\n\n{table}");
}

fn case_table(page: &mut String, case: &CaseResult) {
    let metric = headline(case);
    let columns: Vec<Metric> = COLUMNS
        .into_iter()
        .filter(|column| case.servers.iter().any(|server| server.median.contains_key(column)))
        .collect();
    let head = ["server"].into_iter().chain(columns.iter().map(|column| column.heading()));
    let mut table = Table::of_numbers(1, head.chain(["× best peer", "CPU × floor", "spread"]));
    let best = best_peer(case, metric, is_peer).map(|(_, best)| best);
    let mut notes = Vec::new();
    for server in &case.servers {
        match server.cannot.as_ref().or(server.failed.as_ref()) {
            Some(why) if server.median.is_empty() => {
                let what = if server.failed.is_some() { "failed" } else { "cannot" };
                notes.push(format!("- {} {what}: {}", server.server, cell(why)));
            }
            _ => {
                let floor = cost_of_floor(case, server);
                table.row(row(server, &columns, (metric, best, floor), &mut notes));
            }
        }
    }
    let _ = writeln!(page, "### {}\n\n{table}", case.title);
    if !notes.is_empty() {
        *page += &notes.join("\n");
        *page += "\n\n";
    }
}

fn row(
    server: &ServerResult,
    columns: &[Metric],
    (metric, best, floor): (Metric, Option<f64>, Option<f64>),
    notes: &mut Vec<String>,
) -> Vec<String> {
    let name = if is_own(&server.server) { format!("**{}**", server.server) } else { server.server.clone() };
    let mut cells = vec![name];
    cells.extend(columns.iter().map(|column| known(server.median.get(column).copied())));
    let ratio = server.median.get(&metric).zip(best).filter(|(_, best)| *best > 0.0);
    cells.push(known(ratio.map(|(value, best)| value / best)));
    cells.push(known(floor));
    let values = server.rounds.iter().filter_map(|round| round.figures.get(&metric).copied());
    let spread = tuffet_measure::spread(values).filter(|_| server.rounds.len() > 1);
    cells.push(spread.map_or_else(|| "–".to_owned(), |spread| format!("{:.0} %", spread * 100.0)));
    if let Some(note) = &server.note {
        notes.push(format!("- {} {}", server.server, cell(note)));
    }
    if let Some(why) = &server.failed {
        notes.push(format!("- {} failed after {} rounds: {}", server.server, server.rounds.len(), cell(why)));
    }
    for (text, count) in server.rounds.iter().flat_map(|round| &round.errors) {
        let note = format!("- {}: {count} × {}", server.server, cell(text));
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::report::tests::results;

    #[test]
    fn a_page_names_everything_and_every_row_has_all_columns() {
        let page = markdown(&results(), &["x.svg".to_owned()]);
        for text in [
            "| **tuffet** | 900 | 0.50 | 4.50 | – | – |",
            "| **no** |",
            "atftpd cannot: no windowsize",
            "x.svg",
        ] {
            assert!(page.contains(text), "{text} is missing in:\n{page}");
        }
        for block in page.split("\n\n").filter(|block| block.starts_with('|')) {
            let cells: Vec<usize> = block.lines().map(|row| row.matches('|').count()).collect();
            assert!(cells.windows(2).all(|pair| pair[0] == pair[1]), "{block}");
        }
    }
}
