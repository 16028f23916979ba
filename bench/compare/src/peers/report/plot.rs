//! The plots: throughput, and the CPU of the server's core.

use super::{headline, is_own};
use crate::peers::metric::Metric;
use crate::peers::results::{CaseResult, Results, ServerResult};
use tuffet_measure::plot::{Bar, Bars, bars};

/// Throughput of each case; `None` if no case has any.
pub(super) fn throughput(results: &Results) -> Option<String> {
    let panels = results.cases.iter().filter_map(|case| {
        let metric = headline(case);
        matches!(metric, Metric::ThroughputMbS | Metric::TransfersPerS).then(|| panel(case, metric))?
    });
    bars("throughput: longer is better", &panels.collect::<Vec<_>>())
}

/// CPU of the server's core for each GB; `None` if no case has any.
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
