//! The pictures of the page. Coordinates are rounded to a tenth of a pixel, so that they are the same on any machine.

use crate::chain::Chain;
use crate::ecmp::Rehash;
use crate::study::{LOSSES, Part, SERVERS, StormResult};
use tuffet_measure::plot::{Chart, Curve, Panel};

/// A class for each curve.
const CLASSES: [&str; 3] = ["own", "theirs", "worst"];

/// Points of a curve over time.
const STEPS: u32 = 600;

/// The time until 99 % have booted, over the number of servers.
pub(super) fn servers(results: &[StormResult]) -> String {
    let point = |servers: u16, loss: u32| {
        let result = results.iter().find(|result| {
            let scenario = &result.storm.scenario;
            result.storm.part == Part::Servers
                && (scenario.servers, scenario.loss, scenario.costs.policy) == (servers, loss, 0)
        });
        result.and_then(|result| result.summary.most)
    };
    let curve = |((loss, class), name): ((u32, &'static str), &str)| Curve {
        name: name.to_owned(),
        class,
        points: SERVERS
            .iter()
            .filter_map(|servers| Some((f64::from(*servers), f64::from(point(*servers, loss)?) / 1e3)))
            .collect(),
    };
    let names = ["nothing lost", "0.1 % lost", "1 % lost"];
    let panel = Panel {
        x: "servers; those without a point do not end in time".to_owned(),
        y: "seconds".to_owned(),
        log_x: true,
        log_y: true,
        curves: LOSSES.into_iter().zip(CLASSES).zip(names).map(curve).collect(),
        ..Panel::default()
    };
    picture("time until 99 % of a million clients have booted", panel)
}

/// The booted part over time, when a server is lost.
pub(super) fn lost(results: &[StormResult]) -> String {
    let results: Vec<&StormResult> =
        results.iter().filter(|result| result.storm.part == Part::Lost).collect();
    let ends = results.iter().filter_map(|result| result.figures.booted.last());
    let step = (ends.max().copied().unwrap_or(1) / STEPS).max(1);
    let name = |result: &StormResult| match (result.storm.scenario.lost, result.storm.scenario.rehash) {
        (None, _) => "none lost",
        (Some(_), Rehash::Resilient) => "one of 32 lost",
        (Some(_), Rehash::Full) => "all spread anew",
    };
    let curve = |(result, class): (&&StormResult, &'static str)| Curve {
        name: name(result).to_owned(),
        class,
        points: (0..=STEPS)
            .map(|nth| nth * step)
            .map(|millis| (f64::from(millis) / 1e3, result.figures.booted_at(millis) as f64 / 10.0))
            .collect(),
    };
    let panel = Panel {
        x: "seconds".to_owned(),
        y: "%".to_owned(),
        curves: results.iter().zip(CLASSES).map(curve).collect(),
        ..Panel::default()
    };
    picture("share of a million clients that have booted; a server is lost at 5 s", panel)
}

/// The booted part over time, with warm and with cold caches.
pub(super) fn origins(results: &[StormResult]) -> String {
    let shown = |result: &&StormResult| {
        let scenario = &result.storm.scenario;
        scenario.servers == 64
            && scenario.chain == Chain::Loader
            && scenario.origin.is_none_or(|origin| !origin.lookups && origin.line < 10_000_000_000)
    };
    let results: Vec<&StormResult> = results.iter().filter(shown).collect();
    let ends = results.iter().filter_map(|result| result.figures.booted.last());
    let step = (ends.max().copied().unwrap_or(1) / STEPS).max(1);
    let curve = |(result, class): (&&StormResult, &'static str)| Curve {
        name: match result.storm.scenario.origin {
            None => "warm".to_owned(),
            Some(origin) => format!("cold, {} Mbit/s", origin.line / 1_000_000),
        },
        class,
        points: (0..=STEPS)
            .map(|nth| nth * step)
            .map(|millis| (f64::from(millis) / 1e3, result.figures.booted_at(millis) as f64 / 10.0))
            .collect(),
    };
    let panel = Panel {
        x: "seconds".to_owned(),
        y: "%".to_owned(),
        curves: results.iter().zip(CLASSES).map(curve).collect(),
        ..Panel::default()
    };
    picture("share of a million clients that have booted from 64 servers", panel)
}

fn picture(title: &str, panel: Panel) -> String {
    Chart { title: title.to_owned(), panels: vec![panel] }.svg()
}
