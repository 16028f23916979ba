//! The plots: an overview, throughput, and the busy time of the server's core.

use super::{cost_of_floor, headline, is_own};
use crate::peers::metric::Metric;
use crate::peers::results::{CaseResult, Results, ServerResult};
use crate::peers::target::best_peer;
use crate::server::is_peer;
use tuffet_measure::plot::{Bar, Bars, Ratio, bars, ratios};
use tuffet_measure::short;

/// Tuffet beside the best peer, in each case where more is better; `None` if nothing was compared.
pub(super) fn glance(results: &Results) -> Option<String> {
    let rows: Vec<_> = results.cases.iter().filter_map(ratio).collect();
    ratios("Tuffet beside the best of its peers (dots: the others): further right is faster", &rows)
}

fn ratio(case: &CaseResult) -> Option<Ratio> {
    let metric = headline(case);
    if !metric.more_is_better() {
        return None;
    }
    let (name, best) = best_peer(case, metric, is_peer).filter(|(_, best)| *best > 0.0)?;
    let own = case.of("tuffet").filter(|own| own.complete())?.median.get(&metric)?;
    let others = case.servers.iter().filter(|server| is_peer(&server.server) && server.complete());
    Some(Ratio {
        title: case.title.clone(),
        own: own / best,
        peers: others.filter_map(|server| Some(server.median.get(&metric)? / best)).collect(),
        note: {
            let note = format!("{} beside {} of {name}, {}", short(*own), short(best), metric.heading());
            let cost = case.of("tuffet").and_then(|own| cost_of_floor(case, own));
            cost.map_or(note.clone(), |cost| format!("{note}; CPU {}× the floor", short(cost)))
        },
    })
}

/// Throughput of each case; `None` if no case has any.
pub(super) fn throughput(results: &Results) -> Option<String> {
    let panels = results.cases.iter().filter_map(|case| {
        let metric = headline(case);
        matches!(metric, Metric::ThroughputMbS | Metric::TransfersPerS).then(|| panel(case, metric))?
    });
    bars("throughput: longer is better", &panels.collect::<Vec<_>>())
}

/// Busy seconds of the server's core per GB; `None` if no case has any.
pub(super) fn cpu(results: &Results) -> Option<String> {
    let panels = results.cases.iter().filter_map(|case| panel(case, Metric::CpuSPerGb));
    bars("busy seconds of the server's core for each GB: shorter is better", &panels.collect::<Vec<_>>())
}

fn panel(case: &CaseResult, metric: Metric) -> Option<Bars> {
    let bar = |server: &ServerResult| Bar {
        name: server.server.clone(),
        class: if is_own(&server.server) { "own" } else { "peer" },
        value: server.median.get(&metric).copied(),
    };
    let bars: Vec<Bar> = case.servers.iter().map(bar).collect();
    let any = bars.iter().any(|bar| bar.value.is_some());
    any.then(|| Bars { title: case.title.clone(), unit: metric.heading(), bars })
}
