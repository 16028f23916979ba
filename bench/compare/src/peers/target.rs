//! Judges whether a case reached its targets.

use crate::peers::cases::{Bound, Target};
use crate::peers::metric::Metric;
use crate::peers::results::{CaseResult, TargetResult};
use tuffet_measure::short;

/// Judges a target by the medians. `is_peer` returns whether a server is not Tuffet.
pub(crate) fn judge(target: &Target, case: &CaseResult, is_peer: impl Fn(&str) -> bool) -> TargetResult {
    let heading = target.metric.heading();
    let value = figure(case, target.who, target.metric);
    let least = matches!(target.bound, Bound::TimesBestPeer(_) | Bound::Times(..));
    let (bound, wanted) = match target.bound {
        Bound::AtMost(most) => (Some(most), format!("≤ {} {heading}", short(most))),
        Bound::TimesBestPeer(factor) | Bound::AtMostTimesBestPeer(factor) => {
            let best = best_peer(case, target.metric, is_peer);
            let name = best.map_or("the best peer", |(name, _)| name);
            let sign = if least { "≥" } else { "≤" };
            (best.map(|(_, best)| factor * best), format!("{sign} {factor}× {name} in {heading}"))
        }
        Bound::Times(factor, other) => (
            figure(case, other, target.metric).map(|figure| factor * figure),
            format!("≥ {factor}× {other} in {heading}"),
        ),
        Bound::AtMostTimes(factor, other) => (
            figure(case, other, target.metric).map(|figure| factor * figure),
            format!("≤ {factor}× {other} in {heading}"),
        ),
    };
    let reached = value.zip(bound).map(|(value, bound)| if least { value >= bound } else { value <= bound });
    let factor = match target.bound {
        Bound::AtMost(_) => None,
        Bound::TimesBestPeer(factor)
        | Bound::Times(factor, _)
        | Bound::AtMostTimes(factor, _)
        | Bound::AtMostTimesBestPeer(factor) => Some(factor),
    };
    let measured = match (value, bound, factor) {
        (None, ..) => "not measured".to_owned(),
        (Some(value), Some(bound), Some(factor)) if bound > 0.0 => {
            format!("{} ({}×)", short(value), short(value * factor / bound))
        }
        (Some(value), None, _) => format!("{} (nothing to compare with)", short(value)),
        (Some(value), ..) => short(value),
    };
    let who = if target.who == "tuffet" { String::new() } else { format!("{}: ", target.who) };
    TargetResult { target: who + &wanted, measured, reached }
}

/// The best figure among the peers that completed everything.
pub(crate) fn best_peer(
    case: &CaseResult,
    metric: Metric,
    is_peer: impl Fn(&str) -> bool,
) -> Option<(&str, f64)> {
    let peers = case.servers.iter().filter(|result| is_peer(&result.server) && result.complete());
    let figures = peers.filter_map(|result| Some((result.server.as_str(), *result.median.get(&metric)?)));
    figures.max_by(|one, other| {
        let order = one.1.total_cmp(&other.1);
        if metric.more_is_better() { order } else { order.reverse() }
    })
}

fn figure(case: &CaseResult, server: &str, metric: Metric) -> Option<f64> {
    case.of(server)?.median.get(&metric).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::metric::Figures;
    use crate::peers::results::{Round, ServerResult};

    fn server(name: &str, throughput: f64, incomplete: f64) -> ServerResult {
        let figures = Figures::from([(Metric::ThroughputMbS, throughput), (Metric::Incomplete, incomplete)]);
        let round = Round { figures: figures.clone(), repeats: 1, ..Round::default() };
        ServerResult { server: name.into(), median: figures, rounds: vec![round], ..ServerResult::default() }
    }

    fn case() -> CaseResult {
        let servers =
            vec![server("tuffet", 900.0, 0.0), server("quick", 500.0, 1.0), server("sound", 200.0, 0.0)];
        CaseResult { name: "c".into(), title: "C".into(), servers, targets: Vec::new() }
    }

    fn judged(bound: Bound) -> TargetResult {
        let target = Target { who: "tuffet", metric: Metric::ThroughputMbS, bound };
        judge(&target, &case(), |name| name != "tuffet")
    }

    #[test]
    fn the_best_peer_is_one_that_completed_everything() {
        let result = judged(Bound::TimesBestPeer(4.0));
        assert_eq!(result.reached, Some(true));
        assert_eq!((result.target.as_str(), result.measured.as_str()), ("≥ 4× sound in MB/s", "900 (4.50×)"));
        assert_eq!(judged(Bound::TimesBestPeer(5.0)).reached, Some(false));
    }

    #[test]
    fn other_bounds() {
        assert_eq!(judged(Bound::Times(2.0, "quick")).reached, Some(false));
        assert_eq!(judged(Bound::AtMost(900.0)).reached, Some(true));
        assert_eq!(judged(Bound::AtMostTimes(1.0, "sound")).reached, Some(false));
        assert_eq!(judged(Bound::AtMostTimesBestPeer(4.0)).reached, Some(false));
        assert_eq!(judged(Bound::AtMostTimesBestPeer(5.0)).reached, Some(true));
        assert_eq!(judged(Bound::Times(1.0, "absent")).reached, None);
    }
}
